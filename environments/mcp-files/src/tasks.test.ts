import { expect, test } from "vitest";
import definition from "./index.ts";
import { type FileTask, makeTasks } from "./tasks.ts";

const tasks = makeTasks({ count: 40, seed: "test" });

test("the same seed makes the same tasks, another one makes others", () => {
  expect(makeTasks({ count: 40, seed: "test" })).toEqual(tasks);
  const others = makeTasks({ count: 40, seed: "other" });
  for (const [index, task] of tasks.entries()) expect(others[index]?.files).not.toEqual(task.files);
});

test("what is asked for stands in exactly one file, and in no file's name", () => {
  for (const { ask, files, answer } of tasks.filter(({ id }) => id.startsWith("find"))) {
    const badge = /badge (\S+)\?/.exec(ask)?.[1] ?? "";
    const holders = Object.keys(files).filter((path) => files[path]?.includes(`Badge: ${badge}\n`));
    expect(answer).toEqual({ type: "reply", text: holders[0] });
    expect(holders).toHaveLength(1);
  }
});

test("counts are of lines with ERROR, and some files tempt with other errors", () => {
  const counting = tasks.filter(({ id }) => id.startsWith("count"));
  for (const { ask, files, answer } of counting) {
    const text = files[/lines of (\S+)/.exec(ask)?.[1] ?? ""] ?? "";
    expect(answer).toEqual({ type: "reply", text: String([...text.matchAll(/ERROR/g)].length) });
  }
  expect(counting.some(({ files }) => Object.values(files).join("").includes("no error"))).toBe(true);
});

test("a move changes one path and no content", () => {
  for (const { files, answer } of tasks.filter(({ id }) => id.startsWith("move"))) {
    if (answer.type !== "files") throw new Error("a move has files");
    expect(Object.values(answer.there).toSorted()).toEqual(Object.values(files).toSorted());
    expect(answer.gone).toHaveLength(1);
    expect(Object.keys(answer.there)).not.toContain(answer.gone[0]);
  }
});

test("a summary adds up what the notes say", () => {
  for (const { files, answer } of tasks.filter(({ id }) => id.startsWith("summarise"))) {
    if (answer.type !== "files") throw new Error("a summary is a file");
    const lines = (answer.there["summary.txt"] ?? "").split("\n");
    expect(lines).toEqual(lines.toSorted());
    for (const line of lines) {
      const [project = "", hours] = line.split(": ");
      const own = Object.values(files).filter((text) => text.includes(`Project: ${project}\n`));
      expect(own.reduce((sum, text) => sum + Number(/Hours: (\d+)/.exec(text)?.[1]), 0)).toBe(Number(hours));
    }
  }
});

test("training and evaluation have as many tasks each, of different archives", async () => {
  const environment = definition.create({ count: 8 });
  const read = async (split: "train" | "eval") => {
    const found: unknown[] = [];
    for await (const task of environment.tasks(split)) found.push((task as unknown as FileTask).files);
    return found;
  };
  const [train, evaluation] = [await read("train"), await read("eval")];
  expect([train.length, evaluation.length]).toEqual([8, 8]);
  for (const files of evaluation) expect(train).not.toContainEqual(files);
});
