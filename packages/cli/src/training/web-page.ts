// The page about a run, beside the run. Whatever keeps it from being served is a notice: training needs no browser.
import { dirname } from "node:path";
import type { WebServer } from "@hone/web/server";
import { tokenTextsIn } from "../model/token-texts.ts";

export interface WebPageOptions {
  /** Of the run: runs/<name>. */
  readonly directory: string;
  readonly onNotice: (notice: string) => void;
}

export async function openWebPage({ directory, onNotice }: WebPageOptions): Promise<WebServer | undefined> {
  try {
    const [{ createWebServer }, { onFreePort }] = await Promise.all([
      import("@hone/web/server"),
      import("../commands/web.ts"),
    ]);
    const root = dirname(dirname(directory));
    return await onFreePort((port) => createWebServer({ root, port, tokenTexts: tokenTextsIn(root) }));
  } catch (error) {
    onNotice(`There is no web page: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
