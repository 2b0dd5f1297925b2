// Answer questions from a library of articles. The model searches and reads; another model judges the answer against the reference.
import { JudgeRubric, ToolEnv, withArgs } from "@hone/env";
import { fromJsonl } from "@hone/env/data";
import * as z from "zod";
import { fileIn, Library } from "./library.ts";

const Args = z.object({
  judge: z.string().default("judge").describe("the model that judges, by its name in endpoints.toml"),
  folder: z
    .string()
    .optional()
    .describe(
      "a folder with articles.jsonl (id, title, text) and questions.jsonl (question, answer), or Wikispeedia's articles-6k.jsonl.gz and qa-join.jsonl",
    ),
  maxTurns: z.int().min(1).default(10),
});

/** Several answers are as good as each other. */
const Question = z.object({
  question: z.string(),
  answer: z.union([z.string(), z.array(z.string()).transform((answers) => answers.join(" or "))]),
});

export default withArgs(Args, ({ judge, folder, maxTurns }) => {
  const data = folder ?? new URL("../data/", import.meta.url);
  const library = new Library(fileIn(data, "articles.jsonl", "articles-6k.jsonl.gz"));
  return new ToolEnv({
    name: "research",
    tasks: fromJsonl(fileIn(data, "questions.jsonl", "qa-join.jsonl"), Question),
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
