// PEFT's rank_pattern and alpha_pattern: regular expressions on module paths, the first that matches the end of a path at a dot wins.
// They come from a file that may be hostile, so only expressions that cannot take long are run.
import { badWeights, quote } from "./weights-error.ts";

const plainCharacters = /^[\w.\-^$\\|()[\]*+?]{1,300}$/;
const repetition = /[*+?]/g;
const repeatedGroup = /\)[*+?]/;
const mostRepetitions = 3;
const longestPath = 500;

/** Gives the value for a module path, or `otherwise`. */
export function patternValues(
  path: string,
  patterns: Readonly<Record<string, number>>,
  otherwise: number,
): (modulePath: string) => number {
  const compiled = Object.entries(patterns).map(([key, value]) => ({ expression: compile(path, key), value }));
  return (modulePath) => {
    if (compiled.length > 0 && modulePath.length > longestPath)
      throw badWeights(path, `${quote(modulePath)} is too long a path`);
    return compiled.find(({ expression }) => expression.test(modulePath))?.value ?? otherwise;
  };
}

function compile(path: string, key: string): RegExp {
  const isQuick =
    plainCharacters.test(key) && !repeatedGroup.test(key) && (key.match(repetition)?.length ?? 0) <= mostRepetitions;
  try {
    if (isQuick) return new RegExp(`^(?:.*\\.)?(?:${key})$`);
  } catch {
    // Said below.
  }
  const hint = "Write the module paths out, or use PEFT to merge the adapter.";
  throw badWeights(path, `the pattern ${quote(key)} is an expression that is not supported`, hint);
}
