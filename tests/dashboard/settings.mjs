// Settings: choices are saved, wrong values are rejected, redaction rules are tested before they are saved.

import { ask, assert, becomes, call, matches, play, text, tolerate, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const saved = async (name) => (await ask("settings")).find((row) => row.name === name).value;
    const line = (label) => page.locator(".setting", { hasText: label });

    step("a choice is saved at once");
    await line("Automatic promotion").locator("button", { hasText: "at high" }).click();
    await until("it is saved", async () => (await saved("auto_promote")) === "at_high");
    await until("it shows", async () => (await line("Automatic promotion").locator('[aria-pressed="true"]').innerText()) === "at high quality");
    await matches(() => text(page, ".toasts"), /Saved/);

    step("and undone from its message");
    await page.locator(".toasts button", { hasText: "Undo" }).click();
    await until("it is as before", async () => (await saved("auto_promote")) === "never");
    await until("it shows", async () => (await line("Automatic promotion").locator('[aria-pressed="true"]').innerText()) === "never");

    step("a number is saved by a button, and is still typed after a look at another page");
    const days = line("Remove calls older than");
    await days.locator("input").fill("30");
    await page.locator('nav.side a[href="/tools"]').click();
    await until("another page", async () => (await text(page, "h1")) === "Tools");
    await page.locator('nav.side a[href="/settings"]').click();
    await until("it is typed", async () => (await days.locator("input").inputValue()) === "30");
    await becomes(() => saved("keep_days"), null);
    await days.locator("button", { hasText: "Save and delete" }).click();
    await until("it is saved", async () => (await saved("keep_days")) === "30");
    await until("no button is left", async () => (await days.locator("button").count()) === 0);

    step("a wrong value is rejected, and stays to be corrected or cancelled");
    tolerate(/400/);
    await days.locator("input").fill("99999");
    await days.locator("input").press("Enter");
    await until("it is said", async () => (await text(page, ".toasts")).includes("keep_days must be a whole number from 1 to 36500"));
    await becomes(() => days.locator("input").inputValue(), "99999");
    await becomes(() => saved("keep_days"), "30");
    await days.locator("button", { hasText: "Cancel" }).click();
    await becomes(() => days.locator("input").inputValue(), "30");

    step("rules are tested");
    const [keys, patterns] = [page.locator(".rules textarea").nth(0), page.locator(".rules textarea").nth(1)];
    await patterns.fill("EMP-(");
    await until("it is explained", async () => /EMP-\( ?"? cannot be used|cannot be used/.test(await text(page, ".tried .bad")));
    assert(await page.locator("button", { hasText: "Save rules" }).isDisabled());
    await patterns.fill("EMP-\\d{5}");
    await keys.fill("city");
    await page.fill("#redaction-text", '{"badge": "EMP-00417", "city": "<b>Lisbon</b>", "n": 5}');
    await until("as it would be stored", async () => {
      const tried = await text(page, ".tried pre");
      return tried.includes('"n": 5') && !tried.includes("EMP-00417") && !tried.includes("Lisbon");
    });
    await becomes(() => page.locator(".tried mark").count(), 2);
    await matches(() => text(page, ".tried"), /stored call/);

    step("and saved, for the next call on");
    await page.locator("button", { hasText: "Save rules" }).click();
    await until("no button is left", async () => (await page.locator("button", { hasText: "Save rules" }).count()) === 0);
    await page.reload();
    await until("they are there again", async () => (await page.locator(".rules textarea").nth(1).inputValue()) === "EMP-\\d{5}");
    await call("shop__get_order", { id: "EMP-00417" });
    const newest = await ask("newest");
    await page.goto(`${new URL(page.url()).origin}/calls/${newest}`);
    await until("the call is shown", async () => /redacted/i.test(await text(page, ".detail")));
    assert(!(await text(page, ".detail")).includes("EMP-00417"));
  },
  { path: "/settings" },
);
