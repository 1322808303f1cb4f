// Two hundred calls a second while the list of calls is looked at. Figures are told, not judged.

import { assert, ask, play, tell, text, until } from "./page.mjs";

const SECONDS = 10;
/** Rows in the page at most: those in sight and some beyond the edges. */
const ROWS = 120;

const measure = () => {
  const frames = [];
  const long = [];
  const rows = [];
  let last = performance.now();
  let going = true;
  const frame = (now) => {
    frames.push(now - last);
    last = now;
    rows.push(document.querySelectorAll(".calls-table .window a.tr").length);
    if (going) {
      requestAnimationFrame(frame);
    }
  };
  requestAnimationFrame(frame);
  const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ entryTypes: ["longtask"] });
  window.__measured = () => {
    going = false;
    frames.sort((a, b) => a - b);
    const at = (share) => Math.round(frames[Math.min(frames.length - 1, Math.floor(frames.length * share))]);
    return {
      frames: frames.length,
      "p50 ms": at(0.5),
      "p95 ms": at(0.95),
      "longest ms": at(1),
      "long tasks": long.length,
      "longest task ms": Math.round(Math.max(0, ...long)),
      "rows at most": Math.max(...rows),
      elements: document.querySelectorAll("*").length,
    };
  };
};

await play(
  async ({ page, context, step }) => {
    const total = async () => Number((await text(page, ".title-row")).match(/([\d,\s.\u202f]+) recorded/)?.[1].replace(/\D/g, ""));
    const rows = () => page.$$eval(".calls-table .window a.tr", (rows) => rows.map((row) => row.getAttribute("href")));
    const press = async (seconds) => ask("press", { seconds });

    step("load");
    await press(1);
    await until("the list", async () => (await rows()).length > 5);
    await page.evaluate(measure);
    const pressing = press(SECONDS);
    let over = false;
    pressing.then(() => (over = true));
    // Up and down, as a person who looks for something.
    await page.mouse.move(500, 500);
    for (let n = 0; !over; n++) {
      await page.mouse.wheel(0, n % 20 < 12 ? 400 : -600);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    const { made, seconds } = await pressing;
    const figures = await page.evaluate(() => window.__measured());
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    const { metrics } = await session.send("Performance.getMetrics");
    const metric = (name) => metrics.find((metric) => metric.name === name).value;
    figures["heap MB"] = Math.round(metric("JSHeapUsedSize") / 1e5) / 10;
    figures.nodes = metric("Nodes");
    tell(`${Math.round(made / seconds)} calls/s for ${Math.round(seconds)} s: ${JSON.stringify(figures)}`);
    assert(figures["rows at most"] > 5 && figures["rows at most"] < ROWS, `${figures["rows at most"]} rows in the page`);

    step("all of it is counted");
    const recorded = await ask("recorded");
    assert(recorded > made);
    await until("the total", async () => (await total()) === recorded);

    step("pause holds still");
    await page.evaluate(() => (document.querySelector(".calls-table .scroll").scrollTop = 0));
    await until("the newest on top", async () => {
      const shown = await rows();
      return shown.length > 5 && (await page.evaluate(() => document.querySelector(".calls-table .scroll").scrollTop)) === 0;
    });
    await page.click("#pause");
    const held = await rows();
    const more = await press(1);
    await until("what is new is counted", async () => (await text(page, ".title-row")).includes(`${more.made} new`));
    assert.deepEqual(await rows(), held);

    step("going on shows them");
    await page.click("#pause");
    await until("others on top", async () => !(await rows()).includes(held[0]));
    await until("nothing is missed", async () => !(await text(page, ".title-row")).includes("new"));
    await until("the total", async () => (await total()) === recorded + more.made);
  },
  { path: "/calls" },
);
