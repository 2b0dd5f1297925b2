// Makers of numbers: integers, fractions, decimals, percent, bases, repeating decimals, roots, complex numbers, units, times.
import type { Random } from "@hone/core";
import { distinct, type Fraction, fractionOf, nonzero, whole, writeFraction, writeSum } from "./draw.ts";
import type { Maker } from "./pairs.ts";

const integer: Maker = (random) => {
  const value = nonzero(random, random.pick([50, 5000, 2_000_000]));
  const write = (n: number): string => {
    const grouped = `${n}`.replaceAll(/\B(?=(\d{3})+$)/g, random.pick([",", "{,}", ",\\!", "\\,"]));
    return random.pick([`${n}`, grouped, `x = ${n}`, `${n - 3} + 3`, `${n}.0`, `\\text{${n}}`]);
  };
  return { gold: `${value}`, equal: write(value), unequal: write(value + nonzero(random, 9)) };
};

const fraction: Maker = (random) => {
  const { above, below } = fractionOf(nonzero(random, 60), whole(random, 2, 30));
  const other = fractionOf(above + nonzero(random, 3), below);
  const write = (value: Fraction): string => writeFraction(random, value);
  return { gold: write({ above, below }), equal: write({ above, below }), unequal: write(other) };
};

const decimal: Maker = (random) => {
  const below = random.pick([2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 1000]);
  const above = nonzero(random, 5000);
  const write = (n: number): string => {
    const value = n / below;
    const exponent = value.toExponential().replace("e+", "e");
    return random.pick([`${value}`, `${value}0`.replace(/^(-?\d+)0$/, "$1.0"), exponent, `${(n * 100) / below}\\%`]);
  };
  return {
    gold: writeFraction(random, fractionOf(above, below)),
    equal: write(above),
    unequal: write(above + nonzero(random, 7)),
  };
};

const scientific: Maker = (random) => {
  const mantissa = whole(random, 11, 99) / 10;
  const exponent = nonzero(random, 20);
  const write = (power: number): string =>
    random.pick([
      `${mantissa} \\times 10^{${power}}`,
      `${mantissa}e${power}`,
      `${mantissa} \\cdot 10^{${power}}`,
      `${mantissa}E${power}`,
    ]);
  return { gold: write(exponent), equal: write(exponent), unequal: write(exponent + random.pick([-1, 1])) };
};

const repeating: Maker = (random) => {
  const below = random.pick([3, 7, 9, 11, 13, 27, 37, 99]);
  const whole0 = whole(random, 0, 5);
  const period =
    below === 7 || below === 13 ? 6 : below === 3 || below === 9 ? 1 : below === 27 || below === 37 ? 3 : 2;
  const part = whole(random, 1, below - 1);
  const digits = (n: number): string => `${Math.round((n * (10 ** period - 1)) / below)}`.padStart(period, "0");
  const write = (n: number): string =>
    random.pick([`${whole0}.\\overline{${digits(n)}}`, `${whole0}.\\bar{${digits(n)}}`, `${whole0}.(${digits(n)})`]);
  const other = part === below - 1 ? part - 1 : part + 1;
  return {
    gold: writeFraction(random, fractionOf(whole0 * below + part, below)),
    equal: write(part),
    unequal: write(other),
  };
};

const base: Maker = (random) => {
  const value = whole(random, 40, 3000);
  const [first, second] = distinct(random, 2, 2, 16) as [number, number];
  const write = (n: number, radix: number): string => `${n.toString(radix).toUpperCase()}_{${radix}}`;
  const equal = random.pick([`${value}`, write(value, second)]);
  return { gold: write(value, first), equal, unequal: write(value + nonzero(random, 5), second) };
};

/** (a + b sqrt c) / d with c free of squares. */
const surd: Maker = (random) => {
  const [a, b, d] = [nonzero(random, 12), nonzero(random, 9), whole(random, 1, 6)];
  const c = random.pick([2, 3, 5, 6, 7, 10, 11, 13]);
  const write = (x: number, y: number): string => {
    const root = random.pick([`\\sqrt{${c}}`, c < 10 ? `\\sqrt${c}` : `\\sqrt {${c}}`, `\\sqrt[2]{${c}}`]);
    const inner = `\\sqrt{${y * y * c}}`;
    const terms = random.shuffle([
      [x, ""],
      [y, root],
    ] as const);
    const sums = [writeSum(terms), y > 0 ? `${x} + ${inner}` : `${x} - ${inner}`];
    const sum = random.pick(sums);
    const conjugate = `\\frac{${x * x - y * y * c}}{${d}(${x} ${y > 0 ? "-" : "+"} ${Math.abs(y)}\\sqrt{${c}})}`;
    return random.pick([d === 1 ? sum : `\\frac{${sum}}{${d}}`, `(${sum})/${d}`, conjugate]);
  };
  return {
    gold: write(a, b),
    equal: write(a, b),
    unequal: random.pick([write(a + 1, b), write(a, -b), write(a, b + (b === -1 ? 2 : 1))]),
  };
};

/** Beyond doubles: the same to twenty digits and more. */
const longSurd: Maker = (random) => {
  const power = whole(random, 9, 18);
  const added = whole(random, 1, 9);
  const written = `\\sqrt{10^{${2 * power}}+${added}}`;
  return {
    gold: written,
    equal: `\\sqrt{${added}+10^{${2 * power}}}`,
    unequal: random.pick([`10^{${power}}`, `\\sqrt{10^{${2 * power}}+${added + 1}}`]),
  };
};

const multipleOfPi: Maker = (random) => {
  const { above, below } = fractionOf(nonzero(random, 20), whole(random, 1, 12));
  const write = (n: number): string =>
    random.pick([
      `\\frac{${n}\\pi}{${below}}`,
      `\\frac{${n}}{${below}}\\pi`,
      `${n}\\pi/${below}`,
      `\\pi \\cdot \\frac{${n}}{${below}}`,
    ]);
  return { gold: write(above), equal: write(above), unequal: write(above + nonzero(random, 3)) };
};

const complex: Maker = (random) => {
  const [a, b] = [nonzero(random, 30), nonzero(random, 30)];
  const write = (x: number, y: number): string => {
    const terms = random.shuffle([
      [x, ""],
      [y, "i"],
    ] as const);
    return random.pick([
      writeSum(terms),
      writeSum(terms).replaceAll(" ", ""),
      `i(${y} ${x > 0 ? "-" : "+"} ${Math.abs(x)}i)`,
    ]);
  };
  return {
    gold: write(a, b),
    equal: write(a, b),
    unequal: random.pick([write(a, -b), write(-a, b), write(a + 31, b), write(b + 61, a)]),
  };
};

const power: Maker = (random) => {
  const [p, q] = [whole(random, 2, 9), whole(random, 2, 40)];
  const equal = random.pick([
    `${p} \\cdot ${p}^{${q - 1}}`,
    `${BigInt(p) ** BigInt(q)}`,
    `\\frac{${p}^{${q + 2}}}{${p * p}}`,
    `(${p}^{${q}})`,
  ]);
  return {
    gold: `${p}^{${q}}`,
    equal,
    unequal: random.pick([`${p}^{${q + 1}}`, `${BigInt(p) ** BigInt(q) + 1n}`, `${p + 1}^{${q}}`]),
  };
};

/** Too long to write out. */
const tower: Maker = (random) => {
  const [a, b, c] = [whole(random, 2, 9), whole(random, 6, 9), whole(random, 7, 9)];
  const gold = `${a}^{${b}^{${c}}}`;
  return {
    gold,
    equal: `${a} \\cdot ${a}^{${b}^{${c}} - 1}`,
    unequal: random.pick([`${gold} + 1`, `${a}^{${b}^{${c}} - 1}`, `${a + 1}^{${b}^{${c}}}`]),
  };
};

const lengths: readonly (readonly [string, number])[] = [
  ["mm", 1],
  ["cm", 10],
  ["m", 1000],
  ["km", 1_000_000],
];

const length: Maker = (random) => {
  const value = whole(random, 1, 400);
  const [unit, size] = random.pick(lengths);
  const [otherUnit, otherSize] = random.pick(lengths);
  const converted = fractionOf(value * size, otherSize);
  const other = fractionOf((value + 1) * size, otherSize);
  const write = (fraction0: Fraction): string =>
    `${writePlain(random, fraction0)}${random.pick([" \\text{ UNIT}", "\\,\\mathrm{UNIT}", " \\text{UNIT}"])}`.replace(
      "UNIT",
      otherUnit,
    );
  return {
    gold: `${value} \\text{ ${unit}}`,
    equal: random.pick([write(converted), `${value}`]),
    unequal: write(other),
  };
};

function writePlain(random: Random, value: Fraction): string {
  return value.below === 1 ? `${value.above}` : random.pick([`\\frac{${value.above}}{${value.below}}`]);
}

const time: Maker = (random) => {
  const [hour, minute] = [whole(random, 1, 11), whole(random, 0, 59)];
  const minutes = `${minute}`.padStart(2, "0");
  const write = (h: number, isAfternoon: boolean): string =>
    isAfternoon
      ? random.pick([
          `${h}:${minutes} PM`,
          `${h}:${minutes} \\text{ p.m.}`,
          `\\text{${h}:${minutes} PM}`,
          `${h + 12}:${minutes}`,
        ])
      : `${h}:${minutes} AM`;
  return {
    gold: `${hour}:${minutes} p.m.`,
    equal: write(hour, true),
    unequal: random.pick([write(hour, false), write((hour % 11) + 1, true)]),
  };
};

export const numberMakers: Readonly<Record<string, Maker>> = {
  integer,
  fraction,
  decimal,
  scientific,
  repeating,
  base,
  surd,
  longSurd,
  multipleOfPi,
  complex,
  power,
  tower,
  length,
  time,
};
