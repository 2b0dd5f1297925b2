// `npm run bench -- <name>`: runs bench/<name>.mjs on the built packages and passes its figures through, one JSON line each:
// {"bench","figure","value","unit","bar","better","ok"}. Exits 1 if a figure misses its bar or the program fails; without
// a name it lists what there is. Benches are plain .mjs: Node 20 runs no TypeScript, and built code is what users run.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { missedFigures } from "./lib/figures.mjs";
import { capture, root } from "./lib/process.mjs";
import { build, ensureInstalled } from "./lib/setup.mjs";
import { main, say, Stop } from "./lib/terminal.mjs";

const folder = join(root, "bench");

await main(async () => {
  const [name, ...args] = process.argv.slice(2);
  const names = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(".mjs"))
    .map((file) => file.slice(0, -".mjs".length));
  if (name === undefined) {
    say(`Benches: ${names.join(", ") || "none yet"}. Run one with \`npm run bench -- <name>\`.`);
    return 0;
  }
  if (!names.includes(name))
    throw new Stop(`There is no bench "${name}". There are: ${names.join(", ") || "none"}.`, 2);
  say(`Bench ${name}`);
  await ensureInstalled();
  await build();
  const program = { command: process.execPath, args: [join(folder, `${name}.mjs`), ...args] };
  const { code, output } = await capture(program, { onOutput: (text) => process.stdout.write(text) });
  const missed = missedFigures(output);
  for (const figure of missed) say(`Missed: ${figure.figure} is ${figure.value}, the bar is ${figure.bar}.`);
  if (code !== 0 && missed.length === 0) throw new Stop(`bench/${name}.mjs ended with exit code ${code}.`, code);
  return missed.length === 0 ? 0 : 1;
});
