import { describe, expect, test } from "vitest";
import { loadKernels } from "../kernel/load.ts";
import { copyDecoder } from "../model/assemble.ts";
import { smallConfig, smallDecoder, smallLora } from "../model/testing/small-decoders.ts";
import type { PolicyWeights } from "../model/weights.ts";
import { type LoadedPolicy, Policies } from "./policies.ts";
import { ownArrays } from "./policy-arrays.ts";

const { kernels } = loadKernels({ prefer: "wasm", threads: 1 });
const decoder = smallDecoder(kernels, smallConfig("qwen3"));
const base: PolicyWeights = { version: 0, decoder };
const adapted = (version: number): PolicyWeights => ({ version, decoder, adapter: smallLora(kernels, decoder) });
const whole = (version: number): PolicyWeights => ({ version, decoder: copyDecoder(kernels, decoder) });
const bytesOf = (policy: PolicyWeights): number =>
  ownArrays(policy, base).reduce((sum, { byteLength }) => sum + byteLength, 0);

function registry({ snapshotBytes = 2 ** 30, checkpoints = {} }: RegistryOptions = {}) {
  const freed = new Set<unknown>();
  const policies = new Policies({
    base,
    memory: {
      release: (array) => {
        expect(freed.has(array), "given back twice").toBe(false);
        freed.add(array);
      },
    },
    snapshotBytes,
    loadCheckpoint: async (name) => checkpoints[name] ?? Promise.reject(new Error(`no checkpoint ${name}`)),
  });
  const isFreed = (policy: PolicyWeights): boolean => {
    const arrays = ownArrays(policy, base);
    const count = arrays.filter((array) => freed.has(array)).length;
    expect([0, arrays.length]).toContain(count);
    return count > 0;
  };
  return { policies, isFreed };
}
interface RegistryOptions {
  readonly snapshotBytes?: number;
  readonly checkpoints?: Record<string, LoadedPolicy>;
}

test("what belongs to a policy: an adapter's parts, or all weights once", () => {
  expect(bytesOf(adapted(1))).toBe(
    [...smallLora(kernels, decoder).parts.values()].reduce((sum, { a, b }) => sum + a.byteLength + b.byteLength, 0),
  );
  const own = ownArrays(whole(1), base);
  expect(new Set(own).size).toBe(own.length);
  expect(ownArrays(base, base)).toEqual([]);
});

test('"latest" is the base until something is published, then what was published last', () => {
  const { policies } = registry();
  expect(policies.policyOf("latest")).toBe(base);
  const [zero, one] = [adapted(0), adapted(1)];
  policies.restart(zero);
  expect([policies.policyOf("latest"), policies.policyOf("base")]).toEqual([zero, base]);
  policies.publish(one);
  expect(policies.policyOf("latest")).toBe(one);
  expect(policies.policyOf({ version: 0 })).toBe(zero);
  expect([policies.isLatest(1), policies.isLatest(0)]).toEqual([true, false]);
});

test("a version that was never published is refused, with those that are", () => {
  const { policies } = registry();
  expect(() => policies.lease({ version: 3 })).toThrow(/policy 3 is not published, or no longer kept/);
  policies.restart(adapted(2));
  expect(() => policies.lease({ version: 3 })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("Kept: 2") }),
  );
});

describe("memory", () => {
  test("the oldest go first when there is no room, and four stay at least", () => {
    const all = Array.from({ length: 7 }, (_, version) => whole(version));
    const { policies, isFreed } = registry({ snapshotBytes: 5 * bytesOf(all[0]!) });
    policies.restart(all[0]!);
    for (const policy of all.slice(1)) policies.publish(policy);
    expect(all.map(isFreed)).toEqual([true, true, false, false, false, false, false]);
    const narrow = registry({ snapshotBytes: 1 });
    narrow.policies.restart(all[0]!);
    for (const policy of all.slice(1)) narrow.policies.publish(policy);
    expect(all.map(narrow.isFreed)).toEqual([true, true, true, false, false, false, false]);
    expect(() => narrow.policies.lease({ version: 2 })).toThrow(/no longer kept/);
  });

  test("one in use stays until its last user is done", async () => {
    const all = Array.from({ length: 8 }, (_, version) => adapted(version));
    const { policies, isFreed } = registry({ snapshotBytes: 1 });
    policies.restart(all[0]!);
    const [one, two] = [await policies.lease({ version: 0 }), await policies.lease({ version: 0 })];
    for (const policy of all.slice(1)) policies.publish(policy);
    expect(policies.policyOf(one.ref)).toBe(all[0]);
    one.release();
    one.release();
    expect(isFreed(all[0]!)).toBe(false);
    two.release();
    policies.publish(adapted(8));
    expect(isFreed(all[0]!)).toBe(true);
  });

  test("opening again drops what came after the start; a running request keeps its policy, not its namesake", async () => {
    const [zero, one, again, other] = [adapted(0), adapted(1), adapted(0), adapted(1)];
    const { policies, isFreed } = registry();
    policies.restart(zero);
    policies.publish(one);
    const lease = await policies.lease({ version: 1 });
    policies.restart(again);
    expect(() => policies.lease({ version: 1 })).toThrow(/not published/);
    policies.publish(other);
    expect(policies.policyOf(lease.ref)).toBe(one);
    expect(policies.policyOf({ version: 1 })).toBe(other);
    expect([isFreed(zero), isFreed(one)]).toEqual([true, false]);
    lease.release();
    expect([isFreed(one), isFreed(other)]).toEqual([true, false]);
  });

  test("the weights of the base are never given back", async () => {
    const { policies, isFreed } = registry();
    (await policies.lease("base")).release();
    policies.restart(base);
    for (let version = 1; version < 9; version++) policies.publish(adapted(version));
    expect(isFreed(base)).toBe(false);
  });
});

describe("checkpoints", () => {
  const reads: string[] = [];
  const loaded = (id: string, policy: PolicyWeights): LoadedPolicy => ({
    id,
    read: async () => {
      reads.push(id);
      return policy;
    },
  });

  test("are read once while they are kept, and again when another was written under their name", async () => {
    reads.length = 0;
    const checkpoints: Record<string, LoadedPolicy> = { a: loaded("first", adapted(1)) };
    const { policies } = registry({ checkpoints });
    const [one, two] = await Promise.all([policies.lease({ checkpoint: "a" }), policies.lease({ checkpoint: "a" })]);
    expect(one.policy).toBe(two.policy);
    checkpoints["a"] = loaded("second", adapted(2));
    const three = await policies.lease({ checkpoint: "a" });
    expect([policies.policyOf(one.ref).version, policies.policyOf(three.ref).version]).toEqual([1, 2]);
    expect(reads).toEqual(["first", "second"]);
    await expect(policies.lease({ checkpoint: "none" })).rejects.toThrow("no checkpoint none");
  });

  test("few that nobody uses are kept", async () => {
    const all = ["a", "b", "c", "d"].map((name, version) => ({ name, policy: adapted(version) }));
    const checkpoints = Object.fromEntries(all.map(({ name, policy }) => [name, loaded(name, policy)]));
    const { policies, isFreed } = registry({ checkpoints });
    const held = await policies.lease({ checkpoint: "a" });
    for (const checkpoint of ["b", "c", "d"]) (await policies.lease({ checkpoint })).release();
    expect(all.map(({ policy }) => isFreed(policy))).toEqual([false, true, false, false]);
    held.release();
    expect(all.map(({ policy }) => isFreed(policy))).toEqual([true, true, false, false]);
  });

  test("one that cannot be read can be asked for again", async () => {
    let isBroken = true;
    const read = async (): Promise<PolicyWeights> => (isBroken ? Promise.reject(new Error("torn")) : adapted(5));
    const { policies } = registry({ checkpoints: { a: { id: "x", read } } });
    await expect(policies.lease({ checkpoint: "a" })).rejects.toThrow("torn");
    isBroken = false;
    expect((await policies.lease({ checkpoint: "a" })).policy.version).toBe(5);
  });
});
