// Validation against a JSON Schema in the form that Schemascope compiles it to: a list of nodes.
//
// A node is `false`, or an object of keywords as in JSON Schema 2020-12 in which subschemas are indices of nodes. `ref`
// is the index of a node that applies as well. Nothing applies to its own value again, so validation ends.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Path = readonly (string | number)[];
/** Paths that do not fit, each with a rule it breaks, by the JSON of the path. */
export type Misfits = ReadonlyMap<string, readonly [Path, string]>;
type Members = { [key: string]: Json };

interface Keywords {
  readonly type?: string[];
  readonly const?: Json;
  readonly enum?: Json[];
  readonly required?: string[];
  readonly dependentRequired?: Record<string, string[]>;
  readonly pattern?: string;
  readonly uniqueItems?: boolean;
  readonly ref?: number;
  readonly allOf?: number[];
  readonly anyOf?: number[];
  readonly oneOf?: number[];
  readonly not?: number;
  readonly if?: number;
  readonly then?: number;
  readonly else?: number;
  readonly dependentSchemas?: Record<string, number>;
  readonly properties?: Record<string, number>;
  readonly patternProperties?: Record<string, number>;
  readonly additionalProperties?: number;
  readonly propertyNames?: number;
  readonly prefixItems?: number[];
  readonly items?: number;
  readonly contains?: number;
  readonly unevaluatedProperties?: number;
  readonly unevaluatedItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

type Node = false | Keywords;
/** Answers by node and container, for one value. */
type Seen = Map<number, Map<Json, boolean>>;

/** Whether a value is an object. */
export function isObject(value: Json): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const has = (object: object, key: string): boolean => Object.hasOwn(object, key);
const patterns = new Map<string, RegExp>();

function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    compiled = new RegExp(pattern, "u");
    patterns.set(pattern, compiled);
  }
  return compiled.test(text);
}

function isType(value: Json, name: string): boolean {
  switch (name) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === name;
  }
}

/** Text that two values have in common exactly if JSON calls them equal. */
function identity(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(identity).join(",")}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((key) => `${JSON.stringify(key)}:${identity(value[key] as Json)}`).join(",")}}`;
  }
  return JSON.stringify(Object.is(value, -0) ? 0 : value);
}

/** A number as an integer and a power of ten. */
function decimal(value: number): [bigint, number] {
  const [digits = "0", exponent = "0"] = value.toString().split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

function isMultiple(value: number, of: number): boolean {
  const [a, down] = decimal(value);
  const [b, step] = decimal(of);
  const low = Math.min(down, step);
  return (a * 10n ** BigInt(down - low)) % (b * 10n ** BigInt(step - low)) === 0n;
}

/** A compiled schema, read when it is first used. */
export class Validator {
  #text: string;
  #nodes: Node[] | undefined;
  #enums = new Map<Keywords, Set<string>>();
  #hasMaps: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Paths that do not fit, each with a rule it breaks; none if the value fits. */
  misfits(value: Json): Misfits {
    const seen: Seen = new Map();
    const found = new Map<string, [Path, string]>();
    if (!this.#passes(0, value, seen)) {
      for (const [path, rule] of this.#broken(0, value, [], seen)) {
        const key = JSON.stringify(path);
        if (!found.has(key)) found.set(key, [path, rule]);
      }
    }
    return found;
  }

  /** Whether any part of a value may be a map. */
  get hasMaps(): boolean {
    return (this.#hasMaps ??= this.#all().some((node) => this.#isMap(node)));
  }

  /** Whether a value need not be an object, and objects have no field of this name. */
  isFree(name: string): boolean {
    const nodes = this.#sameValue([0]);
    const fields = nodes.flatMap((node) => [...Object.keys(node.properties ?? {}), ...(node.required ?? [])]);
    return nodes.some((node) => node.type?.some((type) => type !== "object")) && !fields.includes(name);
  }

  /** Whether objects at a path are maps: only the type of their values is known, and no fields. */
  isMap(path: Path): boolean {
    const inner = (node: Keywords, part: string | number): number[] => {
      if (typeof part === "string") return [...fields(node, { [part]: null })].map(([, , , at]) => at);
      const at = node.prefixItems?.[part] ?? node.items;
      return at === undefined ? [] : [at];
    };
    let nodes = this.#sameValue([0]);
    for (const part of path) nodes = this.#sameValue(nodes.flatMap((node) => inner(node, part)));
    return nodes.some((node) => this.#isMap(node)) && !nodes.some((node) => node.properties ?? node.required);
  }

  #isMap(node: Node): boolean {
    if (node === false || node.additionalProperties === undefined) return false;
    const values = [node.additionalProperties, ...Object.values(node.patternProperties ?? {})];
    const kinds = values.map((at) => this.#node(at)).filter((kind) => kind !== false);
    return kinds.length > 0 && kinds.every((kind) => Object.keys(kind).length > 0);
  }

  /** The given nodes, and those that may apply to the same value. */
  #sameValue(start: readonly number[]): Keywords[] {
    const found = new Set(start);
    for (const at of found) {
      const node = this.#node(at);
      if (node === false) continue;
      const { ref, then: yes, else: no, allOf = [], anyOf = [], oneOf = [] } = node;
      for (const child of [ref, yes, no, ...allOf, ...anyOf, ...oneOf]) if (child !== undefined) found.add(child);
    }
    return [...found].map((at) => this.#node(at)).filter((node): node is Keywords => node !== false);
  }

  #all(): Node[] {
    return (this.#nodes ??= JSON.parse(this.#text) as Node[]);
  }

  #node(at: number): Node {
    return this.#all()[at] ?? {};
  }

  #passes(at: number, value: Json, seen: Seen): boolean {
    const node = this.#node(at);
    if (node === false) return false;
    let known = seen.get(at);
    if (known === undefined) seen.set(at, (known = new Map()));
    let answer = known.get(value);
    if (answer === undefined) {
      answer = this.#rules(node, value, seen).next().done === true;
      known.set(value, answer);
    }
    return answer;
  }

  /** Keywords of a node that a value breaks. */
  *#rules(node: Keywords, value: Json, seen: Seen): Generator<string> {
    const passes = (at: number, inner: Json = value): boolean => this.#passes(at, inner, seen);
    if (node.type && !node.type.some((name) => isType(value, name))) yield "type";
    if (node.const !== undefined && identity(value) !== identity(node.const)) yield "const";
    if (node.enum && !this.#listed(node, node.enum).has(identity(value))) yield "enum";
    if (node.ref !== undefined && !passes(node.ref)) yield "ref";
    if (node.allOf && !node.allOf.every((at) => passes(at))) yield "allOf";
    if (node.anyOf && !node.anyOf.some((at) => passes(at))) yield "anyOf";
    if (node.oneOf && node.oneOf.filter((at) => passes(at)).length !== 1) yield "oneOf";
    if (node.not !== undefined && passes(node.not)) yield "not";
    if (node.if !== undefined) {
      const branch = passes(node.if) ? "then" : "else";
      const at = node[branch];
      if (at !== undefined && !passes(at)) yield branch;
    }
    if (typeof value === "string") yield* textRules(node, value);
    else if (typeof value === "number") yield* numberRules(node, value);
    else if (Array.isArray(value)) yield* this.#arrayRules(node, value, seen);
    else if (isObject(value)) yield* this.#objectRules(node, value, seen);
  }

  *#objectRules(node: Keywords, value: Members, seen: Seen): Generator<string> {
    const keys = Object.keys(value);
    if (node.required && !node.required.every((key) => has(value, key))) yield "required";
    if (keys.length < (node.minProperties ?? 0)) yield "minProperties";
    if (keys.length > (node.maxProperties ?? Infinity)) yield "maxProperties";
    for (const [key, others] of Object.entries(node.dependentRequired ?? {})) {
      if (has(value, key) && !others.every((other) => has(value, other))) yield "dependentRequired";
    }
    for (const [key, at] of Object.entries(node.dependentSchemas ?? {})) {
      if (has(value, key) && !this.#passes(at, value, seen)) yield "dependentSchemas";
    }
    for (const [keyword, , inner, at] of fields(node, value)) {
      if (!this.#passes(at, inner, seen)) yield keyword;
    }
    const { propertyNames, unevaluatedProperties } = node;
    if (propertyNames !== undefined && !keys.every((key) => this.#passes(propertyNames, key, seen))) {
      yield "propertyNames";
    }
    if (unevaluatedProperties !== undefined) {
      const known = this.#knownKeys(node, value, seen);
      const rest = keys.filter((key) => !known.has(key));
      if (!rest.every((key) => this.#passes(unevaluatedProperties, value[key] as Json, seen))) {
        yield "unevaluatedProperties";
      }
    }
  }

  *#arrayRules(node: Keywords, value: Json[], seen: Seen): Generator<string> {
    if (value.length < (node.minItems ?? 0)) yield "minItems";
    if (value.length > (node.maxItems ?? Infinity)) yield "maxItems";
    if (node.uniqueItems && new Set(value.map(identity)).size < value.length) yield "uniqueItems";
    for (const [keyword, , item, at] of items(node, value)) {
      if (!this.#passes(at, item, seen)) yield keyword;
    }
    const { contains, unevaluatedItems } = node;
    if (contains !== undefined) {
      const count = value.filter((item) => this.#passes(contains, item, seen)).length;
      if (count < (node.minContains ?? 1)) yield node.minContains === undefined ? "contains" : "minContains";
      if (count > (node.maxContains ?? Infinity)) yield "maxContains";
    }
    if (unevaluatedItems !== undefined) {
      const known = this.#knownItems(node, value, seen);
      if (!value.every((item, at) => known.has(at) || this.#passes(unevaluatedItems, item, seen))) {
        yield "unevaluatedItems";
      }
    }
  }

  /** Nodes that apply to the same value and that it fits. */
  *#inPlace(node: Keywords, value: Json, seen: Seen): Generator<Keywords> {
    const children = [...(node.ref === undefined ? [] : [node.ref])];
    children.push(...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? []));
    if (node.if !== undefined) {
      const chosen = this.#passes(node.if, value, seen);
      const branch = chosen ? node.then : node.else;
      if (chosen) children.push(node.if);
      if (branch !== undefined) children.push(branch);
    }
    if (isObject(value)) {
      for (const [key, at] of Object.entries(node.dependentSchemas ?? {})) if (has(value, key)) children.push(at);
    }
    for (const at of children) {
      const child = this.#node(at);
      if (child !== false && this.#passes(at, value, seen)) yield child;
    }
  }

  #knownKeys(node: Keywords, value: Members, seen: Seen): Set<string> {
    const known = new Set<string>();
    for (const [, key] of fields(node, value)) known.add(key);
    for (const child of this.#inPlace(node, value, seen)) {
      const all = child.unevaluatedProperties !== undefined;
      for (const key of all ? Object.keys(value) : this.#knownKeys(child, value, seen)) known.add(key);
    }
    return known;
  }

  #knownItems(node: Keywords, value: Json[], seen: Seen): Set<number> {
    const known = new Set<number>();
    const { contains } = node;
    for (const [, at] of items(node, value)) known.add(at);
    if (contains !== undefined) value.forEach((item, at) => this.#passes(contains, item, seen) && known.add(at));
    for (const child of this.#inPlace(node, value, seen)) {
      const all = child.unevaluatedItems !== undefined;
      for (const at of all ? value.keys() : this.#knownItems(child, value, seen)) known.add(at);
    }
    return known;
  }

  #listed(node: Keywords, values: Json[]): Set<string> {
    let listed = this.#enums.get(node);
    if (listed === undefined) this.#enums.set(node, (listed = new Set(values.map(identity))));
    return listed;
  }

  /** Broken rules with the innermost paths they are about. */
  *#broken(at: number, value: Json, path: Path, seen: Seen): Generator<[Path, string]> {
    const node = this.#node(at);
    if (node === false) {
      yield [path, "no value is allowed"];
      return;
    }
    const within = (child: number, inner: Json, key: string | number): Generator<[Path, string]> =>
      this.#broken(child, inner, [...path, key], seen);
    for (const rule of new Set(this.#rules(node, value, seen))) {
      if (rule === "required" && isObject(value)) {
        for (const key of node.required ?? []) if (!has(value, key)) yield [[...path, key], "required"];
      } else if (["properties", "patternProperties", "additionalProperties"].includes(rule) && isObject(value)) {
        for (const [keyword, key, inner, child] of fields(node, value)) {
          if (keyword === rule && !this.#passes(child, inner, seen)) yield* within(child, inner, key);
        }
      } else if (["prefixItems", "items"].includes(rule) && Array.isArray(value)) {
        for (const [keyword, number, item, child] of items(node, value)) {
          if (keyword === rule && !this.#passes(child, item, seen)) yield* within(child, item, number);
        }
      } else if (rule === "ref" || rule === "then" || rule === "else") {
        yield* this.#broken(node[rule] ?? 0, value, path, seen);
      } else if (rule === "allOf") {
        for (const child of node.allOf ?? []) {
          if (!this.#passes(child, value, seen)) yield* this.#broken(child, value, path, seen);
        }
      } else if (rule === "anyOf" || rule === "oneOf") {
        const likely = (node[rule] ?? []).filter((child) => this.#isLikely(child, value));
        const [only] = likely;
        if (only !== undefined && likely.length === 1 && !this.#passes(only, value, seen)) {
          yield* this.#broken(only, value, path, seen);
        } else {
          yield [path, rule];
        }
      } else if (rule === "type") {
        yield [path, `type: expected ${(node.type ?? []).join(" or ")}`];
      } else if (rule === "enum" || rule === "const") {
        yield [path, `${rule}: expected ${either(rule === "enum" ? (node.enum ?? []) : [node.const as Json])}`];
      } else {
        const limit = (node as Record<string, unknown>)[rule];
        const isLimit = typeof limit === "number" && !["not", "contains", "propertyNames"].includes(rule);
        yield [path, isLimit && !rule.startsWith("unevaluated") ? `${rule} ${limit}` : rule];
      }
    }
  }

  /** Whether an alternative is for values of this type. */
  #isLikely(at: number, value: Json): boolean {
    const node = this.#node(at);
    if (node === false || (node.type && !node.type.some((name) => isType(value, name)))) return false;
    return node.ref === undefined || this.#isLikely(node.ref, value);
  }
}

/** Values of an enumeration, as far as they are few and short. */
function either(values: readonly Json[]): string {
  const shown = values.slice(0, 8).map((value) => {
    const letters = Array.from(identity(value));
    return letters.length <= 60 ? letters.join("") : `${letters.slice(0, 60).join("")}…`;
  });
  if (values.length > shown.length) return [...shown, "…"].join(", ");
  const last = shown.slice(-1).join("");
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} or ${last}` : last;
}

/** Keyword, key, value and node of what applies to the values of an object. */
function* fields(node: Keywords, value: Members): Generator<[string, string, Json, number]> {
  for (const [key, inner] of Object.entries(value)) {
    let known = false;
    if (node.properties && has(node.properties, key)) {
      known = true;
      yield ["properties", key, inner, node.properties[key] as number];
    }
    for (const [pattern, at] of Object.entries(node.patternProperties ?? {})) {
      if (matches(pattern, key)) {
        known = true;
        yield ["patternProperties", key, inner, at];
      }
    }
    if (!known && node.additionalProperties !== undefined) {
      yield ["additionalProperties", key, inner, node.additionalProperties];
    }
  }
}

function* items(node: Keywords, value: Json[]): Generator<[string, number, Json, number]> {
  const first = node.prefixItems ?? [];
  for (const [at, item] of value.entries()) {
    const own = first[at];
    if (own !== undefined) yield ["prefixItems", at, item, own];
    else if (node.items !== undefined) yield ["items", at, item, node.items];
  }
}

function* textRules(node: Keywords, value: string): Generator<string> {
  if (node.minLength !== undefined || node.maxLength !== undefined) {
    const length = [...value].length;
    if (length < (node.minLength ?? 0)) yield "minLength";
    if (length > (node.maxLength ?? Infinity)) yield "maxLength";
  }
  if (node.pattern !== undefined && !matches(node.pattern, value)) yield "pattern";
}

function* numberRules(node: Keywords, value: number): Generator<string> {
  if (value < (node.minimum ?? -Infinity)) yield "minimum";
  if (value > (node.maximum ?? Infinity)) yield "maximum";
  if (node.exclusiveMinimum !== undefined && value <= node.exclusiveMinimum) yield "exclusiveMinimum";
  if (node.exclusiveMaximum !== undefined && value >= node.exclusiveMaximum) yield "exclusiveMaximum";
  if (node.multipleOf !== undefined && !isMultiple(value, node.multipleOf)) yield "multipleOf";
}
