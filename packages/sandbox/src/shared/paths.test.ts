import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWithin, resolvePath } from "./paths.ts";

describe("resolvePath", () => {
  test("a relative path is below the working directory", () => {
    expect(resolvePath("a/b.txt")).toBe("/work/a/b.txt");
    expect(resolvePath("./a//b/../c/")).toBe("/work/a/c");
    expect(resolvePath(".")).toBe("/work");
  });

  test("an absolute path stays, in its normal form", () => {
    expect(resolvePath("/etc/../tmp//x/")).toBe("/tmp/x");
    expect(resolvePath("//tmp/x")).toBe("/tmp/x");
    expect(resolvePath("/../..")).toBe("/");
  });

  test("a relative path that leads out is refused", () => {
    for (const path of ["..", "../x", "a/../../x", "../work-2/x"]) {
      expect(() => resolvePath(path)).toThrow("leads out of /work");
    }
  });

  test("what is no path is refused", () => {
    for (const path of ["", "a\0b"]) expect(() => resolvePath(path)).toThrow("is no path");
  });

  test("whatever is accepted is absolute and has no dots to follow", () => {
    const part = fc.constantFrom(".", "..", "", "a", "b c", "...", "é");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), fc.boolean(), (parts, isAbsolute) => {
        const path = (isAbsolute ? "/" : "") + parts.join("/");
        let resolved: string;
        try {
          resolved = resolvePath(path);
        } catch {
          return;
        }
        expect(resolved.startsWith("/")).toBe(true);
        expect(resolved.split("/").some((name) => name === "." || name === "..")).toBe(false);
        if (!path.startsWith("/")) expect(isWithin(resolved, "/work")).toBe(true);
      }),
    );
  });
});

test("a folder's neighbour with the same beginning is not within it", () => {
  expect(isWithin("/work", "/work")).toBe(true);
  expect(isWithin("/work/a", "/work")).toBe(true);
  expect(isWithin("/workshop", "/work")).toBe(false);
  expect(isWithin("/etc", "/")).toBe(true);
});
