// Asking a run to stop: the presence of a file. Whoever may write to the directory may ask; the run looks between its steps and takes it away when it stops.
import { access, rm, writeFile } from "node:fs/promises";
import { diskError, isMissing } from "./disk-error.ts";
import { runPaths } from "./run-paths.ts";

export async function requestStop(directory: string): Promise<void> {
  const path = runPaths(directory).stop;
  try {
    await writeFile(path, "");
  } catch (error) {
    throw diskError(path, "write", error);
  }
}

export async function isStopRequested(directory: string): Promise<boolean> {
  const path = runPaths(directory).stop;
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw diskError(path, "read", error);
  }
}

export async function clearStop(directory: string): Promise<void> {
  const path = runPaths(directory).stop;
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw diskError(path, "write", error);
  }
}
