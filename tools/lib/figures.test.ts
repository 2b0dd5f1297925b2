import { expect, test } from "vitest";
import { missedFigures } from "./figures.mjs";

const line = (figure: string, rest: object) =>
  JSON.stringify({ bench: "rollout", figure, value: 5, unit: "1/s", ...rest });

test("a figure below its bar is missed; one without a bar cannot be", () => {
  const output = [
    "warming up",
    "{ code: 1 } is not JSON",
    line("fast", { bar: 4, ok: true }),
    line("slow", { bar: 6, ok: false }),
    line("free", {}),
    "",
  ];
  expect(missedFigures(output.join("\n")).map(({ figure }) => figure)).toEqual(["slow"]);
});
