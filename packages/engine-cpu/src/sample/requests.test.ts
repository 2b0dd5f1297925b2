// Requests that are cancelled, fail or cannot be: they are reported once or never, and everything else goes on as if they had not been.
import { afterAll, describe, expect, test } from "vitest";
import { loadKernels } from "../kernel/load.ts";
import { policyOf } from "./testing/paged-model.ts";
import { type Asked, createRig, type RigOptions, type SamplerRig, type Ticket } from "./testing/rig.ts";

const { kernels } = loadKernels({ threads: 1 });
afterAll(() => kernels.close());
const rigOf = (options: Omit<RigOptions, "kernels"> = {}): SamplerRig => createRig({ kernels, ...options });
const promptOf = (length: number, first = 0): Int32Array =>
  Int32Array.from({ length }, (_, index) => (first + index * 7) % 30);

describe("cancelling and failing", () => {
  test("a cancelled request is never reported, and leaves its room to others", () => {
    const rig = rigOf({ pages: 12, capacity: 4 });
    const [gone, other, late] = [
      rig.ask({ count: 6, maxTokens: 30 }),
      rig.ask({ maxTokens: 20 }),
      rig.ask({ count: 2 }),
    ];
    for (let step = 0; step < 3; step++) rig.sampler.step();
    rig.sampler.cancel(gone.handle);
    rig.sampler.cancel(gone.handle);
    rig.finish();
    expect(gone.timesDone()).toBe(0);
    expect(rig.mismatches(other, late)).toEqual([]);
  });

  test("whoever is told of an outcome may cancel and add", () => {
    const rig = rigOf();
    const { request } = rig.ask({ maxTokens: 1 });
    const second = rig.ask({ maxTokens: 1, seed: 2 });
    const added: Ticket[] = [];
    rig.sampler.add({ ...request, priority: 9, onDone: () => added.push(rig.ask({ maxTokens: 2 })) });
    rig.sampler.add({ ...request, priority: 10, onDone: () => rig.sampler.cancel(second.handle) });
    rig.finish();
    expect([second.timesDone(), added.length]).toEqual([0, 1]);
    expect(rig.mismatches(...added)).toEqual([]);
  });

  test("logits that are not finite fail the request that met them, and no other", () => {
    const rig = rigOf();
    const good = rig.ask({ maxTokens: 20, policy: { version: 0 } });
    const logits = rig.model.logits.bind(rig.model);
    rig.swap(policyOf(13));
    const bad = rig.ask({ count: 3, maxTokens: 20 });
    Object.assign(rig.model, {
      logits: (...given: Parameters<typeof logits>) => {
        const rows = logits(...given);
        return given[0].version === 13 ? rows.fill(NaN) : rows;
      },
    });
    rig.finish();
    expect([bad.timesDone(), bad.error()?.code]).toEqual([1, "non-finite"]);
    expect(rig.mismatches(good)).toEqual([]);
  });

  test("a model that throws fails the requests of that step; the sampler stays usable", () => {
    const rig = rigOf();
    const logits = rig.model.logits.bind(rig.model);
    const failing = rig.ask({ count: 4, prompt: promptOf(11), maxTokens: 20 });
    rig.sampler.step();
    Object.assign(rig.model, {
      logits: () => {
        throw new Error("broken");
      },
    });
    rig.sampler.step();
    Object.assign(rig.model, { logits });
    expect(failing.error()?.message).toMatch("broken");
    const next = rig.ask({ prompt: promptOf(11), count: 4 });
    rig.finish();
    expect(rig.mismatches(next)).toEqual([]);
  });
});

describe("requests that cannot be", () => {
  const refusals: readonly (readonly [Asked, RegExp])[] = [
    [{ prompt: Int32Array.of() }, /at least one token/],
    [{ prompt: promptOf(48) }, /48 tokens leaves no room in a context of 48/],
    [{ prompt: Int32Array.of(1, 30) }, /token 30 at position 1 is outside the vocabulary of 30/],
    [{ prompt: Int32Array.of(-1) }, /token -1/],
    [{ stopTokens: [99] }, /stopTokens: token 99/],
    [{ count: 0 }, /count is 0/],
    [{ maxTokens: 1.5 }, /maxTokens is 1.5/],
    [{ temperature: -1 }, /temperature is -1/],
    [{ temperature: NaN }, /temperature is NaN/],
    [{ temperature: 1e-9 }, /temperature is 1e-9/],
    [{ seed: 0.5 }, /seed is 0.5/],
    [{ stopStrings: [""] }, /stop string/],
    [{ topK: -1 }, /topK is -1/],
    [{ topP: 0 }, /topP is 0/],
    [{ topP: 1.2 }, /topP is 1.2/],
    [{ minP: -0.1 }, /minP is -0.1/],
    [{ priority: NaN }, /priority is NaN/],
  ];
  test.each(refusals)("%j is refused", (asked, message) => {
    const rig = rigOf();
    expect(() => rig.ask(asked)).toThrow(message);
    expect(rig.sampler.step()).toBe(false);
  });

  test("a sequence that would not fit even alone is refused, one that just fits is sampled", () => {
    const rig = rigOf({ pages: 3 });
    expect(() => rig.ask({ prompt: promptOf(5), maxTokens: 9 })).toThrow(
      /needs 4 pages of 4 tokens; the sampler has 3/,
    );
    const ticket = rig.ask({ prompt: promptOf(5), maxTokens: 8, count: 3 });
    rig.finish();
    expect(rig.mismatches(ticket)).toEqual([]);
  });

  test("a sampler that could not take a token of each is refused", () => {
    expect(() => rigOf({ capacity: 4, stepTokens: 3 })).toThrow(/4 sequences and 3 tokens/);
    expect(() => rigOf({ capacity: 0 })).toThrow(/0 sequences/);
  });
});
