// Command-line tools: one is added after its help was read, shown, and removed; an agent's request is approved. No tool
// is called by any of it.

import { ask, assert, becomes, matches, play, text, tolerate, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const list = () => text(page, ".cli-tools");
    const parameter = (name) => page.locator(".cli-parameters .tr", { hasText: name }).first();
    const words = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
    const act = (label) => page.locator(`.cli-tool button[aria-label="${label}"]`);

    step("none yet");
    await matches(list, /No command-line tools yet/);

    step("its help is read first");
    await page.click("#add-cli-tool");
    await until("the program's field has the focus", () => page.evaluate(() => document.activeElement.id === "cli-command"));
    assert(await page.locator("#decide").isDisabled(), "nothing is added unseen");
    await page.fill("#cli-command", "sort");
    await becomes(() => page.getAttribute("#cli-alias", "placeholder"), "ask-sort");
    await page.click("#read-help");
    await matches(() => words(parameter("--reverse")), /offered/);
    const compress = parameter("--compress-program");
    await matches(() => words(compress), /runs programs.*withheld: runs programs/);
    await matches(() => text(page, ".cli-preview"), /1 withheld \(runs programs\)/);

    step("what is allowed can be taken back");
    await compress.locator("input").check();
    await matches(() => words(compress), /offered: you allow it/);
    await compress.locator("input").uncheck();
    await matches(() => words(compress), /withheld: runs programs/);

    step("added");
    await page.fill("#cli-timeout", "30");
    await page.click("#decide");
    await matches(() => text(page, ".toasts"), /ask-sort added: 1 tool, \d+ options offered, 1 withheld/);
    await page.locator("dialog").waitFor({ state: "detached" });
    await matches(() => text(page, ".cli-tool"), /ask-sort.*ready/);
    await page.locator('.server[aria-label="ask-sort"]').waitFor();

    step("its detail");
    await act("Show ask-sort").click();
    await matches(() => text(page, ".cli-detail"), /No shell is involved/);
    await matches(() => text(page, ".cli-detail"), /Time limit of a call30 s/);
    await matches(() => words(parameter("--compress-program")), /withheld: runs programs/);
    await becomes(() => page.locator(".cli-detail input").count(), 0, "nothing is allowed here");

    step("its help is read again");
    await act("Read help again: ask-sort").click();
    await matches(() => text(page, ".toasts"), /Help of ask-sort read again: 1 tool/);

    step("the argument vector, on the tool's page");
    assert((await ask("tools")).includes("ask-sort__sort"), "agents see it");
    await page.click('nav.side a[href="/tools"]');
    await page.locator('.tools-table a[href="/tools/ask-sort__sort"]').click();
    const vector = "#argument-vector";
    const show = page.locator(`${vector} button`);
    await page.locator(vector).waitFor();
    await page.fill("#call-arguments", '{"reverse": true}');
    await show.click();
    await becomes(() => page.$$eval(`${vector} code`, (words) => words.map((word) => word.textContent)), ["sort", "--reverse"]);
    await page.fill("#call-arguments", "[1]");
    await show.click();
    await matches(() => text(page, vector), /are not a JSON object/);

    step("an agent asks for another");
    await ask("register", { args: { command: "tac", alias: "turner", description: "<b>Turns</b> lines" } });
    await page.click('nav.side a[href="/review"]');
    const request = page.locator(".cli-request");
    await matches(() => words(request), /turner.*tac.*Description written by the agent <b>Turns<\/b> lines/);
    await becomes(() => page.locator(".cli-request .cli-preview .tr").count(), 0, "nothing is read by itself");
    await request.locator("button", { hasText: "Read its help" }).click();
    await matches(() => words(parameter("--separator")), /offered/);
    await request.locator("button", { hasText: "Approve" }).click();
    assert(await page.locator("#decide").isDisabled(), "a reason is needed");
    await page.check("#no-reason");
    await page.click("#decide");
    await matches(() => text(page, ".toasts"), /turner approved: 1 tool/);
    await request.waitFor({ state: "detached" });
    await matches(() => text(page, ".review"), /Nothing to review/);

    step("both are removed");
    await page.click('nav.side a[href="/servers"]');
    for (const name of ["ask-sort", "turner"]) {
      await act(`Remove ${name}`).click();
      await page.click("#decide");
      await act(`Remove ${name}`).waitFor({ state: "detached" });
      await page.locator(`.server[aria-label="${name}"]`).waitFor({ state: "detached" });
    }
    await matches(list, /No command-line tools yet/);

    step("a program that does not exist");
    tolerate(/status of 404/);
    await page.click("#add-cli-tool");
    await page.fill("#cli-command", "no-such-program");
    await page.press("#cli-command", "Enter");
    await matches(() => text(page, ".cli-preview .bad"), /no-such-program.*was not found in PATH/);
    assert(await page.locator("#decide").isDisabled());

    step("nothing was called");
    await becomes(async () => (await ask("calls")).filter((id) => !id.startsWith("schemascope__")), []);
  },
  { path: "/servers" },
);
