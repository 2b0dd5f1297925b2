// Task to demonstration: the environment is run with its own right answers in place of a model, and what was said is written down, one
// conversation a line. Only training tasks come here; those that are measured are held out by the environment's split.
//   npx tsx examples/beyond-sft/demonstrate.ts FILE COUNT
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { runOnce, scriptedModel } from "@hone/env/testing";
import reverseText from "@hone/reverse-text";

const [file = ".cache/beyond-sft/demonstrations.jsonl", count = "100"] = process.argv.slice(2);
const environment = reverseText.create({ minWords: 6, maxWords: 8 });

const lines: string[] = [];
for await (const task of environment.tasks("train").head(Number(count))) {
  const model = scriptedModel([environment.gold(task)].flat().map(String));
  const { nodes } = await runOnce(environment, { task, model });
  lines.push(JSON.stringify({ messages: nodes.map(({ message }) => message) }));
}
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
