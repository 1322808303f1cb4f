// The official TypeScript SDK as a client, with its validation on.
//
// Reads {"url", "token", "calls": [{"name", "arguments"}]}, or "command" and "args" of a server to start instead of
// "url" and "token", from stdin and writes what it saw as JSON. The SDK is found in the folder given as the first
// argument.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const require = createRequire(process.argv[2] + "/");
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const job = JSON.parse(readFileSync(0, "utf8"));
const client = new Client({ name: "ts-sdk", version: "1" });
const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(job.url), {
    requestInit: { headers: { Authorization: `Bearer ${job.token}` } },
  });
await client.connect(job.command ? new StdioClientTransport(job) : overHttp());
const seen = { server: client.getServerVersion().name, calls: [] };
const { tools } = await client.listTools();
seen.tools = tools.map((tool) => tool.name);
seen.schemas = Object.fromEntries(tools.map((tool) => [tool.name, tool.outputSchema ?? null]));
for (const call of job.calls) {
  const progress = [];
  const onprogress = ({ progress: done, total, message }) => progress.push([done, total, message]);
  let answer;
  try {
    answer = { result: await client.callTool(call, undefined, { onprogress }) };
  } catch (error) {
    answer = [-32600, -32602].includes(error.code) && /output schema|structured/i.test(error.message)
      ? { refused: error.message }
      : { error: { code: error.code, message: error.message } };
  }
  seen.calls.push({ ...answer, progress });
}
await client.close();
process.stdout.write(JSON.stringify(seen));
