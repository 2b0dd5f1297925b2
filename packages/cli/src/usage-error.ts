// Mistakes on the command line, in our words: what was wrong, the nearest name, where to look. One line each.
import { didYouMean } from "@hone/config";
import { HoneError } from "@hone/core";
import {
  type ArgumentScannerError,
  type Command,
  formatMessageForArgumentScannerError,
  type RouteMap,
} from "@stricli/core";
import type { Context } from "./command.ts";
import { isGroup, kebabCase } from "./help.ts";
import { routes } from "./routes.ts";

export function unknownCommand(input: string, argv: readonly string[]): HoneError {
  const { group, name } = find(argv);
  const names = group.getAllEntries().filter(({ hidden }) => !hidden);
  const known = names.map((entry) => entry.name.original);
  const said = `There is no command \`${name} ${input}\`.${didYouMean(input, known)}`;
  return new HoneError(said, { code: "unknown-command", hint: `\`${name} --help\` lists the commands.` });
}

export function wrongArguments(error: unknown, argv: readonly string[]): HoneError {
  const { command, name } = find(argv);
  const flags = Object.keys(command?.parameters.flags ?? {}).map(kebabCase);
  const unknownFlag = (input: string): string => {
    const same = Object.hasOwn(elsewhere, input) ? elsewhere[input] : undefined;
    const isKnown = same !== undefined && flags.includes(same);
    const meant = isKnown
      ? ` Here it is \`--${same}\`.`
      : didYouMean(input, [...flags, "help"]).replace(/`(.*)`/, "`--$1`");
    const said = `There is no flag \`${input.length === 1 ? "-" : "--"}${input}\`.`;
    // Whoever trains thinks of keys of a file as flags.
    const isSetting = meant === "" && input.length > 1 && /^hone (?:train|sft)$/.test(name);
    return isSetting ? `${said} A setting is given as \`--set ${input.replaceAll("-", "_")}=VALUE\`.` : said + meant;
  };
  const message = formatMessageForArgumentScannerError(error as ArgumentScannerError, {
    FlagNotFoundError: ({ input }) => unknownFlag(input),
    AliasNotFoundError: ({ input }) => unknownFlag(input),
    UnexpectedPositionalError: ({ input, expectedCount }) =>
      input.startsWith("-")
        ? unknownFlag(input.replace(/^-+/, "").replace(/=.*$/s, ""))
        : `\`${input}\` is one argument too many: \`${name}\` takes ${expectedCount === 0 ? "none" : expectedCount}.`,
    UnsatisfiedPositionalError: ({ placeholder }) => `\`${name}\` needs <${placeholder}>.${resumeTrap(argv)}`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `\`--${externalFlagName}\` needs a value.`,
    UnexpectedFlagError: ({ externalFlagName, previousInput, input }) =>
      `\`--${externalFlagName}\` is given twice: ${previousInput} and ${input}.`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder, input, exception }) =>
      `\`--${externalFlagNameOrPlaceholder}\` takes ${exception instanceof Error ? exception.message : String(exception)}, not ${JSON.stringify(input)}.`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `\`--${externalFlagName}\` takes ${values.slice(0, -1).join(", ")} or ${values.at(-1)}, not ${JSON.stringify(input)}.${didYouMean(input, values)}`,
  });
  return new HoneError(message, { code: "usage", hint: `\`${name} --help\` shows flags and examples.` });
}

/** What other tools call the same thing. */
const elsewhere: Readonly<Record<string, string>> = {
  "num-examples": "num-tasks",
  rollouts: "group-size",
  "rollouts-per-example": "group-size",
  "max-concurrent": "concurrency",
  "env-args": "args",
  "api-base-url": "base-url",
  "api-key-var": "key",
};

/** `--resume` takes what follows it, which may have been meant as the environment. */
function resumeTrap(argv: readonly string[]): string {
  const next = argv[argv.indexOf("--resume") + 1];
  if (!argv.includes("--resume") || next === undefined || next.startsWith("-")) return "";
  return ` \`--resume\` took ${next} as its folder: put \`--resume\` last.`;
}

interface Found {
  /** The group that the last known name led to. */
  readonly group: RouteMap<Context>;
  readonly command: Command<Context> | undefined;
  readonly name: string;
}

function find(argv: readonly string[]): Found {
  let group = routes;
  const path = ["hone"];
  for (const input of argv) {
    const target = group.getRoutingTargetForInput(input);
    if (target === undefined) break;
    path.push(input);
    if (!isGroup(target)) return { group, command: target, name: path.join(" ") };
    group = target;
  }
  return { group, command: group.getDefaultCommand(), name: path.join(" ") };
}
