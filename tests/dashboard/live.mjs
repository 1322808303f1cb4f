// What happens shows by itself, on every page, without the page being loaded again.

import { ask, assert, becomes, call, matches, play, text, until } from "./page.mjs";

await play(async ({ page, step }) => {
  await page.evaluate(() => (window.__mark = "same page"));
  const value = (heading) =>
    page.evaluate((heading) => {
      const card = [...document.querySelectorAll(".kpi")].find((card) => card.querySelector("h2").textContent === heading);
      return card.querySelector(".value").textContent.trim();
    }, heading);

  step("a call on the overview");
  await becomes(() => value("Calls"), "0");
  await becomes(() => value("Servers"), "0 of 3 ready");
  await call("shop__get_order", { id: "1" });
  await until("the call in the list", async () => (await text(page, "#latest a.tr")).includes("get_order"));
  await until("the count", async () => (await value("Calls")) === "1");
  await until("the server", async () => (await value("Servers")) === "3 of 3 ready");
  await until("the tool among the observed", async () => (await text(page, ".busiest")).includes("shop / get_order"));

  step("a call in the list of calls");
  await page.click('nav a[href="/calls"]');
  await until("the list", async () => (await text(page, ".calls-table .window")).includes("get_order"));
  await call("shop__refund", { id: "1" });
  await until("the new call on top", async () => (await text(page, ".calls-table .window a.tr")).includes("refund"));
  await until("the total", async () => (await text(page, ".title-row")).includes("2 recorded"));
  await matches(() => text(page, ".calls-table .window a.tr"), /tool_error|tool error/);

  step("rows do not move under a mouse that aims at them");
  const [x, y] = await page.locator(".calls-table .window a.tr").first().boundingBox().then((box) => [box.x + 60, box.y + 12]);
  await page.mouse.move(x, y);
  await call("shop__refund", { id: "2" });
  let moves = 0;
  await until("it is counted", async () => {
    await page.mouse.move(x + (moves++ % 9), y);
    return (await text(page, ".title-row .tag")) === "1 new";
  });
  await becomes(() => page.locator(".calls-table .window a.tr").count(), 2);
  await page.mouse.move(5, 5);
  await becomes(() => page.locator(".calls-table .window a.tr").count(), 3);

  step("a filter holds for what comes in");
  await page.fill("#filter", "tool:order_total");
  await until("no such call yet", async () => (await text(page, ".calls-table")).includes("No calls match"));
  await call("shop__order_total", { id: "1" });
  await until("it came", async () => (await text(page, ".calls-table .window a.tr")).includes("order_total"));
  await call("shop__check_stock");
  await until("the total", async () => (await text(page, ".title-row")).includes("1 of 5"));
  await becomes(() => page.locator(".calls-table .window a.tr").count(), 1);

  step("a tool");
  await page.click('nav a[href="/tools"]');
  await page.click('.tools-table a.tr[href="/tools/shop__get_order"]');
  const observations = async () => {
    const facts = await page.$$eval(".facts .fact", (facts) =>
      facts.map((fact) => [fact.querySelector("dt").textContent, fact.querySelector("dd").textContent.trim()]),
    );
    return Object.fromEntries(facts).Results;
  };
  await until("the first observation", async () => (await observations()) === "1");
  await until("its fields", async () => (await text(page, "#fields")).includes("payment"));
  await call("shop__get_order", { id: "2" });
  await until("the second observation", async () => (await observations()) === "2");

  step("a call without an answer");
  await ask("begin");
  await page.click('nav a[href="/calls"]');
  await until("it among the running", async () => (await text(page, ".running li")).includes("rebuild_catalog"));
  await matches(() => ask("listed"), /shop__rebuild_catalog +│? *running/);
  await page.click(".running a");
  await until("how long it takes", async () => (await text(page, ".facts")).includes("running for"));
  await page.click('nav a[href="/calls"]');
  await ask("end");
  await until("none running", async () => (await page.locator(".running").count()) === 0);
  await until("how it ended", async () => (await text(page, ".calls-table .window a.tr")).includes("cancelled"));
  assert.doesNotMatch(await ask("listed"), /running/);

  step("a server");
  await page.click('nav a[href="/servers"]');
  const crash = '.server[aria-label="crash"]';
  await until("it works", async () => (await text(page, `${crash} .state`)) === "ready");
  const before = await text(page, crash);
  await call("crash__ask");
  await until("why it does not", async () => (await text(page, `${crash} .reason`)).includes("cart is empty"));
  assert.notEqual(await text(page, crash), before);

  step("as the same page");
  await becomes(() => page.evaluate(() => window.__mark), "same page");
  await becomes(() => ask("recorded"), 8);
});
