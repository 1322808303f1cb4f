// Two hundred calls a second while the list of calls is looked at. Figures are printed, not judged.

import { ask, assert, becomes, play, tell, text, until } from "./page.mjs";

const RATE = 200;
const SECONDS = 10;
/** More than the page keeps of what it does not show. */
const WHILE_PAUSED = 2_500;
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
    /** Rows the list scrolls over, in the page or not. */
    const loaded = () =>
      page.evaluate(() => {
        const sizer = document.querySelector(".calls-table .sizer");
        return Math.round(sizer.offsetHeight / sizer.querySelector("[role=listitem]").offsetHeight);
      });
    const newest = async () => `/calls/${await ask("newest")}`;
    const press = async (calls, rate) => ask("press", { calls, rate });

    step("load");
    await press(50);
    await until("the list", async () => (await rows()).length > 5);
    await page.evaluate(measure);
    const pressing = press(RATE * SECONDS, RATE);
    let over = false;
    pressing.then(() => (over = true));
    // Up and down, as a person who looks for something.
    await page.mouse.move(500, 500);
    for (let n = 0; !over; n++) {
      await page.mouse.wheel(0, n % 20 < 12 ? 400 : -600);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    const seconds = await pressing;
    const figures = await page.evaluate(() => window.__measured());
    const session = await context.newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    await session.send("Performance.enable");
    const { metrics } = await session.send("Performance.getMetrics");
    const metric = (name) => metrics.find((metric) => metric.name === name).value;
    figures["heap MB"] = Math.round(metric("JSHeapUsedSize") / 1e5) / 10;
    figures.nodes = metric("Nodes");
    tell(`${Math.round((RATE * SECONDS) / seconds)} calls/s for ${Math.round(seconds)} s: ${JSON.stringify(figures)}`);
    assert(figures["rows at most"] > 5 && figures["rows at most"] < ROWS, `${figures["rows at most"]} rows in the page`);

    step("all of it is counted");
    const recorded = 50 + RATE * SECONDS;
    await becomes(() => ask("recorded"), recorded);
    await until("the total", async () => (await total()) === recorded);
    await until(`all in the list`, async () => (await loaded()) === recorded);

    step("pause holds still");
    await page.evaluate(() => (document.querySelector(".calls-table .scroll").scrollTop = 0));
    await until("the newest on top", async () => (await rows())[0] === (await newest()));
    await page.click("#pause");
    const held = await rows();
    await press(WHILE_PAUSED);
    await until("all are counted", async () => (await total()) === recorded + WHILE_PAUSED);
    assert.deepEqual(await rows(), held);
    const told = await text(page, ".title-row .tag");
    assert(told.includes("+") || told.replace(/\D/g, "") === `${WHILE_PAUSED}`, `${WHILE_PAUSED} are new, not: ${told}`);

    step("going on shows them");
    await page.click("#pause");
    await until("the newest on top", async () => (await rows())[0] === (await newest()));
    await until("nothing is missed", async () => (await page.locator(".title-row .tag").count()) === 0);
    // Older ones may be asked for as they are scrolled to.
    await until("all in the list", async () => {
      await page.evaluate(() => {
        const list = document.querySelector(".calls-table .scroll");
        list.scrollTop = list.scrollHeight;
      });
      return (await loaded()) === recorded + WHILE_PAUSED;
    });
  },
  { path: "/calls" },
);
