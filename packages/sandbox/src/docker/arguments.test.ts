import { describe, expect, test } from "vitest";
import { execArguments, runArguments } from "./arguments.ts";

const container = {
  name: "hone-1",
  owner: "host/7/99",
  image: "debian:12",
  limits: { memoryMb: 1000, diskMb: 512, processes: 64 },
  cpus: 1.5,
  network: false,
};

/** The value after an option; all of them where it occurs several times. */
const valuesOf = (given: readonly string[], name: string): readonly (string | undefined)[] =>
  given.flatMap((word, index) => (word === name ? [given[index + 1]] : []));

describe("a container", () => {
  const given = runArguments(container);

  test("has no privileges, no network, no disk of its own and no host folders", () => {
    expect(valuesOf(given, "--network")).toEqual(["none"]);
    expect(valuesOf(given, "--cap-drop")).toEqual(["ALL"]);
    expect(valuesOf(given, "--security-opt")).toEqual(["no-new-privileges"]);
    expect(given).toContain("--read-only");
    expect(valuesOf(given, "--log-driver")).toEqual(["none"]);
    for (const option of ["--volume", "-v", "--mount", "--privileged", "--publish", "--device", "--pid"]) {
      expect(given).not.toContain(option);
    }
  });

  test("is limited, and the places that can be written to together are the disk", () => {
    expect(valuesOf(given, "--pids-limit")).toEqual(["64"]);
    expect(valuesOf(given, "--cpus")).toEqual(["1.5"]);
    // No swap: the second is the sum of both.
    expect([valuesOf(given, "--memory"), valuesOf(given, "--memory-swap")]).toEqual([["1512m"], ["1512m"]]);
    const sizes = [...valuesOf(given, "--tmpfs"), ...valuesOf(given, "--shm-size")].map((text) =>
      Number(/(?:size=|^)(\d+)m/.exec(text ?? "")?.[1]),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(512);
  });

  test("is removed with its last reader, and says whose it is", () => {
    expect(given).toEqual(expect.arrayContaining(["--rm", "--interactive", "--init"]));
    expect(valuesOf(given, "--label")).toEqual(["hone.sandbox=1", "hone.owner=host/7/99"]);
    expect(given.slice(-5)).toEqual(["--entrypoint", "sh", "debian:12", "-c", "echo ready; exec cat >/dev/null"]);
  });

  test("gets a network only when it is asked for", () => {
    expect(runArguments({ ...container, network: true })).not.toContain("--network");
  });
});

test("a command belongs to nobody, and its variables are whole words", () => {
  const given = execArguments({
    container: "hone-1",
    cwd: "/work/a b",
    env: { A: "x y\n$HOME", B: "" },
    program: ["sh", "-c", "echo 'hi'"],
  });
  expect(given).toEqual([
    ...["exec", "--interactive", "--user", "65534:65534", "--workdir", "/work/a b"],
    ...["--env", "A=x y\n$HOME", "--env", "B=", "hone-1", "sh", "-c", "echo 'hi'"],
  ]);
});
