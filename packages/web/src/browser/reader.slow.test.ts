// Reading rollouts in a real browser: what was said, how it was scored, and what a model may have written to break the page.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inspectPages } from "../testing/inspect-pages.ts";
import { openPage } from "../testing/open-browser.ts";
import { describeInBrowser } from "../testing/open-sample.ts";
import { writeReading } from "../testing/reading-runs.ts";

describeInBrowser("reading", writeReading, (sample, at) => {
  const reader = (step: number, id: string, rest = ""): string =>
    at(`runs/sample/rollouts/${step}/${encodeURIComponent(id)}${rest}`);

  test("the answer lies beside what is right, each reward beside what it adds, and the judge's words are a conversation", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "judged#0"));
    await page.getByRole("heading", { name: "How it was scored" }).waitFor();
    expect(await page.locator(".sum tbody tr").allInnerTexts()).toEqual([
      "right\t0.500\t2.00\t1.000\t",
      "brief\t−0.250\t1.00\t−0.250\t",
      "reward\t\t\t0.750\t",
    ]);
    expect(await page.locator(".word-diff dd").allInnerTexts()).toEqual(["Lyon4", "Paris"]);
    expect(await page.locator(".word-diff :is(del, ins)").allTextContents()).toEqual(["Lyon4", "Paris"]);
    const judge = page.getByRole("region", { name: "Judge of right" });
    expect(await judge.locator(".turn .who").allTextContents()).toEqual(["asked", "judge"]);
    await judge.getByText("Is Lyon4 the capital?").waitFor();
    await page.getByText("What is the capital?").first().waitFor();
    expect(await page.locator(".waterfall th").allTextContents()).toEqual([
      "set-up",
      "call 1",
      "environment",
      "scoring",
    ]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("replies of several turns lie beside their own gold, and programs beside each other line by line", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "sorted#0"));
    await page.getByText("It ended before turn 3 of 3.").waitFor();
    expect(await page.locator(".pair h4").allInnerTexts()).toEqual(["Turn 1\nthe same", "Turn 2"]);
    expect(await page.locator(".word-diff dd").allInnerTexts()).toEqual(["Cy Ada Bo", "Ada Bo Cy"]);
    await page.goto(reader(2, "coded#0"));
    const lines = (selector: string): Promise<string[]> =>
      page.locator(`.line-diff ${selector} .line`).allTextContents();
    await page.locator(".line-diff").waitFor();
    expect(await lines("del")).toEqual(["        best = value\n"]);
    expect(await lines("ins")).toEqual(["        best += value\n"]);
    await page.getByRole("button", { name: "Compare the whole reply" }).click();
    await expect.poll(() => lines("del")).toContain("So:\n");
    expect(problems).toEqual([]);
    await page.close();
  });

  test("only pictures that are in the rollout are drawn, large ones when they come into sight", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "pictures#0"));
    await expect.poll(() => page.locator(".turn img").count()).toBe(2);
    const widths = "[...document.querySelectorAll('.turn img')].map((image) => image.naturalWidth)";
    await expect.poll(() => page.evaluate(widths)).toEqual([1, 1]);
    await page.getByText("a picture that is not loaded: https://example.com/track.png").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("tokens are tinted by credit and by policy, with a legend and the numbers of the one that is pointed at", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "many#0", "?view=tokens"));
    await page.getByText("Update 2 trained on them.").waitFor();
    expect(await page.locator(".token-text .token.p4").textContent()).toBe("h");
    await page.getByRole("button", { name: "Credit" }).click();
    expect(await page.locator(".token-text .token.n2").allTextContents()).toEqual(["h", "i"]);
    await page.getByText("−1 and less").waitFor();
    await page.locator(".token-text .token.n2").nth(1).hover();
    const facts = page.locator(".inspector");
    expect((await facts.innerText()).split("\n")).toEqual(
      expect.arrayContaining(["5.0 %", "−3.000", "−1.500", "0.2500", "4"]),
    );
    await page.locator(".token-text").focus();
    await page.keyboard.press("ArrowRight");
    await facts.getByText("no, it was given").waitFor();
    await page.getByRole("button", { name: "Policy version" }).click();
    await page.getByText("policy 4").waitFor();
    await page.reload();
    await page.getByText("policy 4").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a task's rollouts of all steps lie side by side, best first", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "many#0", "?view=group"));
    await page.getByRole("button", { name: "This group, 3" }).waitFor();
    await page.getByRole("button", { name: "All of this task, 4" }).click();
    await expect.poll(() => page.locator(".column").count()).toBe(4);
    expect(await page.locator(".column > header .total").allTextContents()).toEqual([
      "1.000",
      "0.800",
      "0.500",
      "0.000",
    ]);
    await page.getByText("from an earlier step").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a message has a link of its own, and keys go from message to message", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "turns#0", "#turn-60"));
    const aimed = page.locator(".turn.aimed");
    await aimed.getByText("reply 30.", { exact: false }).waitFor();
    const top = "document.querySelector('.aimed').getBoundingClientRect().top";
    await expect.poll(() => page.evaluate<number>(top)).toBeLessThan(700);
    await page.keyboard.press("]");
    await page.waitForURL(/#turn-61$/);
    await page.keyboard.press("[");
    await page.waitForURL(/#turn-60$/);
    await page.getByRole("link", { name: "Link to message 62" }).click();
    await expect.poll(() => aimed.getAttribute("id")).toBe("turn-62");
    expect(problems).toEqual([]);
    await page.close();
  });

  test("keys go on where the file of a step ends, and through the list that a rollout was opened from", async () => {
    const { page, problems } = await openPage(sample().browser, reader(1, "early#0"));
    const loaded = page.locator('article[aria-busy="false"]');
    await loaded.waitFor();
    await page.keyboard.press("j");
    await page.waitForURL(/rollouts\/2\/many%230$/);
    await loaded.waitFor();
    await page.keyboard.press("k");
    await page.waitForURL(/rollouts\/1\/early%230$/);
    await page.goto(at("runs/sample?tab=rollout&search=needle&sort=oldest"));
    await page.getByText("3 found").waitFor();
    await page.getByRole("listitem").getByRole("link").first().click();
    await page.waitForURL(/many%231/);
    for (const next of ["needle-a", "needle-b"]) {
      await loaded.waitFor();
      await page.keyboard.press("j");
      await page.waitForURL(new RegExp(`${next}%230`));
    }
    await loaded.waitFor();
    expect(await page.getByRole("button", { name: "Next rollout" }).isDisabled()).toBe(true);
    await page.keyboard.press("u");
    await page.getByText("3 found").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("any part of a long list is one page away, and only what is seen is drawn", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/large?tab=rollout"));
    await page.getByText("3,000 rollouts").waitFor();
    await page.getByText("reply 2999").waitFor();
    await scrollTo(page, 1);
    await page.getByText("reply 0", { exact: true }).waitFor();
    expect(await page.locator(".rollouts .line").count()).toBeLessThan(80);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await scrollTo(page, 0.5);
    await page.getByText("reply 1495").waitFor();
    expect(requests.filter((url) => url.includes("/rollouts?")).length).toBeLessThanOrEqual(2);
    await page.getByRole("link", { name: "reply 1495" }).click();
    await page.getByText("1,505 of 3,000").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a search shows what it has found, rests when a page is full, and goes on when asked", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/large?tab=rollout&search=reply"));
    await page.getByText(/^100 found, searched 1\d\d of 3,000$/).waitFor();
    await page.getByRole("button", { name: "Search on" }).click();
    await page.getByText(/^200 found, searched 2\d\d of 3,000$/).waitFor();
    await page.getByLabel("Search what was said").fill("never said");
    await page.getByText("0 found").waitFor();
    await page.getByRole("button", { name: "Show all 3,000 rollouts" }).click();
    await page.getByText("3,000 rollouts").first().waitFor();
    expect(await page.getByLabel("Search what was said").inputValue()).toBe("");
    expect(problems).toEqual([]);
    await page.close();
  });

  test("what a model wrote stays text in every view, also laid out as Markdown", async () => {
    const { page, problems } = await openPage(sample().browser, reader(2, "hostile#0"));
    await page.getByText("<script>window.hacked = 1</script>").first().waitFor();
    await page.keyboard.press("m");
    await page.locator(".markdown strong").getByText("bold").first().waitFor();
    await page.locator(".markdown pre").getByText("<svg onload=window.hacked=5>").first().waitFor();
    await page.getByText("(javascript:window.hacked=3)").first().waitFor();
    await page.getByText("RLO").first().waitFor();
    for (const rest of ["?view=tokens", "?view=group", "?view=group&as=markdown"]) {
      await page.goto(reader(2, "hostile#0", rest));
      await page.getByRole("button", { name: "Tokens" }).waitFor();
      await expect.poll(() => page.locator(".columns .turn, .token-text").count()).toBeGreaterThan(0);
    }
    await page.goto(at("runs/sample?tab=record&log=hacked"));
    await page.locator(".log").getByText("window.hacked").first().waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    const live =
      "main :is(script, iframe, style, svg[onload], [onerror], [onload], a[href^='javascript'], a[href*='example'])";
    expect(await page.locator(live).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("ten megabytes in one message do not freeze the page, before or after more of them is asked for", async () => {
    const { page, problems } = await openPage(sample().browser, at("runs/sample?tab=rollout"));
    await page.getByRole("listitem").first().waitFor();
    const bytes: number[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/rollouts/2/long"))
        void response.body().then(
          (body) => bytes.push(body.length),
          () => 0,
        );
    });
    await watchFrames(page);
    await page.evaluate(
      `history.pushState(null, "", "/runs/sample/rollouts/2/long%230"); dispatchEvent(new Event("hone-address"))`,
    );
    const more = page.getByRole("button", { name: "Show more, 20 k of 10.0 M characters are shown" });
    await more.waitFor();
    expect(Math.max(...bytes)).toBeLessThan(200_000);
    await more.click();
    await page.getByRole("button", { name: "Show more, 1.0 M of 10.0 M characters are shown" }).waitFor();
    const length = "document.querySelector('.assistant .said').textContent.length";
    expect(await page.evaluate<number>(length)).toBeGreaterThan(999_000);
    const longest = await page.evaluate<number>("window.longestFrame");
    process.stderr.write(`10 MB message: the longest the page stood still was ${longest.toFixed(0)} ms.\n`);
    expect(longest).toBeLessThan(1000);
    expect(problems).toEqual([]);
    await page.close();
  });

  const pages = [
    "runs/sample/rollouts/2/judged%230",
    "runs/sample/rollouts/2/sorted%230",
    "runs/sample/rollouts/2/coded%230",
    "runs/sample/rollouts/2/hostile%230?as=markdown",
    "runs/sample/rollouts/2/pictures%230",
    "runs/sample/rollouts/2/many%230?view=tokens&tint=credit",
    "runs/sample/rollouts/2/many%230?view=tokens&tint=policy",
    "runs/sample/rollouts/2/many%230?view=group&of=task",
    "runs/sample?tab=rollout&search=needle",
    "runs/sample?tab=record&against=large",
    "evals?compare=words--toy--1/words--other--2&task=words/task%20of%20b",
    "evals/words--toy--1",
  ];

  test("on these pages axe finds nothing serious, light or dark, and none is wider than a phone", async () => {
    const copy = (page: Page): Promise<void> => page.getByRole("button", { name: "Copy and change" }).click();
    const asked = pages.map((path) => ({
      url: at(path),
      ...(path.includes("tab=record") ? { prepare: copy } : {}),
    }));
    expect(await inspectPages(sample().browser, asked)).toEqual([]);
  });
});

/** Of the list of rollouts: 0 is its beginning, 1 its end. */
async function scrollTo(page: Page, share: number): Promise<void> {
  await page.evaluate(`{
    const list = document.querySelector(".scroller");
    list.scrollTop = ${share} * (list.scrollHeight - list.clientHeight);
  }`);
}

/** The longest time between two frames from now on, in milliseconds. */
async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(`
    window.longestFrame = 0;
    let last = performance.now();
    const look = (now) => {
      window.longestFrame = Math.max(window.longestFrame, now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  `);
}
