// A tool changes under a person's hands: Review tells it first, with the calls that show it; it is acknowledged by
// keyboard, stays told on the tool's page, and is over when the version cut since is promoted.

import { assert, play, until } from "./page.mjs";
import { before } from "./review.mjs";

const TOOL = "shop__get_order";

await play(async ({ page, step }) => {
  const { calls, go, says } = before(page, TOOL);
  const take = async (reason) => {
    await until("it can be taken", async () => await page.locator("#decide").isEnabled());
    await page.fill("#reason", reason);
    // From the field of the reason, by keyboard.
    await page.keyboard.press("Control+Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
  };

  step("a version is in force");
  await calls(0, 44);
  await go("/review");
  await says(".review", /1 tool waits for a decision/);
  // The second is cut a moment after the first.
  await says(".review", /Promote v2/);
  assert.equal(await page.locator(".review .drifts li").count(), 0);
  await page.keyboard.press("p");
  await take("billing relies on it");
  await says(".review", /Nothing waits/);

  step("what changes is told, with the calls that show it");
  await calls(44, 80);
  await says(".review .waiting", /drift/);
  await says(".review .drifts", /retyped customer was a string and is an object now/);
  await says(".review .drifts", /violation Results break .* of the effective schema/);
  await says(".review .drifts", /before 100 ?% of \d+ since 0 ?% of \d+/);

  step("it is acknowledged by keyboard");
  await page.keyboard.press("a");
  await says("dialog", /Acknowledge \d changes · shop \/ get_order/);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("a");
  await take("their <b>release</b>");
  await says(".review .drifts", /Seen by .*: their <b>release<\/b>/);
  await until("no mark is left", async () => (await page.locator(".review .waiting .mark").count()) === 0);

  step("the tool's page goes on telling it");
  await go("/tools");
  await says(".tools-table", /drift/);
  await go(`/tools/${TOOL}`);
  await says(".card.drift", /acknowledged/);
  assert.equal(await page.locator(".card.drift b b").count(), 0, "a reason is text");
  await page.locator(".card.drift .calls a").first().click();
  await says("main", new RegExp(`"?id"?:? ?"4[4-9]"`));

  step("the version cut since takes it in");
  await go(`/tools/${TOOL}`);
  await page.locator(".decisions button", { hasText: "Promote" }).click();
  await take("the new form is right");
  await until("no drift goes on", async () => (await page.locator(".card.drift").count()) === 0);
  await page.click("#tab-history");
  await says(".history", /drift #1 began/);
  await says(".history", /acknowledged drift #1 .*their <b>release<\/b>/);
});
