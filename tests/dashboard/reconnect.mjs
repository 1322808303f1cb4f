// The engine is killed and restarted, or hangs for a while: the page reports it, keeps its content, and reconnects.

import { ask, assert, becomes, call, live, matches, play, text, tolerate, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    await page.evaluate(() => (window.__mark = "same page"));
    const rows = () => page.$$eval(".calls-table .window a.tr", (rows) => rows.map((row) => row.getAttribute("href")));
    const before = await until("calls", async () => {
      const found = await rows();
      return found.length > 5 && found;
    });

    step("lost");
    tolerate(/net::ERR_/);
    await ask("kill");
    await page.locator("#lost").waitFor();
    await matches(() => text(page, "#lost"), /Connection lost: .+ Reconnecting/);
    // The banner takes the room of the last ones.
    assert.deepEqual((await rows()).slice(0, 10), before.slice(0, 10));
    await page.click('nav a[href="/tools"]');
    await until("the tools", async () => (await text(page, ".tools-table")).includes("get_order"));
    await page.click('nav a[href="/"]');
    await until("the overview", async () => (await text(page, "#latest")).includes("refund"));
    await becomes(() => text(page, "#connection"), "reconnecting");

    step("found again");
    await ask("serve");
    await live(page);
    await page.locator("#lost").waitFor({ state: "detached" });
    tolerate();
    await call("shop__order_total", { id: "1" });
    await until("the new call", async () => (await text(page, "#latest a.tr")).includes("order_total"));
    await page.click('nav a[href="/calls"]');
    await until("all calls", async () => (await rows()).slice(1).includes(before[0]));
    await matches(() => text(page, ".calls-table .window a.tr"), /order_total/);
    await until("the total", async () => (await text(page, ".title-row")).includes(`${await ask("recorded")} recorded`));

    step("hung");
    await ask("hang");
    await page.locator("#lost").waitFor();
    await ask("go on");
    await live(page);
    await call("shop__check_stock");
    await until("the new call", async () => (await text(page, ".calls-table .window a.tr")).includes("check_stock"));
    await becomes(() => page.evaluate(() => window.__mark), "same page");
  },
  { path: "/calls" },
);
