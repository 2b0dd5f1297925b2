// The program of a worker thread of the pool: one comparison per message. Started as built JS only.
import { parentPort } from "node:worker_threads";
import { mathEqual } from "./equal.ts";
import type { MathJob } from "./pool.ts";

const port = parentPort;
if (port === null) throw new Error("This file is a worker thread's program.");

port.on("message", ({ answer, gold, options }: MathJob) => {
  port.postMessage(mathEqual(answer, gold, options));
});
