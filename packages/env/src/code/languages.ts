// How programs of a language are checked and run in a sandbox. A language is data: others are one entry more.

export interface Language {
  /** File name of the program. */
  readonly file: string;
  /** Finds mistakes without running; what it prints is the compile error. Undefined: there is no such step. */
  readonly compile?: string;
  readonly run: string;
  /** `compile` makes what `run` runs, so it is needed again when the program changes. */
  readonly isBuilt?: boolean;
}

/** Python runs isolated (-I): nothing in the working directory or the home directory is imported on its own. */
export const languages: Readonly<Record<string, Language>> = {
  python: { file: "program.py", compile: "python3 -I -m py_compile program.py", run: "python3 -I program.py" },
  javascript: { file: "program.mjs", compile: "node --check program.mjs", run: "node program.mjs" },
  typescript: { file: "program.ts", run: "node --experimental-strip-types --no-warnings program.ts" },
  bash: { file: "program.sh", compile: "bash -n program.sh", run: "bash program.sh" },
  c: { file: "program.c", compile: "cc -O1 -std=c11 -o program program.c -lm", run: "./program", isBuilt: true },
};
