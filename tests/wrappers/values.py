"""What the models do with values, by the schemas in `hostile.rs`. Prints `ok`."""

from __future__ import annotations

import inspect
import sys
import warnings

sys.path.insert(0, ".")
from schemascope_runtime import (  # noqa: E402
    InvalidValue,
    MissingField,
    Model,
    Result,
    Schema,
    SchemaWarning,
    read_result,
)
from servers.s import strict  # noqa: E402
from servers.s.either import EitherResult  # noqa: E402
from servers.s.strict import StrictParams, StrictResult  # noqa: E402
from servers.s.tolerant import TolerantResult  # noqa: E402
from servers.s.rows import RowsResult  # noqa: E402


def raises(error, action, words):
    try:
        action()
    except error as raised:
        assert words in str(raised), raised
    else:
        raise AssertionError(f"nothing raised; expected {words}")


# Numbers, order, duplicates, unknown fields, null and absence come back as they were sent.
text = '{"z":1.0,"class":"a","size":123456789012345678901234567890,"get":null,"items":[{"id":1},{"id":1}],"new":[1,1.0,true]}'
# A nullable object that is null is no model.
assert StrictResult.parse({"size": 1, "owner": None}).owner is None
assert StrictResult.parse({"size": 1, "owner": {"id": 7}}).owner.id == 7
value = StrictResult.model_validate_json(text)
assert value.model_dump_json(by_alias=True, exclude_unset=True) == text, value.model_dump_json()
assert value.class_ == "a" and value.get_ is None and value.items[1].id == 1 and value.note is None
assert value.size == 123456789012345678901234567890 and value.fits
assert value.get("get", 5) is None and value.get("note", 5) == 5 and value.has("get") and not value.has("note")
assert value.require("items")[0].require("id") == 1
raises(MissingField, lambda: value.require("items")[1].require("name"), "items[1].name")
raises(MissingField, lambda: value.require("note"), "note is absent")
raises(InvalidValue, lambda: StrictResult.parse({"size": True}), "size breaks the schema: type: expected integer")
raises(InvalidValue, lambda: StrictResult.parse({"items": [{}, {"id": "x"}], "size": 1}), "items[1].id")
raises(InvalidValue, lambda: StrictResult.parse({}), "size breaks the schema: required")

# Parameters by attribute and by wire name; None is absent where null is not allowed.
assert StrictParams(repo_path_=".", limit=None).raw == {"repo-path": "."}
assert StrictParams(**{"repo-path": "."}).repo_path_ == "."
raises(InvalidValue, lambda: StrictParams(limit=1), "repo-path")

# A result that does not fit warns and keeps what fits.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    odd = TolerantResult.parse({"name": "n", "size": "big", "inner": {"a": 1, "b": "x"}})
assert [one.category for one in caught] == [SchemaWarning] and "big" not in str(caught[0].message)
assert not odd.fits and odd.name == "n" and odd.raw["size"] == "big" and odd.get("size") == "big"
assert odd.inner.a == 1 and not odd.inner.fits
raises(MissingField, lambda: odd.size, "size breaks the schema: type: expected integer")
raises(MissingField, lambda: odd.inner.b, "inner.b breaks the schema")

# An object that has one of several forms has the fields of all of them.
paid = EitherResult.parse({"kind": "card", "last4": "0042", "by": {"id": 3}})
assert (paid.kind, paid.last4, paid.code, paid.by.id) == ("card", "0042", None, 3)
raises(InvalidValue, lambda: EitherResult.parse({"kind": "card", "code": "x"}), "breaks the schema")
raises(InvalidValue, lambda: StrictParams(**{"repo-path": ".", "mode": "w"}), 'mode breaks the schema: enum: expected "r", "rw" or null')

# A root that is no object.
rows = RowsResult.parse([{"id": 1}, {"id": 2}])
assert [row.id for row in rows.root] == [1, 2] and rows.raw == [{"id": 1}, {"id": 2}]
assert rows.get("id") is None and not rows.has("id") and rows.raw[0].require("id") == 1

# A package gives the functions themselves, whether or not their modules were imported before.
assert inspect.iscoroutinefunction(strict) and list(inspect.signature(strict).parameters) == ["params", "timeout"]
assert strict is sys.modules["servers.s.strict"].strict and strict.__doc__


class Item(Model):
    id: int


class Failure(Model):
    error: str


class Untyped(Model):
    id: int | None = None


class Mixed(Result):
    numbers: list[int] | None = None
    counts: dict[str, int] | None = None
    pair: tuple[str, int] | None = None
    either: Failure | list[Item] | None = None
    lists: list[list[int] | list[str]] | None = None
    untyped: list[Untyped] | None = None


Schema(
    """[{"properties":{"numbers":1,"counts":2,"pair":3,"either":4,"lists":9,"untyped":14}},
    {"type":["array"],"items":5},{"type":["object"],"additionalProperties":5},
    {"type":["array"],"prefixItems":[6,5],"items":10},{"anyOf":[7,8]},{"type":["integer"]},{"type":["string"]},
    {"type":["object"],"required":["error"],"properties":{"error":6}},{"type":["array"],"items":11},
    {"type":["array"],"items":12},false,{"type":["object"],"properties":{"id":5}},{"anyOf":[1,13]},
    {"type":["array"],"items":6},{"type":["array"],"items":15},{"properties":{"id":5}}]"""
).bind(Mixed, Item, Failure, Untyped)
Item.__node__, Failure.__node__, Untyped.__node__, Mixed.__strict__ = 11, 7, 15, False


def mixed(value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        return Mixed.parse(value)


# One part that does not fit leaves the rest of its list, tuple or map readable.
odd = mixed({"numbers": [1, "x", 3], "counts": {"a": "x", "b": 2}, "pair": ["a", "b", "c"], "lists": [[1], [1, "x"]]})
assert odd.numbers == [1, "x", 3] and odd.counts == {"a": "x", "b": 2} and odd.pair == ("a", "b", "c")
assert odd.lists == [[1], [1, "x"]] and not odd.fits
raises(MissingField, lambda: mixed({"numbers": 1}).numbers, "numbers breaks the schema: type: expected array")

# Of an object and a list, the kind of the value decides.
odd = mixed({"either": [{"id": "x"}, {"id": 2}, 3]})
assert [type(item) for item in odd.either] == [Item, Item, int] and odd.either[1].id == 2
raises(MissingField, lambda: odd.either[0].id, "either[0].id breaks the schema: type: expected integer")

# Fields without a type say nothing about other values.
odd = mixed({"untyped": [{"id": 1}, "x", None]})
assert odd.fits and [item.raw for item in odd.untyped] == [{"id": 1}, "x", None]
assert odd.model_dump(exclude_none=True) == {"untyped": [{"id": 1}, "x", None]}

# The options of Pydantic that choose fields.
dumped = StrictResult.parse({"size": 1, "class": "a", "get": None, "items": [{"id": 1, "z": None}], "new": {"a": None}})
assert dumped.model_dump(include={"class_", "size"}) == {"size": 1, "class": "a"}
assert dumped.model_dump(exclude={"items", "new", "get"}) == {"size": 1, "class": "a"}
assert dumped.model_dump_json(exclude_none=True) == '{"size":1,"class":"a","items":[{"id":1}],"new":{"a":null}}'
raises(TypeError, lambda: dumped.model_dump(include={"items": {0: True}}), "set of names")
raises(TypeError, lambda: dumped.model_dump(exclude_defaults=True), "exclude_defaults")
raises(TypeError, lambda: rows.model_dump(exclude={"id"}), "need an object")
assert StrictParams.model_construct(repo_path_=".").raw == {"repo-path": "."}
raises(InvalidValue, lambda: StrictParams.model_construct(limit=1), "repo-path")
assert RowsResult.model_construct([{"id": 1}]).root[0].id == 1

# Text of several blocks is joined by line breaks, and JSON that is split over them without.
blocks = [[{"type": "text", "text": text} for text in texts] for texts in (("a", "b"), ('{"a":', "1}"))]
assert [read_result("s__t", {"content": each}) for each in blocks] == ["a\nb", {"a": 1}]
print("ok")
