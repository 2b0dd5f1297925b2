// Judges: a reward that asks another model. The question and the verdict are kept; an unreadable verdict is asked again; a judge that fails
// fails the rollout's scoring, it never scores 0.
import { HoneError, type JsonObject, type Model, type Sampling, seedFrom } from "@hone/core";
import * as z from "zod";
import { MaybeThinkParser } from "../parse/think-parser.ts";
import { type JudgeReward, Rubric } from "./reward.ts";

/** Verdicts by judge and question, so that equal replies of a group are judged once. Belongs to one environment. */
export class JudgeCache {
  readonly #verdicts = new Map<string, Promise<JsonObject>>();
  readonly #limit: number;

  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  /** `ask` on the first request; failures are not kept. */
  get(key: string, ask: () => Promise<JsonObject>): Promise<JsonObject> {
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const asked = ask();
    this.#verdicts.set(key, asked);
    if (this.#verdicts.size > this.#limit) this.#verdicts.delete(this.#verdicts.keys().next().value ?? "");
    asked.catch(() => this.#verdicts.delete(key));
    return asked;
  }
}

export interface AskJudge {
  readonly name: string;
  readonly reward: JudgeReward<never>;
  readonly scope: { readonly model: (name: string) => Model; readonly signal: AbortSignal };
  readonly cache: JudgeCache;
}

export interface Verdict {
  readonly value: number;
  /** For `info.judges`. */
  readonly detail: JsonObject;
}

const attempts = 3;

export async function askJudge({ name, reward, scope, cache }: AskJudge): Promise<Verdict> {
  const prompt = (reward.prompt as (scope: unknown) => string)(scope);
  const read = reward.read ?? readVerdict;
  const detail = await cache.get(`${reward.judge}\u0000${name}\u0000${prompt}`, async () => {
    const model = scope.model(reward.judge);
    let last = "";
    for (let attempt = 0; attempt < attempts; attempt++) {
      const sampling: Sampling = attempt === 0 ? {} : { seed: seedFrom(prompt, attempt) };
      const request = { messages: [{ role: "user", content: prompt } as const], sampling };
      const { message, usage } = await model.complete(request, { signal: scope.signal });
      last = message.content;
      const value = read(last);
      if (value !== undefined && Number.isFinite(value)) {
        return { judge: model.name, prompt, verdict: last, value, attempts: attempt + 1, usage: { ...usage } };
      }
    }
    throw new HoneError(`The judge ${reward.judge} gave no readable verdict for reward ${name} in ${attempts} tries.`, {
      code: "unreadable-verdict",
      hint: `Its last answer began with: ${JSON.stringify(last.slice(0, 80))}`,
      isRetryable: true,
    });
  });
  return { value: detail["value"] as number, detail };
}

/** yes = 1, no = 0, or a number: the last such word of the verdict. */
export function readVerdict(verdict: string): number | undefined {
  const words = verdict.toLowerCase().match(/\byes\b|\bno\b|-?\d+(?:\.\d+)?/g);
  const last = words?.at(-1);
  if (last === undefined) return undefined;
  return last === "yes" ? 1 : last === "no" ? 0 : Number(last);
}

/** Fills `{question}`, `{answer}` and `{response}` in one pass: braces inside what is filled in stay as they are. */
export function fillTemplate(template: string, slots: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, slot: string) =>
    Object.hasOwn(slots, slot) ? (slots[slot] ?? "") : whole,
  );
}

const defaultTemplate = `Compare the response with the reference answer.

Question:
{question}

Reference answer:
{answer}

Response:
{response}

Does the response give the same answer as the reference? Say yes or no, nothing else.`;

export interface JudgeRubricOptions {
  /** A name in endpoints.toml. */
  readonly judge: string;
  /** With {question}, {answer} and {response}. */
  readonly template?: string;
  /** How the response is cut out of the reply; default: what follows the reasoning block. */
  readonly parser?: { parse(text: string): string | undefined };
  readonly read?: (verdict: string) => number | undefined;
  readonly weight?: number;
}

/** Judges the reply against `task.answer`, shown beside `task.question`. */
export class JudgeRubric extends Rubric<{
  readonly task: { readonly question: string; readonly answer: string };
  readonly reply: string;
}> {
  constructor({
    judge,
    template = defaultTemplate,
    parser = new MaybeThinkParser(),
    read,
    weight,
  }: JudgeRubricOptions) {
    super(
      {
        judged: {
          judge,
          prompt: ({ task, reply }) =>
            fillTemplate(template, {
              question: task.question,
              answer: task.answer,
              response: parser.parse(reply) ?? "",
            }),
          ...(read === undefined ? {} : { read }),
          ...(weight === undefined ? {} : { weight }),
        },
      },
      z.object({ question: z.string(), answer: z.string() }),
    );
  }
}
