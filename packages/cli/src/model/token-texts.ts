// What token ids say, for the page: the tokenizer of each model that lies on this machine, loaded when its first token is looked at.
// A model that is not here has none; its ids are shown as numbers.
import { HoneError } from "@hone/core";
import type { Tokenizer } from "@hone/tokens";
import type { TokenTexts } from "@hone/web/server";
import { findLocalModel } from "./local-model.ts";

/** Paths of models start in `root`: where the runs are. */
export function tokenTextsIn(root: string): TokenTexts {
  const tokenizers = new Map<string, Promise<Tokenizer | undefined>>();
  return async (model, ids) => {
    const known = tokenizers.get(model) ?? loadFor(model, root);
    tokenizers.set(model, known);
    const tokenizer = await known;
    return tokenizer && Array.from(ids, (id) => tokenizer.decode(Int32Array.of(id)));
  };
}

async function loadFor(model: string, root: string): Promise<Tokenizer | undefined> {
  try {
    const folder = await folderOf(model, root);
    if (folder === undefined) return undefined;
    const { loadTokenizer } = await import("@hone/tokens");
    return (await loadTokenizer(folder)).tokenizer;
  } catch (error) {
    if (HoneError.is(error)) return undefined;
    throw error;
  }
}

async function folderOf(model: string, root: string): Promise<string | undefined> {
  const found = await findLocalModel(model, root);
  switch (found?.type) {
    case "folder":
      return found.folder;
    case "run": {
      const { readRunSetup } = await import("../run/run-setup.ts");
      return (await readRunSetup(found.directory, root)).folder;
    }
    case "adapter":
    case undefined:
      return undefined;
  }
}
