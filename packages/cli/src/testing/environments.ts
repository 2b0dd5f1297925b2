// An environment for tests of the command line, small and offline.
import { defineEnvironment, withArgs } from "@hone/env";
import * as z from "zod";
import { provideEnvironment, type Workspace, workspace } from "./workspace.ts";

/** Say a text again. Twelve tasks, no network, gold replies. */
export function echo(name = "echo") {
  return withArgs(
    z.object({
      maxWords: z.int().min(1).default(3).describe("words in a text"),
      style: z.enum(["plain", "loud"]).default("plain"),
    }),
    ({ maxWords, style }) =>
      defineEnvironment({
        name,
        tasks: Array.from({ length: 12 }, (_, index) => ({
          id: `t${index}`,
          text: `word${index} `.repeat(maxWords).trim(),
        })),
        system: "Repeat.",
        prompt: ({ task }) => (style === "loud" ? task.text.toUpperCase() : task.text),
        gold: ({ task }) => task.text,
        rewards: { same: ({ task, reply }) => Number(reply === task.text) },
        metrics: { length: ({ reply }) => reply.length },
        maxTurns: 1,
      }),
  );
}

/** A workspace in which that environment can be named. */
export async function withEcho(): Promise<Workspace> {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  return made;
}
