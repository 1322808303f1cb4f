// What the Graph page costs a browser: from its data to the picture, many tools at once, moving it, and moving it while
// agents work.

import { ask, job, play, text, until } from "../../../dashboard/page.mjs";

const measured = (what, value, unit, bar) => ask("measured", { row: { what, value, unit, bar } });
const share = (times, part) => [...times].sort((one, other) => one - other)[Math.ceil(times.length * part) - 1] ?? 0;

await play(async ({ page }) => {
  await page.addInitScript(() => {
    window.__tasks = [];
    new PerformanceObserver((list) => window.__tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
  });
  const address = (query) => `http://${job.address}/graph?${query}`;
  /** Number of tools in the picture; only those in sight are elements. */
  const nodes = async () => Number(/Picture of (\d+) tools/.exec(await page.locator(".canvas").getAttribute("aria-label"))?.[1]);
  const wires = () => page.locator(".base .wire").count();
  const longest = () => page.evaluate(() => Math.max(0, ...window.__tasks));
  const forget = () => page.evaluate(() => (window.__tasks.length = 0));
  /** Time from the last reply about the graph to the frame after the picture, in milliseconds. */
  const drawn = (least) =>
    page.evaluate(
      (least) =>
        new Promise((resolve) => {
          const look = () => {
            const replies = performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith("/get_graph"));
            const reply = replies.at(-1);
            if (reply && document.querySelectorAll(".base .node").length >= least)
              requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - reply.responseEnd), 0));
            else requestAnimationFrame(look);
          };
          look();
        }),
      least,
    );

  const open = async (query, least) => {
    await page.goto(address(query));
    return drawn(least);
  };
  const overview = await open("min=0.05", 0);
  await measured("page without a focus, after its data", overview, "ms", 500);
  const focus = encodeURIComponent(job.focus);
  await measured("page with a focus and its neighbours, after its data", await open(`focus=${focus}&hops=1&min=0.05`, 20), "ms", 500);

  if (job.opens_only) return;

  await page.goto(address(`focus=${focus}&hops=2&min=0.3`));
  await page.locator("#draw-many").waitFor();
  await forget();
  const began = await page.evaluate(() => performance.now());
  await page.click("#draw-many");
  await until("the picture", async () => (await wires()) > 200);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  const took = await page.evaluate((began) => performance.now() - began, began);
  // The bars are for a picture of 300 tools and 900 edges.
  const bar = (value) => (tools <= 310 ? value : undefined);
  const tools = await nodes();
  await measured("tools in the picture", tools, "", undefined);
  await measured("edges in it", await wires(), "", undefined);
  await measured("from the button to that picture", took, "ms", undefined);
  await measured("longest task while it is laid out and drawn", await longest(), "ms", bar(100));
  await measured("elements of the page", await page.evaluate(() => document.querySelectorAll("*").length), "", bar(3_000));

  const box = await page.locator("svg.picture, .stage svg").first().boundingBox();
  const pan = async (what) => {
    await forget();
    await page.evaluate(() => {
      window.__frames = [];
      let last = performance.now();
      window.__moving = true;
      const frame = (now) => {
        window.__frames.push(now - last);
        last = now;
        if (window.__moving) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    const [x, y] = [box.x + box.width - 30, box.y + box.height - 30];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let n = 0; n < 240; n += 1) {
      await page.mouse.move(x - 200 * Math.sin(n / 20) ** 2, y - 150 * Math.sin(n / 30) ** 2);
      await new Promise((resolve) => setTimeout(resolve, 12));
    }
    await page.mouse.up();
    const frames = await page.evaluate(() => ((window.__moving = false), window.__frames.slice(2)));
    await measured(`${what}: frames, 95 of 100`, share(frames, 0.95), "ms", 33);
    await measured(`${what}: longest task`, await longest(), "ms", 100);
  };
  await pan("moving it");
  await ask("calls");
  const rate = async () => Number(/(\d+)\s*calls\/s/.exec(await text(page, "header"))?.[1]);
  await until("the calls", async () => (await rate()) > 150);
  await pan("moving it at 200 calls/s");
  const made = await ask("no calls");
  await measured("calls made meanwhile", made, "", undefined);
}, { path: "/graph" });
