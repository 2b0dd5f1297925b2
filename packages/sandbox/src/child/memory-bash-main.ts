// The program of an in-memory shell's child: waits for a request, does it, tells what changed, waits again. While a command runs nothing is read; a command
// that is called off is ended by killing this process, and the next one starts from the host's copy of the files.
import type { Bash as BashClass, InMemoryFs as FilesClass } from "just-bash";
import { CappedOutput } from "../shared/capped-output.ts";
import { descriptors, readFrameSync, type Reply, type Request, type RunRequest, writeFrameSync } from "./frames.ts";
import { ShellFiles } from "./memory-bash-files.ts";
import { runShell, type ShellBody, type ShellResult } from "./memory-bash-shell.ts";

const [folder = "", diskMb = "0"] = process.argv.slice(2);
const { Bash, InMemoryFs } = (await import(`file://${folder}/dist/bundle/index.js`)) as {
  readonly Bash: typeof BashClass;
  readonly InMemoryFs: typeof FilesClass;
};
const files = new ShellFiles(new InMemoryFs({}, { maxTotalBytes: Number(diskMb) * (1 << 20) }), Number(diskMb));
let seenFiles = 0;

const send = (reply: Reply, payload?: Uint8Array): void => writeFrameSync(descriptors.replies, reply, payload);

async function result({ body, limits }: RunRequest<ShellBody>, stdin: string): Promise<ShellResult> {
  if (!(await files.isFolder(body.cwd))) {
    const stderr = `There is no folder ${body.cwd} in the sandbox.\n`;
    return { exitCode: 126, stdout: "", stderr, timedOut: false };
  }
  return runShell({ Bash, fs: files.fs }, body, { stdin, timeoutMs: limits?.timeoutMs ?? 0 });
}

async function run(request: RunRequest<ShellBody>, stdin: string): Promise<void> {
  const { exitCode, timedOut, ...printed } = await result(request, stdin);
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((text) => {
    const capped = new CappedOutput(request.limits?.maxOutputBytes ?? 0);
    capped.add(Buffer.from(text));
    return capped.finish();
  });
  const change = await files.changes();
  if (change !== undefined) {
    const { changed, removed, contents } = change;
    send({ op: "files", seen: seenFiles, changed, removed }, contents);
  }
  const texts = [stdout, stderr].map((capped) => Buffer.from(capped?.text ?? ""));
  const droppedBytes = (stdout?.droppedBytes ?? 0) + (stderr?.droppedBytes ?? 0);
  const stdoutBytes = texts[0]?.length ?? 0;
  send({ op: "ended", id: request.id, exitCode, timedOut, stdoutBytes, droppedBytes }, Buffer.concat(texts));
}

send({ op: "ready" });
for (;;) {
  const frame = readFrameSync<Request<ShellBody>>(descriptors.requests);
  if (frame === undefined) process.exit();
  const { header, payload } = frame;
  if (header.op === "run") await run(header, Buffer.from(payload).toString());
  else if (header.op === "files") {
    seenFiles++;
    await files.apply(header, payload);
  }
}
