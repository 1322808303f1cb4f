// Interviews: one is started and answered on the page; what an agent does appears without reload.

import { ask, assert, becomes, matches, play, text, tolerate, toleratedCame, until } from "./page.mjs";

await play(
  async ({ page, step }) => {
    const path = () => new URL(page.url()).pathname;
    const transcript = () => text(page, ".transcript");
    const aggregates = () => text(page, ".aggregates");
    const questions = () => page.locator(".exchanges li").count();
    const agent = (tool, more = {}) => ask("agent", { tool, args: { ...place, ...more } });
    let place = {};

    step("none yet");
    await matches(() => text(page, ".conversation"), /No interviews yet.*own_tools/);
    await page.click(".library summary");
    await matches(() => text(page, ".library"), /Discovery Schemas \(12\).*process\/warm-up-with-challenges.*Own files belong in/);

    step("one is started");
    await page.click("#start-interview");
    await until("the name has the focus", () => page.evaluate(() => document.activeElement.id === "project-name"));
    assert(await page.locator("#decide").isDisabled(), "a name is needed");
    await page.fill("#project-name", "Bakery <b>");
    await page.press("#project-name", "Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
    await matches(() => text(page, ".conversation h2"), /Bakery <b>/);
    await until("its address", () => /^\/interviews\/conversation-/.test(path()));
    await matches(() => text(page, ".conversation-row"), /process\/warm-up-with-challenges.*in progress.*budget 0.10 of 1.00/);

    step("an unusable answer is reported in its place");
    await page.locator("#answer").waitFor();
    tolerate(/status of 4\d\d/);
    await page.fill("#answer", '{"colour": "red"}');
    await page.click("#answer-question");
    await matches(() => text(page, ".outcomes .bad"), /colour/);
    await becomes(() => page.inputValue("#answer"), '{"colour": "red"}', "it can be corrected");
    await toleratedCame();
    tolerate();
    await page.fill("#answer", "");

    step("two answers");
    const first = await text(page, ".open-question .question-text");
    assert(await page.locator("#answer-question").isDisabled(), "nothing is answered yet");
    await page.fill("#answer", "pretzels <i>");
    await page.click("#answer-question");
    await matches(transcript, /pretzels <i>/);
    await matches(aggregates, /product-or-service-name\s*pretzels <i>/);
    await until("another question", async () => {
      const next = await text(page, ".open-question .question-text");
      return next !== "" && next !== first;
    });
    await until("its answer has the focus", () => page.evaluate(() => document.activeElement.id === "answer"));
    await page.fill("#answer", "late orders\ntoo few ovens");
    await page.press("#answer", "Control+Enter");
    await matches(transcript, /too few ovens/);
    await matches(aggregates, /scheduling-challenges.*late orders.*too few ovens/);
    await becomes(questions, 3);
    await matches(() => text(page, ".conversation-row"), /budget 0.30 of 1.00/);

    step("a value leads to its answer");
    await page.locator('.origin[aria-label="Q2: answer to question 2"]').first().click();
    await becomes(() => page.evaluate(() => document.activeElement.id), "answer-0-1");

    step("an answer of an agent, while the person types");
    await page.evaluate(() => (window.__mark = "same page"));
    const listed = await page.evaluate(async () => {
      const response = await fetch("/api/list_interviews", {
        method: "POST",
        headers: { authorization: `Bearer ${localStorage.token}`, "content-type": "application/json" },
        body: "{}",
      });
      return (await response.json()).conversations[0];
    });
    place = { project_id: listed.project_id, conversation_id: listed.conversation_id };
    await page.fill("#answer", "not sent");
    const open = await agent("get_next_question");
    await agent("process_ds_answer", { question_id: open.question_id, answer: "nothing else to say, except snow" });
    await matches(transcript, /nothing else to say, except snow/);
    await becomes(() => page.inputValue("#answer"), "not sent", "what is typed stays");
    await matches(() => text(page, ".open-question"), /no longer open/);
    await page.click('.open-question button:has-text("Discard it and continue")');
    await matches(() => text(page, ".open-question"), /is complete\. Press "Finish"/);
    await becomes(() => page.evaluate(() => window.__mark), "same page");

    step("finished: the next one starts by itself");
    await page.click('.conversation-actions button:has-text("Finish")');
    await matches(() => text(page, ".outcome"), /warm-up-with-challenges is complete\. .*Next: process\/scheduling-problem-type/);
    await matches(() => text(page, ".pursuits"), /warm-up-with-challenges\s*complete.*scheduling-problem-type\s*in progress/);

    step("a choice");
    await page.locator('.open-question input[type="radio"]').first().waitFor();
    await page.locator('.open-question input[type="radio"]').first().check();
    await page.click("#answer-question");
    await matches(transcript, /scheduling-problem-type.*Q2/);

    step("a note, and an end");
    await page.click('.conversation-actions button:has-text("Leave a note")');
    await page.fill("#interview-note", "ask about the ovens");
    await page.click("#decide");
    await page.locator("dialog").waitFor({ state: "detached" });
    const noted = await agent("get_next_question");
    assert.equal(noted.notes[0]?.text, "ask about the ovens", "the agent gets the note");
    await page.click('.conversation-actions button:has-text("Abandon")');
    await page.click("#decide");
    await matches(() => text(page, ".pursuits"), /scheduling-problem-type\s*abandoned/);

    step("it is started again");
    await page.locator(".open-question details summary").click();
    await page.locator('.alternatives button:has-text("scheduling-problem-type")').click();
    await page.locator("#answer-question").waitFor();
    await matches(() => text(page, ".conversation-row"), /scheduling-problem-type.*in progress/);

    step("it goes on by itself");
    const goesOn = page.locator('.conversation-actions button:has-text("Continue automatically")');
    await becomes(() => goesOn.getAttribute("aria-pressed"), "false");
    await goesOn.click();
    await becomes(() => goesOn.getAttribute("aria-pressed"), "true");
    await matches(() => text(page, ".outcome"), /starts by itself now/);
    const kind = { "principal-problem-type": "FLOW-SHOP-SCHEDULING-PROBLEM", "continuous?": false, "cyclical?": true, "problem-components": ["FLOW-SHOP-SCHEDULING-PROBLEM"] };
    const choice = await agent("get_next_question");
    const read = await agent("process_ds_answer", { question_id: choice.question_id, answer: kind });
    assert.equal(read.next_action, "continue", JSON.stringify(read));
    await matches(() => text(page, ".pursuits"), /scheduling-problem-type\s*complete.*flow-shop\s*in progress/);
    await goesOn.click();
    await becomes(() => goesOn.getAttribute("aria-pressed"), "false");

    step("descriptions that an interview proposes are decided in Review");
    await ask("orders");
    const about = { ds_id: "tool/output-fields" };
    await agent("start_ds_pursuit", { ...about, tool_id: "shop__list_orders" });
    const { question_id } = await agent("get_next_question", about);
    const fields = [{ "field-id": "orders[].id", meaning: "Number of the <b>order</b>", unit: "none" }];
    await agent("process_ds_answer", { ...about, question_id, answer: { fields, "exhausted?": true } });
    const finished = await agent("finalize_ds", about);
    assert.equal(finished.success, true);
    await page.click('nav.side a[href="/"]');
    await matches(() => text(page, ".needs"), /list_orders.*proposes a description of one field/);
    await page.click('nav.side a[href="/review"]');
    await matches(() => text(page, ".proposals"), /Descriptions of fields.*1 interview.*shop.*list_orders.*orders\[\]\.id.*Number of the <b>order<\/b>/);
    await page.click('.proposal button:has-text("Accept")');
    await page.locator(".proposals").waitFor({ state: "detached" });
    await page.click('.toast button:has-text("Undo")');
    await matches(() => text(page, ".proposals"), /orders\[\]\.id/);
    await page.click('.proposal button:has-text("Reject")');
    await page.locator(".proposals").waitFor({ state: "detached" });

    step("the keyboard, and an address");
    await page.click('nav.side a[href="/interviews"]');
    await matches(() => text(page, ".conversation"), /No conversation selected/);
    await page.locator(".conversations").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await until("it opens", () => path() === `/interviews/${place.conversation_id}`);
    await page.reload();
    await matches(() => text(page, ".conversation h2"), /Bakery <b>/);

    step("deleted");
    await page.click('.conversation-actions button:has-text("Delete project")');
    await until("nothing is deleted by accident", () => page.evaluate(() => document.activeElement.id === "cancel"));
    await page.click("#decide");
    await matches(() => text(page, ".conversation"), /No interviews yet/);
  },
  { path: "/interviews" },
);
