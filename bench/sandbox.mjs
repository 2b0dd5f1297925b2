// What a sandbox costs: a command, a turn of a Python session that goes on, opening one. Medians over many, after a warm-up.
import { bubblewrap } from "@hone/sandbox";
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

/** One question and its answer in a session that goes on: a line of Python in, what it prints out. */
async function pythonTurnMs(sandbox) {
  const loop = "import sys\nspace = {}\nfor line in sys.stdin:\n  exec(line, space)\n  print('done', flush=True)";
  await sandbox.write("session.py", loop);
  const job = await sandbox.start("python3 session.py");
  const output = job.output[Symbol.asyncIterator]();
  const turn = async () => {
    await job.write("x = globals().get('x', 0) + 1; print(sum(range(1000)) + x)\n");
    for (let text = ""; !text.endsWith("done\n");) {
      const { done, value } = await output.next();
      if (done) throw new Error("the session ended");
      text += value.text;
    }
  };
  const result = await medianMs(200, turn);
  await job.signal("SIGKILL");
  return result;
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

await bubblewrapFigures();
