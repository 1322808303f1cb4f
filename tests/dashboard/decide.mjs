// Decisions: a candidate is promoted by keyboard beside its impact; a later one is reviewed, pinned and rolled back;
// the history lists all of it.

import { becomes, play, until } from "./page.mjs";
import { before } from "./review.mjs";

const TOOL = "shop__get_order";

await play(async ({ page, step }) => {
  const { calls, go, says, settles } = before(page, TOOL);
  const take = async () => {
    await page.fill("#reason", "agreed <b>by all</b>");
    await until("its impact is known", async () => await page.locator("#decide").isEnabled());
    await page.click("#decide");
    await page.locator("dialog").waitFor({ state: "detached" });
  };

  step("a candidate waits");
  await calls(0, 44);
  await says("nav", /Review 1/);
  await go("/review");
  await says(".review", /1 tool to review/);
  await says(".review", /44 of 44 recent results match/);
  await settles(".review", /Promote v\d/);

  step("it is promoted by keyboard");
  await page.keyboard.press("p");
  await says("dialog", /Promote v\d+ · shop \/ get_order/);
  await says("dialog .impact", /44 of 44 recent results match/);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await says("nav", /Review 1/);
  await page.keyboard.press("p");
  await take();
  await says(".review", /Nothing to review/);

  step("what comes after drift is a candidate against it");
  await calls(44, 105);
  await says(".waiting", /breaks readers/);
  // Results that the candidate was not learned from.
  await calls(105, 125);
  await says("nav", /Review 1/);
  await says(".review .figures", /match v\d+, active now/);
  await says(".review .changed", /breaking/);
  await says(".review .contained", /Contains drift \d+: .*, not acknowledged/);
  await says(".review .verdict", /Not ready: breaks readers/);
  await becomes(() => page.locator(".review .promote.primary").count(), 0, "it is not ready");

  step("the tool's page shows the active version, and pins it");
  await go(`/tools/${TOOL}`);
  await says(".facts", /Active schema v\d+ promoted/);
  await page.locator(".decisions button", { hasText: "Pin" }).click();
  await page.check("dialog input[type=checkbox]");
  await take();
  await says(".facts", /Active schema v\d+ pinned, enforced/);
  await says("#versions", /enforced/);

  step("versions side by side, in words and in lines");
  await page.locator("#versions .version").first().click();
  await says(".compare .changed", /customer/);
  await page.locator(".compare .segments button", { hasText: "Lines" }).click();
  await page.locator(".compare .lines .new").first().waitFor();

  step("undone, rolled back");
  await page.click("#tab-history");
  await says(".history", /v\d+ pinned, enforced .*agreed <b>by all<\/b>/);
  await page.locator(".history button", { hasText: "Undo" }).click();
  await take();
  await says(".facts", /Active schema v\d+ promoted/);
  await says(".history", /v\d+ pinned, enforced · undone/);
  await page.locator(".decisions button", { hasText: "Roll back" }).click();
  await take();
  await says(".facts", /Active schema none/);
  await says(".history", /rolled back to none/);
  await becomes(() => page.locator("#tab-panel b").count(), 0, "a reason is text");

  step("tabs by keyboard");
  await page.focus("#tab-history");
  await page.keyboard.press("ArrowLeft");
  await becomes(() => page.evaluate(() => document.activeElement.id), "tab-versions");
  await becomes(() => page.locator('[role=tab][tabindex="0"]').getAttribute("aria-selected"), "true");
});
