import { expect, test } from "vitest";
import { flatConfig } from "./flat-config.ts";
import { environmentsOf, isSft, plannedIn } from "./run-settings.ts";

const none = { step: 0, epoch: undefined };

test("how much there is to do comes from steps, from epochs and how far they are, or from tasks and their rollouts", () => {
  const planned = (kind: "runs" | "evals", toml: string, done = none): number | null =>
    plannedIn(kind, flatConfig(toml), done);
  expect(planned("runs", "max_steps = 40")).toBe(40);
  expect(planned("runs", "epochs = 3", { step: 50, epoch: 0.45 } as never)).toBe(334);
  expect(planned("runs", "epochs = 3")).toBeNull();
  expect(planned("evals", "num_tasks = 20\ngroup_size = 4")).toBe(80);
  expect(planned("evals", "group_size = 4")).toBeNull();
});

test("environments are those that rows speak of, and before there are rows those of the configuration", () => {
  const config = flatConfig('[[env]]\nid = "arithmetic"\n\n[[env]]\nid = "./mine"\nname = "mine"\n');
  const of = (metrics: readonly string[]) => environmentsOf({ kind: "runs", config, metrics, evals: [] });
  expect(of([])).toEqual(["arithmetic", "mine"]);
  expect(of(["reward/mean", "reward/a/mean", "reward/trained/mean"])).toEqual(["a"]);
  expect([isSft(config, []), isSft(flatConfig('[[data]]\npath = "x"'), [])]).toEqual([false, true]);
});
