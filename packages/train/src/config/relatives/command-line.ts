// An rLLM or verl command, as words, to a document: `a.b.c=value` in Hydra's way of writing values, and the flags of `rllm train`.
// Shell scripts are read as their words. What only the shell or a base file knows is listed: it is not in the result.
import type { Json, JsonObject } from "@hone/core";
import type { Dropped } from "./rewrite.ts";

export interface ReadCommand {
  readonly document: JsonObject;
  readonly dropped: readonly Dropped[];
}

/** Words of a shell, with quotes and line ends behind a backslash taken off; comments and what stands before them on a line are not mixed up. */
export function shellWords(text: string): string[] {
  const joined = text.replaceAll(/\\\r?\n/g, " ").replaceAll(/(^|\s)#[^\n]*/g, "$1");
  const words: string[] = [];
  for (const match of joined.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)) {
    words.push(
      match[0].replaceAll(
        /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
        (_, double: string, single: string, plain: string) => {
          return (double as string | undefined)?.replaceAll(/\\(.)/g, "$1") ?? single ?? plain;
        },
      ),
    );
  }
  return words;
}

export function readCommand(words: readonly string[]): ReadCommand {
  const document: { [key: string]: Json } = {};
  const dropped: Dropped[] = [];
  const isRllm = words[0] === "rllm" || words.includes("rllm");
  let benchmark: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const flag = /^--?([a-z][\w-]*)(?:=([^]*))?$/i.exec(word);
    if (flag !== null) {
      const [, name = "", given] = flag;
      const next = words[index + 1];
      const takesNext = given === undefined && next !== undefined && !/^-|^[\w.+@/-]+=/.test(next);
      if (takesNext) index++;
      readFlag({ name, value: given ?? (takesNext ? next : "true"), document, dropped });
      continue;
    }
    const pair = /^(~|\+{0,2})([\w./-]+)=([^]*)$/.exec(word);
    if (pair === null) {
      if (isRllm && words[index - 1] === "train") benchmark = word;
      continue;
    }
    const [, , key = "", text = ""] = pair;
    if (/^[A-Z_][A-Z0-9_]*$/.test(key)) continue; // a variable of the shell
    if (text.includes("$")) dropped.push({ key, reason: `${text} is known to the shell only` });
    else assign(document, pathOf(key), hydraValue(text.trim()));
  }
  if (benchmark !== undefined) assign(document, ["verifiers", "env_id"], benchmark);
  return { document, dropped };
}

/** `rllm.` names the same settings as its absence, and `rllm/backend` chooses one. */
function pathOf(key: string): string[] {
  return key
    .replace(/^rllm[./]/, "")
    .replaceAll("/", ".")
    .split(".");
}

/** Flags of `rllm train`, as the keys they stand for. */
const flags: Readonly<Record<string, string>> = {
  model: "actor_rollout_ref.model.path",
  "group-size": "rollout.n",
  "batch-size": "data.train_batch_size",
  lr: "training.learning_rate",
  "lora-rank": "training.lora_rank",
  epochs: "trainer.total_epochs",
  "max-steps": "trainer.total_training_steps",
  "val-freq": "trainer.test_freq",
  "save-freq": "trainer.save_freq",
  experiment: "trainer.experiment_name",
  "max-examples": "verifiers.max_samples",
  temperature: "rollout.train.temperature",
  "top-p": "rollout.train.top_p",
  "max-tokens": "rollout.train.max_tokens",
};

interface Flag {
  readonly name: string;
  readonly value: string;
  readonly document: { [key: string]: Json };
  readonly dropped: Dropped[];
}

function readFlag({ name, value, document, dropped }: Flag): void {
  if (name === "m") return; // python -m
  const key = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (key !== undefined) assign(document, key.split("."), hydraValue(value));
  else {
    const isBase = name.startsWith("config");
    const reason = isBase ? "the base file is not read: add what it sets" : "a flag that is not known here";
    dropped.push({ key: `--${name}`, reason });
  }
}

function assign(root: { [key: string]: Json }, path: readonly string[], value: Json): void {
  let current = root;
  for (const key of path.slice(0, -1)) {
    const next = current[key];
    current[key] = typeof next === "object" && next !== null && !Array.isArray(next) ? next : {};
    current = current[key] as { [key: string]: Json };
  }
  current[path.at(-1) ?? ""] = value;
}

/** Hydra's values: numbers, true, null, quoted and bare text, [lists] and {tables: of them}. */
export function hydraValue(text: string): Json {
  const inner = text.slice(1, -1);
  if (/^\[[^]*\]$/.test(text)) return split(inner).map(hydraValue);
  if (/^\{[^]*\}$/.test(text)) {
    return Object.fromEntries(
      split(inner).map((pair) => {
        const colon = pair.indexOf(":");
        const key = (colon < 0 ? pair : pair.slice(0, colon)).trim();
        return [key.replaceAll(/^["']|["']$/g, ""), colon < 0 ? null : hydraValue(pair.slice(colon + 1).trim())];
      }),
    );
  }
  if (/^(["'])[^]*\1$/.test(text) && text.length > 1) return inner;
  if (/^(?:null|none)$/i.test(text)) return null;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** At commas that are inside no bracket and no quotes. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if ("[{(".includes(character)) depth++;
    else if ("]})".includes(character)) depth--;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}
