// Answer questions from a library of articles. The model searches and reads; another model judges the answer against the reference.
import { readFileSync } from "node:fs";
import { JudgeRubric, ToolEnv, withArgs } from "@hone/env";
import { fromJsonl } from "@hone/env/data";
import * as z from "zod";
import { Library } from "./library.ts";

const Args = z.object({
  judge: z.string().default("judge").describe("the model that judges, by its name in endpoints.toml"),
  folder: z
    .string()
    .optional()
    .describe("a folder with articles.jsonl (id, title, text) and questions.jsonl (question, answer), instead of ours"),
  maxTurns: z.int().min(1).default(10),
});

const Question = z.object({ question: z.string(), answer: z.string() });

export default withArgs(Args, ({ judge, folder, maxTurns }) => {
  const data = folder === undefined ? new URL("../data/", import.meta.url) : new URL(`file://${folder}/`);
  const library = new Library(readFileSync(new URL("articles.jsonl", data), "utf8"));
  return new ToolEnv({
    name: "research",
    tasks: fromJsonl(new URL("questions.jsonl", data), Question),
    system: "Answer the question from the library. Search first, read what looks right, then answer in one sentence.",
    prompt: ({ task }) => task.question,
    state: () => ({ opened: [] as string[] }),
    tools: {
      search: {
        description: "Articles that match the words best, with the passage that matches.",
        parameters: z.object({ query: z.string(), limit: z.int().min(1).max(10).default(5) }),
        execute: ({ query, limit }) => library.search(query, limit),
      },
      read: {
        description: "The text of one article.",
        parameters: z.object({ id: z.string().describe("as the search gave it") }),
        execute: ({ id }, { state }) => {
          state.opened.push(id);
          return library.read(id);
        },
      },
    },
    gold: ({ task }) => task.answer,
    rewards: new JudgeRubric({ judge }),
    metrics: { articles_read: ({ state }) => new Set(state.opened).size },
    maxTurns,
  });
});
