// The queue against sorting: any arrivals, departures and changes of rank.
import fc from "fast-check";
import { expect, test } from "vitest";
import { isBefore, type Ranked, WaitingQueue } from "./waiting.ts";

type Entry = { -readonly [Field in keyof Ranked]: Ranked[Field] };

test("the first is always the one of highest priority, of these the oldest, of these the lowest sequence", () => {
  const move = fc.record({ kind: fc.constantFrom("add", "add", "remove", "first", "next"), value: fc.nat({ max: 5 }) });
  const property = fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
    const queue = new WaitingQueue<Entry>();
    const entries: Entry[] = [];
    for (const [step, { kind, value }] of moves.entries()) {
      const one = kind === "remove" ? entries[value % entries.length] : queue.first;
      if (kind === "add") {
        const entry = { priority: value % 3, order: value === 5 ? 2 : step, index: step, place: -1 };
        entries.push(entry);
        queue.add(entry);
      } else if (kind === "next" && one !== undefined) {
        one.index += 10;
        queue.moved(one);
      } else if (one !== undefined) {
        queue.remove(one);
        queue.remove(one);
        expect(one.place).toBe(-1);
        entries.splice(entries.indexOf(one), 1);
      }
      const expected = entries.toSorted((a, b) => (isBefore(a, b) ? -1 : 1))[0];
      expect(queue.first).toBe(expected);
    }
  });
  fc.assert(property, { seed: 4 });
});
