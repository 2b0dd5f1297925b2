// What metrics are called on the page. Names in files are short and exact; here they say what they mean. One that is not known keeps its own words.

const titles: Readonly<Record<string, string>> = {
  "task/groups": "Groups",
  "task/stale_kept": "Stale groups, kept",
  "rollout/count": "Rollouts",
  "rollout/truncated": "Truncated, share",
  "rollout/mean_seconds": "Seconds per rollout",
  "rollout/turns": "Turns per rollout",
  "rollout/tool_calls": "Tool calls per rollout",
  "rollout/tool_errors": "Tool errors per rollout",
  "rollout/input_tokens": "Tokens read",
  "rollout/output_tokens": "Tokens written",
  "rollout/tokens_per_second": "Sampled tokens per second",
  "reward/trained/mean": "Reward of what was trained on",
  "sample/rollouts": "Rollouts in the batch",
  "sample/sequences": "Sequences in the batch",
  "sample/count": "Conversations in the batch",
  "sample/tokens": "Tokens per batch",
  "sample/trained_tokens": "Trained tokens per batch",
  "sample/mean_length": "Tokens per sequence",
  "sample/truncated_share": "Truncated, share",
  "sample/cut_tokens": "Tokens cut off",
  "sample/without_effect": "Sequences without effect",
  "sample/reference_kl": "KL to the reference",
  "sample/cut": "Conversations cut",
  "sample/dropped": "Conversations left out",
  "sample/epoch": "Times through the data",
  "update/loss": "Loss",
  "update/sampler_kl": "KL to the sampling policy",
  "update/kl": "KL",
  "update/ratio": "Ratio to the sampling policy",
  "update/gradient_norm": "Gradient norm",
  "update/learning_rate": "Learning rate",
  "update/tokens_per_second": "Trained tokens per second",
  "update/seconds": "Seconds per update",
};

/** `name` is a key without its environment: "rollout/turns". */
export function titleOf(name: string): string {
  const known = titles[name];
  if (known !== undefined) return known;
  const words = name.slice(name.indexOf("/") + 1).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Those that are asked for first come first; the others keep their order. */
export function inOrder<Item>(
  items: readonly Item[],
  order: readonly string[],
  nameOf: (item: Item) => string,
): Item[] {
  const rank = (item: Item): number => {
    const at = order.findIndex((start) => nameOf(item).startsWith(start));
    return at < 0 ? order.length : at;
  };
  return [...items].sort((a, b) => rank(a) - rank(b));
}
