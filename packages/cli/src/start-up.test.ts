// `hone --help` and a mistyped command answer at once, because nothing heavy is imported before a command is chosen.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

/** Packages that importing a file loads, following files of this package. Type imports are erased and load nothing. */
async function loadedBy(url: URL, seen = new Set<string>()): Promise<Set<string>> {
  const packages = new Set<string>();
  if (seen.has(url.href)) return packages;
  seen.add(url.href);
  const source = await readFile(url, "utf8");
  for (const [, from = ""] of source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)";$/gm)) {
    if (!from.startsWith(".")) packages.add(from);
    else for (const name of await loadedBy(new URL(from, url), seen)) packages.add(name);
  }
  return packages;
}

test("before a command is chosen only the parser of arguments is loaded", async () => {
  const packages = await loadedBy(new URL("./main.ts", import.meta.url));
  expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual(["@stricli/core"]);
});
