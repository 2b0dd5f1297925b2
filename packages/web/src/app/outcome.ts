// What became of a group, in words: runs write a name for it.
const reasons: Readonly<Record<string, string>> = {
  trained: "Its rollouts were trained on.",
  no_signal: "Nothing was learnt from it: its rewards are all the same.",
  stale: "It was left out: its policy was too old when it was done.",
  failed: "It was left out: too few of its rollouts could be scored.",
  superseded: "It was left out: the run ended, or went on from a checkpoint, before it was used.",
};

export function outcomeName(outcome: string): string {
  return outcome.replaceAll("_", " ");
}

/** Nothing for names that a newer run may write. */
export function outcomeReason(outcome: string): string | undefined {
  return reasons[outcome];
}
