// Keys belong in the environment, yet people paste them into configuration. A line or value whose name says it is a secret
// is never shown: the characters become asterisks, as many as there were, so that a caret still points where it should.

const secretWords = new Set([
  "key",
  "keys",
  "secret",
  "secrets",
  "token",
  "tokens",
  "password",
  "credential",
  "credentials",
]);

/** Whether any word of the name is one that secrets go by: `api_key`, `keyVar`, `hf-token`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => secretWords.has(word));
}

/** A line of TOML without the text of its secrets. Numbers stay: `max_tokens = 16` is no secret. */
export function hideSecrets(line: string): string {
  return line.replaceAll(assignment, (whole, name: string, equals: string, opening: string, text: string) =>
    isSecretName(name) ? `${name}${equals}${opening}${"*".repeat(text.length)}` : whole,
  );
}

/** Name, equals sign, what opens the value, and the text up to the next quote; unquoted text has to start with a letter. */
const assignment = /([\w-]+)(["']?\s*=\s*)([[{\s]*["']+|[[\s]*(?=[a-z]))([^"']*)/gi;
