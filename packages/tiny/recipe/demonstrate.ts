// Task to conversation: the environment itself is run, with a demonstrator in place of the model. So prompts, tool results and marks are
// exactly what the trained model will meet, and the reward says whether a clean demonstration is one.
import {
  type AssistantMessage,
  type Environment,
  type GroupId,
  HoneError,
  isHeldOut,
  type Message,
  type Model,
  type Random,
  type RolloutId,
  type Task,
  type ToolSpec,
} from "@hone/core";
import type { AnySkill, Reply, Scene } from "./skills/skill.ts";
import { withNoise } from "./spoil.ts";

export interface Demonstration {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly reward: number;
}

export interface DemonstrateOptions {
  readonly skill: AnySkill;
  readonly environment: Environment;
  readonly kind: string;
  readonly task: Task;
  readonly other: Task;
  /** Probability that a letter or digit of a reply is replaced by a random one; tags, calls and refusals stay whole. */
  readonly noise: number;
  readonly random: Random;
}

export async function demonstrate(options: DemonstrateOptions): Promise<Demonstration> {
  const { skill, environment, kind, task } = options;
  const rollout = await environment.rollout({
    task,
    identity: { id: "demonstration" as RolloutId, group: "demonstration" as GroupId, index: 0, attempt: 0, seed: 0 },
    resources: { model: demonstrator(options), models: none, sandboxes, harness: undefined, sampling: {} },
    signal: new AbortController().signal,
  });
  const where = `${skill.name}, ${kind}, task ${task.id}`;
  if (rollout.failure !== undefined) throw wrong(`${where}: ${rollout.failure.message}`);
  if (isHeldOut(rollout.taskHash)) throw wrong(`${where}: held out for evaluation`);
  const reward = rollout.agents[0]?.reward ?? 0;
  const messages = rollout.nodes.map(({ message }) => message);
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return { messages: messages.slice(0, last + 1), tools: environment.info.tools, reward };
}

function demonstrator({ skill, kind, task, other, noise, random }: DemonstrateOptions): Model {
  const show = skill.kinds[kind] as ((scene: Scene<unknown>) => Reply) | undefined;
  if (show === undefined) throw wrong(`${skill.name} knows no kind ${kind}`);
  const letters = kind === "refusal" ? 0 : noise;
  return {
    name: "demonstrator",
    complete: async ({ messages }) => {
      const reply = show({ task, other, messages, random });
      const message: AssistantMessage =
        typeof reply === "string" ? { role: "assistant", content: noisy(reply, letters, random) } : reply;
      return { message, finish: "stop", usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };
}

/** What is a token of its own stays: a broken tag teaches another lesson than a wrong letter. */
function noisy(text: string, noise: number, random: Random): string {
  if (noise === 0) return text;
  return text
    .split(/(<\/?[a-z_]+>|\\boxed\{)/)
    .map((part, index) => (index % 2 === 1 ? part : withNoise(part, noise, random)))
    .join("");
}

const none = (): never => {
  throw wrong("demonstrations ask no other model");
};
const sandboxes = { name: "none", open: () => Promise.reject(wrong("demonstrations need no sandbox")) };

function wrong(message: string): HoneError {
  return new HoneError(message, { code: "demonstration" });
}
