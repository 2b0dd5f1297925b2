// `hone sft`: reads what is asked, composes a run of fine-tuning, trains it with a line of progress, and says what came of it. Results go to stdout,
// progress to stderr.
import type { Invocation, Work } from "../command.ts";
import { exitCodes } from "../io.ts";
import { shown } from "../screen/shown-path.ts";
import { styleFor } from "../screen/style.ts";
import { plural } from "../screen/words.ts";
import { dryRunSft, dryRunSftText } from "../sft/dry-run-sft.ts";
import { readSftRequest, type SftFlags, type SftRequest } from "../sft/read-sft.ts";
import { runSft, type SftOutcome } from "../sft/run-sft.ts";
import { sftOutcomeText } from "../sft/sft-outcome.ts";
import { SftView } from "../sft/sft-view.ts";

export interface SftCommandFlags extends SftFlags {
  readonly dryRun: boolean;
  readonly json: boolean;
}

export const sftCommand: Work<SftCommandFlags, string[]> = async (invocation, flags, ...files) => {
  const { io } = invocation;
  const request = await readSftRequest(files, flags, io.cwd);
  if (flags.dryRun) {
    const dryRun = await dryRunSft({ ...request, onNotice: () => undefined, signal: new AbortController().signal });
    const { example: _tokens, ...preview } = dryRun.preview;
    const { config, directory } = request;
    io.stdout.write(
      flags.json ? `${JSON.stringify({ ...dryRun, preview, config, directory })}\n` : dryRunSftText(dryRun, request),
    );
    return exitCodes.ok;
  }
  const outcome = await run(request, flags, invocation);
  if (flags.json) io.stdout.write(`${JSON.stringify(outcome)}\n`);
  else io.stdout.write(sftOutcomeText(outcome, { cwd: io.cwd, style: styleFor(io.stdout, io.env) }));
  return outcome.why === "stopped" ? exitCodes.interrupted : exitCodes.ok;
};

async function run(request: SftRequest, { json }: SftCommandFlags, { io }: Invocation): Promise<SftOutcome> {
  const style = styleFor(io.stderr, io.env);
  const quiet = { ...io.stderr, isTerminal: false, write: () => undefined };
  using view = new SftView({ output: json ? quiet : io.stderr });
  const controller = new AbortController();
  const stopListening = io.onInterrupt(() => {
    controller.abort();
    view.note(style.paint("yellow", "Stopping when this step is done and saved. Ctrl-C again quits at once."));
  });
  if (!json) io.stdout.write(announcement(request, io.cwd));
  try {
    return await runSft({
      ...request,
      env: io.env,
      onEvent: (event) => view.show(event),
      onNotice: (notice) => view.note(style.paint("yellow", `note: ${notice}`)),
      signal: controller.signal,
    });
  } finally {
    stopListening();
  }
}

/** The first lines: what is trained, and where it is kept. */
function announcement({ config, directory, resume }: SftRequest, cwd: string): string {
  const { model, engine, maxSteps, epochs = 1, batchSize, batchTokens, init } = config;
  const length = maxSteps === undefined ? `${epochs} epoch${epochs === 1 ? "" : "s"}` : plural(maxSteps, "step");
  const size = batchTokens === undefined ? plural(batchSize ?? 0, "conversation") : plural(batchTokens, "token");
  const from = init === undefined ? model : `${model} from scratch`;
  const what = `${from} on ${engine} · ${length} of batches of ${size}`;
  return `${resume ? "going on in" : "run in"} ${shown(directory, cwd)}\n${what}\n\n`;
}
