// Imports a user's .ts or .js file. Node from 22.18 strips types by itself; before that tsx is registered once, as hooks, so that the file
// shares the program's copy of every package.
import { pathToFileURL } from "node:url";
import { HoneError } from "@hone/core";

export async function importModule(file: string): Promise<{ readonly default?: unknown }> {
  const isTypeScript = /\.[cm]?ts$/.test(file);
  if (isTypeScript && !canStripTypes()) await registerTsx();
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { readonly default?: unknown };
  } catch (cause) {
    if (HoneError.is(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HoneError(`${file} could not be loaded: ${reason}`, { code: "load", cause });
  }
}

function canStripTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}

async function registerTsx(): Promise<void> {
  try {
    const { register } = await import("tsx/esm/api");
    register();
  } catch (cause) {
    throw new HoneError("This version of Node needs the package tsx to load TypeScript files.", {
      code: "load",
      hint: "Run `npm install --save-dev tsx`, or use Node 22.18 or later.",
      cause,
    });
  }
}
