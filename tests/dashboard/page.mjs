// A page of the dashboard in headless Chromium, and the messages exchanged with the test that runs the scenario.
// Every scenario fails on an error on the console and on a request to another host.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

/** The same engine as that of `chromium`, a quarter quicker without a window of its own. */
const CHROMIUM = "/usr/bin/chromium-headless-shell";
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** Longest time until a condition holds. */
const TIMEOUT = 20_000;
/** Longest time of a scenario. */
const SCENARIO_TIMEOUT = 240_000;

export const require = createRequire(process.argv[2] + "/");
export { assert };

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const receive = async () => {
  const { value, done } = await lines.next();
  if (done) {
    process.exit(1);
  }
  return JSON.parse(value);
};
export const job = await receive();

/** Asks the test to do something and waits for its answer. */
export async function ask(name, more = {}) {
  process.stdout.write(`${JSON.stringify({ ask: name, ...more })}\n`);
  return receive();
}

/** Calls a tool through the proxy, as an agent. */
export const call = (tool, args = {}) => ask("call", { tool, args });

/** Tells the person who runs the test. */
export const tell = (text) => process.stderr.write(`${text}\n`);

/** Waits until `probe` gives something true, and gives that. */
export const until = (what, probe, timeout = TIMEOUT) =>
  holds(
    probe,
    (found) => {
      assert(found, `never: ${what}`);
      return found;
    },
    timeout,
  );

/** Waits until `probe` gives `expected`: a page is drawn some time after what it shows has changed. */
export const becomes = (probe, expected, message) =>
  holds(probe, (found) => assert.deepStrictEqual(found, expected, message));

/** Waits until the text that `probe` gives matches. */
export const matches = (probe, pattern) => holds(probe, (found) => assert.match(found ?? "", pattern));

/** Waits until `check` takes what `probe` gives, and gives what `check` returns. */
async function holds(probe, check, timeout = TIMEOUT) {
  const end = Date.now() + timeout;
  for (;;) {
    const found = await probe();
    try {
      return check(found);
    } catch (error) {
      if (Date.now() >= end) {
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** The text of the first element with single spaces; empty if there is none. */
export const text = (page, selector) =>
  page.evaluate((selector) => (document.querySelector(selector)?.textContent ?? "").replace(/\s+/g, " ").trim(), selector);

const problems = [];
/** Requests that were refused, with the reason: the console tells only the address. */
const refused = [];
let tolerated = [];
let came = 0;
/** Console errors that belong to the scenario from here on. */
export function tolerate(...patterns) {
  tolerated = patterns;
  came = 0;
}
/** Waits for such an error: the browser reports it later than the page shows its cause. */
export const toleratedCame = () => until("the error in the console", () => came > 0);
function problem(text) {
  if (tolerated.some((pattern) => pattern.test(text))) {
    came += 1;
  } else {
    problems.push(text);
  }
}

function watch(page) {
  page.setDefaultTimeout(TIMEOUT);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "assert") {
      problem(`console: ${message.text()} (${message.location().url})`);
    }
  });
  page.on("response", async (response) => {
    if (response.status() >= 400) {
      const request = response.request();
      const reason = await response.text().catch(() => "");
      refused.push(`${response.status()} ${request.url()} ${request.postData()}: ${reason}`.slice(0, 1_000));
    }
  });
  page.on("pageerror", (error) => problem(`page: ${error.stack ?? error}`));
  page.on("crash", () => problem("the page crashed"));
}

let browser;
/** A visitor without saved data. */
export async function visitor(options = {}) {
  if (!browser) {
    assert(existsSync(CHROMIUM), `there is no ${CHROMIUM}; it is in the Debian package of that name`);
    const { chromium } = require("playwright-core");
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  context.on("page", watch);
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.host !== job.address) {
      problem(`a request to ${url}`);
    }
  });
  return context;
}

/** Waits until the page follows the engine. */
export const live = (page) => until("live", async () => (await text(page, "#connection")) === "live");

/** A page that has the token and shows what it loaded. */
export async function open(context, path = "/") {
  const page = await context.newPage();
  await page.goto(`http://${job.address}${path}#token=${job.token}`);
  await live(page);
  await until("loaded", async () => (await page.locator("main .loading").count()) === 0);
  return page;
}

/** Plays a scenario on a page that is open, and ends the process. */
export async function play(scenario, options = {}) {
  const limit = setTimeout(() => {
    tell("took too long");
    process.exit(1);
  }, SCENARIO_TIMEOUT);
  const steps = [];
  let failed = false;
  let page;
  try {
    const context = await visitor(options.context);
    page = options.page === false ? undefined : await open(context, options.path);
    await scenario({ page, context, step: (name) => steps.push(name) });
    assert.deepEqual(problems, [], "what went wrong beside");
  } catch (error) {
    failed = true;
    tell(`FAILED after: ${steps.join(", ")}\n${error.stack}\n${[...problems, ...refused].join("\n")}`);
    const shown = page && (await page.evaluate(() => `${location}\n${document.body.innerText}`).catch(() => ""));
    tell(`the page: ${(shown ?? "").slice(0, 3_000)}`);
  }
  clearTimeout(limit);
  await browser?.close().catch(() => {});
  process.exit(failed ? 1 : 0);
}
