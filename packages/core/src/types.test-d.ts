// Type tests: `tsc -b` is the runner. What must not compile stands under @ts-expect-error, which is an error itself once it compiles.
import type { Algorithm, Credit } from "./algorithm.ts";
import type { Data, GroupId, Json, JsonObject, RolloutId, SampleId, TaskId } from "./data.ts";
import type { Engine, PolicyRef, Sampler, Trainer } from "./engine.ts";
import type { LossSpec, LossType } from "./loss.ts";
import type { AssistantMessage, Message } from "./message.ts";
import type { Model } from "./model.ts";
import type { Boundary, LimitName, Rollout, Stop } from "./rollout.ts";
import type { Sample } from "./sample.ts";
import type { Task } from "./task.ts";
import type { Script } from "./testing/scripted-model.ts";

declare function accept<Expected>(value: Expected): Expected;
declare function data<T extends Data<T>>(value: T): T;
declare const taskId: TaskId;
declare const rolloutId: RolloutId;
declare const groupId: GroupId;
declare const sampleId: SampleId;
declare const rollout: Rollout;
declare const sample: Sample;
declare const assistant: AssistantMessage;

// Ids name one kind of thing each.
accept<string>(taskId);
accept<TaskId>(taskId);
// @ts-expect-error a rollout's id is not a task's
accept<TaskId>(rolloutId);
// @ts-expect-error a task's id is not a rollout's
accept<RolloutId>(taskId);
// @ts-expect-error a sample's id is not a group's
accept<GroupId>(sampleId);
// @ts-expect-error a group's id is not a sample's
accept<SampleId>(groupId);
// @ts-expect-error plain text is no id before someone says so
accept<TaskId>("task-1");

// Data does not change once it is made.
// @ts-expect-error a rollout is readonly
rollout.truncated = true;
// @ts-expect-error its messages are a readonly list
rollout.nodes.push(rollout.nodes[0]!);
// @ts-expect-error so is what an agent got
rollout.agents[0]!.reward = 1;
// @ts-expect-error a sample is readonly
sample.weight = new Float32Array();
// @ts-expect-error runs are readonly lists
sample.temperature.values.push(1);
// @ts-expect-error a message is readonly
assistant.content = "other";

// What survives JSON is data; what does not is refused at the member.
interface Board {
  readonly cells: readonly { readonly mark: "x" | "o" | null }[];
  turn?: number;
}
declare const board: Board;
data(board);
data({ nested: { list: [1, "two", null, { three: true }] } });
// @ts-expect-error an interface is data, yet never Json: that is why Data exists
accept<JsonObject>(board);
// @ts-expect-error a Set is {} in JSON
data({ seen: new Set<string>() });
// @ts-expect-error a Map is {} in JSON
data({ nested: { counts: new Map<string, number>() } });
// @ts-expect-error a Date comes back as text
data({ at: [new Date()] });
// @ts-expect-error a function is lost in JSON
data({ score: () => 1 });
// @ts-expect-error a bigint cannot be written at all
data({ big: 1n });
// @ts-expect-error and a promise is nothing yet
data({ later: Promise.resolve(1) });
data({
  fine: 1,
  // @ts-expect-error the error is at the member, not at the call
  wrong: new Set<number>(),
});

// Closed unions: these functions compile because every case is handled.
function stopText(stop: Stop): string {
  switch (stop.type) {
    case "answered":
    case "failed":
    case "cancelled":
      return stop.type;
    case "ended":
      return stop.by;
    case "limit":
      return stop.of satisfies LimitName | "context";
  }
}
function stopTextWithGap(stop: Stop): string {
  if (stop.type === "answered" || stop.type === "failed") return stop.type;
  if (stop.type === "ended") return stop.by;
  if (stop.type === "limit") return stop.of;
  // @ts-expect-error "cancelled" is left over
  return accept<never>(stop);
}
accept<(stop: Stop) => string>(stopText);
accept<(stop: Stop) => string>(stopTextWithGap);
accept<Record<Boundary, true>>({ model: true, tool: true, sandbox: true, reward: true, environment: true });
accept<Record<Message["role"], true>>({ system: true, user: true, assistant: true, tool: true });
accept<Record<LossType, true>>({
  none: true,
  cross_entropy: true,
  importance_sampling: true,
  ppo: true,
  cispo: true,
  dro: true,
  dppo: true,
});
// @ts-expect-error a boundary of one's own
accept<Boundary>("database");
// @ts-expect-error ppo needs its clips
accept<LossSpec>({ type: "ppo" });
// @ts-expect-error a policy is named, not numbered
accept<PolicyRef>(3);

// A task is its fields beside an id; fields cannot be changed.
declare const task: Task<{ question: string }>;
accept<string>(task.question);
accept<TaskId>(task.id);
// @ts-expect-error fields are readonly
task.question = "other";

// Implementations are plain objects.
const trainer: Trainer = {
  forwardBackward: async (samples) => ({
    loss: 0,
    logprobs: samples.map(({ tokens }) => new Float32Array(tokens.length)),
    metrics: {},
  }),
  update: async () => ({ version: 1, gradientNorm: 0, metrics: {} }),
  publish: async () => ({ version: 1 }),
  save: async (checkpoint) => ({ checkpoint }),
  export: async () => {},
};
const sampler: Sampler = {
  policy: "latest",
  generate: async ({ prompt, count }, { signal }) => {
    signal.throwIfAborted();
    const sequence = { ids: prompt, logprobs: new Float32Array(), policyVersion: { values: [], lengths: [] } };
    return { sequences: Array.from({ length: count }, () => ({ ...sequence, finish: "stop" as const })) };
  },
  score: async (sequences, { temperature }) =>
    sequences.map(({ length }) => new Float32Array(length).fill(temperature)),
};
accept<Engine>({
  info: {
    name: "mine",
    model: "mine",
    contextTokens: 1,
    losses: ["none"],
    temperature: "one",
    tuning: ["full"],
    optimizer: ["learningRate"],
    pinnedPolicies: false,
    samplesDuringUpdate: false,
    swapsInFlight: false,
    sharesCompute: true,
    deterministic: false,
  },
  open: async () => trainer,
  sampler: () => sampler,
  pressure: () => ({ running: 0, queued: 0, capacity: 1 }),
  close: async () => {},
});
accept<Algorithm>({
  name: "mean",
  needs: [],
  loss: { type: "importance_sampling" },
  credit: ({ rollouts, agent }, state) => {
    const rewards = rollouts.map(({ agents }) => agents.find(({ name }) => name === agent)?.reward ?? 0);
    const credit: Credit[] = rewards.map((reward) => reward - rewards[0]!);
    return { credit, state: state satisfies Json };
  },
});
accept<Model>({
  name: "echo",
  complete: async ({ messages }) => ({
    message: { role: "assistant", content: String(messages.length) },
    finish: "stop",
    usage: { inputTokens: 0, outputTokens: 0 },
  }),
});
accept<Script>((_request, { random }) => (random.next() < 0.5 ? "heads" : { content: "tails", delayMs: 5 }));
// @ts-expect-error a script that says a number says nothing
accept<Script>(() => 5);
