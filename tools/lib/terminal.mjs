// What every tool says and how it ends. A tool is a function: it throws `Stop` for what a person can act on, and the
// exit code is set once, here.

/** Ends a tool with a message and no stack. */
export class Stop extends Error {
  /**
   * @param {string} message
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {number} ms */
export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** @param {() => Promise<number>} tool resolves to the exit code */
export async function main(tool) {
  try {
    process.exitCode = await tool();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
