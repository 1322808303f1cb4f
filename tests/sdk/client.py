"""The official Python SDK as a client, with its validation on.

Reads {"url", "token", "calls": [{"name", "arguments"}]}, or "command" and "args" of a server to start instead of
"url" and "token", from stdin and writes what it saw as JSON. "mode" says how it connects: "legacy" with a handshake;
by default without one where the server speaks 2026-07-28.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError


@asynccontextmanager
async def transport(job):
    if "command" in job:
        async with stdio_client(StdioServerParameters(command=job["command"], args=job["args"])) as streams:
            yield streams
        return
    headers = {"Authorization": f"Bearer {job['token']}"}
    timeout = httpx2.Timeout(30)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=True) as http:
        async with streamable_http_client(job["url"], http_client=http) as streams:
            yield streams


async def main() -> None:
    job = json.load(sys.stdin)
    seen = {"calls": []}
    async with Client(transport(job), mode=job.get("mode", "auto")) as client:
        seen["server"] = client.server_info.name
        seen["version"] = client.protocol_version
        listed = await client.list_tools()
        seen["tools"] = [tool.name for tool in listed.tools]
        seen["schemas"] = {tool.name: tool.output_schema for tool in listed.tools}
        for call in job["calls"]:
            progress = []

            async def on_progress(done, total, message):
                progress.append([done, total, message])

            try:
                result = await client.call_tool(call["name"], call["arguments"], progress_callback=on_progress)
                answer = {"result": json.loads(result.model_dump_json(by_alias=True, exclude_none=True))}
            except MCPError as error:
                answer = {"error": {"code": error.error.code, "message": error.error.message}}
            except RuntimeError as error:
                answer = {"refused": str(error)}
            seen["calls"].append({**answer, "progress": progress})
    json.dump(seen, sys.stdout)


asyncio.run(main())
