// Positions in rendered text to positions in its ids. Control tokens cut the text into stretches that are encoded independently, so
// only the stretch a position falls into is encoded again, up to that position.
import type { GuardedTemplate, Written } from "./guarded-template.ts";

/** The number of ids before a position in the text; an id that reaches over it counts as before. */
export function tokenPositions(template: GuardedTemplate, written: Written): (at: number) => number {
  const { text, guard } = written;
  const starts = [...new Set([0, ...template.controls(written).map(({ start }) => start)])];
  const stretches: { readonly start: number; readonly before: number; readonly ids: Int32Array }[] = [];
  let before = 0;
  for (const [index, start] of starts.entries()) {
    const ids = template.encode({ text: text.slice(start, starts[index + 1]), guard });
    stretches.push({ start, before, ids });
    before += ids.length;
  }
  return (at) => {
    if (at >= text.length) return before;
    const stretch = stretches.findLast(({ start }) => start <= at);
    if (stretch === undefined || stretch.start === at) return stretch?.before ?? 0;
    const partial = template.encode({ text: text.slice(stretch.start, at), guard });
    const same = commonPrefix(partial, stretch.ids);
    return stretch.before + (same < partial.length ? same + 1 : same);
  };
}

/** How many items, or characters, two sequences share at their start. */
export function commonPrefix<Item>(a: ArrayLike<Item>, b: ArrayLike<Item>): number {
  const length = Math.min(a.length, b.length);
  let same = 0;
  while (same < length && a[same] === b[same]) same++;
  return same;
}
