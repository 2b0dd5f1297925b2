// Rollout to samples, before any credit. A root-to-leaf branch of an agent becomes one sample; a sampled message is trained in its first branch only.
// Where agents share a branch, each gets a sample of its own: the same context, weight on its own messages.
import type { SampleId } from "./data.ts";
import type { MessageNode, Rollout } from "./rollout.ts";
import { concatRuns, type Runs, runsOf } from "./runs.ts";
import type { Sample } from "./sample.ts";

/** Node indices from a root to `leaf`. */
export function pathTo(nodes: readonly MessageNode[], leaf: number): number[] {
  const path: number[] = [];
  for (let at: number | null = leaf; at !== null; at = nodes[at]?.parent ?? null) path.push(at);
  return path.toReversed();
}

/** Every root-to-leaf path, in the order of their leaves. */
export function branchesOf(nodes: readonly MessageNode[]): number[][] {
  const isParent = new Uint8Array(nodes.length);
  for (const { parent } of nodes) if (parent !== null) isParent[parent] = 1;
  return nodes.flatMap((_node, index) => (isParent[index] === 1 ? [] : [pathTo(nodes, index)]));
}

/** Samples of the trainable agents: weight 1 on what is trained, advantage 0 everywhere. Branches without tokens give none. */
export function samplesOf(rollout: Rollout): Sample[] {
  const trainable = new Set(rollout.agents.flatMap((agent) => (agent.trainable ? [agent.name] : [])));
  const temperatures = temperatureByNode(rollout);
  const trained = new Set<number>();
  const samples: Sample[] = [];
  for (const [branch, path] of branchesOf(rollout.nodes).entries()) {
    const withTokens = path.filter((index) => rollout.nodes[index]?.tokens !== undefined);
    const leafAgent = rollout.nodes[withTokens.at(-1) ?? -1]?.agent;
    for (const agent of new Set(withTokens.map((index) => rollout.nodes[index]?.agent ?? ""))) {
      const own = withTokens.filter((index) => rollout.nodes[index]?.agent === agent);
      if (!trainable.has(agent) || own.every((index) => trained.has(index))) continue;
      const seen = withTokens.slice(0, withTokens.indexOf(own.at(-1) ?? -1) + 1);
      const id = (agent === leafAgent ? `${rollout.id}/${branch}` : `${rollout.id}/${branch}/${agent}`) as SampleId;
      samples.push(sampleOf({ id, rollout, agent, branch, path: seen, trained, temperatures }));
      for (const index of own) trained.add(index);
    }
  }
  return samples;
}

interface BranchOf {
  readonly id: SampleId;
  readonly rollout: Rollout;
  readonly agent: string;
  readonly branch: number;
  /** Nodes with tokens, root first. */
  readonly path: readonly number[];
  readonly trained: ReadonlySet<number>;
  readonly temperatures: ReadonlyMap<number, number>;
}

function sampleOf({ id, rollout, agent, branch, path, trained, temperatures }: BranchOf): Sample {
  const length = path.reduce((sum, index) => sum + (rollout.nodes[index]?.tokens?.ids.length ?? 0), 0);
  const tokens = new Int32Array(length);
  const weight = new Float32Array(length);
  const logprob = new Float32Array(length);
  const temperature: Runs<number>[] = [];
  const versions: Runs<number>[] = [];
  let at = 0;
  for (const index of path) {
    const node = rollout.nodes[index];
    if (node?.tokens === undefined) continue;
    const { ids, sampledFrom, logprobs, policyVersion } = node.tokens;
    const start = at + sampledFrom;
    tokens.set(ids, at);
    logprob.set(logprobs, start);
    if (node.sampled && node.agent === agent && !trained.has(index)) weight.fill(1, start, start + logprobs.length);
    temperature.push(runsOf(temperatures.get(index) ?? 1, ids.length));
    versions.push(...aroundSampled(policyVersion, sampledFrom, ids.length - sampledFrom - logprobs.length));
    at += ids.length;
  }
  return {
    id,
    rollout: rollout.id,
    agent,
    env: rollout.env,
    branch,
    tokens,
    weight,
    advantage: new Float32Array(length),
    logprob,
    temperature: concatRuns(temperature),
    policyVersion: concatRuns(versions),
  };
}

/** Context takes the version of the sampled token beside it, so that a sample of one version is one run. */
function aroundSampled(versions: Runs<number>, before: number, after: number): Runs<number>[] {
  return [runsOf(versions.values[0] ?? 0, before), versions, runsOf(versions.values.at(-1) ?? 0, after)];
}

function temperatureByNode(rollout: Rollout): Map<number, number> {
  const byNode = new Map<number, number>();
  for (const { node, sampling } of rollout.calls) if (node !== null) byNode.set(node, sampling.temperature ?? 1);
  return byNode;
}
