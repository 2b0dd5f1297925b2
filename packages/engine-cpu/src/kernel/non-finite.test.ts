// A number that is not finite is never lost: it comes out where it went in, and can be counted. And how exact exp is.
import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "./kernels.ts";
import { buildsHere } from "./testing/builds.ts";

describe.each(buildsHere())("on $name", ({ open }) => {
  const { attention, layer, linear, loss, memory, optimizer, close } = kernelsOf(open(1));
  afterAll(() => close());
  const filled = (length: number, value = 0.5): Float32Array => memory.floats(length).fill(value);

  test.each([NaN, Infinity, -Infinity])("%d in an input shows in the output of its row, and in no other", (bad) => {
    const input = filled(3 * 20);
    input[25] = bad;
    const out = memory.floats(3 * 18);
    linear.forward({ rows: 3, inputs: 20, outputs: 18, out, input, weight: filled(18 * 20) });
    expect(optimizer.countNonFinite(out)).toBe(18);
    expect(optimizer.countNonFinite(out.subarray(18, 36))).toBe(18);
    layer.normForward({ rows: 3, width: 20, epsilon: 1e-6, out: input, input, weight: filled(20) });
    expect(optimizer.countNonFinite(input.subarray(0, 20))).toBe(0);
    expect(input.subarray(20, 40).some(Number.isNaN)).toBe(true);
  });

  test("a key that is not a number spoils the tokens that see it, not those before", () => {
    const keys = filled(20 * 4);
    keys.fill(NaN, 50 * 1, 51);
    const out = memory.floats(80);
    const starts = memory.ints(2);
    starts.set([0, 20]);
    attention.forward({
      heads: 1,
      keyHeads: 1,
      headWidth: 4,
      scale: 1,
      tokens: 20,
      starts,
      out,
      queries: filled(80),
      keys,
      values: filled(80),
    });
    expect(optimizer.countNonFinite(out.subarray(0, 12 * 4))).toBe(0);
    expect(optimizer.countNonFinite(out.subarray(12 * 4))).toBe(8 * 4);
  });

  test("a logit that is not a number or infinite makes the logprob one that is not finite", () => {
    for (const bad of [NaN, Infinity]) {
      const logits = filled(1500);
      logits[1400] = bad;
      const logprob = memory.floats(1);
      loss.logitsLogprob({
        rows: 1,
        vocabulary: 1500,
        logits,
        targets: memory.ints(1),
        temperature: filled(1, 1),
        logprob,
      });
      expect(Number.isFinite(logprob[0])).toBe(false);
    }
  });

  test("a token with logit minus infinity has probability zero, and the others are as if it were not there", () => {
    const logits = filled(4, 0);
    logits[3] = -Infinity;
    const logprob = memory.floats(1);
    loss.logitsLogprob({ rows: 1, vocabulary: 4, logits, targets: memory.ints(1), temperature: filled(1, 1), logprob });
    expect(logprob[0]).toBeCloseTo(-Math.log(3), 6);
  });

  test("norm and count of a gradient tell of a single bad number anywhere", () => {
    for (const at of [0, 15, 16, 1023, 16_384, 40_001]) {
      for (const bad of [NaN, Infinity, -Infinity]) {
        const gradient = filled(40_002);
        gradient[at] = bad;
        expect(Number.isFinite(optimizer.sumOfSquares(gradient))).toBe(false);
        expect(optimizer.countNonFinite(gradient)).toBe(1);
        memory.release(gradient);
      }
    }
    expect(optimizer.countNonFinite(filled(100, 3.4e38))).toBe(0);
  });

  test("exp is exact to 3e-7 over its whole range", () => {
    // sigmoid(-x) = 1 / (1 + exp(x)): with gate = -x and up = 1 the activation is -x / (1 + exp(x)).
    const count = 20_000;
    const [gate, out] = [memory.floats(count), memory.floats(count)];
    gate.set(gate.map((_, index) => (index / count) * 174 - 87));
    layer.swigluForward({ length: count, out, gate, up: filled(count, 1) });
    const worst = out.reduce((most, value, index) => {
      const x = gate[index] ?? 0;
      const expected = x / (1 + Math.exp(-x));
      return expected === 0 ? most : Math.max(most, Math.abs(value / expected - 1));
    }, 0);
    expect(worst).toBeLessThan(4e-7);
  });
});
