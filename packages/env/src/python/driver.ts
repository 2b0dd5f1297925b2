// The Python side of a persistent session: a program for any CPython from 3.8 on, standard library only. It reads one JSON request per line on standard
// input and writes one JSON answer per line on a private copy of standard output. Descriptors 1 and 2 point at a file while a cell runs, so what
// child processes and C code print is caught too, in order. A cell behaves as at Python's own prompt: the value of a last expression is shown.
export const pythonDriver = `
import ast, io, json, linecache, os, signal, sys, tempfile, traceback

signal.signal(signal.SIGINT, signal.SIG_IGN)

answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
null = os.open(os.devnull, os.O_RDONLY)
os.dup2(null, 0)
space = {"__name__": "__main__", "__builtins__": __builtins__}
count = 0

def show(value):
    if value is not None:
        space["_"] = value
        print(repr(value))

def run(code, name):
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        exec(compile(tree, name, "exec"), space)
    if last is not None:
        show(eval(compile(ast.Expression(last.value), name, "eval"), space))

def explain(name):
    kind, error, trace = sys.exc_info()
    while trace is not None and trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    sys.stderr.write("".join(traceback.format_exception(kind, error, trace)))

def cell(code, limit):
    global count
    count += 1
    name = "<cell %d>" % count
    caught = tempfile.TemporaryFile()
    saved = os.dup(1), os.dup(2)
    os.dup2(caught.fileno(), 1)
    os.dup2(caught.fileno(), 2)
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", 0, closefd=False), encoding="utf-8", errors="replace", write_through=True)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0, closefd=False), encoding="utf-8", errors="replace", write_through=True)
    ok = False
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        run(code, name)
        ok = True
    except SystemExit as end:
        print("SystemExit: %s" % (end.code,))
    except BaseException:
        explain(name)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        os.close(saved[0])
        os.close(saved[1])
    size = caught.seek(0, 2)
    caught.seek(0)
    text = caught.read(limit).decode("utf-8", "replace")
    caught.close()
    return {"ok": ok, "text": text, "dropped": max(0, size - limit)}

answers.write(json.dumps({"id": 0, "ready": sys.version.split()[0]}) + "\\n")
answers.flush()
for line in iter(requests.readline, ""):
    request = json.loads(line)
    result = cell(request["code"], request["limit"])
    result["id"] = request["id"]
    answers.write(json.dumps(result) + "\\n")
    answers.flush()
`;
