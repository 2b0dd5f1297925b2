// The record of a rollout while it runs: a tree of messages and the calls that made some of them.
// Invariant: the token columns along a path, concatenated, are exactly the prompt and reply ids of the last call on it.
import {
  type Call,
  type Completion,
  type JsonObject,
  type Message,
  type MessageNode,
  type NodeTokens,
  pathTo,
  type SeenTokens,
} from "@hone/core";

export class RolloutRecord {
  readonly nodes: MessageNode[] = [];
  readonly calls: Call[] = [];
  /** Why a prompt did not continue the tokens before it; one entry per branch that this caused. */
  readonly restarts: JsonObject[] = [];

  get lastNode(): number | null {
    return this.nodes.length === 0 ? null : this.nodes.length - 1;
  }

  /** Appends messages that the model did not produce; returns the index of the last one. */
  say(messages: readonly Message[], parent: number | null, agent: string): number | null {
    let at = parent;
    for (const message of messages) at = this.nodes.push({ parent: at, agent, message, sampled: false }) - 1;
    return at;
  }

  messagesTo(leaf: number | null): Message[] {
    return leaf === null ? [] : pathTo(this.nodes, leaf).flatMap((index) => this.nodes[index]?.message ?? []);
  }

  /** The ids the policy has seen up to its last reply on this path; undefined when some reply came without tokens. */
  seenTo(leaf: number | null): SeenTokens | undefined {
    if (leaf === null) return undefined;
    const parts: Int32Array[] = [];
    let messages = 0;
    for (const [position, index] of pathTo(this.nodes, leaf).entries()) {
      const node = this.nodes[index];
      if (node === undefined || !node.sampled) continue;
      if (node.tokens === undefined) return undefined;
      parts.push(node.tokens.ids);
      messages = position + 1;
    }
    return parts.length === 0 ? undefined : { ids: concat(parts), messages };
  }

  /** Adds the reply after `parent`. A prompt that does not continue `seen` starts a branch of its own: what was sampled is never rewritten. */
  reply(completion: Completion, parent: number | null, agent: string, seen: SeenTokens | undefined): number {
    const { message, tokens } = completion;
    if (tokens === undefined) return this.nodes.push({ parent, agent, message, sampled: true }) - 1;
    const continues = seen === undefined || startsWith(tokens.prompt, seen.ids);
    const from = continues ? parent : this.say(this.messagesTo(parent), null, agent);
    const prompt = continues && seen !== undefined ? tokens.prompt.subarray(seen.ids.length) : tokens.prompt;
    const columns: NodeTokens = {
      ids: concat([prompt, tokens.ids]),
      sampledFrom: prompt.length,
      logprobs: tokens.logprobs,
      policyVersion: tokens.policyVersion,
    };
    const node = this.nodes.push({ parent: from, agent, message, sampled: true, tokens: columns }) - 1;
    if (!continues) this.restarts.push({ node, reason: "the prompt's tokens differ from what was sampled before" });
    return node;
  }
}

function concat(parts: readonly Int32Array[]): Int32Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function startsWith(ids: Int32Array, prefix: Int32Array): boolean {
  if (ids.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index++) if (ids[index] !== prefix[index]) return false;
  return true;
}
