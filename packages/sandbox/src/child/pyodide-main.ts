// The program of a Pyodide child. "image" starts Python the slow way and leaves its memory in a file; "serve" starts from there and serves the host over
// a pair of pipes until the host has gone. After the start everything is synchronous: one thread, no event loop, nothing beside Python.
import { makeImage, startFromImage } from "./pyodide-boot.ts";
import { SandboxFiles } from "./pyodide-files.ts";
import { Machine } from "./pyodide-machine.ts";
import { Server } from "./pyodide-server.ts";
import { descriptors } from "./frames.ts";
import { Signals } from "./pyodide-signals.ts";

const mebibyte = 1 << 20;

const [task, folder = "", memoryMb, diskMb] = process.argv.slice(2);
if (task === "image") {
  await makeImage(folder, descriptors.imageFile);
} else {
  const { module, gate } = await startFromImage(folder, descriptors.imageFile, Number(memoryMb) * mebibyte);
  const signals = new Signals(descriptors.signalFile);
  const machine = new Machine(module, gate, signals);
  // Last: from here on only /work and /tmp can be written.
  const files = new SandboxFiles(module.FS, Number(diskMb) * mebibyte);
  new Server({ files, machine, signals, ...descriptors }).serve();
  process.exit();
}
