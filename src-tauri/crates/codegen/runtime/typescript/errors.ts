// What can go wrong.

/** Every error of the wrappers. */
export class SchemascopeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** A value does not fit its schema. */
export class InvalidValue extends SchemascopeError {
  readonly path: string;
  readonly rule: string;

  constructor(name: string, path: string, rule: string) {
    super(`${name}: ${path} breaks the schema: ${rule}`);
    this.path = path;
    this.rule = rule;
  }
}

/** A field is absent, or what it holds does not fit the schema. */
export class MissingField extends SchemascopeError {}

/** A number is too large for JavaScript; `rawText` has it. */
export class InexactNumber extends SchemascopeError {}

/** The tool reports that the call failed. */
export class ToolError extends SchemascopeError {
  readonly result: unknown;

  constructor(toolId: string, text: string, result: unknown) {
    super(`${toolId} failed: ${text}`);
    this.result = result;
  }
}

/** The server rejects the request, or its answer is not what the protocol says. */
export class ProtocolError extends SchemascopeError {
  readonly code: number | undefined;

  constructor(message: string, code: number | undefined = undefined) {
    super(message);
    this.code = code;
  }
}

/** The server asks its client something, which a script cannot answer. */
export class InputRequired extends SchemascopeError {}

/** Schemascope cannot be reached, or took too long. */
export class ConnectionFailed extends SchemascopeError {}
