// The parser's syntax tree to a tree with places. Dates stay text as written (configuration is plain data);
// an integer that a number cannot hold exactly is an issue, never a rounded value.
import type { AST } from "toml-eslint-parser";
import type { Issue } from "./place.ts";
import type { Positions } from "./positions.ts";
import type { At, Entry, Table, Tree } from "./tree.ts";

interface OpenTable extends Table {
  readonly entries: Map<string, Entry>;
}

export function treeOf(program: AST.TOMLProgram, positions: Positions, issues: Issue[]): Table {
  const { file } = positions.placeAt(0);
  // No text: a key missing at the top level is nobody's line.
  const root = openTable({ file, line: 1, column: 1 });
  for (const node of program.body[0].body) {
    if (node.type === "TOMLKeyValue") assign(root, node, positions, issues);
    else {
      const table = openHeader(root, node, positions);
      for (const pair of node.body) assign(table, pair, positions, issues);
    }
  }
  return root;
}

/** The table a `[header]` opens; `resolvedKey` says which item of an array of tables is meant. */
function openHeader(root: OpenTable, node: AST.TOMLTable, positions: Positions): OpenTable {
  const keys = node.key.keys[Symbol.iterator]();
  let at: At = root.at;
  let current: Tree = root;
  for (const [index, segment] of node.resolvedKey.entries()) {
    if (typeof segment === "string") at = placeOf(keys.next().value, positions) ?? at;
    const isList = typeof node.resolvedKey[index + 1] === "number";
    current = descend(current, segment, isList ? { kind: "list", items: [], at } : openTable(at), at);
  }
  return current as OpenTable;
}

function assign(table: OpenTable, pair: AST.TOMLKeyValue, positions: Positions, issues: Issue[]): void {
  const last = pair.key.keys.length - 1;
  let current: Tree = table;
  for (const [index, key] of pair.key.keys.entries()) {
    const keyAt = placeOf(key, positions);
    const fresh: Tree = index === last ? valueOf(pair.value, positions, issues) : openTable(keyAt);
    current = descend(current, key.type === "TOMLBare" ? key.name : key.value, fresh, keyAt);
  }
}

/** The child of a table or list, made from `fresh` where there is none yet. The parser has refused duplicates. */
function descend(parent: Tree, segment: string | number, fresh: Tree, keyAt: At): Tree {
  if (parent.kind === "list") {
    const known = parent.items[Number(segment)];
    if (known === undefined) (parent.items as Tree[]).push(fresh);
    return known ?? fresh;
  }
  const { entries } = parent as OpenTable;
  const known = entries.get(String(segment));
  if (known === undefined) entries.set(String(segment), { keyAt, value: fresh });
  return known?.value ?? fresh;
}

function valueOf(node: AST.TOMLContentNode, positions: Positions, issues: Issue[]): Tree {
  const at = positions.placeAt(node.range[0]);
  if (node.type === "TOMLArray") {
    return { kind: "list", items: node.elements.map((element) => valueOf(element, positions, issues)), at };
  }
  if (node.type === "TOMLInlineTable") {
    const table = openTable(at);
    for (const pair of node.body) assign(table, pair, positions, issues);
    return table;
  }
  if (node.kind === "integer" && !Number.isSafeInteger(node.value)) {
    const message = `${node.number} is too large to be kept exactly. Quote it to keep it as text.`;
    issues.push({ path: "", message, at });
  }
  return { kind: "leaf", value: "datetime" in node ? node.datetime : node.value, at };
}

function openTable(at: At): OpenTable {
  return { kind: "table", entries: new Map(), at };
}

function placeOf(node: AST.TOMLBare | AST.TOMLQuoted | undefined, positions: Positions): At {
  return node === undefined ? undefined : positions.placeAt(node.range[0]);
}
