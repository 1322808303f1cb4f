// Failures that a tool returns as text: listed where attention is needed, counted as failures, and taken back.

import { ask, play, until } from "./page.mjs";
import { before } from "./review.mjs";

const TOOL = "docs__search";

await play(async ({ page, step }) => {
  const { go, says } = before(page, TOOL);
  await ask("errors in text");

  step("they need attention");
  await go("/");
  await says("main", /Results that say they succeeded begin like errors/);

  step("the tool's page counts them as failures");
  await go(`/tools/${TOOL}`);
  await says(".card.failing", /undecided Error searching libraries: 10 results ?latest call/);
  await page.locator(".card.failing button", { hasText: "Count as failures" }).click();
  await page.fill("#reason", "no isError");
  await until("it can be taken", async () => await page.locator("#decide").isEnabled());
  await page.keyboard.press("Control+Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  await says(".card.failing", /failure Error searching libraries: 10 results/);
  await says("main", /40 · 10/);
  await page.click("#tab-history");
  await says(".history", /texts count as failures .*Error searching libraries: no isError/);

  step("the decision is undone from its message");
  await page.locator("button", { hasText: /^Undo$/ }).click();
  await says(".card.failing", /undecided/);
});
