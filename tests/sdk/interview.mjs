// One of the official TypeScript SDKs as a client that conducts a whole interview as the prompt "interview" says.
//
// Reads {"sdk": package, "era": "old" | "new", "url", "token", "model": whether the client has one, "facts": by Discovery
// Schema and key} from stdin. With a model the person answers in prose that only the model understands; without one, in
// JSON. Writes what the prompt said, what the model was asked and what came of it. The SDKs are found in the folder given
// as the first argument.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.argv[2] + "/");
const job = JSON.parse(readFileSync(0, "utf8"));
const first = job.sdk === "@modelcontextprotocol/sdk";
const sdk = first
  ? ["client/index.js", "client/streamableHttp.js", "types.js"].reduce(
      (all, file) => ({ ...all, ...require(`${job.sdk}/${file}`) }),
      {},
    )
  : require(job.sdk);

const words = { wording: 0, reading: 0 };

function reply({ systemPrompt, messages }) {
  const text = messages.map(({ content }) => content.text).join("\n");
  if (systemPrompt.includes("Word the next question")) {
    words.wording += 1;
    const key = /The next open field: \/([^/\n]+)/.exec(text)?.[1];
    return { question: `What about ${key}?`, question_type: "text", rationale: "It is open.", expected_info: [key] };
  }
  words.reading += 1;
  const ds = /Discovery Schema (\S+) \(an example/.exec(text)[1];
  const key = /<answer>\nAbout (\S+) I say/.exec(text)[1];
  return { scr: { [key]: job.facts[ds][key] }, confidence: 0.9, ambiguities: [], commit_notes: `It is about ${key}.` };
}

const capabilities = job.model ? { sampling: {} } : {};
const versionNegotiation = { mode: job.era === "new" ? { pin: "2026-07-28" } : "legacy" };
const client = new sdk.Client({ name: "interviewer", version: "1" }, { capabilities, versionNegotiation });
if (job.model)
  client.setRequestHandler(first ? sdk.CreateMessageRequestSchema : "sampling/createMessage", ({ params }) => {
    const content = { type: "text", text: JSON.stringify(reply(params)) };
    return { role: "assistant", content, model: "fixed", stopReason: "endTurn" };
  });
const headers = { Authorization: `Bearer ${job.token}` };
await client.connect(new sdk.StreamableHTTPClientTransport(new URL(job.url), { requestInit: { headers } }));
await client.listTools();

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
}

const prompt = await client.getPrompt({ name: "interview", arguments: { topic: "beer" } });
const place = await call("start_interview", { project_name: job.sdk });
const completed = [];
for (;;) {
  const { ds_id } = await call("get_next_ds", place);
  if (ds_id === null) break;
  const pursuit = { ...place, ds_id };
  await call("start_ds_pursuit", pursuit);
  for (let action = "continue"; action !== "complete"; ) {
    const { question_id, expected_info } = await call("get_next_question", pursuit);
    const key = expected_info[0];
    const json = JSON.stringify({ [key]: job.facts[ds_id][key] });
    const answer = job.model ? `About ${key} I say what stands in our ledger.` : json;
    action = (await call("process_ds_answer", { ...pursuit, question_id, answer })).next_action;
  }
  const { success } = await call("finalize_ds", pursuit);
  if (success) completed.push(ds_id);
}
const { scr_by_ds } = await call("get_aggregated_scr", place);
await client.close();
process.stdout.write(JSON.stringify({ prompt: prompt.messages[0].content.text, completed, scr_by_ds, ...words }));
