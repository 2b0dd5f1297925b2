import { expect, onTestFinished, test } from "vitest";
import { planEngineMemory } from "./engine-memory.ts";
import { tinyPlaces } from "./testing/tiny-folder.ts";

test("the memory of an engine is known before it is created", async () => {
  const { model, remove } = await tinyPlaces();
  onTestFinished(remove);
  const total = async (options: object): Promise<number> => {
    const { parts } = await planEngineMemory({ model, adapter: "full", snapshotBytes: 1, ...options });
    return parts.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  const full = await total({});
  expect(await total({ adapter: { rank: 4 } })).toBeLessThan(full);
  expect(await total({ isRecomputing: true })).toBeLessThan(full);
  expect(await total({ snapshotBytes: 2 ** 22 })).toBeGreaterThan(full + 2 ** 21);
  // 64 sequences of 256 tokens: keys and values of two layers, two heads of 16.
  expect(full - (await total({ cacheBytes: 256 * 256 * 4 }))).toBe(64 * 256 * 512 - 256 * 256 * 4);
  expect((await planEngineMemory({ model, adapter: "full", cacheBytes: 64 * 512 })).contextTokens).toBe(64);
});
