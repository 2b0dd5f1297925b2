// Charts in a real browser: every tab of a run, cursor, zoom, downloads, runs on one chart, and a run that has a loss and no reward.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage } from "../testing/open-browser.ts";
import { describeInBrowser } from "../testing/open-sample.ts";
import { sampleRollout, type SampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";

const steps = 900;

describeInBrowser("charts", writeRuns, (sample, at) => {
  test("every tab shows what belongs to it", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/trained?tab=task"));
    await chart(page, "Difficulty pools, tasks").waitFor();
    await chart(page, "Groups by outcome").waitFor();
    await page.getByRole("img", { name: /^Tasks by solve rate\. .*40 to 50 %: 0, 50 to 60 %: 1/ }).waitFor();
    await page.keyboard.press("2");
    await chart(page, "What ended them, share, last values: answered 1").waitFor();
    await page.getByRole("heading", { name: "Failed by boundary" }).scrollIntoViewIfNeeded();
    await chart(page, "Failed by boundary, last values: model 0, tool 2").waitFor();
    await page.keyboard.press("3");
    await chart(page, "Reward, last values: words").waitFor();
    await chart(page, "Rewards, step by step: in the last step").waitFor();
    await chart(page, "Style, last values").waitFor();
    await page.keyboard.press("4");
    await chart(page, "Staleness, updates, last values: mean 0.500, max 1").waitFor();
    await page.getByText("Tokens cut off").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.keyboard.press("5");
    await chart(page, "Seconds of a step, by part, last values: rollout").waitFor();
    await chart(page, "Entropy, last values").waitFor();
    // What it shows was asked for ahead.
    expect(asked.filter((url) => url.includes("/metrics?"))).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("the cursor is shared: one step is read on all charts", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/trained?tab=reward"));
    await drawn(page, 3);
    await hover(page, 0, 0.5);
    await expect.poll(() => page.locator(".chart .at").count()).toBeGreaterThan(1);
    const seen = await page.locator(".chart .at").allTextContents();
    // A small chart of a long run has a point every few steps.
    const shown = seen.map((text) => Number(text.replace("step ", "")));
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThan(5);
    expect(Math.abs((shown[0] ?? 0) - steps / 2)).toBeLessThan(5);
    await hover(page, 1, 0.5);
    await page.getByText(/^steps? [\d,]+.*, reward 0\.[45] to 0\.[56]: 0 of/).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("dragging zooms all charts to those steps, in full detail, and Escape shows everything again", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/trained?tab=update"));
    await drawn(page, 4);
    const box = await over(page, 0);
    await page.mouse.move(box.x + box.width * 0.25, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 4 });
    await page.mouse.up();
    const chip = page.getByRole("button", { name: /steps 2\d\d to 4\d\d/ });
    await chip.waitFor();
    const [, from = "", to = ""] = /from=(\d+)&to=(\d+)/.exec(page.url()) ?? [];
    const inside = Number(to) - Number(from) + 1;
    await expect.poll(() => page.locator(`.plot[data-points="${inside}"]`).count()).toBeGreaterThan(3);
    await page.keyboard.press("Escape");
    await chip.waitFor({ state: "hidden" });
    await expect.poll(() => page.locator('.plot[data-points="299"]').count()).toBeGreaterThan(3);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a chart is saved with every value, and as a picture; its scale can be logarithmic", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/trained?tab=update"));
    await drawn(page, 2);
    const [csv] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "csv of Gradient norm" }).click(),
    ]);
    expect(csv.suggestedFilename()).toBe("Gradient norm.csv");
    const lines = (await readFile(await csv.path(), "utf8")).trim().split("\n");
    expect(lines.length).toBe(steps + 1);
    expect([lines[0], lines[5]]).toEqual(["step,all", "5,0.2"]);
    const [png] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "png of Gradient norm" }).click(),
    ]);
    expect((await readFile(await png.path())).subarray(1, 4).toString()).toBe("PNG");
    const log = page.getByRole("button", { name: "log scale of Gradient norm" });
    await log.click();
    expect(await log.getAttribute("aria-pressed")).toBe("true");
    expect(problems).toEqual([]);
    await page.close();
  });

  test("on a phone a chart is saved as well, and charts of a row stand level however long their legends are", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/trained?tab=sample"), { width: 390 });
    await drawn(page, 2);
    const [csv] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "csv of Tokens per batch" }).click(),
    ]);
    expect(csv.suggestedFilename()).toBe("Tokens per batch.csv");
    await page.getByRole("button", { name: "png of Tokens per batch" }).click({ trial: true });
    await page.setViewportSize({ width: 1280, height: 800 });
    const tops =
      "[...document.querySelectorAll('.grid .plot')].slice(0, 3).map((one) => one.getBoundingClientRect().top)";
    await expect.poll(async () => new Set(await page.evaluate<number[]>(tops)).size).toBe(1);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a run that is fine-tuned shows its loss and that of what is held out, and nothing about rewards", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/tuned"));
    await chart(page, "Loss, last values: trained on 1.500, held out 1.750").waitFor();
    expect(await page.getByRole("tab").allTextContents()).toEqual(["Sample", "Update", "Record"]);
    await page.keyboard.press("1");
    await chart(page, "Tokens per batch").waitFor();
    expect(await page.getByText(/reward/i).count()).toBe(0);
    await page.goto(at("runs?filter=tuned"));
    await page.getByRole("img", { name: "Loss from 2.000 to 1.500" }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("ticked runs are grouped by a part of their names or by a key of their configuration", async () => {
    for (const [name, rate, reward] of [
      ["sweep-slow-1", "1e-5", 0.1],
      ["sweep-slow-2", "1e-5", 0.3],
      ["sweep-fast-1", "1e-3", 0.8],
    ] as const) {
      await using run = await sampleRun(sample().root, name);
      await writeFile(join(run.directory, "run.toml"), `model = "toy"\n\n[optimizer]\nlearning_rate = ${rate}\n`);
      for (const step of [1, 2, 3]) await run.append("updates", { step, "reward/mean": reward, "update/loss": reward });
    }
    const { page, problems } = await openPage(
      sample().browser,
      at("runs?compare=sweep-slow-1/sweep-slow-2/sweep-fast-1&sort=-reward&filter=sweep"),
    );
    await chart(page, "Mean reward, last values: sweep-slow-1 0.100, sweep-slow-2 0.300, sweep-fast-1 0.800").waitFor();
    expect(await page.getByRole("rowheader").allTextContents()).toEqual([
      "sweep-fast-1",
      "sweep-slow-2",
      "sweep-slow-1",
    ]);
    await page.getByLabel("Group by").selectOption("name");
    await chart(page, "Mean reward, last values: sweep-slow (2) 0.200, sweep-fast 0.800").waitFor();
    await page.getByLabel("Group by").selectOption("optimizer.learning_rate");
    await chart(page, /^Mean reward, last values: optimizer.learning_rate 1e-5 \(2\) 0.200/).waitFor();
    await page.getByLabel("Metric").selectOption("update/loss");
    await chart(page, "Loss, last values: optimizer.learning_rate 1e-5 (2) 0.200").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });
});

function chart(page: Page, name: string | RegExp): ReturnType<Page["getByRole"]> {
  return page.getByRole("img", { name });
}

async function drawn(page: Page, least: number): Promise<void> {
  await expect.poll(() => page.locator(".plot canvas").count()).toBeGreaterThanOrEqual(least);
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

async function over(page: Page, index: number): Promise<Box> {
  const box = await page.locator(".plot .u-over").nth(index).boundingBox();
  if (box === null) throw new Error("the chart is not drawn");
  return box;
}

async function hover(page: Page, index: number, share: number): Promise<void> {
  const { x, y, width, height } = await over(page, index);
  await page.mouse.move(x + width * share - 3, y + height / 2);
  await page.mouse.move(x + width * share, y + height / 2);
}

async function writeRuns(root: SampleRoot): Promise<void> {
  await writeTrained(root);
  await writeTuned(root);
}

async function writeTrained(root: SampleRoot): Promise<void> {
  await using run = await sampleRun(root, "trained");
  const rows = Array.from({ length: steps }, (_, index) => {
    const step = index + 1;
    const share = step / steps;
    return {
      step,
      "reward/mean": share,
      "reward/words/mean": share,
      "reward/words/right": share,
      "reward/words/style": 1 - share,
      "reward/words/histogram": [8 - Math.round(8 * share), 0, 0, 0, 0, 0, 0, 0, 0, Math.round(8 * share)],
      "task/words/pool_easy": step % 40,
      "task/words/pool_normal": 100 - (step % 40),
      "task/words/pool_hard": 5,
      "task/trained": 6 - (step % 3),
      "task/no_signal": step % 3,
      "rollout/failed": step % 2,
      "rollout/failed/model": step % 2,
      "rollout/failed/tool": 2,
      "sample/tokens": 1000 + step,
      "sample/cut_tokens": 0,
      "sample/age/mean": step % 2 === 0 ? 0.5 : 0.25,
      "sample/age/max": 1,
      "update/loss": 1 / step,
      "update/gradient_norm": 1 / step,
      "update/entropy": 2 - share,
      "update/learning_rate": step / 1e6,
      "update/seconds": 2 + (step % 5),
      "rollout/seconds": 5 + (step % 7),
      "step/seconds": 9,
    };
  });
  // At once: nine hundred appends would take longer than all tests.
  await writeFile(join(run.directory, "updates.jsonl"), `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
  await run.append("evals", { step: 0, env: "words", "reward/mean": 0.1, "reward/ci95": [0.05, 0.15] });
  await writeRollouts(run, 1, [sampleRollout({ id: "half#0", reward: 0 }), sampleRollout({ id: "half#1", reward: 1 })]);
  await writeRollouts(run, 2, [sampleRollout({ id: "all#0", reward: 1 })]);
}

async function writeTuned(root: SampleRoot): Promise<void> {
  await using run = await sampleRun(root, "tuned");
  await writeFile(join(run.directory, "run.toml"), 'model = "toy"\n\n[[data]]\npath = "conversations.jsonl"\n');
  for (const step of [1, 2, 3]) {
    const row = { step, "update/loss": 2.25 - step / 4, "update/gradient_norm": step, "sample/tokens": 100 * step };
    await run.append("updates", row);
  }
  for (const step of [0, 3]) await run.append("evals", { step, env: "held-out", "loss/mean": 2.5 - step / 4 });
}
