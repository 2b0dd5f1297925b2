// The Python side of the Pyodide sandbox: what makes one start of a program look like one start of python3. `prepare` is executed once, before the
// memory image is taken; `seal` once per interpreter, after the image is loaded; `call` at the start of every program, always on fresh memory.
// Host data arrives only as text inside the call and leaves only as output, files and the exit code.

import type { Surroundings } from "./frames.ts";

/** Imported into the image: the library lies in a zip of sources, and compiling it again in every fresh program would take longer than most programs. */
const imported =
  "abc argparse array ast asyncio base64 bisect builtins calendar cmath code collections.abc contextlib copy csv dataclasses datetime decimal " +
  "difflib doctest enum fractions functools gc hashlib heapq html inspect io itertools json keyword linecache locale logging math numbers " +
  "operator os pathlib pickle platform pprint queue random re runpy select selectors shlex shutil signal statistics string struct subprocess " +
  "sys tempfile textwrap threading time timeit traceback types typing unicodedata unittest unittest.mock uuid warnings weakref";

const source = String.raw`
import asyncio, atexit, base64, builtins, errno, io, json, linecache, os, random, runpy, select, selectors, sys, time, traceback, types

_waiter = select.poll()

def sleep(seconds, /):
    milliseconds = float(seconds) * 1000
    if not milliseconds >= 0:
        raise ValueError("sleep length must be non-negative")
    _waiter.poll(milliseconds)

class _Idle(selectors.BaseSelector):
    """There is nothing to listen to: only time passes."""
    def __init__(self): self._keys = {}
    def register(self, fileobj, events, data=None): raise PermissionError(errno.EPERM, "Operation not permitted")
    def unregister(self, fileobj): raise KeyError(fileobj)
    def get_map(self): return self._keys
    def select(self, timeout=None):
        sleep(3600 if timeout is None else max(timeout, 0))
        return []

class _Loop(asyncio.selector_events.BaseSelectorEventLoop):
    def __init__(self): super().__init__(_Idle())
    def _make_self_pipe(self): pass
    def _close_self_pipe(self): pass
    def _write_to_self(self): pass

class _Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = _Loop

class _Hidden:
    """What belongs to the runtime is no module of this Python."""
    names = frozenset(("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "_ctypes"))
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in cls.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def seal():
    asyncio.run = asyncio.runners.run
    asyncio._set_running_loop(None)
    asyncio.events._event_loop_policy = _Policy()
    time.sleep = sleep
    sys.meta_path[:] = [_Hidden] + [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_pyodide")
                                    and not getattr(finder, "__module__", "").startswith("_pyodide")]
    for name in list(sys.modules):
        if name.partition(".")[0] in _Hidden.names: del sys.modules[name]
    sys.executable = "/usr/bin/python3"
    sys.excepthook = sys.__excepthook__
    sys.dont_write_bytecode = True
    atexit._clear()

def run(text):
    code = 1
    try:
        code = _run(json.loads(base64.b64decode(text)))
    finally:
        os._exit(code)

def _run(request):
    os.environ.clear()
    os.environ.update(request["env"])
    random.seed()
    unbuffered = request["isUnbuffered"] or bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = sys.__stdin__ = open(0, "r", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = sys.__stdout__ = _writer(1, "strict", False, unbuffered)
    sys.stderr = sys.__stderr__ = _writer(2, "backslashreplace", True, unbuffered)
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    main.__annotations__ = {}
    sys.modules["__main__"] = main
    sys.argv = list(request["argv"])
    sys.orig_argv = ["python3"] + sys.argv
    sys.path[:] = [path for path in sys.path if path]
    if os.environ.get("PYTHONPATH") and not request["isSafePath"]: sys.path[0:0] = os.environ["PYTHONPATH"].split(":")
    try:
        code = _program(request, main)
        atexit._run_exitfuncs()
    except BaseException as error:
        code = _uncaught(error)
    return _flushed(code)

def _writer(number, errors, is_line_buffered, is_unbuffered):
    raw = io.FileIO(number, "w", closefd=False)
    text = io.TextIOWrapper(raw if is_unbuffered else io.BufferedWriter(raw), encoding="utf-8", errors=errors,
                            line_buffering=is_line_buffered, write_through=is_unbuffered)
    raw.name = "<stdout>" if number == 1 else "<stderr>"
    text.mode = "w"
    return text

def _program(request, main):
    kind = request["kind"]
    try:
        if kind == "module":
            _search(request, os.getcwd())
            sys.argv[0] = "-m"
            runpy._run_module_as_main(request["text"])
            return 0
        code = _compiled(request, main)
        if code is None: return 2
        exec(code, main.__dict__)
        return 0
    except SystemExit as error:
        return _status(error.code)
    except BaseException as error:
        return _uncaught(error)

def _search(request, folder):
    if not request["isSafePath"]: sys.path.insert(0, folder)

def _compiled(request, main):
    if request["kind"] == "file":
        path = sys.argv[0]
        try:
            with open(path, "rb") as file: text = file.read()
        except OSError as error:
            number = 2 if isinstance(error, FileNotFoundError) else error.errno
            sys.stderr.write(f"python3: can't open file {os.path.abspath(path)!r}: [Errno {number}] {error.strerror}\n")
            return None
        _search(request, os.path.dirname(os.path.realpath(path)))
        main.__file__ = os.path.abspath(path)
        return compile(text, main.__file__, "exec", dont_inherit=True)
    _search(request, "")
    name = "<string>" if request["kind"] == "text" else "<stdin>"
    text = request["text"] if request["kind"] == "text" else sys.stdin.read()
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    return compile(text, name, "exec", dont_inherit=True)

def _status(code):
    if code is None: return 0
    if isinstance(code, int): return code & 0xFF
    _try(lambda: print(code, file=sys.stderr))
    return 1

def _uncaught(error):
    if isinstance(error, SystemExit): return _status(error.code)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is globals(): trace = trace.tb_next
    error.__traceback__ = trace
    _try(lambda: sys.stdout.flush())
    _try(lambda: sys.excepthook(type(error), error, trace))
    return 130 if isinstance(error, KeyboardInterrupt) else 1

def _flushed(code):
    for stream in (sys.stdout, sys.__stdout__):
        if not _try(lambda: stream.closed or stream.flush()): code = code or 120
    for stream in (sys.stderr, sys.__stderr__): _try(lambda: stream.closed or stream.flush())
    return code

def _try(work):
    try:
        work()
        return True
    except BaseException:
        return False
`;

/** To be run once, before the image is taken. */
export const prepare = `
import sys, types, importlib
for _name in ${JSON.stringify(imported)}.split():
    importlib.import_module(_name)
_hone = types.ModuleType("_hone")
sys.modules["_hone"] = _hone
exec(compile(${JSON.stringify(source)}, "<runtime>", "exec"), _hone.__dict__)
import gc; gc.collect()
`;

/** To be run once in every interpreter, as the last thing before its memory is copied. */
export const seal = `
import sys; sys.modules["_hone"].seal()
import gc; gc.collect()
`;

export interface Program {
  readonly kind: "file" | "text" | "input" | "module";
  /** The code itself, or the module's name. */
  readonly text: string;
  /** As the program sees it, the program's own name first. */
  readonly argv: readonly string[];
  readonly isUnbuffered: boolean;
  /** -I or -P: neither the program's folder nor the working folder is searched for modules. */
  readonly isSafePath: boolean;
}

/** What the host asks a Pyodide child to run. */
export interface PythonBody extends Surroundings {
  readonly program: Program;
}

/** The statement that starts a program; it never returns, because the program ends in an exit. */
export function call(program: Program, env: Readonly<Record<string, string>>): string {
  const request = Buffer.from(JSON.stringify({ ...program, env })).toString("base64");
  return `import sys; sys.modules["_hone"].run("${request}")`;
}
