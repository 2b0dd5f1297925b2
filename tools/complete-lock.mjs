// Run after every change of package-lock.json: adds what other platforms need and this registry does not list, and removes
// addresses of a registry. `--check` changes nothing and exits 1 where something is to be done; it is part of `npm run check`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completeLock, hostedEntries, missingEntries } from "./lib/lock.mjs";
import { root } from "./lib/process.mjs";
import { main, say } from "./lib/terminal.mjs";

await main(async () => {
  const path = join(root, "package-lock.json");
  const lock = JSON.parse(readFileSync(path, "utf8"));
  const problems = [
    ...missingEntries(lock).map((missing) => `package-lock.json lacks ${missing.path} ${missing.entry.version}`),
    ...hostedEntries(lock).map((entry) => `package-lock.json names a registry's host at ${entry}`),
  ];
  for (const problem of problems) say(problem);
  if (problems.length === 0) {
    say("package-lock.json is complete.");
    return 0;
  }
  if (process.argv.includes("--check")) {
    say("Run `node tools/complete-lock.mjs`.");
    return 1;
  }
  writeFileSync(path, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
  say(`package-lock.json completed: ${problems.length} mended.`);
  return 0;
});
