// The page in a real browser: every kind of page, its keys, its links, and what is hostile.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWebServer } from "../server/index.ts";
import { inspectPages } from "../testing/inspect-pages.ts";
import { openPage, pointsOf } from "../testing/open-browser.ts";
import { describeInBrowser } from "../testing/open-sample.ts";
import { sampleRollout, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";
import { writeTrained } from "../testing/trained-run.ts";

describeInBrowser("the page", writeTrained, (sample, at) => {
  const reader = (id: string, view = ""): string => at(`runs/sample/rollouts/2/${encodeURIComponent(id)}${view}`);

  test("an empty folder says where it looks and what next, and what is no run is named", async () => {
    await using empty = await sampleRoot();
    const other = await createWebServer({ root: empty.path });
    const { page, problems } = await openPage(sample().browser, `${other.url}runs`);
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
    const { page } = await openPage(sample().browser, reader("nobody#0"));
    await page.getByText('There is no rollout "nobody#0" in step 2.').waitFor();
    await page.getByRole("link", { name: "All rollouts" }).click();
    await page.getByText("8 rollouts").waitFor();
    expect(new URL(page.url()).pathname).toBe("/runs/sample");
    await page.close();
  });

  test("a checkpoint that is kept is taken along by a command", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/sample?tab=record"));
    await page.getByText("hone runs export sample --step 12 --merged --output sample-12-merged").waitFor();
    await page.getByRole("combobox", { name: "The checkpoint to take along" }).selectOption("step 11");
    await page.getByText("hone runs export sample --step 11 --output sample-11", { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("runs that are ticked are drawn on one chart, and the address keeps them", async () => {
    await using other = await sampleRun(sample().root, "other");
    await other.append("updates", { step: 40, "reward/mean": 0.4 });
    const { page, problems } = await openPage(sample().browser, at("runs"));
    await page.getByRole("checkbox", { name: "Compare sample" }).check();
    await page.getByRole("checkbox", { name: "Compare other" }).check();
    await page.getByRole("img", { name: "Mean reward, last values: sample 1.000, other 0.400" }).waitFor();
    await page.reload();
    await pointsOf(page, 13);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("two evaluations are compared task by task", async () => {
    await using other = await sampleRun(sample().root, "words--toy--2", "evals");
    await writeRollouts(other, 0, [
      sampleRollout({ id: "a#0" }),
      sampleRollout({ id: "a#1" }),
      sampleRollout({ id: "b#0" }),
    ]);
    const { page, problems } = await openPage(sample().browser, at("evals?compare=words--toy--1/words--toy--2"));
    const row = page.getByRole("region", { name: "Tasks that changed" }).getByRole("row").nth(1);
    await row.waitFor();
    expect(await row.allInnerTexts()).toEqual(["task of a\t0.500\t1.000\t+0.500"]);
    await page.getByText("in one only").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a rollout is found by what it said and opened by its link", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/sample?tab=rollout"));
    await page.getByText("rollouts", { exact: false }).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("golden key");
    await page.getByText("1 found").waitFor();
    await page.getByRole("listitem").getByRole("link").click();
    await page.getByRole("heading", { level: 1 }).getByText("task of tools").waitFor();
    const link = page.url();
    expect(link).toContain("/rollouts/2/tools%230");
    await page.close();
    const { page: other } = await openPage(sample().browser, link);
    await other.getByText("The golden key is under the mat.").waitFor();
    await other.getByText("I should look first.").waitFor();
    await other.getByText('{"place":"mat"}').waitFor();
    await other.getByText("a key").first().waitFor();
    expect(problems).toEqual([]);
    await other.close();
  });

  test("tokens are tinted by how likely they were, the group lies side by side, best first, and why it was left out is said", async () => {
    const { page, problems } = await openPage(sample().browser, reader("many#0", "?view=tokens"));
    await page.getByText("It was left out: its policy was too old when it was done.").waitFor();
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
    const { page, problems } = await openPage(sample().browser, at("runs/sample"));
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
    const { page, problems } = await openPage(sample().browser, reader("hostile#0"));
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
    const { page, problems } = await openPage(sample().browser, reader("long#0"));
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
        sample().browser,
        pages.map((path) => ({ url: at(path) })),
      ),
    ).toEqual([]);
  });
});
