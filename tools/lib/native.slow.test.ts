import { expect, test } from "vitest";
import { buildAddon, checkWasm } from "./native.mjs";

test("the committed WASM is what the sources give, byte for byte where the same compiler is here", async () => {
  expect(await checkWasm()).not.toHaveProperty("failed");
});

test("the addon is built once, and again only when something changed", async () => {
  const first = await buildAddon();
  expect(first).not.toHaveProperty("failed");
  if ("done" in first) expect(await buildAddon()).toEqual({ done: "up to date" });
});
