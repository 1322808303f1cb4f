// With recording off, the page says so wherever recorded calls would appear.

import { assert, becomes, call, play, text, until } from "./page.mjs";

await play(async ({ page, step }) => {
  step("it is said");
  await until("the banner", async () => (await text(page, "#off")).includes("Recording is off"));
  const recorder = page.locator(".kpi", { hasText: "Recording" });
  await until("the card", async () => (await recorder.innerText()).includes("off"));

  step("calls pass and leave nothing");
  const answer = await call("shop__get_order", { id: "1" });
  assert(answer.result, JSON.stringify(answer));
  // Two heartbeats of the stream.
  await page.waitForTimeout(2_200);
  const calls = page.locator(".kpi", { has: page.locator("h2", { hasText: /^Calls$/ }) });
  await becomes(async () => (await calls.locator(".value").innerText()).trim(), "0");
});
