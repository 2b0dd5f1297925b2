// Runs tests on a program in a sandbox. A test is either input and expected output, or code that is appended to the program and must end without
// an error. Each test is one process with its own time limit; every outcome is counted under one name.
import { HoneError, type Sandbox } from "@hone/core";
import { type Language, languages } from "./languages.ts";

export type CodeTest =
  | { readonly stdin: string; readonly stdout: string }
  /** Appended to the program: assertions, a call of check(...). */
  | { readonly code: string };

export type TestOutcome = "passed" | "compile-error" | "run-error" | "wrong-answer" | "time-out";

export interface RunTests {
  readonly sandbox: Sandbox;
  /** A key of `languages`, or a description of one. */
  readonly language: string | Language;
  readonly program: string;
  readonly tests: readonly CodeTest[];
  readonly testSeconds?: number;
  /** Stop at the first test that does not pass: the share is then not known, only that it is not all. */
  readonly failFast?: boolean;
}

export interface TestReport {
  /** In the order of the tests. */
  readonly outcomes: readonly TestOutcome[];
  /** Share of tests that passed. */
  readonly share: number;
  /** What the first test that did not pass printed last. */
  readonly message: string;
}

export async function runTests({
  sandbox,
  language,
  program,
  tests,
  testSeconds = 10,
  failFast = false,
}: RunTests): Promise<TestReport> {
  const { file, compile, run, isBuilt = false } = typeof language === "string" ? findLanguage(language) : language;
  const cwd = "/work";
  const timeoutMs = testSeconds * 1000;
  const outcomes: TestOutcome[] = [];
  let message = "";
  await sandbox.write(`${cwd}/${file}`, program);
  const compiled = compile === undefined || (await compiles(compile));
  for (const test of tests) {
    const outcome = compiled ? await one(test) : "compile-error";
    outcomes.push(outcome);
    if (failFast && outcome !== "passed") break;
  }
  const passed = outcomes.filter((outcome) => outcome === "passed").length;
  return { outcomes, share: tests.length === 0 ? 0 : passed / tests.length, message };

  async function compiles(command: string): Promise<boolean> {
    const { exitCode, stdout, stderr } = await sandbox.exec(command, { cwd, timeoutMs: 60_000 });
    if (exitCode !== 0) message = tail(stderr || stdout);
    return exitCode === 0;
  }

  async function one(test: CodeTest): Promise<TestOutcome> {
    if ("code" in test) await sandbox.write(`${cwd}/${file}`, `${program}\n\n${test.code}\n`);
    const prepare = "code" in test && compile !== undefined && isBuilt ? `${compile} && ` : "";
    const stdin = "code" in test ? "" : test.stdin;
    const { exitCode, stdout, stderr, timedOut } = await sandbox.exec(prepare + run, { cwd, stdin, timeoutMs });
    if (timedOut) return "time-out";
    if (exitCode !== 0) {
      message ||= tail(stderr || stdout);
      return isAssertion.test(stderr) ? "wrong-answer" : "run-error";
    }
    if ("code" in test || sameOutput(stdout, test.stdout)) return "passed";
    message ||= `printed ${JSON.stringify(tail(stdout))}, expected ${JSON.stringify(tail(test.stdout))}`;
    return "wrong-answer";
  }
}

/** As Python, Node and C say that an assertion did not hold; a source line in a traceback is indented. */
const isAssertion = /^(?:Uncaught )?AssertionError|Assertion [`'].* failed/m;

/** White space at line ends and at the end of the output does not matter. */
function sameOutput(printed: string, expected: string): boolean {
  const lines = (text: string): string =>
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  return lines(printed) === lines(expected);
}

function tail(text: string): string {
  return text.trim().slice(-400);
}

function findLanguage(name: string): Language {
  const found = Object.hasOwn(languages, name) ? languages[name] : undefined;
  if (found !== undefined) return found;
  throw new HoneError(`There is no language ${name}.`, {
    code: "unknown-language",
    hint: `Known: ${Object.keys(languages).join(", ")}. Another is an object: { file, compile, run }.`,
  });
}

/** The last fenced block of a reply, of the language where one is named so; the whole reply when there is none. */
export function extractCode(reply: string, language?: string): string {
  const blocks: { readonly tag: string; readonly code: string }[] = [];
  const pieces = reply.split("```");
  for (let index = 1; index + 1 < pieces.length; index += 2) {
    const piece = pieces[index] ?? "";
    const newline = piece.indexOf("\n");
    if (newline >= 0)
      blocks.push({ tag: piece.slice(0, newline).trim().toLowerCase(), code: piece.slice(newline + 1) });
  }
  const tagged = language === undefined ? undefined : blocks.findLast(({ tag }) => tag === language);
  return (tagged ?? blocks.at(-1))?.code ?? reply;
}
