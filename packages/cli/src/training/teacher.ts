// The teacher of on-policy distillation: logprobs of given tokens. Chat servers answer with text and cannot score tokens, so a teacher is a model on
// this machine, opened in an engine of its own.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, HoneError, type Sampler } from "@hone/core";
import type { ResolvedRun, Treatment } from "@hone/train";
import type { OpenEngine } from "../engines/open-engine.ts";
import { findLocalModel } from "../model/local-model.ts";

export interface Teacher {
  readonly engine: Engine;
  readonly sampler: Sampler;
}

export interface TeacherOptions {
  readonly cwd: string;
  /** Folder of the model that learns. */
  readonly student: string;
  readonly open: OpenEngine;
  readonly treatments: ReadonlyMap<string, Treatment>;
  readonly onNotice: (notice: string) => void;
}

/** Undefined when no algorithm asks for one. */
export async function openTeacher(
  { teacher }: Pick<ResolvedRun, "teacher">,
  { cwd, student, open, treatments, onNotice }: TeacherOptions,
): Promise<Teacher | undefined> {
  const needing = [...treatments].find(([, { algorithm }]) => algorithm.needs.includes("teacher"));
  if (needing === undefined) return undefined;
  if (teacher === undefined) {
    throw new HoneError(`The algorithm of ${needing[0]} learns from a teacher, and the run names none.`, {
      code: "config",
      hint: 'Name a model folder: [teacher] endpoint = "./large-model"',
    });
  }
  const name = teacher.endpoint;
  const found = await findLocalModel(name, cwd);
  if (found?.type !== "folder") {
    throw new HoneError(`\`${name}\` cannot be a teacher: a teacher scores tokens, and a served model cannot.`, {
      code: "config",
      hint: "Name the folder of a model on this machine with the same tokenizer. It runs in an engine of its own.",
    });
  }
  await checkSameTokens(name, found.folder, student);
  const engine = await open({
    model: found.folder,
    name,
    checkpoints: join(tmpdir(), "hone-no-checkpoints"),
    onNotice,
  });
  return { engine, sampler: engine.sampler("base") };
}

/** Logprobs of other tokens would be nonsense that looks like numbers. */
async function checkSameTokens(name: string, teacher: string, student: string): Promise<void> {
  const [theirs, ours] = await Promise.all(
    [teacher, student].map((folder) => readFile(join(folder, "tokenizer.json"))),
  );
  if (theirs !== undefined && ours !== undefined && theirs.equals(ours)) return;
  throw new HoneError(`\`${name}\` cannot be the teacher of this model: its tokenizer is another one.`, {
    code: "config",
    hint: "Use a teacher of the same family: its tokenizer.json must be the same file.",
  });
}
