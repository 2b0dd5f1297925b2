// The browser of the tests: the system's Chromium, without a profile of anyone's and without requests of its own.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** Why there are no tests in a browser here; undefined when there are. */
export function whyNoBrowser(): string | undefined {
  if (process.env["HONE_SKIP_CHROMIUM"] !== undefined) return "HONE_SKIP_CHROMIUM is set";
  return existsSync(executablePath) ? undefined : `${executablePath} is missing`;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // Pages of one site share a process: the next one finds it warm.
      "--process-per-site",
    ],
  });
}

/** Runs in the page: how many questions wait for their answer, so that a test knows when it has settled. */
const countAsks = `
  window.asksUnderWay = 0;
  const ask = window.fetch;
  window.fetch = (...asked) => {
    window.asksUnderWay++;
    return ask(...asked).finally(() => window.asksUnderWay--);
  };
`;

export interface Seen {
  readonly page: Page;
  /** Errors, warnings and dialogs, and requests that left the server: none of them is ever expected. */
  readonly problems: string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  look: { readonly width?: number; readonly colorScheme?: "light" | "dark" } = {},
): Promise<Seen> {
  const { width = 1280, colorScheme = "light" } = look;
  // One context for all: what the page is made of is fetched and compiled once.
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(`error: ${message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const isExpected =
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/.test(
        message.text(),
      );
    if (["error", "warning"].includes(message.type()) && !isExpected) problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const isOurs =
      request.url().startsWith(new URL(url).origin) ||
      request.url().startsWith("data:") ||
      request.url().startsWith("blob:");
    if (!isOurs) problems.push(`request: ${request.url()}`);
  });
  await page.addInitScript(countAsks);
  await page.goto(url);
  return { page, problems };
}

/** Until a chart has so many points. */
export async function pointsOf(page: Page, points: number): Promise<void> {
  await page.locator(`.plot[data-points="${points}"]`).first().waitFor();
}
