// Linear layers, and rows by number, with random shapes.
import type { Random } from "@hone/core";
import type { Floats } from "../memory.ts";
import { type Arrays, between, numbers, type ScenarioMaker } from "./scenario.ts";

function linearShape(random: Random, reach: number) {
  return {
    rows: between(random, 0, 30 * reach),
    inputs: between(random, 0, 290 * reach),
    outputs: between(random, 0, 37 * reach),
  };
}

function linearArrays(random: Random, { rows, inputs, outputs }: ReturnType<typeof linearShape>) {
  return {
    output: numbers(random, rows * outputs),
    input: numbers(random, rows * inputs),
    weight: numbers(random, outputs * inputs),
    bias: numbers(random, outputs),
    narrow: numbers(random, rows * mostRank),
    narrowWeight: numbers(random, Math.max(inputs, outputs) * mostRank),
  };
}

const mostRank = 20;

/** A low-rank part half of the time. */
function lowRank(random: Random) {
  const [isThere, rank] = [random.next() < 0.5, between(random, 1, mostRank)];
  return <F extends Floats>({ float }: Arrays<F>) =>
    isThere && { low: { rank, narrow: float("narrow"), weight: float("narrowWeight") } };
}

export const linearScenarios: Record<string, ScenarioMaker> = {
  "linear.forward": (random, reach) => {
    const shape = linearShape(random, reach);
    const [accumulate, hasBias, low] = [random.next() < 0.5, random.next() < 0.5, lowRank(random)];
    return {
      floats: linearArrays(random, shape),
      run: (kernels, { float, int }) =>
        kernels.linear.forward({
          ...shape,
          ...(hasBias && { bias: float("bias") }),
          ...low({ float, int }),
          out: float("output"),
          input: float("input"),
          weight: float("weight"),
          accumulate,
        }),
    };
  },
  "linear.backwardInput": (random, reach) => {
    const shape = linearShape(random, reach);
    const [accumulate, low] = [random.next() < 0.5, lowRank(random)];
    return {
      floats: linearArrays(random, shape),
      run: (kernels, { float, int }) =>
        kernels.linear.backwardInput({
          ...shape,
          ...low({ float, int }),
          inputGradient: float("input"),
          outputGradient: float("output"),
          weight: float("weight"),
          accumulate,
        }),
    };
  },
  "linear.backwardWeight": (random, reach) => {
    const [inputs, rows, outputs] = Object.values(linearShape(random, reach)) as [number, number, number];
    const shape = { rows, inputs, outputs };
    return {
      floats: linearArrays(random, shape),
      run: (kernels, { float }) =>
        kernels.linear.backwardWeight({
          ...shape,
          weightGradient: float("weight"),
          outputGradient: float("output"),
          input: float("input"),
        }),
    };
  },
  "linear.backwardBias": (random, reach) => {
    const shape = linearShape(random, reach);
    return {
      floats: linearArrays(random, shape),
      run: (kernels, { float }) =>
        kernels.linear.backwardBias({
          rows: shape.rows,
          outputs: shape.outputs,
          biasGradient: float("bias"),
          outputGradient: float("output"),
        }),
    };
  },
};

export const rowScenarios: Record<string, ScenarioMaker> = {
  rows: (random, reach) => {
    const shape = {
      rows: between(random, 0, 100 * reach),
      width: between(random, 0, 90 * reach),
      tableRows: between(random, 1, 20),
    };
    const [table, rows] = [shape.tableRows * shape.width, shape.rows * shape.width];
    return {
      floats: {
        table: numbers(random, table),
        gradient: numbers(random, table),
        out: numbers(random, rows),
        input: numbers(random, rows),
      },
      ints: { index: Array.from({ length: shape.rows }, () => random.integer(shape.tableRows)) },
      run: (kernels, { float, int }) => {
        kernels.rows.gather({ ...shape, out: float("out"), table: float("table"), index: int("index") });
        kernels.rows.scatterAdd({ ...shape, table: float("gradient"), input: float("input"), index: int("index") });
      },
    };
  },
};
