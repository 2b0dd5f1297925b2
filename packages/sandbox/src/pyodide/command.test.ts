import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quote } from "../shared/quote.ts";
import { parseCommand } from "./command.ts";

const program = (command: string): unknown => {
  const parsed = parseCommand(command);
  return "program" in parsed ? parsed.program : parsed;
};

describe("python3 with words is a program", () => {
  test.each([
    ["python3 a.py x 'y z'", { kind: "file", argv: ["a.py", "x", "y z"] }],
    ["/usr/bin/python3.14 a.py", { kind: "file", argv: ["a.py"] }],
    ["python -c 'print(1)' a", { kind: "text", text: "print(1)", argv: ["-c", "a"] }],
    [String.raw`python3 -c "print(\"a\nb\")"`, { kind: "text", text: String.raw`print("a\nb")`, argv: ["-c"] }],
    ["python3 -u -B -m unittest -v", { kind: "module", text: "unittest", argv: ["-m", "-v"], isUnbuffered: true }],
    ["python3 -I a.py", { kind: "file", argv: ["a.py"], isSafePath: true }],
    ["python3", { kind: "input", argv: [""] }],
    ["python3 - a", { kind: "input", argv: ["-", "a"] }],
    ["python3 \\\n  a.py\n", { kind: "file", argv: ["a.py"] }],
  ])("%j", (command, expected) => {
    expect(program(command)).toEqual({ text: "", isUnbuffered: false, isSafePath: false, ...expected });
  });

  test("any code survives quoting", () => {
    const text = fc.string().filter((code) => !code.includes("\0"));
    fc.assert(
      fc.property(text, (code) => {
        expect(program(`python3 -c ${quote(code)}`)).toMatchObject({ text: code });
      }),
    );
  });

  test("a here-document is its standard input", () => {
    const body = "print('$HOME')\n\nprint(2)";
    expect(parseCommand(`python3 - a <<'END'\n${body}\nEND\n`)).toMatchObject({
      program: { kind: "input", argv: ["-", "a"] },
      stdin: `${body}\n`,
    });
    expect(parseCommand("python3 <<END\nprint(1)\nEND")).toMatchObject({ stdin: "print(1)\n" });
    expect(parseCommand("python3 <<END\nEND")).toMatchObject({ stdin: "" });
    expect(parseCommand("python3 <<END\nprint('$x')\nEND")).toMatchObject({ exitCode: 2 });
  });
});

describe("what a shell would do is refused, with a shell's exit code", () => {
  test.each([
    ["ls -l", 127, "ls: not found"],
    ["bash -c 'python3 a.py'", 127, "bash: not found"],
    ["", 2, "empty"],
    ["python3 a.py | head", 2, '"|"'],
    ["python3 a.py > out", 2, '">"'],
    ["cd x && python3 a.py", 2, '"&"'],
    ["python3 a.py\npython3 b.py", 2, String.raw`"\n"`],
    ["python3 *.py", 2, '"*"'],
    ['python3 -c "print($x)"', 2, "$ is not replaced"],
    ["python3 -c 'print(1)", 2, "not closed"],
    ['python3 -c "print(1)', 2, "not closed"],
    ["python3 a.py \\", 2, "backslash"],
    ["python3 -c", 2, "-c"],
    ["python3 -i", 2, "-i"],
  ])("%j ends with %i", (command, exitCode, words) => {
    expect(parseCommand(command)).toMatchObject({ exitCode, message: expect.stringContaining(words) });
  });
});
