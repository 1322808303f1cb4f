"""Packages whose names are imported when they are first used. Their stub says where each name is."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_LINE = re.compile(r"^from \.(\w+) import (\w+) as \2$", re.MULTILINE)


class _Package(ModuleType):
    def __getattr__(self, name: str) -> Any:
        home = None if name.startswith("__") else _homes(self).get(name)
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{self.__name__}.{home}"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        # The import of a wrapper's module sets it as an attribute, where the function of the same name belongs.
        if isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}":
            function = value.__dict__.get(name)
            value = function if isinstance(function, FunctionType) else value
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_homes(self)})


def _homes(package: ModuleType) -> Mapping[str, str]:
    """Module by name."""
    known: Mapping[str, str] | None = package.__dict__.get("_homes")
    if known is None:
        stub = Path(str(package.__file__)).with_suffix(".pyi").read_text("utf-8")
        known = {name: home for home, name in _LINE.findall(stub)}
        package.__dict__["_homes"] = known
    return known


def lazy(package: str) -> None:
    """Makes a package import the names of its stub when they are first used."""
    sys.modules[package].__class__ = _Package
