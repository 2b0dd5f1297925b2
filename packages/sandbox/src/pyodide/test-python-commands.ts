// The deeds of the conformance suites in Python, for sandboxes whose only program is python3. Used by tests.
import { quote } from "../shared/quote.ts";
import type { SandboxCommands } from "../testing/commands.ts";

const python = (code: string): string => `python3 -c ${quote(code)}`;
/** A Python literal: JSON's escapes are Python's too. */
const text = (value: string): string => JSON.stringify(value);

export const pythonCommands: SandboxCommands = {
  print: (value) => python(`print(${text(value)}, end="")`),
  printError: (value) => python(`import sys; sys.stderr.write(${text(value)})`),
  exitWith: (code) => python(`raise SystemExit(${code})`),
  copyInput: () => python("import sys; sys.stdout.write(sys.stdin.read())"),
  printVariable: (name) => python(`import os; print(os.environ.get(${text(name)}, "").replace(chr(10), ""), end="")`),
  printVariables: () => python('import os; print("\\n".join(f"{k}={v}" for k, v in os.environ.items()))'),
  printFolder: () => python('import os; print(os.getcwd(), end="")'),
  fill: (bytes) => python(`print("x" * ${bytes}, end="")`),
  printFile: (path) => python(`print(open(${text(path)}).read(), end="")`),
  writeFile: (path, value) => python(`open(${text(path)}, "w").write(${text(value)})`),
  link: (target, path) => python(`import os; os.symlink(${text(target)}, ${text(path)})`),
  loop: () => python("while True: pass"),
  sleep: (seconds) => python(`import time; time.sleep(${seconds})`),
  flood: () => python('while True: print("flood " * 8)'),
  takeMemory: () => python("kept = []\nwhile True: kept.append(bytearray(10_000_000))"),
  fillDisk: (path) => python(`file = open(${text(path)}, "wb")\nwhile True: file.write(bytes(100_000))`),
  connect: (host, port) => python(`import socket; socket.create_connection((${text(host)}, ${port}), 2)`),
  echoLines: () =>
    python(
      "import sys\nfor line in iter(sys.stdin.readline, ''):\n" +
        "    if line == 'end\\n': sys.exit(5)\n    print('>' + line, end='', flush=True)",
    ),
};
