// The page of a tool says why its schema is what it is: decisions with their numbers, values, alternatives,
// maps; and the wrapper that follows from it.

import { assert, call, matches, play, until } from "./page.mjs";

const CALLS = 40;

await play(async ({ page, step }) => {
  const open = async (path) => {
    const field = page.locator(".field", { has: page.locator(`[aria-label="About ${path}"]`) });
    await field.locator(".more").click();
    await field.locator(".about").waitFor();
    return field;
  };
  const words = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
  const visit = async (tool, path) => {
    await page.evaluate((tool) => {
      history.pushState(null, "", `/tools/${tool}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, tool);
    await page.locator(`[aria-label="About ${path}"]`).waitFor();
    await until("all calls are counted", async () => (await words(page.locator(".facts"))).includes(`Results ${CALLS}`));
  };
  for (let n = 0; n < CALLS; n++) {
    for (const tool of ["get_order", "check_stock", "store_info"]) {
      await call(`shop__${tool}`, { id: `${n}` });
    }
  }

  step("a field that is always there, one of few values");
  await visit("shop__get_order", "currency");
  const currency = await words(await open("currency"));
  assert.match(currency, new RegExp(`required present in ${CALLS} of ${CALLS} objects`));
  assert.match(currency, /enum of 2 \d/);
  const values = await page.$$eval(".values > .mono", (values) => values.map((value) => value.textContent));
  assert.deepEqual(values.sort(), ['"EUR"', '"USD"']);
  const counts = await page.$$eval(".values > .faint", (counts) => counts.map((count) => Number(count.textContent)));
  assert.equal(counts[0] + counts[1], CALLS);
  assert(counts[0] >= counts[1], "the most frequent first");
  assert.match(currency, /95 % interval 91\.2–100 %/);

  step("a format");
  assert.match(await words(await open("createdAt")), /format date-time/);

  step("a tagged union");
  const payment = await open("payment");
  const rows = await payment.locator('[role="row"]').allInnerTexts();
  assert.match(rows[0], /kind/);
  for (const [tag, fields] of [["card", ["brand*", "last4*"]], ["invoice", ["dueDays*"]], ["voucher", ["code*", "rest*"]]]) {
    const row = rows.find((row) => row.includes(`"${tag}"`));
    assert(row, `${tag} in ${rows}`);
    for (const field of fields) {
      assert(row.includes(field), `${field} in ${row}`);
    }
  }

  step("the wrapper that the schema gives, in each language");
  await page.getByRole("tab", { name: "Wrapper" }).click();
  const wrapper = page.locator(".wrapper-tab");
  await until("Python", async () => (await wrapper.innerText()).includes("class GetOrderResult(Result):"));
  await matches(() => words(wrapper.locator("header").first()), /Inferred: the schema is inferred from results/);
  await wrapper.getByRole("button", { name: "TypeScript" }).click();
  await until("TypeScript", async () => (await wrapper.innerText()).includes("export interface GetOrderResult "));
  await wrapper.getByRole("button", { name: "Rust" }).click();
  await until("Rust", async () => (await wrapper.innerText()).includes("pub async fn get_order(params: &GetOrderParams)"));

  step("a map");
  await visit("shop__check_stock", "the whole result");
  assert.match(await words(await open("the whole result")), /map of integer/);

  step("an object of which all is known");
  await visit("shop__store_info", "the whole result");
  assert.match(await words(await open("the whole result")), /closed object/);
  await matches(() => words(page.locator(".summary")), /new structure in the next result, if the tool stays as it is: at most \d/i);
});
