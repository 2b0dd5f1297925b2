import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

interface Plan {
  /** Milliseconds of each slice of training, then of each step of sampling. */
  readonly training: readonly number[];
  readonly sampling: readonly number[];
}

/** Runs to the end on a clock of its own; what ran, one string per turn. */
function turnsOf(plan: Plan): string[] {
  const [training, sampling] = [[...plan.training], [...plan.sampling]];
  const done: string[] = [];
  const due: (() => void)[] = [];
  let clock = 0;
  let now = "";
  const run = (left: number[], letter: string): boolean => {
    const length = left.shift();
    if (length === undefined) return false;
    now += letter;
    clock += length;
    return left.length > 0;
  };
  const turns = new Turns({
    train: () => run(training, "T"),
    sample: () => run(sampling, "s"),
    finish: () => {
      done.push(now);
      now = "";
    },
    now: () => clock,
    later: (turn) => void due.push(turn),
  });
  turns.wake();
  turns.wake();
  for (let turn = due.shift(); turn !== undefined; turn = due.shift()) turn();
  return done;
}

test("sampling gets about as long as the slice of training before it", () => {
  const training = [10, 10, 10];
  const sampling = Array.from({ length: 12 }, () => 3);
  expect(turnsOf({ training, sampling })).toEqual(["Tssss", "Tssss", "Tssss"]);
});

test("what is alone is not held up: one slice, or steps for a millisecond, then messages", () => {
  expect(turnsOf({ training: [5, 5], sampling: [] })).toEqual(["T", "T"]);
  expect(turnsOf({ training: [], sampling: [0.4, 0.4, 0.4, 0.4] })).toEqual(["sss", "s"]);
});

test("with nothing to do there are no turns", () => {
  expect(turnsOf({ training: [], sampling: [] })).toEqual([""]);
});
