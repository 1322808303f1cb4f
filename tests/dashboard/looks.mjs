// Themes, calm, and windows small and large.

import { assert, becomes, live, matches, play, text, until } from "./page.mjs";

/** Elements that reach out of the window sideways, and are not cut or scrolled by one that does not. */
const outside = () => {
  const width = document.documentElement.clientWidth;
  const reaches = (element) => {
    const { left, right } = element.getBoundingClientRect();
    return right > width + 0.5 || left < -0.5;
  };
  const held = (element) => {
    // The frame cuts too, but nothing may be lost at its edge.
    for (let above = element.parentElement; above && !above.matches("main, .app, body"); above = above.parentElement) {
      if (getComputedStyle(above).overflowX !== "visible" && !reaches(above)) {
        return true;
      }
    }
    return false;
  };
  const found = [...document.body.querySelectorAll("*")].filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && reaches(element) && !held(element);
  });
  return {
    scrolls: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    outside: found.map((element) => element.outerHTML.slice(0, 120)),
  };
};

/** Cells and names of columns that reach out of their table, where a narrower one would show fewer. */
const overhanging = () => {
  const tables = [...document.querySelectorAll(".table")].filter((table) => getComputedStyle(table).overflowX === "visible");
  const found = tables.flatMap((table) => {
    const edge = table.getBoundingClientRect().right + 0.5;
    const cells = [...table.querySelectorAll(".tr > *")].filter((cell) => getComputedStyle(cell).display !== "none");
    return cells.filter((cell) => cell.getBoundingClientRect().right > edge);
  });
  return found.map((cell) => `${cell.closest(".table").className}: ${cell.textContent}`.slice(0, 80));
};

/** Parts of a page that are higher than their place, so that they lie over the next one. */
const overlapping = () => {
  const parts = [...document.querySelectorAll(".page > *, .title-row")];
  const found = parts.filter(
    (part) => getComputedStyle(part).overflowY === "visible" && part.scrollHeight > part.clientHeight + 1,
  );
  return found.map((part) => `${part.className}: ${part.textContent}`.slice(0, 80));
};

await play(async ({ page, step }) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const shows = (wanted) => until(wanted, async () => (await theme()) === wanted);
  const choice = () => page.getAttribute("#theme", "aria-label");

  step("as the system says");
  await becomes(choice, "Theme: system");
  await page.emulateMedia({ colorScheme: "light" });
  await shows("light");
  const light = await paper();
  await page.emulateMedia({ colorScheme: "dark" });
  await shows("dark");
  assert.notEqual(await paper(), light);

  step("as the person says, also after a reload");
  await page.click("#theme");
  await shows("light");
  await becomes(choice, "Theme: light");
  await becomes(paper, light);
  await page.reload();
  await live(page);
  await becomes(theme, "light");
  await becomes(choice, "Theme: light");
  await page.keyboard.press("Control+k");
  await page.locator("#palette").fill("Theme: dark");
  await page.keyboard.press("Enter");
  await shows("dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.reload();
  await live(page);
  await becomes(theme, "dark");
  await page.click("#theme");
  await shows("light");
  await becomes(choice, "Theme: system");

  step("no motion for who wants none");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.click('nav a[href="/servers"]');
  await page.keyboard.press("?");
  await page.locator("#help-title").waitFor();
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { animationName, transitionDuration } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(",").some((time) => parseFloat(time) > 0);
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(moving, []);
  await page.keyboard.press("Escape");

  const call = await page.evaluate(async () => {
    const response = await fetch("/api/browse_calls", {
      method: "POST",
      headers: { authorization: `Bearer ${localStorage.token}`, "content-type": "application/json" },
      body: '{"limit":1}',
    });
    return (await response.json()).rows[0].id;
  });
  step("an interview");
  await page.click('nav a[href="/interviews"]');
  await page.click("#start-interview");
  await page.fill("#project-name", "Bakery");
  await page.click("#decide");
  await page.locator("#answer").waitFor();
  const interview = new URL(page.url()).pathname;

  const places = [
    ["/", "#latest a.tr"],
    ["/tools", ".tools-table .window a.tr"],
    ["/tools/shop__list_orders", "#fields .tr"],
    ["/tools/shop__list_orders?tab=inferred", "#tab-panel pre"],
    ["/tools/shop__get_order?tab=calls", "#tab-panel a.tr"],
    ["/review", ".waiting .window a.tr"],
    ["/calls", ".calls-table .window a.tr"],
    [`/calls/${call}`, ".detail dl"],
    ["/graph?min=0", ".base .node"],
    ["/graph?focus=shop__get_order&min=0", ".base .node.focus"],
    ["/graph?focus=shop__get_order&min=0&plan=1", "#plan"],
    [interview, ".open-question #answer"],
    ["/servers/shop", ".server pre"],
    ["/settings", ".tried pre"],
    ["/help/settings", ".guide article h1"],
    ["/help/commands", ".guide article h1"],
  ];
  const go = (path) =>
    page.evaluate((path) => {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  for (const [width, height] of [
    [480, 800],
    [900, 600],
    [1280, 800],
    [1600, 900],
    [3840, 2160],
  ]) {
    await page.setViewportSize({ width, height });
    for (const [path, sign] of places) {
      step(`${path} on ${width}×${height}`);
      await go(path);
      await page.locator(sign).first().waitFor();
      for (const button of await page.locator("#fields .more").all()) {
        await button.click();
      }
      assert.deepEqual(await page.evaluate(outside), { scrolls: false, outside: [] }, `${path} on ${width}×${height}`);
      assert.deepEqual(await page.evaluate(overhanging), [], `${path} on ${width}×${height}`);
      assert.deepEqual(await page.evaluate(overlapping), [], `${path} on ${width}×${height}`);
    }
    step(`dialogs on ${width}×${height}`);
    await page.keyboard.press("?");
    await page.locator("#help-title").waitFor();
    assert.deepEqual(await page.evaluate(outside), { scrolls: false, outside: [] });
    await page.keyboard.press("Control+k");
    await page.locator("#palette").waitFor();
    assert.deepEqual(await page.evaluate(outside), { scrolls: false, outside: [] });
    await page.keyboard.press("Escape");
  }
  await matches(() => text(page, "#connection"), /live/);
});
