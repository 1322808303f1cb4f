// A field opens by mouse and by keys, shows its numbers with their bounds, and stays open while calls arrive.

import { assert, becomes, call, play, until } from "./page.mjs";

/** Calls made before the page is looked at. */
const CALLS = 24;

await play(
  async ({ page, step }) => {
    const button = (path) => `[aria-label="About ${path}"]`;
    const expanded = (path) => page.getAttribute(button(path), "aria-expanded");
    const told = (path) =>
      page.evaluate((selector) => {
        const about = document.querySelector(selector).closest(".field").querySelector(".about");
        const pairs = [...(about?.querySelectorAll("dt") ?? [])].map((dt) => [dt.textContent, dt.nextElementSibling.textContent]);
        return about && Object.fromEntries(pairs.map((pair) => pair.map((text) => text.replace(/\s+/g, " "))));
      }, button(path));
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    const opens = (path) => until(`${path} opens`, async () => (await expanded(path)) === "true" && (await told(path)));
    const closes = (path) => until(`${path} closes`, async () => (await expanded(path)) === "false" && !(await told(path)));

    for (let n = 0; n < CALLS; n++) {
      await call("shop__get_order", { id: `${n}` });
    }
    await page.evaluate(() => {
      history.pushState(null, "", "/tools/shop__get_order");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    const counted = (path, calls) => until(`${calls} of ${path}`, async () => (await told(path))?.present === `${calls} of ${calls}`);

    step("by mouse, anywhere on the row");
    await page.locator(button("currency")).waitFor();
    await becomes(() => expanded("currency"), "false");
    await page.locator(".field", { has: page.locator(button("currency")) }).locator(".type").click();
    await opens("currency");
    await counted("currency", CALLS);
    await becomes(async () => (await told("currency"))["95 % interval"], "86.2–100 %", "24 of 24, by Wilson");
    await becomes(focused, "About currency", "the keyboard goes on from there");

    step("it stays open, with the keyboard in it, while numbers change");
    await call("shop__get_order", { id: `${CALLS}` });
    await counted("currency", CALLS + 1);
    await becomes(focused, "About currency");

    step("rows stay as they are, and the keyboard where it is");
    await page.evaluate((selector) => {
      document.querySelector(selector).dataset.kept = "yes";
      document.querySelector("#tab-versions").focus();
    }, button("currency"));
    await call("shop__get_order", { id: `${CALLS + 1}` });
    await counted("currency", CALLS + 2);
    await becomes(() => page.getAttribute(button("currency"), "data-kept"), "yes");
    await becomes(() => page.evaluate(() => document.activeElement.id), "tab-versions");
    await page.focus(button("currency"));

    step("by keys");
    await page.keyboard.press("Enter");
    await closes("currency");
    await page.keyboard.press("ArrowRight");
    await opens("currency");
    await page.keyboard.press("ArrowLeft");
    await closes("currency");
    await page.keyboard.press("j");
    await until("the next one", async () => (await focused()) === "About customer");
    await page.keyboard.press("Enter");
    await opens("customer");
    await page.keyboard.press("k");
    await until("the one before", async () => (await focused()) === "About currency");

    step("the fields below one, by keys and by mouse");
    const inside = () => page.locator(button("payment.kind")).count();
    await becomes(inside, 1);
    await page.focus(button("payment"));
    await page.keyboard.press("ArrowLeft");
    await until("they are hidden", async () => (await inside()) === 0);
    await page.keyboard.press("ArrowRight");
    await until("they are back", async () => (await inside()) === 1);
    await page.click('#fields [aria-label="Fields below payment"]');
    await until("they are hidden again", async () => (await inside()) === 0);
    await becomes(() => expanded("payment"), "false", "that is no click on the row");

    step("Esc leaves the list, then the page");
    await page.keyboard.press("Escape");
    assert.match(page.url(), /get_order$/);
    await page.keyboard.press("Escape");
    await until("the list of tools", async () => new URL(page.url()).pathname === "/tools");
  },
);
