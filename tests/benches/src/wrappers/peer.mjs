// What generators of npm make of schemas: json-schema-to-typescript by its types, json-schema-to-zod and quicktype by
// what they check at run time. Arguments: a file of cases and the folder of the generators. Prints a JSON object of
// counts.

import { isDeepStrictEqual } from "node:util";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [file, tools] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(file, "utf8"));
const load = createRequire(join(tools, "package.json"));
const ts = load("typescript");
// Below the generators, so that what is generated finds zod.
const scratch = mkdtempSync(join(tools, "run-"));
const none = () => ({ generate: 0, compile: 0, accepted: 0, unchanged: 0, rejected: 0 });
const counts = {
  "json-schema-to-typescript (types)": none(),
  "json-schema-to-zod": none(),
  quicktype: none(),
};

// Source texts with errors under strict settings, by path.
function errors(paths) {
  const program = ts.createProgram(paths, {
    strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true,
    module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
  });
  return new Set(ts.getPreEmitDiagnostics(program).map((found) => found.file?.fileName));
}

function write(name, text) {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

async function run(row, at, text, read, show) {
  const path = write(`${row === counts.quicktype ? "quick" : "zod"}-${at}.mjs`, ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  }).outputText);
  const module = await import(pathToFileURL(path));
  for (const text of cases[at].accept) {
    try {
      const value = read(module, text);
      row.accepted += 1;
      row.unchanged += Number(isDeepStrictEqual(show(module, value), JSON.parse(text)));
    } catch {}
  }
  for (const text of cases[at].reject) {
    try {
      read(module, text);
    } catch {
      row.rejected += 1;
    }
  }
}

const { compile } = load("json-schema-to-typescript");
const { jsonSchemaToZod } = load("json-schema-to-zod");
const quicktype = load("quicktype-core");

// A schema for a generator that writes into what it gets.
const copy = (at) => JSON.parse(JSON.stringify(cases[at].schema));

const types = new Map();
for (const at of cases.keys()) {
  try {
    const text = await compile(copy(at), "Model", { bannerComment: "", unreachableDefinitions: false, format: false });
    counts["json-schema-to-typescript (types)"].generate += 1;
    // Named after the title where there is one.
    const name = /^export (?:interface|type) (\w+)/gm;
    const names = [...text.matchAll(name)].map((found) => found[1]);
    types.set(at, { path: write(`types-${at}.ts`, text), name: names.includes("Model") ? "Model" : names.at(0) });
  } catch {}
}
{
  const row = counts["json-schema-to-typescript (types)"];
  const values = [];
  for (const [at, { name }] of types) {
    for (const [kind, texts] of Object.entries({ accept: cases[at].accept, reject: cases[at].reject })) {
      for (const [number, text] of texts.entries()) {
        const source = `import type { ${name} } from "./types-${at}.js";\nexport const value: ${name} = ${text};\n`;
        values.push({ at, kind, path: write(`value-${at}-${kind}-${number}.ts`, source) });
      }
    }
  }
  const wrong = errors([...[...types.values()].map(({ path }) => path), ...values.map(({ path }) => path)]);
  const fine = new Set([...types].filter(([, { path }]) => !wrong.has(path)).map(([at]) => at));
  row.compile = fine.size;
  for (const { at, kind, path } of values) {
    if (!fine.has(at)) continue;
    if (kind === "accept") {
      row.accepted += Number(!wrong.has(path));
      // The value is the object that JSON.parse returned.
      row.unchanged += Number(!wrong.has(path));
    } else {
      row.rejected += Number(wrong.has(path));
    }
  }
}

async function generated(row, generate, read, show) {
  const sources = new Map();
  for (const at of cases.keys()) {
    try {
      const text = await generate(at);
      row.generate += 1;
      sources.set(at, { text, path: write(`${row === counts.quicktype ? "quick" : "zod"}-${at}.ts`, text) });
    } catch {}
  }
  const wrong = errors([...sources.values()].map(({ path }) => path));
  for (const [at, { text, path }] of sources) {
    if (wrong.has(path)) continue;
    row.compile += 1;
    try {
      await run(row, at, text, read, show);
    } catch {}
  }
}

await generated(
  counts["json-schema-to-zod"],
  (at) => jsonSchemaToZod(copy(at), { module: "esm", name: "model" }),
  (module, text) => module.model.parse(JSON.parse(text)),
  (_, value) => value,
);
await generated(
  counts.quicktype,
  async (at) => {
    const schemas = new quicktype.JSONSchemaInput(new quicktype.FetchingJSONSchemaStore());
    await schemas.addSource({ name: "Model", schema: JSON.stringify(copy(at)) });
    const inputData = new quicktype.InputData();
    inputData.addInput(schemas);
    const done = await quicktype.quicktype({ inputData, lang: "typescript", rendererOptions: {} });
    return done.lines.join("\n");
  },
  (module, text) => module.Convert.toModel(text),
  (module, value) => JSON.parse(module.Convert.modelToJson(value)),
);
rmSync(scratch, { recursive: true });
console.log(JSON.stringify(counts));
