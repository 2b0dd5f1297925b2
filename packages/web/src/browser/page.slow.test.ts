// The page in a real browser, on run directories that are written while it looks.
import { appendFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWebServer } from "../server/index.ts";
import { inspectPages } from "../testing/inspect-pages.ts";
import { openPage, whyNoBrowser } from "../testing/open-browser.ts";
import { type OpenSample, openSample } from "../testing/open-sample.ts";
import { sampleRollout, type SampleRoot, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";

const reason = whyNoBrowser();
if (reason !== undefined) process.stderr.write(`Tests in a browser are skipped: ${reason}.\n`);

const hostile = [
  "<script>window.hacked = 1</script>",
  '<img src=x onerror="window.hacked = 2">',
  '<iframe src="https://example.com/"></iframe>',
  '<a href="javascript:window.hacked = 3">click</a>',
  "[link](javascript:window.hacked=4) ![picture](https://example.com/x.png)",
  "<style>body { display: none }</style>",
  "</div></main><svg onload=window.hacked=5>",
  "access\u202Etxt.exe \u0000 \u001B[31m",
].join("\n");

describe.skipIf(reason !== undefined)("the page", () => {
  let browser: Browser;
  let root: SampleRoot;
  let sample: OpenSample;
  beforeAll(async () => {
    sample = await openSample(writeSample);
    ({ browser, root } = sample);
  });
  afterAll(() => sample.close());
  const at = (path: string): string => sample.url + path;
  const reader = (id: string, view = ""): string => at(`runs/sample/rollouts/2/${encodeURIComponent(id)}${view}`);

  test("a live run appears and its curve grows without a reload", async () => {
    const { page, problems } = await openPage(browser, at("runs?filter=live"));
    await page.getByText("No run matches.").waitFor();
    await using run = await sampleRun(root, "live-run");
    await run.append("updates", { step: 1, "reward/mean": 0.1, "reward/words/mean": 0.1 });
    await page.getByRole("link", { name: "live-run" }).click();
    await page.getByText("running").waitFor();
    await pointsOf(page, 1);
    for (let step = 2; step <= 6; step++) {
      await run.append("updates", { step, "reward/mean": step / 10, "reward/words/mean": step / 10 });
      await pointsOf(page, step);
      expect(await page.getByTestId("step").textContent()).toBe(String(step));
    }
    await run.append("evals", { step: 6, env: "words", "reward/mean": 0.7, "reward/ci95": [0.6, 0.8] });
    await page.getByText("words eval").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("whoever opens the address before the run is there sees it when it begins", async () => {
    const { page } = await openPage(browser, at("runs/early"));
    await page.getByText("It may be about to begin").waitFor();
    await using run = await sampleRun(root, "early");
    await run.append("updates", { step: 1, "reward/mean": 0.5 });
    await page.getByRole("heading", { name: "early" }).waitFor();
    expect(await page.getByText("It may be about to begin").count()).toBe(0);
    await page.close();
  });

  test("after the server was restarted the page goes on by itself, with what came meanwhile", async () => {
    const first = await createWebServer({ root: root.path });
    await using run = await sampleRun(root, "restarted");
    await run.append("updates", { step: 1, "reward/mean": 0.1, "reward/words/mean": 0.1 });
    const { page, problems } = await openPage(browser, `${first.url}runs/restarted`);
    await pointsOf(page, 1);
    await first.close();
    await page.getByText("Connection lost, trying again").waitFor();
    await run.append("updates", { step: 2, "reward/mean": 0.2, "reward/words/mean": 0.2 });
    const second = await createWebServer({ root: root.path, port: Number(new URL(first.url).port) });
    await run.append("updates", { step: 3, "reward/mean": 0.3, "reward/words/mean": 0.3 });
    await pointsOf(page, 3);
    await page.getByText("Connection lost, trying again").waitFor({ state: "hidden" });
    expect(problems).toEqual([]);
    await page.close();
    await second.close();
  });

  test("a run at work says how far it is, how long it takes, and when it stands still", async () => {
    await using run = await sampleRun(root, "at-work");
    await run.append("events", { type: "run-start", atMs: Date.now(), detail: {} });
    for (const step of [1, 2, 3, 4, 5]) await run.append("updates", { step, "reward/mean": 0.5, "step/seconds": 60 });
    const { page, problems } = await openPage(browser, at("runs/at-work"));
    await page.getByText(/5 of 20 steps · 25 % · 5 min so far · about 15 min left · 1 min a step/).waitFor();
    await page.getByRole("progressbar", { name: "Progress: 5 of 20 steps" }).waitFor();
    const message = "Nothing has arrived for 60 s: 3 rollouts wait for the model.";
    await run.append("events", { type: "stall", atMs: Date.now() + 60_000, detail: { message } });
    await page.getByText("It seems to stand still.").waitFor();
    await page.getByText(message).waitFor();
    await page.getByRole("link", { name: "Runs", exact: true }).first().click();
    await page.getByText("stands still").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a run that is deleted while it is looked at stays on the screen and says so; lines that cannot be read are told", async () => {
    const run = await sampleRun(root, "to-delete");
    await run.append("updates", { step: 1, "reward/mean": 0.1, "reward/words/mean": 0.1 });
    await appendFile(join(run.directory, "updates.jsonl"), "half a li\n");
    const { page, problems } = await openPage(browser, at("runs/to-delete"));
    await pointsOf(page, 1);
    await page.getByText(/^A line of updates.jsonl cannot be read and is not shown/).waitFor();
    await appendFile(join(run.directory, "updates.jsonl"), "also no row\n");
    await run.append("updates", { step: 2, "reward/mean": 0.2, "reward/words/mean": 0.2 });
    await pointsOf(page, 2);
    await run.close();
    await rm(run.directory, { recursive: true });
    await page.getByText("The folder of this run is gone:").waitFor();
    await pointsOf(page, 2);
    expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
    await page.close();
  });

  test("an empty folder says where it looks and what next, and what is no run is named", async () => {
    await using empty = await sampleRoot();
    const other = await createWebServer({ root: empty.path });
    const { page, problems } = await openPage(browser, `${other.url}runs`);
    await page.getByText(`There are no runs in ${empty.path}/runs yet.`).waitFor();
    await page.getByText("hone train", { exact: true }).waitFor();
    await page.goto(`${other.url}evals`);
    await page.getByText(`There are no evaluations in ${empty.path}/evals yet.`).waitFor();
    await mkdir(join(empty.path, "runs", "half-made"), { recursive: true });
    await page.goto(`${other.url}runs`);
    await page.getByText("One entry of runs/ is not shown, having no run.toml: half-made").waitFor();
    expect(problems).toEqual([]);
    await page.close();
    await other.close();
  });

  test("a link to a rollout that is gone says so and leads back", async () => {
    const { page } = await openPage(browser, reader("nobody#0"));
    await page.getByText('There is no rollout "nobody#0" in step 2.').waitFor();
    await page.getByRole("link", { name: "All rollouts" }).click();
    await page.getByText("8 rollouts").waitFor();
    expect(new URL(page.url()).pathname).toBe("/runs/sample");
    await page.close();
  });

  test("stopping writes the stop file, and the page says that it is stopping", async () => {
    await using run = await sampleRun(root, "to-stop");
    const { page } = await openPage(browser, at("runs/to-stop"));
    await page.getByRole("button", { name: "Stop after this step" }).click();
    await page.getByText("stopping").waitFor();
    await expect.poll(() => readdir(run.directory)).toContain("stop");
    await page.close();
  });

  test("a checkpoint that is kept is taken along by a command", async () => {
    const { page, problems } = await openPage(browser, at("runs/sample?tab=record"));
    await page.getByText("hone runs export sample --step 12 --merged --output sample-12-merged").waitFor();
    await page.getByRole("combobox", { name: "The checkpoint to take along" }).selectOption("step 11");
    await page.getByText("hone runs export sample --step 11 --output sample-11", { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("runs that are ticked are drawn on one chart, and the address keeps them", async () => {
    await using other = await sampleRun(root, "other");
    await other.append("updates", { step: 40, "reward/mean": 0.4 });
    const { page, problems } = await openPage(browser, at("runs"));
    await page.getByRole("checkbox", { name: "Compare sample" }).check();
    await page.getByRole("checkbox", { name: "Compare other" }).check();
    await page.getByRole("img", { name: "Mean reward, last values: sample 1.000, other 0.400" }).waitFor();
    await page.reload();
    await pointsOf(page, 13);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("two evaluations are compared task by task", async () => {
    await using other = await sampleRun(root, "words--toy--2", "evals");
    await writeRollouts(other, 0, [
      sampleRollout({ id: "a#0" }),
      sampleRollout({ id: "a#1" }),
      sampleRollout({ id: "b#0" }),
    ]);
    const { page, problems } = await openPage(browser, at("evals?compare=words--toy--1/words--toy--2"));
    const row = page.getByRole("region", { name: "Tasks that changed" }).getByRole("row").nth(1);
    await row.waitFor();
    expect(await row.allInnerTexts()).toEqual(["task of a\t0.500\t1.000\t+0.500"]);
    await page.getByText("in one only").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a rollout is found by what it said and opened by its link", async () => {
    const { page, problems } = await openPage(browser, at("runs/sample?tab=rollout"));
    await page.getByText("rollouts", { exact: false }).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("golden key");
    await page.getByText("1 found").waitFor();
    await page.getByRole("listitem").getByRole("link").click();
    await page.getByRole("heading", { level: 1 }).getByText("task of tools").waitFor();
    const link = page.url();
    expect(link).toContain("/rollouts/2/tools%230");
    await page.close();
    const { page: other } = await openPage(browser, link);
    await other.getByText("The golden key is under the mat.").waitFor();
    await other.getByText("I should look first.").waitFor();
    await other.getByText('{"place":"mat"}').waitFor();
    await other.getByText("a key").first().waitFor();
    expect(problems).toEqual([]);
    await other.close();
  });

  test("tokens are tinted by how likely they were, and the group lies side by side, best first", async () => {
    const { page, problems } = await openPage(browser, reader("many#0", "?view=tokens"));
    await page.getByText("sampled tokens").waitFor();
    expect(await page.locator(".token-text .token.p4").textContent()).toBe("h");
    await page.locator(".token-text .token.p1").hover();
    await page.locator(".inspector").getByText("5.0 %").waitFor();
    await page.getByRole("button", { name: "Group" }).click();
    const rewards = await page.locator(".column > header .total").allTextContents();
    expect(rewards).toEqual(["1.000", "0.500", "0.000"]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("keys go through tabs, rollouts, groups and views", async () => {
    const { page, problems } = await openPage(browser, at("runs/sample"));
    await page.getByRole("tab", { name: "Reward", selected: true }).waitFor();
    await page.keyboard.press("2");
    await page.getByRole("tab", { name: "Rollout", selected: true }).waitFor();
    await page.getByRole("listitem").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/rollouts\/2\//);
    const seen = page.url();
    const loaded = page.locator('article[aria-busy="false"]');
    await loaded.waitFor();
    await page.keyboard.press("k");
    await page.waitForURL((url) => url.href !== seen);
    await loaded.waitFor();
    await page.keyboard.press("j");
    await page.waitForURL(seen);
    await loaded.waitFor();
    await page.keyboard.press("v");
    await page.waitForURL(/view=tokens/);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("u");
    await page.waitForURL(/tab=rollout/);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("what a model wrote stays text, whatever it wrote", async () => {
    const { page, problems } = await openPage(browser, reader("hostile#0"));
    await page.getByText("<script>window.hacked = 1</script>").first().waitFor();
    await page.getByText("RLO").first().waitFor();
    await page.getByText("ESC").first().waitFor();
    for (const view of ["tokens", "group"]) {
      await page.goto(reader("hostile#0", `?view=${view}`));
      await page.getByRole("button", { name: "Tokens" }).waitFor();
    }
    await page.goto(at("runs/sample?tab=rollout&search=hacked"));
    await page.getByText("1 found").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(
      await page.locator("main :is(script, iframe, style, [onerror], [onload], a[href^='javascript'])").count(),
    ).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a line of a megabyte is shown in part, and whole when asked for", async () => {
    const { page, problems } = await openPage(browser, reader("long#0"));
    await page.getByRole("button", { name: "Show all 1.0 M characters" }).click();
    await expect
      .poll(() => page.evaluate("document.querySelector('.assistant .said').textContent.length"))
      .toBe(1_000_000);
    expect(problems).toEqual([]);
    await page.close();
  });

  const pages = [
    "runs?compare=sample&by=name",
    "runs/sample?tab=task",
    "runs/sample?tab=rollout",
    "runs/sample?tab=reward",
    "runs/sample?tab=sample",
    "runs/sample?tab=update",
    "runs/sample?tab=record",
    "runs/sample/rollouts/2/tools%230",
    "runs/sample/rollouts/2/many%230?view=tokens",
    "runs/sample/rollouts/2/many%230?view=group",
    "evals",
    "evals/words--toy--1",
    "evals/words--toy--1?tab=rollout",
  ];

  test("on every page axe finds nothing serious, light or dark, and none is wider than a phone", async () => {
    expect(
      await inspectPages(
        browser,
        pages.map((path) => ({ url: at(path) })),
      ),
    ).toEqual([]);
  });
});

async function pointsOf(page: Page, points: number): Promise<void> {
  await page.locator(`.plot[data-points="${points}"]`).first().waitFor();
}

async function writeSample(root: SampleRoot): Promise<void> {
  await using run = await sampleRun(root, "sample");
  for (const step of ["000011", "000012"]) {
    await mkdir(join(run.directory, "weights", step), { recursive: true });
  }
  await run.append("events", { type: "run-start", atMs: 1000, detail: { step: 0 } });
  for (let step = 1; step <= 12; step++) {
    await run.append("updates", {
      step,
      "reward/mean": step / 12,
      "reward/words/mean": step / 12,
      "reward/words/right": step / 24,
      "reward/words/brief": 1 - step / 24,
      "reward/words/histogram": [12 - step, 0, 0, 0, 0, 0, 0, 0, 0, step],
      "task/words/pool_easy": step,
      "task/words/pool_normal": 20 - step,
      "task/trained": 6 - (step % 3),
      "rollout/words/turns": 1 + (step % 2),
      "sample/tokens": 1000 + step,
      "update/loss": 1 / step,
      "update/entropy": 1 / step,
    });
  }
  await run.append("evals", { step: 0, env: "words", "reward/mean": 0.1, "reward/ci95": [0.05, 0.15] });
  const failed = {
    failure: { boundary: "tool", code: "timeout", message: "the tool took too long", isRetryable: true },
    stop: { type: "failed" },
  } as const;
  await writeRollouts(run, 1, [sampleRollout({ id: "early#0" })]);
  await writeRollouts(run, 2, [
    sampleRollout({ id: "many#0", reward: 0.5, tokens: true }),
    sampleRollout({ id: "many#1", reward: 0, tokens: true }),
    sampleRollout({ id: "many#2", reward: 1, tokens: true }),
    sampleRollout({ id: "hostile#0", reply: hostile, tokens: true }),
    sampleRollout({ id: "long#0", reply: "x".repeat(1_000_000) }),
    sampleRollout({ id: "failed#0", reward: null, change: failed }),
    sampleRollout({
      id: "tools#0",
      messages: [
        { role: "system", content: "You may look around." },
        { role: "user", content: "Where is it?" },
        {
          role: "assistant",
          content: "",
          reasoning: "I should look first.",
          toolCalls: [{ id: "1", name: "look", arguments: '{"place":"mat"}' }],
        },
        { role: "tool", toolCallId: "1", content: "a key" },
        { role: "assistant", content: "The golden key is under the mat." },
      ],
    }),
  ]);
  await using evaluation = await sampleRun(root, "words--toy--1", "evals");
  await evaluation.append("events", { type: "evaluation-end", atMs: 1000, detail: {} });
  await evaluation.append("evals", {
    step: 0,
    env: "words",
    model: "toy",
    n: 2,
    tasks: 1,
    failed: 0,
    "reward/mean": 0.5,
    "reward/ci95": [0.2, 0.8],
    "pass@1": 0.5,
    "pass^1": 0.5,
  });
  await writeRollouts(evaluation, 0, [sampleRollout({ id: "a#0" }), sampleRollout({ id: "a#1", reward: 0 })]);
}
