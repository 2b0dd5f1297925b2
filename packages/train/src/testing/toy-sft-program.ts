// The toy run as a program of its own, to be killed: `node toy-sft-program.js <directory>`. Resumes by itself when there is something to resume.
import { isRun } from "@hone/store";
import { setTimeout } from "node:timers/promises";
import { sft } from "../sft/sft.ts";
import { toySft } from "../sft/testing/toy-sft.ts";

const [directory = ""] = process.argv.slice(2);
const options = toySft(directory, { resume: await isRun(directory), epochs: 2, batch: { tokens: 400 } });
const { engine } = options;
await sft({
  ...options,
  engine: {
    ...engine,
    // A little slower than the toy is, so that a kill meets every part of a run.
    open: async (spec) => {
      const trainer = await engine.open(spec);
      return { ...trainer, update: (step) => setTimeout(5).then(() => trainer.update(step)) };
    },
  },
});
