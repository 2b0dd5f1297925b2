// Nothing secret leaves in a notice, a file or a parameter: values of the environment that are keys, and credentials inside addresses, are cut out.
// Names that say "key" or "token" hide their text too, wherever a configuration has them.

const secretVariable = /(?:^|_)(?:KEY|TOKEN|PASSWORD|SECRET)$|^MLFLOW_TRACKING_USERNAME$/i;
const secretWord = /(?:^|[._-])(?:api_?keys?|keys?|secrets?|tokens?|passwords?|credentials?)$/i;
/** The part of an address before its host. A password may hold anything but a slash, a space or a quote. */
const credentials = /([a-z][a-z0-9+.-]*:\/\/)[^\s/"'<>]*@/gi;
export const hidden = "***";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Removes every secret of the environment from a text. */
export function scrubber(env: Environment): (text: string) => string {
  const secrets = Object.entries(env)
    // One character would tear every text apart, and nothing that short is a secret.
    .flatMap(([name, value]) => (secretVariable.test(name) && value !== undefined && value.length >= 4 ? [value] : []))
    .flatMap((value) => [value, encodeURIComponent(value)])
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, hidden), withoutCredentials(text));
}

/** Addresses as they may be shown. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(credentials, "$1");
}

/** `name = "text"` inside a longer text, as an inline table has it. */
export function hideNamed(text: string): string {
  return text.replaceAll(
    /([\w-]+)("?\s*[=:]\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*')/g,
    (whole, name: string, equals: string) => (isSecretName(name) ? `${name}${equals}"${hidden}"` : whole),
  );
}

/** Whether a setting's name says that its text is a secret. `max_tokens` is a number, and numbers are none. */
export function isSecretName(name: string): boolean {
  return secretWord.test(name);
}
