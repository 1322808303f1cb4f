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
  return { calls, go, says };
}
