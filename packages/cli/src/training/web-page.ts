// The page about a run, beside the run. Whatever keeps it from being served is a notice: training needs no browser.
import { dirname } from "node:path";
import type { WebServer } from "@hone/web/server";

export interface WebPageOptions {
  /** Of the run: runs/<name>. */
  readonly directory: string;
  /** Model name and folder, for the words behind token ids. */
  readonly model: { readonly name: string; readonly folder: string };
  readonly onNotice: (notice: string) => void;
}

export async function openWebPage({ directory, model, onNotice }: WebPageOptions): Promise<WebServer | undefined> {
  try {
    const [{ createWebServer }, { onFreePort }] = await Promise.all([
      import("@hone/web/server"),
      import("../commands/web.ts"),
    ]);
    const tokenTexts = await textsOf(model).catch(() => undefined);
    return await onFreePort((port) =>
      createWebServer({ root: dirname(dirname(directory)), port, ...(tokenTexts === undefined ? {} : { tokenTexts }) }),
    );
  } catch (error) {
    onNotice(`There is no web page: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function textsOf({ name, folder }: WebPageOptions["model"]) {
  const { loadTokenizer } = await import("@hone/tokens");
  const { tokenizer } = await loadTokenizer(folder);
  return (model: string, ids: Int32Array): readonly string[] | undefined =>
    model === name ? Array.from(ids, (id) => tokenizer.decode(Int32Array.of(id))) : undefined;
}
