// Keys stay out of files, errors and logs. A file that holds one is refused before anything else reads it, because every later error
// would quote its line; and every message that leaves the client goes through a scrubber.
import { HoneError } from "@hone/core";

/** How keys of known services begin. */
const keyPrefix = /^(?:sk|pk|rk|gsk|xai|hf|pplx|r8|tgp|csk|fw|nvapi|ghp|glpat)[-_]|^AIza|^AKIA|^eyJ|^Bearer\s/;

/** A name for an environment variable as people write them: OPENAI_API_KEY. */
export function isVariableName(value: string): boolean {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(value)) return false;
  // An access key of capitals and digits has no underscore and is long.
  return value.includes("_") || value.length < 16 || !/\d/.test(value);
}

function looksLikeKey(value: string): boolean {
  return keyPrefix.test(value) && value.length >= 8 && !value.includes("${");
}

/**
 * Throws when a TOML text holds a key: a string that looks like one, or a `key`, `api_key` or authorising header that is no reference.
 * The error names the line and does not show it.
 */
export function refuseKeys(text: string, file: string): void {
  for (const [index, line] of text.split("\n").entries()) {
    if (!holdsKey(line)) continue;
    throw new HoneError(
      `${file}:${index + 1} holds a key, or something that looks like one. Keys do not belong in files.`,
      {
        code: "key-in-file",
        hint: 'Put it into an environment variable or an env_file, and write the variable\'s name: key = "OPENAI_API_KEY". In headers write "${NAME}".',
      },
    );
  }
}

const assignment = /(["']?)([\w-]+)\1\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
const quoted = /"((?:[^"\\]|\\.)*)"|'([^']*)'/g;

function holdsKey(line: string): boolean {
  for (const [, double, single] of line.matchAll(quoted)) if (looksLikeKey(double ?? single ?? "")) return true;
  for (const [, , name = "", double, single] of line.matchAll(assignment)) {
    const value = double ?? single ?? "";
    if (/^(?:api[-_]?)?key$|^token$|^secret$/i.test(name) && !isVariableName(value)) return true;
    if (/^(?:proxy-)?authorization$|^(?:x-)?api-key$/i.test(name) && !value.includes("${")) return true;
  }
  return false;
}

/** Replaces every secret by "[key]". Shorter ones than four characters would tear words apart and protect nothing. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const worthwhile = secrets.filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  return (text) => worthwhile.reduce(scrubOne, text);
}

/** A quotation that was cut within the secret shows its beginning; that goes too. */
function scrubOne(text: string, secret: string): string {
  let scrubbed = text.replaceAll(secret, "[key]");
  if (!scrubbed.includes("…")) return scrubbed;
  for (let length = secret.length - 1; length >= 3; length--) {
    scrubbed = scrubbed.replaceAll(`${secret.slice(0, length)}…`, "[key]…");
  }
  return scrubbed;
}
