// docs/configuration.md is held to the schema: every table of keys is what the schema says, every example is read.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonSchemaOf } from "@hone/config";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadAlgorithm } from "../algorithm/from-file.ts";
import { loadRunConfig } from "./load.ts";
import { relativeRows } from "./relatives/rows.ts";
import { RunFields } from "./run-config.ts";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly description?: string;
}

const schema = jsonSchemaOf(RunFields) as Node;
let page = "";
beforeAll(async () => {
  page = await readFile(new URL("../../../../docs/configuration.md", import.meta.url), "utf8");
});

/** The table at a path; of several forms the one with keys. */
function tableAt(...path: string[]): Node {
  let node = schema;
  for (const key of path) {
    const next: Node = node.properties?.[key] ?? {};
    const form = next.anyOf?.find(({ properties }) => properties !== undefined) ?? next;
    node = form.items ?? form;
  }
  return node;
}

/** Lines of the page between a heading and the next. */
function section(title: string): string {
  const start = page.indexOf(`\n## ${title}\n`);
  expect(start).toBeGreaterThan(-1);
  const end = page.indexOf("\n## ", start + 1);
  return page.slice(start, end < 0 ? undefined : end);
}

function rowsOf({ properties = {}, required = [] }: Node): string[] {
  return Object.entries(properties).map(([key, field]) => {
    const isTable = JSON.stringify(field.default)?.startsWith("{") ?? false;
    const standard = field.default === undefined || isTable ? "" : `\`${JSON.stringify(field.default)}\``;
    return `| \`${key}\` | ${required.includes(key) ? "required" : standard} | ${field.description ?? ""} |`;
  });
}

describe("every key is on the page with its default and what it means", () => {
  test.each<[string, Node]>([
    ["The whole run", schema],
    ["[sampling]", tableAt("sampling")],
    ["[[env]]", tableAt("env")],
    ["[difficulty]", tableAt("difficulty")],
    ["[lora]", tableAt("lora")],
    ["[optimizer]", tableAt("optimizer")],
    ["[optimizer.schedule]", tableAt("optimizer", "schedule")],
    ["[eval]", tableAt("eval")],
    ["[[eval.env]]", tableAt("eval", "env")],
    ["[checkpoint]", tableAt("checkpoint")],
    ["[retry]", tableAt("retry")],
    ["[judge] and [teacher]", tableAt("judge")],
    ["[judge] and [teacher]", tableAt("teacher")],
    ["[cpu]", tableAt("cpu")],
    ["[wandb]", tableAt("wandb")],
    ["[tensorboard]", tableAt("tensorboard")],
    ["[mlflow]", tableAt("mlflow")],
  ])("%s", (title, node) => {
    const text = section(title);
    const missing = rowsOf(node).filter((row) => !/^\| `(?:type|warmup_steps)`/.test(row) && !text.includes(row));
    expect(missing).toEqual([]);
    for (const key of Object.keys(node.properties ?? {})) expect(text).toContain(`| \`${key}\` |`);
  });

  test("[algorithm]: every algorithm and every key of one", () => {
    const text = section("[algorithm]");
    const options = schema.properties?.["algorithm"]?.oneOf ?? schema.properties?.["algorithm"]?.anyOf ?? [];
    expect(options.length).toBeGreaterThan(10);
    for (const { properties = {} } of options) {
      expect(text).toContain(`| \`${String(properties["type"]?.const)}\` |`);
      const keys = Object.keys(properties).filter((key) => key !== "type");
      expect(keys.filter((key) => !text.includes(`| \`${key}\` |`))).toEqual([]);
    }
  });
});

test("every example that is a whole file is a run", async () => {
  const examples = [...page.matchAll(/```toml file=run\.toml\n([^]*?)```/g)].map(([, text = ""]) => text);
  const whole = examples.filter((text) => /^model = /m.test(text));
  expect(whole.length).toBeGreaterThan(1);
  for (const text of whole) {
    const { notes } = await loadRunConfig({ files: [{ path: "configuration.md", text }] });
    expect(notes).toEqual([]);
  }
});

test("the algorithm in a file works as it stands on the page", async () => {
  const [, text = ""] = /```ts\n([^]*?)```/.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "hone-documented-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "my-algorithm.ts"), text);
  const algorithm = await loadAlgorithm("./my-algorithm.ts", { cwd: folder, parameters: { scale: 2 } });
  expect(algorithm.needs).toEqual([]);
});

test("every name of another tool on the page is understood", () => {
  const text = section("Names of other tools");
  const rows = [...text.matchAll(/^\| (`.*`) \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  const understood = new Set(relativeRows.map(({ from }) => from));
  const names = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  const isKnown = (name: string): boolean =>
    understood.has(name) || [...understood].some((from) => name.startsWith(`${from}.`));
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
});
