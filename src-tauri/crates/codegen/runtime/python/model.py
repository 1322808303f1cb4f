"""Pydantic models that are views of a JSON value, which they keep as it was sent."""

from __future__ import annotations

import types
import typing
import warnings
from collections.abc import Mapping
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Never, Self, Union

from pydantic import BaseModel, ConfigDict, PrivateAttr, RootModel
from pydantic_core import core_schema

from .errors import InvalidValue, MissingField, SchemaWarning
from .schema import Schema
from .values import Path, dumps, identity, show, view

ANYTHING = Schema("[{}]")
_ABSENT: Any = object()


class _Misfit(Exception):
    """A value does not fit an annotation."""


def _plain(value: Any) -> Any:
    """A value without models and views."""
    if isinstance(value, _Accessors):
        return _plain(value._raw)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


class _Accessors:
    """Access to the JSON value of a model."""

    __schema__: ClassVar[Schema] = ANYTHING
    __node__: ClassVar[int] = 0
    __strict__: ClassVar[bool] = True

    if TYPE_CHECKING:
        _raw: Any
        _path: Path
        _misfits: Mapping[Path, str]

    @classmethod
    def parse(cls, value: object) -> Self:
        """Reads a JSON value."""
        self = cls.__new__(cls)
        self._fill(_plain(value))
        return self

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key as it was sent, null included; the default only if the key is absent."""
        return self._raw.get(key, default) if isinstance(self._raw, dict) else default

    def has(self, key: str) -> bool:
        """Whether the key is present, with null or any other value."""
        return isinstance(self._raw, dict) and key in self._raw

    def require(self, key: str) -> Any:
        """The value of a key. Raises `MissingField` if it is absent."""
        if not self.has(key):
            raise MissingField(f"{type(self).__name__}: {show((*self._path, key))} is absent")
        return self._raw[key]

    @property
    def raw(self) -> Any:
        """The JSON value as it was sent."""
        return self._raw

    @property
    def fits(self) -> bool:
        """Whether the value fits the schema."""
        return not any(path[: len(self._path)] == self._path for path in self._misfits)

    def _fill(self, value: Any) -> None:
        """Takes a value, which the schema is asked about."""
        misfits: dict[Path, str] = {}
        raw = view(value, (), misfits)
        misfits.update(self.__schema__.misfits(raw, self.__node__))
        if misfits:
            path, rule = next(iter(misfits.items()))
            if self.__strict__:
                raise InvalidValue(type(self).__name__, show(path), rule)
            message = f"{type(self).__name__}: {show(path)} breaks the inferred schema: {rule}"
            warnings.warn(message, SchemaWarning, stacklevel=4)
        self._show(raw, (), misfits)

    def _show(self, raw: Any, path: Path, misfits: Mapping[Path, str]) -> None:
        """Sets the attributes from a part of a value that was taken."""
        shown: dict[str, Any] = {}
        sent: set[str] = set()
        for name, (wire, hint, is_optional) in _hints(type(self)).items():
            inner = path if wire is None else (*path, wire)
            value = raw if wire is None else raw.get(wire, _ABSENT) if isinstance(raw, dict) else _ABSENT
            if value is _ABSENT:
                if is_optional and inner not in misfits:
                    shown[name] = None
                continue
            sent.add(name)
            if inner not in misfits:
                try:
                    shown[name] = _build(hint, value, inner, misfits, self.__schema__)
                except _Misfit:
                    continue
        object.__setattr__(self, "__dict__", shown)
        object.__setattr__(self, "__pydantic_fields_set__", sent)
        object.__setattr__(self, "__pydantic_extra__", None)
        object.__setattr__(self, "__pydantic_private__", {"_raw": raw, "_path": path, "_misfits": misfits})

    def _absent(self, name: str) -> MissingField:
        wire = _hints(type(self))[name][0]
        path = self._path if wire is None else (*self._path, wire)
        if wire is not None and not self.has(wire):
            return MissingField(f"{type(self).__name__}: {show(path)} is absent")
        where, rule = path, self._misfits.get(path)
        if rule is None:  # a part of it does not fit
            inside = (misfit for misfit in self._misfits.items() if misfit[0][: len(path)] == path)
            where, rule = next(inside, (path, "type"))
        return MissingField(f"{type(self).__name__}: {show(where)} breaks the schema: {rule}")

    # What Pydantic offers, as far as it would change the value.

    def model_dump(
        self,
        *,
        include: Any = None,
        exclude: Any = None,
        exclude_none: bool = False,
        exclude_defaults: bool = False,
        **_: Any,
    ) -> Any:
        """The JSON value under the names as sent, with all fields or the chosen ones."""
        if exclude_defaults:
            raise TypeError("exclude_defaults is not supported; fields that were not sent are never included")
        shown = self if isinstance(self, Model) else self.__dict__.get("root")
        value = _without_none(shown, self._raw) if exclude_none else _plain(self._raw)
        if include is None and exclude is None:
            return value
        if not isinstance(value, dict):
            raise TypeError("include and exclude need an object")
        wanted = set(value) if include is None else _chosen(type(self), include)
        unwanted = set() if exclude is None else _chosen(type(self), exclude)
        return {key: inner for key, inner in value.items() if key in wanted - unwanted}

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """What `model_dump` returns, as text."""
        return dumps(self.model_dump(**options), indent)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, with some fields replaced."""
        if not update:
            return type(self).parse(self._raw)
        return type(self).parse({**_plain(self._raw), **_wired(type(self), update)})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        def read(value: Any) -> Any:
            return value if isinstance(value, cls) else cls.parse(value)

        serialization = core_schema.plain_serializer_function_ser_schema(_plain)
        return core_schema.no_info_plain_validator_function(read, serialization=serialization)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {}


class Model(_Accessors, BaseModel):
    """An object of a result or of parameters."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, protected_namespaces=())
    _raw: Any = PrivateAttr()
    _path: Path = PrivateAttr()
    _misfits: Mapping[Path, str] = PrivateAttr()

    def __init__(self, /, **data: Any) -> None:
        self._fill(_wired(type(self), data))

    if not TYPE_CHECKING:

        @classmethod
        def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
            """A model like any other: the values are checked."""
            return cls(**values)

        def __getattr__(self, name: str) -> Any:
            if name in type(self).model_fields and self.__pydantic_private__ is not None:
                raise self._absent(name)
            return super().__getattr__(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._raw!r})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and type(self) is type(other) and identity(self._raw) == identity(other._raw)

    def __hash__(self) -> int:
        return hash(identity(self._raw))


class Params(Model):
    """Arguments of a tool. They are checked when they are made."""


class Result(Model):
    """What a tool returned."""


class RootResult(_Accessors, RootModel[Any]):
    """What a tool returned that is no object; `root` is the value."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, protected_namespaces=())
    _raw: Any = PrivateAttr()
    _path: Path = PrivateAttr()
    _misfits: Mapping[Path, str] = PrivateAttr()

    def __init__(self, root: Any = None, /) -> None:
        self._fill(_plain(root))

    if not TYPE_CHECKING:

        @classmethod
        def model_construct(cls, root: Any, _fields_set: set[str] | None = None) -> Self:
            """A model like any other: the value is checked."""
            return cls(root)

        def __getattr__(self, name: str) -> Any:
            if name == "root" and self.__pydantic_private__ is not None:
                raise self._absent(name)
            return super().__getattr__(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._raw!r})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RootResult) or type(self) is not type(other):
            return False
        return bool(identity(self._raw) == identity(other._raw))

    def __hash__(self) -> int:
        return hash(identity(self._raw))


def _wired(model: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Fields under their names as sent. None stands for an absent field where the schema does not allow null."""
    hints = _hints(model)
    wired: dict[str, Any] = {}
    for name, value in data.items():
        wire, _, is_optional = hints.get(name, (name, Any, False))
        key = name if wire is None else wire
        stands_for_absence = value is None and is_optional and name in hints
        if stands_for_absence and model.__schema__.misfits({key: None}, model.__node__).get((key,)):
            continue
        wired[key] = _plain(value)
    return wired


def _chosen(model: type[Any], names: Any) -> set[str]:
    """Names of fields under their names as sent."""
    if not isinstance(names, (set, frozenset, list, tuple)) or not all(isinstance(name, str) for name in names):
        raise TypeError("include and exclude take a set of names of fields; for parts of fields, use `raw`")
    hints = _hints(model)
    return {name if name not in hints else hints[name][0] or name for name in names}


def _without_none(shown: Any, raw: Any) -> Any:
    """A value as it was sent, without null fields of models. Null inside of maps and lists is a value."""
    if isinstance(shown, Model) and isinstance(raw, dict):
        names = {wire: name for name, (wire, _, _) in _hints(type(shown)).items()}
        sent = ((key, inner, names.get(key, "")) for key, inner in raw.items() if inner is not None)
        return {key: _without_none(shown.__dict__.get(name), inner) for key, inner, name in sent}
    if isinstance(shown, dict):
        return {key: _without_none(shown[key], inner) for key, inner in raw.items()}
    if isinstance(shown, (list, tuple)):
        return [_without_none(item, inner) for item, inner in zip(shown, raw)]
    return _plain(raw)


_Hints = Mapping[str, tuple["str | None", Any, bool]]
_KNOWN: dict[type[Any], _Hints] = {}


def _hints(model: type[Any]) -> _Hints:
    """Name as sent, annotation, and whether it may be absent, by attribute."""
    if model in _KNOWN:
        return _KNOWN[model]
    hints = typing.get_type_hints(model)
    fields: dict[str, tuple[str | None, Any, bool]] = {}
    for name, field in model.model_fields.items():
        wire = None if issubclass(model, RootResult) else str(field.validation_alias or name)
        fields[name] = (wire, hints.get(name, Any), not field.is_required())
    _KNOWN[model] = fields
    return fields


def _build(hint: Any, value: Any, path: Path, misfits: Mapping[Path, str], schema: Schema) -> Any:
    """A value as its annotation says."""
    if hint is Any:
        return value
    if isinstance(hint, type) and issubclass(hint, Model):
        # A schema that names fields and no type allows values of other types too.
        if not isinstance(value, dict) and not schema.passes(value, hint.__node__):
            raise _Misfit
        model = hint.__new__(hint)
        model._show(value, path, misfits)
        return model
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Union or origin is getattr(types, "UnionType", Union):
        return _build_one(args, value, path, misfits, schema)
    if origin is Literal:
        if any(identity(value) == identity(arg) for arg in args):
            return value
        raise _Misfit

    def part(hint: Any, inner: Any, key: str | int) -> Any:
        """A part of a container. A known misfit stays as it was sent, so that the other parts can be read."""
        try:
            return _build(hint, inner, (*path, key), misfits, schema)
        except _Misfit:
            if (*path, key) in misfits:
                return inner
            raise

    if origin is list and isinstance(value, list):
        return [part(args[0], item, at) for at, item in enumerate(value)]
    if origin is tuple and isinstance(value, list) and len(args) <= len(value):
        hints = chain(args, repeat(Never))
        return tuple(part(hint, item, at) for at, (item, hint) in enumerate(zip(value, hints)))
    if origin is dict and isinstance(value, dict):
        return {key: part(args[1], inner, key) for key, inner in value.items()}
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if hint is bool or isinstance(value, bool):
        if hint is bool and isinstance(value, bool):
            return value
        raise _Misfit
    if hint is type(None) and value is None:
        return None
    if hint in (int, str) and isinstance(value, hint):
        return value
    raise _Misfit


def _build_one(args: Any, value: Any, path: Path, misfits: Mapping[Path, str], schema: Schema) -> Any:
    """A value as one of several annotations says: the first that it fits, else the first that can hold it."""
    for arg in args:
        if _suits(arg, value, schema):
            return _build(arg, value, path, misfits, schema)
    for arg in args:
        try:
            return _build(arg, value, path, misfits, schema)
        except _Misfit:
            continue
    raise _Misfit


def _suits(hint: Any, value: Any, schema: Schema) -> bool:
    """Whether a value is of an annotation in all its parts."""
    if isinstance(hint, type) and issubclass(hint, Model):
        return isinstance(value, dict) and schema.passes(value, hint.__node__)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Union or origin is getattr(types, "UnionType", Union):
        return any(_suits(arg, value, schema) for arg in args)
    if isinstance(value, dict) and origin is dict:
        return all(_suits(args[1], inner, schema) for inner in value.values())
    if isinstance(value, list) and origin is list:
        return all(_suits(args[0], item, schema) for item in value)
    if isinstance(value, list) and origin is tuple:
        return len(args) == len(value) and all(_suits(arg, item, schema) for arg, item in zip(args, value))
    try:
        _build(hint, value, (), {}, schema)
    except _Misfit:
        return False
    return True
