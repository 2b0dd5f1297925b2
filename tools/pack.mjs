// `npm run pack:all`: builds, packs every publishable package into .cache/packages and looks at what is in each tarball.
// npm's own `prepack` does not run here (`ignore-scripts`), so `npm pack` in a folder would pack whatever lies there.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAddon } from "./lib/native.mjs";
import { packProblems, stagePackage } from "./lib/packing.mjs";
import { capture, npm, root, tool } from "./lib/process.mjs";
import { build, ensureInstalled } from "./lib/setup.mjs";
import { main, say, Stop } from "./lib/terminal.mjs";
import { readWorkspace } from "./lib/workspace.mjs";

const destination = join(root, ".cache", "packages");

await main(async () => {
  say("Packing all packages ...");
  await ensureInstalled();
  const packages = readWorkspace(root).filter(({ manifest }) => JSON.parse(manifest).private !== true);
  // tsc leaves the output of files that are gone; it would be packed.
  for (const { folder } of packages) rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  await build();
  // The addon is published for every platform whose folder lies in packages/engine-cpu/build; others use the WASM beside it.
  const addon = await buildAddon();
  if (!("done" in addon)) throw new Stop(`The addon is not built: ${"failed" in addon ? addon.failed : addon.skipped}`);
  rmSync(destination, { recursive: true, force: true });
  mkdirSync(destination, { recursive: true });
  let failed = 0;
  for (const { name, folder } of packages) {
    const problems = await pack(folder);
    say(`  ${problems.length === 0 ? "ok    " : "FAILED"} ${name}`);
    for (const problem of problems) say(`         ${problem}`);
    failed += problems.length === 0 ? 0 : 1;
  }
  say(failed === 0 ? `Packed into ${destination}.` : `${failed} packages are not fit to publish.`);
  return failed === 0 ? 0 : 1;
});

/**
 * @param {string} folder
 * @returns {Promise<readonly string[]>} what is wrong with the tarball
 */
async function pack(folder) {
  const stage = mkdtempSync(join(tmpdir(), "hone-pack-"));
  try {
    stagePackage({ root, folder: join(root, folder), stage });
    const packing = npm(["pack", "--json", "--loglevel=error", "--pack-destination", destination]);
    const { code, output } = await capture(packing, { cwd: stage });
    if (code !== 0) throw new Stop(`npm pack failed for ${folder}:\n${output}`, code);
    const [tarball] = JSON.parse(output.slice(output.indexOf("[")));
    const files = tarball.files.map((/** @type {{ path: string }} */ file) => file.path);
    const lint = await capture(tool("publint", [join(destination, tarball.filename), "--strict"]));
    return [...packProblems(stage, files), ...(lint.code === 0 ? [] : [lint.output.trim()])];
  } finally {
    rmSync(stage, { recursive: true });
  }
}
