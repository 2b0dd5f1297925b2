// `hone env test`: the checks that every environment must pass, on some of its tasks.
import { type Check, checkEnvironment } from "@hone/env/testing";
import type { Work } from "../command.ts";
import { type ArgumentFlags, readArguments } from "../environment/arguments.ts";
import { findEnvironment } from "../environment/find-environment.ts";
import { shown } from "../screen/shown-path.ts";
import { foundSandboxes } from "../evaluation/sandboxes.ts";
import { replaced } from "../evaluation/resume-command.ts";
import { exitCodes } from "../io.ts";
import { columns } from "../screen/columns.ts";
import { type Style, styleFor } from "../screen/style.ts";

export interface TestFlags extends ArgumentFlags {
  readonly numTasks: number;
  readonly json: boolean;
}

export const test: Work<TestFlags, [env: string]> = async ({ io, argv }, flags, id) => {
  const { environment, location } = await findEnvironment(id, {
    cwd: io.cwd,
    args: readArguments(flags),
    tryInstead: (name) => replaced(argv, id, name),
  });
  const { info } = environment;
  const style = styleFor(io.stdout, io.env);
  const where = shown(location.folder ?? location.file, io.cwd);
  if (!flags.json)
    io.stdout.write(`${style.paint("bold", info.name)} ${location.version}  ${style.paint("dim", where)}\n\n`);
  const controller = new AbortController();
  const stopListening = io.onInterrupt(() => controller.abort());
  const checks = await checkEnvironment(environment, {
    count: flags.numTasks,
    sandboxes: foundSandboxes(),
    signal: controller.signal,
  }).finally(stopListening);
  if (flags.json) io.stdout.write(`${JSON.stringify({ env: info.name, version: location.version, checks })}\n`);
  else io.stdout.write(checksText(checks, style));
  if (controller.signal.aborted) return exitCodes.interrupted;
  return checks.some(({ outcome }) => outcome === "failed") ? exitCodes.failed : exitCodes.ok;
};

function checksText(checks: readonly Check[], style: Style): string {
  const marks = {
    ok: style.paint("green", "ok"),
    failed: style.paint("red", "failed"),
    skipped: style.paint("yellow", "skipped"),
  } as const;
  const rows = checks.map(({ outcome, name, detail }) => [
    marks[outcome],
    name,
    style.paint("dim", detail.replaceAll(/\s+/g, " ")),
  ]);
  const counts = (["ok", "failed", "skipped"] as const)
    .map((outcome) => ({ outcome, count: checks.filter((check) => check.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${count} ${outcome}`);
  return `${columns(rows, { indent: "  " })}\n${checks.length} checks: ${counts.join(", ")}\n`;
}
