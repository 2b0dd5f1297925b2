// What the suites run, as one vocabulary: a provider whose commands are no shell hands in its own words for the same deeds.
import { quote } from "../shared/quote.ts";

/** Each gives the text of a command for `exec` or `start`. Plain data: a provider may replace any of them. */
export interface SandboxCommands {
  /** Prints the text, without a line end. */
  readonly print: (text: string) => string;
  readonly printError: (text: string) => string;
  readonly exitWith: (code: number) => string;
  /** Prints what it reads from standard input, until that ends. */
  readonly copyInput: () => string;
  /** Prints the value of an environment variable, or nothing. */
  readonly printVariable: (name: string) => string;
  /** Prints names and values of all environment variables. */
  readonly printVariables: () => string;
  readonly printFolder: () => string;
  /** Prints so many times the letter x. */
  readonly fill: (bytes: number) => string;
  /** Fails when there is none. */
  readonly printFile: (path: string) => string;
  readonly writeFile: (path: string, text: string) => string;
  readonly link: (target: string, path: string) => string;
  /** Does nothing for ever, and uses the processor for it. */
  readonly loop: () => string;
  readonly sleep: (seconds: number) => string;
  /** Prints for ever. */
  readonly flood: () => string;
  /** Takes memory without end, in one process. */
  readonly takeMemory: () => string;
  /** Writes without end into a file. */
  readonly fillDisk: (path: string) => string;
  /** Ends with 0 if it gets a connection. */
  readonly connect: (host: string, port: number) => string;
  /** For `start`: prints ">" and each line of its input, as it comes, and ends with 5 at the line "end". */
  readonly echoLines: () => string;
}

export const shellCommands: SandboxCommands = {
  print: (text) => `printf %s ${quote(text)}`,
  printError: (text) => `printf %s ${quote(text)} >&2`,
  exitWith: (code) => `exit ${code}`,
  copyInput: () => "cat",
  printVariable: (name) => `printenv ${name} | tr -d '\\n'`,
  printVariables: () => "env",
  printFolder: () => "pwd | tr -d '\\n'",
  fill: (bytes) => `head -c ${bytes} /dev/zero | tr '\\0' x`,
  printFile: (path) => `cat ${quote(path)}`,
  writeFile: (path, text) => `printf %s ${quote(text)} > ${quote(path)}`,
  link: (target, path) => `ln -s ${quote(target)} ${quote(path)}`,
  loop: () => "while :; do :; done",
  sleep: (seconds) => `sleep ${seconds}`,
  flood: () => "while :; do echo flood flood flood flood flood flood flood; done",
  takeMemory: () => "tail /dev/zero",
  fillDisk: (path) => `cat /dev/zero > ${quote(path)}`,
  connect: (host, port) => `exec 3<>/dev/tcp/${host}/${port}`,
  echoLines: () => 'while read -r line; do [ "$line" = end ] && exit 5; echo ">$line"; done',
};
