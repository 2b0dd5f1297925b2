// The log, the configuration and the comparison of evaluations in a real browser.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openPage } from "../testing/open-browser.ts";
import { describeInBrowser } from "../testing/open-sample.ts";
import { writeReading } from "../testing/reading-runs.ts";
import { sampleRun } from "../testing/sample-run.ts";

describeInBrowser("records", writeReading, (sample, at) => {
  test("the log is searched, filtered by level, and grows while it is looked at", async () => {
    await using run = await sampleRun(sample().root, "logged");
    await run.append("events", { type: "run-start", atMs: 1000, detail: { step: 0 } });
    await run.append("events", { type: "update-reject", atMs: 2000, detail: { step: 1, reason: "all rewards agree" } });
    const { page, problems } = await openPage(sample().browser, at("runs/logged?tab=record"));
    const entries = page.locator(".log li");
    await expect.poll(() => entries.count()).toBe(2);
    await run.append("events", {
      type: "run-fail",
      atMs: 3000,
      detail: { code: "disk-full", message: "No space left" },
    });
    await page.getByText("No space left").waitFor();
    expect(await entries.locator(".type").allTextContents()).toEqual([
      "error: run-fail",
      "warning: update-reject",
      "run-start",
    ]);
    await page.getByRole("button", { name: "Errors" }).click();
    await expect.poll(() => entries.count()).toBe(1);
    await page.getByRole("button", { name: "All" }).click();
    await page.getByLabel("Search the log").fill("AGREE");
    await expect.poll(() => entries.locator(".type").allTextContents()).toEqual(["warning: update-reject"]);
    await page.reload();
    await expect.poll(() => entries.count()).toBe(1);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a configuration has line numbers, can be compared with another's, and copied with changes", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/sample?tab=record"));
    await page.locator('.line[data-number="2"]').getByText("max_steps").waitFor();
    await page.getByText("hone train --resume sample", { exact: true }).waitFor();
    await page.getByLabel("Compare with another run").selectOption("large");
    await page.locator(".lines.diff .removed").getByText("max_steps = 9").waitFor();
    expect(await page.locator(".lines.diff .added").innerText()).toContain("max_steps = 20");
    await page.getByRole("button", { name: "Copy and change" }).click();
    const editor = page.getByLabel("The configuration of the new run");
    await editor.fill((await editor.inputValue()).replace("max_steps = 20", "max_steps = 50"));
    await page.getByText("hone train sample-2.toml --run sample-2").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "sample-2.toml" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("sample-2.toml");
    expect(await readFile(await download.path(), "utf8")).toContain("max_steps = 50");
    await page.locator(".copy-run .added").getByText("50").waitFor();
    await page.getByLabel("Name it").fill("large");
    await page.getByText("There is a run of this name already.").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("two evaluations are compared by task, and a task's rollouts lie beside each other", async () => {
    const { page, problems } = await openPage(sample().browser, at("evals?compare=words--toy--1/words--other--2"));
    const rows = page.getByRole("region", { name: "Tasks that changed" }).getByRole("row");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual(["Task\tBefore\tAfter\tChange", "task of b\t1.000\t0.000\t−1.000", "task of a\t0.500\t1.000\t+0.500"]);
    await page.getByRole("img", { name: "Passes by k. words--toy--1: at least one of 2 0.900" }).waitFor();
    await page.getByRole("button", { name: "Lost" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("button", { name: "task of b" }).click();
    await page.locator(".eval-task .column").getByText("before it was right").waitFor();
    await page.locator(".eval-task .column").getByText("after it was wrong").waitFor();
    await page.getByRole("heading", { name: "By environment and model" }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });
});
