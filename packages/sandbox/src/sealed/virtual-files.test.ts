import { describe, expect, test } from "vitest";
import { VirtualFiles } from "./virtual-files.ts";

const mebibyte = 1 << 20;
const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (content: Uint8Array): string => Buffer.from(content).toString();
const link = (path: string, target: string) => ({
  changed: [{ path, kind: "link" as const, bytes: 0, target }],
  removed: [],
  contents: new Uint8Array(0),
});

describe("files from outside", () => {
  test("are read, listed and told to interpreters, with the folders on the way", () => {
    const files = new VirtualFiles(mebibyte);
    expect(files.write("a/b.txt", bytes("é"))).toEqual({
      changed: [
        { path: "/work/a", kind: "folder", bytes: 0 },
        { path: "/work/a/b.txt", kind: "file", bytes: 2 },
      ],
      removed: [],
      contents: Uint8Array.from(bytes("é")),
    });
    files.write("/tmp/t", bytes("x"));
    expect(text(files.read("/work/a/b.txt", 10))).toBe("é");
    expect([files.list("."), files.list("/"), files.list("/tmp")]).toEqual([["a/"], ["tmp/", "work/"], ["t"]]);
    expect(files.work()).toEqual(["/work/a/b.txt"]);
  });

  test("outside of /work and /tmp, over a folder or below a file are refused", () => {
    const files = new VirtualFiles(mebibyte);
    files.write("folder/file", bytes("x"));
    for (const [path, code] of [
      ["/etc/passwd", "file-denied"],
      ["/", "file-denied"],
      ["folder", "file-kind"],
      ["folder/file/x", "file-kind"],
      ["../x", "file-path"],
    ] as const) {
      expect(() => files.write(path, bytes("x"))).toThrow(expect.objectContaining({ code }));
    }
    expect(() => files.read("folder", 9)).toThrow(expect.objectContaining({ code: "file-kind" }));
    expect(() => files.read("missing", 9)).toThrow(expect.objectContaining({ code: "file-missing" }));
    expect(() => files.read("folder/file", 0)).toThrow(expect.objectContaining({ code: "file-too-large" }));
  });

  test("fit up to the quota, and replacing one needs only the difference", () => {
    const files = new VirtualFiles(20_000);
    files.write("a", new Uint8Array(10_000));
    files.write("a", new Uint8Array(12_000));
    expect(() => files.write("b", new Uint8Array(10_000))).toThrow(expect.objectContaining({ code: "file-denied" }));
    expect(files.list(".")).toEqual(["a"]);
  });
});

describe("links", () => {
  test("are followed inside, up and in several steps, and never out", () => {
    const files = new VirtualFiles(mebibyte);
    files.write("/tmp/real/file", bytes("seen"));
    for (const [path, target] of [
      ["/work/up", "../tmp/real"],
      ["/work/far", "../../../../../tmp"],
      ["/work/chain", "far/real"],
      ["/work/out", "/etc"],
    ] as const) {
      files.apply(link(path, target));
    }
    for (const path of ["up/file", "far/real/file", "chain/file"]) expect(text(files.read(path, 10))).toBe("seen");
    expect(() => files.read("out/passwd", 10)).toThrow(expect.objectContaining({ code: "file-missing" }));
    expect(() => files.write("out/passwd", bytes("x"))).toThrow(expect.objectContaining({ code: "file-denied" }));
    expect(files.list(".")).toEqual(["chain", "far", "out", "up"]);
  });

  test("that lead to themselves are refused", () => {
    const files = new VirtualFiles(mebibyte);
    files.apply(link("/work/a", "b"));
    files.apply(link("/work/b", "a"));
    expect(() => files.read("a", 10)).toThrow(expect.objectContaining({ code: "file-denied" }));
  });
});

test("what interpreters tell of other places is not believed", () => {
  const files = new VirtualFiles(mebibyte);
  for (const path of ["/etc/x", "/work/../x", "/"]) {
    files.apply({ changed: [{ path, kind: "file", bytes: 1 }], removed: [], contents: bytes("x") });
    files.apply({ changed: [], removed: [path], contents: bytes("") });
  }
  expect([files.list("/"), files.list("/work")]).toEqual([["tmp/", "work/"], []]);
});

test("what interpreters tell is taken over, and a new one gets everything, folders first", () => {
  const files = new VirtualFiles(mebibyte);
  files.write("old", bytes("x"));
  files.apply({
    changed: [
      { path: "/work/z", kind: "folder", bytes: 0 },
      { path: "/work/z/1", kind: "file", bytes: 3 },
      { path: "/work/z/2", kind: "file", bytes: 2 },
    ],
    removed: ["/work/old"],
    contents: bytes("onetw"),
  });
  expect([files.list("."), files.list("z"), text(files.read("z/2", 9))]).toEqual([["z/"], ["1", "2"], "tw"]);
  const { changed, contents } = files.all();
  expect(changed.map(({ path }) => path)).toEqual(["/work/z", "/work/z/1", "/work/z/2"]);
  expect(text(contents)).toBe("onetw");
});
