// Task data is plain JSON: what a file, a worker or a run directory gives back must be what was put in.
// Runs on every row that is read, so it builds nothing unless something is wrong.

const deepest = 200;

export interface NotPlain {
  /** Where, as one would write it: `steps[2].when`; "" for the value itself. */
  readonly member: string;
  /** What is there instead, for a sentence: "a Date". */
  readonly found: string;
}

/** Undefined when the value survives JSON. Members that are undefined are fine: JSON leaves them out. */
export function findNotPlain(value: unknown, depth = 0): NotPlain | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { member: "", found: String(value) };
    case "object":
      if (value === null) return undefined;
      break;
    case "bigint":
      return { member: "", found: "a bigint" };
    case "undefined":
      return { member: "", found: "undefined" };
    case "function":
    case "symbol":
      return { member: "", found: `a ${typeof value}` };
  }
  if (depth > deepest) return { member: "", found: `nested more than ${deepest} deep, or a circle` };
  return Array.isArray(value) ? findInArray(value, depth) : findInObject(value, depth);
}

function findInArray(items: readonly unknown[], depth: number): NotPlain | undefined {
  for (let index = 0; index < items.length; index++) {
    const problem = findNotPlain(items[index], depth + 1);
    if (problem !== undefined) return { ...problem, member: `[${index}]${joined(problem.member)}` };
  }
  return undefined;
}

function findInObject(value: object, depth: number): NotPlain | undefined {
  const prototype = Object.getPrototypeOf(value) as object | null;
  // The second look accepts plain objects of another realm.
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    return { member: "", found: `a ${nameOf(prototype)}` };
  }
  for (const key in value) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item === undefined) continue;
    const problem = findNotPlain(item, depth + 1);
    if (problem !== undefined) return { ...problem, member: `${key}${joined(problem.member)}` };
  }
  return undefined;
}

function joined(member: string): string {
  return member === "" || member.startsWith("[") ? member : `.${member}`;
}

function nameOf(prototype: object): string {
  const { constructor } = prototype;
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "class instance";
}
