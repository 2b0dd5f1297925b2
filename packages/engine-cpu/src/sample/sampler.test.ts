// The sampler against sampling one token after the other: whatever is shared, waits, gives way or is swapped, the bits are the same.
import { afterAll, describe, expect, test } from "vitest";
import { loadKernels } from "../kernel/load.ts";
import { policyOf } from "./testing/paged-model.ts";
import { createRig, type RigOptions, type SamplerRig, type Ticket } from "./testing/rig.ts";

const { kernels } = loadKernels({ threads: 1 });
afterAll(() => kernels.close());
const rigOf = (options: Omit<RigOptions, "kernels"> = {}): SamplerRig => createRig({ kernels, ...options });
const promptOf = (length: number, first = 0): Int32Array =>
  Int32Array.from({ length }, (_, index) => (first + index * 7) % 30);

describe("what is sampled", () => {
  test("each sequence is what sampling one token after the other gives", () => {
    const rig = rigOf();
    const tickets = [
      rig.ask({ count: 3, seed: 5 }),
      rig.ask({ prompt: promptOf(17), temperature: 0.6, maxTokens: 9 }),
      rig.ask({ prompt: promptOf(5), temperature: 0, count: 2 }),
      rig.ask({ prompt: promptOf(9), topK: 4, topP: 0.8, minP: 0.02, seed: 9 }),
    ];
    rig.finish();
    expect(rig.mismatches(...tickets)).toEqual([]);
    expect(rig.sampler.step()).toBe(false);
  });

  test("untempered logprobs are those of temperature 1, and others than those of sampling at 0.7", () => {
    const rig = rigOf();
    const [cool, plain, greedy] = [0.7, 1, 0].map((temperature) => rig.ask({ temperature })) as [
      Ticket,
      Ticket,
      Ticket,
    ];
    rig.finish();
    expect(cool.sequences()[0]?.untempered).not.toEqual(cool.sequences()[0]?.logprobs);
    for (const ticket of [plain, greedy])
      expect(ticket.sequences()[0]?.untempered).toEqual(ticket.sequences()[0]?.logprobs);
  });

  test("sequences of one request differ, and are the same when fewer are asked for", () => {
    const rig = rigOf();
    const [four, two] = [rig.ask({ count: 4, seed: 3 }), rig.ask({ count: 2, seed: 3 })];
    rig.finish();
    expect(new Set(four.sequences().map(({ ids }) => ids.join())).size).toBeGreaterThan(1);
    expect(two.sequences()).toEqual(four.sequences().slice(0, 2));
  });

  test("a stop token ends a sequence and is part of it", () => {
    const rig = rigOf();
    const whole = rig.ask({ maxTokens: 10 });
    rig.finish();
    const ids = whole.sequences()[0]?.ids ?? new Int32Array();
    const stopped = rig.ask({ maxTokens: 10, stopTokens: [ids[4] ?? 0] });
    rig.finish();
    expect(stopped.sequences()[0]?.ids).toEqual(ids.slice(0, ids.indexOf(ids[4] ?? 0) + 1));
    expect(stopped.sequences()[0]?.finish).toBe("stop");
  });

  test("a stop string ends a sequence with the token that completes it", () => {
    const rig = rigOf();
    const tickets = ["a", "b", "xy", "m", "👍"].map((stop, seed) =>
      rig.ask({ stopStrings: [stop, "qqq"], seed, count: 3, maxTokens: 30, topK: 8 }),
    );
    rig.finish();
    expect(rig.mismatches(...tickets)).toEqual([]);
    const finishes = tickets.flatMap((ticket) => ticket.sequences().map(({ finish }) => finish));
    expect(new Set(finishes)).toEqual(new Set(["stop", "length"]));
  });

  test("a sequence ends with length where the context ends", () => {
    const rig = rigOf({ contextTokens: 20 });
    const ticket = rig.ask({ prompt: promptOf(15), maxTokens: 100 });
    rig.finish();
    expect(ticket.sequences()[0]).toMatchObject({ finish: "length", policyVersion: { values: [0], lengths: [5] } });
    expect(rig.mismatches(ticket)).toEqual([]);
  });
});

describe("sharing and room", () => {
  test("the prompt of a request is computed once for all its sequences, but for its last page", () => {
    const rig = rigOf({ pages: 200, stepTokens: 300 });
    const ticket = rig.ask({ prompt: promptOf(33), count: 8, maxTokens: 2 });
    rig.finish();
    // 8 full pages of 4 once; then, for each, the token left over and its first sampled one.
    expect(rig.model.rows()).toBe(32 + 8 * 2);
    expect(rig.mismatches(ticket)).toEqual([]);
  });

  test("requests with equal beginnings that come together share them too", () => {
    const rig = rigOf({ pages: 200, stepTokens: 300 });
    const tickets = Array.from({ length: 8 }, (_, seed) => rig.ask({ prompt: promptOf(33), seed, maxTokens: 1 }));
    rig.finish();
    expect(rig.model.rows()).toBe(32 + 8);
    expect(rig.mismatches(...tickets)).toEqual([]);
  });

  test("a later turn of a conversation computes only what is new", () => {
    const rig = rigOf();
    const first = rig.ask({ prompt: promptOf(10), maxTokens: 11 });
    rig.finish();
    const before = rig.model.rows();
    expect(before).toBe(20);
    const prompt = Int32Array.of(...promptOf(10), ...(first.sequences()[0]?.ids ?? []), 4, 5);
    const second = rig.ask({ prompt, maxTokens: 1 });
    rig.finish();
    // 20 of the 21 tokens were computed, all in full pages.
    expect(rig.model.rows() - before).toBe(3);
    expect(rig.mismatches(first, second)).toEqual([]);
  });

  test("pages of one policy are not used by another, not even by one with the same version", () => {
    const rig = rigOf();
    const before = rig.ask({ prompt: promptOf(21), maxTokens: 3 });
    rig.finish();
    expect(rig.mismatches(before)).toEqual([]);
    rig.swap(policyOf(0, 1));
    const after = rig.ask({ prompt: promptOf(21), maxTokens: 3 });
    rig.finish();
    expect(rig.mismatches(after)).toEqual([]);
    expect(after.sequences()).not.toEqual(before.sequences());
  });

  test("without room for all, the youngest of the lowest priority gives way, and no result changes", () => {
    const rig = rigOf({ pages: 14, capacity: 6 });
    const tickets = [0, 2, 1].map((priority, seed) =>
      rig.ask({ prompt: promptOf(6, seed), count: 2, maxTokens: 30, priority, seed }),
    );
    rig.finish();
    expect(rig.mismatches(...tickets)).toEqual([]);
    // More than each token once: something was computed again.
    expect(rig.model.rows()).toBeGreaterThan(6 * 35);
  });

  test("a prompt waits until there are pages for it beside what the running ones need", () => {
    const rig = rigOf({ pages: 12, stepTokens: 8 });
    const tickets = [0, 1].map((first) => rig.ask({ prompt: promptOf(24, first), maxTokens: 3 }));
    for (let step = 0; step < 3; step++) {
      rig.sampler.step();
      expect(rig.sampler.load()).toMatchObject({ running: 1, queued: 1 });
    }
    rig.finish();
    expect(rig.mismatches(...tickets)).toEqual([]);
    expect(rig.model.rows()).toBe(2 * 26);
  });

  test("the cache forgets what was used longest ago, never what is in use", () => {
    const rig = rigOf({ pages: 7, capacity: 1 });
    const rowsOf = (first: number): number => {
      const before = rig.model.rows();
      const ticket = rig.ask({ prompt: promptOf(13, first), maxTokens: 1 });
      rig.finish();
      expect(rig.mismatches(ticket)).toEqual([]);
      return rig.model.rows() - before;
    };
    // Three full pages each; two prompts fit beside each other.
    expect([0, 1, 0, 2, 0, 1].map(rowsOf)).toEqual([13, 13, 1, 13, 1, 13]);
  });

  test("more sequences than fit at once are all sampled, a few at a time", () => {
    const rig = rigOf({ capacity: 3 });
    const ticket = rig.ask({ count: 20, maxTokens: 3 });
    expect(rig.sampler.load()).toEqual({ running: 0, queued: 20, capacity: 3 });
    rig.sampler.step();
    expect(rig.sampler.load()).toEqual({ running: 3, queued: 17, capacity: 3 });
    rig.finish();
    expect(rig.sampler.load()).toEqual({ running: 0, queued: 0, capacity: 3 });
    expect(rig.mismatches(ticket)).toEqual([]);
  });

  test("a long prompt is taken in pieces while others go on", () => {
    const rig = rigOf({ contextTokens: 200, pages: 60, stepTokens: 10, capacity: 4 });
    const short = rig.ask({ maxTokens: 30 });
    rig.sampler.step();
    const long = rig.ask({ prompt: promptOf(150), maxTokens: 2 });
    rig.finish();
    expect(rig.model.mostRowsInCall()).toBe(10);
    expect(rig.mismatches(short, long)).toEqual([]);
  });

  test("higher priority first, then first come first served", () => {
    const rig = rigOf({ capacity: 1 });
    const done: string[] = [];
    const ask = (name: string, priority: number): void => {
      const { request } = rig.ask({ maxTokens: 1, priority });
      rig.sampler.add({ ...request, onDone: () => done.push(name) });
    };
    ask("low", -1);
    ask("first", 0);
    ask("second", 0);
    ask("high", 5);
    rig.finish();
    expect(done).toEqual(["high", "first", "second", "low"]);
  });
});

describe("policies", () => {
  test('"latest" moves between two tokens: those after it carry the new version, computed under it alone', () => {
    const rig = rigOf();
    const ticket = rig.ask({ prompt: promptOf(9), count: 2, maxTokens: 12 });
    const pinned = rig.ask({ prompt: promptOf(9), count: 2, maxTokens: 12, policy: { version: 0 } });
    for (let step = 0; step < 5; step++) rig.sampler.step();
    rig.swap(policyOf(1));
    rig.finish();
    expect(rig.mismatches(ticket, pinned)).toEqual([]);
    for (const { policyVersion } of ticket.sequences()) expect(policyVersion.values).toEqual([0, 1]);
    for (const { policyVersion } of pinned.sequences()) expect(policyVersion).toEqual({ values: [0], lengths: [12] });
  });

  test("a version is a policy of its own, also where it has the arrays of the one before", () => {
    const rig = rigOf();
    const ticket = rig.ask({ maxTokens: 8 });
    const pinned = rig.ask({ maxTokens: 8, policy: { version: 0 } });
    for (let step = 0; step < 3; step++) rig.sampler.step();
    rig.swap({ ...rig.latest(), version: 1 });
    rig.finish();
    expect(ticket.sequences()[0]?.policyVersion.values).toEqual([0, 1]);
    expect(pinned.sequences()[0]?.policyVersion.values).toEqual([0]);
    expect(rig.mismatches(ticket, pinned)).toEqual([]);
  });

  test("requests that lead to one policy by different names share its pages", () => {
    const rig = rigOf();
    rig.ask({ prompt: promptOf(21), maxTokens: 1 });
    rig.finish();
    const before = rig.model.rows();
    rig.ask({ prompt: promptOf(21), maxTokens: 1, policy: { version: 0 } });
    rig.finish();
    expect(rig.model.rows() - before).toBe(1);
  });

  test("a policy that is not held is refused at once, and fails what is bound to it when it goes", () => {
    const rig = rigOf();
    expect(() => rig.ask({ policy: { version: 7 } })).toThrow("not held");
    const [running, pinned] = [rig.ask({ count: 3 }), rig.ask({ policy: { version: 0 } })];
    rig.sampler.step();
    const waiting = rig.ask({ count: 30 });
    rig.swap(undefined);
    rig.finish();
    for (const ticket of [running, waiting])
      expect([ticket.timesDone(), ticket.error()?.code]).toEqual([1, "unknown-policy"]);
    rig.swap(policyOf(0));
    expect(rig.mismatches(pinned)).toEqual([]);
    expect(rig.sampler.load()).toMatchObject({ running: 0, queued: 0 });
  });
});
