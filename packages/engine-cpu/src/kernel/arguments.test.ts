// What does not fit is an error that names kernel and argument; nothing is computed and the process lives on, on every build.
import { createRandom, HoneError } from "@hone/core";
import { afterAll, describe, expect, test } from "vitest";
import type { KernelArgument, KernelName } from "./calls.ts";
import { kernelsOf } from "./kernels.ts";
import { buildsHere } from "./testing/builds.ts";
import { execute } from "./testing/scenario.ts";
import { scenarios, smallReach } from "./testing/scenarios.ts";

/** What a call could be given by mistake in the place of a value that fits. Null is none where an array may be left out. */
function mistakes(value: KernelArgument, isOptional: boolean): readonly unknown[] {
  if (typeof value === "number") return [NaN, "3", undefined, [3], -1.5e9 - 0.5];
  if (value === null) return [5, "x", {}];
  const others = [7, "x", {}, new Float64Array(value.length), new DataView(new ArrayBuffer(8))];
  const shorter = value.length === 0 ? [] : [value.subarray(1), value.subarray(0, 0)];
  return [...(isOptional ? [] : [null]), ...shorter, ...others];
}

describe.each(buildsHere())("on $name", ({ open }) => {
  const build = open(1);
  afterAll(() => build.close());

  test.each(Object.entries(scenarios))("no wrong argument of %s is computed with", (_, make) => {
    const seen = new Map<KernelName, readonly KernelArgument[]>();
    const recorder = kernelsOf({
      ...build,
      call: (kernel, ...values) => {
        const result = build.call(kernel, ...values);
        // With arrays released later by the scenario: they are only ever refused, never written.
        if (!seen.has(kernel)) refuseMistakes(kernel, values);
        seen.set(kernel, values);
        return result;
      },
    });
    execute(recorder, make(createRandom(5), smallReach));
    expect(seen.size).toBeGreaterThan(0);
  });

  function refuseMistakes(kernel: KernelName, values: readonly KernelArgument[]): void {
    const before = snapshot(values);
    for (const [at, value] of values.entries())
      for (const mistake of mistakes(value, optional[kernel]?.includes(at) ?? false)) {
        if (typeof mistake === "number" && free[kernel]?.includes(at)) continue;
        const wrong = values.with(at, mistake as KernelArgument);
        expect(() => build.call(kernel, ...wrong), `${kernel}, argument ${at}: ${String(mistake)}`).toThrow(HoneError);
      }
    expect(() => build.call(kernel, ...values.slice(1))).toThrow(HoneError);
    expect(() => build.call(kernel, ...values, 1)).toThrow(HoneError);
    expect(() => build.call(kernel)).toThrow(HoneError);
    expect(snapshot(values).every((text, at) => text === before[at])).toBe(true);
  }

  test("sizes whose product overflows are refused", () => {
    const out = build.memory.floats(4);
    const most = 2 ** 31 - 1;
    const none = [null, 0, null, null] as const; // neither bias nor a low-rank part
    expect(() => build.call("linearForward", most, most, most, 0, out, out, out, ...none)).toThrow(/holds 4 numbers/);
    expect(() => build.call("linearForward", 2 ** 31, 1, 1, 0, out, out, out, ...none)).toThrow(
      /rows may not be or contain 2147483648/,
    );
  });

  test("an error says which kernel, which argument, and how much is needed", () => {
    const { linear, memory } = kernelsOf(build);
    const [out, input, weight] = [memory.floats(3), memory.floats(4), memory.floats(4)];
    const layer = { rows: 2, inputs: 2, outputs: 2, out, input, weight };
    expect(() => linear.forward(layer)).toThrow("linearForward: out holds 3 numbers; 4 are needed");
    const ids = { rows: 1, width: 2, tableRows: 2, out, table: weight, index: memory.ints(1).fill(2) };
    expect(() => kernelsOf(build).rows.gather(ids)).toThrow("gatherRows: index may not be or contain 2");
  });

  test("a token outside the vocabulary, a temperature of 0, starts that descend and pages that do not exist are refused", () => {
    const { attention, loss, memory } = kernelsOf(build);
    const floats = memory.floats(512);
    const head = { rows: 1, width: 2, vocabulary: 3, hidden: floats, weight: floats, logprob: floats };
    const warm = memory.floats(1).fill(1);
    expect(() => loss.forward({ ...head, targets: memory.ints(1).fill(3), temperature: warm })).toThrow("targets");
    expect(() => loss.forward({ ...head, targets: memory.ints(1), temperature: memory.floats(1) })).toThrow(
      "temperature",
    );
    const shape = { heads: 2, keyHeads: 1, headWidth: 4, scale: 1, tokens: 2 };
    const rows = { out: floats, queries: floats, keys: floats, values: floats };
    const starts = (...values: number[]): Int32Array => {
      const array = memory.ints(values.length);
      array.set(values);
      return array;
    };
    for (const wrong of [starts(0, 3), starts(0, 2, 1, 2), starts(1, 2), starts(0, 1)])
      expect(() => attention.forward({ ...shape, ...rows, starts: wrong })).toThrow("starts");
    expect(() => attention.forward({ ...shape, ...rows, keyHeads: 3, starts: starts(0, 2) })).toThrow("keyHeads");
    const cache = { keyPages: floats, valuePages: floats, pages: 1, pageTokens: 16, tableWidth: 1 };
    const paged = { ...shape, ...rows, ...cache, starts: starts(0, 2) };
    expect(() => attention.paged({ ...paged, lengths: starts(2), table: starts(1) })).toThrow("table");
    expect(() => attention.paged({ ...paged, lengths: starts(1), table: starts(0) })).toThrow("lengths");
    expect(() => attention.paged({ ...paged, lengths: starts(17), table: starts(0) })).toThrow("lengths");
    expect(() => attention.store({ ...shape, ...rows, ...cache, slots: starts(0, 16) })).toThrow("slots");
  });
});

/** Numbers that a kernel multiplies with, which may be anything, by their place in the call. */
const free: Partial<Record<KernelName, readonly number[]>> = {
  normForward: [2],
  rotate: [4],
  attentionForward: [3],
  attentionBackward: [3],
  attentionStore: [3],
  attentionPaged: [3],
  adamw: [1, 2, 3, 4, 5, 6, 7, 8],
  addScaled: [1],
  scale: [1],
};

/** Arrays that may be left out, by their place in the call. */
const optional: Partial<Record<KernelName, readonly number[]>> = {
  linearForward: [7],
  normForward: [4],
  normBackward: [4],
  attentionForward: [8],
  lossForward: [11],
  lossBackward: [13, 15],
  logitsLogprob: [6],
  sampleTokens: [5],
};

function snapshot(values: readonly KernelArgument[]): readonly string[] {
  return values.map((value) => (typeof value === "number" || value === null ? String(value) : value.join()));
}
