// Review with several tools: address, list and pane show the same one, a decision needs a reason and can be undone,
// the next tool opens, and several are decided together.

import { assert, becomes, play, text, until } from "./page.mjs";
import { before } from "./review.mjs";

const TOOLS = ["shop__get_order", "shop__list_orders", "shop__store_info", "shop__list_invoices"];

await play(async ({ page, step }) => {
  const { go, says } = before(page, TOOLS[0]);
  const each = async (from, to) => {
    for (const tool of TOOLS) {
      await before(page, tool).calls(from, to);
    }
  };
  const address = () => decodeURIComponent(new URL(page.url()).pathname);
  const current = () =>
    page.evaluate(() => document.querySelector('.waiting a.tr[aria-current="true"]')?.getAttribute("href") ?? "");
  const pane = async () => (await text(page, ".review-grid .scrolls h2")).replace(" / ", "__");
  /** The one tool that address, list and pane show. */
  const shown = () =>
    until("address, list and pane agree", async () => {
      const id = address().split("/")[2];
      return id && (await current()) === `/review/${id}` && (await pane()) === id && id;
    });
  const queue = () => page.$$eval(".waiting a.tr", (rows) => rows.map((row) => row.getAttribute("href").split("/")[2]));
  const closed = () => page.locator("dialog").waitFor({ state: "detached" });

  step("candidates and results that came after them");
  await each(0, 40);
  await go("/review");
  await says(".review", /4 tools to review/);
  let from = 40;
  /** Calls the waiting tools until all are ready and stay so: a version that is created late needs more results. */
  const ready = async (count) => {
    let since = Infinity;
    await until(`${count} are ready`, async () => {
      if ((await text(page, "#promote-all")).includes(`break nothing (${count})`)) {
        since = Math.min(since, Date.now());
        return Date.now() - since > 2_500;
      }
      since = Infinity;
      for (const tool of from < 600 ? await queue() : []) {
        await before(page, tool).calls(from, from + 20);
      }
      from += 20;
      return false;
    });
  };
  await ready(4);
  await becomes(() => page.locator(".review .promote.primary").count(), 1);

  step("a decision needs a reason, or that there is none");
  const [first, second] = await queue();
  await go(`/review/${first}`);
  await until("the first tool is open", async () => (await shown()) === first);
  await page.keyboard.press("p");
  await until("its impact is known", async () => /since v\d+ was created/.test(await text(page, "dialog .figures")));
  await becomes(() => page.locator("#decide").isEnabled(), false);
  await page.check("#no-reason");
  await page.click("#decide");
  await closed();

  step("the next tool opens, and the decision can be undone");
  assert.equal(await until("another tool", async () => (await shown()) !== first && shown()), second);
  await says(".toast", /promoted.*Undo/);
  await page.locator(".toast button", { hasText: "Undo" }).click();
  await until("it waits again", async () => (await queue()).includes(first));
  await becomes(shown, second, "the open tool stays open");

  step("a button is about the version beside it, whatever is selected");
  const other = (await queue()).find((id) => id !== second);
  await page.keyboard.press(" ");
  await says(".review", /1 of 4 tools selected/);
  await page.click(`.waiting a[href="/review/${other}"]`);
  await until("the other one is open", async () => (await shown()) === other);
  await page.locator(".review-grid button", { hasText: "Reject" }).click();
  await says("dialog", new RegExp(`Reject v\\d+.*${other.split("__")[1]}`));
  await page.keyboard.press("Escape");
  await closed();
  await page.keyboard.press("Escape");
  await says(".review", /4 tools to review/);
  await page.click(`.waiting a[href="/review/${second}"]`);
  await until("the second is open again", async () => (await shown()) === second);

  step("several are rejected together");
  await page.keyboard.press(" ");
  await page.keyboard.press("J");
  await says(".review", /2 of 4 tools selected/);
  await page.keyboard.press("x");
  await says("dialog", /Reject 2 versions/);
  await page.fill("#reason", "test data");
  await page.keyboard.press("Control+Enter");
  await closed();
  await until("two are left", async () => (await queue()).length === 2);
  assert((await queue()).includes(await shown()));

  step("automatic promotion shows what it promotes before it is switched on");
  await ready(2);
  await go("/settings");
  await page.locator(".setting button", { hasText: "at high quality" }).click();
  await says(".setting .asked", /versions? (is|are) ready and will be promoted now: shop \/ /);
  await page.locator(".setting .asked button", { hasText: "Cancel" }).click();
  await becomes(() => page.locator(".setting .asked").count(), 0);
  await becomes(() => page.locator(".toast", { hasText: "Saved" }).count(), 0);

  step("all that break nothing, with one impact");
  await go("/review");
  await ready(2);
  await page.click("#promote-all");
  await says("dialog", /Promote 2 versions/);
  await says("dialog .figures", /results since their creation match/);
  await becomes(() => page.locator("dialog .joint li").count(), 2);
  await page.fill("#reason", "all fit");
  await page.click("#decide");
  await closed();
  await says(".review", /Nothing to review/);
  assert.equal(address(), "/review");

  step("export");
  await go("/tools");
  const download = page.waitForEvent("download");
  await page.locator(".title-row button", { hasText: "Export" }).click();
  await page.locator("dialog .exports button", { hasText: "Overrides" }).click();
  assert.equal((await download).suggestedFilename(), "tool_overrides.json");
  await closed();
  const report = page.waitForEvent("download");
  await page.locator(".title-row button", { hasText: "Export" }).click();
  await page.locator("dialog .exports button", { hasText: "Report" }).click();
  assert.equal((await report).suggestedFilename(), "schemascope-report.html");
  await closed();
});
