"""Validation against a JSON Schema in the form that Schemascope compiles it to: a list of nodes.

A node is `false`, or an object of keywords as in JSON Schema 2020-12 in which subschemas are indices of nodes. `ref` is
the index of a node that applies as well. Nothing applies to its own value again, so validation ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .values import Path, dumps, identity, loads

_Seen = dict[tuple[Any, ...], bool]


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_type(value: Any, name: str) -> bool:
    """Whether a value is of a type of JSON Schema."""
    if name == "null":
        return value is None
    if name == "boolean":
        return isinstance(value, bool)
    if name == "integer":
        return _is_number(value) and (isinstance(value, int) or value.is_integer())
    if name == "number":
        return _is_number(value)
    if name == "string":
        return isinstance(value, str)
    return isinstance(value, list if name == "array" else dict)


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _either(values: list[Any]) -> str:
    """Values of an enumeration, as far as they are few and short."""
    texts = [dumps(value) for value in values[:8]]
    shown = [text if len(text) <= 60 else text[:60] + "…" for text in texts]
    if len(values) > len(shown):
        return ", ".join([*shown, "…"])
    return " or ".join([", ".join(shown[:-1]), *shown[-1:]] if len(shown) > 1 else shown)


class Schema:
    """A compiled schema, read when it is first used."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._nodes: list[Any] | None = None
        self._enums: dict[int, frozenset[Any]] = {}

    def bind(self, *models: Any) -> None:
        """Makes this the schema of models."""
        for model in models:
            model.__schema__ = self

    @property
    def nodes(self) -> list[Any]:
        """The nodes; the first is the root."""
        if self._nodes is None:
            nodes: list[Any] = loads(self._text)
            self._nodes = nodes
        return self._nodes

    def passes(self, value: Any, at: int = 0) -> bool:
        """Whether a value fits a node."""
        return self._passes(at, value, {})

    def misfits(self, value: Any, at: int = 0, path: Path = ()) -> dict[Path, str]:
        """Paths that do not fit, each with a rule it breaks; none if the value fits."""
        seen: _Seen = {}
        found: dict[Path, str] = {}
        if not self._passes(at, value, seen):
            for where, rule in self._broken(at, value, path, seen):
                found.setdefault(where, rule)
        return found

    def _passes(self, at: int, value: Any, seen: _Seen) -> bool:
        key = (at, id(value)) if isinstance(value, (dict, list)) else (at, type(value), value)
        known = seen.get(key)
        if known is None:
            node = self.nodes[at]
            known = node is not False and not any(True for _ in self._rules(at, node, value, seen))
            seen[key] = known
        return known

    def _rules(self, at: int, node: dict[str, Any], value: Any, seen: _Seen) -> Iterator[str]:
        """Keywords of a node that a value breaks."""
        if "type" in node and not any(is_type(value, name) for name in node["type"]):
            yield "type"
        if "const" in node and identity(value) != identity(node["const"]):
            yield "const"
        if "enum" in node and identity(value) not in self._enum(at, node):
            yield "enum"
        if "ref" in node and not self._passes(node["ref"], value, seen):
            yield "ref"
        if "allOf" in node and not all(self._passes(child, value, seen) for child in node["allOf"]):
            yield "allOf"
        if "anyOf" in node and not any(self._passes(child, value, seen) for child in node["anyOf"]):
            yield "anyOf"
        if "oneOf" in node and sum(self._passes(child, value, seen) for child in node["oneOf"]) != 1:
            yield "oneOf"
        if "not" in node and self._passes(node["not"], value, seen):
            yield "not"
        if "if" in node:
            branch = "then" if self._passes(node["if"], value, seen) else "else"
            if branch in node and not self._passes(node[branch], value, seen):
                yield branch
        if isinstance(value, str):
            yield from _text_rules(node, value)
        elif isinstance(value, dict):
            yield from self._object_rules(node, value, seen)
        elif isinstance(value, list):
            yield from self._array_rules(node, value, seen)
        elif _is_number(value):
            yield from _number_rules(node, value)

    def _object_rules(self, node: dict[str, Any], value: dict[str, Any], seen: _Seen) -> Iterator[str]:
        if "required" in node and not all(key in value for key in node["required"]):
            yield "required"
        if "minProperties" in node and len(value) < node["minProperties"]:
            yield "minProperties"
        if "maxProperties" in node and len(value) > node["maxProperties"]:
            yield "maxProperties"
        for key, others in node.get("dependentRequired", {}).items():
            if key in value and not all(other in value for other in others):
                yield "dependentRequired"
        for key, child in node.get("dependentSchemas", {}).items():
            if key in value and not self._passes(child, value, seen):
                yield "dependentSchemas"
        for keyword, _, inner, child in self._fields(node, value):
            if not self._passes(child, inner, seen):
                yield keyword
        if "propertyNames" in node and not all(self._passes(node["propertyNames"], key, {}) for key in value):
            yield "propertyNames"
        if "unevaluatedProperties" in node:
            known = self._known_keys(node, value, seen)
            if not all(
                self._passes(node["unevaluatedProperties"], value[key], seen) for key in value if key not in known
            ):
                yield "unevaluatedProperties"

    def _array_rules(self, node: dict[str, Any], value: list[Any], seen: _Seen) -> Iterator[str]:
        if "minItems" in node and len(value) < node["minItems"]:
            yield "minItems"
        if "maxItems" in node and len(value) > node["maxItems"]:
            yield "maxItems"
        if node.get("uniqueItems") and len({identity(item) for item in value}) < len(value):
            yield "uniqueItems"
        for keyword, _, item, child in self._items(node, value):
            if not self._passes(child, item, seen):
                yield keyword
        if "contains" in node:
            count = sum(self._passes(node["contains"], item, seen) for item in value)
            if count < node.get("minContains", 1):
                yield "minContains" if "minContains" in node else "contains"
            if count > node.get("maxContains", count):
                yield "maxContains"
        if "unevaluatedItems" in node:
            known = self._known_items(node, value, seen)
            rest = (item for at, item in enumerate(value) if at not in known)
            if not all(self._passes(node["unevaluatedItems"], item, seen) for item in rest):
                yield "unevaluatedItems"

    def _fields(self, node: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[str, str, Any, int]]:
        """Keyword, key, value and node of what applies to the values of an object."""
        properties = node.get("properties", {})
        patterns = node.get("patternProperties", {})
        others = node.get("additionalProperties")
        for key, inner in value.items():
            known = False
            if key in properties:
                known = True
                yield ("properties", key, inner, properties[key])
            for pattern, child in patterns.items():
                if _pattern(pattern).search(key):
                    known = True
                    yield ("patternProperties", key, inner, child)
            if not known and others is not None:
                yield ("additionalProperties", key, inner, others)

    def _items(self, node: dict[str, Any], value: list[Any]) -> Iterator[tuple[str, int, Any, int]]:
        first = node.get("prefixItems", [])
        for at, (item, child) in enumerate(zip(value, first)):
            yield ("prefixItems", at, item, child)
        if "items" in node:
            for at in range(len(first), len(value)):
                yield ("items", at, value[at], node["items"])

    def _in_place(self, node: dict[str, Any], value: Any, seen: _Seen) -> Iterator[dict[str, Any]]:
        """Nodes that apply to the same value and that it fits."""
        children: list[int] = [node["ref"]] if "ref" in node else []
        for keyword in ("allOf", "anyOf", "oneOf"):
            children += node.get(keyword, [])
        if "if" in node:
            chosen = self._passes(node["if"], value, seen)
            branch = "then" if chosen else "else"
            children += [node["if"]] if chosen else []
            children += [node[branch]] if branch in node else []
        if isinstance(value, dict):
            children += [child for key, child in node.get("dependentSchemas", {}).items() if key in value]
        for child in children:
            if self._passes(child, value, seen):
                yield self.nodes[child]

    def _known_keys(self, node: dict[str, Any], value: dict[str, Any], seen: _Seen) -> set[str]:
        known = {key for _, key, _, _ in self._fields(node, value)}
        for child in self._in_place(node, value, seen):
            known |= set(value) if "unevaluatedProperties" in child else self._known_keys(child, value, seen)
        return known

    def _known_items(self, node: dict[str, Any], value: list[Any], seen: _Seen) -> set[int]:
        known = {at for _, at, _, _ in self._items(node, value)}
        if "contains" in node:
            known |= {at for at, item in enumerate(value) if self._passes(node["contains"], item, seen)}
        for child in self._in_place(node, value, seen):
            known |= set(range(len(value))) if "unevaluatedItems" in child else self._known_items(child, value, seen)
        return known

    def _enum(self, at: int, node: dict[str, Any]) -> frozenset[Any]:
        if at not in self._enums:
            self._enums[at] = frozenset(identity(value) for value in node["enum"])
        return self._enums[at]

    def _broken(self, at: int, value: Any, path: Path, seen: _Seen) -> Iterator[tuple[Path, str]]:
        """Broken rules with the innermost paths they are about."""
        node = self.nodes[at]
        if node is False:
            yield (path, "no value is allowed")
            return
        for rule in dict.fromkeys(self._rules(at, node, value, seen)):
            if rule == "required":
                for key in node["required"]:
                    if key not in value:
                        yield ((*path, key), "required")
            elif rule in ("properties", "patternProperties", "additionalProperties"):
                for keyword, key, inner, child in self._fields(node, value):
                    if keyword == rule and not self._passes(child, inner, seen):
                        yield from self._broken(child, inner, (*path, key), seen)
            elif rule in ("prefixItems", "items"):
                for keyword, number, item, child in self._items(node, value):
                    if keyword == rule and not self._passes(child, item, seen):
                        yield from self._broken(child, item, (*path, number), seen)
            elif rule in ("ref", "then", "else"):
                yield from self._broken(node[rule], value, path, seen)
            elif rule == "allOf":
                for child in node[rule]:
                    if not self._passes(child, value, seen):
                        yield from self._broken(child, value, path, seen)
            elif rule in ("anyOf", "oneOf"):
                likely = [child for child in node[rule] if self._is_likely(child, value)]
                if len(likely) == 1 and not self._passes(likely[0], value, seen):
                    yield from self._broken(likely[0], value, path, seen)
                else:
                    yield (path, rule)
            elif rule == "type":
                yield (path, f"type: expected {' or '.join(node['type'])}")
            elif rule in ("enum", "const"):
                yield (path, f"{rule}: expected {_either(node['enum'] if rule == 'enum' else [node['const']])}")
            elif rule in ("not", "contains", "unevaluatedProperties", "unevaluatedItems"):
                yield (path, rule)
            else:
                limit = node.get(rule)
                yield (path, f"{rule} {dumps(limit)}" if isinstance(limit, (int, float)) else rule)

    def _is_likely(self, at: int, value: Any) -> bool:
        """Whether an alternative is for values of this type."""
        node = self.nodes[at]
        if node is False:
            return False
        if "type" in node and not any(is_type(value, name) for name in node["type"]):
            return False
        return "ref" not in node or self._is_likely(node["ref"], value)


def _text_rules(node: dict[str, Any], value: str) -> Iterator[str]:
    if "minLength" in node and len(value) < node["minLength"]:
        yield "minLength"
    if "maxLength" in node and len(value) > node["maxLength"]:
        yield "maxLength"
    if "pattern" in node and not _pattern(node["pattern"]).search(value):
        yield "pattern"


def _number_rules(node: dict[str, Any], value: float) -> Iterator[str]:
    if "minimum" in node and value < node["minimum"]:
        yield "minimum"
    if "maximum" in node and value > node["maximum"]:
        yield "maximum"
    if "exclusiveMinimum" in node and value <= node["exclusiveMinimum"]:
        yield "exclusiveMinimum"
    if "exclusiveMaximum" in node and value >= node["exclusiveMaximum"]:
        yield "exclusiveMaximum"
    if "multipleOf" in node and (_exact(value) / _exact(node["multipleOf"])).denominator != 1:
        yield "multipleOf"
