"""Calls of tools through Schemascope: one HTTP request each, in the stateless era of MCP (2026-07-28).

Address and token are those of `SCHEMASCOPE_URL` and `SCHEMASCOPE_TOKEN`, else of the running instance.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import ssl
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import (
    ConnectionFailed,
    InputRequired,
    ProtocolError,
    SchemascopeError,
    ToolError,
)
from .values import dumps, loads, view

PROTOCOL_VERSION = "2026-07-28"
#: Seconds that a call may take.
TIMEOUT = 120.0
#: Most bytes of an answer.
MAX_ANSWER = 256 << 20
#: Asks Schemascope for the value that it learns from, whatever it sends to other clients.
OBSERVATION = "schemascope/observation"
#: Why an enforced schema turned a result into an error.
VIOLATION = "schemascope/violation"

_META = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL_VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "schemascope-wrappers-python", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
    OBSERVATION: True,
}


async def call_mcp_tool(
    tool_id: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
) -> Any:
    """Calls a tool and returns the JSON value of its result, or its text. A cancelled call is cancelled upstream."""
    url, token = _target()
    params = {"name": tool_id, "arguments": dict(arguments or {}), "_meta": _META}
    body = dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    limit = TIMEOUT if timeout is None else timeout
    try:
        status, answer = await asyncio.wait_for(_post(url, token, tool_id, body), limit)
    except TimeoutError:
        raise ConnectionFailed(f"{tool_id} did not answer within {limit:g} s") from None
    except (OSError, EOFError) as error:
        raise ConnectionFailed(
            f"cannot reach Schemascope at {url}: {error}. Is `schemascope serve` running?"
        ) from None
    return read_result(tool_id, _result(status, answer))


def read_result(tool_id: str, result: Any) -> Any:
    """The value of a `tools/call` result: its structured content, else JSON in its text, else its text.

    Several blocks of JSON are a list; several blocks of text are joined by line breaks.
    """
    if not isinstance(result, Mapping):
        raise ProtocolError(f"{tool_id}: the result is no object")
    blocks = result.get("content")
    blocks = blocks if isinstance(blocks, list) else []
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    if result.get("isError") is True:
        raise ToolError(tool_id, _violation(result) or "\n".join(texts) or "no reason given", result)
    if result.get("resultType", "complete") != "complete":
        raise InputRequired(f"{tool_id} asks for input ({result.get('resultType')}), which a script cannot give")
    meta = result.get("_meta")
    if isinstance(meta, Mapping) and OBSERVATION in meta:
        return view(meta[OBSERVATION])
    if result.get("structuredContent") is not None:
        return view(result["structuredContent"])
    for parts in [texts, texts[:1], ["".join(texts)]]:
        try:
            values = [loads(part) for part in parts]
        except (ValueError, RecursionError, SchemascopeError):
            continue
        if values:
            return view(values if len(values) > 1 else values[0])
    return "\n".join(texts) if texts or not blocks else view(result)


def _violation(result: Mapping[str, Any]) -> str | None:
    """Why an enforced schema turned a result into an error, which `result` keeps."""
    meta = result.get("_meta")
    violation = meta.get(VIOLATION) if isinstance(meta, Mapping) else None
    reason = violation.get("reason") if isinstance(violation, Mapping) else None
    return reason if isinstance(reason, str) else None


def _target() -> tuple[str, str | None]:
    """Address of the endpoint and the agent token."""
    url, token = os.environ.get("SCHEMASCOPE_URL"), os.environ.get("SCHEMASCOPE_TOKEN")
    if not url:
        try:
            instance = json.loads((_data_dir() / "instance.json").read_bytes())
            url, token = str(instance["mcp_url"]), token or instance.get("token")
        except (OSError, ValueError, KeyError, TypeError):
            raise ConnectionFailed(
                "Schemascope is not running. Start the script with `schemascope run -- CMD`, or set SCHEMASCOPE_URL and SCHEMASCOPE_TOKEN."
            ) from None
    url = url.rstrip("/")
    return (url if urlsplit(url).path else url + "/mcp"), token


def _data_dir() -> Path:
    """The data directory that Schemascope uses by default."""
    named = os.environ.get("SCHEMASCOPE_DATA_DIR")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / "schemascope" / "data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "schemascope"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "schemascope"


def _header(text: str) -> str:
    """A value as HTTP headers hold it."""
    plain = all(" " <= letter <= "~" for letter in text) and text.strip() == text and not text.startswith("=?base64?")
    return text if plain else f"=?base64?{base64.b64encode(text.encode()).decode()}?="


async def _post(url: str, token: str | None, tool_id: str, body: bytes) -> tuple[int, bytes]:
    """Status and body of the answer to one request. Leaving it early closes the connection."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConnectionFailed("SCHEMASCOPE_URL must look like http://127.0.0.1:7347")
    secure = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if secure else 80)
    reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=secure, limit=1 << 20)
    try:
        headers = {
            "Host": parts.netloc.rpartition("@")[2],
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(len(body)),
            "Connection": "close",
            "MCP-Protocol-Version": PROTOCOL_VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": _header(tool_id),
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        head = f"POST {parts.path or '/'} HTTP/1.1\r\n" + "".join(
            f"{key}: {value}\r\n" for key, value in headers.items()
        )
        if "\n" in head.replace("\r\n", "") or not head.isascii():
            raise ConnectionFailed("address or token hold characters that no header can have")
        writer.write(f"{head}\r\n".encode() + body)
        await writer.drain()
        return await _answer(reader)
    finally:
        writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Reads status, headers and body. Of an event stream, the first answer in it."""
    words = (await reader.readline()).split()
    if len(words) < 2 or not words[1].isdigit():
        raise ProtocolError("the answer is not HTTP")
    headers: dict[str, str] = {}
    while line := (await reader.readline()).strip():
        key, _, value = line.decode("latin-1").partition(":")
        headers[key.strip().lower()] = value.strip()
    is_stream = headers.get("content-type", "").startswith("text/event-stream")
    body, start = bytearray(), 0
    is_chunked = headers.get("transfer-encoding", "").lower() == "chunked"
    length = int(headers["content-length"]) if headers.get("content-length", "").isdigit() else None
    while length is None or len(body) < length:
        if is_chunked:
            if not (line := await reader.readline()):
                raise EOFError("the connection ended early")
            size = int(line.split(b";")[0].strip() or b"0", 16)
            part = await reader.readexactly(size) if size else b""
            await reader.readline()
        else:
            part = await reader.read(65536 if length is None else min(65536, length - len(body)))
        if not part:
            break
        body += part
        if len(body) > MAX_ANSWER:
            raise ProtocolError(f"the answer is larger than {MAX_ANSWER >> 20} MB")
        if is_stream:
            event, start = _event(body, start, len(body) - len(part))
            if event is not None:
                return int(words[1]), event
    if is_stream or length is not None and len(body) < length:
        raise EOFError("the connection ended early")
    return int(words[1]), bytes(body)


def _event(body: bytearray, start: int, seen: int) -> tuple[bytes | None, int]:
    """The first event from `start` on that answers the request, and where the next event begins. No event ended
    within the first `seen` bytes."""
    look = max(start, seen - 3)
    while True:
        ends = [(at, len(sign)) for sign in (b"\n\n", b"\r\n\r\n") if (at := body.find(sign, look)) >= 0]
        if not ends:
            return None, start
        end, width = min(ends)
        lines = bytes(body[start:end]).replace(b"\r\n", b"\n").split(b"\n")
        data = b"\n".join(line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))
        start = look = end + width
        if b'"result"' in data or b'"error"' in data:
            message = loads(data)
            if isinstance(message, dict) and ("result" in message or "error" in message) and "method" not in message:
                return data, start


def _result(status: int, answer: bytes) -> Any:
    try:
        message = loads(answer)
    except (ValueError, RecursionError, SchemascopeError):
        message = None
    if isinstance(message, dict) and isinstance(message.get("error"), dict):
        error = message["error"]
        code = error.get("code")
        raise ProtocolError(
            f"{error.get('message', 'no reason given')} ({code})", code if isinstance(code, int) else None
        )
    if status == 401:
        raise ProtocolError("Schemascope rejects the token. Set SCHEMASCOPE_TOKEN to the agent token.", 401)
    if status != 200 or not isinstance(message, dict) or "result" not in message:
        raise ProtocolError(f"the answer is no result (HTTP {status})", status)
    return message["result"]
