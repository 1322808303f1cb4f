"""What the models do with values, by the schemas in `hostile.rs`. Prints `ok`."""

import sys
import warnings

sys.path.insert(0, ".")
from schemascope_runtime import InvalidValue, MissingField, SchemaWarning  # noqa: E402
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
print("ok")
