// How a place in a file and a message are drawn, the same everywhere: `file:line:column message`, the source line, a caret.
// Lines and columns start at 1; a column counts characters (Unicode code points), not bytes or UTF-16 units.
import { HoneError, type Place } from "@hone/core";

/** One problem with the configuration. `path` is in the file's spelling, dotted. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly at: Place | undefined;
}

/** Where the value at a path was written, or its key. */
export type FindPlace = (path: readonly (string | number)[], of?: "key" | "value") => Place | undefined;

/** `run.toml:6:14`; a place on the command line (`--set a.b`) has no line. */
export function formatPlace(place: Place): string {
  return isFlag(place) ? place.file : `${place.file}:${place.line}:${place.column}`;
}

/** The message at its place, with the source line and a caret where the place has its text. */
export function renderPlace(place: Place, message: string): string {
  if (isFlag(place)) return `${place.file}: ${message}`;
  const head = `${formatPlace(place)} ${message}`;
  if (place.text === undefined) return head;
  const { shown, before } = crop(Array.from(place.text), place.column - 1);
  const gutter = " ".repeat(String(place.line).length);
  return `${head}\n  ${place.line} | ${shown}\n  ${gutter} | ${blank(before)}^`;
}

/** All issues in one error, in the order of the file. The message draws them; `at` is the first. */
export function issuesError(issues: readonly Issue[]): HoneError {
  const first = issues.find(({ at }) => at !== undefined)?.at;
  const message = issues.map(renderIssue).join("\n");
  return new HoneError(message, { code: "config", ...(first === undefined ? {} : { at: first }) });
}

/** Files in the given order, top to bottom; the command line last. */
export function inOrder(issues: readonly Issue[], files: readonly string[]): Issue[] {
  const rank = ({ at }: Issue): number =>
    at === undefined ? -1 : files.includes(at.file) ? files.indexOf(at.file) : files.length;
  return [...issues].sort(
    (a, b) => rank(a) - rank(b) || (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.column ?? 0) - (b.at?.column ?? 0),
  );
}

/** A path as a person would write it in the file: bare where TOML allows it, quoted elsewhere. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((key) => (/^[\w-]+$/.test(String(key)) ? String(key) : JSON.stringify(key))).join(".");
}

function renderIssue({ path, message, at }: Issue): string {
  if (at === undefined) return path === "" ? message : `${path}: ${message}`;
  const isSaid = isFlag(at) && `${at.file.replace(/^--\S+ /, "")}.`.startsWith(`${path}.`);
  return renderPlace(at, path === "" || isSaid ? message : `${path}: ${message}`);
}

function isFlag({ file }: Place): boolean {
  return file.startsWith("--");
}

/** A line of data may be megabytes long: only the part around the caret is shown. */
function crop(characters: readonly string[], caret: number): { readonly shown: string; readonly before: string[] } {
  const start = characters.length > 120 ? Math.max(0, caret - 60) : 0;
  const head = start > 0 ? [".", ".", "."] : [];
  const tail = start + 120 < characters.length ? "..." : "";
  const shown = [...head, ...characters.slice(start, start + 120)].join("") + tail;
  return { shown, before: [...head, ...characters.slice(start, caret)] };
}

/** Space of the same width on a terminal: tabs stay tabs, wide characters take two cells, combining marks none. */
function blank(characters: readonly string[]): string {
  return characters
    .map((character) => {
      if (character === "\t") return character;
      if (/\p{Mn}|\p{Me}|\u200d/u.test(character)) return "";
      return isWide.test(character) ? "  " : " ";
    })
    .join("");
}

const isWide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
