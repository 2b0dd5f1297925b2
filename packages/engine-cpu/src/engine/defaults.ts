// Sizes of the engine that nobody chose otherwise, in one place: its memory is planned from the same numbers.

/** Keys and values of what is being sampled. */
export const usualCacheBytes: number = 2 ** 30;
/** In the cache, per page. */
export const pageTokens = 16;
/** Sequences sampled at once. */
export const capacity = 64;
/** Sampled or read at once: long prompts are taken in pieces of this, beside those who sample. */
export const stepTokens = 256;
/** Trained on at once: enough to keep the processor busy, few enough that sampling need not wait long. */
export const rowTokens = 512;
/** Published policies that are kept. */
export const usualSnapshotBytes: number = 2 ** 29;
export const leastSnapshots = 4;
