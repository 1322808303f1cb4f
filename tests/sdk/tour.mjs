// One of the official TypeScript SDKs as a client that does everything a client can, with its validation on.
//
// Reads {"sdk": package, "era": "old" | "new", "groups": [[{"url", "token", "prefix"}]], "calls": [{"name",
// "arguments"}], "prompts": [{"name", "arguments"}], "resources": [URI]} from stdin: groups of endpoints, toured one
// after the other in a group, all groups at once. Writes what it saw at each as JSON. The SDKs are found in the folder
// given as the first argument.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.argv[2] + "/");
const job = JSON.parse(readFileSync(0, "utf8"));
const isNew = job.era === "new";
const first = job.sdk === "@modelcontextprotocol/sdk";
const sdk = first
  ? ["client/index.js", "client/streamableHttp.js", "types.js"].reduce(
      (all, file) => ({ ...all, ...require(`${job.sdk}/${file}`) }),
      {},
    )
  : require(job.sdk);

const WATCHED = "test://watched-resource";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const PATIENCE = 20_000;

// The first SDK knows what it handles by schema, the second by method.
const SCHEMAS = {
  "sampling/createMessage": "CreateMessageRequestSchema",
  "elicitation/create": "ElicitRequestSchema",
  "roots/list": "ListRootsRequestSchema",
  "notifications/message": "LoggingMessageNotificationSchema",
  "notifications/resources/updated": "ResourceUpdatedNotificationSchema",
  "notifications/tools/list_changed": "ToolListChangedNotificationSchema",
  "notifications/prompts/list_changed": "PromptListChangedNotificationSchema",
};
const known = (method) => (first ? sdk[SCHEMAS[method]] : method);

// What is asked, without what the connection adds to it.
const question = ({ _meta, ...asked }) => asked;

// What became of a request: an answer, an error of the server, or an answer the SDK refuses.
async function outcome(promise) {
  try {
    return { result: await promise };
  } catch (error) {
    const { code, message, data } = error;
    const refused = typeof code !== "number" || /output schema|structured content/i.test(message);
    return refused ? { refused: message } : { error: { code, message, data } };
  }
}

// What a part of the tour saw, or what broke it off.
const attempt = (promise) => promise.catch((error) => ({ "broken off": error.message }));

async function until(condition, what) {
  for (const began = Date.now(); !condition(); ) {
    if (Date.now() - began > PATIENCE) throw new Error(`waited for ${what}`);
    await new Promise((wake) => setTimeout(wake, 10));
  }
}

class Tour {
  constructor(target) {
    this.target = target;
    this.logs = [];
    this.told = [];
    this.asked = [];
  }

  name(name) {
    return this.target.prefix + name;
  }

  // A client that can be asked, or one that cannot.
  async connect(capable) {
    const capabilities = capable ? { sampling: {}, elicitation: {}, roots: {} } : {};
    const versionNegotiation = { mode: isNew ? { pin: "2026-07-28" } : "legacy" };
    const client = new sdk.Client({ name: "ts-sdk", version: "1" }, { capabilities, versionNegotiation });
    if (capable) this.answer(client);
    this.listen(client);
    const headers = { Authorization: `Bearer ${this.target.token}` };
    await client.connect(
      new sdk.StreamableHTTPClientTransport(new URL(this.target.url), { requestInit: { headers } }),
    );
    return client;
  }

  answer(client) {
    client.setRequestHandler(known("sampling/createMessage"), ({ params }) => {
      this.asked.push(question(params));
      const content = { type: "text", text: "Paris" };
      return { role: "assistant", content, model: "fixed", stopReason: "endTurn" };
    });
    client.setRequestHandler(known("elicitation/create"), ({ params }) => {
      this.asked.push(question(params));
      const fields = { string: "Ada", boolean: true, integer: 7, number: 1.5, array: [] };
      const content = {};
      for (const [name, field] of Object.entries(params.requestedSchema.properties)) {
        // What has a choice or a default is left to the server.
        if (Object.keys(field).every((key) => ["type", "description"].includes(key)))
          content[name] = fields[field.type];
      }
      return { action: "accept", content };
    });
    client.setRequestHandler(known("roots/list"), () => ({
      roots: [{ uri: "file:///home/ada", name: "home" }],
    }));
  }

  listen(client) {
    client.setNotificationHandler(known("notifications/message"), ({ params }) => {
      this.logs.push([params.level, params.logger, params.data]);
    });
    client.setNotificationHandler(known("notifications/resources/updated"), ({ method, params }) => {
      this.told.push(`${method} ${params.uri}`);
    });
    for (const list of ["tools", "prompts"])
      client.setNotificationHandler(known(`notifications/${list}/list_changed`), ({ method }) => {
        this.told.push(method);
      });
  }

  callTool(client, name, args, options) {
    const params = { name: this.name(name), arguments: args, ...options?.params };
    return first ? client.callTool(params, undefined, options) : client.callTool(params, options);
  }

  async run() {
    const client = await this.connect(true);
    const seen = await this.everything(client);
    await client.close();
    const bare = await this.connect(false);
    seen["without capabilities"] = [];
    for (const name of ["test_missing_capability", "test_sampling"])
      seen["without capabilities"].push(await outcome(this.callTool(bare, name, { prompt: "?" })));
    await bare.close();
    return seen;
  }

  async everything(client) {
    const seen = {
      hello: { server: client.getServerVersion().name, capabilities: client.getServerCapabilities() },
      tools: (await client.listTools()).tools,
      prompts: (await client.listPrompts()).prompts,
      resources: (await client.listResources()).resources,
      templates: (await client.listResourceTemplates()).resourceTemplates,
    };
    if (!first) seen.hello.version = client.getNegotiatedProtocolVersion();
    for (const uri of job.resources) seen[`read ${uri}`] = await outcome(client.readResource({ uri }));
    for (const { name, arguments: args } of job.prompts)
      seen[`prompt ${name}`] = await outcome(client.getPrompt({ name: this.name(name), arguments: args }));
    const byPrompt = { type: "ref/prompt", name: this.name("test_prompt_with_arguments") };
    const byUri = { type: "ref/resource", uri: "test://template/{id}/data" };
    seen.completed = [
      await outcome(client.complete({ ref: byPrompt, argument: { name: "arg1", value: "par" } })),
      await outcome(client.complete({ ref: byUri, argument: { name: "id", value: "te" } })),
    ];
    seen.calls = [];
    for (const call of job.calls) seen.calls.push(await this.call(client, call));
    seen.cancelled = await attempt(this.cancel(client));
    seen.changes = await attempt(this.changes(client));
    seen.logging = await attempt(this.logging(client));
    return seen;
  }

  async call(client, call) {
    const progress = [];
    this.asked = [];
    // Progress without a total is the SDK's own, of its rounds.
    const onprogress = ({ progress: done, total, message }) =>
      total !== undefined && progress.push([done, total, message]);
    const answer = await outcome(this.callTool(client, call.name, call.arguments, { onprogress }));
    return { call, ...answer, progress, asked: this.asked };
  }

  // Given up while it runs; what comes after is not held up by it.
  async cancel(client) {
    const given = new AbortController();
    const options = { signal: given.signal, onprogress: () => given.abort() };
    const gave = await this.callTool(client, "test_cancellation", {}, options).then(
      () => false,
      () => given.signal.aborted,
    );
    return [gave, await this.callTool(client, "test_simple_text", {})];
  }

  async changes(client) {
    if (!isNew) {
      await client.subscribeResource({ uri: WATCHED });
      const seen = await this.makeChanges(client);
      await client.unsubscribeResource({ uri: WATCHED });
      return seen;
    }
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: [WATCHED] };
    const subscription = await client.listen(wanted);
    const seen = { honored: subscription.honoredFilter, ...(await this.makeChanges(client)) };
    await subscription.close();
    return seen;
  }

  // Makes each change, waits for its notification, and looks; then undoes it.
  async makeChanges(client) {
    const change = async (what, told, there) => {
      this.told = [];
      await this.callTool(client, `test_trigger_${what}_change`, {});
      for (;;) {
        await until(() => this.told.includes(told), told);
        // A notification may be repeated, and the last one counts.
        this.told = [];
        const listed = [...(await client.listTools()).tools, ...(await client.listPrompts()).prompts];
        if (there === listed.some((item) => item.name === this.name("test_sometimes"))) return told;
      }
    };
    const seen = [await change("resource", `notifications/resources/updated ${WATCHED}`, false)];
    for (const what of ["tool", "prompt"])
      for (const there of [true, false])
        seen.push(await change(what, `notifications/${what}s/list_changed`, there));
    return { told: seen };
  }

  // Three messages at their own level; none of them when less is asked for.
  async logging(client) {
    this.logs = [];
    for (const level of ["info", "error"]) {
      if (!isNew) await client.setLoggingLevel(level);
      const params = isNew ? { _meta: { [LOG_LEVEL]: level } } : {};
      await this.callTool(client, "test_tool_with_logging", {}, { params });
      await until(() => this.logs.length >= 3, "log messages");
    }
    return this.logs;
  }
}

async function tour(group) {
  const seen = [];
  for (const target of group) seen.push(await new Tour(target).run());
  return seen;
}

process.stdout.write(JSON.stringify(await Promise.all(job.groups.map(tour))));
