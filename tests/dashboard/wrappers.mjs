// Settings → Wrappers: whether a folder is current, and what becomes of the text beside a wrapper that was edited by hand.

import { ask, assert, call, matches, play, text, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const shown = () => text(page, ".wrapper-folders");
    const beside = async () => (await ask("files")).beside;
    const work = async (times) => {
      for (let n = 0; n < times; n += 1) await call("shop__get_order", { id: String(n) });
    };

    step("none yet");
    await matches(shown, /No folder has wrappers yet.*schemascope generate --out/);

    step("current");
    await ask("generate");
    await page.reload();
    await matches(shown, /wrappers\s*current.*wrappers in python/);
    await matches(shown, /Last changes.*servers\/shop\/get_order\.py.*first written/);

    step("a newer text beside an edited wrapper appears by itself");
    await ask("edit");
    await work(5);
    await matches(shown, /1 to decide.*was edited by hand.*<b>note<\/b>/);
    await until("the edited line would go", async () =>
      (await page.locator(".offered .gone").allInnerTexts()).some((line) => line.includes("<b>note</b>")),
    );
    await until("the new text is said", async () =>
      (await page.locator(".offered .new").allInnerTexts()).some((line) => line.includes("quality low")),
    );

    step("the edited text stays");
    await page.locator(".offered button", { hasText: "Keep mine" }).click();
    await matches(() => text(page, ".toasts"), /Your text stays/);
    await matches(shown, /current.*was edited by hand and stays/);
    assert((await beside()) === null, "it is not offered again");
    assert((await ask("files")).text.includes("# <b>note</b>"), "nothing was replaced");

    step("the next one is taken");
    await work(10);
    await ask("promote");
    await matches(shown, /1 to decide/);
    await page.locator(".offered button", { hasText: "Take the new text" }).click();
    await matches(() => text(page, ".toasts"), /New text taken/);
    await until("nothing is left to decide", async () => (await page.locator(".offered").count()) === 0);
    await matches(shown, /current/);
    const files = await ask("files");
    assert(files.beside === null && !files.text.includes("<b>note</b>"), "the region is the new one");
    assert(files.text.startsWith("# mine\n"), "what stood around it stays");

    step("no longer kept current");
    await page.locator("button", { hasText: "Stop keeping it current" }).click();
    await matches(shown, /No folder has wrappers yet/);
  },
  { path: "/settings" },
);
