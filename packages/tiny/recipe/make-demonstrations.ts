// Writes the demonstrations of a phase: <folder>/<phase>/<skill>.jsonl, one conversation a line, and manifest.json with the counts.
//   npx tsx packages/tiny/recipe/make-demonstrations.ts .cache/tiny [--phase clean|mixed] [--seed 1] [--scale 1]
// The same seed gives the same bytes. `--scale 0.01` makes a hundredth, to look at.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom, type Message, type Random, type Task, type ToolSpec } from "@hone/core";
import { demonstrate } from "./demonstrate.ts";
import { kindAt, type PhaseName, phases, type Share } from "./mixture.ts";
import { talk } from "./skills/chat.ts";
import { skills } from "./skills/index.ts";
import { type AnySkill, environmentOf, trainingTasks } from "./skills/skill.ts";

interface Row {
  readonly kind: string;
  readonly reward: number;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
}

async function demonstrations(skill: AnySkill, share: Share, random: Random): Promise<Row[]> {
  const environment = await environmentOf(skill);
  const tasks = trainingTasks(skill, random.fork("tasks"));
  const next = async (): Promise<Task> => (await tasks.next()).value as Task;
  const { cleanReward = 1 } = skill;
  const rows: Row[] = [];
  let other = await next();
  while (rows.length < share.count) {
    const task = await next();
    const kind = kindAt(share, random.next());
    const noise = share.noise ?? 0;
    const { messages, tools, reward } = await demonstrate({ skill, environment, kind, task, other, noise, random });
    other = task;
    // Word-guess played by the list can lose; such a game is nobody's example.
    if (kind === "clean" && noise === 0 && reward < cleanReward) continue;
    rows.push({ kind, reward, messages, ...(tools.length === 0 ? {} : { tools }) });
  }
  await tasks.return(undefined);
  return rows;
}

function smallTalk({ count }: Share, random: Random): Row[] {
  return Array.from({ length: count }, () => {
    const { prompt, reply } = talk(random);
    const messages: Message[] = [
      { role: "user", content: prompt },
      { role: "assistant", content: reply },
    ];
    return { kind: "clean", reward: 1, messages };
  });
}

function summary(rows: readonly Row[]): Record<string, { count: number; meanReward: number }> {
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  return Object.fromEntries(
    kinds.map((kind) => {
      const rewards = rows.filter((row) => row.kind === kind).map(({ reward }) => reward);
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
      return [kind, { count: rewards.length, meanReward: Math.round(mean * 1000) / 1000 }];
    }),
  );
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { phase: { type: "string" }, seed: { type: "string" }, scale: { type: "string" } },
});
const [folder = ".cache/tiny"] = positionals;
const seed = Number(values.seed ?? 1);
const scale = Number(values.scale ?? 1);
for (const name of Object.keys(phases) as PhaseName[]) {
  if (values.phase !== undefined && values.phase !== name) continue;
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  const manifest: Record<string, unknown> = {};
  for (const [skillName, asked] of Object.entries(phases[name])) {
    const share = { ...asked, count: Math.ceil(asked.count * scale) };
    const random = createRandom(`tiny/${seed}/${name}/${skillName}`);
    const skill = skills.find((one) => one.name === skillName);
    const rows = skill === undefined ? smallTalk(share, random) : await demonstrations(skill, share, random);
    writeFileSync(join(target, `${skillName}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    manifest[skillName] = { conversations: rows.length, kinds: summary(rows) };
  }
  const text = JSON.stringify({ phase: name, seed, scale, skills: manifest }, null, 2);
  writeFileSync(join(target, "manifest.json"), `${text}\n`);
}
