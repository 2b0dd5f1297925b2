// The program: arguments to a command, whatever goes wrong to one clear message and an exit code. Nothing heavy is imported here; the
// parser's own words for mistakes are never shown (usage-error.ts has ours).
import { createRequire } from "node:module";
import { buildApplication, run, type StricliIntegration, text_en } from "@stricli/core";
import type { Context } from "./command.ts";
import { helpIntegration } from "./help.ts";
import { exitCodes, type Io, processIo } from "./io.ts";
import { routes } from "./routes.ts";

/** What the parser or a command complained about. */
export type Problem =
  | { readonly type: "command"; readonly input: string }
  | { readonly type: "arguments"; readonly error: unknown }
  | { readonly type: "error"; readonly error: unknown };

/** The exit code. Never throws. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const problems: Problem[] = [];
  const { version } = createRequire(import.meta.url)("../package.json") as { readonly version: string };
  const failed = (error: unknown): string => {
    problems.push({ type: "error", error });
    return "";
  };
  const application = buildApplication(
    routes,
    {
      name: "hone",
      scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
      documentation: { disableAnsiColor: true },
      localization: {
        text: {
          ...text_en,
          noCommandRegisteredForInput: ({ input }) => {
            problems.push({ type: "command", input });
            return "";
          },
          exceptionWhileParsingArguments: (error) => {
            problems.push({ type: "arguments", error });
            return "";
          },
          exceptionWhileLoadingCommandFunction: failed,
          exceptionWhileLoadingCommandContext: failed,
          exceptionWhileRunningCommand: failed,
        },
      },
    },
    { help: helpIntegration(io), version: versionIntegration(io, version) },
  );
  const context: Context = {
    process: { stdout: io.stdout, stderr: { write: () => undefined }, env: {} },
    invocation: { io, argv },
  };
  await run(application, separated(argv), context);
  const [problem] = problems;
  if (problem === undefined) return Number(context.process.exitCode ?? exitCodes.ok);
  const { report } = await import("./report.ts");
  return report(problem, { io, argv });
}

function versionIntegration(io: Io, version: string): StricliIntegration<Context> {
  return { flag: { brief: "show the version", run: () => io.stdout.write(`${version}\n`) } };
}

/** `-n20` as `-n 20`: everyone writes it, and the parser would take it for a name. */
function separated(argv: readonly string[]): string[] {
  return argv.flatMap((input) => {
    const [, flag, value] = /^(-[a-z])(\d+)$/.exec(input) ?? [];
    return flag === undefined || value === undefined ? [input] : [flag, value];
  });
}
