"""What the wrappers that Schemascope writes are made of. Needs Pydantic and nothing else."""

from .call import call_mcp_tool, read_result
from .errors import (
    ConnectionFailed,
    InputRequired,
    InvalidValue,
    MissingField,
    ProtocolError,
    SchemascopeError,
    SchemaWarning,
    ToolError,
)
from .model import Model, Params, Result, RootResult
from .schema import Schema
from .values import JsonObject

__all__ = [
    "ConnectionFailed",
    "InputRequired",
    "InvalidValue",
    "JsonObject",
    "MissingField",
    "Model",
    "Params",
    "ProtocolError",
    "Result",
    "RootResult",
    "Schema",
    "SchemaWarning",
    "SchemascopeError",
    "ToolError",
    "call_mcp_tool",
    "read_result",
]
