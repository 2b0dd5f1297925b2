// The toy run as a program of its own, to be killed: `node toy-program.js <directory> <lead>`. Resumes by itself when there is something to resume.
import { isRun } from "@hone/store";
import { train } from "../train.ts";
import { toyOptions } from "./toy-run.ts";

const [directory = "", lead = "0"] = process.argv.slice(2);
const resume = await isRun(directory);
await train(toyOptions(directory, { resume, lead: Number(lead), maxSteps: 10 }));
