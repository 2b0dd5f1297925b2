// The toy engine: the whole engine contract on a bigram softmax. It learns, is deterministic, and takes microseconds, so that every
// scheduler, kill and algorithm test can run on a real engine. One trainer at a time: opening another ends the one before.
import { canonicalJson } from "../task.ts";
import type { Engine, EngineInfo, GeneratedSequence, PolicyRef, Sampler, Trainer, TrainerSpec } from "../engine.ts";
import { HoneError } from "../errors.ts";
import { type CheckpointStore, decodeCheckpoint, memoryCheckpoints, type ToyCheckpoint } from "./toy-checkpoint.ts";
import { basePolicy, scoreTokens, type ToyPolicy } from "./toy-policy.ts";
import { checkRequest, generateTokens } from "./toy-sampling.ts";
import { checkTokens, createToyTrainer } from "./toy-trainer.ts";
import { newMoments, toyTuning } from "./toy-tuning.ts";

export interface ToyEngineOptions {
  readonly vocabularySize?: number;
  readonly contextTokens?: number;
  /** Of the base model's weights. */
  readonly seed?: number;
  /** In memory unless given. Engines that share one can open each other's checkpoints. */
  readonly checkpoints?: CheckpointStore;
  /** Where `export` writes. Without it, exporting is refused. */
  readonly writeFile?: (path: string, bytes: Uint8Array) => Promise<void>;
}

/** How many published policies can still be asked for by version. Samplers keep theirs regardless. */
const keptPolicies = 64;

export function createToyEngine(options: ToyEngineOptions = {}): Engine {
  const { vocabularySize = 64, contextTokens = 4096, seed = 0, checkpoints = memoryCheckpoints() } = options;
  const base = basePolicy(vocabularySize, seed);
  const published = new Map<number, ToyPolicy>();
  let latest = base;
  let opened = 0;
  let running = 0;
  let isClosed = false;

  const checkOpen = (): void => {
    if (isClosed) throw new HoneError("the engine is closed", { code: "closed" });
  };
  const publish = (policy: ToyPolicy): void => {
    latest = policy;
    published.delete(policy.version);
    published.set(policy.version, policy);
    for (const version of published.keys()) if (published.size > keptPolicies) published.delete(version);
  };

  async function readCheckpoint(name: string): Promise<ToyCheckpoint> {
    const bytes = await checkpoints.read(name);
    if (bytes === undefined) throw new HoneError(`there is no checkpoint "${name}"`, { code: "checkpoint" });
    const checkpoint = decodeCheckpoint(name, bytes);
    if (checkpoint.vocabularySize === vocabularySize && checkpoint.seed === seed) return checkpoint;
    throw new HoneError(`checkpoint "${name}" belongs to another base model`, {
      code: "checkpoint",
      hint: "Create the engine with the vocabulary size and the seed it was saved with.",
    });
  }

  function policyOf({ version, adapter, parameters }: ToyCheckpoint): ToyPolicy {
    return { version, vocabularySize, logits: toyTuning(base, adapter).logits(parameters) };
  }

  async function open(spec: TrainerSpec): Promise<Trainer> {
    checkOpen();
    checkSpec(spec);
    const { adapter, from } = spec;
    const tuning = toyTuning(base, adapter);
    const saved = from === undefined ? undefined : await readCheckpoint(from.checkpoint);
    if (saved !== undefined && canonicalJson(saved.adapter) !== canonicalJson(adapter)) {
      throw new HoneError(`checkpoint "${from?.checkpoint}" has another adapter`, { code: "checkpoint" });
    }
    checkOpen();
    const parameters = saved?.parameters ?? tuning.initial();
    const moments = saved?.moments ?? newMoments(parameters.length);
    const policy = saved === undefined ? base : policyOf(saved);
    const generation = ++opened;
    // What an abandoned trainer published after this point never happened.
    for (const version of published.keys()) if (version > policy.version) published.delete(version);
    publish(policy);
    return createToyTrainer(
      { adapter, seed, policy, tuning, parameters, moments },
      {
        contextTokens,
        check: () => {
          checkOpen();
          if (generation !== opened) throw new HoneError("another trainer was opened since", { code: "closed" });
        },
        publish,
        save: (name, bytes) => checkpoints.write(name, bytes),
        export: async (directory, bytes) => {
          if (options.writeFile !== undefined) return options.writeFile(`${directory}/policy.toy`, bytes);
          throw new HoneError(`cannot export to ${directory}: this toy engine was given no writeFile`, {
            code: "unsupported",
            hint: "Create it with { writeFile }.",
          });
        },
      },
    );
  }

  function sampler(ref: PolicyRef): Sampler {
    const resolve = resolver(ref);
    return {
      policy: ref,
      async generate(request, { signal }) {
        signal.throwIfAborted();
        checkOpen();
        checkRequest(request, { vocabularySize, contextTokens });
        running += request.count;
        try {
          const policy = await resolve();
          const sequences: GeneratedSequence[] = await generateTokens({
            request,
            contextTokens,
            policy: () => {
              checkOpen();
              return policy();
            },
            signal,
          });
          return { sequences };
        } finally {
          running -= request.count;
        }
      },
      async score(sequences, { temperature, signal }) {
        signal.throwIfAborted();
        checkOpen();
        for (const [index, ids] of sequences.entries()) checkTokens(ids, vocabularySize, `sequence ${index}`);
        const policy = (await resolve())();
        signal.throwIfAborted();
        return sequences.map((ids) => scoreTokens(policy, ids, temperature));
      },
    };
  }

  /** Two stages: a checkpoint is read once per call, while "latest" is looked up for every token. */
  function resolver(ref: PolicyRef): () => Promise<() => ToyPolicy> {
    if (ref === "latest") return async () => () => latest;
    if (ref === "base") return async () => () => base;
    if ("checkpoint" in ref) {
      return async () => {
        const policy = policyOf(await readCheckpoint(ref.checkpoint));
        return () => policy;
      };
    }
    const pinned = published.get(ref.version);
    return async () => {
      const policy = pinned ?? published.get(ref.version);
      if (policy !== undefined) return () => policy;
      throw new HoneError(`policy ${ref.version} is not published, or no longer kept`, { code: "unknown-policy" });
    };
  }

  return {
    info: toyInfo(contextTokens),
    open,
    sampler,
    pressure: () => ({ running, queued: 0, capacity: Number.MAX_SAFE_INTEGER }),
    close: async () => {
      isClosed = true;
    },
  };
}

function toyInfo(contextTokens: number): EngineInfo {
  return {
    name: "toy",
    model: "toy",
    contextTokens,
    losses: ["none", "cross_entropy", "importance_sampling", "ppo", "cispo", "dro", "dppo"],
    temperature: "per-token",
    tuning: ["lora", "full"],
    optimizer: ["learningRate", "betas", "epsilon", "weightDecay", "gradientClip"],
    pinnedPolicies: true,
    samplesDuringUpdate: true,
    swapsInFlight: true,
    sharesCompute: true,
    deterministic: true,
  };
}

function checkSpec({ model, adapter }: TrainerSpec): void {
  if (model !== "toy")
    throw new HoneError(`the toy engine has one model, "toy", not "${model}"`, { code: "unknown-model" });
  if (adapter !== "full" && !(Number.isInteger(adapter.rank) && adapter.rank > 0)) {
    throw new HoneError(`an adapter has a rank of at least 1, not ${adapter.rank}`, { code: "bad-request" });
  }
}
