import type { TrainEvent } from "@hone/train";
import { expect, test } from "vitest";
import { styleFor } from "./style.ts";
import { evaluationLine, TrainView } from "./train-view.ts";

function shownBy(isTerminal: boolean, events: readonly TrainEvent[]): string {
  let written = "";
  let now = 0;
  let finished = 0;
  const output = { write: (text: string) => void (written += text), isTerminal, columns: 100 };
  using view = new TrainView({
    output,
    style: styleFor(output, { NO_COLOR: "1" }),
    environments: ["a", "b"],
    maxSteps: 10,
    rolloutsPerStep: 64,
    tally: () => ({ finished, failed: 1 }),
    now: () => now,
  });
  for (const event of events) {
    now += 4_000;
    finished += 64;
    view.show(event);
    view.note("");
  }
  return written;
}

const update = (step: number): TrainEvent => ({
  type: "update-end",
  row: {
    step,
    "reward/mean": 0.2,
    "reward/a/mean": step / 10,
    "reward/b/mean": 0.1,
    "sample/age/mean": 0,
    "rollout/tokens_per_second": 160,
  },
});

test("a log gets one line per update, with what there is to know", () => {
  const lines = shownBy(false, [update(1), update(2)]).split("\n");
  expect(lines).toContain(
    "step 1/10 · reward 0.200 · a 0.100 · b 0.100 · 160 tok/s · staleness 0.0 · 1 failed · 36 s left",
  );
  expect(lines).toContain(
    "step 2/10 · reward 0.200 · a 0.200 · b 0.100 · 160 tok/s · staleness 0.0 · 1 failed · 32 s left",
  );
});

test("a terminal shows a table with a curve for each environment", () => {
  const drawn = shownBy(true, [{ type: "run-start", step: 0, reused: 0 }, update(1), update(2), update(3)]);
  expect(drawn).toContain("step 3/10 · 160 tok/s · staleness 0.0 · 1 failed · 28 s left\n");
  expect(drawn).toMatch(/^ {2}a +0\.300 {2}▁▅█$/m);
  expect(drawn).toMatch(/^ {2}b +0\.100 {2}▁▁▁$/m);
  expect(drawn).toContain("step 4: 0/64 rollouts\n");
});

test("nothing is drawn before a run begins and after it ends", () => {
  const end: TrainEvent = { type: "run-end", step: 1, why: "done" };
  expect(shownBy(true, [update(1)])).toBe("\n");
  expect(shownBy(true, [{ type: "run-start", step: 0, reused: 0 }, end])).toMatch(/\[0J\n$/);
});

test("an evaluation is one line: reward, gain and the environment's own metrics, with intervals", () => {
  const row = {
    step: 10,
    env: "a",
    n: 200,
    "reward/mean": 0.61,
    "reward/ci95": [0.57, 0.65],
    "reward/gain": 0.25,
    "reward/gain_ci95": [0.2, 0.3],
    "rollout/exact": 0.4,
    "rollout/exact/ci95": [0.3, 0.5],
    "rollout/turns": 1,
  };
  expect(evaluationLine(row)).toBe(
    "held-out a at step 10: reward 0.61 (0.57 to 0.65), gain +0.25 (0.20 to 0.30), exact 0.40, 200 rollouts",
  );
  expect(evaluationLine({ step: 3, "loss/mean": 1.25 })).toBe("held-out at step 3: loss 1.250");
});
