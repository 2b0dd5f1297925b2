// A skill: tasks to train on, and who shows how they are done, well ("clean") or in one of several poor ways.
// Invariant: no task that an environment holds out for evaluation is ever demonstrated, nor its answer used to spoil another.
import {
  type AssistantMessage,
  type Environment,
  type EnvironmentDefinitionLike,
  isHeldOut,
  type JsonObject,
  type Message,
  type Random,
  type Task,
  taskHash,
  type TaskId,
} from "@hone/core";

export interface Skill<Fields extends object> {
  /** Also the name of the environment, and of the file of demonstrations. */
  readonly name: string;
  /** Arguments of the environment that a model of this size can be asked. */
  readonly args: JsonObject;
  /** What the longest right reply takes, and some. */
  readonly maxTokens: number;
  /** Where the environment's own tasks are not enough: further ones, made here. Held-out ones are left out by whoever asks. */
  readonly extra?: (random: Random) => object;
  /** By kind; "clean" must be there. A kind answers one turn and may answer all turns of a conversation. */
  readonly kinds: Readonly<Record<string, (scene: Scene<Fields>) => Reply>>;
  /** The least reward of a clean demonstration; 1 unless given. */
  readonly cleanReward?: number;
}

export type Reply = string | AssistantMessage;

export interface Scene<Fields> {
  readonly task: Task<Fields>;
  /** Another task to train on, for answers to the wrong question. */
  readonly other: Task<Fields>;
  readonly messages: readonly Message[];
  readonly random: Random;
}

/** As the loop of demonstrations sees every skill. */
export type AnySkill = Skill<never>;

export async function environmentOf({ name, args }: AnySkill): Promise<Environment> {
  // By its name at run time: this package stays below the environments it is trained for.
  const module = (await import(`@hone/${name}`)) as { readonly default: EnvironmentDefinitionLike };
  return module.default.create(args);
}

/** Training tasks without end: the environment's own, and as many of the skill's further ones where it has some. */
export async function* trainingTasks(skill: AnySkill, random: Random): AsyncGenerator<Task> {
  const seed = random.integer(2 ** 31);
  const environment = await environmentOf({ ...skill, args: { ...skill.args, seed } });
  let count = 0;
  for await (const task of environment.tasks("train")) {
    yield task;
    if (skill.extra === undefined) continue;
    for (;;) {
      const fields = skill.extra(random);
      if (isHeldOut(taskHash(fields))) continue;
      yield { ...fields, id: `extra-${count++}` as TaskId };
      break;
    }
  }
}
