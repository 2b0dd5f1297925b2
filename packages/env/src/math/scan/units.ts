// Units of measure: words to a dimension and a size, so that 2 hours equal 120 minutes and cm^2 differs from cm^3.
// A word that is no unit counts as a label (5 apples) and is left out of the comparison.
import { fraction, integer, multiply, one, power, type Rational } from "../rational.ts";

export interface Unit {
  /** Exponent of each base dimension. */
  readonly dimensions: ReadonlyMap<string, number>;
  /** In the base unit of those dimensions. */
  readonly size: Rational;
}

interface BaseUnit {
  readonly dimension: string;
  readonly size: Rational;
  readonly exponent: number;
}

/** dimension: size words..., sizes in metres, grams, seconds, cents, months. */
const definitions = `
  length 1 m meter meters metre metres
  length 1/100 cm centimeter centimeters centimetre centimetres
  length 1/1000 mm millimeter millimeters millimetre millimetres
  length 1/10 dm decimeter decimeters
  length 1000 km kms kilometer kilometers kilometre kilometres
  length 127/5000 in inch inches
  length 381/1250 ft foot feet
  length 1143/1250 yd yds yard yards
  length 201168/125 mi mile miles
  mass 1 g gm gms gram grams
  mass 1/1000 mg milligram milligrams
  mass 1000 kg kgs kilogram kilograms
  mass 1000000 ton tons tonne tonnes
  mass 45359237/100000 lb lbs pound pounds
  mass 45359237/1600000 oz ounce ounces
  time 1 s sec secs second seconds
  time 60 min mins minute minutes
  time 3600 h hr hrs hour hours
  time 86400 day days
  time 604800 week weeks
  months 1 month months
  months 12 yr yrs year years
  money 1 cent cents
  money 100 dollar dollars usd bucks
  rupees 1 rupee rupees rs
  yuan 1 yuan rmb
  euros 1 euro euros
  pounds-sterling 1 gbp
  volume 1 ml mL milliliter milliliters millilitre millilitres
  volume 1000 l L liter liters litre litres
  gallons 1 gallon gallons gal
  acres 1 acre acres
  hectares 1 hectare hectares ha
  area 1 sqm sqft
  degrees 1 degree degrees deg
  radians 1 rad radian radians
  newtons 1 newton newtons
  joules 1 J joule joules
  watts 1 W watt watts
  volts 1 V volt volts
  hertz 1 Hz hz hertz
`;

const baseUnits: ReadonlyMap<string, BaseUnit> = new Map(
  definitions
    .trim()
    .split("\n")
    .flatMap((line): [string, BaseUnit][] => {
      const [dimension = "", size = "1", ...words] = line.trim().split(" ");
      const [above = "1", below = "1"] = size.split("/");
      const unit = { dimension, size: fraction(BigInt(above), BigInt(below)) ?? one, exponent: 1 };
      return words.map((word) => [word, unit]);
    }),
);

const speeds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mph: "mile per hour",
    kmh: "km per hour",
    kph: "km per hour",
    kmph: "km per hour",
    mps: "m per second",
  }),
);
const powers: ReadonlyMap<string, number> = new Map(
  Object.entries({ square: 2, sq: 2, squared: 2, cubic: 3, cu: 3, cubed: 3 }),
);
/** Words that are fine beside a unit and say nothing. */
const fillers = new Set([
  "about",
  "approximately",
  "total",
  "of",
  "the",
  "a",
  "in",
  "each",
  "or",
  "away",
  "long",
  "old",
  "ago",
  "more",
]);

/** A word of two letters or more that is taken for a unit right after a number. */
export function isUnitWord(word: string): boolean {
  return (
    word.length > 1 &&
    (baseUnits.has(word) || speeds.has(word) || powers.has(word) || word === "units" || word === "unit")
  );
}

/** Letters that may be a unit when they stand alone after a space: 5 m. */
export function isUnitLetter(letter: string): boolean {
  return letter === "m" || letter === "g" || letter === "s" || letter === "h" || letter === "L";
}

/** "square feet", "km/h", "miles per hour", "cm^2"; undefined when a word is no unit: then it is a label. */
export function readUnit(text: string): Unit | undefined {
  const words = text
    .replaceAll(/\\?[\\.$~{}]|\\text/g, " ")
    .replaceAll("/", " per ")
    .replaceAll(/\s*\^\s*/g, "^")
    .split(/[\s\-*]+/)
    .flatMap((word) => speeds.get(word.toLowerCase())?.split(" ") ?? word)
    .filter((word, index, all) => word !== "" && word !== all[index - 1]);
  let unit: Unit = { dimensions: new Map(), size: one };
  let sign = 1;
  let raise = 1;
  let isMeaningful = false;
  for (const word of words) {
    const [name = "", exponent = "1"] = word.split("^");
    if (word === "per") sign = -1;
    else if (word === "squared" || word === "cubed") return undefined;
    else if (powers.has(name)) raise = powers.get(name) ?? 1;
    else {
      const base = baseUnits.get(name) ?? baseUnits.get(name.toLowerCase());
      if (base === undefined) {
        if (fillers.has(name)) continue;
        return undefined;
      }
      isMeaningful = true;
      unit = combine(unit, raiseUnit(fromBase(base), sign * raise * Number(exponent)));
      raise = 1;
    }
  }
  return isMeaningful ? unit : undefined;
}

function fromBase({ dimension, size }: BaseUnit): Unit {
  return { dimensions: new Map([[dimension, 1]]), size };
}

export function combine(a: Unit, b: Unit): Unit {
  const dimensions = new Map(a.dimensions);
  for (const [name, exponent] of b.dimensions) {
    const total = (dimensions.get(name) ?? 0) + exponent;
    if (total === 0) dimensions.delete(name);
    else dimensions.set(name, total);
  }
  return { dimensions, size: multiply(a.size, b.size) };
}

/** Exponents beyond 9 are no unit's: they count as 1. */
export function raiseUnit(unit: Unit, exponent: number): Unit {
  const whole = Number.isInteger(exponent) && Math.abs(exponent) <= 9 && exponent !== 0 ? exponent : 1;
  const dimensions = new Map([...unit.dimensions].map(([name, count]) => [name, count * whole]));
  const size = power(unit.size, BigInt(Math.abs(whole)));
  return { dimensions, size: whole > 0 ? size : (fraction(size.denominator, size.numerator) ?? integer(1)) };
}

export function sameDimensions(a: Unit, b: Unit): boolean {
  return (
    a.dimensions.size === b.dimensions.size &&
    [...a.dimensions].every(([name, exponent]) => b.dimensions.get(name) === exponent)
  );
}
