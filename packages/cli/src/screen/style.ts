// Few colours, and only for people: a terminal, and nothing that says otherwise (NO_COLOR, TERM=dumb).
import { styleText } from "node:util";
import type { Io, Output } from "../io.ts";

type Format = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Style {
  readonly color: boolean;
  paint(format: Format, text: string): string;
}

export function styleFor(output: Output, env: Io["env"]): Style {
  const isRefused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const color = output.isTerminal && !isRefused;
  // What Node would look at itself is its own stdout, which may not be this output.
  return {
    color,
    paint: (format, text) => (color && text !== "" ? styleText(format, text, { validateStream: false }) : text),
  };
}
