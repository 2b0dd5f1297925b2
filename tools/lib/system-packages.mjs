// Programs that some tests need and npm cannot bring. They are installed only as root on Debian or Ubuntu, each named
// before, and HONE_SYSTEM_PACKAGES=0 refuses. What is still missing afterwards becomes a variable for the tests
// (HONE_SKIP_<COMMAND> = the reason), which skip themselves and say why.
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./process.mjs";
import { say } from "./terminal.mjs";

/**
 * @typedef {object} SystemNeed
 * @property {string} command what must be on PATH
 * @property {string} package its Debian package
 * @property {string} why what is tested with it
 *
 * @typedef {object} Machine
 * @property {boolean} canInstall root, Debian or Ubuntu, apt-get
 * @property {boolean} isRefused
 * @property {(command: string) => boolean} has
 * @property {(args: readonly string[]) => Promise<number>} aptGet resolves to the exit code
 * @property {(line: string) => void} say
 */

/**
 * @param {readonly SystemNeed[]} needs
 * @param {Machine} [machine]
 * @returns {Promise<Readonly<Record<string, string>>>} variables for the tests
 */
export async function systemPackages(needs, machine = thisMachine()) {
  const missing = needs.filter((need) => !machine.has(need.command));
  if (missing.length > 0 && machine.canInstall && !machine.isRefused) await install(missing, machine);
  /** @type {Record<string, string>} */
  const skips = {};
  for (const need of missing.filter(({ command }) => !machine.has(command))) {
    const reason = `${need.command} is not installed (${need.why}); ${remedy(need, machine)}`;
    machine.say(`Skipped: tests that need ${reason}`);
    skips[`HONE_SKIP_${need.command.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`] = reason;
  }
  return skips;
}

/**
 * @param {readonly SystemNeed[]} missing
 * @param {Machine} machine
 */
async function install(missing, machine) {
  machine.say("System packages for the tests, installed with apt-get (HONE_SYSTEM_PACKAGES=0 refuses):");
  for (const need of missing) machine.say(`  ${need.package}: ${need.why}`);
  const args = ["install", "--yes", "--no-install-recommends", ...missing.map((need) => need.package)];
  // The package lists may be absent (fresh container) or old: refreshed only when needed, it takes long.
  if ((await machine.aptGet(args)) !== 0 && (await machine.aptGet(["update"])) === 0) await machine.aptGet(args);
}

/**
 * @param {SystemNeed} need
 * @param {Machine} machine
 */
function remedy(need, machine) {
  if (machine.isRefused) return "HONE_SYSTEM_PACKAGES=0 forbids installing it.";
  if (machine.canInstall) return `apt-get could not install ${need.package}.`;
  return `install it by hand (Debian: ${need.package}).`;
}

/** @returns {Machine} */
function thisMachine() {
  const has = (/** @type {string} */ command) =>
    (process.env["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, command)));
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  return {
    canInstall: process.getuid?.() === 0 && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release) && has("apt-get"),
    isRefused: process.env["HONE_SYSTEM_PACKAGES"] === "0",
    has,
    aptGet: (args) => run({ command: "apt-get", args }, { env: { DEBIAN_FRONTEND: "noninteractive" } }),
    say,
  };
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
