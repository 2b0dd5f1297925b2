// kill -9 at random moments of an asynchronous run on the embedded engine. Every rollout ends in one outcome, no sample enters the weights that
// survive twice, and the updates can be made again, bit for bit.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, type RolloutId } from "@hone/core";
import { openRun } from "@hone/store";
import { expect, test } from "vitest";
import { start, until } from "./testing/binary.ts";
import { withSmallModel } from "./testing/small-model.ts";

const kills = 5;
const steps = 40;

function lines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

test(`a run that is killed ${kills} times counts everything once`, { timeout: 240_000 }, async () => {
  const { folder: cwd } = await withSmallModel();
  const hone = (...argv: string[]) => start(argv, { cwd });
  const first = ["train", "run.toml", "--run", "killed", "--set", `max_steps=${steps}`, "--set", "lead=1", "--no-web"];
  const directory = join(cwd, "runs/killed");
  const committed = (): number => lines(join(directory, "checkpoints.jsonl")).length;
  const random = createRandom("when");
  for (let kill = 0; kill < kills; kill++) {
    const wanted = committed() + 1 + random.integer(3);
    const life = kill === 0 ? hone(...first) : hone("train", "--resume", "killed", "--no-web");
    await until(() => committed() >= wanted);
    await new Promise((resolve) => setTimeout(resolve, random.integer(200)));
    life.child.kill("SIGKILL");
    expect((await life.ended).signal).toBe("SIGKILL");
  }
  const last = await hone("train", "--resume", "killed", "--no-web").ended;
  expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: 0 });

  const run = await openRun(directory);
  const outcomes = new Map<string, { readonly outcome: string; readonly rollouts: readonly RolloutId[] }>();
  for await (const { value } of run.read("groups")) outcomes.set(value.group, value);
  for await (const { id, group } of run.rollouts({ tokens: false }))
    expect(outcomes.get(group)?.rollouts).toContain(id);
  const trained = new Set(
    [...outcomes.values()].flatMap(({ outcome, rollouts }) => (outcome === "trained" ? rollouts : [])),
  );
  const files = readdirSync(join(directory, "samples")).sort();
  expect(files).toHaveLength(steps);
  const used = files.flatMap((file) =>
    lines(join(directory, "samples", file)).map(
      (line) => (JSON.parse(line) as { readonly rollout: RolloutId }).rollout,
    ),
  );
  expect(new Set(used).size).toBe(used.length);
  expect(used.filter((id) => !trained.has(id))).toEqual([]);
  const replayed = await hone("runs", "replay", "killed", "--step", String(steps)).ended;
  expect(replayed.stdout).toContain("bit for bit");
});
