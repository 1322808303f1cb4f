// Drift: Review lists it first, with the calls that show it. It is acknowledged by keyboard, stays listed on the
// tool's page, and is resolved when a newer version is promoted. The schema is learned again from the results since.

import { becomes, play, until } from "./page.mjs";
import { before } from "./review.mjs";

const TOOL = "shop__get_order";

await play(async ({ page, step }) => {
  const { calls, go, says, settles } = before(page, TOOL);
  const take = async (reason) => {
    await page.fill("#reason", reason);
    await until("it can be taken", async () => await page.locator("#decide").isEnabled());
    // From the field of the reason, by keyboard.
    await page.keyboard.press("Control+Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
  };

  step("a version is active");
  await calls(0, 44);
  await go("/review");
  await says(".review", /1 tool to review/);
  await settles(".review", /Promote v\d/);
  await becomes(() => page.locator(".review .drifts li").count(), 0);
  await page.keyboard.press("p");
  await take("billing relies on it");
  await says(".review", /Nothing to review/);

  step("the change is listed, with the calls that show it");
  await calls(44, 80);
  await says(".review .waiting", /drift/);
  await says(".review .drifts", /type changed customer changed from a string to an object/);
  await says(".review .drifts", /violation .* the effective schema/);
  await says(".review .drifts", /before (\d+) of \1 in the previous form since 0 of \d+ in the previous form/);

  step("it is acknowledged by keyboard");
  await page.keyboard.press("a");
  await says("dialog", /Acknowledge \d changes · shop \/ get_order/);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("a");
  // Of the results since the change alone: the change itself is over then, and the broken rule is acknowledged.
  await page.check("#relearn");
  await take("their <b>release</b>");
  await says(".review .drifts", /Acknowledged by .*: their <b>release<\/b>/);
  await until("no mark is left", async () => (await page.locator(".review .waiting .mark").count()) === 0);

  step("the tool's page still lists it");
  await go("/tools");
  await says(".tools-table", /drift/);
  await go(`/tools/${TOOL}`);
  await says(".card.drift", /acknowledged/);
  await says(".facts", /Results 36 since/);
  await becomes(() => page.locator(".card.drift b b").count(), 0, "a reason is text");
  await page.locator(".card.drift .calls a").first().click();
  await says("main", new RegExp(`"?id"?:? ?"4[4-9]"`));

  step("a newer version resolves it");
  await go(`/tools/${TOOL}`);
  await page.locator(".decisions button", { hasText: "Promote" }).click();
  await take("the new form is right");
  await until("no drift is left", async () => (await page.locator(".card.drift").count()) === 0);
  await page.click("#tab-history");
  await says(".history", /drift #1 detected/);
  await says(".history", /drift #1 acknowledged .*their <b>release<\/b>/);
  await says(".history", /only results since .* are learned from .*their <b>release<\/b>/);
});
