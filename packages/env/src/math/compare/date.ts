// Dates and times of day, read from the text: June 20, 20th of June, 4:30 p.m., 16:30.
// A part that one side leaves out (the year, a.m. or p.m.) is not compared.

type Moment =
  | { readonly kind: "time"; readonly minutes: number; readonly half: "am" | "pm" | "noon" | "24 hours" | undefined }
  | { readonly kind: "date"; readonly month: number; readonly day: number; readonly year: number | undefined };

/** undefined when not both are dates, or not both times. */
export function sameMoment(answer: string, gold: string): boolean | undefined {
  if (answer.length > longest || gold.length > longest || !looksLikeMoment.test(gold)) return undefined;
  const a = momentOf(answer);
  const b = a === undefined ? undefined : momentOf(gold);
  if (a === undefined || b === undefined) return undefined;
  if (a.kind === "date" && b.kind === "date") {
    const sameYear = a.year === undefined || b.year === undefined || a.year === b.year;
    return a.month === b.month && a.day === b.day && sameYear;
  }
  if (a.kind !== "time" || b.kind !== "time") return undefined;
  // 3:30 and 15:30 may be ratios; one side has to say that it is a time.
  if (![a, b].some(({ half }) => half === "am" || half === "pm" || half === "noon")) return undefined;
  if (a.half === undefined || b.half === undefined) return a.minutes % 720 === b.minutes % 720;
  return a.minutes === b.minutes;
}

const longest = 80;
/** Cheap, and true of every date and time. */
const looksLikeMoment =
  /:\s*\d\d|[ap]\.?\s?m\b|noon|midnight|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d{4}-\d/i;

function momentOf(text: string): Moment | undefined {
  const plain = text
    .replaceAll(/\\(?:text|textbf|mathrm|mbox|textrm|displaystyle)\b|[{}$~,]|\\[,;:! ]/g, " ")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim();
  return timeOf(plain) ?? dateOf(plain);
}

const timePattern = /^(\d{1,2})(?: ?: ?(\d{2}))? ?(a\.? ?m\.?|p\.? ?m\.?)?(?: hours)?$/;

function timeOf(text: string): Moment | undefined {
  if (text === "noon") return { kind: "time", minutes: 720, half: "noon" };
  if (text === "midnight") return { kind: "time", minutes: 0, half: "noon" };
  const match = timePattern.exec(text);
  if (match === null || (match[2] === undefined && match[3] === undefined)) return undefined;
  const [hours, minutes] = [Number(match[1]), Number(match[2] ?? 0)];
  const half = match[3]?.startsWith("a") === true ? "am" : match[3] === undefined ? undefined : "pm";
  if (hours > 24 || minutes > 59 || (half !== undefined && (hours > 12 || hours === 0))) return undefined;
  if (half === undefined)
    return { kind: "time", minutes: hours * 60 + minutes, half: hours > 12 || hours === 0 ? "24 hours" : undefined };
  return { kind: "time", minutes: ((hours % 12) + (half === "pm" ? 12 : 0)) * 60 + minutes, half };
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const monthPattern = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
const monthFirst = new RegExp(`^${monthPattern} (\\d{1,2})(?:st|nd|rd|th)?(?: (\\d{4}))?$`);
const dayFirst = new RegExp(`^(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthPattern}(?: (\\d{4}))?$`);
const numeric = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;

function dateOf(text: string): Moment | undefined {
  const named = monthFirst.exec(text);
  if (named !== null) return date(months.indexOf(named[1] ?? "") + 1, named[2], named[3]);
  const turned = dayFirst.exec(text);
  if (turned !== null) return date(months.indexOf(turned[2] ?? "") + 1, turned[1], turned[3]);
  const digits = numeric.exec(text);
  return digits === null ? undefined : date(Number(digits[2]), digits[3], digits[1]);
}

function date(month: number, day: string | undefined, year: string | undefined): Moment {
  return { kind: "date", month, day: Number(day), year: year === undefined ? undefined : Number(year) };
}
