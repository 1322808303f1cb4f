// Calls of tools through Schemascope: one HTTP request each, in the stateless era of MCP (2026-07-28).
//
// Address and token are those of SCHEMASCOPE_URL and SCHEMASCOPE_TOKEN, else of the running instance.

import { readFile } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { join } from "node:path";
import process from "node:process";

import { ConnectionFailed, InputRequired, ProtocolError, ToolError } from "./errors.js";
import { anything, stringEnd } from "./model.js";
import type { Sent } from "./model.js";

const PROTOCOL_VERSION = "2026-07-28";
/** Milliseconds that a call may take. */
const TIMEOUT = 120_000;
/** Asks Schemascope for the value that it learns from, whatever it sends to other clients. */
const OBSERVATION = "schemascope/observation";
/** Why an enforced schema turned a result into an error. */
const VIOLATION = "schemascope/violation";

/** How a call is made. */
export interface CallOptions {
  /** Cancels the call, upstream too. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the call may take. */
  readonly timeout?: number;
}

/** Calls a tool and returns the JSON value of its result with accessors, or its text. */
export async function callMcpTool(toolId: string, args: unknown = {}, options: CallOptions = {}): Promise<any> {
  return anything(toolId, await callTool(toolId, args, options));
}

export { callMcpTool as call_mcp_tool };

/** Calls a tool and returns the value of its result with its text. */
export async function callTool(toolId: string, args: unknown, options: CallOptions = {}): Promise<Sent> {
  const { url, token } = await target();
  const params = {
    name: toolId,
    arguments: args ?? {},
    _meta: {
      "io.modelcontextprotocol/protocolVersion": PROTOCOL_VERSION,
      "io.modelcontextprotocol/clientInfo": { name: "schemascope-wrappers-typescript", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
      [OBSERVATION]: true,
    },
  };
  const limit = options.timeout ?? TIMEOUT;
  // A timer holds no longer time.
  const timeout = AbortSignal.timeout(Math.min(Math.max(0, Math.trunc(limit)), 2 ** 31 - 1));
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let status: number;
  let answer: string;
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      signal,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": PROTOCOL_VERSION,
        "mcp-method": "tools/call",
        "mcp-name": header(toolId),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    status = response.status;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    answer = isStream ? await event(response) : await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (timeout.aborted) throw new ConnectionFailed(`${toolId} did not answer within ${limit} ms`);
    const cause = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : "";
    throw new ConnectionFailed(`cannot reach Schemascope at ${url}: ${cause}. Is \`schemascope serve\` running?`);
  }
  return read(toolId, status, answer);
}

interface Message {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

function read(toolId: string, status: number, answer: string): Sent {
  let message: Message | null;
  try {
    message = JSON.parse(answer) as Message | null;
  } catch {
    message = null;
  }
  if (message?.error) {
    const { code, message: text } = message.error;
    throw new ProtocolError(`${String(text)} (${String(code)})`, typeof code === "number" ? code : undefined);
  }
  if (status === 401) {
    throw new ProtocolError("Schemascope rejects the token. Set SCHEMASCOPE_TOKEN to the agent token.", 401);
  }
  const text = message === null ? undefined : slice(answer, "result");
  if (status !== 200 || text === undefined) throw new ProtocolError(`the answer is no result (HTTP ${status})`, status);
  return readResult(toolId, text);
}

/** Why an enforced schema turned a result into an error, which `result` keeps. */
function violation(result: Record<string, unknown>): string | undefined {
  const meta = result["_meta"] as Record<string, unknown> | null | undefined;
  const { reason } = (meta?.[VIOLATION] ?? {}) as { reason?: unknown };
  return typeof reason === "string" ? reason : undefined;
}

/**
 * The value of a `tools/call` result: its structured content, else JSON in its text, else its text. Several blocks of
 * JSON are a list; several blocks of text are joined by line breaks.
 */
export function readResult(toolId: string, text: string): Sent {
  const result = JSON.parse(text) as Record<string, unknown> | null;
  if (typeof result !== "object" || result === null) throw new ProtocolError(`${toolId}: the result is no object`);
  const blocks = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const texts = blocks.flatMap((block) => {
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
    return type === "text" && typeof text === "string" ? [text] : [];
  });
  if (result["isError"] === true) {
    throw new ToolError(toolId, violation(result) ?? (texts.join("\n") || "no reason given"), result);
  }
  if ((result["resultType"] ?? "complete") !== "complete") {
    throw new InputRequired(`${toolId} asks for input, which a script cannot give`);
  }
  const meta = slice(text, "_meta");
  const observed = meta === undefined ? undefined : slice(meta, OBSERVATION);
  if (observed !== undefined) return { value: JSON.parse(observed), text: observed };
  const structured = slice(text, "structuredContent");
  if (structured !== undefined && structured !== "null") return { value: JSON.parse(structured), text: structured };
  for (const parts of [texts, texts.slice(0, 1), [texts.join("")]]) {
    try {
      const values = parts.map((part) => JSON.parse(part) as unknown);
      if (values.length > 1) return { value: values, text: `[${parts.join(",")}]` };
      if (values.length === 1) return { value: values[0], text: parts.join("") };
    } catch {
      continue;
    }
  }
  const whole = texts.length > 0 || blocks.length === 0 ? JSON.stringify(texts.join("\n")) : text;
  return { value: JSON.parse(whole), text: whole };
}

/** The text of a member of a JSON object; of several, the last. */
function slice(text: string, wanted: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  let last = "";
  for (let at = 0; at < text.length; at += 1) {
    const token = text[at];
    if (token === '"') {
      const end = stringEnd(text, at);
      if (depth === 1 && start < 0) last = text.slice(at, end);
      at = end - 1;
    } else if (depth === 1 && token === ":" && start < 0) {
      key = JSON.parse(last) as string;
      start = at + 1;
    } else if (depth === 1 && (token === "," || token === "}")) {
      if (key === wanted) found = text.slice(start, at).trim();
      key = undefined;
      start = -1;
    }
    if (token === "{" || token === "[") {
      if (depth === 0 && token === "[") return undefined;
      depth += 1;
    } else if (token === "}" || token === "]") depth -= 1;
  }
  return found;
}

/** The first event of a stream that answers the request. */
async function event(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let waiting = "";
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    waiting += decoder.decode(part, { stream: true });
    const events = waiting.replaceAll("\r\n", "\n").split("\n\n");
    waiting = events.pop() ?? "";
    for (const one of events) {
      const lines = one.split("\n").filter((line) => line.startsWith("data:"));
      const data = lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
      if (data === "") continue;
      const message = JSON.parse(data) as Record<string, unknown>;
      if (!("method" in message) && ("result" in message || "error" in message)) return data;
    }
  }
  throw new Error("the connection ended early");
}

/** A value as HTTP headers hold it. */
function header(text: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** Address of the endpoint and the agent token. */
async function target(): Promise<{ url: string; token: string | undefined }> {
  let url = process.env["SCHEMASCOPE_URL"];
  let token = process.env["SCHEMASCOPE_TOKEN"] || undefined;
  if (!url) {
    try {
      const text = await readFile(join(dataDir(), "instance.json"), "utf8");
      const instance = JSON.parse(text) as { mcp_url: string; token?: string | null };
      url = new URL(instance.mcp_url).href;
      token ??= instance.token ?? undefined;
    } catch {
      throw new ConnectionFailed(
        "Schemascope is not running. Start the script with `schemascope run -- CMD`, or set SCHEMASCOPE_URL and SCHEMASCOPE_TOKEN.",
      );
    }
  }
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    throw new ConnectionFailed("SCHEMASCOPE_URL must look like http://127.0.0.1:7347");
  }
  if (address.pathname === "/") address.pathname = "/mcp";
  return { url: address.href.replace(/\/$/, ""), token };
}

/** The data directory that Schemascope uses by default. */
function dataDir(): string {
  const named = process.env["SCHEMASCOPE_DATA_DIR"];
  if (named) return named;
  if (platform() === "win32") return join(process.env["APPDATA"] ?? homedir(), "schemascope", "data");
  if (platform() === "darwin") return join(homedir(), "Library", "Application Support", "schemascope");
  return join(process.env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "schemascope");
}
