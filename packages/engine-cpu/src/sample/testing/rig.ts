// A sampler on the paged model, driven by hand: requests in, outcomes out, policies swapped between steps.
import { isDeepStrictEqual } from "node:util";
import { HoneError, type PolicyRef, type TokenSampling } from "@hone/core";
import type { Kernels } from "../../kernel/kernels.ts";
import type { PolicyWeights } from "../../model/weights.ts";
import { BatchSampler, type SampledSequence, type SamplerRequest } from "../sampler.ts";
import { createPagedModel, type PagedModel, policyOf } from "./paged-model.ts";
import { samplePlainly, versionsOf } from "./plain-loop.ts";

export interface RigOptions {
  readonly kernels: Kernels;
  readonly vocabulary?: number;
  readonly contextTokens?: number;
  readonly pages?: number;
  readonly pageTokens?: number;
  readonly capacity?: number;
  readonly stepTokens?: number;
}

export type Asked = Partial<Omit<SamplerRequest, "sampling" | "onDone">> & Partial<TokenSampling>;

export interface SamplerRig {
  readonly sampler: BatchSampler;
  readonly model: PagedModel;
  /** Changed by `swap`; with undefined no policy is the latest. */
  readonly latest: () => PolicyWeights;
  swap(to: PolicyWeights | undefined): void;
  ask(asked: Asked): Ticket;
  /** Steps until there is nothing to do; how many. */
  finish(): number;
  /** Where results are not what sampling one token after the other gives, under the versions that they carry. */
  mismatches(...tickets: readonly Ticket[]): readonly unknown[];
}

export interface Ticket {
  readonly handle: number;
  readonly request: SamplerRequest;
  readonly sequences: () => readonly SampledSequence[];
  readonly error: () => HoneError | undefined;
  readonly timesDone: () => number;
  /** The latest version when it was done. */
  readonly versionWhenDone: () => number;
}

const decoder = new TextDecoder();

/** Tokens are bytes: 0 is "a"; the last four make one character together. */
function byteText(vocabulary: number): (ids: Int32Array) => string {
  const thumb = [0xf0, 0x9f, 0x91, 0x8d];
  const byteOf = (id: number): number => thumb[id - vocabulary + thumb.length] ?? 97 + (id % 26);
  return (ids) => decoder.decode(Uint8Array.from(ids, byteOf));
}

export function createRig(options: RigOptions): SamplerRig {
  const { kernels, vocabulary = 30, contextTokens = 48, pages = 40, pageTokens = 4 } = options;
  const { capacity = 8, stepTokens = 32 } = options;
  const shape = { vocabulary, contextTokens, pages, pageTokens };
  const model = createPagedModel({ memory: kernels.memory, ...shape, mostRows: capacity });
  const published = new Map<number, PolicyWeights>();
  const textOf = byteText(vocabulary);
  let latest: PolicyWeights | undefined;
  const publish = (policy: PolicyWeights | undefined): void => {
    latest = policy;
    if (policy !== undefined) published.set(policy.version, policy);
  };
  publish(policyOf(0));
  const held = (ref: PolicyRef): PolicyWeights => {
    const policy =
      ref === "latest" ? latest : published.get(typeof ref === "object" && "version" in ref ? ref.version : 0);
    if (policy === undefined) throw new HoneError("this policy is not held", { code: "unknown-policy" });
    return policy;
  };
  const sampler = new BatchSampler({ model, kernels, policyOf: held, textOf, capacity, stepTokens });
  return {
    sampler,
    model,
    latest: () => held("latest"),
    swap: publish,
    ask: (asked) => {
      let [timesDone, versionWhenDone] = [0, -1];
      let sequences: readonly SampledSequence[] = [];
      let error: HoneError | undefined;
      const { prompt = Int32Array.of(1, 2, 3), count = 1, policy = "latest", priority, ...change } = asked;
      const request: SamplerRequest = {
        prompt,
        count,
        policy,
        ...(priority !== undefined && { priority }),
        sampling: { maxTokens: 6, temperature: 1, seed: 1, stopTokens: [], ...change },
        onDone: (outcome) => {
          timesDone++;
          versionWhenDone = latest?.version ?? -1;
          if ("error" in outcome) error = outcome.error;
          else sequences = outcome.generation.sequences as readonly SampledSequence[];
        },
      };
      return {
        handle: sampler.add(request),
        request,
        sequences: () => sequences,
        error: () => error,
        timesDone: () => timesDone,
        versionWhenDone: () => versionWhenDone,
      };
    },
    finish: () => {
      for (let steps = 0; steps < 20_000; steps++) if (!sampler.step()) return steps;
      throw new Error("the sampler does not come to an end");
    },
    mismatches: (...tickets) =>
      tickets.flatMap((ticket): readonly unknown[] => {
        const { request, sequences, error, timesDone } = ticket;
        const isWhole = timesDone() === 1 && sequences().length === request.count;
        if (!isWhole) return [{ timesDone: timesDone(), sequences: sequences().length, error: error()?.message }];
        return sequences().flatMap((actual, index) => {
          const versions = versionsOf(actual);
          const policyAt = (at: number): PolicyWeights => held({ version: versions[at] ?? -1 });
          const expected = samplePlainly({ kernels, vocabulary, contextTokens, request, index, policyAt, textOf });
          return isDeepStrictEqual(actual, expected) ? [] : [{ index, actual, expected }];
        });
      }),
  };
}
