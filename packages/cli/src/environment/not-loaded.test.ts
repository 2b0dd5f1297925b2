import { expect, test } from "vitest";
import { workspace } from "../testing/workspace.ts";

test.each([
  [
    "throws.mjs",
    'const fail = () => { throw new Error("no luck"); };\nfail();\nexport default 1;',
    /throws\.mjs could not be loaded: no luck\. It happened at .*throws\.mjs:1:\d+\.\n$/,
  ],
  [
    "lacks.mjs",
    'import x from "a-package-that-is-not-there";\nexport default x;',
    /lacks\.mjs could not be loaded: Cannot find package 'a-package-that-is-not-there'\. Install what it needs: run `npm install` in its folder\.\n$/,
  ],
  ["number.mjs", "export default 3;", /The default export of .*number\.mjs is not an environment\. /],
])("%s is told with what to do", async (file, text, message) => {
  const { hone, write } = await workspace();
  await write(file, text);
  const { code, stderr } = await hone(["env", "test", `./${file}`]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
