// One interpreter, one program after the other. Right after the start the interpreter's memory is copied; every program begins on that copy, so it finds what
// a new python3 would find and leaves nothing behind but files. Putting the copy back takes about 4 ms.
// Invariant: nothing of the interpreter's state is outside of the memory that is copied, but for the open files and the folder, which are put back too.
import { type DeviceOperations, errno, type FileStream, type PyodideModule } from "./pyodide-emscripten.ts";
import { type Gate, ProgramExit } from "./pyodide-imports.ts";
import type { Signals } from "./pyodide-signals.ts";

/** The three standard streams of the running program. */
export interface StandardStreams {
  /** At most `length` bytes; none at the end. Undefined when a signal came first. */
  read(length: number): Uint8Array | undefined;
  write(stream: "stdout" | "stderr", bytes: Uint8Array): void;
}

export interface MachineRun {
  readonly id: number;
  readonly statement: string;
  readonly cwd: string;
  readonly deadline: number;
  readonly streams: StandardStreams;
}

/** 128 + SIGSEGV: its stack ran over, or the interpreter broke. */
const crashed = 139;
/** As of a shell that cannot run a command. */
const cannotStart = 126;
const deviceNames = ["stdin", "stdout", "stderr"] as const;
/** Major number of our devices, out of the way of Emscripten's. */
const deviceMajor = 96;

export class Machine {
  readonly #module: PyodideModule;
  readonly #signals: Signals;
  readonly #fresh: Uint8Array;
  readonly #freshStreams: readonly (FileStream | null)[];
  #running: StandardStreams | undefined;

  /** To be called when the interpreter is ready for programs: what it is now, every program will find. */
  constructor(module: PyodideModule, gate: Gate, signals: Signals) {
    this.#module = module;
    this.#signals = signals;
    this.#openDevices();
    this.#freshStreams = module.FS.streams.slice(0, deviceNames.length);
    module.HEAP8[module._Py_EMSCRIPTEN_SIGNAL_HANDLING] = 1;
    this.#fresh = module.HEAPU8.slice(0, this.#usedBytes());
    gate.seal({
      _Py_CheckEmscriptenSignals_Helper: () => signals.take(),
      __syscall_poll: (_fds, count = 0, timeoutMs = 0) => this.#poll(count, timeoutMs),
    });
  }

  /** Runs one program to its end and gives its exit code. */
  run({ id, statement, cwd, deadline, streams }: MachineRun): number {
    const { FS } = this.#module;
    const stack = this.#module.stackSave();
    this.#putBack();
    FS.streams = this.#freshStreams.map((stream) => stream && copyStream(stream));
    const unwatch = this.#signals.watch(id, deadline);
    this.#running = streams;
    try {
      if (!this.#enter(cwd)) return cannotStart;
      this.#module._PyRun_SimpleStringFlags(this.#module.stringToNewUTF8(statement), 0);
      return crashed;
    } catch (error) {
      // Not only ours: a stack that ran over or a broken interpreter ends the program too, and the copy is put back before the next.
      if (!(error instanceof ProgramExit))
        this.#say("The program broke the interpreter: too deep a recursion, mostly.");
      else if (error.reason !== undefined) this.#say(error.reason);
      return error instanceof ProgramExit ? error.code : crashed;
    } finally {
      this.#running = undefined;
      unwatch();
      this.#module.stackRestore(stack);
    }
  }

  #enter(folder: string): boolean {
    try {
      this.#module.FS.chdir(folder);
      return true;
    } catch {
      this.#say(`There is no folder ${folder} in the sandbox.`);
      return false;
    }
  }

  #say(message: string): void {
    this.#running?.write("stderr", Buffer.from(`${message}\n`));
  }

  /** Where the used part of the memory ends; above it everything is zero. */
  #usedBytes(): number {
    const { HEAPU32, HEAPU8 } = this.#module;
    const end = HEAPU32[this.#module._emscripten_get_sbrk_ptr() >>> 2] ?? HEAPU8.length;
    return Math.min(Math.max(end, 0), HEAPU8.length);
  }

  #putBack(): void {
    const used = this.#usedBytes();
    const { HEAPU8 } = this.#module;
    HEAPU8.set(this.#fresh);
    HEAPU8.fill(0, this.#fresh.length, used);
  }

  #poll(count: number, timeoutMs: number): number {
    // Descriptors are files and our devices: always ready. Without any, this is how Python sleeps.
    if (count > 0) return count;
    return this.#signals.sleep(timeoutMs < 0 ? Infinity : timeoutMs) ? -errno.EINTR : 0;
  }

  #openDevices(): void {
    const { FS } = this.#module;
    for (const [minor, name] of deviceNames.entries()) {
      const device = FS.makedev(deviceMajor, minor);
      FS.registerDevice(device, this.#operations(name));
      FS.unlink(`/dev/${name}`);
      FS.mkdev(`/dev/${name}`, 0o666, device);
    }
    FS.streams = [];
    for (const [minor, name] of deviceNames.entries()) FS.open(`/dev/${name}`, minor === 0 ? 0 : 1);
  }

  #operations(name: (typeof deviceNames)[number]): DeviceOperations {
    const { ErrnoError } = this.#module.FS;
    return {
      open: (stream) => Object.assign(stream, { seekable: false }),
      read: (_stream, _buffer, offset, length) => {
        const bytes = name === "stdin" ? this.#running?.read(length) : new Uint8Array(0);
        if (bytes === undefined) throw new ErrnoError(errno.EINTR);
        // Not into the buffer that was handed in: the memory may have moved while we waited.
        this.#module.HEAPU8.set(bytes, offset);
        return bytes.length;
      },
      write: (_stream, buffer, offset, length) => {
        const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length).slice();
        if (name !== "stdin") this.#running?.write(name, bytes);
        return length;
      },
    };
  }
}

/** Programs close and redirect their streams; the originals stay as they are. */
function copyStream(stream: FileStream): FileStream {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(stream) as object) as FileStream, stream);
  return Object.assign(copy, { shared: { ...stream.shared } });
}
