// The graph: focus, next hops, keyboard, filters, plans and exports; the table says what the picture shows, a flow
// appears without reload, and nothing moves under the pointer.

import { readFileSync } from "node:fs";
import { assert, becomes, call, matches, play, text, tolerate, until } from "./page.mjs";

/** The text of a tool's result. */
const result = async (tool, args) => (await call(`shop__${tool}`, args)).result.content[0].text;

/** An id that the result of a tool has, which is sometimes empty. */
async function id(tool, args, pattern) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const found = (await result(tool, args)).match(pattern);
    if (found) {
      return found[1];
    }
  }
  throw new Error(`${tool} has no such id`);
}
// Few, so that no customer of theirs is found by chance.
const order = () => id("list_orders", { limit: 2 }, /"id":"(ord_[^"]+)"/);
const customer = () => id("search_customers", { query: "a" }, /"id":"(cus_[^"]+)"/);

await play(async ({ page, step }) => {
  const go = (path) =>
    page.evaluate((path) => {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  const path = () => decodeURIComponent(new URL(page.url()).pathname + new URL(page.url()).search);
  const squeezed = (texts) => texts.map((text) => text.replace(/\s+/g, " ").trim());
  const rows = () => page.$$eval(".edge-table .window a.tr", (rows) => rows.filter((row) => row.querySelector(".sign")).map((row) => row.textContent)).then(squeezed);
  const has = async (from, to) => (await rows()).some((row) => row.includes(from) && row.includes(to));
  const wires = () => page.locator(".base .wire").count();
  const places = () =>
    page.$$eval(".base .node", (nodes) =>
      Object.fromEntries(nodes.map((node) => [node.querySelector(".name").textContent, node.getAttribute("transform")])),
    );
  const left = async (name) => {
    const all = await places();
    const own = Object.entries(all).find(([known]) => known.endsWith(name));
    return own && Number(own[1].match(/translate\((-?\d+)/)[1]);
  };
  const away = () => page.mouse.move(640, 20);

  step("a flow appears without reload");
  await page.evaluate(() => (window.__mark = "same page"));
  for (let n = 0; n < 4; n += 1) {
    await call("shop__get_order", { id: await order() });
  }
  await page.keyboard.press("g");
  await page.keyboard.press("g");
  await until("the page", () => path() === "/graph");
  await until("the edge", () => has("list_orders", "get_order"));
  await go("/graph?q=state:seen");
  await until("only what was seen", async () => (await rows()).length === 1);
  for (let n = 0; n < 3; n += 1) {
    await call("shop__order_total", { id: await order() });
  }
  await until("the new edge", () => has("list_orders", "order_total"));
  await until("its line", async () => (await wires()) === 2);
  await becomes(() => page.evaluate(() => window.__mark), "same page");

  step("nothing moves under the pointer");
  const box = await page.locator(".sheet svg").boundingBox();
  await page.mouse.move(box.x + 4, box.y + 4);
  const before = await places();
  for (let n = 0; n < 3; n += 1) {
    await call("shop__get_customer", { id: await customer() });
  }
  await page.locator("#graph-update").waitFor();
  assert.deepEqual(await places(), before);
  assert(!(await has("search_customers", "get_customer")));
  await away();
  await until("the edge that was held back", () => has("search_customers", "get_customer"));
  await until("no more is held back", async () => (await page.locator("#graph-update").count()) === 0);

  step("a tool in the middle");
  await go("/graph?focus=shop__list_orders&q=state:seen");
  await until("its neighbours", async () => (await rows()).length === 2 && (await wires()) === 2);
  assert((await left("list_orders")) < (await left("get_order")), "what it feeds is right of it");
  await matches(() => text(page, "#graph-summary"), /^fed by \d+, feeds \d+ · 2 seen in use/);
  await matches(() => text(page, ".base .node.focus"), /list_orders.*orders\[\]\.id/);
  await go("/graph?focus=shop__get_order&q=state:seen");
  await until("its feeder", async () => (await rows()).length === 1);
  assert((await left("list_orders")) < (await left("get_order")), "what feeds it is left of it");
  const drawn = await places();
  await page.reload();
  await until("equal data", async () => Object.keys(await places()).length === 2);
  assert.deepEqual(await places(), drawn, "give an equal picture");

  step("the arrow keys walk along edges, and the next hop opens");
  await page.locator(".stage .canvas").focus();
  await page.keyboard.press("ArrowRight");
  await matches(() => text(page, ".beside .detail h2"), /get_order/);
  await page.keyboard.press("ArrowLeft");
  await until("the edge", () => path().includes("from=shop__list_orders&to=shop__get_order"));
  await matches(() => text(page, "[role=status].hidden"), /list_orders feeds shop \/ get_order: orders\[\]\.id to id, confidence 0\.\d\d, seen in use, 4 calls/);
  await page.locator(".pair .flows a").first().waitFor();
  await matches(() => text(page, ".pair h3"), /orders\[\]\.id → id/);
  const given = await page.locator(".pair .flows li").first().innerText();
  assert.match(given, /ord_\d+/);
  assert(await page.locator(".over .wire.lit").count(), "it stands out");
  await page.keyboard.press("ArrowLeft");
  await until("the feeder", async () => /list_orders/.test(await text(page, ".beside .detail h2")));
  await page.keyboard.press("+");
  await until("its other neighbour", async () => (await rows()).length === 2 && path().includes("open=shop__list_orders"));
  await page.keyboard.press("+");
  await until("it is closed", async () => (await rows()).length === 1);
  await page.keyboard.press("f");
  await until("it is in the middle", () => path().startsWith("/graph?focus=shop__list_orders"));
  await page.goBack();
  await until("back", () => path().startsWith("/graph?focus=shop__get_order"));

  step("the table does what the picture does");
  await go("/graph?focus=shop__list_orders&min=0");
  await until("all edges", async () => (await rows()).length > 2);
  await becomes(async () => (await rows()).length, await wires());
  await page.locator(".edge-table .scroll").focus();
  await page.keyboard.press("ArrowDown");
  await until("a row", () => path().includes("from="));
  await becomes(() => page.locator('.edge-table a.tr[aria-current="true"]').count(), 1);
  const first = path();
  await page.keyboard.press("ArrowDown");
  await until("the next row", () => path() !== first);
  await page.keyboard.press("ArrowUp");
  await until("the row before", () => path() === first);

  step("filters");
  const all = (await rows()).length;
  await page.selectOption("#graph-state", "possible");
  await until("the address", () => path().includes("q=state:possible"));
  await until("fewer edges", async () => (await rows()).length === all - 2);
  await page.fill("#filter", "state:possible order_total");
  await until("by a word", async () => (await rows()).every((row) => row.includes("order_total")));
  await page.fill("#filter", "state:none");
  await until("it is wrong", async () => (await page.getAttribute("#filter", "aria-invalid")) === "true");
  await matches(() => text(page, "#filter-hint"), /expected seen, possible, broken or threatened/);
  await page.fill("#filter", "state:seen");
  await page.selectOption("#graph-min", "0.99");
  await until("the confidence in the address", () => path().includes("min=0.99"));
  await away();

  step("a plan");
  await go("/graph?focus=shop__get_order");
  await page.click("#plan-to");
  const steps = () => page.locator("#plan li").count();
  await until("the plan", async () => (await steps()) > 0);
  await matches(() => text(page, "#plan ol"), /get_order$/);
  // A line for each value that a step passes on; a tool whose inputs are optional needs no other call.
  const passed = (await steps()) - 1;
  await until("it is lit", async () => (await page.locator(".over .wire.plan").count()) >= passed);
  assert(path().includes("plan=1"));
  // An order's id comes from another call, unless it is at hand.
  assert.equal(passed, 1);
  await page.fill("#plan-have", "id");
  await page.press("#plan-have", "Enter");
  await until("the plan of one step", async () => (await steps()) === 1);
  assert(path().includes("have=id"));
  await page.fill("#plan-have", "");
  await page.press("#plan-have", "Enter");
  await until("the plan of two steps", async () => (await steps()) === 2);

  step("exports");
  const saved = async (button) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
  };
  const [svgName, svg] = await saved("#save-svg");
  assert.equal(svgName, "graph-shop__get_order.svg");
  assert(svg.startsWith("<svg") && svg.includes("list_orders") && !svg.includes("<script"));
  const [mermaidName, mermaid] = await saved("#save-mermaid");
  assert.equal(mermaidName, "graph-shop__get_order.mmd");
  assert.match(mermaid, /^flowchart LR\n/);
  assert.match(mermaid, /t\d+ -->\|"● 0\.\d\d orders#91;#93;\.id → id(, optional)?"\| t\d+/);

  step("ways to the graph");
  await go("/tools/shop__get_order");
  await until("its feeders", async () => /Is fed by.*list_orders/.test(await text(page, "#edges")));
  await page.click("#edges header a");
  await until("the graph", () => path() === "/graph?focus=shop__get_order");
  tolerate(/status of 404/);
  await go("/graph?focus=shop__get_ordr");
  await until("the nearest name", async () => /get_order/.test(await text(page, "main .empty")));
});
