// A person decides: a candidate is promoted by keyboard with its impact in sight, what comes after drift is
// reviewed, pinned and rolled back, and the history tells of all of it.

import { assert, play, until } from "./page.mjs";
import { before } from "./review.mjs";

const TOOL = "shop__get_order";

await play(async ({ page, step }) => {
  const { calls, go, says } = before(page, TOOL);
  const take = async () => {
    await until("its impact is known", async () => await page.locator("#decide").isEnabled());
    await page.fill("#reason", "agreed <b>by all</b>");
    await page.click("#decide");
    await page.locator("dialog").waitFor({ state: "detached" });
  };

  step("a candidate waits");
  await calls(0, 44);
  await says("nav", /Review 1/);
  await go("/review");
  await says(".review", /1 tool waits for a decision/);
  await says(".review", /0 of 44 latest results do not fit/);

  step("it is promoted by keyboard");
  await page.keyboard.press("p");
  await says("dialog", /Promote v\d+ · shop \/ get_order/);
  await says("dialog .figures", /0 of 44/);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await says("nav", /Review 1/);
  await page.keyboard.press("p");
  await take();
  await says(".review", /Nothing waits/);

  step("what comes after drift is a candidate against it");
  await calls(44, 90);
  await says("nav", /Review 1/);
  await says(".review .figures", /do not fit v\d+, in force now/);
  await says(".review .changed", /breaking/);

  step("the tool's page tells what is in force, and pins it");
  await go(`/tools/${TOOL}`);
  await says(".facts", /in force v\d+ promoted/);
  await page.locator(".decisions button", { hasText: "Pin" }).click();
  await page.check("dialog input[type=checkbox]");
  await take();
  await says(".facts", /in force v\d+ pinned, enforced/);
  await says("#versions", /enforced/);

  step("versions side by side, in words and in lines");
  await page.locator("#versions .version").first().click();
  await says(".compare .changed", /customer/);
  await page.locator(".compare .segments button", { hasText: "Lines" }).click();
  await page.locator(".compare .lines .new").first().waitFor();

  step("undone, rolled back");
  await page.click("#tab-history");
  await says(".history", /pinned v\d+, enforced .*agreed <b>by all<\/b>/);
  await page.locator(".history button", { hasText: "Undo" }).click();
  await take();
  await says(".facts", /in force v\d+ promoted/);
  await says(".history", /pinned v\d+, enforced · undone/);
  await page.locator(".decisions button", { hasText: "Roll back" }).click();
  await take();
  await says(".facts", /in force none/);
  await says(".history", /rolled back to none/);
  assert.equal(await page.locator("#tab-panel b").count(), 0, "a reason is text");
});
