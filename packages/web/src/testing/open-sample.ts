// What every file of browser tests is: the page as it is built, a browser, and a server on runs that the file writes. Skipped, with the reason,
// where there is no browser.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { createWebServer } from "../server/index.ts";
import { buildPage } from "./build-page.ts";
import { openBrowser, whyNoBrowser } from "./open-browser.ts";
import { type SampleRoot, sampleRoot } from "./sample-run.ts";

interface OpenSample {
  readonly browser: Browser;
  readonly root: SampleRoot;
  readonly url: string;
  close(): Promise<void>;
}

/** `tests` get what is open while they run, and the address of a path on the server. */
export function describeInBrowser(
  subject: string,
  write: (root: SampleRoot) => Promise<void>,
  tests: (sample: () => OpenSample, at: (path: string) => string) => void,
): void {
  const reason = whyNoBrowser();
  if (reason !== undefined) process.stderr.write(`Tests in a browser are skipped: ${reason}.\n`);
  describe.skipIf(reason !== undefined)(`${subject}, in a browser`, () => {
    let opened: OpenSample | undefined;
    beforeAll(async () => {
      opened = await openSample(write);
    });
    afterAll(() => opened?.close());
    const sample = (): OpenSample => {
      if (opened === undefined) throw new Error("the browser is open while tests run, not before");
      return opened;
    };
    tests(sample, (path) => sample().url + path);
  });
}

/** Token ids are the code points of what they say. */
async function openSample(write: (root: SampleRoot) => Promise<void>): Promise<OpenSample> {
  await buildPage();
  const [browser, root] = [await openBrowser(), await sampleRoot()];
  await write(root);
  const tokenTexts = (_model: string, ids: ArrayLike<number>) => Array.from(ids, (id) => String.fromCodePoint(id));
  const server = await createWebServer({ root: root.path, tokenTexts });
  const close = async (): Promise<void> => {
    await browser.close();
    await server.close();
    await root[Symbol.asyncDispose]();
  };
  return { browser, root, url: server.url, close };
}
