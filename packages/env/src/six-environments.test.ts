// Six environments as people write them, nothing annotated but a subclass's scope, run on the one loop: maths, tools, game, code, judge, several.
import type { Environment, Rollout, RolloutRequest, Sandbox, SandboxProvider } from "@hone/core";
import { type Script, scriptedModel } from "@hone/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  defineEnvironment,
  end,
  EnvGroup,
  extractBoxed,
  MultiTurnEnv,
  Rubric,
  SingleTurnEnv,
  tool,
  type TurnScope,
  withArgs,
} from "./index.ts";
import { runOnce } from "./testing/run-once.ts";

const maths = new SingleTurnEnv({
  name: "arithmetic",
  tasks: function* () {
    for (let a = 2; a < 10; a++) yield { question: `${a} * ${a + 1}`, answer: String(a * (a + 1)) };
  },
  prompt: ({ task }) => `What is ${task.question}? Put the answer in \\boxed{}.`,
  rewards: { correct: ({ task, reply }) => extractBoxed(reply) === task.answer },
  metrics: { words: ({ reply }) => reply.split(/\s+/).length },
});

const links: Record<string, readonly string[]> = {
  Bee: ["Honey", "Flower"],
  Honey: ["Sugar"],
  Flower: ["Bee"],
  Sugar: [],
};
const count = tool({
  description: "Number of links on a page.",
  parameters: z.object({ page: z.string() }),
  execute: ({ page }) => String(links[page]?.length ?? 0),
});
const wiki = defineEnvironment({
  name: "wiki-race",
  tasks: [{ start: "Bee", target: "Sugar", shortest: 2 }],
  prompt: ({ task }) => `You are on ${task.start}. Reach ${task.target}.`,
  state: ({ task }) => ({ path: [task.start] }),
  tools: {
    count,
    click_link: {
      description: "Follow a link on the current page.",
      parameters: z.object({ page: z.string() }),
      execute: ({ page }, { state }) => {
        if (!links[state.path.at(-1) ?? ""]?.includes(page)) throw new Error(`${page} is not linked here.`);
        state.path.push(page);
        return `You are on ${page}.`;
      },
    },
  },
  stop: { arrived: ({ state, task }) => state.path.at(-1) === task.target },
  rewards: {
    reached: ({ state, task }) => state.path.at(-1) === task.target,
    direct: { weight: 0.5, score: ({ state, task }) => Math.min(1, task.shortest / (state.path.length - 1)) },
  },
  metrics: { clicks: ({ state }) => state.path.length - 1 },
  maxTurns: 12,
});

interface Word {
  readonly word: string;
}
interface Game {
  guesses: string[];
}
class WordGuess extends MultiTurnEnv<Word, Game> {
  constructor(words: readonly string[], maxGuesses: number) {
    super({
      name: "word-guess",
      tasks: words.map((word) => ({ word })),
      prompt: () => "Guess a word.",
      state: () => ({ guesses: [] }),
      rewards: { solved: ({ state, task }) => state.guesses.at(-1) === task.word },
      maxTurns: maxGuesses,
    });
  }
  override respond({ reply, state, task }: TurnScope<Word, Game>) {
    state.guesses.push(reply);
    return reply === task.word ? end("solved", "Correct.") : "No.";
  }
}
const game = withArgs(
  z.object({ words: z.array(z.string()).default(["crane"]), maxGuesses: z.int().default(6) }),
  (args) => {
    return new WordGuess(args.words, args.maxGuesses);
  },
);

const testsPass = new Rubric<{ readonly task: { readonly tests: readonly string[] }; readonly sandbox: Sandbox }>({
  passed: async ({ task, sandbox }) => {
    const results = await Promise.all(task.tests.map((command) => sandbox.exec(command)));
    return results.filter(({ exitCode }) => exitCode === 0).length / task.tests.length;
  },
});
const code = defineEnvironment({
  name: "code",
  tasks: [{ text: "Write solution", tests: ["has solution", "has readme"] }],
  prompt: ({ task }) => task.text,
  sandbox: { image: "python", memoryMb: 256 },
  state: async ({ sandbox }) => {
    await sandbox.write("start", "");
    return { runs: 0 };
  },
  tools: {
    write: {
      description: "Write a file.",
      parameters: z.object({ path: z.string() }),
      execute: async ({ path }, { sandbox, state }) => {
        state.runs++;
        await sandbox.write(path, "");
        return "written";
      },
    },
  },
  rewards: testsPass,
});

const judged = defineEnvironment({
  name: "research",
  tasks: [{ question: "What do bees make honey from?", answer: "nectar" }],
  prompt: ({ task }) => task.question,
  rewards: {
    right: {
      judge: "judge",
      prompt: ({ task, reply }) => `${task.answer}? ${reply}`,
      read: (verdict) => Number(/\byes\b/i.test(verdict)),
    },
  },
});

const several = new EnvGroup({ name: "mixed", members: { maths, words: game.create({ maxGuesses: 2 }) } });

const multiply: Script = ({ messages }) => {
  const [, a, b] = /(\d+) \* (\d+)/.exec(String(messages.at(-1)?.content)) ?? [];
  return `It is \\boxed{${Number(a) * Number(b)}}.`;
};

async function run(
  environment: Environment,
  script: Script,
  more: Partial<RolloutRequest["resources"]> = {},
): Promise<Rollout> {
  return runOnce(environment, { model: scriptedModel(script), ...more });
}

test("maths: one turn, a verified answer", async () => {
  const rollout = await run(maths, multiply);
  expect(rollout.stop).toEqual({ type: "answered" });
  expect(rollout.agents[0]).toMatchObject({
    reward: 1,
    rewards: { correct: { value: 1, weight: 1 } },
    metrics: { words: 3, turns: 1 },
  });
});

test("tools: state that the model never sees, errors told to the model, a stop condition", async () => {
  const rollout = await run(wiki, (_request, { index }) => {
    const page = ["Garden", "Honey", "Sugar"][index] ?? "";
    return { toolCalls: [{ name: "click_link", arguments: { page } }] };
  });
  expect(rollout.stop).toEqual({ type: "ended", by: "arrived" });
  expect(rollout.state).toEqual({ path: ["Bee", "Honey", "Sugar"] });
  expect(rollout.agents[0]).toMatchObject({
    reward: 1.5,
    metrics: { clicks: 2, tool_calls: 3, "tool_calls/count": 0, "tool_errors/click_link": 1 },
  });
  expect(JSON.stringify(rollout.nodes)).not.toContain("path");
});

test("game: a subclass with arguments", async () => {
  const rollout = await run(game.create({}), (_request, { index }) => ["pilot", "crane"][index] ?? "");
  expect(rollout.stop).toEqual({ type: "ended", by: "solved" });
  expect(rollout.agents[0]?.reward).toBe(1);
  expect(rollout.nodes.at(-1)?.message).toEqual({ role: "user", content: "Correct." });
});

test("code: the sandbox lives until the rewards are known, then it is closed", async () => {
  const log: string[] = [];
  const script: Script = (_request, { index }) =>
    index === 0 ? { toolCalls: [{ name: "write", arguments: { path: "solution" } }] } : "done";
  const rollout = await run(code, script, { sandboxes: memorySandboxes(log) });
  expect(rollout.agents[0]?.reward).toBe(0.5);
  expect(log).toEqual(["write start", "write solution", "exec has solution", "exec has readme", "close"]);
});

test("judge: another model decides, and what it was asked is kept", async () => {
  const judge = scriptedModel(() => "Yes, it is right.", { name: "judge-model" });
  const rollout = await run(judged, () => "nectar", { models: () => judge });
  expect(rollout.agents[0]?.reward).toBe(1);
  expect(rollout.info["judges"]).toMatchObject({
    right: { judge: "judge-model", prompt: "nectar? nectar", verdict: "Yes, it is right." },
  });
});

test("several: tasks are routed to their member by id", async () => {
  const ids: string[] = [];
  for await (const task of several.tasks("all").head(3)) ids.push(task.id.split("/")[0] ?? "");
  expect(ids).toEqual(["maths", "words", "maths"]);
  const rollout = await run(several, multiply);
  expect(rollout).toMatchObject({ env: "mixed", info: { member: "maths" } });
  expect(rollout.taskId).toMatch(/^maths\//);
});

function memorySandboxes(log: string[]): SandboxProvider {
  return {
    name: "memory",
    open: async () => {
      const files = new Set<string>();
      const sandbox: Sandbox = {
        exec: async (command) => {
          log.push(`exec ${command}`);
          return {
            exitCode: files.has(command.slice(4)) ? 0 : 1,
            stdout: "",
            stderr: "",
            droppedBytes: 0,
            timedOut: false,
          };
        },
        read: async () => new Uint8Array(),
        write: async (path) => {
          log.push(`write ${path}`);
          files.add(path);
        },
        list: async () => [...files],
        start: async () => ({}) as never,
      };
      return {
        sandbox,
        [Symbol.asyncDispose]: async () => {
          log.push("close");
        },
      };
    },
  };
}
