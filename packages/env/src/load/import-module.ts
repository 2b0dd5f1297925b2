// Imports a user's .ts or .js file. Node from 22.18 strips types by itself; before that tsx is registered once, as hooks, so that the file
// shares the program's copy of every package.
import { pathToFileURL } from "node:url";
import { HoneError } from "@hone/core";

export async function importModule(file: string): Promise<{ readonly default?: unknown }> {
  const isTypeScript = /\.[cm]?ts$/.test(file);
  if (isTypeScript && !canStripTypes()) await registerTsx();
  try {
    return unwrap((await import(/* @vite-ignore */ pathToFileURL(file).href)) as Module);
  } catch (cause) {
    if (HoneError.is(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HoneError(`${file} could not be loaded: ${reason}`, { code: "load", cause });
  }
}

interface Module {
  readonly default?: unknown;
}

/** Without a package.json that says "module", tsx compiles the file to CommonJS, whose exports are the default of what is imported. */
function unwrap(module: Module): Module {
  const { default: inner } = module;
  const isCommonJs = typeof inner === "object" && inner !== null && "__esModule" in inner && "default" in inner;
  return isCommonJs ? inner : module;
}

function canStripTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}

async function registerTsx(): Promise<void> {
  try {
    const [esm, cjs] = await Promise.all([import("tsx/esm/api"), import("tsx/cjs/api")]);
    esm.register();
    cjs.register();
  } catch (cause) {
    throw new HoneError("This version of Node needs the package tsx to load TypeScript files.", {
      code: "load",
      hint: "Run `npm install --save-dev tsx`, or use Node 22.18 or later.",
      cause,
    });
  }
}
