// The nearest known name to a mistyped one, for every "did you mean" of the program.
// Case, hyphens and underscores do not count; a far-off word gives nothing, because a wrong guess misleads more than none.

/** The candidate a person most likely meant, or undefined when none is close. Ties go to the earlier candidate. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(word);
  if (wanted === "") return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceBetween(wanted, fold(candidate));
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** " Did you mean `x`?" or nothing: made to follow a full stop. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const others = [...candidates].filter((candidate) => candidate !== word);
  const found = nearest(word, others);
  return found === undefined ? "" : ` Did you mean \`${found}\`?`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_\s]/g, "");
}

/** Undefined beyond the cut-off of one edit in three characters. A word inside the other counts as far but related. */
function distanceBetween(a: string, b: string): number | undefined {
  const longer = Math.max(a.length, b.length);
  const distance = edits(a, b);
  if (distance <= Math.floor(longer / 3)) return distance;
  const isRelated = Math.min(a.length, b.length) >= 4 && (a.includes(b) || b.includes(a));
  return isRelated ? longer : undefined;
}

/** Optimal string alignment: insertions, deletions, substitutions, swaps of neighbours. */
function edits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
