"""The official Python SDK as a client that conducts a whole interview as the prompt "interview" says.

Reads {"era": "old" | "new", "url", "token", "model": whether the client has one, "facts": by Discovery Schema and key}
from stdin. With a model the person answers in prose that only the model understands; without one, in JSON. Writes what
the prompt said, what the model was asked and what came of it.
"""

import asyncio
import json
import re
import sys
import warnings

import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client


class Interview:
    def __init__(self, job):
        self.job, self.words = job, {"wording": 0, "reading": 0}

    async def sample(self, _, params):
        text = "\n".join(message.content.text for message in params.messages)
        content = types.TextContent(type="text", text=json.dumps(self.reply(params.system_prompt, text)))
        return types.CreateMessageResult(role="assistant", content=content, model="fixed", stop_reason="endTurn")

    def reply(self, system, text):
        if "Word the next question" in system:
            self.words["wording"] += 1
            key = re.search(r"The next open field: /([^/\n]+)", text)[1]
            question = {"question": f"What about {key}?", "question_type": "text"}
            return {**question, "rationale": "It is open.", "expected_info": [key]}
        self.words["reading"] += 1
        ds = re.search(r"Discovery Schema (\S+) \(an example", text)[1]
        key = re.search(r"<answer>\nAbout (\S+) I say", text)[1]
        notes = {"confidence": 0.9, "ambiguities": [], "commit_notes": f"It is about {key}."}
        return {"scr": {key: self.job["facts"][ds][key]}, **notes}

    async def call(self, name, arguments):
        result = await self.client.call_tool(name, arguments)
        if result.is_error:
            raise RuntimeError(result.content[0].text)
        return result.structured_content

    async def run(self, client):
        self.client = client
        await client.list_tools()
        prompt = await client.get_prompt("interview", {"topic": "beer"})
        place = await self.call("start_interview", {"project_name": "mcp"})
        completed = []
        while (ds := (await self.call("get_next_ds", place))["ds_id"]) is not None:
            pursuit = {**place, "ds_id": ds}
            await self.call("start_ds_pursuit", pursuit)
            action = "continue"
            while action != "complete":
                question = await self.call("get_next_question", pursuit)
                key = question["expected_info"][0]
                answer = json.dumps({key: self.job["facts"][ds][key]})
                if self.job["model"]:
                    answer = f"About {key} I say what stands in our ledger."
                given = {**pursuit, "question_id": question["question_id"], "answer": answer}
                action = (await self.call("process_ds_answer", given))["next_action"]
            if (await self.call("finalize_ds", pursuit))["success"]:
                completed.append(ds)
        scr = (await self.call("get_aggregated_scr", place))["scr_by_ds"]
        text = prompt.messages[0].content.text
        return {"prompt": text, "completed": completed, "scr_by_ds": scr, **self.words}


async def main():
    job = json.load(sys.stdin)
    interview = Interview(job)
    headers = {"Authorization": f"Bearer {job['token']}"}
    timeout = httpx2.Timeout(20)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=True) as http:
        handlers = {"sampling_callback": interview.sample} if job["model"] else {}
        transport = streamable_http_client(job["url"], http_client=http)
        mode = "auto" if job["era"] == "new" else "legacy"
        async with Client(transport, mode=mode, **handlers) as client:
            json.dump(await interview.run(client), sys.stdout)


# What 2026-07-28 deprecates is what this is for.
warnings.simplefilter("ignore")
asyncio.run(main())
