// How Python comes up in a Pyodide child: the slow way once, to take an image of the interpreter's memory, and then from that image, five times as fast.
// The image is in an unlinked file that the host hands down; nothing of it lies anywhere by name.
import { constants, fstatSync, readSync, writeSync } from "node:fs";
import { type PyodideModule, webAssembly } from "./pyodide-emscripten.ts";
import { type Gate, gateImports } from "./pyodide-imports.ts";
import { prepare, seal } from "./pyodide-python.ts";

interface PyodideLike {
  readonly _module: PyodideModule;
  runPython(code: string): unknown;
  makeMemorySnapshot(): Uint8Array;
}
type LoadPyodide = (options: Readonly<Record<string, unknown>>) => Promise<PyodideLike>;

async function load(folder: string, options: Readonly<Record<string, unknown>>): Promise<PyodideLike> {
  // Emscripten asks for the numbers of file flags in a way that the permission model forbids.
  Object.assign(process, { binding: () => ({ fs: constants }) });
  // Memory is replaced under the interpreter: an object of an earlier program, collected late, must not be freed in a later one's memory.
  Object.assign(globalThis, { FinalizationRegistry: NoFinalizers });
  const { loadPyodide } = (await import(`file://${folder}/pyodide.mjs`)) as { readonly loadPyodide: LoadPyodide };
  const env = { HOME: "/work", PATH: "/usr/bin", USER: "user", LOGNAME: "user", _: "/usr/bin/python3" };
  return loadPyodide({ indexURL: `${folder}/`, jsglobals: Object.create(null) as object, env, ...options });
}

class NoFinalizers {
  register(): void {}
  unregister(): void {}
}

/** Writes the image of a prepared interpreter. */
export async function makeImage(folder: string, fd: number): Promise<void> {
  // Never sealed here, but in place: it decides where functions lie in the table, and memory is full of pointers into that.
  gateImports();
  const pyodide = await load(folder, { _makeSnapshot: true });
  pyodide.runPython(prepare);
  const image = pyodide.makeMemorySnapshot();
  for (let at = 0; at < image.length;) at += writeSync(fd, image, at, image.length - at, at);
}

function readImage(fd: number): Uint8Array {
  const image = new Uint8Array(fstatSync(fd).size);
  for (let at = 0; at < image.length;) at += readSync(fd, image, at, image.length - at, at);
  return image;
}

/** A prepared interpreter, with the gate around it that is still to be sealed. */
export async function startFromImage(
  folder: string,
  fd: number,
  memoryBytes: number,
): Promise<{ readonly module: PyodideModule; readonly gate: Gate }> {
  const gate = gateImports();
  limitMemory(memoryBytes);
  const pyodide = await load(folder, { _loadSnapshot: readImage(fd) });
  if (!gate.isInPlace) throw new Error("Pyodide was instantiated past the gate");
  pyodide.runPython(seal);
  return { module: pyodide._module, gate };
}

/** Beyond it memory cannot grow, and Python raises MemoryError. */
function limitMemory(bytes: number): void {
  const pageBytes = 65_536;
  const { prototype } = webAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * pageBytes > bytes) throw new RangeError("the sandbox's memory is used up");
    return grow.call(this, pages);
  };
}
