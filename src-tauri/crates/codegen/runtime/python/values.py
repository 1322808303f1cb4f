"""JSON values: reading, writing, comparing, and objects with accessors that name the path."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from .errors import MissingField, SchemascopeError

Path = tuple["str | int", ...]


def show(path: Path) -> str:
    """A path as people write it: `files[0].path`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{json.dumps(part)}]"
    return text or "the value"


class JsonObject(dict[str, Any]):
    """A JSON object as it was sent. `get` is that of `dict`."""

    __slots__ = ("_misfits", "_path")
    _path: Path
    _misfits: Mapping[Path, str]

    def has(self, key: str) -> bool:
        """Whether the key is present, with null or any other value."""
        return key in self

    def require(self, key: str) -> Any:
        """The value of a key. Raises `MissingField` if it is absent."""
        if key not in self:
            raise MissingField(f"{show((*self._path, key))} is absent")
        return self[key]

    @property
    def raw(self) -> Any:
        """The JSON value."""
        return self

    @property
    def fits(self) -> bool:
        """Whether it fits the schema."""
        return not any(path[: len(self._path)] == self._path for path in self._misfits)


def view(value: Any, path: Path = (), misfits: Mapping[Path, str] | None = None) -> Any:
    """A copy of a JSON value whose objects have accessors."""
    misfits = {} if misfits is None else misfits
    if isinstance(value, Mapping):
        copy = JsonObject()
        copy._path, copy._misfits = path, misfits
        for key, inner in value.items():
            if not isinstance(key, str):
                raise SchemascopeError(f"{show(path)} has a key that is no string")
            copy[key] = view(inner, (*path, key), misfits)
        return copy
    if isinstance(value, (list, tuple)):
        return [view(inner, (*path, at), misfits) for at, inner in enumerate(value)]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise SchemascopeError(f"{show(path)} is no JSON value: {type(value).__name__}")


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise SchemascopeError("the JSON text has a number that is too large")
    return number


def _constant(text: str) -> NoReturn:
    raise SchemascopeError(f"{text} is no JSON")


def loads(text: str | bytes) -> Any:
    """Reads JSON. Integers have any size."""
    return json.loads(text, parse_float=_number, parse_constant=_constant)


def dumps(value: Any, indent: int | None = None) -> str:
    """Writes JSON that can be sent as UTF-8."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which JSON can only write as an escape
        return json.dumps(value, separators=separators, indent=indent, allow_nan=False)
    return text


def identity(value: Any) -> Any:
    """What two values have in common exactly if JSON calls them equal: 1 is 1.0, and not true."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (type(value), value)
    if isinstance(value, (int, float)):
        return (float, value)
    if isinstance(value, Mapping):
        return (dict, frozenset((key, identity(inner)) for key, inner in value.items()))
    return (list, tuple(identity(inner) for inner in value))
