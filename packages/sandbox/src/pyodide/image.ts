// The image of a started interpreter: made once per provider, used by every interpreter that it starts.
import type { CallOptions } from "@hone/core";
import { UnlinkedFile } from "../sealed/unlinked-file.ts";
import { sandboxError } from "../shared/errors.ts";
import { startPyodide } from "./child.ts";

const memoryMb = 1024;
/** A start without an image takes two to four seconds. */
const timeoutMs = 120_000;

export async function makeImage({ signal }: CallOptions): Promise<UnlinkedFile> {
  const file = new UnlinkedFile();
  try {
    const { process: child } = startPyodide({ task: "image", memoryMb, diskMb: 64, imageFile: file.fd });
    let complaints = "";
    child.stderr?.on("data", (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-2000)));
    const stop = (): void => void child.kill("SIGKILL");
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("exit", resolve);
      child.once("error", reject);
    });
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    signal.throwIfAborted();
    if (code === 0) return file;
    throw sandboxError("sandbox-open", `Pyodide did not start (exit code ${code}).\n${complaints}`.trim());
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}
