// Makers of expressions and relations: polynomials, rational functions, identities, equations, inequalities.
import type { Random } from "@hone/core";
import { chance, distinct, nonzero, whole, writeSum } from "./draw.ts";
import { identities } from "./identities.ts";
import type { Maker } from "./pairs.ts";

/** Coefficients from the constant up. */
type Polynomial = readonly number[];

function multiply(a: Polynomial, b: Polynomial): number[] {
  const result = Array.from({ length: a.length + b.length - 1 }, () => 0);
  a.forEach((x, i) => b.forEach((y, j) => (result[i + j] = (result[i + j] ?? 0) + x * y)));
  return result;
}

function powerOf(name: string, exponent: number): string {
  return exponent === 0 ? "" : exponent === 1 ? name : `${name}^{${exponent}}`;
}

function expanded(random: Random, polynomial: Polynomial, name: string): string {
  return writeSum(
    random.shuffle(polynomial.map((coefficient, exponent) => [coefficient, powerOf(name, exponent)] as const)),
  );
}

function horner(polynomial: Polynomial, name: string): string {
  return polynomial.reduceRight(
    (inner, coefficient) => (inner === "" ? `${coefficient}` : `${coefficient} + ${name}(${inner})`),
    "",
  );
}

const names = ["x", "y", "t", "n", "z"] as const;

const polynomial: Maker = (random) => {
  const name = random.pick(names);
  const factors = Array.from({ length: whole(random, 2, 4) }, () => [nonzero(random, 9), nonzero(random, 4)]);
  const product = factors.reduce<number[]>(multiply, [1]);
  const factored = random
    .shuffle(factors)
    .map(
      ([constant = 0, slope = 1]) =>
        `(${writeSum([
          [slope, name],
          [constant, ""],
        ])})`,
    )
    .join(random.pick(["", " \\cdot ", "*"]));
  const changed = product.map((coefficient, index) => (index === 1 ? coefficient + nonzero(random, 3) : coefficient));
  const write = (value: Polynomial): string => random.pick([expanded(random, value, name), horner(value, name)]);
  return { gold: write(product), equal: random.pick([factored, write(product)]), unequal: write(changed) };
};

const twoNames: Maker = (random) => {
  const [a, b, c] = [nonzero(random, 9), nonzero(random, 9), nonzero(random, 9)];
  const gold = `(${writeSum([
    [a, "x"],
    [b, "y"],
  ])})^2 ${c > 0 ? "+" : "-"} ${Math.abs(c)}xy`;
  const write = (mixed: number): string =>
    writeSum(
      random.shuffle([
        [a * a, "x^2"],
        [mixed, random.pick(["xy", "yx"])],
        [b * b, "y^2"],
      ] as const),
    );
  return { gold, equal: write(2 * a * b + c), unequal: write(2 * a * b + c + nonzero(random, 4)) };
};

const rationalFunction: Maker = (random) => {
  const [p, q, r] = distinct(random, 3, -9, 9) as [number, number, number];
  const linear = (root: number): string =>
    `(${writeSum([
      [1, "x"],
      [-root, ""],
    ])})`;
  const gold = `\\frac{${linear(p)}}{${linear(q)}}`;
  const whole0 = `1 + \\frac{${q - p}}{${linear(q)}}`;
  const equal = random.pick([
    `\\frac{${linear(p)}${linear(r)}}{${linear(q)}${linear(r)}}`,
    whole0,
    `${linear(p)} \\cdot ${linear(q)}^{-1}`,
  ]);
  return {
    gold,
    equal,
    unequal: random.pick([`\\frac{${linear(q)}}{${linear(p)}}`, `\\frac{${linear(p)}}{${linear(r)}}`]),
  };
};

const highPower: Maker = (random) => {
  const [a, exponent] = [nonzero(random, 9), whole(random, 500, 2_000_000)];
  const inside = writeSum([
    [1, "x"],
    [a, ""],
  ]);
  return {
    gold: `(${inside})^{${exponent}}`,
    equal: random.pick([
      `(${inside})(${inside})^{${exponent - 1}}`,
      `(${writeSum([
        [a, ""],
        [1, "x"],
      ])})^{${exponent}}`,
    ]),
    unequal: random.pick([
      `(${inside})^{${exponent + 1}}`,
      `(${writeSum([
        [1, "x"],
        [a + 20, ""],
      ])})^{${exponent}}`,
    ]),
  };
};

const identity: Maker = (random) => {
  const [gold, equal, unequal] = random.pick(identities);
  const k = `${whole(random, 3, 9)}`;
  const fill = (text: string): string =>
    text.replaceAll(/(?<![a-zA-Z\\])k(?![a-zA-Z])|k(?=[xn]\b)|(?<=[x+({^\d ])k/g, k);
  return { gold: fill(gold), equal: fill(equal), unequal: fill(unequal) };
};

const equation: Maker = (random) => {
  const [a, b, c, factor] = [nonzero(random, 9), nonzero(random, 9), whole(random, -30, 30), nonzero(random, 5)];
  const write = (x: number, y: number, constant: number): string =>
    random.pick([
      `${writeSum([
        [x, "x"],
        [y, "y"],
      ])} = ${constant}`,
      `${writeSum([
        [factor * x, "x"],
        [factor * y, "y"],
        [-factor * constant, ""],
      ])} = 0`,
      `${writeSum([
        [-y, "y"],
        [constant, ""],
      ])} = ${writeSum([[x, "x"]])}`,
      `\\frac{${writeSum([
        [x, "x"],
        [y, "y"],
      ])}}{${Math.abs(factor)}} = \\frac{${constant}}{${Math.abs(factor)}}`,
    ]);
  return {
    gold: write(a, b, c),
    equal: write(a, b, c),
    unequal: random.pick([write(a, b, c + 1), write(a + 10, b, c), write(a, -b, c + 61)]),
  };
};

const circle: Maker = (random) => {
  const [a, b, r] = [nonzero(random, 9), nonzero(random, 9), whole(random, 1, 9)];
  const square = (name: string, at: number): string =>
    `(${writeSum([
      [1, name],
      [-at, ""],
    ])})^2`;
  const general = (radius: number): string =>
    `${writeSum([
      [1, "x^2"],
      [1, "y^2"],
      [-2 * a, "x"],
      [-2 * b, "y"],
      [a * a + b * b - radius * radius, ""],
    ])} = 0`;
  return { gold: `${square("x", a)} + ${square("y", b)} = ${r * r}`, equal: general(r), unequal: general(r + 1) };
};

const inequality: Maker = (random) => {
  const [factor, bound] = [nonzero(random, 6), whole(random, -20, 20)];
  const isStrict = chance(random);
  const write = (at: number, strict: boolean, isAbove: boolean): string => {
    const forward = (isAbove === factor > 0 ? "> >= \\ge" : "< <= \\le").split(" ");
    const operator = strict ? forward[0] : random.pick(forward.slice(1));
    const shift = whole(random, 1, 9);
    return random.pick([
      `${writeSum([[factor, "x"]])} ${operator} ${factor * at}`,
      `${writeSum([
        [factor, "x"],
        [shift, ""],
      ])} ${operator} ${factor * at + shift}`,
      isAbove ? `${at} ${strict ? "<" : "\\leq"} x` : `${at} ${strict ? ">" : "\\geq"} x`,
    ]);
  };
  return {
    gold: write(bound, isStrict, true),
    equal: write(bound, isStrict, true),
    unequal: random.pick([
      write(bound, !isStrict, true),
      write(bound, isStrict, false),
      write(bound + 1, isStrict, true),
    ]),
  };
};

const roots: Maker = (random) => {
  const [p, q] = distinct(random, 2, -9, 9) as [number, number];
  const gold = `${writeSum([
    [1, "x^2"],
    [-(p + q), "x"],
    [p * q, ""],
  ])} = 0`;
  const write = (a: number, b: number): string =>
    random.pick([`x = ${a} \\text{ or } x = ${b}`, `x = ${b}, x = ${a}`, `x = ${a}, ${b}`]);
  return { gold, equal: write(p, q), unequal: write(p, q + 20) };
};

const plusMinus: Maker = (random) => {
  const [a, b] = [nonzero(random, 20), whole(random, 1, 9)];
  const root = `\\sqrt{${random.pick([2, 3, 5, 7])}}`;
  const both = random.shuffle([`${a} + ${b}${root}`, `${a} - ${b}${root}`]);
  return {
    gold: `${a} \\pm ${b}${root}`,
    equal: random.pick([
      both.join(", "),
      `\\{${both.join(", ")}\\}`,
      `x = ${a} \\pm ${b}${root}`,
      `${a} \\mp ${b}${root}`,
    ]),
    unequal: random.pick([`${a} + ${b}${root}`, `${a + 1} \\pm ${b}${root}`, `${a} \\pm ${b + 1}${root}`]),
  };
};

export const algebraMakers: Readonly<Record<string, Maker>> = {
  polynomial,
  twoNames,
  rationalFunction,
  highPower,
  identity,
  equation,
  circle,
  inequality,
  roots,
  plusMinus,
};
