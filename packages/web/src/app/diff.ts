// The shortest way from one list to another (Myers, "An O(ND) Difference Algorithm", 1986), for answers, words and lines of a configuration.
// Nothing is lost: what is the same and removed makes up the first list, what is the same and added the second.

export interface Change {
  readonly kind: "same" | "removed" | "added";
  readonly parts: readonly string[];
}

/** Further apart than this they have nothing to do with each other, and looking for what they share would take long. */
const mostEdits = 1500;

export function diff(before: readonly string[], after: readonly string[]): readonly Change[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  const middle = edits(before.slice(start, endBefore), after.slice(start, endAfter));
  return joined([
    { kind: "same", parts: before.slice(0, start) },
    ...middle,
    { kind: "same", parts: before.slice(endBefore) },
  ]);
}

function edits(before: readonly string[], after: readonly string[]): readonly Change[] {
  const apart: readonly Change[] = [
    { kind: "removed", parts: before },
    { kind: "added", parts: after },
  ];
  if (before.length === 0 || after.length === 0) return apart;
  const most = Math.min(before.length + after.length, mostEdits);
  const offset = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let count = 0; count <= most; count++) {
    trace.push(furthest.slice());
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = step(furthest, offset, diagonal, count);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      furthest[offset + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return back(trace, offset, before, after);
    }
  }
  return apart;
}

/** Down (something added) or right (something removed), whichever has come further. */
function step(furthest: Int32Array, offset: number, diagonal: number, count: number): number {
  const left = furthest[offset + diagonal - 1] ?? 0;
  const above = furthest[offset + diagonal + 1] ?? 0;
  return diagonal === -count || (diagonal !== count && left < above) ? above : left + 1;
}

function back(
  trace: readonly Int32Array[],
  offset: number,
  before: readonly string[],
  after: readonly string[],
): readonly Change[] {
  const changes: Change[] = [];
  let [x, y] = [before.length, after.length];
  for (let count = trace.length - 1; count >= 0; count--) {
    const furthest = trace[count] ?? new Int32Array(0);
    const diagonal = x - y;
    const isDown =
      diagonal === -count ||
      (diagonal !== count && (furthest[offset + diagonal - 1] ?? 0) < (furthest[offset + diagonal + 1] ?? 0));
    const from = isDown ? diagonal + 1 : diagonal - 1;
    const startX = count === 0 ? 0 : (furthest[offset + from] ?? 0);
    const startY = count === 0 ? 0 : startX - from;
    const [meetX, meetY] = count === 0 ? [0, 0] : isDown ? [startX, startY + 1] : [startX + 1, startY];
    if (x > meetX) changes.push({ kind: "same", parts: before.slice(meetX, x) });
    if (count > 0) {
      changes.push(
        isDown
          ? { kind: "added", parts: after.slice(startY, meetY) }
          : { kind: "removed", parts: before.slice(startX, meetX) },
      );
    }
    [x, y] = [startX, startY];
  }
  return changes.toReversed();
}

/** Neighbours of one kind become one, and within a change what was removed comes first. */
function joined(changes: readonly Change[]): readonly Change[] {
  const result: Change[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  const flush = (): void => {
    if (removed.length > 0) result.push({ kind: "removed", parts: removed });
    if (added.length > 0) result.push({ kind: "added", parts: added });
    [removed, added] = [[], []];
  };
  for (const { kind, parts } of changes) {
    if (parts.length === 0) continue;
    if (kind === "removed") removed.push(...parts);
    else if (kind === "added") added.push(...parts);
    else {
      flush();
      const last = result.at(-1);
      if (last?.kind === "same") result[result.length - 1] = { kind, parts: [...last.parts, ...parts] };
      else result.push({ kind, parts });
    }
  }
  flush();
  return result;
}

/** Characters where two short texts are nearly the same, so that a letter that is wrong stands out; else words. */
export function diffTexts(before: string, after: string): readonly Change[] {
  const longer = Math.max(before.length, after.length);
  if (longer <= longestByLetter) {
    const letters = diff([...before], [...after]);
    const same = letters.reduce((sum, { kind, parts }) => sum + (kind === "same" ? parts.join("").length : 0), 0);
    if (same >= longer * nearlySame) return letters;
  }
  return withoutCrumbs(diff(words(before), words(after)));
}

const longestByLetter = 400;
const nearlySame = 0.6;

function words(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** A space or a comma that two changes happen to share is no island: both texts read better whole. */
function withoutCrumbs(changes: readonly Change[]): readonly Change[] {
  return joined(
    changes.flatMap((change, index): readonly Change[] => {
      const isBetween = index > 0 && index < changes.length - 1;
      const isCrumb = isBetween && change.kind === "same" && !/[\p{L}\p{N}]/u.test(change.parts.join(""));
      if (!isCrumb) return [change];
      return [
        { kind: "removed", parts: change.parts },
        { kind: "added", parts: change.parts },
      ];
    }),
  );
}
