// The files of a new environment. Small, complete, and passing its own test: people start by changing them.

export interface TemplateOptions {
  /** As in package.json: `my-env` or `@owner/my-env`. */
  readonly packageName: string;
  /** The last part of it. */
  readonly name: string;
  /** Of this program, which the new package is made for. */
  readonly version: string;
}

/** Text by path. */
export function templateFiles(options: TemplateOptions): ReadonlyMap<string, string> {
  return new Map([
    ["package.json", manifest(options)],
    ["tsconfig.json", tsconfig],
    ["src/index.ts", environment(options)],
    ["src/index.test.ts", environmentTest],
    ["README.md", readme(options)],
    [".gitignore", "node_modules/\ndist/\nevals/\n.env\n"],
  ]);
}

function manifest({ packageName, version }: TemplateOptions): string {
  const fields = {
    name: packageName,
    version: "0.1.0",
    description: "Count a letter in a made-up word.",
    type: "module",
    files: ["dist"],
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
    hone: { source: "./src/index.ts" },
    scripts: { build: "tsc", test: "vitest run" },
    peerDependencies: { "@hone/env": `>=${version} <1.0.0`, zod: "^4.6.0" },
    devDependencies: {
      "@hone/cli": `^${version}`,
      "@hone/env": `^${version}`,
      typescript: ">=5.7",
      vitest: "^4.1.0",
      zod: "^4.6.0",
    },
    engines: { node: ">=20.19" },
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

const tsconfig = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "skipLibCheck": true,
    "rewriteRelativeImportExtensions": true,
    "declaration": true,
    "rootDir": "src",
    "outDir": "dist"
  },
  "include": ["src"],
  "exclude": ["src/**/*.test.ts"]
}
`;

function environment({ name }: TemplateOptions): string {
  return `// Count a letter in a made-up word. Change the tasks, the prompt and the rewards; src/index.test.ts checks that it stays sound.
import { createRandom, defineEnvironment, endless, withArgs } from "@hone/env";
import * as z from "zod";

const Args = z.object({ length: z.int().min(1).default(8).describe("letters in a word") });

/** Task \`index\` depends on the index alone, so that ids are the same in every run. */
function makeTask(index: number, length: number) {
  const random = createRandom(index);
  const word = Array.from({ length }, () => random.pick([..."abc"])).join("");
  return { word, letter: random.pick([..."abc"]), index };
}
const count = ({ word, letter }: { word: string; letter: string }) => word.split(letter).length - 1;

export default withArgs(Args, ({ length }) =>
  defineEnvironment({
    name: "${name}",
    tasks: endless(function* () {
      for (let index = 0; ; index++) yield makeTask(index, length);
    }),
    prompt: ({ task }) => \`How often is the letter \${task.letter} in "\${task.word}"? Answer with the number alone.\`,
    gold: ({ task }) => String(count(task)),
    rewards: { correct: ({ task, reply }) => reply.trim() === String(count(task)) },
    metrics: { is_number: ({ reply }) => /^\\d+$/.test(reply.trim()) },
    maxTurns: 1,
  }),
);
`;
}

const environmentTest = `import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition from "./index.ts";

const environment = definition.create({});

test("keeps the rules of an environment", async () => {
  const checks = await checkEnvironment(environment);
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("a wrong number scores nothing", async () => {
  const { agents } = await runOnce(environment, { model: scriptedModel(() => "99") });
  expect(agents[0]?.reward).toBe(0);
});
`;

function readme({ packageName, name }: TemplateOptions): string {
  return `# ${packageName}

Count a letter in a made-up word. Tasks are generated and never end.

| reward | weight | is 1 when |
| --- | --- | --- |
| \`correct\` | 1 | the reply is the right number and nothing else |
| \`is_number\` | metric | the reply is a number |

    npm install
    npm test
    npx hone env test .
    npx hone eval . --model scripted -n 20 -r 3

From the folder above: \`npx hone eval ./${name} --model scripted\`.
`;
}
