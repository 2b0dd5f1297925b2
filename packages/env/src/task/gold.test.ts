import type { TaskId } from "@hone/core";
import { describe, expect, test } from "vitest";
import { type GoldOf, recordedGold } from "./gold.ts";

describe("what is kept of gold", () => {
  const task = { id: "t" as TaskId };
  const kept = (given: unknown) => recordedGold((() => given) as GoldOf, task);

  test("is a list of strings, one per turn", () => {
    expect(kept(["a", "", "b"])).toEqual({ gold: ["a", "", "b"] });
    expect(kept("a")).toEqual({ gold: ["a"] });
  });

  test("is nothing where it is anything else", () => {
    const others = [
      undefined,
      null,
      3,
      {},
      [],
      [1],
      ["a", undefined],
      [["a"]],
      Array(1),
      [Promise.reject(new Error("?"))],
    ];
    for (const other of others) expect(kept(other)).toEqual({});
  });

  test("is nothing beyond 64 KiB in all", () => {
    const longest = "x".repeat(64 * 1024 - 4);
    expect(kept([longest])).toEqual({ gold: [longest] });
    expect(kept([`${longest}x`])).toEqual({});
    expect(kept(["é".repeat(33_000)])).toEqual({});
    expect(kept(Array.from({ length: 30_000 }, () => ""))).toEqual({});
  });
});
