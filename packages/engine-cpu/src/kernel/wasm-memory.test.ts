// The memory of the WASM kernels: what is given back is used again, and growing leaves every view as it was.
import { createRandom } from "@hone/core";
import { expect, test } from "vitest";
import { WasmMemory } from "./wasm-memory.ts";

function begun(): WasmMemory {
  const memory = new WasmMemory();
  memory.begin(1000);
  return memory;
}

test("views stay valid, and keep their contents, when the memory grows", () => {
  const memory = begun();
  const early = memory.floats(10).fill(7);
  const before = memory.memory.buffer.byteLength;
  const late = memory.floats(20 * 2 ** 20).fill(1);
  expect(memory.memory.buffer.byteLength).toBeGreaterThan(before);
  expect(Array.from(early)).toEqual(Array.from({ length: 10 }, () => 7));
  expect(memory.owns(early) && memory.owns(late)).toBe(true);
  expect(memory.owns(new Float32Array(1))).toBe(false);
});

test("arrays never overlap, are aligned and zero, in any order of asking and giving back", () => {
  const memory = begun();
  const random = createRandom("memory");
  const held: Float32Array[] = [];
  for (let round = 0; round < 400; round++) {
    if (held.length > 0 && random.next() < 0.5) memory.release(held.splice(random.integer(held.length), 1)[0]!);
    else held.push(memory.floats(random.integer(3000)));
    const ranges = held
      .map(({ byteOffset, byteLength }) => [byteOffset, byteOffset + byteLength] as const)
      .sort(([a], [b]) => a - b);
    expect(ranges.every(([start], index) => start % 64 === 0 && start >= (ranges[index - 1]?.[1] ?? 1000))).toBe(true);
    expect(held.at(-1)?.every((value) => value === 0) ?? true).toBe(true);
    held.at(-1)?.fill(0);
  }
  for (const array of held) memory.release(array);
  expect(memory.usedBytes).toBe(0);
  // Everything is one block again: as much as there was at first fits without growing.
  const before = memory.memory.buffer.byteLength;
  memory.floats(before / 4 - 4096);
  expect(memory.memory.buffer.byteLength).toBe(before);
});

test("more than 4 GiB is refused with a way out, and the memory stays usable", () => {
  const memory = begun();
  expect(() => memory.floats(2 ** 30)).toThrow(/no memory for 4294967296 bytes/);
  expect(memory.floats(5).length).toBe(5);
});

test("an array that is given back twice, or was never handed out, changes nothing", () => {
  const memory = begun();
  const array = memory.floats(100);
  memory.release(array);
  memory.release(array);
  memory.release(new Float32Array(4));
  expect(memory.usedBytes).toBe(0);
});
