// The part of a reply that is the answer, and the task's own answer, cut out the way environments usually ask for it. A help for the eye:
// what a reward compared is the environment's business.
import type { Json } from "@hone/core";

export interface FoundAnswer {
  readonly text: string;
  /** Where it was found: "\\boxed{}", "<answer>", "####"; undefined when it is the whole text. */
  readonly inside?: string;
}

/** Fields that hold what is right, the plainest first. */
const goldFields = [
  "gold",
  "answer",
  "expected",
  "expectedOutput",
  "expected_output",
  "target",
  "reference",
  "solution",
];

/** The field and its text; undefined when the task has none. */
export function findGold(task: Json): { readonly field: string; readonly text: string } | undefined {
  if (typeof task !== "object" || task === null || Array.isArray(task)) return undefined;
  const fields = task as Readonly<Record<string, Json>>;
  for (const field of goldFields) {
    const value = fields[field];
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return { field, text: String(value) };
    }
    if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string")) {
      return { field, text: value.join("\n") };
    }
  }
  return undefined;
}

export function findAnswer(reply: string): FoundAnswer {
  const boxed = lastBox(reply);
  if (boxed !== undefined) return { text: boxed, inside: "\\boxed{}" };
  const mark = reply.lastIndexOf("####");
  if (mark >= 0) return { text: reply.slice(mark + 4).trim(), inside: "####" };
  const tagged = lastTag(reply);
  if (tagged !== undefined) return tagged;
  const fenced = [...reply.matchAll(/```[^\n]*\n([^`]*)```/g)].at(-1)?.[1];
  return fenced === undefined ? { text: reply.trim() } : { text: fenced.trimEnd(), inside: "```" };
}

/** With nested braces. */
function lastBox(text: string): string | undefined {
  const start = text.lastIndexOf("\\boxed{");
  if (start < 0) return undefined;
  let depth = 0;
  for (let at = start + 6; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return text.slice(start + 7, at);
  }
  return undefined;
}

/** The last pair of tags that closes; a model's thoughts are no answer. */
function lastTag(text: string): FoundAnswer | undefined {
  for (const close of [...text.matchAll(/<\/([A-Za-z][\w-]*)>/g)].toReversed()) {
    const [, name = ""] = close;
    const open = text.lastIndexOf(`<${name}>`, close.index);
    if (open >= 0 && !/^think/i.test(name)) {
      return { text: text.slice(open + name.length + 2, close.index).trim(), inside: `<${name}>` };
    }
  }
  return undefined;
}
