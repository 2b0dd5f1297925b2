// Problems of three origins in one shape: a text, a solution that passes, and tests that are appended to the program.
import type { CodeTest, Taskset } from "@hone/env";
import { fromHub, fromJsonl } from "@hone/env/data";
import * as z from "zod";

export interface Problem {
  readonly text: string;
  readonly solution: string;
  readonly tests: readonly CodeTest[];
}

const Own = z.object({ id: z.string(), text: z.string(), solution: z.string(), tests: z.array(z.string()) });

export function own(): Taskset<Problem> {
  return fromJsonl(new URL("../data/problems.jsonl", import.meta.url), Own).map(
    ({ text, solution, tests }): Problem => ({ text, solution, tests: tests.map((code) => ({ code })) }),
  );
}

const HumanEval = z.object({
  prompt: z.string(),
  canonical_solution: z.string(),
  test: z.string(),
  entry_point: z.string(),
});

/** One test per problem: its check function, which asserts many times. */
export function humanEval(folder?: string): Taskset<Problem> {
  const rows = fromHub({
    dataset: "openai/openai_humaneval",
    split: "test",
    schema: HumanEval,
    ...(folder === undefined ? {} : { folder }),
  });
  return rows.map((row): Problem => ({
    text: `Complete this function.\n\n\`\`\`python\n${row.prompt}\`\`\``,
    solution: row.prompt + row.canonical_solution,
    tests: [{ code: `${row.test}\ncheck(${row.entry_point})` }],
  }));
}

const Mbpp = z.object({
  text: z.string(),
  code: z.string(),
  test_list: z.array(z.string()),
  test_setup_code: z.string().default(""),
});

/** The first test is shown: it names the function and its arguments. */
export function mbpp(folder?: string): Taskset<Problem> {
  const rows = fromHub({
    dataset: "google-research-datasets/mbpp",
    config: "full",
    split: "test",
    schema: Mbpp,
    ...(folder === undefined ? {} : { folder }),
  });
  return rows.map((row): Problem => ({
    text: `${row.text}\n\nIt must pass:\n${row.test_list[0] ?? ""}`,
    solution: row.code.replaceAll("\r\n", "\n"),
    tests: row.test_list.map((test) => ({ code: `${row.test_setup_code}\n${test}` })),
  }));
}
