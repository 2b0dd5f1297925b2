// The toy run as a program of its own, to be killed: `node toy-program.js <directory> <lead>`. Resumes by itself when there is something to resume.
// It keeps every checkpoint, so that any of its updates can be made again.
import { isRun } from "@hone/store";
import { train } from "../train.ts";
import { toyOptions } from "./toy-run.ts";

const [directory = "", lead = "0"] = process.argv.slice(2);
const resume = await isRun(directory);
const checkpoint = { interval: 1, keep: 100, remove: async () => undefined };
await train(toyOptions(directory, { resume, lead: Number(lead), maxSteps: 10, checkpoint }));
