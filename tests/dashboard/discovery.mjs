// Servers → Discovery: proposed tools are chosen, their arguments edited, and what they taught is shown. Nothing is
// called by itself.

import { ask, assert, becomes, call, matches, play, text, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const row = (tool) => page.locator(".discovery-list li", { hasText: tool });
    const words = async (tool) => (await row(tool).innerText()).replace(/\s+/g, " ");
    const run = page.locator("#run-discovery");

    step("proposals call nothing");
    await call("odd__echo", { a: 1 });
    const before = (await ask("calls")).length;
    await page.click("#propose");
    await row("odd__echo").waitFor();
    const field = row("odd__echo").locator('input[type="text"]');
    await becomes(() => field.inputValue(), '{"a":1}');
    await matches(() => words("odd__echo"), /from a recorded call/);
    await becomes(() => page.locator(".discovery-list li").count(), 1, "the others are not declared to be read-only");
    assert(await run.isDisabled(), "nothing is chosen");
    await becomes(async () => (await ask("calls")).length, before);

    step("arguments that are no object are marked");
    await row("odd__echo").locator('input[type="checkbox"]').check();
    await field.fill("[<b>");
    await matches(() => words("odd__echo"), /no JSON object/);
    assert(await run.isDisabled(), "they cannot be sent");

    step("what was chosen is called once, and what it taught is shown");
    await field.fill('{"b": "<i>"}');
    await becomes(() => run.innerText(), "Call 1 tool");
    await run.click();
    await matches(() => words("odd__echo"), /called quality \w+, \d result/);
    await until("the button is back", async () => !(await run.isDisabled()));
    const calls = await ask("calls");
    assert.equal(calls.length, before + 1);
    assert(calls.some((call) => call.origin === "discovery" && call.tool_id === "odd__echo"));
    await run.click();
    await matches(() => words("odd__echo"), /called within the last day, so not again/);

    step("what is kept is called by generate");
    await page.locator(".discovery-list button", { hasText: "Keep for later runs" }).click();
    await matches(() => text(page, ".toasts"), /1 call added to .*discovery_config\.json/);
    assert.deepEqual((await ask("file")).servers.odd.safeTools.echo, { b: "<i>" });
    await row("odd__echo").locator("a").click();
    await until("its page", () => new URL(page.url()).pathname === "/tools/odd__echo");
  },
  { path: "/servers" },
);
