// Sort names over several turns. Each turn brings new names; the answer is the whole list so far, in order, with the new ones marked.
// A turn scores difflib's ratio to the fourth power, so near misses are worth little; several tries in one reply must each improve.
import { defineEnvironment, difflibRatio, end, endless, withArgs } from "@hone/env";
import * as z from "zod";
import { makeTask, sorted, type SortTask } from "./tasks.ts";

const Args = z.object({
  minTurns: z.int().min(1).default(1),
  maxTurns: z.int().min(1).default(3),
  minNamesPerTurn: z.int().min(1).default(1),
  maxNamesPerTurn: z.int().min(1).default(5),
  similarityPower: z.number().positive().default(4),
  powerPerTurn: z.boolean().default(true).describe("raise each turn's ratio to the power; false: raise their mean"),
  sortBy: z.enum(["first", "last", "either"]).default("either").describe("either: each task says which"),
  brief: z.boolean().default(false).describe("prompts in few words, for models that read letter by letter"),
  seed: z.int().default(1337420),
});

/** The right list after `turn` turns, lower-case, a name per line. */
export function expected({ batches, sortBy }: SortTask, turn: number): string {
  const fresh = new Set(turn === 1 ? [] : batches[turn - 1]);
  const names = sorted(batches.slice(0, turn).flat(), sortBy);
  return names.map((name) => (fresh.has(name) ? `${name} // new name!` : name)).join("\n");
}

const tagOf = (turn: number): string => (turn === 1 ? "alphabetical_sorted" : "combined_alphabetical_sorted");

/** Ratio of the last attempt in the reply; 0 when there is none, or when one did not improve on the one before. */
export function turnRatio(task: SortTask, turn: number, reply: string): number {
  const tag = tagOf(turn);
  const attempts = reply
    .split(`<${tag}>`)
    .slice(1)
    .flatMap((rest) => (rest.includes(`</${tag}>`) ? [rest.split(`</${tag}>`)[0] ?? ""] : []));
  const lines = (text: string): string =>
    text
      .split("\n")
      .map((line) => line.trim().toLowerCase())
      .filter(Boolean)
      .join("\n");
  const ratios = attempts.map((attempt) => difflibRatio(lines(attempt), lines(expected(task, turn))));
  const improves = ratios.every((ratio, index) => index === 0 || ratio > (ratios[index - 1] ?? 0));
  return improves ? (ratios.at(-1) ?? 0) : 0;
}

const answerIn = (turn: number, list: string): string => `<${tagOf(turn)}>\n${list}\n</${tagOf(turn)}>`;

const wordy = {
  first: (by: string, names: string): string =>
    `Sort these names in alphabetical order by ${by} name:\n${names}\n\n` +
    `Answer with one name per line, exactly in this form:\n${answerIn(1, "Name1\nName2")}`,
  next: (by: string, names: string): string =>
    `Now put these in as well, sorted by ${by} name with all names before, and mark what is new in this turn:\n${names}\n\n` +
    `Answer exactly in this form:\n${answerIn(2, "Name1\nName2 // new name!\nName3")}`,
};
const brief: typeof wordy = {
  first: (by, names) => `Sort by ${by} name, inside <${tagOf(1)}> tags:\n${names}`,
  next: (by, names) => `Add these by ${by} name, marked "// new name!", inside <${tagOf(2)}> tags:\n${names}`,
};

export default withArgs(Args, (args) =>
  defineEnvironment({
    name: "alphabet-sort",
    tasks: endless(function* () {
      for (let index = 0; ; index++) yield makeTask(args, index);
    }),
    prompt: ({ task }) => (args.brief ? brief : wordy).first(task.sortBy, task.batches[0]?.join("\n") ?? ""),
    state: () => ({ ratios: [] as number[] }),
    respond: ({ task, state, reply, turn }) => {
      state.ratios.push(turnRatio(task, turn, reply));
      const next = task.batches[turn];
      if (next === undefined) return end("sorted");
      return (args.brief ? brief : wordy).next(task.sortBy, next.join("\n"));
    },
    gold: ({ task }) => task.batches.map((_batch, index) => answerIn(index + 1, expected(task, index + 1))),
    rewards: {
      sorted: ({ task, state }) => {
        const each = task.batches.map(
          (_batch, index) => (state.ratios[index] ?? 0) ** (args.powerPerTurn ? args.similarityPower : 1),
        );
        const mean = each.reduce((sum, value) => sum + value, 0) / each.length;
        return args.powerPerTurn ? mean : mean ** args.similarityPower;
      },
    },
    metrics: { turns_planned: ({ task }) => task.batches.length },
    maxTurns: args.maxTurns,
  }),
);
