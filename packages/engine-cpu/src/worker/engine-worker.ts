// The engine's thread, started as built JavaScript: loads the model, says that it is ready, and hands messages to the host.
import { parentPort, workerData } from "node:worker_threads";
import { type FromWorker, toWire, type ToWorker, type WorkerSetup } from "../engine/protocol.ts";
import { EngineHost } from "./engine-host.ts";
import { startEngine } from "./start-engine.ts";

async function run({ settings, counts }: WorkerSetup): Promise<void> {
  const post = (message: FromWorker, transfers: readonly ArrayBuffer[] = []): void =>
    parentPort?.postMessage(message, transfers);
  try {
    let host: EngineHost | undefined;
    const { ready, ...sides } = await startEngine(settings, () => host?.wake());
    const started = new EngineHost({ ...sides, counts: new Int32Array(counts), post });
    host = started;
    parentPort?.on("message", (message: ToWorker) => started.receive(message));
    post({ type: "ready", ready });
  } catch (error) {
    post({ type: "refused", error: toWire(error) });
  }
}

await run(workerData as WorkerSetup);
