// Views of JSON values: their fields as properties, and accessors that name the path.

import { InexactNumber, InvalidValue, MissingField, SchemascopeError } from "./errors.js";
import { Validator } from "./validator.js";
import type { Json, Path } from "./validator.js";

/* eslint-disable @typescript-eslint/no-explicit-any */

/** A JSON object with accessors. Its fields are properties; a field named like an accessor has an underscore more. */
export interface JsonObject {
  /** The value of a key as it was sent, null included; the fallback only if the key is absent. */
  get(key: string, fallback?: unknown): any;
  /** Whether the key is present, with null or any other value. */
  has(key: string): boolean;
  /** The value of a key. Throws `MissingField` if it is absent. */
  require(key: string): any;
  /** The JSON value. Throws `InexactNumber` if it has a number that JavaScript cannot hold. */
  readonly raw: any;
  /** The JSON text, of results of calls. */
  readonly rawText: string | undefined;
  /** Whether the value fits the schema. */
  readonly fits: boolean;
}

/** A JSON object whose values have one type. */
export type JsonMap<T> = JsonObject & { readonly [key: string]: T };

/** A JSON value that is no object. */
export interface JsonRoot<T> extends JsonObject {
  /** The value. */
  readonly root: T;
}

/** What the views of one value share. */
interface Origin {
  readonly name: string;
  readonly misfits: ReadonlyMap<string, readonly [Path, string]>;
  readonly text: string | undefined;
  readonly isExact: boolean;
}

/** A value read from text, with that text. */
export interface Sent {
  readonly value: unknown;
  readonly text: string;
}

const MEMBERS = new Set([
  "get", "has", "require", "raw", "rawText", "fits", "then", "toJSON", "constructor", "prototype", "__proto__",
  "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toString", "toLocaleString", "valueOf",
  "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
]);
const BARE = new Set([...MEMBERS].map((name) => name.replace(/_+$/, "")));

/** The property of a field. */
function member(key: string): string {
  const bare = key.replace(/_+$/, "");
  return MEMBERS.has(key) || (bare !== key && BARE.has(bare)) ? `${key}_` : key;
}

/** A path as people write it: `files[0].path`. */
function show(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === "" ? "the value" : text;
}

class View {
  readonly #value: Json;
  readonly #path: Path;
  readonly #origin: Origin;
  readonly #shown = new Map<string, unknown>();

  constructor(value: Json, path: Path, origin: Origin) {
    this.#value = value;
    this.#path = path;
    this.#origin = origin;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const key of Object.keys(value)) {
        Object.defineProperty(this, member(key), { enumerable: true, get: () => this.#touch(key) });
      }
      for (const [where, rule] of origin.misfits.values()) {
        const key = where[path.length];
        const isOwn = where.length === path.length + 1 && path.every((part, at) => part === where[at]);
        if (isOwn && typeof key === "string" && !Object.hasOwn(value, key)) {
          const missing = (): never => {
            throw new MissingField(`${origin.name}: ${show(where)} is absent: ${rule}`);
          };
          Object.defineProperty(this, member(key), { enumerable: false, get: missing });
        }
      }
    } else if (path.length === 0) {
      Object.defineProperty(this, "root", { enumerable: true, get: () => this.#root() });
    }
  }

  get(key: string, fallback?: unknown): unknown {
    return this.has(key) ? this.#inner(key) : fallback;
  }

  has(key: string): boolean {
    const value = this.#value;
    return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
  }

  require(key: string): unknown {
    if (!this.has(key)) throw new MissingField(`${this.#origin.name}: ${show([...this.#path, key])} is absent`);
    return this.#inner(key);
  }

  get raw(): unknown {
    if (!this.#origin.isExact) {
      throw new InexactNumber(`${this.#origin.name} has a number that JavaScript cannot hold; rawText has its digits`);
    }
    return this.#value;
  }

  get rawText(): string | undefined {
    return this.#path.length === 0 ? this.#origin.text : undefined;
  }

  get fits(): boolean {
    const above = this.#path;
    return ![...this.#origin.misfits.values()].some(([path]) => above.every((part, at) => part === path[at]));
  }

  toJSON(): unknown {
    return this.raw;
  }

  /** What `console.log` shows. */
  [Symbol.for("nodejs.util.inspect.custom")](): unknown {
    return this.#value;
  }

  #inner(key: string): unknown {
    if (!this.#shown.has(key)) {
      const inner = (this.#value as { [key: string]: Json })[key] as Json;
      this.#shown.set(key, view(inner, [...this.#path, key], this.#origin));
    }
    return this.#shown.get(key);
  }

  /** A field by its property: throws if its value does not fit. */
  #touch(key: string): unknown {
    const path = [...this.#path, key];
    const misfit = this.#origin.misfits.get(JSON.stringify(path));
    if (misfit) throw new MissingField(`${this.#origin.name}: ${show(path)} breaks the schema: ${misfit[1]}`);
    return this.#inner(key);
  }

  #root(): unknown {
    const misfit = this.#origin.misfits.get("[]");
    if (misfit) throw new MissingField(`${this.#origin.name}: the value breaks the schema: ${misfit[1]}`);
    return Array.isArray(this.#value) ? view(this.#value, this.#path, this.#origin) : this.#value;
  }
}

function view(value: Json, path: Path, origin: Origin): unknown {
  if (Array.isArray(value)) return value.map((item, at) => view(item, [...path, at], origin));
  return typeof value === "object" && value !== null ? new View(value, path, origin) : value;
}

/** A copy of a value that only JSON can hold. */
function json(value: unknown, path: Path): Json {
  if (value instanceof View) return value.raw as Json;
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, at) => json(item, [...path, at]));
  if (typeof value === "object") {
    const own = value as { toJSON?: unknown };
    if (typeof own.toJSON === "function") return json((own.toJSON as () => unknown)(), path);
    if (value instanceof Map || value instanceof Set) {
      throw new SchemascopeError(`${show(path)} is no JSON value: ${value instanceof Map ? "Map" : "Set"}`);
    }
    const copy: { [key: string]: Json } = {};
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const written = json(inner, [...path, key]);
      Object.defineProperty(copy, key, { value: written, enumerable: true, writable: true, configurable: true });
    }
    return copy;
  }
  throw new SchemascopeError(`${show(path)} is no JSON value: ${typeof value}`);
}

/** Whether JavaScript holds every number of a JSON text. */
export function isExact(text: string): boolean {
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      at = stringEnd(text, at);
      continue;
    }
    number.lastIndex = at;
    const token = number.exec(text)?.[0];
    if (token === undefined) {
      at += 1;
      continue;
    }
    if (!Number.isFinite(Number(token))) return false;
    if (token.length > 15 && /^-?\d+$/.test(token) && BigInt(token) !== BigInt(Number(token))) return false;
    at += token.length;
  }
  return true;
}

/** Where the string of a JSON text ends whose quote is at `start`. Regular expressions fail on long ones. */
export function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** The schema of a type. */
export class Schema {
  readonly #name: string;
  readonly #validator: Validator;
  readonly #isStrict: boolean;

  constructor(name: string, text: string, isStrict: boolean) {
    this.#name = name;
    this.#validator = new Validator(text);
    this.#isStrict = isStrict;
  }

  /** A value that fits; throws otherwise. */
  check(value: unknown): unknown {
    const copy = json(value, []);
    for (const [path, rule] of this.#validator.misfits(copy).values()) {
      throw new InvalidValue(this.#name, show(path), rule);
    }
    return copy;
  }

  /** Reads a JSON value. */
  parse(value: unknown): unknown {
    return this.#view(json(value, []), undefined, true);
  }

  /** Reads what a call returned. */
  read(sent: Sent): unknown {
    return this.#view(json(sent.value, []), sent.text, isExact(sent.text));
  }

  #view(value: Json, text: string | undefined, exact: boolean): unknown {
    const misfits = this.#validator.misfits(value);
    for (const [path, rule] of misfits.values()) {
      if (this.#isStrict) throw new InvalidValue(this.#name, show(path), rule);
      console.warn(`${this.#name}: ${show(path)} breaks the inferred schema: ${rule}`);
      break;
    }
    return new View(value, [], { name: this.#name, misfits, text, isExact: exact });
  }
}

/** The schema of a type, in the form that Schemascope compiles it to. */
export function schema(name: string, text: string, isStrict = true): Schema {
  return new Schema(name, text, isStrict);
}

/** A view of a value of which nothing is known. */
export function anything(name: string, sent: Sent): unknown {
  const { value, text } = sent;
  return view(json(value, []), [], { name, misfits: new Map(), text, isExact: isExact(text) });
}
