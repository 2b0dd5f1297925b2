// One kernel call as both builds understand it: a name, then numbers and arrays in the order in which the C side takes them.
// The C side checks every argument before it computes; what does not fit becomes an error that names kernel and argument.
import { HoneError } from "@hone/core";

export type KernelName =
  | "linearForward"
  | "linearBackwardInput"
  | "linearBackwardWeight"
  | "linearBackwardBias"
  | "normForward"
  | "normBackward"
  | "rotate"
  | "swigluForward"
  | "swigluBackward"
  | "gatherRows"
  | "scatterRows"
  | "attentionForward"
  | "attentionBackward"
  | "attentionStore"
  | "attentionPaged"
  | "lossForward"
  | "lossBackward"
  | "logitsLogprob"
  | "logitsBackward"
  | "sampleTokens"
  | "adamw"
  | "addScaled"
  | "scale"
  | "sumOfSquares"
  | "countNonFinite"
  | "fromBfloat16"
  | "toBfloat16"
  | "fromFloat16"
  | "toFloat16";

export type KernelArgument = number | Float32Array | Int32Array | Uint16Array | null;

/** Runs a kernel; the result is 0 for those that only write to arrays. */
export type KernelCall = (kernel: KernelName, ...values: readonly KernelArgument[]) => number;

/** As the C side numbers them: native/call.h. */
export const argumentKinds = ["nothing", "a number", "a Float32Array", "an Int32Array", "a Uint16Array"] as const;
export const otherKind = argumentKinds.length;

/** What the C side found wrong; `problem` as native/call.h numbers it. */
export interface CallProblem {
  readonly problem: number;
  readonly argument: string;
  readonly needed: number;
  readonly given: number;
}

/** The most arguments that one call can carry. */
export const mostArguments = 24;

export function callError(kernel: KernelName, { problem, argument, needed, given }: CallProblem): HoneError {
  const refuse = (what: string): HoneError =>
    new HoneError(`${kernel}: ${what}`, {
      code: "kernel-argument",
      hint: "Nothing was computed; the arrays are as before.",
    });
  switch (problem) {
    case 1:
      return refuse(
        `${argument} must be ${argumentKinds[needed] ?? "something else"}, not ${argumentKinds[given] ?? foreign}`,
      );
    case 2:
      return refuse(`${argument} holds ${given} numbers; ${needed} are needed`);
    case 3:
      return refuse(`${argument} may not be or contain ${given}`);
    case 4:
      return refuse(`it takes ${needed} arguments, ${given} were given`);
    default:
      return new HoneError(`${kernel}: no memory for ${needed} floats of scratch`, {
        code: "out-of-memory",
        hint: "Use fewer rows at once, shorter sequences or a smaller model.",
      });
  }
}

const foreign = "another kind of value, or an array that was not allocated by these kernels' memory";
