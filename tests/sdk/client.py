"""The official Python SDK as a client, with its validation on.

Reads {"url", "token", "calls": [{"name", "arguments"}]} from stdin and writes what it saw as JSON. "mode" says how
it connects: "legacy" with a handshake; by default without one where the server speaks 2026-07-28.
"""

import asyncio
import json
import sys

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError


async def main() -> None:
    job = json.load(sys.stdin)
    headers = {"Authorization": f"Bearer {job['token']}"}
    timeout = httpx2.Timeout(30)
    seen = {"calls": []}
    async with httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=True) as http:
        transport = streamable_http_client(job["url"], http_client=http)
        async with Client(transport, mode=job.get("mode", "auto")) as client:
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
