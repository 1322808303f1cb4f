"""What can go wrong."""

from __future__ import annotations

from typing import Any


class SchemascopeError(Exception):
    """Every error of the wrappers."""


class InvalidValue(SchemascopeError, ValueError):
    """A value does not fit its schema."""

    def __init__(self, name: str, path: str, rule: str) -> None:
        super().__init__(f"{name}: {path} breaks the schema: {rule}")
        self.path = path
        self.rule = rule


class MissingField(SchemascopeError, AttributeError, LookupError):
    """A field is absent, or what it holds does not fit the schema."""


class ToolError(SchemascopeError):
    """The tool reports that the call failed."""

    def __init__(self, tool_id: str, text: str, result: Any) -> None:
        super().__init__(f"{tool_id} failed: {text}")
        self.result = result


class ProtocolError(SchemascopeError):
    """The server rejects the request, or its answer is not what the protocol says."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class InputRequired(SchemascopeError):
    """The server asks its client something, which a script cannot answer."""


class ConnectionFailed(SchemascopeError, ConnectionError):
    """Schemascope cannot be reached, or took too long."""


class SchemaWarning(UserWarning):
    """A result does not fit an inferred schema."""
