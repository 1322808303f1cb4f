// Reads every value with its wrapper. Arguments: a file of cases and the folder of compiled modules. Prints a JSON list
// of outcomes.

import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [cases, folder] = process.argv.slice(2);
const outcomes = [];
for (const one of JSON.parse(readFileSync(cases, "utf8"))) {
  const outcome = { accepted: false, unchanged: false, error: null };
  try {
    const module = await import(pathToFileURL(join(folder, one.module)));
    const value = JSON.parse(one.json);
    const result = module[one.parse](value);
    outcome.accepted = true;
    deepStrictEqual(JSON.parse(JSON.stringify(result)), value);
    deepStrictEqual(result.raw, value);
    outcome.unchanged = JSON.stringify(result) === JSON.stringify(value);
    for (const key of Object.keys(result)) result[key];
  } catch (error) {
    outcome.error = `${error.name}: ${error.message}`;
  }
  outcomes.push(outcome);
}
console.log(JSON.stringify(outcomes));
