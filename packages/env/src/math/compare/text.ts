// Words: names, choices, phrases. Compared without spaces and punctuation; phrases for one thing are one.
import type { MathNode } from "../ast.ts";

/** The letters of a node that is only words or letters side by side; undefined for anything else. */
export function wordsOf(node: MathNode): string | undefined {
  if (node.kind === "text") return node.text;
  if (node.kind === "symbol") return /^\p{L}+$/u.test(node.name) ? node.name : undefined;
  if (node.kind === "constant") return node.name === "e" || node.name === "i" ? node.name : undefined;
  if (node.kind !== "product") return undefined;
  const parts = node.items.map(wordsOf);
  return parts.includes(undefined) ? undefined : parts.join("");
}

export function sameWords(answer: string, gold: string, foldCase: boolean): boolean {
  const fold = (text: string): string => {
    const bare = text.replaceAll(/\\(?:text|textbf|textit|mathrm|mathbf|mbox)\b|[\s(){}$*~.,;:!?"'`_\\-]/g, "");
    const name = bare.replace(/^(?:option|choice)(?=.)/i, "");
    return foldCase ? name.toLowerCase() : name;
  };
  const [a, b] = [fold(answer), fold(gold)];
  return a !== "" && a === b;
}

const phrases: ReadonlyMap<string, MathNode> = new Map([
  ...entries(
    "no solution,no solutions,none,empty set,the empty set,no real solution,no real solutions,no such values",
    "empty",
  ),
  ...entries(
    "all real numbers,all reals,real numbers,the real numbers,all real values,any real number,all real x",
    "reals",
  ),
  ...entries("all integers,integers,the integers,any integer", "integers"),
]);

function entries(list: string, name: "empty" | "reals" | "integers"): [string, MathNode][] {
  return list.split(",").map((phrase) => [phrase.replaceAll(" ", ""), { kind: "number-set", name }]);
}

/** "no solution" is the empty set. */
export function phraseMeaning(text: string): MathNode | undefined {
  return phrases.get(text.toLowerCase().replaceAll(/[.\s]+/g, ""));
}
