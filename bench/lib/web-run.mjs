// Run directories as a trainer leaves them, as large as wanted and in seconds: rows have the trainer's keys, rollouts its shape. For the bench of the page.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const boundaries = ["model", "tool", "sandbox", "reward", "environment"];
const replies = [
  "The sum is",
  "First I look at the digits:",
  "Let me check the list again.",
  "So the answer must be",
  "I will try",
];

/** Small and repeatable. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How good the policy is at a step, between 0 and 1, per environment. */
function skill(step, steps, slope) {
  return 0.08 + 0.88 / (1 + Math.exp(-slope * (step / steps - 0.4)));
}

/** The row of one update. */
export function updateRow({ step, steps, environments, groups = 8, size = 8, pace = 9, draw }) {
  const noise = (width) => (draw() - 0.5) * width;
  const row = { step };
  const rewards = environments.map((_, index) =>
    Math.min(1, Math.max(0, skill(step, steps, pace - 2 * index) + noise(0.1))),
  );
  const all = rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
  const solved = skill(step, steps, pace);
  const failures = boundaries.map((_, index) => (draw() < 0.12 / (index + 1) ? 1 + Math.floor(draw() * 3) : 0));
  const addScope = (scope, reward, count) => {
    const flat = Math.round(count * (0.15 + 0.4 * Math.abs(reward - 0.5)) * draw());
    const stale = draw() < 0.1 ? 1 : 0;
    row[`reward/${scope}mean`] = reward;
    row[`rollout/${scope}count`] = count * size;
    row[`rollout/${scope}truncated`] = Math.max(0, 0.22 * (1 - reward) + noise(0.03));
    row[`rollout/${scope}mean_seconds`] = 2 + 3 * reward + noise(0.8);
    row[`rollout/${scope}failed`] = failures.reduce((sum, value) => sum + value, 0);
    row[`task/${scope}groups`] = count;
    row[`task/${scope}trained`] = Math.max(0, count - flat - stale);
    row[`task/${scope}no_signal`] = flat;
    row[`task/${scope}stale`] = stale;
    row[`task/${scope}failed`] = 0;
    row[`sample/${scope}tokens`] = Math.round(count * size * (180 + 240 * reward + noise(60)));
    row[`sample/${scope}trained_tokens`] = Math.round(row[`sample/${scope}tokens`] * 0.62);
    row[`sample/${scope}sequences`] = count * size - flat * size;
    row[`sample/${scope}rollouts`] = count * size;
    row[`sample/${scope}mean_length`] = 180 + 240 * reward + noise(40);
    row[`sample/${scope}truncated_share`] = row[`rollout/${scope}truncated`];
    row[`sample/${scope}cut_tokens`] = 0;
    row[`sample/${scope}age/mean`] = 0.6 + noise(0.5);
    row[`sample/${scope}age/max`] = draw() < 0.2 ? 2 : 1;
  };
  addScope("", all, groups);
  for (const [index, boundary] of boundaries.entries()) row[`rollout/failed/${boundary}`] = failures[index];
  row["reward/trained/mean"] = Math.min(0.9, all);
  row["task/stale_kept"] = 0;
  for (const [index, env] of environments.entries()) {
    const reward = rewards[index];
    addScope(`${env}/`, reward, Math.ceil(groups / environments.length));
    const counts = Array.from({ length: 10 }, () => 0);
    for (let at = 0; at < (groups * size) / environments.length; at++) {
      counts[Math.min(9, Math.max(0, Math.floor((draw() < reward ? 0.75 + 0.25 * draw() : 0.35 * draw()) * 10)))]++;
    }
    row[`reward/${env}/histogram`] = counts;
    row[`reward/${env}/correct`] = Math.min(1, Math.max(0, reward * 0.95 + noise(0.06)));
    row[`reward/${env}/format`] = Math.min(1, Math.max(0, 0.4 + reward * 0.6 + noise(0.04)));
    row[`rollout/${env}/turns`] = 2 + 2 * reward + noise(0.5);
    row[`rollout/${env}/input_tokens`] = 300 + 60 * reward + noise(20);
    row[`rollout/${env}/output_tokens`] = 120 + 160 * reward + noise(30);
    row[`rollout/${env}/tool_calls`] = 1 + reward + noise(0.4);
    row[`rollout/${env}/tool_errors`] = Math.max(0, 0.3 * (1 - reward) + noise(0.05));
    row[`task/${env}/pool_easy`] = Math.round(180 * Math.max(0, solved - 0.2) * (1 - 0.2 * index));
    row[`task/${env}/pool_hard`] = Math.round(150 * Math.max(0, 0.8 - solved) * (1 + 0.2 * index));
    row[`task/${env}/pool_normal`] = 320 - row[`task/${env}/pool_easy`] - row[`task/${env}/pool_hard`];
  }
  row["sample/without_effect"] = Math.round(draw() * 6);
  row["update/loss"] = 0.02 * (1 - solved) * noise(4);
  row["update/sampler_kl"] = 0.002 + 0.004 * draw() * (1 - solved);
  row["update/ratio_max"] = 1.05 + 0.4 * draw();
  row["update/entropy"] = 1.7 - 1.3 * solved + noise(0.1);
  row["update/gradient_norm"] = 0.05 + 0.2 * (1 - solved) + (draw() < 0.01 ? draw() : 0) + 0.06 * draw();
  row["update/learning_rate"] = 1e-5 * Math.min(1, step / (0.05 * steps));
  row["rollout/seconds"] = 6 + 4 * draw();
  row["sample/seconds"] = 0.4 + 0.1 * draw();
  row["update/seconds"] = 3 + draw();
  row["eval/seconds"] = step % Math.ceil(steps / 12) === 1 ? 8 : 0;
  row["step/seconds"] = row["rollout/seconds"] + row["sample/seconds"] + row["update/seconds"] + row["eval/seconds"];
  row["rollout/tokens_per_second"] = row["sample/tokens"] / row["step/seconds"];
  return row;
}

function rolloutLine({ step, number, index, environments, tasks, steps, draw }) {
  const at = number % environments.length;
  const task = Math.floor(draw() * tasks);
  const hardness = (task / tasks) ** 1.5;
  const reward = draw() < skill(step, steps, 9) * (1.25 - hardness) ? 1 : draw() < 0.2 ? 0.5 : 0;
  const turns = 1 + Math.floor(draw() * 3);
  const said = `${replies[Math.floor(draw() * replies.length)]} ${Math.floor(draw() * 1e6)}`;
  const nodes = [
    {
      parent: null,
      agent: "agent",
      message: { role: "user", content: `Task ${task}: add the numbers. ` + "x ".repeat(100) },
      sampled: false,
    },
  ];
  for (let turn = 0; turn < turns; turn++) {
    nodes.push({
      parent: nodes.length - 1,
      agent: "agent",
      message: { role: "assistant", content: `${said} `.repeat(4) },
      sampled: true,
    });
  }
  const stop =
    draw() < 0.1 * (1 - hardness) + 0.08
      ? { type: "limit", of: "outputTokens" }
      : draw() < 0.12
        ? { type: "ended", by: "solved" }
        : { type: "answered" };
  const usage = { inputTokens: 200, outputTokens: Math.floor(40 + 200 * draw() * (0.5 + step / steps)) };
  return JSON.stringify({
    id: `${environments[at]}-${String(number).padStart(6, "0")}#${index}`,
    group: `${environments[at]}-${String(number).padStart(6, "0")}`,
    index,
    attempt: 0,
    seed: number,
    env: environments[at],
    envVersion: "1.0.0",
    taskId: `${environments[at]}-${task}`,
    taskHash: "0",
    agents: [
      {
        name: "agent",
        trainable: true,
        model: "toy",
        reward,
        rewards: { correct: { value: reward, weight: 1 } },
        metrics: { turns },
      },
    ],
    nodes,
    calls: nodes.slice(1).map((_, turn) => ({
      node: turn + 1,
      endpoint: "toy",
      sampling: {},
      usage,
      finish: "stop",
      startedAtMs: 1000 + turn,
      durationMs: 9,
    })),
    state: {},
    stop,
    truncated: stop.type === "limit",
    timing: { startedAtMs: 1000, durationMs: 400 + 900 * draw(), setupMs: 1, modelMs: 300, scoringMs: 2 },
    info: {},
    tokensEnd: 0,
  });
}

async function write(path, lines) {
  const file = createWriteStream(path);
  for (const line of lines) if (!file.write(`${line}\n`)) await once(file, "drain");
  file.end();
  await once(file, "close");
}

/** A finished run. `rollouts` are spread evenly over the steps. */
export async function writeRun(
  folder,
  {
    steps,
    rollouts = 0,
    environments = ["arithmetic", "word-guess"],
    tasks = 320,
    seed = 1,
    pace = 9,
    model = "hone/tiny",
    end = true,
    more = "",
  },
) {
  const draw = random(seed);
  await mkdir(join(folder, "rollouts"), { recursive: true });
  const config = [
    `model = "${model}"`,
    `max_steps = ${steps}`,
    `seed = ${seed}`,
    "",
    "[optimizer]",
    `learning_rate = ${pace * 1e-6}`,
    ...environments.flatMap((env) => ["", "[[env]]", `id = "${env}"`]),
    more,
  ];
  await writeFile(join(folder, "run.toml"), `${config.join("\n")}\n`);
  await write(
    join(folder, "updates.jsonl"),
    (function* () {
      for (let step = 1; step <= steps; step++)
        yield JSON.stringify(updateRow({ step, steps, environments, pace, draw }));
    })(),
  );
  await write(
    join(folder, "evals.jsonl"),
    (function* () {
      for (let at = 0; at <= 12; at++) {
        const step = Math.round((at * steps) / 12);
        for (const [index, env] of environments.entries()) {
          const mean = skill(step, steps, pace - 2 * index);
          yield JSON.stringify({
            step,
            env,
            model,
            n: 64,
            tasks: 64,
            failed: 0,
            "reward/mean": mean,
            "reward/ci95": [Math.max(0, mean - 0.07), Math.min(1, mean + 0.07)],
          });
        }
      }
    })(),
  );
  let group = 0;
  const perStep = rollouts / steps;
  const ledger = [];
  for (let step = 1; step <= steps; step++) {
    const count = Math.round(step * perStep) - Math.round((step - 1) * perStep);
    if (count === 0) continue;
    const lines = Array.from({ length: count }, (_, index) =>
      rolloutLine({ step, number: group, index, environments, tasks, steps, draw }),
    );
    await writeFile(join(folder, "rollouts", `${String(step).padStart(6, "0")}.jsonl`), `${lines.join("\n")}\n`);
    const outcome = draw() < 0.7 ? "trained" : draw() < 0.8 ? "no_signal" : "stale";
    ledger.push(
      JSON.stringify({
        group: `${environments[group % environments.length]}-${String(group).padStart(6, "0")}`,
        env: environments[group % environments.length],
        rollouts: [],
        outcome,
        step,
        attempt: 0,
      }),
    );
    group++;
  }
  await write(join(folder, "groups.jsonl"), ledger);
  const events = [{ type: "run-start", atMs: Date.now() - 3_600_000, detail: { step: 0, reused: 0 } }];
  if (end) events.push({ type: "run-end", atMs: Date.now() - 60_000, detail: { step: steps, why: "finished" } });
  await write(
    join(folder, "events.jsonl"),
    events.map((event) => JSON.stringify(event)),
  );
}
