// pass@k and pass^k of one task, unbiased: of n scored rollouts c are correct. pass@k is the chance that k of them, drawn without
// replacement, hold at least one correct one: 1 - C(n-c, k) / C(n, k); pass^k that all are correct: C(c, k) / C(n, k). Products, never factorials.

export function passAtK(n: number, correct: number, k: number): number {
  checkCounts(n, correct, k);
  if (n - correct < k) return 1;
  let noneCorrect = 1;
  for (let drawn = 0; drawn < k; drawn++) noneCorrect *= (n - correct - drawn) / (n - drawn);
  return 1 - noneCorrect;
}

export function passAllK(n: number, correct: number, k: number): number {
  checkCounts(n, correct, k);
  if (correct < k) return 0;
  let allCorrect = 1;
  for (let drawn = 0; drawn < k; drawn++) allCorrect *= (correct - drawn) / (n - drawn);
  return allCorrect;
}

/** 1, 2, 4, ... up to the size of the group. */
export function powersUpTo(groupSize: number): number[] {
  const powers: number[] = [];
  for (let k = 1; k <= groupSize; k *= 2) powers.push(k);
  return powers;
}

function checkCounts(n: number, correct: number, k: number): void {
  const isOrdered = 0 <= correct && correct <= n && 1 <= k && k <= n;
  if (isOrdered && [n, correct, k].every((count) => Number.isSafeInteger(count))) return;
  throw new RangeError(
    `no pass@k for n = ${n}, correct = ${correct}, k = ${k}: it takes 0 <= correct <= n and 1 <= k <= n`,
  );
}
