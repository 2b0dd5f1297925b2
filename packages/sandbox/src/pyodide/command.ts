// The commands that a Pyodide sandbox understands. There is no shell and no other program in it, only python3, so a command is python3 with words:
//   python3 FILE [ARGUMENTS]   python3 -c CODE [ARGUMENTS]   python3 -m MODULE [ARGUMENTS]   python3 [-] [ARGUMENTS], the program on standard input
// with -u, -I, -P and the switches that change nothing here, quotes as in a shell, and a here-document as standard input. What else a shell would do is refused
// in words, with the exit code that a shell has for it.
import type { Program } from "../child/pyodide-python.ts";

export interface PythonCommand {
  readonly program: Program;
  /** From a here-document. */
  readonly stdin?: string;
}
export interface RefusedCommand {
  readonly exitCode: 2 | 127;
  readonly message: string;
}

const notFound = 127;
const badUsage = 2;
/** Switches of python3 that make no difference to a program here. */
const idle = new Set(["-B", "-b", "-E", "-q", "-s", "-S"]);

export function parseCommand(command: string): PythonCommand | RefusedCommand {
  const document = /^([^\n]*?)<<-?[ \t]*(['"]?)(\w+)\2[ \t]*\n(?:([\s\S]*)\n)?\3\s*$/.exec(command);
  const line = document?.[1] ?? command;
  const stdin = document === null ? undefined : document[4] === undefined ? "" : `${document[4]}\n`;
  if (stdin !== undefined && document?.[2] === "" && /[$`]/.test(stdin)) {
    return refuse("nothing is replaced in a here-document here; quote its word: <<'END'");
  }
  const words = split(line);
  if (typeof words === "string") return refuse(words);
  const [name, ...rest] = words;
  if (name === undefined) return { exitCode: badUsage, message: "The command is empty." };
  if (!/^(\/usr\/bin\/)?python(3(\.\d+)?)?$/.test(name)) {
    return { exitCode: notFound, message: `${name}: not found. This sandbox has no shell and no program but python3.` };
  }
  const program = parseArguments(rest);
  if ("message" in program) return program;
  return stdin === undefined ? { program } : { program, stdin };
}

function parseArguments(words: readonly string[]): Program | RefusedCommand {
  const switches = { isUnbuffered: false, isSafePath: false };
  for (const [index, word] of words.entries()) {
    const rest = words.slice(index + 1);
    if (word === "-u") switches.isUnbuffered = true;
    else if (word === "-I" || word === "-P") switches.isSafePath = true;
    else if (word === "-c" || word === "-m") {
      const [text, ...argv] = rest;
      if (text === undefined) return { exitCode: badUsage, message: `Argument expected for the ${word} option` };
      return { kind: word === "-c" ? "text" : "module", text, argv: [word, ...argv], ...switches };
    } else if (word === "-") return { kind: "input", text: "", argv: ["-", ...rest], ...switches };
    else if (!word.startsWith("-")) return { kind: "file", text: "", argv: [word, ...rest], ...switches };
    else if (!idle.has(word))
      return { exitCode: badUsage, message: `python3: the option ${word} does not exist here.` };
  }
  return { kind: "input", text: "", argv: [""], ...switches };
}

/** The words of a line, or why it has none. */
function split(line: string): readonly string[] | string {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === "'") {
      const end = line.indexOf("'", at + 1);
      if (end < 0) return "a quote is not closed";
      word = (word ?? "") + line.slice(at + 1, end);
      at = end;
    } else if (character === '"') {
      const quoted = doubleQuoted(line, at + 1);
      if (typeof quoted === "string") return quoted;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (character === "\\") {
      const next = line[++at];
      if (next === undefined) return "it ends in a backslash";
      if (next !== "\n") word = (word ?? "") + next;
    } else if (character === " " || character === "\t" || (character === "\n" && line.slice(at).trim() === "")) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if ("|&;<>()$`*?[]{}#\n".includes(character)) {
      return `${JSON.stringify(character)} means something to a shell, and there is none`;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

function doubleQuoted(line: string, start: number): { readonly text: string; readonly end: number } | string {
  let text = "";
  for (let at = start; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === '"') return { text, end: at };
    if (character === "$" || character === "`")
      return `${character} is not replaced here; write '...' instead of "..."`;
    const next = line[at + 1];
    if (character === "\\" && next !== undefined && '\\"$`\n'.includes(next)) {
      text += next === "\n" ? "" : next;
      at++;
    } else text += character;
  }
  return "a quote is not closed";
}

function refuse(reason: string): RefusedCommand {
  return {
    exitCode: badUsage,
    message: `This sandbox runs python3 without a shell, and cannot read the command: ${reason}.`,
  };
}
