"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class _Tool(ModuleType):
    """A wrapper's module. It can be called like the function of the same name, which it hides in its package."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


class _Package(ModuleType):
    _homes: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        home = self.__dict__.get("_homes", {}).get(name)
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{self.__name__}.{home}"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in self.__dict__.get("_homes", {}):
            value.__class__ = _Tool
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__dict__.get("_homes", {})})


def lazy(package: str, modules: Mapping[str, tuple[str, ...]]) -> None:
    """Makes a package import the names of its modules when they are first used."""
    module = sys.modules[package]
    module.__dict__["_homes"] = {name: home for home, names in modules.items() for name in names}
    module.__class__ = _Package
