// Every key of every relative that is understood, in the order they are tried.
import { hydraRows } from "./hydra.ts";
import { primeRows } from "./prime-rl.ts";
import type { Row } from "./row.ts";
import { modelRows } from "./shared.ts";

export const relativeRows: readonly Row[] = [...modelRows, ...primeRows, ...hydraRows];
