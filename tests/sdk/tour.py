"""The official Python SDK as a client that does everything a client can, with its validation on.

Reads {"era": "old" | "new", "groups": [[{"url", "token", "prefix"}]], "calls": [{"name", "arguments"}], "prompts":
[{"name", "arguments"}], "resources": [URI]} from stdin: groups of endpoints, toured one after the other in a group,
all groups at once. Writes what it saw at each as JSON.
"""

import asyncio
import json
import sys
import warnings

import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

WATCHED = "test://watched-resource"
PATIENCE = 20


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def question(params):
    """What is asked, without what the connection adds to it."""
    return {key: value for key, value in plain(params).items() if key != "_meta"}


async def outcome(awaitable):
    """What became of a request: an answer, an error of the server, or an answer the SDK refuses."""
    try:
        return {"result": plain(await awaitable)}
    except MCPError as error:
        return {"error": plain(error.error)}
    except RuntimeError as error:
        return {"refused": str(error)}


async def attempt(awaitable):
    """What a part of the tour saw, or what broke it off."""
    try:
        return await awaitable
    except (MCPError, TimeoutError) as error:
        return {"broken off": repr(error)}


async def until(condition, what):
    for _ in range(PATIENCE * 100):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError(what)


class Tour:
    def __init__(self, job, target):
        self.job, self.target, self.new = job, target, job["era"] == "new"
        self.logs, self.told, self.asked = [], [], []

    async def sample(self, _, params):
        self.asked.append(question(params))
        content = types.TextContent(type="text", text="Paris")
        return types.CreateMessageResult(role="assistant", content=content, model="fixed", stop_reason="endTurn")

    async def elicit(self, _, params):
        self.asked.append(question(params))
        fields = {"string": "Ada", "boolean": True, "integer": 7, "number": 1.5, "array": []}
        wanted = params.requested_schema["properties"].items()
        # What has a choice or a default is left to the server.
        content = {name: fields[field["type"]] for name, field in wanted if set(field) <= {"type", "description"}}
        return types.ElicitResult(action="accept", content=content)

    async def roots(self, _):
        return types.ListRootsResult(roots=[types.Root(uri="file:///home/ada", name="home")])

    async def log(self, params):
        self.logs.append([params.level, params.logger, params.data])

    async def message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.told.append(f"{message.method} {message.params.uri}")
        elif isinstance(message, types.ToolListChangedNotification | types.PromptListChangedNotification):
            self.told.append(message.method)

    def name(self, name):
        return self.target["prefix"] + name

    def client(self, http, level=None, **handlers):
        transport = streamable_http_client(self.target["url"], http_client=http)
        mode = "2026-07-28" if level else "auto" if self.new else "legacy"
        return Client(transport, mode=mode, log_level=level, message_handler=self.message, **handlers)

    async def run(self):
        headers = {"Authorization": f"Bearer {self.target['token']}"}
        timeout = httpx2.Timeout(PATIENCE)
        async with httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=True) as http:
            handlers = {"sampling_callback": self.sample, "elicitation_callback": self.elicit}
            handlers |= {"list_roots_callback": self.roots, "logging_callback": self.log}
            async with self.client(http, **handlers) as client:
                seen = await self.everything(client)
                if not self.new:
                    seen["logging"] = await attempt(self.logging(client))
            if self.new:
                async with self.client(http, level="info", **handlers) as client:
                    seen["logging"] = await attempt(self.logging(client))
            async with self.client(http) as client:
                names = ("test_missing_capability", "test_sampling")
                calls = [await outcome(client.call_tool(self.name(name), {"prompt": "?"})) for name in names]
                seen["without capabilities"] = calls
        return seen

    async def everything(self, client):
        info = client.server_info
        seen = {"hello": {"version": client.protocol_version, "server": info.name}}
        seen["hello"]["capabilities"] = plain(client.server_capabilities)
        seen["tools"] = plain(await client.list_tools())["tools"]
        seen["prompts"] = plain(await client.list_prompts())["prompts"]
        seen["resources"] = plain(await client.list_resources())["resources"]
        seen["templates"] = plain(await client.list_resource_templates())["resourceTemplates"]
        for uri in self.job["resources"]:
            seen[f"read {uri}"] = await outcome(client.read_resource(uri))
        for prompt in self.job["prompts"]:
            name = prompt["name"]
            seen[f"prompt {name}"] = await outcome(client.get_prompt(self.name(name), prompt["arguments"]))
        by_prompt = types.PromptReference(type="ref/prompt", name=self.name("test_prompt_with_arguments"))
        by_uri = types.ResourceTemplateReference(type="ref/resource", uri="test://template/{id}/data")
        seen["completed"] = [
            await outcome(client.complete(by_prompt, {"name": "arg1", "value": "par"})),
            await outcome(client.complete(by_uri, {"name": "id", "value": "te"})),
        ]
        seen["calls"] = [await self.call(client, call) for call in self.job["calls"]]
        seen["cancelled"] = await attempt(self.cancel(client))
        seen["changes"] = await attempt(self.changes(client))
        return seen

    async def call(self, client, call):
        progress, self.asked = [], []

        async def on_progress(done, total, message):
            progress.append([done, total, message])

        called = client.call_tool(self.name(call["name"]), call["arguments"], progress_callback=on_progress)
        return {"call": call, **await outcome(called), "progress": progress, "asked": self.asked}

    async def cancel(self, client):
        """Given up while it runs; what comes after is not held up by it."""
        begun = asyncio.Event()

        async def on_progress(*_):
            begun.set()

        call = client.call_tool(self.name("test_cancellation"), {}, progress_callback=on_progress)
        call = asyncio.create_task(call)
        await asyncio.wait_for(begun.wait(), PATIENCE)
        call.cancel()
        await asyncio.wait([call])
        return [call.cancelled(), plain(await client.call_tool(self.name("test_simple_text"), {}))]

    async def changes(self, client):
        if not self.new:
            await client.subscribe_resource(WATCHED)
            seen = await self.make_changes(client)
            await client.unsubscribe_resource(WATCHED)
            return seen
        wanted = {"tools_list_changed": True, "prompts_list_changed": True, "resource_subscriptions": [WATCHED]}
        async with client.listen(**wanted) as subscription:
            return {"honored": plain(subscription.honored), **await self.make_changes(client)}

    async def make_changes(self, client):
        """Makes each change, waits to be told, and looks; then takes back what it changed."""

        async def change(what, told, there):
            self.told.clear()
            await client.call_tool(self.name(f"test_trigger_{what}_change"), {})
            while True:
                await until(lambda: told in self.told, told)
                # Who is told may be told again, and the last time counts.
                self.told.clear()
                listed = (await client.list_tools()).tools + (await client.list_prompts()).prompts
                if there == (self.name("test_sometimes") in [item.name for item in listed]):
                    return told

        updated = f"notifications/resources/updated {WATCHED}"
        lists = [(what, f"notifications/{what}s/list_changed") for what in ("tool", "prompt")]
        seen = [await change("resource", updated, there=False)]
        for what, told in lists:
            seen += [await change(what, told, there=True), await change(what, told, there=False)]
        return {"told": seen}

    async def logging(self, client):
        """Three messages at their own level; none of them when less is asked for."""
        if not self.new:
            await client.set_logging_level("info")
        self.logs.clear()
        await client.call_tool(self.name("test_tool_with_logging"), {})
        await until(lambda: len(self.logs) >= 3, "log messages")
        if self.new:
            meta = {"io.modelcontextprotocol/logLevel": "error"}
        else:
            await client.set_logging_level("error")
            meta = None
        await client.call_tool(self.name("test_tool_with_logging"), {}, meta=meta)
        return self.logs


async def main():
    job = json.load(sys.stdin)

    async def tour(group):
        return [await Tour(job, target).run() for target in group]

    json.dump(await asyncio.gather(*map(tour, job["groups"])), sys.stdout)


# What 2026-07-28 deprecates is what this is for.
warnings.simplefilter("ignore")
asyncio.run(main())
