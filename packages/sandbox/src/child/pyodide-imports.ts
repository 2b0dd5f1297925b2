// The wall around Python. WebAssembly can do nothing but compute and call its imports; Pyodide's imports can do everything JavaScript can, on Node even start
// programs and open host files. So every import is replaced before the module exists: once the gate is sealed, only those in the list below still work.
// It holds against code that corrupts the interpreter's memory, because the interpreter itself has nothing else to call.

import { webAssembly, type WebAssemblyLike } from "./pyodide-emscripten.ts";

/** Ends the running program, from wherever it is: thrown through all of its frames. */
export class ProgramExit {
  readonly code: number;
  /** What the program's user is to be told. */
  readonly reason: string | undefined;

  constructor(code: number, reason?: string) {
    this.code = code;
    this.reason = reason;
  }
}

type Import = (...parameters: number[]) => unknown;

/** Memory, clocks, randomness and the in-memory file system: nothing that leaves the process. */
const kept = new Set(
  (
    "_PyEM_TrampolineCall_JS _Py_emscripten_runtime __call_sighandler emscripten_get_heap_max emscripten_resize_heap " +
    "emscripten_runtime_keepalive_push emscripten_runtime_keepalive_pop _emscripten_runtime_keepalive_clear " +
    "emscripten_get_now emscripten_date_now clock_time_get clock_res_get random_get environ_get environ_sizes_get " +
    "_tzset_js _timegm_js _mktime_js _localtime_js _gmtime_js _mmap_js _munmap_js _msync_js " +
    "fd_close fd_read fd_write fd_sync fd_fdstat_get fd_seek fd_pread fd_pwrite _try_fcntl64 __syscall_fcntl64 __syscall_ioctl " +
    "__syscall_openat __syscall_faccessat __syscall_chdir __syscall_fchdir __syscall_getcwd __syscall_chmod __syscall_fchmod " +
    "__syscall_fchmodat2 __syscall_fdatasync __syscall_stat64 __syscall_fstat64 __syscall_lstat64 __syscall_newfstatat " +
    "__syscall_statfs64 __syscall_fstatfs64 __syscall_getdents64 __syscall_mkdirat __syscall_mknodat __syscall_rmdir " +
    "__syscall_unlinkat __syscall_renameat __syscall_symlinkat __syscall_readlinkat __syscall_truncate64 __syscall_ftruncate64 " +
    "__syscall_fallocate __syscall_fadvise64 __syscall_utimensat __syscall_dup __syscall_dup3 __syscall_pipe"
  ).split(" "),
);

/** Emscripten's number for EPERM. */
const notPermitted = 63;
const resolverFailed = -4;
/** 128 + SIGSYS, as the system ends a program that makes a forbidden call. */
const forbiddenCall = 159;

/** What refuses politely, because ordinary programs try it. Everything else that is not kept ends the program. */
const refusals: Readonly<Record<string, Import>> = {
  _emscripten_system: () => -notPermitted,
  getaddrinfo: () => resolverFailed,
  getnameinfo: () => resolverFailed,
  getprotobyname: () => 0,
  can_run_sync_js: () => 0,
  _maybe_poll_async: () => null,
  __syscall_umask_js: () => 0o022,
  __syscall_getuid32_js: () => 1000,
  proc_exit: (code = 0) => exit(code & 0xff),
  exit: (code = 0) => exit(code & 0xff),
  _abort_js: () => exit(134),
};

export interface Gate {
  /** True once WebAssembly was instantiated with gated imports. Nothing may run otherwise. */
  readonly isInPlace: boolean;
  /** From now on only kept imports work; `own` ones are served by these functions instead. */
  seal(own: Readonly<Record<string, Import>>): void;
}

/** To be called before Pyodide is loaded. */
export function gateImports(): Gate {
  const state = { isInPlace: false, isSealed: false, own: refusals };
  const gated = (name: string, original: Import): Import => {
    const gate: Import = (...parameters) => {
      if (!state.isSealed) return original(...parameters);
      const own = state.own[name];
      if (own !== undefined) return own(...parameters);
      if (name.startsWith("__syscall_")) return -notPermitted;
      return exit(forbiddenCall, `The program was ended: the sandbox forbids the call ${name}.`);
    };
    // Emscripten keeps a function's signature on the function.
    return Object.assign(gate, original);
  };
  const instantiate = webAssembly.instantiate.bind(webAssembly);
  const replacement: WebAssemblyLike["instantiate"] = (module, imports) => {
    if (imports?.["env"] === undefined) return instantiate(module, imports);
    // In place: the runtime also resolves function pointers out of these objects. Several names stand for one object.
    for (const space of new Set(Object.values(imports))) {
      for (const [name, value] of Object.entries(space)) {
        if (typeof value === "function" && !kept.has(name)) space[name] = gated(name, value as Import);
      }
    }
    state.isInPlace = true;
    return instantiate(module, imports);
  };
  Object.assign(webAssembly, { instantiate: replacement, instantiateStreaming: undefined });
  return {
    get isInPlace() {
      return state.isInPlace;
    },
    seal: (own) => Object.assign(state, { isSealed: true, own: { ...refusals, ...own } }),
  };
}

function exit(code: number, reason?: string): never {
  // oxlint-disable-next-line only-throw-error -- no error: nothing went wrong, and a stack trace would only cost time
  throw new ProgramExit(code, reason);
}
