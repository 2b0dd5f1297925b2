// A real model that trains in seconds, for tests of the binary: a random decoder of two narrow layers with the tokenizer of hone/tiny, and an
// environment that even such a model scores on.
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { initModelFolder } from "@hone/engine-cpu";
import type { JsonObject } from "@hone/core";
import { tinyModelFolder } from "@hone/tiny";
import { repository } from "./binary.ts";
import { type Workspace, workspace } from "./workspace.ts";

const environment = `import { defineEnvironment } from "@hone/env";
export default defineEnvironment({
  name: "lower",
  tasks: Array.from({ length: 60 }, (_, index) => ({ id: "t" + index, text: "say something, " + index })),
  prompt: ({ task }) => task.text,
  rewards: { share: ({ reply }) => (reply.match(/[a-z]/g) ?? []).length / Math.max(1, reply.length) },
  metrics: { all: ({ reply }) => /^[a-z]+$/.test(reply) },
  maxTurns: 1,
});
`;
const manifest = { name: "@hone/lower", version: "1.0.0", type: "module", hone: { source: "./index.mjs" } };

/** A workspace with the model ./small, the environment `lower` and a run.toml for both. */
export async function withSmallModel(): Promise<Workspace> {
  const made = await workspace();
  const { folder, write } = made;
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  await write("environments/lower/package.json", JSON.stringify(manifest));
  await write("environments/lower/index.mjs", environment);
  await write(
    "run.toml",
    `model = "./small"
max_steps = 4
batch_size = 16
group_size = 8
[sampling]
max_tokens = 6
[[env]]
id = "lower"
[eval]
num_tasks = 4
interval = 4
`,
  );
  await writeModel(join(folder, "small"));
  return made;
}

async function writeModel(target: string): Promise<void> {
  const source = `${target}-source`;
  await mkdir(source);
  for (const file of ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]) {
    await cp(join(tinyModelFolder, file), join(source, file));
  }
  const config = JSON.parse(await readFile(join(tinyModelFolder, "config.json"), "utf8")) as JsonObject;
  const small = { hidden_size: 64, num_hidden_layers: 2, head_dim: 16, intermediate_size: 128 };
  await writeFile(join(source, "config.json"), JSON.stringify({ ...config, ...small }));
  await initModelFolder({ source, target, seed: 1 });
}
