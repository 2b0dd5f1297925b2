// Runs at work, in a real browser: their directories are written, stopped and deleted while it looks.
import { appendFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWebServer } from "../server/index.ts";
import { openPage, pointsOf } from "../testing/open-browser.ts";
import { describeInBrowser } from "../testing/open-sample.ts";
import { sampleRun } from "../testing/sample-run.ts";
import { writeTrained } from "../testing/trained-run.ts";

describeInBrowser("a run at work", writeTrained, (sample, at) => {
  test("a live run appears and its curve grows without a reload", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs?filter=live"));
    await page.getByText("No run matches.").waitFor();
    await using run = await sampleRun(sample().root, "live-run");
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
    const { page } = await openPage(sample().browser, at("runs/early"));
    await page.getByText("It may be about to begin").waitFor();
    await using run = await sampleRun(sample().root, "early");
    await run.append("updates", { step: 1, "reward/mean": 0.5 });
    await page.getByRole("heading", { name: "early" }).waitFor();
    expect(await page.getByText("It may be about to begin").count()).toBe(0);
    await page.close();
  });

  test("after the server was restarted the page goes on by itself, with what came meanwhile", async () => {
    const first = await createWebServer({ root: sample().root.path });
    await using run = await sampleRun(sample().root, "restarted");
    await run.append("updates", { step: 1, "reward/mean": 0.1, "reward/words/mean": 0.1 });
    const { page, problems } = await openPage(sample().browser, `${first.url}runs/restarted`);
    await pointsOf(page, 1);
    await first.close();
    await page.getByText("Connection lost, trying again").waitFor();
    await run.append("updates", { step: 2, "reward/mean": 0.2, "reward/words/mean": 0.2 });
    const second = await createWebServer({ root: sample().root.path, port: Number(new URL(first.url).port) });
    await run.append("updates", { step: 3, "reward/mean": 0.3, "reward/words/mean": 0.3 });
    await pointsOf(page, 3);
    await page.getByText("Connection lost, trying again").waitFor({ state: "hidden" });
    expect(problems).toEqual([]);
    await page.close();
    await second.close();
  });

  test("a run at work says how far it is, how long it takes, and when it stands still", async () => {
    await using run = await sampleRun(sample().root, "at-work");
    await run.append("events", { type: "run-start", atMs: Date.now(), detail: {} });
    for (const step of [1, 2, 3, 4, 5]) await run.append("updates", { step, "reward/mean": 0.5, "step/seconds": 60 });
    const { page, problems } = await openPage(sample().browser, at("runs/at-work"));
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
    const run = await sampleRun(sample().root, "to-delete");
    await run.append("updates", { step: 1, "reward/mean": 0.1, "reward/words/mean": 0.1 });
    await appendFile(join(run.directory, "updates.jsonl"), "half a li\n");
    const { page, problems } = await openPage(sample().browser, at("runs/to-delete"));
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

  test("stopping writes the stop file, and the page says that it is stopping", async () => {
    await using run = await sampleRun(sample().root, "to-stop");
    const { page } = await openPage(sample().browser, at("runs/to-stop"));
    await page.getByRole("button", { name: "Stop after this step" }).click();
    await page.getByText("stopping").waitFor();
    await expect.poll(() => readdir(run.directory)).toContain("stop");
    await page.close();
  });
});
