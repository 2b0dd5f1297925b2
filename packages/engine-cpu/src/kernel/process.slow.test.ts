// Kernels in a real program: on worker threads, beside each other, ended in the middle, and with a process that ends by itself.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { addonHere } from "./testing/builds.ts";

const run = promisify(execFile);
const folder = fileURLToPath(new URL("../..", import.meta.url));

/** The standard output of a program that uses the built package. It must end by itself, without error. */
async function program(code: string): Promise<string> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: folder,
    timeout: 50_000,
  });
  return stdout.trim();
}

const add = `
  const { kernels } = loadKernels({ prefer, threads: 3 });
  const values = kernels.memory.floats(200_000).fill(1);
  kernels.optimizer.scale({ values, factor: 3 });
`;

test.each(["native", "wasm"])("a program with %s kernels ends by itself, closed or not", async (prefer) => {
  const code = `import { loadKernels } from "@hone/engine-cpu"; const prefer = "${prefer}"; ${add}`;
  expect(await program(`${code} console.log(values[199_999]);`)).toBe("3");
  expect(await program(`${code} kernels.close(); console.log(values[0]);`)).toBe("3");
  expect(
    await program(
      `${code} kernels.close(); try { kernels.optimizer.scale({ values, factor: 3 }); } catch (error) { console.log(error.message); }`,
    ),
  ).toMatch(/closed/);
});

test.each(["native", "wasm"])(
  "%s kernels run on several worker threads at once, also when one is ended in the middle",
  async (prefer) => {
    const code = `
    import { Worker } from "node:worker_threads";
    const file = ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
    const source = \`
      import { parentPort, workerData } from "node:worker_threads";
      const { loadKernels } = await import(workerData.file);
      const prefer = "${prefer}";
      ${add}
      parentPort.postMessage(values[7]);
      while (workerData.isEndless) kernels.optimizer.scale({ values, factor: 1 });
      kernels.close();
    \`;
    const start = (isEndless) => new Worker(new URL("data:text/javascript," + encodeURIComponent(source)), { workerData: { file, isEndless } });
    const workers = [start(false), start(false), start(true)];
    const results = await Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject))));
    await workers[2].terminate();
    console.log(results.join());
  `;
    expect(await program(code)).toBe("3,3,3");
  },
);

test("threads of the addon run at lower priority than the program, and so does its caller where asked", async (context) => {
  if (addonHere() === undefined || process.platform !== "linux") return context.skip("needs the addon on Linux");
  const code = `
    import { readdirSync, readFileSync } from "node:fs";
    import { loadKernels } from "@hone/engine-cpu";
    const nice = () => readdirSync("/proc/self/task").map((id) => Number(readFileSync("/proc/self/task/" + id + "/stat", "utf8").split(") ")[1].split(" ")[16]));
    const before = nice();
    const { kernels } = loadKernels({ threads: 3 });
    kernels.optimizer.scale({ values: kernels.memory.floats(500_000), factor: 1 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const after = nice();
    kernels.close();
    loadKernels({ threads: 1, isBackground: true }).kernels.close();
    const caller = Number(readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1].split(" ")[16]);
    console.log(after.filter((value) => value > Math.max(...before)).length, caller > Math.max(...before));
  `;
  expect(await program(code)).toBe("2 true");
});

test("without an addon WASM is used, and why is data", async () => {
  const code = `
    import { loadKernels } from "@hone/engine-cpu";
    Object.defineProperty(process, "arch", { value: "pdp11" });
    const { kernels, fallback } = loadKernels({ threads: 1 });
    console.log(kernels.info.build, fallback);
  `;
  expect(await program(code)).toMatch(/^wasm there is no addon for \w+-pdp11; `npm run build:native`/);
});
