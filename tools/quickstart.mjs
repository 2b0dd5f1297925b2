// `npm run quickstart`: from a fresh clone to a trained model, offline after the install. Arguments go to `hone train`:
// `npm run quickstart -- --set seed=7`. It runs in this folder: the run is kept in runs/.
import { join } from "node:path";
import { buildAddon } from "./lib/native.mjs";
import { root, run } from "./lib/process.mjs";
import { build, buildPage, ensureInstalled } from "./lib/setup.mjs";
import { main, say, Stop } from "./lib/terminal.mjs";

const command = [
  ...["train", "reverse-text", "--model", "hone/tiny"],
  ...["--set", "sampling.max_tokens=64", "--set", "eval.num_tasks=200"],
];

await main(async () => {
  say("Hone quickstart: install, build, then train a small model to reverse text, on this processor.");
  await ensureInstalled();
  await build();
  await buildPage();
  await buildKernels();
  const args = [...command, ...process.argv.slice(2)];
  say(`\n$ hone ${args.join(" ")}\n`);
  const code = await run({ command: process.execPath, args: [join(root, "packages/cli/bin/hone.js"), ...args] });
  if (code !== 0) throw new Stop(`hone ${args.join(" ")} ended with exit code ${code}; its message is above.`, code);
  say(`
Next:
  npx hone web                                 the run in the browser: curves, rollouts, tokens
  npx hone train calculator --model hone/tiny  another environment, with a tool
  npx hone eval --help                         measure your own model: --base-url, endpoints.toml
  npx hone env init my-env                     your own environment, with its test
  npm test                                     everything this repository promises`);
  return 0;
});

/** Without a compiler the engine runs on WASM, two to three times slower. */
async function buildKernels() {
  const outcome = await buildAddon();
  if (!("done" in outcome))
    say(`Kernels: the addon is not built, ${"failed" in outcome ? outcome.failed : outcome.skipped}; WASM is used.`);
}
