// `npm run quickstart`: from a fresh clone to a first result. Arguments go to `hone eval`: `npm run quickstart -- -n 5`.
import { join } from "node:path";
import { root, run } from "./lib/process.mjs";
import { build, buildPage, ensureInstalled } from "./lib/setup.mjs";
import { main, say, Stop } from "./lib/terminal.mjs";

const command = ["eval", "reverse-text", "--model", "scripted", "-n", "20", "-r", "3"];

await main(async () => {
  say("Hone quickstart: install, build, then evaluate an environment with a model that needs no network.");
  await ensureInstalled();
  await build();
  await buildPage();
  const args = [...command, ...process.argv.slice(2)];
  say(`\n$ hone ${args.join(" ")}\n`);
  const code = await run({ command: process.execPath, args: [join(root, "packages/cli/bin/hone.js"), ...args] });
  if (code !== 0) throw new Stop(`hone ${args.join(" ")} ended with exit code ${code}; its message is above.`, code);
  say(`
Next:
  npx hone eval word-guess --model scripted    another environment, several turns
  npx hone eval --help                         your own model: --base-url, endpoints.toml
  npx hone web                                 the same in the browser
  npx hone env init my-env                     your own environment, with its test
  npm test                                     everything this repository promises`);
  return 0;
});
