import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkNode, ensureInstalled } from "./setup.mjs";

let directory: string;
let installs: number;
let said: string[];

/** Installs with npm replaced by a function that makes the folder and ends with `exitCode`. */
function installing(exitCode: number) {
  const install = async () => {
    installs += 1;
    mkdirSync(join(directory, "node_modules"), { recursive: true });
    return exitCode;
  };
  return ensureInstalled({ directory, install, report: (line) => said.push(line) });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "hone-setup-"));
  installs = 0;
  said = [];
  writeFileSync(join(directory, "package-lock.json"), "one");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("dependencies are installed once for one lock", async () => {
  await installing(0);
  await installing(0);
  expect(installs).toBe(1);
});

test("a changed lock is installed again", async () => {
  await installing(0);
  writeFileSync(join(directory, "package-lock.json"), "two");
  await installing(0);
  expect(installs).toBe(2);
  expect(said.filter((line) => line.startsWith("Installing"))).toEqual([
    expect.stringContaining("first time here"),
    expect.stringContaining("package-lock.json changed"),
  ]);
});

test("a failed install ends the tool with npm's exit code and is tried again", async () => {
  await expect(installing(7)).rejects.toMatchObject({ exitCode: 7 });
  await installing(0);
  expect(installs).toBe(2);
});

test("a deleted node_modules is installed again", async () => {
  await installing(0);
  rmSync(join(directory, "node_modules"), { recursive: true });
  await installing(0);
  expect(installs).toBe(2);
});

test("a Node that is too old is named together with what is needed", () => {
  expect(() => checkNode("18.20.4")).toThrow("Hone needs Node 20.19 or newer; this is Node 18.20.4.");
  expect(() => checkNode("20.18.1")).toThrow("20.19");
  expect(() => checkNode("20.19.0")).not.toThrow();
  expect(() => checkNode("24.0.0")).not.toThrow();
});
