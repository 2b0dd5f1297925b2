// Problems whose answers are found by a short computation, with the answer known by the same computation here.
import type { Random } from "@hone/env";

export interface Problem {
  readonly problem: string;
  readonly answer: string;
}

export function makeProblem(random: Random): Problem {
  return random.pick([divisors, digitSum, residue, latticePaths, sumOfMultiples])(random);
}

function divisors(random: Random): Problem {
  const n = 100 + random.integer(9900);
  let count = 0;
  for (let d = 1; d <= n; d++) if (n % d === 0) count++;
  return { problem: `How many positive divisors does ${n} have?`, answer: String(count) };
}

function digitSum(random: Random): Problem {
  const [base, exponent] = [2 + random.integer(8), 20 + random.integer(60)];
  const digits = [...String(BigInt(base) ** BigInt(exponent))];
  return {
    problem: `What is the sum of the decimal digits of ${base}^{${exponent}}?`,
    answer: String(digits.reduce((sum, digit) => sum + Number(digit), 0)),
  };
}

function residue(random: Random): Problem {
  const [base, exponent, modulus] = [3 + random.integer(90), 50 + random.integer(400), 11 + random.integer(980)];
  let value = 1n;
  for (let step = 0; step < exponent; step++) value = (value * BigInt(base)) % BigInt(modulus);
  return { problem: `What is the remainder of ${base}^{${exponent}} divided by ${modulus}?`, answer: String(value) };
}

/** As a fraction of all monotone paths, so that the answer is not always whole. */
function latticePaths(random: Random): Problem {
  const [width, height] = [3 + random.integer(6), 3 + random.integer(6)];
  const choose = (n: number, k: number): number => {
    let value = 1;
    for (let i = 1; i <= k; i++) value = (value * (n - k + i)) / i;
    return Math.round(value);
  };
  const [through, all] = [choose(width + height - 1, height), choose(width + height, height)];
  return {
    problem:
      `A path goes from (0,0) to (${width},${height}) by unit steps right or up, all paths equally likely. ` +
      "What is the probability that its first step goes right? Give a fraction.",
    answer: `\\frac{${through}}{${all}}`,
  };
}

function sumOfMultiples(random: Random): Problem {
  const [a, b, limit] = [3 + random.integer(5), 8 + random.integer(6), 500 + random.integer(1500)];
  let sum = 0;
  for (let n = 1; n < limit; n++) if (n % a === 0 || n % b === 0) sum += n;
  return {
    problem: `What is the sum of all positive integers below ${limit} that are divisible by ${a} or by ${b}?`,
    answer: String(sum),
  };
}
