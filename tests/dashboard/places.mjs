// Filter, keys, palette, addresses and history: every way to a place.

import { assert, becomes, call as callTool, job, live, matches, play, text, tolerate, until } from "./page.mjs";

await play(async ({ page, context, step }) => {
  const path = () => {
    const url = new URL(page.url());
    return decodeURIComponent(url.pathname + url.search);
  };
  const at = (wanted) => until(`${wanted}, not ${path()}`, async () => path() === wanted);
  const focused = () => page.evaluate(() => document.activeElement.id);
  const rows = (table) => page.$$eval(`.${table} .window a.tr`, (rows) => rows.map((row) => row.textContent));
  const selected = (table) =>
    page.evaluate((table) => document.querySelector(`.${table} a.tr[aria-current="true"]`)?.getAttribute("href"), table);

  step("the filter of tools");
  await page.keyboard.press("/");
  await becomes(focused, "filter");
  await page.keyboard.type("tool:get_order");
  await at("/tools?q=tool:get_order");
  await until("one tool", async () => (await rows("tools-table")).length === 1);
  await matches(async () => (await rows("tools-table"))[0], /get_order/);
  await becomes(() => page.getAttribute("#filter", "aria-invalid"), null);

  step("a filter that is wrong");
  await page.fill("#filter", "quality:best");
  await until("it is marked", async () => (await page.getAttribute("#filter", "aria-invalid")) === "true");
  await matches(() => text(page, "#filter-hint"), /quality: "best" is invalid; expected none, low/);
  await page.fill("#filter", "nothing:here");
  await until("what there is", async () => /nothing/.test(await text(page, "#filter-hint .bad")));
  await page.fill("#filter", "tool:no_such*");
  await until("nothing passes", async () => (await text(page, "main")).includes("No tools match"));
  await page.fill("#filter", "");
  await until("what can be asked", async () => (await text(page, "#filter-hint")).includes("source:inferred"));

  step("keys in the list of tools");
  await page.keyboard.press("Escape");
  await until("the filter is not focused", async () => (await focused()) !== "filter");
  await page.keyboard.press("j");
  const first = await until("a first one", () => selected("tools-table"));
  await page.keyboard.press("j");
  const second = await until("a second one", async () => {
    const now = await selected("tools-table");
    return now !== first && now;
  });
  await page.keyboard.press("k");
  await until("the first again", async () => (await selected("tools-table")) === first);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await at(decodeURIComponent(second));
  await page.locator("#fields").waitFor();
  await page.keyboard.press("Escape");
  await at("/tools");

  step("keys in the list of calls");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await at("/calls");
  await until("calls", async () => (await rows("calls-table")).length > 5);
  await page.keyboard.press("/");
  await page.keyboard.type("status:error");
  await at("/calls?q=status:error");
  await until("the failures", async () => (await rows("calls-table")).length === 2);
  await page.keyboard.press("Enter");
  await until("the filter is not focused", async () => (await focused()) !== "filter");
  await page.keyboard.press("j");
  const call = await until("a call", () => selected("calls-table"));
  await page.keyboard.press("Enter");
  await at(call);
  assert(call.endsWith("?q=status:error"), "a row keeps the filter");
  await until("its detail", async () => (await text(page, ".detail")).includes("refund"));
  await page.keyboard.press("j");
  await until("the next one opens", async () => /^\/calls\/[0-9a-f]{32}/.test(path()) && !path().startsWith(call.split("?")[0]));
  const last = path();
  await page.keyboard.press("Escape");
  await at("/calls?q=status:error");
  await becomes(() => page.locator(".detail").count(), 0);
  await becomes(async () => decodeURIComponent(await selected("calls-table")), last, "the keys go on from there");
  await page.keyboard.press("Escape");
  await at("/calls");

  step("every page by its keys");
  await page.keyboard.press("?");
  const keys = await page.$$eval(".help dl:first-of-type dt", (terms) => terms.map((term) => term.innerText.replace(/\s+/g, " ").trim()));
  await page.keyboard.press("Escape");
  await page.locator("#help-title").waitFor({ state: "detached" });
  const links = await page.$$eval("nav.side a", (links) => links.map((link) => [link.getAttribute("href"), link.title.match(/\((g .)\)$/)?.[1]]));
  assert.equal(links.length, 9);
  for (const [href, chord] of links) {
    assert(keys.includes(chord), `the help names ${chord}`);
    await page.keyboard.press("g");
    await page.keyboard.press(chord.at(-1));
    // Review opens its first tool.
    await until(`${href}, not ${path()}`, async () => path() === href || path().startsWith(`${href}/`));
    await page.locator(href === "/help" ? "main .guide" : "main h1").first().waitFor({ state: "attached" });
  }
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await at("/calls");

  step("help");
  await page.focus("#theme");
  await page.keyboard.press("?");
  await page.locator("#help-title").waitFor();
  await becomes(focused, "close-help");
  for (let n = 0; n < 3; n++) {
    await page.keyboard.press("Tab");
    // It may leave for the browser's own controls, which a page sees as its body.
    const under = () => !document.activeElement.closest(".dialog") && document.activeElement !== document.body;
    assert(!(await page.evaluate(under)), "Tab reaches nothing under the dialog");
  }
  await page.keyboard.press("Escape");
  await page.locator("#help-title").waitFor({ state: "detached" });
  await becomes(focused, "theme", "the focus is back where it was");

  step("a topic of the guide");
  await page.keyboard.press("?");
  await page.locator(".topics a", { hasText: "Review and promote" }).click();
  await at("/help/review-and-promote");
  await until("its text", async () => (await text(page, ".guide article h1")) === "Review and promote");
  await becomes(() => page.locator(".dialog").count(), 0);
  await page.locator('.guide nav a[href="/help/concepts"]').click();
  await until("another topic", async () => (await text(page, ".guide article h1")) === "Concepts");
  assert((await page.locator(".guide article table td").count()) > 5, "tables are drawn");
  await page.goBack();
  await page.goBack();
  await at("/calls");

  step("the palette");
  await page.keyboard.press("Control+k");
  await until("it has the focus", async () => (await focused()) === "palette");
  await page.keyboard.type("order_total");
  await until("it is found", async () => (await text(page, "#choice-0")).includes("shop__order_total"));
  await page.keyboard.press("Enter");
  await at("/tools/shop__order_total");
  await until("its page", async () => (await text(page, "h1")).includes("order_total"));
  await becomes(() => page.locator("#palette").count(), 0);

  step("back and forward");
  await page.goBack();
  await at("/calls");
  await until("the list", async () => (await text(page, "h1")) === "Calls");
  await page.goForward();
  await at("/tools/shop__order_total");
  await until("the tool", async () => (await text(page, "h1")).includes("order_total"));

  step("back to where a list was scrolled, and to its order");
  const top = () => page.$eval(".scroll", (list) => list.scrollTop);
  await page.goBack();
  await until("calls", async () => (await rows("calls-table")).length > 5);
  await page.$eval(".scroll", (list) => list.scrollTo(0, 300));
  await becomes(top, 300);
  await page.click('nav.side a[href="/tools"]');
  await until("tools", async () => (await rows("tools-table")).length > 5);
  const order = async () => (await rows("tools-table")).map((row) => row.split(" ")[0]);
  const byName = await order();
  await page.locator(".tools-table .thead button", { hasText: "Tool" }).click();
  await becomes(order, byName.toReversed());
  await page.locator("a.tr").first().click();
  await until("a tool", async () => (await page.locator("#tab-calls").count()) === 1);
  await page.goBack();
  await becomes(order, byName.toReversed());
  await page.goBack();
  await until("calls", async () => (await rows("calls-table")).length > 5);
  await becomes(top, 300);

  step("a text in arguments and results");
  await page.fill("#filter", "keeps what");
  await until("words are looked for in tool ids", async () => (await text(page, "main")).includes("No calls match"));
  await page.locator("main a", { hasText: "Search in arguments and results" }).click();
  await becomes(() => page.inputValue("#filter"), 'text:"keeps what"');
  await becomes(async () => (await rows("calls-table")).length, 1);
  await callTool("shop__store_info");
  await callTool("shop__refund", { id: "2" });
  await becomes(async () => (await rows("calls-table")).length, 2);

  const load = async (path) => {
    await page.goto(`http://${job.address}${path}`);
    await live(page);
  };
  step("a failing tool says why");
  await load("/tools/shop__refund");
  await until("the reason", async () => /3 of the last 3 calls failed.*the shop keeps what it has/.test(await text(page, ".card.fails")));
  step("a link to a tab of a tool");
  await load("/tools/shop__get_order?tab=inferred");
  await until("the schema", async () => (await text(page, "#tab-panel")).includes("Inferred schema"));
  await becomes(() => page.getAttribute("#tab-inferred", "aria-selected"), "true");
  await page.click("#tab-calls");
  await at("/tools/shop__get_order?tab=calls");
  await becomes(() => page.locator("#tab-panel a.tr").count(), 12);

  step("a link to a call among others");
  await load(`${call.split("?")[0]}?q=tool:refund`);
  await until("the call", async () => (await text(page, ".detail")).includes("refund"));
  await becomes(() => page.inputValue("#filter"), "tool:refund");
  await becomes(async () => (await rows("calls-table")).length, 3);

  step("links to what is not there");
  tolerate(/status of 404/);
  await load("/tools/shop__no_such_tool");
  await until("it says so", async () => (await text(page, "main")).includes("Unknown tool"));
  await load(`/calls/${"0".repeat(32)}`);
  await until("it says so", async () => (await text(page, ".detail")).includes("Cannot read this call"));
  await load("/help/no-such-topic");
  await until("it says so", async () => (await text(page, "main")).includes("Unknown topic"));
  const nowhere = await page.goto(`http://${job.address}/nowhere`);
  assert.equal(nowhere.status(), 404);

  step("an address of nothing, met inside");
  await load("/");
  await page.evaluate(() => {
    history.pushState(null, "", "/nowhere");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await until("it says so", async () => (await text(page, "main")).includes("Page not found"));
});
