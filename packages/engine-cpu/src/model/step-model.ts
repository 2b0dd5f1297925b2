// The decoder for the sampler: a few new tokens of many sequences at a time, keys and values in pages, logits of the rows that are asked for.
import type { Kernels } from "../kernel/kernels.ts";
import { pageFloats } from "../kernel/attention.ts";
import { Arena } from "./arena.ts";
import type { DecoderConfig } from "./config.ts";
import { type Attend, forward } from "./decoder.ts";
import { linear } from "./linear.ts";
import { outputRows } from "./output.ts";
import { IntSlots } from "./slots.ts";
import type { StepBatch, StepModel } from "./step.ts";
import { Tape } from "./tape.ts";

export interface StepModelOptions {
  readonly pages: number;
  /** A multiple of 16. */
  readonly pageTokens: number;
}

type SlotName = "tokens" | "positions" | "slots" | "starts" | "lengths" | "table" | "rows";

/** Bytes of one page over all layers: what a cache of a given size is divided by. */
export function pageBytes(config: DecoderConfig, pageTokens: number): number {
  const { keys, values } = pageFloats({ ...config, pageTokens });
  return config.layers * (keys + values) * Float32Array.BYTES_PER_ELEMENT;
}

export function createStepModel(kernels: Kernels, config: DecoderConfig, options: StepModelOptions): StepModel {
  const { pages, pageTokens } = options;
  const { heads, keyHeads, headWidth, vocabulary, contextTokens } = config;
  const floats = pageFloats({ keyHeads, headWidth, pageTokens });
  const cache = Array.from({ length: config.layers }, () => ({
    keyPages: kernels.memory.floats(pages * floats.keys),
    valuePages: kernels.memory.floats(pages * floats.values),
  }));
  const arena = new Arena(kernels.memory);
  const slots = new IntSlots<SlotName>(kernels.memory);
  let logits: Float32Array | undefined;

  function attendPages(batch: StepBatch): Attend<Float32Array> {
    const { tableWidth } = batch;
    const where = {
      slots: slots.put("slots", batch.slots),
      starts: slots.put("starts", batch.starts),
      lengths: slots.put("lengths", batch.lengths),
      table: slots.put("table", batch.table),
    };
    const tokens = batch.tokens.length;
    const shape = { heads, keyHeads, headWidth, scale: headWidth ** -0.5, pages, pageTokens, tokens };
    return (tape, layer, [queries, keys, values]) => {
      const pagesOfLayer = { ...shape, ...cache[layer]! };
      kernels.attention.store({ ...pagesOfLayer, keys: keys.data, values: values.data, slots: where.slots });
      const out = tape.value(queries.data.length, true);
      kernels.attention.paged({ ...pagesOfLayer, ...where, tableWidth, out: out.data, queries: queries.data });
      return out;
    };
  }

  return {
    vocabulary,
    contextTokens,
    pages,
    pageTokens,
    logits: (policy, batch) => {
      if (logits !== undefined) arena.give(logits);
      logits = undefined;
      const tape = new Tape({ kernels, arena });
      const rows = { tokens: slots.put("tokens", batch.tokens), positions: slots.put("positions", batch.positions) };
      const stream = forward(tape, policy, rows, { attend: attendPages(batch) });
      const count = batch.logitRows.length;
      if (count === 0) {
        tape.drop(stream);
        return new Float32Array();
      }
      const hidden = outputRows(tape, policy.decoder, stream, slots.put("rows", batch.logitRows));
      logits = linear(tape, hidden, policy.decoder.head, { adapter: policy.adapter }).data;
      tape.drop(hidden);
      return logits;
    },
  };
}
