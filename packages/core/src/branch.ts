// Rollout to samples, before any credit. A root-to-leaf branch of an agent becomes one sample; a sampled message is trained in its first branch only.
// Where agents share a branch, each gets a sample of its own: the same context, weight on its own messages.
import type { SampleId } from "./data.ts";
import type { MessageNode, Rollout } from "./rollout.ts";
import { appendRun, type GrowingRuns, type Runs } from "./runs.ts";
import type { Sample } from "./sample.ts";

/** Node indices from a root to `leaf`. */
export function pathTo(nodes: readonly MessageNode[], leaf: number): number[] {
  const path: number[] = [];
  for (let at: number | null = leaf; at !== null; at = nodes[at]?.parent ?? null) path.push(at);
  return path.toReversed();
}

/** Every root-to-leaf path, in the order of their leaves. */
export function branchesOf(nodes: readonly MessageNode[]): number[][] {
  // Plain arrays here and below: a typed array of a few places costs more than its content.
  const isParent: boolean[] = nodes.map(() => false);
  for (const { parent } of nodes) if (parent !== null) isParent[parent] = true;
  const branches: number[][] = [];
  for (let index = 0; index < nodes.length; index++) if (!isParent[index]) branches.push(pathTo(nodes, index));
  return branches;
}

/** Samples of the trainable agents: weight 1 on what is trained, advantage 0 everywhere. Branches without tokens give none. */
export function samplesOf(rollout: Rollout): Sample[] {
  const { nodes } = rollout;
  const temperatures = temperatureByNode(rollout);
  const isTrained: boolean[] = nodes.map(() => false);
  const samples: Sample[] = [];
  const branches = branchesOf(nodes);
  for (let branch = 0; branch < branches.length; branch++) {
    const path = branches[branch]!.filter((index) => nodes[index]!.tokens !== undefined);
    const leafAgent = nodes[path.at(-1) ?? -1]?.agent;
    for (const agent of agentsOn(rollout, path)) {
      const seen = path.slice(0, path.findLastIndex((index) => nodes[index]!.agent === agent) + 1);
      if (seen.every((index) => nodes[index]!.agent !== agent || isTrained[index])) continue;
      const id = (agent === leafAgent ? `${rollout.id}/${branch}` : `${rollout.id}/${branch}/${agent}`) as SampleId;
      samples.push(sampleOf({ id, rollout, agent, branch, path: seen, isTrained, temperatures }));
      for (const index of seen) if (nodes[index]!.agent === agent) isTrained[index] = true;
    }
  }
  return samples;
}

/** The trainable agents of these nodes, in the order of their first message. */
function agentsOn({ agents, nodes }: Rollout, path: readonly number[]): string[] {
  const found: string[] = [];
  for (const index of path) {
    const { agent } = nodes[index]!;
    if (!found.includes(agent) && agents.some(({ name, trainable }) => trainable && name === agent)) found.push(agent);
  }
  return found;
}

interface BranchOf {
  readonly id: SampleId;
  readonly rollout: Rollout;
  readonly agent: string;
  readonly branch: number;
  /** Nodes with tokens, root first. */
  readonly path: readonly number[];
  /** By node: another sample trains it already. */
  readonly isTrained: readonly boolean[];
  readonly temperatures: readonly number[];
}

function sampleOf({ id, rollout, agent, branch, path, isTrained, temperatures }: BranchOf): Sample {
  const tokens = idsOf(rollout.nodes, path);
  const { length } = tokens;
  const weight = new Float32Array(length);
  const logprob = new Float32Array(length);
  const temperature: GrowingRuns<number> = { values: [], lengths: [] };
  const versions: GrowingRuns<number> = { values: [], lengths: [] };
  let at = 0;
  for (const index of path) {
    const node = rollout.nodes[index]!;
    const { ids, sampledFrom, logprobs, policyVersion } = node.tokens!;
    const start = at + sampledFrom;
    logprob.set(logprobs, start);
    if (node.sampled && node.agent === agent && !isTrained[index]) weight.fill(1, start, start + logprobs.length);
    appendRun(temperature, temperatures[index]!, ids.length);
    appendAround(versions, policyVersion, sampledFrom, ids.length - sampledFrom - logprobs.length);
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
    temperature,
    policyVersion: versions,
  };
}

/** All ids of the path. Those of a single message are not copied: a chat of one turn is held in memory once, as its rollout. */
function idsOf(nodes: readonly MessageNode[], path: readonly number[]): Int32Array {
  if (path.length === 1) {
    const { ids } = nodes[path[0]!]!.tokens!;
    // A part of a larger buffer would drag all of it along wherever the sample is sent.
    return ids.byteLength === ids.buffer.byteLength ? ids : ids.slice();
  }
  let length = 0;
  for (const index of path) length += nodes[index]!.tokens!.ids.length;
  const tokens = new Int32Array(length);
  let at = 0;
  for (const index of path) {
    const { ids } = nodes[index]!.tokens!;
    tokens.set(ids, at);
    at += ids.length;
  }
  return tokens;
}

/** Context takes the version of the sampled token beside it, so that a sample of one version is one run. */
function appendAround(to: GrowingRuns<number>, { values, lengths }: Runs<number>, before: number, after: number): void {
  appendRun(to, values[0] ?? 0, before);
  for (let index = 0; index < values.length; index++) appendRun(to, values[index]!, lengths[index]!);
  appendRun(to, values.at(-1) ?? 0, after);
}

/** 1 where no call says otherwise. */
function temperatureByNode({ nodes, calls }: Rollout): number[] {
  const byNode = nodes.map(() => 1);
  for (const { node, sampling } of calls) if (node !== null) byNode[node] = sampling.temperature ?? 1;
  return byNode;
}
