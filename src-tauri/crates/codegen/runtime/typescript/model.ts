// Views of JSON values: their fields as properties, and accessors that name the path.

import { InexactNumber, InvalidValue, MissingField, SchemascopeError } from "./errors.js";
import { Validator, isObject } from "./validator.js";
import type { Json, Misfits, Path } from "./validator.js";

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

/**
 * A JSON object whose values have one type. Its properties have the names that were sent, so an entry named like an
 * accessor hides that accessor. `get` and `require` of the object that holds the map return it with all accessors.
 */
export type JsonMap<T> = JsonObject & { readonly [key: string]: T };

/** A JSON value that may be no object. */
export interface JsonRoot<T> extends JsonObject {
  /** The value, unless it is an object with a field of this name. */
  readonly root: T;
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

/**
 * How a view names its properties: maps have the names that were sent, except the whole of a result and what `get` and
 * `require` return, so that nothing hides their accessors.
 */
type Naming = "whole" | "typed" | "plain";

/** What the views of one value share. It looks paths up by their JSON. */
class Origin {
  readonly name: string;
  readonly text: string | undefined;
  readonly #validator: Validator | undefined;
  readonly #misfits: Misfits;
  readonly #fields = new Map<string, (readonly [Path, string])[]>();
  readonly #unfit: ReadonlyMap<string, Path>;
  readonly #inexact: ReadonlyMap<string, Path>;

  constructor(name: string, text: string | undefined, misfits: Misfits, validator?: Validator) {
    this.name = name;
    this.text = text;
    this.#validator = validator;
    this.#misfits = misfits;
    this.#unfit = withParents([...misfits.values()].map(([path]) => path));
    this.#inexact = withParents(text === undefined ? [] : inexact(text));
    for (const misfit of misfits.values()) {
      const parent = JSON.stringify(misfit[0].slice(0, -1));
      const fields = this.#fields.get(parent);
      if (fields === undefined) this.#fields.set(parent, [misfit]);
      else fields.push(misfit);
    }
  }

  /** Whether any part may be a map. */
  get hasMaps(): boolean {
    return this.#validator?.hasMaps === true;
  }

  /** Whether objects at a path are maps. */
  isMap(path: Path): boolean {
    return this.hasMaps && this.#validator?.isMap(path) === true;
  }

  /** Whether objects have `root`, as other values do. */
  get hasRoot(): boolean {
    return this.#validator?.isFree("root") === true;
  }

  /** Whether the value at a path fits the schema. */
  fits(path: Path): boolean {
    return this.#unfit.size === 0 || !this.#unfit.has(JSON.stringify(path));
  }

  /** The rule that the value at a path breaks itself. */
  rule(path: Path): string | undefined {
    return this.fits(path) ? undefined : this.#misfits.get(JSON.stringify(path))?.[1];
  }

  /** Misfits of the fields of an object, absent ones included. */
  fields(path: Path): readonly (readonly [Path, string])[] {
    return this.fits(path) ? [] : (this.#fields.get(JSON.stringify(path)) ?? []);
  }

  /** Where the value at a path has a number that JavaScript cannot hold. */
  inexact(path: Path): Path | undefined {
    return this.#inexact.size === 0 ? undefined : this.#inexact.get(JSON.stringify(path));
  }

  /** Throws if the value at a path has a number that JavaScript cannot hold. */
  requireExact(path: Path): void {
    const where = this.inexact(path);
    if (where === undefined) return;
    const message = `${show(where)} is a number that JavaScript cannot hold; rawText has its digits`;
    throw new InexactNumber(`${this.name}: ${message}`);
  }
}

/** The given paths and those above them, each with the first given path at or below it. */
function withParents(paths: readonly Path[]): Map<string, Path> {
  const found = new Map<string, Path>();
  for (const path of paths) {
    for (let length = path.length; length >= 0; length -= 1) {
      const key = JSON.stringify(path.slice(0, length));
      if (found.has(key)) break;
      found.set(key, path);
    }
  }
  return found;
}

class View {
  readonly #value: Json;
  readonly #path: Path;
  readonly #origin: Origin;
  readonly #naming: Naming;
  readonly #shown = new Map<string, unknown>();
  #plain: View | undefined;
  #root: unknown;

  constructor(value: Json, path: Path, origin: Origin, naming: Naming) {
    this.#value = value;
    this.#path = path;
    this.#origin = origin;
    this.#naming = naming;
    const fields = isObject(value) ? value : undefined;
    for (const key of Object.keys(fields ?? {})) {
      const renamed = member(key);
      const name = renamed === key || this.#hasNamesAsSent() ? key : renamed;
      Object.defineProperty(this, name, { enumerable: true, get: () => this.#touch(key) });
    }
    for (const [where, rule] of fields ? origin.fields(path) : []) {
      const key = where[path.length];
      if (typeof key !== "string" || this.#has(key)) continue;
      const missing = (): never => {
        throw new MissingField(`${origin.name}: ${show(where)} is absent: ${rule}`);
      };
      Object.defineProperty(this, member(key), { enumerable: false, get: missing });
    }
    if (path.length === 0 && !Object.hasOwn(this, "root") && (!fields || origin.hasRoot)) {
      Object.defineProperty(this, "root", { enumerable: !fields, get: () => this.#readRoot() });
    }
  }

  get(key: string, fallback?: unknown): unknown {
    return this.#has(key) ? this.#accessors().#inner(key) : fallback;
  }

  has(key: string): boolean {
    return this.#has(key);
  }

  require(key: string): unknown {
    if (!this.#has(key)) throw new MissingField(`${this.#origin.name}: ${show([...this.#path, key])} is absent`);
    return this.#accessors().#inner(key);
  }

  get raw(): unknown {
    return View.json(this);
  }

  get rawText(): string | undefined {
    return this.#path.length === 0 ? this.#origin.text : undefined;
  }

  get fits(): boolean {
    return this.#origin.fits(this.#path);
  }

  toJSON(): unknown {
    return View.json(this);
  }

  /** The JSON value of a view, whose accessors may be hidden. */
  static json(view: View): Json {
    view.#origin.requireExact(view.#path);
    return view.#value;
  }

  /** What `console.log` shows. */
  [Symbol.for("nodejs.util.inspect.custom")](): unknown {
    return this.#value;
  }

  #has(key: string): boolean {
    return isObject(this.#value) && Object.hasOwn(this.#value, key);
  }

  #inside(): Naming {
    return this.#naming === "plain" ? "plain" : "typed";
  }

  #hasNamesAsSent(): boolean {
    return this.#naming === "typed" && this.#origin.isMap(this.#path);
  }

  /** The same value with accessors that nothing hides in any part. */
  #accessors(): View {
    if (this.#naming === "plain" || !this.#origin.hasMaps) return this;
    return (this.#plain ??= new View(this.#value, this.#path, this.#origin, "plain"));
  }

  #inner(key: string): unknown {
    if (!this.#shown.has(key)) {
      const inner = (this.#value as { [key: string]: Json })[key] as Json;
      this.#shown.set(key, view(inner, [...this.#path, key], this.#origin, this.#inside()));
    }
    return this.#shown.get(key);
  }

  /** A field by its property: throws if its value does not fit. Entries of maps are as they were sent, like items. */
  #touch(key: string): unknown {
    const path = [...this.#path, key];
    const rule = this.#origin.rule(path);
    if (rule !== undefined && !this.#hasNamesAsSent()) {
      throw new MissingField(`${this.#origin.name}: ${show(path)} breaks the schema: ${rule}`);
    }
    return this.#inner(key);
  }

  #readRoot(): unknown {
    const rule = this.#origin.rule([]);
    if (rule !== undefined) throw new MissingField(`${this.#origin.name}: the value breaks the schema: ${rule}`);
    return (this.#root ??= view(this.#value, [], this.#origin, this.#inside()));
  }
}

/** A value as it is shown. An item of a list that JavaScript cannot hold throws when it is read. */
function view(value: Json, path: Path, origin: Origin, naming: Naming): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const [at, item] of value.entries()) {
      const inner = [...path, at];
      const read = (): unknown => view(item, inner, origin, naming);
      if (typeof item !== "number" || origin.inexact(inner) === undefined) items.push(read());
      else Object.defineProperty(items, at, { configurable: true, enumerable: true, get: read });
    }
    return items;
  }
  if (typeof value === "number") origin.requireExact(path);
  return isObject(value) ? new View(value, path, origin, naming) : value;
}

/** A copy of a value that only JSON can hold. */
function json(value: unknown, path: Path): Json {
  if (value instanceof View) return View.json(value);
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

/** Paths of the integers of a JSON text that JavaScript cannot hold. */
function inexact(text: string): Path[] {
  const found: Path[] = [];
  if (!/\d{16}/.test(text)) return found;
  // Of each open list, the number of the item; of each open object, where its key is.
  const open: (number | readonly [number, number])[] = [];
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  let last: readonly [number, number] = [0, 0];
  for (let at = 0; at < text.length; ) {
    const letter = text[at];
    const top = open.at(-1);
    if (letter === '"') {
      last = [at, stringEnd(text, at)];
      at = last[1];
      continue;
    }
    number.lastIndex = at;
    const token = number.exec(text)?.[0];
    if (token !== undefined) {
      if (token.length > 15 && /^-?\d+$/.test(token) && BigInt(token) !== BigInt(Number(token))) {
        found.push(open.map((part) => (typeof part === "number" ? part : (JSON.parse(text.slice(...part)) as string))));
      }
      at += token.length;
      continue;
    }
    if (letter === "[") open.push(0);
    else if (letter === "{") open.push(last);
    else if (letter === "]" || letter === "}") open.pop();
    else if (letter === ":") open[open.length - 1] = last;
    else if (letter === "," && typeof top === "number") open[open.length - 1] = top + 1;
    at += 1;
  }
  return found;
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
    return this.#view(json(value, []), undefined);
  }

  /** Reads what a call returned. */
  read(sent: Sent): unknown {
    return this.#view(json(sent.value, []), sent.text);
  }

  #view(value: Json, text: string | undefined): unknown {
    const misfits = this.#validator.misfits(value);
    for (const [path, rule] of misfits.values()) {
      if (this.#isStrict) throw new InvalidValue(this.#name, show(path), rule);
      console.warn(`${this.#name}: ${show(path)} breaks the inferred schema: ${rule}`);
      break;
    }
    return new View(value, [], new Origin(this.#name, text, misfits, this.#validator), "whole");
  }
}

/** The schema of a type, in the form that Schemascope compiles it to. */
export function schema(name: string, text: string, isStrict = true): Schema {
  return new Schema(name, text, isStrict);
}

/** A view of a value of which nothing is known. */
export function anything(name: string, sent: Sent): unknown {
  const { value, text } = sent;
  return view(json(value, []), [], new Origin(name, text, new Map()), "plain");
}
