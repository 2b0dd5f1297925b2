// TOML text to a tree with places and every problem of the file, not only the first: a statement that cannot be read is reported,
// set aside, and the rest is read. TOML 1.1; dates become strings as written; integers beyond 2^53 are refused.
import type { JsonObject } from "@hone/core";
import type { AST } from "toml-eslint-parser";
import { type FindPlace, inOrder, type Issue, issuesError } from "./place.ts";
import { type Positions, positionsOf } from "./positions.ts";
import {
  blankOut,
  type Described,
  describeFault,
  type Statement,
  statementAt,
  type SyntaxFault,
  tooLarge,
  tryParse,
} from "./syntax.ts";
import { treeOf } from "./syntax-tree.ts";
import { type At, entryAt, type Table, toPlain, type Tree } from "./tree.ts";

/** Beyond this the faults are those of a file that is not TOML at all. */
const maxFaults = 20;

export interface TomlFile {
  readonly value: JsonObject;
  /** Where the value at a path was written; `of: "key"` for its key. */
  readonly place: FindPlace;
}

/** Throws one error with all problems. */
export function parseToml(text: string, file: string): TomlFile {
  const { table, issues } = readToml(text, file);
  if (issues.length > 0) throw issuesError(inOrder(issues, [file]));
  const place: FindPlace = (path, of = "value") => {
    const entry = entryAt(table, path);
    return of === "key" ? entry?.keyAt : entry?.value.at;
  };
  return { value: toPlain(table), place };
}

/** Never throws for what is in the text: what could be read, and what could not. */
export function readToml(text: string, file: string): { readonly table: Table; readonly issues: readonly Issue[] } {
  const source = text.replace(/^\ufeff/, "");
  const positions = positionsOf(source, file);
  const issues: Issue[] = [];
  const program = recover(source, (fault, rest) => {
    const { index, message } = explainFault(rest, fault, positions);
    issues.push({ path: "", message, at: positions.placeAt(index) });
  });
  return { table: treeOf(program, positions, issues), issues };
}

/** What remains when each statement with a fault is set aside; `onFault` sees the text as it was before that. */
function recover(text: string, onFault: (fault: SyntaxFault, source: string) => void): AST.TOMLProgram {
  let source = text;
  for (let faults = 0; ; faults++) {
    const parsed = tryParse(source);
    if ("type" in parsed) return parsed;
    onFault(parsed, source);
    const isHopeless = parsed.reason === tooLarge || faults === maxFaults;
    source = isHopeless ? "" : blankOut(source, statementAt(source, parsed.index));
  }
}

function explainFault(source: string, fault: SyntaxFault, positions: Positions): Described {
  if (fault.reason === tooLarge) return { index: 0, message: tooLarge };
  const statement = statementAt(source, fault.index);
  if (!fault.isDuplicate) return describeFault(source, fault, statement);
  return { index: fault.index, message: duplicateMessage(source, fault.index, statement, positions) };
}

function duplicateMessage(source: string, index: number, statement: Statement, positions: Positions): string {
  const first = firstDefinition(source, statement, positions);
  const name = /^(?:[\w-]+|"[^"]*"|'[^']*')/.exec(source.slice(index))?.[0] ?? "";
  return `Key \`${name}\` is set twice${first === undefined ? "" : `, first on line ${first.line}`}.`;
}

/** Where the key of a repeated statement was defined before. Undefined when both are inside that one statement. */
function firstDefinition(source: string, { start, end }: Statement, positions: Positions): At {
  const before = recover(source.slice(0, start), () => {});
  const repeated = tryParse(source.slice(start, end));
  if (!("type" in repeated)) return undefined;
  const [node] = repeated.body[0].body;
  if (node === undefined) return undefined;
  const names = node.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  const table = before.body[0].body.at(-1);
  const base = node.type === "TOMLKeyValue" && table?.type === "TOMLTable" ? table.resolvedKey : [];
  return closestKey(treeOf(before, positions, []), [...base, ...names]);
}

/** The key of the longest part of the path that exists; an array of tables means its last item. */
function closestKey(root: Tree, path: readonly (string | number)[]): At {
  let current: Tree = root;
  let found: At;
  for (const segment of path) {
    if (current.kind === "list" && typeof segment === "string") current = current.items.at(-1) ?? current;
    const entry = entryAt(current, [segment]);
    if (entry === undefined) break;
    found = entry.keyAt;
    current = entry.value;
  }
  return found;
}
