// The tape: every operation of a forward pass notes how to take gradients back through it; `backward` runs the notes in reverse.
// Arrays are the arena's. While recording, what an operation made is kept until its own gradient has been taken; otherwise it goes back
// as soon as the code that made it drops it. Gradients of parameters are kept outside, by the parameter's array.
import type { Kernels } from "../kernel/kernels.ts";
import type { Floats } from "../kernel/memory.ts";
import type { Arena } from "./arena.ts";

/** Rows of activations. */
export interface Value<F extends Floats> {
  readonly data: F;
  /** Nothing that can be trained lies before it. */
  readonly isConstant: boolean;
  /** Summed over everything that used it; absent until the first. */
  gradient?: F;
}

/** Gradient of each parameter that is trained, by its array. Others are frozen. */
export type ParameterGradients<F extends Floats> = ReadonlyMap<F, F>;

export interface TapeOptions<F extends Floats> {
  readonly kernels: Kernels<F>;
  readonly arena: Arena<F>;
  /** Absent: forward only. */
  readonly gradients?: ParameterGradients<F>;
}

interface Step<F extends Floats> {
  /** Absent where a value was changed in place. */
  readonly output?: Value<F>;
  readonly backward: () => void;
  /** Other arrays that the backward pass needs. */
  readonly saved: readonly F[];
}

export class Tape<F extends Floats> {
  readonly kernels: Kernels<F>;
  readonly arena: Arena<F>;
  readonly #gradients: ParameterGradients<F> | undefined;
  readonly #steps: Step<F>[] = [];
  /** Inputs of a part that is computed again later: never changed in place, never dropped. */
  readonly #kept = new Set<Value<F>>();

  constructor({ kernels, arena, gradients }: TapeOptions<F>) {
    this.kernels = kernels;
    this.arena = arena;
    this.#gradients = gradients;
  }

  get isRecording(): boolean {
    return this.#gradients !== undefined;
  }

  gradientOf(parameter: F): F | undefined {
    return this.#gradients?.get(parameter);
  }

  isFrozen(...parameters: readonly (F | undefined)[]): boolean {
    return parameters.every((parameter) => parameter === undefined || this.gradientOf(parameter) === undefined);
  }

  value(length: number, isConstant: boolean): Value<F> {
    return { data: this.arena.take(length), isConstant };
  }

  keep(value: Value<F>): void {
    this.#kept.add(value);
  }

  /** Whether an operation may write its result over this input. */
  isSpare(value: Value<F>): boolean {
    return !this.isRecording && !this.#kept.has(value);
  }

  /** The last use in a forward pass. */
  drop(value: Value<F>): void {
    if (this.isSpare(value)) this.arena.give(value.data);
  }

  /** `saved` are arrays of the arena beside the output: they go back with it. */
  record(output: Value<F>, saved: readonly F[], backward: () => void): void {
    if (this.isRecording) this.#steps.push({ output, saved, backward });
    else for (const array of saved) this.arena.give(array);
  }

  /** A change in place: its gradient is changed in place too. */
  notice(backward: () => void): void {
    if (this.isRecording) this.#steps.push({ saved: [], backward });
  }

  /** Another one with the same gradients. */
  again(): Tape<F> {
    const gradients = this.#gradients;
    return new Tape({ kernels: this.kernels, arena: this.arena, ...(gradients && { gradients }) });
  }

  /** Where an operation puts the gradient of its input: on top of what is there, or over fresh memory. */
  inputGradient(value: Value<F>): { readonly gradient: F; readonly accumulate: boolean } {
    if (value.gradient !== undefined) return { gradient: value.gradient, accumulate: true };
    value.gradient = this.arena.take(value.data.length);
    return { gradient: value.gradient, accumulate: false };
  }

  /** From the last operation to the first. An output without a gradient moved nothing: its operation is passed over. */
  backward(): void {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      if (step.output === undefined || step.output.gradient !== undefined) step.backward();
      this.#giveBack(step);
    }
  }

  /** Gives everything back without taking gradients: after a forward pass that failed. */
  abandon(): void {
    for (const step of this.#steps.splice(0)) this.#giveBack(step);
  }

  #giveBack({ output, saved }: Step<F>): void {
    if (output?.gradient !== undefined) this.arena.give(output.gradient);
    delete output?.gradient;
    if (output !== undefined) this.arena.give(output.data);
    for (const array of saved) this.arena.give(array);
  }
}
