// What a sandbox costs: a command, a turn of a Python session that goes on, opening one. Medians over many, after a warm-up.
import { PythonSession } from "@hone/env";
import { bubblewrap, pyodide } from "@hone/sandbox";
import { figure, median } from "./lib/figure.mjs";

const options = { signal: new AbortController().signal };

/** The median of `count` runs in milliseconds. */
async function medianMs(count, work) {
  for (let round = 0; round < Math.ceil(count / 5); round++) await work();
  const times = [];
  for (let round = 0; round < count; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

async function withSandbox(provider, work) {
  const lease = await provider.open({}, options);
  try {
    return await work(lease.sandbox);
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

/** One cell of the session that PythonEnv gives a model: code in, what the prompt shows out. */
async function pythonTurnMs(sandbox) {
  const session = new PythonSession(sandbox);
  await session.run("x = 0");
  return medianMs(200, async () => {
    const { ok, text } = await session.run("x += 1\nprint(sum(range(1000)) + x)\nx");
    if (!ok) throw new Error(text);
  });
}

async function bubblewrapFigures() {
  const provider = bubblewrap();
  await withSandbox(provider, async (sandbox) => {
    const execMs = await medianMs(200, async () => {
      const { exitCode } = await sandbox.exec("true");
      if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
    });
    figure("sandbox", "bubblewrap, a command, median", execMs, "ms", { bar: 30, better: "lower" });
    const turnMs = await pythonTurnMs(sandbox);
    figure("sandbox", "bubblewrap, a turn of a Python session, median", turnMs, "ms", { bar: 10, better: "lower" });
  });
  const openMs = await medianMs(40, () => withSandbox(provider, async () => undefined));
  figure("sandbox", "bubblewrap, opened and closed, median", openMs, "ms");
}

async function pyodideFigures() {
  await withSandbox(pyodide(), async (sandbox) => {
    const turnMs = await pythonTurnMs(sandbox);
    figure("sandbox", "pyodide, a turn of a Python session, median", turnMs, "ms", { bar: 20, better: "lower" });
  });
}

await bubblewrapFigures();
await pyodideFigures();
