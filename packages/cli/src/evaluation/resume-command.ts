// Commands to type next, made from the one that was typed.

/** The same command, going on with what is there. */
export function resumeCommand(argv: readonly string[], directory?: string): string {
  const kept: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const input = argv[at] ?? "";
    if (input.startsWith("--resume=")) continue;
    if (input !== "--resume") kept.push(input);
    else if (argv[at + 1]?.startsWith("-") === false) at++;
  }
  return ["hone", ...kept, "--resume", ...(directory === undefined ? [] : [directory])].map(quoted).join(" ");
}

/** The same command with one word replaced. */
export function replaced(argv: readonly string[], word: string, by: string): string {
  const at = argv.indexOf(word);
  return ["hone", ...argv.map((input, index) => (index === at ? by : input))].map(quoted).join(" ");
}

function quoted(input: string): string {
  return /^[\w@%+=:,./-]+$/.test(input) ? input : `'${input.replaceAll("'", String.raw`'\''`)}'`;
}
