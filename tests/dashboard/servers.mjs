// Servers: one that works is restarted, one that does not says why.

import { assert, becomes, call, matches, play, text, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const server = (name) => `.server[aria-label="${name}"]`;
    const state = (name) => text(page, `${server(name)} .state`);
    const process = async () => (await text(page, server("shop"))).match(/process (\d+)/)?.[1];
    const button = (name, label) => page.locator(`${server(name)} button`, { hasText: label });

    step("started from here");
    await becomes(() => state("shop"), "idle");
    await button("shop", "Start").click();
    await until("it is up", async () => (await state("shop")) === "ready");
    const before = await until("its process", process);
    await matches(() => text(page, server("shop")), /13 tools/);

    step("restarted");
    await button("shop", "Restart").click();
    await until("another process", async () => {
      const now = await process();
      return now && now !== before && (await state("shop")) === "ready";
    });
    await matches(() => text(page, ".toasts"), /Restarting shop/);
    await call("shop__get_order", { id: "1" });

    step("one that fails");
    await until("it failed", async () => (await state("broken")) === "failed");
    await matches(() => text(page, `${server("broken")} .reason`), /TOKEN is not set|code 3|status: 3/);
    await button("broken", "Log").click();
    await until("its log", async () => (await text(page, `${server("broken")} pre`)).includes("TOKEN is not set"));
    assert.equal(new URL(page.url()).pathname, "/servers/broken");
    await button("broken", "Hide log").click();
    await page.locator(`${server("broken")} pre`).waitFor({ state: "detached" });

    step("one that does not exist");
    await page.evaluate(() => {
      history.pushState(null, "", "/servers/nowhere");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    await matches(() => text(page, ".page"), /There is no server nowhere/);
    await page.click('.page a[href="/servers"]');
    await until("it is not mentioned any more", async () => !(await text(page, ".page")).includes("nowhere"));
    await page.click('nav a[href="/"]');
    await until("it needs attention", async () => (await text(page, "#needs")).includes("broken"));
    await matches(() => text(page, "nav.side"), /1 ✕/);
  },
  { path: "/servers" },
);
