// Harnesses: how a model is run on one task. `chat` is the loop everyone expects; a run chooses another by `harness.id`.
import { type Harness, HoneError, isStop, type JsonObject, type Message } from "@hone/core";

/** Reply, tools, reply, …; a reply without tool calls goes to the environment, which answers or ends. */
export const chat: Harness = {
  id: "chat",
  async run(session) {
    let say: readonly Message[] = session.prompt;
    for (;;) {
      const replied = await session.turn(say);
      if (isStop(replied)) return replied;
      const calls = replied.message.toolCalls ?? [];
      if (calls.length > 0) {
        say = await Promise.all(calls.map((call) => session.call(call)));
        continue;
      }
      const answer = await session.respond(replied.message);
      if (isStop(answer)) return answer;
      say = answer;
    }
  },
};

/** One reply and no more: what a model says without being answered or given its tools' results. */
export const single: Harness = {
  id: "single",
  async run(session) {
    const replied = await session.turn(session.prompt);
    return isStop(replied) ? replied : { type: "answered" };
  },
};

/** `[[env]] harness = { id, … }`: a built-in one by its id. Files are loaded by `@hone/env/load`. */
export function findHarness({ id, ...options }: { readonly id: string } & JsonObject): Harness {
  const known: Readonly<Record<string, Harness>> = { chat, single };
  const found = Object.hasOwn(known, id) ? known[id] : undefined;
  if (found === undefined) {
    throw new HoneError(`There is no harness ${id}.`, {
      code: "unknown-harness",
      hint: `Built in: ${Object.keys(known).join(", ")}. One of your own is a file: harness = { id = "./my-harness.ts" }.`,
    });
  }
  const [option] = Object.keys(options);
  if (option === undefined) return found;
  throw new HoneError(`The harness ${id} takes no option ${option}.`, { code: "config", hint: "Remove it." });
}
