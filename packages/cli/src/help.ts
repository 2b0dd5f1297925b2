// `--help`, drawn from the routes: usage, what it does with an example, arguments, flags. A group of commands lists them all.
import type { Command, RouteMap, StricliIntegration } from "@stricli/core";
import type { Context } from "./command.ts";
import type { Io } from "./io.ts";
import { columns } from "./screen/columns.ts";
import { type Style, styleFor } from "./screen/style.ts";

type Target = Command<Context> | RouteMap<Context>;
type Flag = NonNullable<Command<Context>["parameters"]["flags"]>[string];

export function helpIntegration(io: Io): StricliIntegration<Context> {
  return {
    flag: {
      brief: "show this help",
      aliases: ["h"],
      global: true,
      defaultForRouteMap: true,
      run(_app, { result }) {
        const style = styleFor(io.stdout, io.env);
        // A group with a command of its own (`hone eval`) is that command; its help names the others.
        const target = isGroup(result.target) ? (result.target.getDefaultCommand() ?? result.target) : result.target;
        const name = result.prefix.join(" ");
        io.stdout.write(isGroup(target) ? groupHelp(target, name, style) : commandHelp(target, name, style));
      },
    },
  };
}

export function isGroup(target: Target): target is RouteMap<Context> {
  return "getAllEntries" in target;
}

function groupHelp(group: RouteMap<Context>, name: string, style: Style): string {
  const rows = commandsIn(group, name).map(([usage, brief]) => [style.paint("bold", usage), brief]);
  return [
    `${group.brief}\n`,
    heading("Commands", style),
    columns(rows, { indent: "  " }),
    `\n${style.paint("dim", `${name} <command> --help shows flags and examples.`)}\n`,
  ].join("");
}

function commandsIn(group: RouteMap<Context>, name: string): [usage: string, brief: string][] {
  return group.getAllEntries().flatMap(({ name: route, target, hidden }): [string, string][] => {
    const full = `${name} ${route.original}`;
    if (hidden) return [];
    if (!isGroup(target)) return [[`${full}${positionalUsage(target)}`, target.brief]];
    const own = target.getDefaultCommand();
    return [...(own === undefined ? [] : commandRow(own, full)), ...commandsIn(target, full)];
  });
}

function commandRow(command: Command<Context>, name: string): [string, string][] {
  return [[`${name}${positionalUsage(command)}`, command.brief]];
}

function commandHelp(command: Command<Context>, name: string, style: Style): string {
  const { flags = {}, aliases = {} } = command.parameters;
  const letters = new Map(Object.entries(aliases).map(([letter, flag]) => [flag, letter]));
  const rows = Object.entries(flags).map(([flag, parameter]) => [
    style.paint("bold", flagUsage(flag, parameter, letters.get(flag))),
    briefOf(parameter),
  ]);
  const parts = [
    `${style.paint("bold", `${name}${positionalUsage(command)}`)}${rows.length === 0 ? "" : " [flags]"}\n`,
    `\n${capital(command.brief)}.\n`,
    `\n${painted(command.fullDescription ?? "", style)}\n`,
    ...positionalHelp(command, style),
    heading("Flags", style),
    columns(rows, { indent: "  " }),
  ];
  return parts.join("");
}

function positionalHelp(command: Command<Context>, style: Style): string[] {
  const rows = positionals(command).map(({ placeholder = "", brief }) => [style.paint("bold", placeholder), brief]);
  return rows.length === 0 ? [] : [heading("Arguments", style), columns(rows, { indent: "  " })];
}

function positionals({ parameters: { positional } }: Command<Context>) {
  if (positional === undefined) return [];
  return positional.kind === "tuple" ? positional.parameters : [positional.parameter];
}

function positionalUsage(command: Command<Context>): string {
  return positionals(command)
    .map(({ placeholder }) => ` <${placeholder ?? ""}>`)
    .join("");
}

function flagUsage(name: string, flag: Flag, letter: string | undefined): string {
  const value =
    flag.kind === "enum"
      ? ` ${flag.values.join("|")}`
      : flag.kind === "parsed"
        ? ` ${flag.placeholder ?? "VALUE"}`
        : "";
  return `${letter === undefined ? "    " : `-${letter}, `}--${kebabCase(name)}${value}`;
}

function briefOf(flag: Flag): string {
  const isMany = "variadic" in flag && flag.variadic === true;
  const standard = "default" in flag && typeof flag.default === "string" ? `; ${flag.default} unless given` : "";
  return `${flag.brief}${standard}${isMany ? "; may be repeated" : ""}`;
}

/** `numTasks` as it is typed: `num-tasks`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function heading(title: string, style: Style): string {
  return `\n${style.paint("bold", title)}\n`;
}

/** Titles inside a description stand alone on their line. */
function painted(description: string, style: Style): string {
  return description.replaceAll(/^(Examples?|Models|Also)$/gm, (title) => style.paint("bold", title));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
