// A hostile upstream: everything it sends stays text, and misleading characters are shown by their code.

import { assert, ask, call, play, text, until } from "./page.mjs";
import { stat } from "node:fs/promises";

/** As the upstream says it. */
const LINE = 1 << 20;

await play(async ({ page, step }) => {
  /** Nothing came to life, and nothing turns the direction of writing. */
  const harmless = async (name) => {
    const found = await page.evaluate(() => ({
      ran: window.__pwned,
      images: [...document.querySelectorAll("img")].filter((image) => image.getAttribute("src") !== "/logo.svg").length,
      scripts: document.querySelectorAll("body script").length,
      handlers: document.querySelectorAll("[onerror], [onclick], a[href^='javascript:']").length,
      raw: [...document.body.innerText].filter((c) => /[\u202a-\u202e\u200b\u001b\0]/.test(c)).length,
      titles: [...document.querySelectorAll("[title], [aria-label]")].filter((element) =>
        /[\u202a-\u202e\u200b\u001b\0]/.test(element.getAttribute("title") + element.getAttribute("aria-label")),
      ).map((element) => element.outerHTML.slice(0, 200)),
      page: document.title,
    }));
    const { page: title, ...rest } = found;
    assert.deepEqual(rest, { ran: undefined, images: 0, scripts: 0, handlers: 0, raw: 0, titles: [] }, name);
    assert(!/[\u202a-\u202e\u200b]/.test(title), title);
  };
  const shows = async (selector, what) =>
    until(`${what} in ${selector}`, async () => (await text(page, selector)).includes(what));
  const go = (path) =>
    page.evaluate((path) => {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  /** Opens the newest call of a tool. */
  const openCall = async (tool) => {
    await go(`/calls?q=${encodeURIComponent(`tool:${tool}`)}`);
    await until(`a call of ${tool}`, async () => (await text(page, ".calls-table .window")).includes(tool));
    await page.locator(".calls-table .window a.tr").first().click();
    await page.locator(".detail dl").waitFor();
  };

  const tools = await ask("tools");
  const alias = tools.find((tool) => tool.includes("img"));
  assert(alias && /^[\w.-]+$/.test(alias), `${tools}`);
  for (const tool of ["json", "refused", "error", "line", "deep", "keys"].map((name) => `hostile__${name}`).concat(alias)) {
    await call(tool);
  }

  step("overview");
  await until("the calls", async () => (await page.locator("#latest a.tr").count()) === 7);
  await shows("#latest", "<img src=x");
  await harmless("overview");

  step("tools");
  await go("/tools");
  await shows(".tools-table", "<img src=x onerror=");
  assert((await page.locator(".tools-table .escape", { hasText: "U+202E" }).count()) > 0, "overrides by number");
  await harmless("tools");

  step("the tool whose name is markup");
  await page.locator(".tools-table a.tr", { hasText: "<img" }).click();
  await shows("h1", "<img src=x onerror=");
  await shows(".tool-head p", "<script>");
  await shows(".tool-head", "U+202E");
  await harmless("tool");
  for (const tab of ["calls", "inferred", "declared", "input", ""]) {
    await page.click(`[id="tab-${tab}"]`);
    await page.locator("#tab-panel *").first().waitFor();
    await harmless(`tab ${tab}`);
  }

  step("fields whose names are markup");
  await go("/tools/hostile__json");
  await shows("#fields", "<img src=x");
  await shows("#fields", "U+202E");
  await shows("#tab-panel", "<script>");
  for (const button of await page.locator("#fields .more").all()) {
    await button.click();
  }
  await page.locator("#fields .about").first().waitFor();
  await harmless("fields");
  await page.click("#tab-inferred");
  await shows("#tab-panel", "<img src=x");
  await harmless("schema");

  step("calls");
  await openCall("json");
  await shows(".detail", "<script>window.__pwned=2</script>");
  await shows(".detail .escape", "U+");
  await shows(".detail", "U+202E");
  await shows(".detail dl", "<img src=x");
  await harmless("json");
  await openCall("refused");
  await shows(".detail", "U+001B[31m");
  await shows(".detail", "U+0000");
  await harmless("refused");
  await openCall("error");
  await shows(".detail", "<img src=x");
  await harmless("error");

  step("a line of a megabyte");
  await openCall("line");
  await shows(".detail", "First ");
  const shown = await page.evaluate(() => document.querySelector(".detail").textContent.length);
  assert(shown < 100_000, `${shown} characters of it`);
  const payload = page.locator(".payload", { hasText: "Result text" });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    payload.getByRole("button", { name: "Save Result text" }).click(),
  ]);
  const saved = await stat(await download.path());
  assert.equal(saved.size, LINE);
  assert.match(download.suggestedFilename(), /^[0-9a-f]{12}-text-1\.txt$/);

  step("ten thousand levels");
  await openCall("deep");
  await shows(".detail", "Raw result");
  await harmless("deep");
  await go("/tools/hostile__deep");
  await shows("h1", "deep");
  await page.locator("#fields").waitFor();
  await harmless("deep tool");

  step("keys without end");
  await openCall("keys");
  await shows(".detail", "kkkk");
  await go("/tools/hostile__keys");
  await shows("#fields", "kkkk");
  assert(
    await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    "the page does not scroll sideways",
  );
  await harmless("keys");

  step("servers and their logs");
  await go("/servers/hostile");
  await shows(".server pre", "log <img src=x");
  await shows(".server pre", "U+001B[31m");
  await shows(".servers", 'onerror="window.__pwned=1"> U+202Egnp.exe');
  await harmless("servers");
  await page.keyboard.press("Control+k");
  await page.locator("#palette").fill("<img");
  await shows("#choices", "<img");
  await harmless("palette");
  await page.keyboard.press("Escape");

  step("still alive");
  await call("hostile__refused");
  await go("/");
  await until("the newest call", async () => (await text(page, "#latest a.tr")).includes("refused"));
});
