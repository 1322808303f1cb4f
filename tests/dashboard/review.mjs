// What scenarios about decisions share: a tool that is called, places, and what stands there.

import { call, until } from "./page.mjs";

/** Calls of the tool from one number up to another, going to an address, and waiting for words in an element. */
export function before(page, tool) {
  const calls = async (from, to) => {
    for (let n = from; n < to; n++) {
      await call(tool, { id: `${n}` });
    }
  };
  const go = async (path) => {
    await page.evaluate((path) => {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  };
  const words = async (selector) => (await page.locator(selector).first().innerText()).replace(/\s+/g, " ").trim();
  const says = (selector, pattern) => until(`${pattern} in ${selector}`, async () => pattern.test(await words(selector)));
  /** Waits until words in an element match and stay the same: versions can be created in quick succession. */
  const settles = async (selector, pattern) => {
    let [seen, since] = ["", 0];
    await until(`${pattern} stays in ${selector}`, async () => {
      const now = (await words(selector)).match(pattern)?.[0] ?? "";
      if (now !== seen) {
        [seen, since] = [now, Date.now()];
      }
      return seen && Date.now() - since > 1_500;
    });
  };
  return { calls, go, says, settles };
}
