// Ten thousand steps on four hundred pixels: rows are cut into stretches, and each stretch says what is drawn of it. Lines keep the least and the
// greatest of a stretch in the order they came, so that a spike of one step is still seen; smoothing starts from means; counts add up.

/** Half-open, in rows. */
export type Stretch = readonly [first: number, last: number];

/** One row each where the rows are few, else about `points / 2` stretches: a line takes two points of each. The last row is always by itself: what is said
 * of a run now must be exact. */
export function toStretches(start: number, end: number, points: number): readonly Stretch[] {
  const rows = Math.max(0, end - start);
  if (rows <= points) return Array.from({ length: rows }, (_, index) => [start + index, start + index + 1]);
  const count = Math.max(1, Math.floor((points - 1) / 2));
  const cut = (index: number): number => start + Math.floor((index * (rows - 1)) / count);
  const stretches = Array.from({ length: count }, (_, index): Stretch => [cut(index), cut(index + 1)]);
  return [...stretches, [end - 1, end]];
}

/** The first and the last step of each stretch; the step itself where a stretch is one row. */
export function endsOf(steps: readonly number[], stretches: readonly Stretch[]): number[] {
  const ends: number[] = [];
  for (const [first, last] of stretches) {
    ends.push(steps[first] ?? 0);
    if (last - first > 1) ends.push(steps[last - 1] ?? 0);
  }
  return ends;
}

/** Aligned with `endsOf`. */
export function extremesOf(column: readonly number[], stretches: readonly Stretch[]): (number | null)[] {
  const values: (number | null)[] = [];
  for (const [first, last] of stretches) {
    if (last - first === 1) {
      values.push(finite(column[first]));
      continue;
    }
    let [least, greatest] = [-1, -1];
    for (let at = first; at < last; at++) {
      const value = column[at];
      if (value === undefined || !Number.isFinite(value)) continue;
      if (least < 0 || value < (column[least] ?? 0)) least = at;
      if (greatest < 0 || value > (column[greatest] ?? 0)) greatest = at;
    }
    if (least < 0) values.push(null, null);
    else values.push(short(column[Math.min(least, greatest)]), short(column[Math.max(least, greatest)]));
  }
  return values;
}

/** Aligned with `endsOf`: both points of a stretch have its mean. */
export function meansOf(column: readonly number[], stretches: readonly Stretch[]): (number | null)[] {
  const values: (number | null)[] = [];
  for (const [first, last] of stretches) {
    let [sum, count] = [0, 0];
    for (let at = first; at < last; at++) {
      const value = column[at];
      if (value === undefined || !Number.isFinite(value)) continue;
      sum += value;
      count++;
    }
    const mean = count === 0 ? null : short(sum / count);
    values.push(mean);
    if (last - first > 1) values.push(mean);
  }
  return values;
}

/** [stretch][bin]: the counts of a stretch's rows, added up. */
export function countsOf(lists: readonly (readonly number[] | undefined)[], stretches: readonly Stretch[]): number[][] {
  return stretches.map(([first, last]) => {
    const sums: number[] = [];
    for (let at = first; at < last; at++) {
      for (const [bin, count] of (lists[at] ?? []).entries()) sums[bin] = (sums[bin] ?? 0) + count;
    }
    return sums;
  });
}

export function lowerBound(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** A point among thousands needs no seventeen digits; the exact value is in the file. */
function short(value: number | undefined): number | null {
  const known = finite(value);
  if (known === null) return null;
  const size = Math.abs(known);
  return size === 0 || (size >= 1e-2 && size < 1e6) ? Math.round(known * 1e6) / 1e6 : Number(known.toPrecision(6));
}
