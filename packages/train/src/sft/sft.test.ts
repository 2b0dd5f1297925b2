import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HoneError, type Sample } from "@hone/core";
import { type MetricRow, openRun, requestStop } from "@hone/store";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SftEvent, SftOptions } from "./options.ts";
import { sft } from "./sft.ts";
import { folderWith } from "./testing/folder.ts";
import { toyLines, toySft, toyTokenizer } from "./testing/toy-sft.ts";

async function rows(directory: string, stream: "updates" | "evals" | "checkpoints" | "events"): Promise<MetricRow[]> {
  const found: unknown[] = [];
  for await (const { value } of (await openRun(directory)).read(stream)) found.push(value);
  return found as MetricRow[];
}

function timeless(row: MetricRow): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/second/.test(name)));
}

/** Everything that went into a gradient. */
function watched(options: SftOptions): { readonly options: SftOptions; readonly trained: Sample[] } {
  const trained: Sample[] = [];
  const { engine } = options;
  const open: typeof engine.open = async (spec) => {
    const trainer = await engine.open(spec);
    return {
      ...trainer,
      forwardBackward: (samples, loss) => {
        if (loss.type === "cross_entropy") trained.push(...samples);
        return trainer.forwardBackward(samples, loss);
      },
    };
  };
  return { options: { ...options, engine: { ...engine, open } }, trained };
}

describe("a run", () => {
  test("learns, and leaves rows, checkpoints and the model", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(60) });
    const directory = join(folder, "run");
    const events: SftEvent[] = [];
    const result = await sft(toySft(directory, { maxSteps: 14, onEvent: (event) => events.push(event) }));
    expect(result).toMatchObject({ step: 14, why: "done", dropped: 0, cut: 0, exported: join(directory, "model") });
    expect(result.loss?.of).toBe("held-out");
    expect(result.loss?.after).toBeLessThan((result.loss?.before ?? 0) / 2);
    const updates = await rows(directory, "updates");
    expect(updates.map(({ step }) => step)).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
    expect(updates[1]).toMatchObject({ "sample/count": 8, "sample/dropped": 0 });
    expect(updates[1]?.["update/learning_rate"]).toBeCloseTo(0.2);
    expect((await rows(directory, "evals")).map(({ step }) => step)).toEqual([0, 4, 8, 12, 14]);
    expect((await rows(directory, "checkpoints")).map(({ step }) => step)).toEqual([3, 6, 9, 12, 14]);
    expect((await readdir(join(directory, "weights"))).sort()).toEqual(["000012", "000014"]);
    expect(await readdir(join(directory, "model"))).toEqual(["policy.toy"]);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("run"))).toEqual(["run-start", "run-end"]);
  });

  test("of epochs trains every assistant's token exactly once in each", async () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 3 });
    const files = fc.array(fc.array(texts, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
    const batches = fc.oneof(
      fc.record({ conversations: fc.integer({ min: 1, max: 7 }) }),
      fc.record({ tokens: fc.integer({ min: 1, max: 300 }) }),
    );
    await fc.assert(
      fc.asyncProperty(files, batches, fc.integer({ min: 1, max: 2 }), async (corpus, batch, epochs) => {
        const folder = await folderWith(
          Object.fromEntries(
            corpus.map((rowsOfFile, index) => [
              `${index}.jsonl`,
              rowsOfFile
                .map((replies) =>
                  JSON.stringify({
                    messages: replies.flatMap((content) => [
                      { role: "user", content: "?" },
                      { role: "assistant", content },
                    ]),
                  }),
                )
                .join("\n"),
            ]),
          ),
        );
        const { options, trained } = watched(
          toySft(join(folder, "run"), {
            data: corpus.map((_, index) => ({ paths: [`${index}.jsonl`] })),
            batch,
            epochs,
            evaluation: { interval: 100, fraction: 0, paths: [], maxConversations: 1 },
          }),
        );
        await sft(options);
        const expected = corpus
          .flat(2)
          .flatMap((reply) => Array.from({ length: epochs }, () => `${reply}<|im_end|>`))
          .sort();
        expect(trained.flatMap(repliesOf).sort()).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  test("weighs every trained token of a batch alike, whatever the parts", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(9) });
    const { options, trained } = watched(
      toySft(join(folder, "run"), { maxSteps: 1, partTokens: 60, batch: { conversations: 5 } }),
    );
    await sft(options);
    const weights = trained.flatMap(({ weight }) => [...weight].filter((value) => value !== 0));
    expect(trained).toHaveLength(5);
    expect(new Set(weights).size).toBe(1);
    expect(weights.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5);
  });

  test("mixes its data by weight", async () => {
    const folder = await folderWith({ "a.jsonl": toyLines(3), "b.jsonl": toyLines(40, "no") });
    const { options, trained } = watched(
      toySft(join(folder, "run"), {
        data: [
          { paths: ["a.jsonl"], weight: 3 },
          { paths: ["b.jsonl"], weight: 1 },
        ],
        maxSteps: 5,
        evaluation: { interval: 100, fraction: 0, paths: [], maxConversations: 1 },
      }),
    );
    await sft(options);
    expect(trained.filter(({ env }) => env === "a")).toHaveLength(30);
    expect(trained.filter(({ env }) => env === "b")).toHaveLength(10);
  });

  test("counts what is dropped and what is cut", async () => {
    const long = JSON.stringify({ prompt: "q", completion: "long ".repeat(30) });
    const folder = await folderWith({ "data.jsonl": `${toyLines(4)}${long}\n` });
    const more = { epochs: 1, seqLen: 100, evaluation: { interval: 9, fraction: 0, paths: [], maxConversations: 1 } };
    const dropped = watched(toySft(join(folder, "drop"), more));
    expect(await sft(dropped.options)).toMatchObject({ dropped: 1, cut: 0 });
    expect(dropped.trained).toHaveLength(4);
    const cut = watched(toySft(join(folder, "cut"), { ...more, tooLong: "cut" }));
    expect(await sft(cut.options)).toMatchObject({ dropped: 0, cut: 1 });
    expect(cut.trained.map(({ tokens }) => tokens.length).sort((a, b) => b - a)[0]).toBe(100);
    expect(await rows(join(folder, "cut"), "updates")).toMatchObject([{ "sample/cut": 1 }]);
  });

  test("measures the held-out loss per file", async () => {
    const folder = await folderWith({
      "data.jsonl": toyLines(9),
      "x/a.jsonl": toyLines(3),
      "x/b.jsonl": toyLines(4, "no"),
    });
    const directory = join(folder, "run");
    await sft(
      toySft(directory, {
        maxSteps: 2,
        evaluation: { interval: 1, fraction: 0, paths: ["x/*.jsonl"], maxConversations: 100 },
      }),
    );
    const [before] = await rows(directory, "evals");
    expect(before).toMatchObject({ env: "held-out", n: 7 });
    const { "loss/a": a, "loss/b": b, "loss/mean": mean } = before as unknown as Record<string, number>;
    // Three replies of "yes n" and four of "no n", with their ends.
    expect(mean).toBeCloseTo((18 * (a ?? 0) + 20 * (b ?? 0)) / 38, 5);
  });

  test("that was held out by hash never trains on those conversations", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(50) });
    const { options, trained } = watched(
      toySft(join(folder, "run"), {
        epochs: 1,
        evaluation: { interval: 100, fraction: 0.3, paths: [], maxConversations: 100 },
      }),
    );
    await sft(options);
    const [row] = await rows(options.directory, "evals");
    expect(new Set(trained.map(({ id }) => id)).size + Number(row?.["n"])).toBe(50);
    expect(Number(row?.["n"])).toBeGreaterThan(5);
  });

  test("without anything held out says the loss of its first and last batch", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(20) });
    const evaluation = { interval: 1, fraction: 0, paths: [], maxConversations: 1 };
    const result = await sft(toySft(join(folder, "run"), { maxSteps: 6, evaluation }));
    expect(result.loss?.of).toBe("batches");
    expect(result.loss?.after).toBeLessThan(result.loss?.before ?? 0);
  });

  test("rejects a step that is not finite and goes on with the next batch", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(20) });
    const options = toySft(join(folder, "run"), { maxSteps: 3 });
    const { engine } = options;
    let calls = 0;
    const open: typeof engine.open = async (spec) => {
      const trainer = await engine.open(spec);
      return {
        ...trainer,
        update: async (step) => {
          const isBroken = ++calls === 2;
          const report = await trainer.update(isBroken ? { ...step, learningRate: 0 } : step);
          if (isBroken) throw new HoneError("the gradient is not finite", { code: "non-finite" });
          return report;
        },
      };
    };
    expect(await sft({ ...options, engine: { ...engine, open } })).toMatchObject({ step: 3 });
    const rejects = (await rows(options.directory, "events")).filter(
      ({ type }) => (type as unknown) === "update-reject",
    );
    expect(rejects).toMatchObject([{ detail: { step: 2 } }]);
  });
});

describe("a run that was stopped", () => {
  test("goes on as if it had not been", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(40) });
    const whole = join(folder, "whole");
    const parts = join(folder, "parts");
    const more = { epochs: 2, batch: { tokens: 500 } } as const;
    await sft(toySft(whole, more));
    const stopped = await sft(
      toySft(parts, {
        ...more,
        onEvent: (event) => {
          if (event.type === "update-end" && event.row.step === 5) void requestStop(parts);
        },
      }),
    );
    expect(stopped.why).toBe("stopped");
    expect(stopped.exported).toBe(join(parts, "model"));
    const result = await sft(toySft(parts, { ...more, resume: true }));
    expect(result.why).toBe("done");
    for (const stream of ["updates", "evals"] as const) {
      expect((await rows(parts, stream)).map(timeless)).toEqual((await rows(whole, stream)).map(timeless));
    }
    const last = join("weights", String(result.step).padStart(6, "0"));
    expect((await readFile(join(parts, last))).equals(await readFile(join(whole, last)))).toBe(true);
  });

  test("and was over already is exported again", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(20) });
    const directory = join(folder, "run");
    await sft(toySft(directory, { epochs: 1 }));
    await rm(join(directory, "model"), { recursive: true });
    const again = await sft(toySft(directory, { epochs: 1, resume: true }));
    expect(again).toMatchObject({ why: "done", exported: join(directory, "model") });
    expect(await readdir(join(directory, "model"))).toEqual(["policy.toy"]);
  });

  test("does not go on with other data", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(20) });
    const directory = join(folder, "run");
    await sft(toySft(directory, { maxSteps: 3 }));
    await writeFile(join(folder, "data.jsonl"), toyLines(21));
    await expect(sft(toySft(directory, { maxSteps: 6, resume: true }))).rejects.toThrow("data of this run has changed");
  });
});

/** The texts of the trained stretches. */
function repliesOf({ tokens, weight }: Sample): string[] {
  const replies: string[] = [];
  for (let start = 0; start < tokens.length; start++) {
    if (weight[start] === 0) continue;
    let end = start;
    while (end < tokens.length && weight[end] !== 0) end++;
    replies.push(toyTokenizer.decode(tokens.subarray(start, end)));
    start = end;
  }
  return replies;
}
