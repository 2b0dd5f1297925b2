// Writing a checkpoint: into a temporary folder beside it, to the disk, then one rename is the commit: of the folder where the name is
// new, of checkpoint.json where it is not. Killed at any moment, there is the old checkpoint or the new one.
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { safeName, writeFileAtomic } from "@hone/store";
import { writeSafetensors } from "@hone/store/weights";
import type { TrainerState } from "../train/trainer.ts";
import {
  checkpointFolder,
  type CheckpointHeader,
  type CheckpointPlace,
  headerFile,
  readAnyHeader,
} from "./checkpoint.ts";

export interface WriteCheckpoint extends CheckpointPlace, Pick<CheckpointHeader, "model" | "kernels"> {
  /** Must not change before this resolves. */
  readonly state: TrainerState;
}

/** A replaced checkpoint's file stays whole until the new header names the other one. */
const tensorsFiles = ["trainer.safetensors", "trainer-2.safetensors"] as const;

export async function writeCheckpoint({ folder, name, model, kernels, state }: WriteCheckpoint): Promise<void> {
  const target = checkpointFolder({ folder, name });
  const temporary = join(folder, temporaryName(safeName(name, "a checkpoint")));
  const header: CheckpointHeader = {
    format: "hone/cpu-checkpoint/1",
    id: randomUUID(),
    version: state.version,
    steps: state.steps,
    adapter: state.adapter === "full" ? "full" : { ...state.adapter, targets: [...state.adapter.targets] },
    model,
    kernels: { build: kernels.build, instructionSet: kernels.instructionSet },
    tensors: await freeTensorsFile({ folder, name }),
  };
  try {
    await mkdir(temporary, { recursive: true });
    await writeSafetensors(join(temporary, header.tensors), tensorSources(state), { metadata: { format: "pt" } });
    await writeFileAtomic(join(temporary, headerFile), `${JSON.stringify(header, null, 2)}\n`);
    if (await exists(target)) await replace(temporary, target, header);
    else await rename(temporary, target);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
    if (HoneError.is(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HoneError(`cannot write checkpoint ${target}: ${reason}`, { code: "disk", cause: error });
  }
}

function tensorSources({ tensors }: TrainerState): Parameters<typeof writeSafetensors>[1] {
  return [...tensors].map(([name, data]) => ({ name, dtype: "F32" as const, shape: [data.length], data }));
}

async function freeTensorsFile(place: CheckpointPlace): Promise<string> {
  const before = await readAnyHeader(place).catch(() => undefined);
  return tensorsFiles.find((file) => file !== before?.tensors) ?? tensorsFiles[0];
}

async function replace(temporary: string, target: string, { tensors }: CheckpointHeader): Promise<void> {
  await rename(join(temporary, tensors), join(target, tensors));
  await syncFolder(target);
  await rename(join(temporary, headerFile), join(target, headerFile));
  await syncFolder(target);
  for (const file of tensorsFiles) if (file !== tensors) await rm(join(target, file), { force: true });
  await rm(temporary, { recursive: true, force: true });
}

/** Names in a folder are durable only after this. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder; its file systems journal names by themselves.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function temporaryName(name: string): string {
  return `.${name}.${process.pid}.${randomUUID()}.tmp`;
}

/** Removes what killed writers left. What a living process writes stays. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = /^\..+\.(\d+)\.[0-9a-f-]{36}\.tmp$/.exec(name)?.[1];
    const path = join(folder, name);
    if (pid !== undefined && (await isLeftover(path, Number(pid)))) await rm(path, { recursive: true, force: true });
  }
}

/** Process numbers are given again, in containers soon: what is older than this process is not its own. */
async function isLeftover(path: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !isAlive(pid);
  const modified = (await stat(path).catch(() => undefined))?.mtimeMs;
  return modified !== undefined && modified < Date.now() - process.uptime() * 1000;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
