// `npm run build:native`: the C kernels of the embedded engine as an addon for this machine. Without a compiler it says so and the
// engine uses the committed WASM. `--wasm` rebuilds that (it is committed), `--check-wasm` compares it with the sources.
import { buildAddon, buildWasm, checkWasm } from "./lib/native.mjs";
import { main, say, seconds, Stop } from "./lib/terminal.mjs";

await main(async () => {
  const [option, ...rest] = process.argv.slice(2);
  const tasks = new Map([
    [undefined, { name: "Kernels, addon", run: buildAddon }],
    ["--wasm", { name: "Kernels, WASM", run: buildWasm }],
    ["--check-wasm", { name: "Kernels, WASM", run: checkWasm }],
  ]);
  const task = tasks.get(option);
  if (task === undefined || rest.length > 0)
    throw new Stop("Usage: node tools/build-native.mjs [--wasm | --check-wasm]", 2);
  const started = Date.now();
  const outcome = await task.run();
  if ("failed" in outcome) throw new Stop(`${task.name}: ${outcome.failed}`);
  say(
    `${task.name}: ${"done" in outcome ? outcome.done : `skipped, ${outcome.skipped}`} (${seconds(Date.now() - started)}).`,
  );
  return 0;
});
