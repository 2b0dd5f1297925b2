// Prints every arrow between packages that points the wrong way, as `path:line:column message`. Part of `npm run check`.
import { checkLayers } from "./lib/layers.mjs";
import { root } from "./lib/process.mjs";
import { main, say } from "./lib/terminal.mjs";

await main(async () => {
  const problems = checkLayers(root);
  for (const { path, line, column, message } of problems) say(`${path}:${line}:${column} ${message}`);
  say(problems.length === 0 ? "All arrows point down." : `${problems.length} to mend; the layers are in AGENTS.md.`);
  return problems.length === 0 ? 0 : 1;
});
