import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadRunConfig } from "@hone/train";
import { expect, test } from "vitest";
import { workspace } from "../testing/workspace.ts";

const prime = `[model]
name = "Qwen/Qwen3-0.6B"
[orchestrator]
batch_size = 64
group_size = 8
[[orchestrator.train.env]]
id = "reverse-text"
[inference]
gpus = 2
`;
const command =
  "data.train_batch_size=4 actor_rollout_ref.rollout.n=8 actor_rollout_ref.model.path=m +verifiers.env_id=math trainer.nnodes=1";

test("a prime-rl file is printed as ours, and what was left out is told beside it", async () => {
  const { hone, write } = await workspace();
  await write("rl.toml", prime);
  const { code, stdout, stderr } = await hone(["config", "convert", "rl.toml"]);
  expect(code).toBe(0);
  const { config } = await loadRunConfig({ files: [{ path: "run.toml", text: stdout }] });
  expect(config).toMatchObject({ model: "Qwen/Qwen3-0.6B", batchSize: 64, groupSize: 8, lora: false });
  expect(stderr).toMatch(/^Read as prime-rl\.$/m);
  expect(stderr).toMatch(/^ {2}inference\.gpus +an engine lays out its own hardware$/m);
  expect(stderr).toMatch(/^ {2}optimizer\.learning_rate +0\.000001$/m);
  expect(stderr).toContain("The engine is cpu");
});

test("it can be written to a file, which is never one that exists", async () => {
  const { hone, write, folder } = await workspace();
  await write("rl.toml", prime);
  const first = await hone(["config", "convert", "rl.toml", "-o", "run.toml"]);
  expect(first).toMatchObject({ code: 0, stdout: "" });
  expect(first.stderr).toContain("Read as prime-rl. Written to run.toml.");
  const made = await readFile(join(folder, "run.toml"), "utf8");
  expect(made).toContain('model = "Qwen/Qwen3-0.6B"');
  expect(await hone(["config", "convert", "rl.toml", "--output", "rl.toml"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: rl.toml was not written: it exists. Give another name with --output, or leave it out to print the file.\n",
  });
  expect(await readFile(join(folder, "rl.toml"), "utf8")).toBe(prime);
});

test("a command is given as words, in quotes, or as a script, and means the same", async () => {
  const { hone, write } = await workspace();
  await write("train.sh", `#!/bin/sh\npython3 -m train \\\n  ${command.replaceAll(" ", " \\\n  ")}\n`);
  const answers = [
    await hone(["config", "convert", ...command.split(" ")]),
    await hone(["config", "convert", command]),
    await hone(["config", "convert", "train.sh"]),
  ];
  const [first] = answers;
  expect(first?.code).toBe(0);
  expect(first?.stdout).toContain("batch_size = 32");
  expect(first?.stderr).toMatch(/trainer\.nnodes +an engine lays out its own hardware/);
  expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
});

test("--json has the file and both lists", async () => {
  const { hone } = await workspace();
  const { code, stdout, stderr } = await hone(["config", "convert", "--json", command]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    from: "rllm-verl",
    toml: expect.stringContaining("group_size = 8"),
    dropped: [{ key: "trainer.nnodes", reason: "an engine lays out its own hardware" }],
    added: { lora: false },
  });
});

test("a file of ours has nothing to say", async () => {
  const { hone, write } = await workspace();
  await write("run.toml", 'model = "m"\n[[env]]\nid = "a"\n');
  expect(await hone(["config", "convert", "run.toml"])).toEqual({
    code: 0,
    stdout: 'model = "m"\n\n[[env]]\nid = "a"\n',
    stderr: "Read as Hone.\n",
  });
});

test("what is neither a file nor a command is told", async () => {
  const { hone, write } = await workspace();
  const { code, stderr } = await hone(["config", "convert", "rl.tml"]);
  expect(code).toBe(2);
  expect(stderr).toContain("There is no file rl.tml.");
  await write("broken.toml", "model = \n");
  expect((await hone(["config", "convert", "broken.toml"])).stderr).toContain(
    "broken.toml:1:8 a value is missing after `=`",
  );
  const empty = await hone(["config", "convert", "a.b=1"]);
  expect(empty).toMatchObject({ code: 2, stdout: "" });
  expect(empty.stderr).toContain("is not a run yet");
});
