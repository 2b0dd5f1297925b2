// The page on a large run, in a real browser: 10,000 steps, 100,000 rollouts. How soon it is there, how fast it answers to a hand, what it weighs,
// and what a live run with fifty watchers costs the server.
import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figure, median } from "./lib/figure.mjs";
import { random, updateRow, writeRun } from "./lib/web-run.mjs";

// A dependency of the page's tests, not of the repository.
const { chromium } = createRequire(new URL("../packages/web/package.json", import.meta.url))("playwright-core");

const steps = 10_000;
const rollouts = 100_000;
const watchers = 50;
const environments = ["arithmetic", "word-guess"];
const rounds = 7;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Servers that still run. */
const started = new Set();

async function startServer(root) {
  const child = fork(new URL("./lib/web-server.mjs", import.meta.url), [root], { execArgv: ["--expose-gc"] });
  const stop = async () => {
    started.delete(stop);
    child.kill();
    await once(child, "exit");
  };
  started.add(stop);
  const [url] = await once(child, "message");
  return {
    url,
    usage: async () => {
      child.send("usage");
      return (await once(child, "message"))[0];
    },
    stop,
  };
}

function openBrowser() {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
  });
}

/** Runs in the page: from `act` until `isDone` and the frame in which that is seen. */
function timed({ act, isDone }) {
  return `new Promise((resolve, reject) => {
    const done = () => { ${isDone} };
    const started = performance.now();
    ${act};
    const look = () => {
      if (done()) requestAnimationFrame(() => resolve(performance.now() - started));
      else if (performance.now() - started > 8000) reject(new Error("not done after 8 s: " + document.body.innerText.slice(0, 200)));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`;
}

const drawn = (least) =>
  `return [...document.querySelectorAll(".plot canvas")].filter((one) => { const { top, bottom } = one.getBoundingClientRect(); return bottom > 0 && top < innerHeight; }).length >= ${least}`;
const tab = (name, isDone) => ({ act: `document.getElementById("tab-${name}").click()`, isDone });
const rows = `return document.querySelectorAll(".rollouts [role=listitem] .row").length > 8`;

async function interactions(page, url) {
  const selected = (name) => `return document.getElementById("tab-${name}")?.ariaSelected === "true"`;
  /** A page that has loaded no chart yet. */
  const fresh = async () => {
    await page.goto(`${url}runs/large?tab=record`);
    await page.evaluate(timed({ act: "", isDone: selected("record") }));
  };
  const measure = async (name, prepare, question) => {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      await prepare(round);
      await wait(400);
      times.push(await page.evaluate(timed(typeof question === "function" ? question(round) : question)));
    }
    figure("web", `${name}, median of ${rounds}`, median(times), "ms", { bar: 100, better: "lower" });
  };
  await measure("switch to Update, its charts drawn", fresh, tab("update", drawn(6)));
  await measure("switch to Sample, its charts drawn", fresh, tab("sample", drawn(6)));
  await measure("switch to Reward, its charts drawn", fresh, tab("reward", drawn(3)));
  await measure("switch to Task, its charts drawn", fresh, tab("task", drawn(3)));
  await measure("switch to Rollout, its list shown", fresh, tab("rollout", rows));

  await page.goto(`${url}runs/large?tab=reward`);
  await page.evaluate(timed({ act: "", isDone: drawn(3) }));
  await measure(
    "hover a chart, all legends changed",
    () => page.mouse.move(5, 60),
    (round) => ({
      act: `const over = document.querySelector(".plot .u-over"); const { left, top } = over.getBoundingClientRect();
      over.dispatchEvent(new MouseEvent("mouseenter", { clientX: left, clientY: top + 40 }));
      over.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: left + ${100 + 90 * round}, clientY: top + 40 }))`,
      isDone: `return document.querySelector(".chart .at") !== null`,
    }),
  );
  await measure(
    "smooth all charts",
    () => {},
    (round) => ({
      act: `const input = document.querySelector("input[type=range]");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "0.${round + 1}");
      input.dispatchEvent(new Event("input", { bubbles: true }))`,
      isDone: `return location.search.includes("smooth=0.${round + 1}")`,
    }),
  );

  await page.goto(`${url}runs/large?tab=rollout`);
  await page.evaluate(timed({ act: "", isDone: rows }));
  await measure(
    "filter rollouts by their stop",
    async () => {
      await page.goto(`${url}runs/large?tab=rollout`);
      await page.evaluate(timed({ act: "", isDone: rows }));
    },
    {
      act: `const select = [...document.querySelectorAll(".choice select")].find((one) => [...one.options].some(({ value }) => value === "solved"));
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(select, "solved");
      select.dispatchEvent(new Event("change", { bubbles: true }))`,
      isDone: `return document.querySelector(".count").innerText.includes(" of 100,000") && document.querySelector(".rollouts [role=listitem]")?.innerText.includes("solved")`,
    },
  );
  await page.goto(`${url}runs/large?tab=rollout`);
  await page.evaluate(timed({ act: "", isDone: rows }));
  await measure(
    "scroll the list of rollouts by a screen",
    () => {},
    (round) => ({
      act: `document.querySelector(".scroller").scrollTop = ${500 * (round + 1)}`,
      isDone: `const list = document.querySelector(".scroller"); const { top, bottom } = list.getBoundingClientRect();
      return [...list.querySelectorAll("[role=listitem]")].some((one) => { const own = one.getBoundingClientRect(); return own.bottom >= bottom - 40 && own.top <= bottom; })`,
    }),
  );
  await measure(
    "open a rollout",
    () => page.goto(`${url}runs/large?tab=rollout`).then(() => page.evaluate(timed({ act: "", isDone: rows }))),
    (round) => ({
      act: `document.querySelectorAll(".rollouts [role=listitem] a")[${round}].click()`,
      isDone: `return document.querySelector("article[aria-busy=false]") !== null && document.querySelector(".turn") !== null`,
    }),
  );
}

/** A search that has to look through everything, as it is typed: when the page first says how far it is, and when it is over. */
async function searching(page, url) {
  const [first, whole] = [[], []];
  for (let round = 0; round < 3; round++) {
    await page.goto(`${url}runs/large?tab=rollout`);
    await page.evaluate(timed({ act: "", isDone: rows }));
    await wait(400);
    const act = `const input = document.querySelector(".controls input[type=search]");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "nobody says this ${round}");
      input.dispatchEvent(new Event("input", { bubbles: true }))`;
    const said = (pattern) => `return ${pattern}.test(document.querySelector(".count").innerText)`;
    first.push(await page.evaluate(timed({ act, isDone: said("/^0 found/") })));
    whole.push(first.at(-1) + (await page.evaluate(timed({ act: "", isDone: said("/^0 found$/") }))));
  }
  figure("web", "search what was said, first answer (250 ms of them for typing)", median(first), "ms", {
    bar: 600,
    better: "lower",
  });
  figure("web", `search what was said in ${rollouts} rollouts, all of them`, median(whole) / 1000, "s", {
    bar: 2.5,
    better: "lower",
  });
}

/** The first rollout after the server was started and the page loaded, while the run is still being read. */
async function firstOpening(browser, root) {
  const times = [];
  for (let round = 0; round < 3; round++) {
    const server = await startServer(root);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${server.url}runs/large?tab=rollout`);
    await page.evaluate(timed({ act: "", isDone: rows }));
    await wait(400);
    times.push(
      await page.evaluate(
        timed({
          act: `document.querySelectorAll(".rollouts [role=listitem] a")[${round}].click()`,
          isDone: `return document.querySelector("article .turn") !== null`,
        }),
      ),
    );
    await page.close();
    await server.stop();
  }
  figure("web", "open the first rollout, server just started, median of 3", median(times), "ms", {
    bar: 100,
    better: "lower",
  });
}

/** What a tab that is left open on a live run holds: rows come, charts are drawn, and what is old is forgotten. */
async function leftOpen(browser, root) {
  const server = await startServer(root);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const devtools = await page.context().newCDPSession(page);
  const used = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    return (await devtools.send("Runtime.getHeapUsage")).usedSize;
  };
  await page.goto(`${server.url}runs/live?tab=update`);
  await page.evaluate(timed({ act: "", isDone: drawn(3) }));
  const folder = join(root, "runs", "live");
  await grow(folder, 10_001, 3000, 2);
  await wait(1000);
  const before = await used();
  await grow(folder, 13_001, 6000, 2);
  await wait(1000);
  const growth = ((await used()) - before) / 2 ** 20;
  await page.close();
  await server.stop();
  figure("web", "memory of a tab left open, growth over 6,000 updates", growth, "MiB", { bar: 16, better: "lower" });
}

async function firstPaint(browser, url, name, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${url}runs/large`, { waitUntil: "commit" });
  const drawnAt = await page.evaluate(`new Promise((resolve) => {
    const look = () => document.querySelector(".plot:not([data-points='0']) canvas") === null ? requestAnimationFrame(look) : requestAnimationFrame(() => resolve(performance.now()));
    look();
  })`);
  figure("web", name, drawnAt / 1000, "s", options);
  const bytes =
    await page.evaluate(`[...performance.getEntriesByType("resource"), performance.getEntriesByType("navigation")[0]]
    .filter(({ name }) => !name.includes("/api/")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
  await context.close();
  return bytes;
}

/** A watcher as a browser is one: asks once, then reads the feed. */
async function watch(url, name) {
  const { cursor } = await (await fetch(`${url}api/runs/${name}`)).json();
  const asked = request(`${url}api/runs/${name}/feed?after=${cursor}`);
  asked.end();
  const [response] = await once(asked, "response");
  let events = 0;
  response.on("data", (chunk) => (events += chunk.toString().split("event: updates").length - 1));
  response.on("error", () => {});
  return { events: () => events, stop: () => asked.destroy() };
}

/** Appends rows at a steady pace. */
async function grow(folder, from, count, everyMs) {
  const draw = random(from);
  const path = join(folder, "updates.jsonl");
  for (let step = from; step < from + count; step++) {
    const started = performance.now();
    await appendFile(path, `${JSON.stringify(updateRow({ step, steps, environments, draw }))}\n`);
    await wait(Math.max(0, everyMs - (performance.now() - started)));
  }
}

/** Memory when the last rows have been passed on: the least of a few looks. */
async function settled(server) {
  const looks = [];
  for (let look = 0; look < 5; look++) {
    await wait(500);
    looks.push(await server.usage());
  }
  return { used: Math.min(...looks.map(({ used }) => used)), rss: Math.min(...looks.map(({ rss }) => rss)) };
}

async function following(root) {
  const server = await startServer(root);
  const folder = join(root, "runs", "live");
  const open = await Promise.all(Array.from({ length: watchers }, () => watch(server.url, "live")));
  await grow(folder, 101, 50, 100);
  const [before, started] = [await server.usage(), performance.now()];
  await grow(folder, 151, 100, 100);
  const cpuMs = (await server.usage()).cpuMs - before.cpuMs;
  const share = (100 * cpuMs) / (performance.now() - started);
  figure("web", `${watchers} watchers of a run with ten updates a second, of one CPU`, share, "%", {
    bar: 10,
    better: "lower",
  });
  await grow(folder, 251, 1000, 2);
  const first = await settled(server);
  await grow(folder, 1251, 2000, 2);
  const last = await settled(server);
  const missing = open.filter(({ events }) => events() !== 3150).length;
  for (const one of open) one.stop();
  await server.stop();
  if (missing > 0) throw new Error(`${missing} watchers did not get every row once`);
  figure(
    "web",
    "server memory in use, growth over 1,000 updates followed",
    (last.used - first.used) / 2 / 2 ** 20,
    "MiB",
    { bar: 4, better: "lower" },
  );
  figure("web", "server resident memory, growth over 2,000 updates followed", (last.rss - first.rss) / 2 ** 20, "MiB", {
    bar: 48,
    better: "lower",
  });
}

const root = await mkdtemp(join(tmpdir(), "hone-bench-web-"));
const browser = await openBrowser();
try {
  await writeRun(join(root, "runs", "large"), { steps, rollouts, environments });
  await writeRun(join(root, "runs", "live"), { steps: 100, environments, end: false });
  const server = await startServer(root);
  const options = { bar: 1.5, better: "lower" };
  const bytes = await firstPaint(browser, server.url, "first paint with the curve, server just started", options);
  figure("web", "page weight, gzip", bytes / 1000, "kB", { bar: 400, better: "lower" });
  await firstPaint(browser, server.url, "first paint with the curve, run known to the server", options);
  // All rollouts are read once before hands are measured.
  while (!(await (await fetch(`${server.url}api/runs/large/tasks`)).json()).isIndexed) await wait(200);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await interactions(page, server.url);
  await searching(page, server.url);
  await page.close();
  await server.stop();
  await firstOpening(browser, root);
  await following(root);
  await leftOpen(browser, root);
} finally {
  await browser.close();
  for (const stop of started) await stop();
  await rm(root, { recursive: true, force: true });
}
