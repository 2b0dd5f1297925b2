// What is trained: each parameter with its gradient and the two moments of Adam, and one step of all of them.
// A step happens whole or not at all: the gradient is looked at first.
import { HoneError, type OptimizerStep } from "@hone/core";
import type { Kernels } from "../kernel/kernels.ts";
import { badRequest } from "../model/check-tokens.ts";
import type { ParameterGradients } from "../model/tape.ts";

interface Parameter {
  readonly name: string;
  readonly values: Float32Array;
  readonly gradient: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
}

export class TrainedParameters {
  readonly gradients: ParameterGradients<Float32Array>;
  readonly #kernels: Kernels;
  readonly #parameters: readonly Parameter[];

  constructor(kernels: Kernels, parameters: readonly { readonly name: string; readonly values: Float32Array }[]) {
    const { memory } = kernels;
    this.#kernels = kernels;
    this.#parameters = parameters.map(({ name, values }) => ({
      name,
      values,
      gradient: memory.floats(values.length),
      first: memory.floats(values.length),
      second: memory.floats(values.length),
    }));
    this.gradients = new Map(this.#parameters.map(({ values, gradient }) => [values, gradient]));
  }

  discard(): void {
    for (const { gradient } of this.#parameters) gradient.fill(0);
  }

  /** AdamW with the gradient clipped to a global norm; returns the norm before clipping. The gradient is zero afterwards. */
  update(step: OptimizerStep, number: number): number {
    try {
      checkStep(step);
      const { optimizer } = this.#kernels;
      const norm = Math.sqrt(this.#parameters.reduce((sum, { gradient }) => sum + optimizer.sumOfSquares(gradient), 0));
      if (!Number.isFinite(norm)) {
        throw new HoneError(`the gradient is not finite${this.#where()}`, {
          code: "non-finite",
          hint: "The policy stays as it was. A smaller learning rate or gradient clipping in the steps before may prevent it.",
        });
      }
      const isClipped = step.gradientClip > 0 && norm > step.gradientClip;
      const gradientScale = isClipped ? step.gradientClip / (norm + 1e-6) : 1;
      for (const { values, gradient, first, second } of this.#parameters) {
        const moments = { firstMoment: first, secondMoment: second };
        optimizer.adamw({ ...step, ...moments, weight: values, gradient, step: number, gradientScale });
      }
      return norm;
    } finally {
      this.discard();
    }
  }

  /** By role and name, the live arrays. */
  tensors(): ReadonlyMap<string, Float32Array> {
    return new Map(
      this.#parameters.flatMap(({ name, values, first, second }) => [
        [`weight/${name}`, values],
        [`first/${name}`, first],
        [`second/${name}`, second],
      ]),
    );
  }

  restore(tensors: ReadonlyMap<string, Float32Array>): void {
    const own = this.tensors();
    for (const [name, values] of own) {
      const saved = tensors.get(name);
      if (saved?.length === values.length) continue;
      const what = saved === undefined ? "is not in it" : `has ${saved.length} values, not ${values.length}`;
      throw badRequest(`the checkpoint does not fit the model: ${name} ${what}`);
    }
    for (const [name, values] of own) values.set(tensors.get(name)!);
  }

  release(): void {
    const { memory } = this.#kernels;
    for (const { gradient, first, second } of this.#parameters) {
      for (const array of [gradient, first, second]) memory.release(array);
    }
  }

  #where(): string {
    const bad = this.#parameters.find(({ gradient }) => this.#kernels.optimizer.countNonFinite(gradient) > 0);
    return bad === undefined ? "" : `, first in ${bad.name}`;
  }
}

function checkStep({ learningRate, betas, epsilon, weightDecay, gradientClip }: OptimizerStep): void {
  const isValid =
    betas.every((beta) => beta >= 0 && beta < 1) &&
    [learningRate, epsilon, weightDecay, gradientClip].every((value) => Number.isFinite(value) && value >= 0);
  if (isValid) return;
  throw badRequest("an optimiser step needs betas in [0, 1) and other numbers that are finite and not negative");
}
