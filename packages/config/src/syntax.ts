// One syntax error to one message, and how much text to set aside so that the rest can be read and its errors reported too.
// The parser stops at its first error, so a file is read again with the broken statement blanked; offsets never move.
import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { positionsOf } from "./positions.ts";
import { isSecretName } from "./secret.ts";

export interface SyntaxFault {
  readonly index: number;
  readonly reason: string;
  readonly isDuplicate: boolean;
}
/** From the start of its first line to the start of the first line after it. */
export interface Statement {
  readonly start: number;
  readonly end: number;
}

export function tryParse(source: string): AST.TOMLProgram | SyntaxFault {
  try {
    return parseTOML(source);
  } catch (error) {
    if (error instanceof ParseError) {
      return { index: error.index, reason: error.message, isDuplicate: error.message.startsWith("Defining a key") };
    }
    // The parser recurses per level and spreads a string's characters onto the stack.
    if (error instanceof RangeError) return { index: 0, reason: tooLarge, isDuplicate: false };
    throw error;
  }
}

export const tooLarge = "the file is nested too deeply, or holds too long a text, to be read";

/** The statement that holds the fault: back to the last line before which all is complete, on to the next that begins one. */
export function statementAt(source: string, index: number): Statement {
  const lines = positionsOf(source, "");
  const isStart = (line: number): boolean => isComplete(source.slice(0, lines.startOf(line)));
  let first = lines.lineAt(index);
  if (!isStart(first)) {
    do first--;
    while (first > 0 && !(opens.test(lines.textOf(first)) && isStart(first)));
  }
  const opening = lines.textOf(first);
  const begins = /^\s*\[/.test(opening) ? header : statement;
  let next = first + 1;
  while (
    next < lines.lineCount &&
    !(begins.test(lines.textOf(next)) && indent(lines.textOf(next)) <= indent(opening))
  ) {
    next++;
  }
  return { start: lines.startOf(first), end: lines.startOf(next) };
}

export function blankOut(source: string, { start, end }: Statement): string {
  return source.slice(0, start) + source.slice(start, end).replaceAll(/[^\r\n]/g, " ") + source.slice(end);
}

/** What to say, and where: an error found only lines later is shown at the end of the line that caused it. */
export function describeFault(source: string, fault: SyntaxFault, { start }: Statement): Described {
  const lines = positionsOf(source, "");
  const line = lines.lineAt(start);
  const message = messages[fault.reason] ?? lowerFirst(fault.reason);
  if (lines.lineAt(fault.index) === line) {
    const advice = fault.reason === "Unexpected character" ? unquotedAdvice(source, start, fault.index) : "";
    return { index: fault.index, message: message + advice };
  }
  const opening = lines.textOf(line);
  const isAtEnd = source.slice(fault.index).trim() === "";
  const cause = opening.trimStart().startsWith("[") ? unclosed["header"] : unfinished(opening, isAtEnd);
  if (cause !== undefined) return { index: start + opening.trimEnd().length, message: cause };
  return { index: fault.index, message: `${message}, in the value that begins on line ${line + 1}` };
}

export interface Described {
  readonly index: number;
  readonly message: string;
}

/** What the first line of a statement left open, where that alone explains the fault. */
function unfinished(opening: string, isAtEnd: boolean): string | undefined {
  if (/=\s*(?:#.*)?$/.test(opening)) return noValue;
  const bracket = /=\s*([[{"'])/.exec(opening)?.[1];
  return isAtEnd && bracket !== undefined ? unclosed[bracket] : undefined;
}

function unquotedAdvice(source: string, start: number, index: number): string {
  const before = source.slice(start, index);
  const name = /^\s*([^=]*)/.exec(before)?.[1] ?? "";
  if (!/[=[,]\s*$/.test(before) || isSecretName(name)) return "";
  const word = /^[^\s,\]}#"']+/.exec(source.slice(index))?.[0] ?? "";
  if (/^(?:true|false)$/i.test(word)) return `. TOML writes \`${word.toLowerCase()}\`.`;
  if (/^(?:none|null|nil)$/i.test(word)) return ". TOML has no null: leave the key out.";
  return /^[a-z./~@]/i.test(word) ? `. Text needs quotes: \`"${word}"\`.` : "";
}

/** What was set aside before is blank, so the text before a line fails only when a value is still open. */
function isComplete(source: string): boolean {
  const parsed = tryParse(source);
  return "type" in parsed || parsed.isDuplicate;
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

const key = String.raw`(?:[\w-]+|"[^"]*"|'[^']*')`;
const path = String.raw`\s*${key}(?:\s*\.\s*${key})*\s*`;
const header = new RegExp(String.raw`^\s*(?:\[${path}\]|\[\[${path}\]\])\s*(?:#.*)?$`);
const statement = new RegExp(String.raw`${header.source}|^${path}=`);

/** What a value or header over several lines can begin with. */
const opens = new RegExp(String.raw`^\s*\[|^${path}=`);
const noValue = "a value is missing after `=`";
const unclosed: Readonly<Record<string, string>> = {
  header: "the table name is not closed with `]`",
  "[": "the array is not closed with `]`",
  "{": "the table is not closed with `}`",
  '"': "the string is not closed",
  "'": "the string is not closed",
};

/** The parser's words to ours; a reason that is not here is shown as the parser puts it. */
const messages: Readonly<Record<string, string | undefined>> = {
  "Unterminated string constant": unclosed['"'],
  "Unterminated table-key": unclosed["header"],
  "Unterminated array": unclosed["["],
  "Unterminated inline table": unclosed["{"],
  "Empty bare keys are not allowed": "a key is missing",
  "Must be a newline": "expected the end of the line",
  "Expected equal (=) token": "expected `=` after the key",
  "Unspecified values are invalid": noValue,
  "Expected comma (,) token": "expected a comma",
};
