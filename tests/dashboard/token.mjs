// Without a token nothing is shown; with one it is not visible; and the page runs only its own code.

import { assert, becomes, job, live, open, play, text, tolerate, until, visitor } from "./page.mjs";

const home = `http://${job.address}/`;

await play(
  async ({ step }) => {
    tolerate(/status of 40[13]/);
    for (const [name, address, expected] of [
      ["none", home, 401],
      ["a wrong one", `${home}#token=wrong`, 401],
      ["a cut one, deep inside", `${home}tools/shop__get_order#token=${job.token.slice(0, -1)}`, 401],
      ["that of agents", `${home}#token=${job.agent_token}`, 403],
    ]) {
      step(name);
      const context = await visitor();
      const page = await context.newPage();
      const answers = [];
      page.on("response", (response) => {
        if (response.url().includes("/api/")) {
          answers.push(response.status());
        }
      });
      await page.goto(address);
      await until("it asks for the token", async () => (await text(page, "main")).includes("Token required"));
      await becomes(() => text(page, "#connection"), "no token");
      const all = await page.content();
      assert(!all.includes("list_orders") && !all.includes(job.token), "nothing is shown");
      assert(answers.length > 0 && answers.every((status) => status === expected), `${answers}`);
      await context.close();
    }
    tolerate();

    step("the right one");
    const context = await visitor();
    const files = new Map();
    context.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith("/api/")) {
        files.set(pathname, response.headers()["content-security-policy"] ?? "");
      }
    });
    const page = await open(context, "/calls?q=tool:get_order");
    assert.equal(page.url(), `${home}calls?q=tool:get_order`);
    assert(!(await page.content()).includes(job.token), "it is not on the page");
    await until("calls", async () => (await text(page, ".calls-table .window")).includes("get_order"));
    for (const file of ["/calls", "/start.js", "/theme.js", "/schemascope.js", "/load.js", "/schemascope.wasm", "/dashboard.css"]) {
      const policy = files.get(file);
      assert(policy, `${file} has a policy`);
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/);
      assert(!policy.includes("unsafe-inline") && !policy.includes("'unsafe-eval'"), policy);
    }

    step("that of agents, kept by an older version, is not enough");
    const older = await visitor();
    // The page may be blank at first, and has no storage then.
    await older.addInitScript((token) => location.protocol === "http:" && localStorage.setItem("token", token), job.agent_token);
    tolerate(/status of 403/);
    const kept = await older.newPage();
    await kept.goto(home);
    await until("it asks for the token", async () => (await text(kept, "main")).includes("Token required"));
    await older.close();
    tolerate();

    step("it is kept");
    const second = await context.newPage();
    await second.goto(home);
    await live(second);

    step("code from elsewhere does not run");
    tolerate(/Content Security Policy/);
    await page.addScriptTag({ content: "window.__inline = true" }).catch(() => {});
    await page.evaluate(() => {
      document.body.insertAdjacentHTML("beforeend", '<img id="inserted" src="data:," onerror="window.__inline = true">');
      return new Promise((resolve) => {
        const image = document.getElementById("inserted");
        image.addEventListener("error", resolve);
        image.addEventListener("load", resolve);
      });
    });
    await becomes(() => page.evaluate(() => window.__inline), undefined);
    await page.evaluate(() => {
      const button = document.createElement("button");
      button.setAttribute("onclick", "window.__inline = true");
      document.body.append(button);
      button.click();
    });
    await becomes(() => page.evaluate(() => window.__inline), undefined);
  },
  { page: false },
);
