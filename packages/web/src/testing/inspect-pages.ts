// What holds for every page: axe finds nothing serious in it, light or dark, and it is not wider than a phone. Each page is opened once and looked at three
// times; what colours cannot change is asked once.
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { openPage } from "./open-browser.ts";

export interface PageToInspect {
  readonly url: string;
  /** Before it is looked at. */
  readonly prepare?: (page: Page) => Promise<void>;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const pagesAtOnce = 2;
const [wide, narrow] = [
  { width: 1280, height: 800 },
  { width: 360, height: 800 },
];

/** What is wrong, in words; nothing when all is well. */
export async function inspectPages(browser: Browser, pages: readonly PageToInspect[]): Promise<readonly string[]> {
  const [waiting, told]: [PageToInspect[], string[]] = [[...pages], []];
  const work = async (): Promise<void> => {
    const { page, problems } = await openPage(browser, pages[0]?.url ?? "");
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      told.push(...(await inspect(page, next)).map((problem) => `${next?.url}: ${problem}`));
    }
    told.push(...problems);
    await page.close();
  };
  await Promise.all(Array.from({ length: pagesAtOnce }, work));
  return told;
}

async function inspect(page: Page, { url, prepare }: PageToInspect): Promise<readonly string[]> {
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(url);
  await settled(page);
  await prepare?.(page);
  await page.evaluate(axe.source);
  const light = await violations(page, "{}");
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page, `{ runOnly: ["color-contrast"] }`);
  await page.setViewportSize(narrow);
  const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return [
    ...light,
    ...dark.map((problem) => `dark, ${problem}`),
    ...(over > 0 ? [`it is ${over} pixels wider than a phone`] : []),
  ];
}

async function violations(page: Page, options: string): Promise<readonly string[]> {
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ["violations"], ...${options} }).then(({ violations }) => violations)`,
  );
  const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

/** Everything that is asked for at first has been answered and drawn: nothing is under way in three frames. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let calmFrames = 0;
    const look = () => {
      const isLoading = [...document.querySelectorAll("main p, main span")].some((one) => one.textContent === "Loading");
      const isCalm = document.querySelector("h1") !== null && window.asksUnderWay === 0 && !isLoading;
      calmFrames = isCalm ? calmFrames + 1 : 0;
      if (calmFrames >= 3) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
}
