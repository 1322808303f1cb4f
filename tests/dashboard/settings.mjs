// Settings: chosen and kept, refused where they are wrong; rules of redaction are tried before they are kept.

import { ask, assert, call, play, text, tolerate, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const kept = async (name) => (await ask("settings")).find((row) => row.name === name).value;
    const line = (label) => page.locator(".setting", { hasText: label });

    step("chosen, it is kept");
    await line("Promote by policy").locator("button", { hasText: "at high" }).click();
    await until("it is kept", async () => (await kept("auto_promote")) === "at_high");
    await until("it shows", async () => (await line("Promote by policy").locator('[aria-pressed="true"]').innerText()) === "at high quality");
    assert.match(await text(page, ".toasts"), /Kept, and in force/);

    step("a number is kept when a button says so");
    const days = line("Remove calls older than");
    await days.locator("input").fill("30");
    assert.equal(await kept("keep_days"), null);
    await days.locator("button", { hasText: "Keep, and remove" }).click();
    await until("it is kept", async () => (await kept("keep_days")) === "30");
    await until("no button is left", async () => (await days.locator("button").count()) === 0);

    step("what is wrong is refused, and what holds is shown");
    tolerate(/400/);
    await days.locator("input").fill("99999");
    await days.locator("input").press("Enter");
    await until("it is said", async () => (await text(page, ".toasts")).includes("keep_days has to be 1 to 36500"));
    assert.equal(await days.locator("input").inputValue(), "30");

    step("rules are tried");
    const [keys, patterns] = [page.locator(".rules textarea").nth(0), page.locator(".rules textarea").nth(1)];
    await patterns.fill("EMP-(");
    await until("it is explained", async () => /EMP-\( ?"? cannot be used|cannot be used/.test(await text(page, ".tried .bad")));
    assert(await page.locator("button", { hasText: "Keep these rules" }).isDisabled());
    await patterns.fill("EMP-\\d{5}");
    await keys.fill("city");
    await page.fill("#redaction-text", '{"badge": "EMP-00417", "city": "<b>Lisbon</b>", "n": 5}');
    await until("as it would be stored", async () => {
      const tried = await text(page, ".tried pre");
      return tried.includes('"n": 5') && !tried.includes("EMP-00417") && !tried.includes("Lisbon");
    });
    assert.equal(await page.locator(".tried mark").count(), 2);
    assert.match(await text(page, ".tried"), /stored calls/);

    step("and kept, in force for the next call");
    await page.locator("button", { hasText: "Keep these rules" }).click();
    await until("no button is left", async () => (await page.locator("button", { hasText: "Keep these rules" }).count()) === 0);
    await page.reload();
    await until("they are there again", async () => (await page.locator(".rules textarea").nth(1).inputValue()) === "EMP-\\d{5}");
    await call("shop__get_order", { id: "EMP-00417" });
    const newest = await ask("newest");
    await page.goto(`${new URL(page.url()).origin}/calls/${newest}`);
    await until("the call is shown", async () => (await text(page, ".detail")).includes("redacted"));
    assert(!(await text(page, ".detail")).includes("EMP-00417"));
  },
  { path: "/settings" },
);
