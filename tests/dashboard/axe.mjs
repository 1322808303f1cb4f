// axe-core finds nothing: every rule of WCAG 2.2 A and AA and of best practice, on every page, in both themes.

import { readFileSync } from "node:fs";
import { assert, call, play, require, tell, text, until } from "./page.mjs";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

await play(async ({ page, step }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(AXE);
  const found = [];
  const check = async (name) => {
    step(name);
    const { violations, passes } = await page.evaluate(
      // Of rules that pass, only the first element is described, which takes most of the time.
      (tags) => axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] }),
      TAGS,
    );
    assert(passes.some((rule) => rule.id === "color-contrast"), "contrast was looked at");
    for (const rule of violations) {
      const nodes = rule.nodes.map((node) => `    ${node.target.join(" ")}: ${node.html.slice(0, 160)}\n      ${node.failureSummary.replace(/\s+/g, " ")}`);
      found.push(`${name}: ${rule.id} (${rule.help})\n${nodes.slice(0, 5).join("\n")}`);
    }
  };
  const go = (path) =>
    page.evaluate((path) => {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);

  await call("odd__odd_result");
  await until("the failed server is known", async () => (await text(page, "#needs")).includes("broken"));
  for (const theme of ["light", "dark"]) {
    await page.keyboard.press("Control+k");
    await page.locator("#palette").fill(`Theme: ${theme}`);
    await page.keyboard.press("Enter");
    await until(theme, () => page.evaluate((theme) => document.documentElement.dataset.theme === theme, theme));
    const visit = async (path, sign) => {
      await go(path);
      await page.locator(sign).first().waitFor();
      await check(`${path} ${theme}`);
    };
    await visit("/", "#latest a.tr");
    await visit("/tools", ".tools-table .window a.tr");
    for (const tab of ["", "calls", "inferred", "declared", "input"]) {
      await visit(`/tools/shop__exchange_rates${tab && `?tab=${tab}`}`, "#tab-panel *");
    }
    await visit("/tools/shop__list_orders", "#fields .more");
    for (const button of await page.locator("#fields .more").all()) {
      await button.click();
    }
    await page.locator("#fields .about").first().waitFor();
    await check(`open fields ${theme}`);
    await visit("/calls", ".calls-table .window a.tr");
    await page.locator(".calls-table .window a.tr").first().click();
    await page.locator(".detail pre").first().waitFor();
    await check(`an open call ${theme}`);
    await visit("/graph?min=0", ".base .node");
    await visit("/graph?focus=shop__get_order&min=0&plan=1", ".base .node.focus");
    await page.locator(".edge-table .window a.tr").first().click();
    await page.locator(".beside .detail .pair").first().waitFor();
    await check(`an open edge ${theme}`);
    await visit("/help/settings", ".guide article h1");
    await visit("/settings", ".tried pre");
    await check(`settings ${theme}`);
    await visit("/servers/broken", ".server pre");
    await page.click("#add-cli-tool");
    await page.fill("#cli-command", "sort");
    await page.click("#read-help");
    await page.locator(".cli-parameters input").first().waitFor();
    await page.fill("#cli-alias", `sort-${theme}`);
    await check(`the help of a command-line tool ${theme}`);
    await page.click("#decide");
    await page.locator('.cli-tool button[aria-label="Show sort-' + theme + '"]').click();
    await page.locator(".cli-detail .cli-parameters").waitFor();
    await check(`a command-line tool ${theme}`);
    await visit("/interviews", ".conversation .empty");
    await page.click(".library summary");
    await page.click("#start-interview");
    await page.locator("#project-name").waitFor();
    await check(`the start of an interview ${theme}`);
    await page.fill("#project-name", "Bakery");
    await page.click("#decide");
    await page.locator("#answer").waitFor();
    await page.fill("#answer", "pretzels");
    await page.click("#answer-question");
    await page.locator(".nodes .origin").first().waitFor();
    await page.locator(".outcome").waitFor();
    await check(`an interview ${theme}`);
    // Out of the field of the answer, so that keys are shortcuts again.
    await page.locator(".conversations").focus();
    await page.keyboard.press("?");
    await page.locator("#help-title").waitFor();
    await check(`help ${theme}`);
    await page.keyboard.press("Control+k");
    await page.locator("#choice-0").waitFor();
    await check(`palette ${theme}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.fill("#filter", "nothing:here");
    await page.locator("#filter-hint .bad").waitFor();
    await check(`a wrong filter ${theme}`);
    await page.fill("#filter", "");
    await page.keyboard.press("Escape");
  }
  tell(found.join("\n"));
  assert.equal(found.length, 0, "violations");
});
