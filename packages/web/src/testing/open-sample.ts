// What every file of browser tests starts with: the page as it is built, a browser, and a server on runs that the file writes.
import type { Browser } from "playwright-core";
import { createWebServer } from "../server/index.ts";
import { buildPage } from "./build-page.ts";
import { openBrowser } from "./open-browser.ts";
import { type SampleRoot, sampleRoot } from "./sample-run.ts";

export interface OpenSample {
  readonly browser: Browser;
  readonly root: SampleRoot;
  readonly url: string;
  close(): Promise<void>;
}

/** Token ids are the code points of what they say. */
export async function openSample(write: (root: SampleRoot) => Promise<void>): Promise<OpenSample> {
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
