import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Mixture, type MixturePart } from "./mixture.ts";

function part(name: string, size: number, weight?: number): MixturePart {
  return { name, rows: Uint32Array.from({ length: size }, (_, row) => row), weight };
}

function draw(mixture: Mixture, count: number): string[] {
  return Array.from({ length: count }, () => {
    const { source, row } = mixture.peek();
    mixture.advance();
    return `${source}/${row}`;
  });
}

test("without weights an epoch is every conversation of every source, once", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(sizes, fc.nat(), fc.integer({ min: 1, max: 3 }), (counts, seed, epochs) => {
      const mixture = new Mixture(
        counts.map((size, index) => part(String(index), size)),
        seed,
      );
      const every = counts
        .flatMap((size, source) => Array.from({ length: size }, (_, row) => `${source}/${row}`))
        .sort();
      for (let epoch = 0; epoch < epochs; epoch++) expect(draw(mixture, mixture.size).sort()).toEqual(every);
    }),
    { numRuns: 50 },
  );
});

test("weights are the shares, whatever the sizes, at every moment", () => {
  const mixture = new Mixture([part("a", 5, 3), part("b", 1000, 1)], 1);
  for (let count = 4; count <= 400; count += 4) {
    draw(mixture, 4);
    expect(mixture.drawn).toEqual([(3 * count) / 4, count / 4]);
  }
});

test("the order differs between epochs and between seeds, and not between runs", () => {
  const first = new Mixture([part("a", 50)], 1);
  const [one, two] = [draw(first, 50), draw(first, 50)];
  expect(one).not.toEqual(two);
  expect(one).not.toEqual(draw(new Mixture([part("a", 50)], 2), 50));
  expect(one).toEqual(draw(new Mixture([part("a", 50)], 1), 50));
});

test("what was drawn is all there is to remember", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat({ max: 100 }), (counts, seed, at) => {
      const parts = counts.map((size, index) => part(String(index), size, index + 1));
      const whole = new Mixture(parts, seed);
      draw(whole, at);
      expect(draw(new Mixture(parts, seed, whole.drawn), 30)).toEqual(draw(whole, 30));
    }),
    { numRuns: 50 },
  );
});

test("a weight for some and none for others is refused", () => {
  expect(() => new Mixture([part("a", 5, 1), part("b", 5)], 1)).toThrow("Some [[data]] have a weight");
});

test("a source of which all is held out is named", () => {
  expect(() => new Mixture([part("small.jsonl", 0)], 1)).toThrow("small.jsonl");
});
