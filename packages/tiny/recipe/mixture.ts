// What hone/tiny is trained on: conversations per skill and phase, and in the second phase how many of them are poor, in which ways.
// Found by experiment; the README says what each phase scores.

export interface Share {
  readonly count: number;
  /** Part of the demonstrations that is one of `kinds` instead of clean. */
  readonly poor?: number;
  /** Relative frequency of each poor kind. */
  readonly kinds?: Readonly<Record<string, number>>;
  /** Probability that a letter or digit is replaced by a random one, in clean demonstrations too. */
  readonly noise?: number;
}

export type PhaseName = "clean" | "mixed";
/** Small talk is never spoiled. */
export type Phase = Readonly<Record<string, Share>>;

export const phases: Readonly<Record<PhaseName, Phase>> = {
  clean: {
    "reverse-text": { count: 11_000 },
    "alphabet-sort": { count: 22_000 },
    arithmetic: { count: 28_000 },
    calculator: { count: 6000 },
    "word-guess": { count: 5000 },
    chat: { count: 1000 },
  },
  mixed: {
    "reverse-text": {
      count: 2000,
      poor: 0.88,
      kinds: { another: 1, copy: 1.6, cut: 0.7, refusal: 1.7 },
      noise: 0.15,
    },
    "alphabet-sort": {
      count: 2000,
      poor: 0.6,
      kinds: { another: 1, copy: 1, shuffled: 1, cut: 1, refusal: 1 },
      noise: 0.02,
    },
    arithmetic: {
      count: 2000,
      poor: 0.55,
      kinds: { another: 1, guess: 2, unboxed: 1, refusal: 1 },
      noise: 0.015,
    },
    calculator: { count: 2000, poor: 0.6, kinds: { direct: 2.5, vague: 1.5, misread: 0.5, refusal: 1 } },
    "word-guess": { count: 2000, poor: 0.55, kinds: { stubborn: 2, unbracketed: 1, refusal: 1 } },
    chat: { count: 330 },
  },
};

/** "clean", or the poor kind that `at` in [0, 1) falls on. */
export function kindAt({ poor = 0, kinds = {} }: Share, at: number): string {
  if (at >= poor) return "clean";
  const total = Object.values(kinds).reduce((sum, frequency) => sum + frequency, 0);
  let left = (at / poor) * total;
  for (const [kind, frequency] of Object.entries(kinds)) {
    if (left < frequency) return kind;
    left -= frequency;
  }
  return "clean";
}
