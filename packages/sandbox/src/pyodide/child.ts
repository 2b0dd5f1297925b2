// How Pyodide's children are started: with access to Pyodide's own folder, the image and the signals.
import { packageFolder, type SealedChild, startSealedChild } from "../sealed/child-process.ts";

export interface PyodideChildOptions {
  /** "image" writes the interpreter's memory to the image file, "serve" starts from it. */
  readonly task: "image" | "serve";
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Descriptors. */
  readonly signalFile?: number;
  readonly imageFile: number;
}

export function pyodideFolder(): string {
  return packageFolder("pyodide", "314.0.7");
}

export function startPyodide({ task, memoryMb, diskMb, signalFile, imageFile }: PyodideChildOptions): SealedChild {
  const folder = pyodideFolder();
  return startSealedChild({
    program: "pyodide-main",
    parameters: [task, folder, String(memoryMb), String(diskMb)],
    readable: [folder],
    // Growing a memory or a file copies it, so twice the limits must fit for a moment.
    addressMb: 2 * memoryMb + 2 * diskMb,
    ...(signalFile === undefined ? {} : { signalFile }),
    imageFile,
    canWrite: task === "image",
  });
}
