// What the wrappers that Schemascope writes are made of. Needs nothing but Node 20, Bun or Deno.

export { callMcpTool, callTool, call_mcp_tool, readResult } from "./call.js";
export type { CallOptions } from "./call.js";
export * from "./errors.js";
export { schema } from "./model.js";
export type { JsonMap, JsonObject, JsonRoot, Sent } from "./model.js";
