// Repair a small broken project with a shell. What the model leaves in /work is copied to a fresh sandbox, where the checks run: it never sees them
// and cannot touch what runs them. The reward is the share of checks that pass.
import { SandboxEnv, type SandboxScope, withArgs } from "@hone/env";
import * as z from "zod";
import { type Project, projects } from "./projects.ts";

const Args = z.object({
  commandSeconds: z.number().positive().default(20),
  maxTurns: z.int().min(1).default(12),
});

type Box = SandboxScope["sandbox"];

/** Files below a folder, with their content; at most 200. */
async function filesIn(sandbox: Box, folder: string): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && found.size < 200; next = folders.pop()) {
    for (const name of await sandbox.list(next)) {
      const path = `${next}/${name.replace(/\/$/, "")}`;
      if (name.endsWith("/")) folders.push(path);
      else found.set(path, await sandbox.read(path));
    }
  }
  return found;
}

async function shareOfChecks({ checks }: Project, { sandbox, freshSandbox }: SandboxScope): Promise<number> {
  const left = await filesIn(sandbox, "/work");
  let passed = 0;
  for (const check of checks) {
    const grading = await freshSandbox();
    for (const [path, content] of left) await grading.write(path, content);
    const { exitCode } = await grading.exec(check, { cwd: "/work", timeoutMs: 10_000 });
    if (exitCode === 0) passed++;
  }
  return passed / checks.length;
}

export default withArgs(
  Args,
  ({ commandSeconds, maxTurns }) =>
    new SandboxEnv({
      name: "shell-fix",
      tasks: projects,
      system: "You repair small projects. The project is in /work. Use the tools, then say what you changed.",
      prompt: ({ task }) => task.ask,
      files: ({ task }) => task.files,
      sandbox: { memoryMb: 512 },
      shell: { commandSeconds },
      rewards: { repaired: ({ task, sandbox, freshSandbox }) => shareOfChecks(task, { sandbox, freshSandbox }) },
      maxTurns,
    }),
);
