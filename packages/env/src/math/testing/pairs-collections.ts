// Makers of tuples, lists, sets, intervals, unions, matrices, ratios and words.
import type { Random } from "@hone/core";
import { chance, distinct, fractionOf, nonzero, whole, writeFraction } from "./draw.ts";
import type { Maker } from "./pairs.ts";

function written(random: Random, values: readonly number[]): string[] {
  return values.map((value) => (chance(random, 0.3) ? writeFraction(random, fractionOf(value * 2, 2)) : `${value}`));
}

/** One of the values is another. */
function changed(random: Random, values: readonly number[]): number[] {
  const at = random.integer(values.length);
  return values.map((value, index) => (index === at ? value + 1000 : value));
}

const tuple: Maker = (random) => {
  const values = Array.from({ length: whole(random, 2, 4) }, () => nonzero(random, 40));
  const [first = 0, ...rest] = values;
  const write = (items: readonly number[]): string => `(${written(random, items).join(random.pick([",", ", "]))})`;
  const isTurnable = rest.some((value) => value !== first);
  const turned = isTurnable ? [...rest, first] : changed(random, values);
  return {
    gold: write(values),
    equal: write(values),
    unequal: random.pick([write(changed(random, values)), write(turned)]),
  };
};

const fractionsInTuple: Maker = (random) => {
  const values = Array.from({ length: 2 }, () => fractionOf(nonzero(random, 30), whole(random, 2, 9)));
  const write = (shift: number): string =>
    `(${values.map(({ above, below }) => writeFraction(random, fractionOf(above + shift * below, below))).join(", ")})`;
  return { gold: write(0), equal: write(0), unequal: write(random.pick([-1, 1])) };
};

const list: Maker = (random) => {
  const values = distinct(random, whole(random, 2, 6), -90, 90);
  const write = (items: readonly number[]): string => {
    const texts = written(random, random.shuffle(items));
    const last = texts.pop() ?? "";
    return random.pick([
      [...texts, last].join(", "),
      `\\{${[...texts, last].join(",")}\\}`,
      `${texts.join(", ")} \\text{ and } ${last}`,
      [...texts, last].map((text) => `x = ${text}`).join(", "),
    ]);
  };
  return {
    gold: random.pick([values.join(", "), `\\{${values.join(",")}\\}`]),
    equal: write(values),
    unequal: random.pick([write(changed(random, values)), write([...values, 500])]),
  };
};

const pairsOfNumbers: Maker = (random) => {
  const points = Array.from({ length: 3 }, (_, index) => [nonzero(random, 9) + 100 * index, nonzero(random, 9)]);
  const write = (items: readonly (readonly number[])[]): string =>
    random
      .shuffle(items)
      .map((item) => `(${item.join(",")})`)
      .join(", ");
  const swapped = points.map(([x = 0, y = 0], index) => (index === 1 ? [y, x] : [x, y]));
  return {
    gold: write(points),
    equal: random.pick([write(points), `\\{${write(points)}\\}`]),
    unequal: write(swapped),
  };
};

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly open: "(" | "[";
  readonly close: ")" | "]";
}

function writeInterval({ from, to, open, close }: Interval): string {
  return `${open}${from === -Infinity ? "-\\infty" : from}, ${to === Infinity ? "\\infty" : to}${close}`;
}

const interval: Maker = (random) => {
  const [from, to] = distinct(random, 2, -40, 40) as [number, number];
  const value: Interval = { from, to, open: random.pick(["(", "["]), close: random.pick([")", "]"]) };
  const others: Interval[] = [
    { ...value, open: value.open === "(" ? "[" : "(" },
    { ...value, close: value.close === ")" ? "]" : ")" },
    { ...value, to: to + 1 },
    { ...value, from: -Infinity, open: "(" },
  ];
  const relation = `${from} ${value.open === "[" ? "\\le" : "<"} x ${value.close === "]" ? "\\le" : "<"} ${to}`;
  return {
    gold: random.pick([writeInterval(value), relation]),
    equal: writeInterval(value),
    unequal: writeInterval(random.pick(others)),
  };
};

const union: Maker = (random) => {
  const [a, b, c, d] = distinct(random, 4, -40, 40) as [number, number, number, number];
  const first: Interval = { from: chance(random) ? -Infinity : a, to: b, open: "(", close: random.pick([")", "]"]) };
  const second: Interval = { from: c, to: chance(random) ? Infinity : d, open: random.pick(["(", "["]), close: ")" };
  const write = (...parts: Interval[]): string =>
    random
      .shuffle(parts)
      .map(writeInterval)
      .join(random.pick([" \\cup ", "\\cup", " U "]));
  const unequal = random.pick([
    write(first, { ...second, from: c + 1 > (second.to === Infinity ? c + 2 : d) ? c - 0.5 : c + 0.5 }),
    write(first, { ...second, open: second.open === "(" ? "[" : "(" }),
    write(first),
  ]);
  return { gold: write(first, second), equal: write(first, second), unequal };
};

const matrix: Maker = (random) => {
  const [height, width] = [whole(random, 1, 3), whole(random, 2, 3)];
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => nonzero(random, 20)));
  const write = (rows: readonly (readonly number[])[]): string => {
    const name = random.pick(["pmatrix", "bmatrix", "matrix"]);
    return `\\begin{${name}} ${rows.map((row) => written(random, row).join(" & ")).join(" \\\\ ")} \\end{${name}}`;
  };
  const doubled = cells.map((row) => row.map((cell) => cell * 2));
  const other = cells.map((row, index) => (index === 0 ? changed(random, row) : row));
  return {
    gold: write(cells),
    equal: random.pick([write(cells), `\\frac{1}{2}${write(doubled)}`]),
    unequal: random.pick([write(other), `\\frac{1}{3}${write(doubled)}`]),
  };
};

const column: Maker = (random) => {
  const values = Array.from({ length: 3 }, () => nonzero(random, 20));
  const write = (items: readonly number[]): string =>
    random.pick([`\\begin{pmatrix} ${items.join(" \\\\ ")} \\end{pmatrix}`, `(${items.join(", ")})`]);
  return {
    gold: `\\begin{pmatrix} ${values.join(" \\\\ ")} \\end{pmatrix}`,
    equal: write(values),
    unequal: write(changed(random, values)),
  };
};

const ratio: Maker = (random) => {
  const [a, b] = distinct(random, 2, 1, 20) as [number, number];
  const factor = whole(random, 1, 5);
  return {
    gold: `${a}:${b}`,
    equal: random.pick([`${a * factor} : ${b * factor}`, `\\frac{${a}}{${b}}`]),
    unequal: random.pick([`${b}:${a}`, `${a + 1}:${b}`]),
  };
};

const vocabulary = [
  "even",
  "odd",
  "parabola",
  "ellipse",
  "circle",
  "Monday",
  "Tuesday",
  "red",
  "blue",
  "increasing",
  "rational",
] as const;

const word: Maker = (random) => {
  const [first, second] = random.shuffle(vocabulary) as [string, string];
  const write = (text: string): string =>
    random.pick([text, `\\text{${text}}`, `\\textbf{${text}}`, text.toUpperCase(), `\\mathrm{${text}}`]);
  return { gold: first, equal: write(first), unequal: write(second) };
};

const choice: Maker = (random) => {
  const [first, second] = random.shuffle([..."ABCDE"]) as [string, string];
  const write = (letter: string): string =>
    random.pick([letter, `(${letter})`, `\\text{(${letter})}`, `\\textbf{${letter}}`, `\\mathrm{${letter}}`]);
  return { gold: write(first), equal: write(first), unequal: write(second) };
};

const builder: Maker = (random) => {
  const bound = whole(random, -20, 20);
  const isClosed = chance(random);
  const write = (at: number, closed: boolean): string =>
    random.pick([
      `\\{x \\mid x ${closed ? "\\ge" : ">"} ${at}\\}`,
      `\\{ t : t ${closed ? "\\geq" : ">"} ${at} \\}`,
      `${closed ? "[" : "("}${at}, \\infty)`,
    ]);
  return {
    gold: write(bound, isClosed),
    equal: write(bound, isClosed),
    unequal: random.pick([write(bound, !isClosed), write(bound + 1, isClosed)]),
  };
};

export const collectionMakers: Readonly<Record<string, Maker>> = {
  tuple,
  fractionsInTuple,
  list,
  pairsOfNumbers,
  interval,
  union,
  matrix,
  column,
  ratio,
  word,
  choice,
  builder,
};
