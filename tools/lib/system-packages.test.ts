import { expect, test } from "vitest";
import { type Machine, systemPackages } from "./system-packages.mjs";

const needs = [
  { command: "bwrap", package: "bubblewrap", why: "the sandbox of untrusted code" },
  { command: "node", package: "nodejs", why: "everything" },
];

/** A machine that has only Node, with an apt-get that answers from a list of exit codes and installs on 0. */
function machine({ canInstall = true, isRefused = false, exitCodes = [0] }) {
  const installed = new Set(["node"]);
  const calls: string[] = [];
  const events: string[] = [];
  const value: Machine = {
    canInstall,
    isRefused,
    has: (command) => installed.has(command),
    aptGet: async (args) => {
      calls.push(args.join(" "));
      const exitCode = exitCodes[calls.length - 1] ?? 0;
      events.push("apt-get");
      if (exitCode === 0 && args.includes("bubblewrap")) installed.add("bwrap");
      return exitCode;
    },
    say: (line) => events.push(line.trim()),
  };
  return { value, calls, events };
}

test("only what is missing is installed, and nothing is skipped then", async () => {
  const { value, calls } = machine({});
  expect(await systemPackages(needs, value)).toEqual({});
  expect(calls).toEqual(["install --yes --no-install-recommends bubblewrap"]);
});

test("each package is named before apt-get starts", async () => {
  const { value, events } = machine({});
  await systemPackages(needs, value);
  expect(events.slice(-2)).toEqual(["bubblewrap: the sandbox of untrusted code", "apt-get"]);
});

test("package lists are refreshed once when an install fails", async () => {
  const { value, calls } = machine({ exitCodes: [100, 0, 0] });
  expect(await systemPackages(needs, value)).toEqual({});
  expect(calls.map((call) => call.split(" ")[0])).toEqual(["install", "update", "install"]);
});

test("a refusal installs nothing and gives the tests the reason", async () => {
  const { value, calls, events } = machine({ isRefused: true });
  const skips = await systemPackages(needs, value);
  expect(calls).toEqual([]);
  expect(events).toEqual([expect.stringContaining("Skipped: tests that need bwrap")]);
  expect(skips).toEqual({ HONE_SKIP_BWRAP: expect.stringContaining("HONE_SYSTEM_PACKAGES=0") });
});

test("without root or Debian nothing is installed and the package is named", async () => {
  const { value, calls } = machine({ canInstall: false });
  const skips = await systemPackages(needs, value);
  expect(calls).toEqual([]);
  expect(skips["HONE_SKIP_BWRAP"]).toContain("Debian: bubblewrap");
});

test("an apt-get that fails leaves the tests skipped, not the run broken", async () => {
  const { value } = machine({ exitCodes: [100, 100] });
  expect(await systemPackages(needs, value)).toEqual({ HONE_SKIP_BWRAP: expect.stringContaining("could not") });
});

test("with nothing needed this machine is left alone", async () => {
  expect(await systemPackages([])).toEqual({});
});
