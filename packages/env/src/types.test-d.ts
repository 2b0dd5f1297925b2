// What must be inferred and what must not compile. A line marked @ts-expect-error fails the build when its error goes away.
import type { Environment, Sandbox, Task } from "@hone/core";
import * as z from "zod";
import {
  defineEnvironment,
  type EnvironmentDefinition,
  JudgeRubric,
  MultiTurnEnv,
  Rubric,
  RubricGroup,
  SingleTurnEnv,
  StatefulToolEnv,
  tool,
  ToolEnv,
  type TurnScope,
  withArgs,
} from "./index.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

// Every scope is exact: fields, state, tool input with defaults applied, group members.
defineEnvironment({
  name: "exact",
  tasks: [{ question: "q", tries: 1 }],
  prompt: ({ task }) => {
    same<typeof task, Task<{ question: string; tries: number }>>(true);
    return task.question;
  },
  sandbox: { image: "python" },
  state: async ({ task, sandbox }) => {
    same<typeof sandbox, Sandbox>(true);
    return { seen: [task.question] };
  },
  tools: {
    look: {
      description: "",
      parameters: z.object({ at: z.string(), limit: z.int().default(3) }),
      execute: (input, { state, task }) => {
        same<typeof input, { at: string; limit: number }>(true);
        same<typeof state, { seen: string[] }>(true);
        return task.question;
      },
    },
  },
  respond: ({ state, reply, turn }) => {
    same<typeof state.seen, string[]>(true);
    same<typeof turn, number>(true);
    return reply;
  },
  stop: { enough: ({ state, task }) => state.seen.length > task.tries },
  rewards: {
    plain: ({ task, rollout }) => {
      same<typeof task.tries, number>(true);
      same<typeof rollout.state.seen, string[]>(true);
      return true;
    },
    group: {
      weight: 0.1,
      scoreGroup: (group) =>
        group.map(({ state }) => {
          same<typeof state.seen, string[]>(true);
          return 0;
        }),
    },
    judged: {
      judge: "j",
      prompt: ({ task, reply }) => {
        same<typeof task.question, string>(true);
        return reply;
      },
    },
  },
});

const base = { name: "x", prompt: () => "" } as const;

// Order does not matter as long as `state` takes no parameter.
defineEnvironment({
  rewards: { long: ({ task, state }) => task.text.length + state.n },
  state: () => ({ n: 1 }),
  prompt: ({ task }) => task.text,
  tasks: [{ text: "x" }],
  name: "order",
});

// A rubric states its needs; a task that cannot meet them is named at compile time.
const answered = new Rubric<{ readonly task: { readonly answer: string }; readonly reply: string }>({
  exact: ({ task, reply }) => reply === task.answer,
});
new SingleTurnEnv({
  ...base,
  tasks: [{ q: "", answer: "" }],
  rewards: [answered, { short: ({ reply }) => reply.length < 9 }],
});
new SingleTurnEnv({ ...base, tasks: [{ question: "", answer: "" }], rewards: new JudgeRubric({ judge: "j" }) });
// @ts-expect-error Property 'answer' is missing
new SingleTurnEnv({ ...base, tasks: [{ q: "" }], rewards: answered });
// @ts-expect-error the judge shows task.question
new SingleTurnEnv({ ...base, tasks: [{ answer: "" }], rewards: new JudgeRubric({ judge: "j" }) });
defineEnvironment({
  ...base,
  tasks: [{ q: "" }],
  // @ts-expect-error no sandbox declared
  rewards: { ok: async ({ sandbox }) => (await sandbox.exec("true")).exitCode === 0 },
});
const sandboxed = new Rubric<{ readonly sandbox: Sandbox }>({
  ok: async ({ sandbox }) => (await sandbox.list("/")).length,
});
defineEnvironment({ ...base, sandbox: {}, tasks: [{ q: "" }], rewards: sandboxed });
// @ts-expect-error the rubric needs a sandbox
defineEnvironment({ ...base, tasks: [{ q: "" }], rewards: sandboxed });

// State and tasks are data: interfaces pass, a Set or a Date does not.
interface Board {
  cells: (string | null)[];
  score?: number;
}
defineEnvironment({
  ...base,
  tasks: [{ q: "" }],
  state: (): Board => ({ cells: [] }),
  rewards: { r: ({ state }) => state.cells.length },
});
// @ts-expect-error not serialisable
defineEnvironment({ ...base, tasks: [{ q: "" }], state: () => ({ seen: new Set<string>() }), rewards: {} });
// @ts-expect-error not serialisable
defineEnvironment({ ...base, tasks: [{ due: new Date() }], rewards: {} });

// A reward is a number or a boolean; a misspelt field, an unknown option and a bare generator are errors.
// @ts-expect-error a string is no reward
defineEnvironment({ ...base, tasks: [{ q: "" }], rewards: { r: ({ task }) => task.q } });
// @ts-expect-error 'qestion'
defineEnvironment({ name: "x", tasks: [{ question: "" }], prompt: ({ task }) => task.qestion, rewards: {} });
// @ts-expect-error 'reward' is not an option
defineEnvironment({ ...base, tasks: [{ q: "" }], rewards: {}, reward: {} });
// @ts-expect-error 'maxTurn' is not an option
defineEnvironment({ ...base, tasks: [{ q: "" }], rewards: {}, maxTurn: 3 });
// @ts-expect-error a bare generator could be read only once
defineEnvironment({ ...base, tasks: [{ q: "" }].values(), rewards: {} });
// @ts-expect-error a single turn has no tools
new SingleTurnEnv({ ...base, tasks: [{ q: "" }], rewards: {}, tools: {} });
// @ts-expect-error a tool environment has tools
new ToolEnv({ ...base, tasks: [{ q: "" }], rewards: {} });
// @ts-expect-error a stateful one has state
new StatefulToolEnv({ ...base, tasks: [{ q: "" }], tools: {}, rewards: {} });

// Tools kept outside carry their own needs.
const note = tool({
  description: "",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }, { state }: { readonly state: { notes: string[] } }) => {
    state.notes.push(text);
    return "ok";
  },
});
new StatefulToolEnv({
  ...base,
  tasks: [{ q: "" }],
  state: () => ({ notes: [] as string[] }),
  tools: { note },
  rewards: {},
});
// @ts-expect-error this environment has no notes
defineEnvironment({ ...base, tasks: [{ q: "" }], tools: { note }, rewards: {} });

// Arguments: input optional where there is a default, output complete.
const withNumber = withArgs(z.object({ n: z.int().default(2) }), ({ n }) => {
  same<typeof n, number>(true);
  return defineEnvironment({ name: "n", tasks: [{ n }], prompt: ({ task }) => String(task.n), rewards: {} });
});
withNumber.create({});
// @ts-expect-error a string is not a number
withNumber.create({ n: "2" });
export const erased: readonly (Environment | EnvironmentDefinition)[] = [
  withNumber,
  defineEnvironment({ name: "m", tasks: [{ a: 1 }], prompt: () => "", rewards: {} }),
];

// The class form: the override's parameter is annotated once, everything in `super` is inferred.
export class Echo extends MultiTurnEnv<{ say: string }, { said: string[] }> {
  constructor() {
    super({
      name: "echo",
      tasks: [{ say: "hi" }],
      prompt: ({ task }) => task.say,
      state: () => ({ said: [] }),
      rewards: { r: ({ state, task }) => state.said.includes(task.say) },
    });
  }
  override respond({ reply, state }: TurnScope<{ say: string }, { said: string[] }>): string {
    state.said.push(reply);
    return reply;
  }
}

// A row's own id, text or number, is the task's id, which is text.
defineEnvironment({
  name: "ids",
  tasks: [{ id: 1, text: "x" }],
  prompt: ({ task }) => {
    same<typeof task.text, string>(true);
    return task.id.padStart(3);
  },
  rewards: {},
});

// A group of rubrics needs what each of them needs.
const both = new RubricGroup([answered, sandboxed]);
defineEnvironment({ ...base, sandbox: {}, tasks: [{ answer: "" }], rewards: both });
// @ts-expect-error one of them needs a sandbox
defineEnvironment({ ...base, tasks: [{ answer: "" }], rewards: both });
// @ts-expect-error the other an answer
defineEnvironment({ ...base, sandbox: {}, tasks: [{ q: "" }], rewards: both });
