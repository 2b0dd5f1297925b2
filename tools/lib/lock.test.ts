import { expect, test } from "vitest";
import { completeLock, hostedEntries, missingEntries } from "./lock.mjs";

const optionalDependencies = {
  "@fast/linux-x64-gnu": "1.2.0",
  "@fast/linux-arm64-musl": "1.2.0",
  "@fast/darwin-arm64": "1.2.0",
  "@fast/wasm32-wasi": "1.2.0",
  fsevents: "~2.3.3",
};
const lock = {
  lockfileVersion: 3,
  packages: {
    "": {},
    "node_modules/@fast/linux-x64-gnu": { version: "1.2.0", dev: true, optional: true },
    "node_modules/fast": { version: "1.2.0", dev: true, optionalDependencies },
  },
};

test("what the registry did not list is added with version and platform", () => {
  expect(Object.fromEntries(missingEntries(lock).map(({ path, entry }) => [path, entry]))).toEqual({
    "node_modules/@fast/linux-arm64-musl": {
      version: "1.2.0",
      dev: true,
      optional: true,
      cpu: ["arm64"],
      os: ["linux"],
      libc: ["musl"],
    },
    "node_modules/@fast/darwin-arm64": { version: "1.2.0", dev: true, optional: true, cpu: ["arm64"], os: ["darwin"] },
    "node_modules/@fast/wasm32-wasi": { version: "1.2.0", dev: true, optional: true, cpu: ["wasm32"] },
    "node_modules/fsevents": { version: "2.3.3", dev: true, optional: true, os: ["darwin"] },
  });
});

test("a completed lock lacks nothing, keeps what it had and is in npm's order", () => {
  const complete = completeLock(lock);
  expect(missingEntries(complete)).toEqual([]);
  expect(complete).toMatchObject(lock);
  const paths = Object.keys(complete.packages);
  expect(paths).toEqual([...paths].sort((a, b) => a.localeCompare(b, "en")));
});

test("a second version is placed under its dependent", () => {
  const nested = "node_modules/old/node_modules/fast";
  const two = {
    packages: {
      "node_modules/@fast/darwin-x64": { version: "2.0.0" },
      [nested]: { version: "1.0.0", optionalDependencies: { "@fast/darwin-x64": "1.0.0" } },
    },
  };
  expect(missingEntries(two).map(({ path }) => path)).toEqual([`${nested}/node_modules/@fast/darwin-x64`]);
});

test("an entry between the dependent and the top is found", () => {
  const nested = {
    packages: {
      "node_modules/old/node_modules/@fast/darwin-x64": { version: "1.0.0" },
      "node_modules/old/node_modules/fast": { optionalDependencies: { "@fast/darwin-x64": "1.0.0" } },
    },
  };
  expect(missingEntries(nested)).toEqual([]);
});

test("a range that names no version ends with a message, not with a wrong lock", () => {
  const open = { packages: { "node_modules/a": { optionalDependencies: { b: ">=1" } } } };
  expect(() => missingEntries(open)).toThrow('lacks b, and ">=1" does not say which version');
});

test("a registry's host is found and removed; a link of the workspace stays", () => {
  const hosted = {
    packages: {
      "node_modules/a": { version: "1.0.0", resolved: "https://registry.example/a/-/a-1.0.0.tgz" },
      "node_modules/b": { resolved: "packages/b" },
    },
  };
  expect(hostedEntries(hosted)).toEqual(["node_modules/a"]);
  expect(completeLock(hosted).packages).toEqual({
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { resolved: "packages/b" },
  });
});
