import { expect, test } from "vitest";
import { packageFolder } from "./child-process.ts";

test("an optional package is found, and a missing one says how to install it", () => {
  expect(packageFolder("pyodide", "1.2.3")).toMatch(/pyodide$/);
  expect(() => packageFolder("no-such-package-here", "1.2.3")).toThrow(
    expect.objectContaining({ code: "sandbox-unavailable", hint: "npm install no-such-package-here@1.2.3" }),
  );
});
