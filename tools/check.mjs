// `npm run check`: everything that can be said about the code without running it.
import { runChecks } from "./lib/checks.mjs";
import { ensureInstalled } from "./lib/setup.mjs";
import { main, say, seconds } from "./lib/terminal.mjs";

const budgetMs = 30_000;

await main(async () => {
  say("Checking format, lint, types, layers, unused code and the lock ...");
  await ensureInstalled();
  const started = Date.now();
  const failed = await runChecks();
  const tookMs = Date.now() - started;
  if (tookMs > budgetMs) say(`The checks took ${seconds(tookMs)}; their budget is ${seconds(budgetMs)}.`);
  say(failed.length === 0 ? `All checks passed in ${seconds(tookMs)}.` : `Failed: ${failed.join(", ")}.`);
  return failed.length === 0 ? 0 : 1;
});
