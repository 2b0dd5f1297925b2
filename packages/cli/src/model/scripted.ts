// Models that need no network. They are told the replies that score 1 (`gold` of the environment) for each rollout, which no real model is:
// so a rollout gets a model of its own, made where the rollout is asked for. The same evaluation gets the same replies.
import { createRandom, type Environment, HoneError, type Model, type Random, type RolloutRequest } from "@hone/core";
import { type Script, scriptedModel } from "@hone/core/testing";
import type { Golden } from "../environment/find-environment.ts";

/** What a scripted model knows of the rollout it is in. */
export interface KnownRollout {
  readonly gold: readonly string[] | undefined;
  readonly seed: number;
}

export interface RolloutModel extends Model {
  forRollout(rollout: KnownRollout): Model;
}

/** The environment, except that a model made per rollout is made. Scripts answer on this thread even where rollouts run on others. */
export function withRolloutModels(environment: Environment, golden: Golden): Environment {
  return {
    kind: "hone/environment",
    info: environment.info,
    tasks: (split) => environment.tasks(split),
    score: (request) => environment.score(request),
    rollout: (request) => environment.rollout(withOwnModel(request, golden)),
  };
}

function withOwnModel(request: RolloutRequest, golden: Golden): RolloutRequest {
  const { resources, task, identity } = request;
  if (!isRolloutModel(resources.model)) return request;
  const model = resources.model.forRollout({ gold: golden.gold?.(task), seed: identity.seed });
  return { ...request, resources: { ...resources, model } };
}

function isRolloutModel(model: Model): model is RolloutModel {
  return "forRollout" in model;
}

const doNotKnow = "I do not know.";
const shareRight = 2 / 3;

/** Right in two of three rollouts; in the others each reply is the right one with some letters changed. */
export function mostlyRight(name: string): RolloutModel {
  return perRollout(name, ({ gold, seed }) => {
    const random = createRandom(`${seed}/scripted`);
    const isRight = random.next() < shareRight;
    return (_request, { index }) => {
      const right = gold?.[index] ?? gold?.at(-1);
      if (right === undefined) return doNotKnow;
      return isRight ? right : misspell(right, random.fork(String(index)));
    };
  });
}

export function alwaysRight(name: string): RolloutModel {
  return perRollout(
    name,
    ({ gold }) =>
      (_request, { index }) =>
        gold?.[index] ?? gold?.at(-1) ?? doNotKnow,
  );
}

function perRollout(name: string, scriptOf: (rollout: KnownRollout) => Script): RolloutModel {
  return {
    name,
    forRollout: (rollout) => scriptedModel(scriptOf(rollout), { name }),
    complete: () => {
      throw new HoneError(`${name} answers inside rollouts only.`, { code: "bad-request" });
    },
  };
}

/** Letters and digits outside of <tags>, a fifth to four fifths of them, become others: answers keep their form and lose their meaning. */
export function misspell(text: string, random: Random): string {
  const places = [...text.matchAll(/<[^>]*>|([\p{L}\p{N}])/gu)].filter((match) => match[1] !== undefined);
  if (places.length === 0) return `${text} ${doNotKnow}`;
  const count = Math.max(1, Math.round(places.length * (0.2 + 0.6 * random.next())));
  const wrong = new Map(
    random
      .shuffle(places)
      .slice(0, count)
      .map(({ index, 0: letter }) => [index, otherThan(letter, random)]),
  );
  let misspelt = "";
  let at = 0;
  for (const index of [...wrong.keys()].sort((a, b) => a - b)) {
    misspelt += text.slice(at, index) + wrong.get(index);
    at = index + String.fromCodePoint(text.codePointAt(index) ?? 0).length;
  }
  return misspelt + text.slice(at);
}

function otherThan(letter: string, random: Random): string {
  const alphabet = /\p{N}/u.test(letter) ? "0123456789" : "abcdefghijklmnopqrstuvwxyz";
  const other = random.pick([...alphabet].filter((one) => one !== letter.toLowerCase()));
  return letter === letter.toLowerCase() ? other : other.toUpperCase();
}
