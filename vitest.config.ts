// Two projects: `unit` shares one module graph per thread (no isolation: no module-level state is house style), `slow` is isolated
// (servers, worker threads, kills, browsers). Tests see sources through the private export condition; workers start built JS.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["@hone/source", "module", "node", "import", "default"];
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };
// What is waited for comes when the machine gets to it; the one second that vitest allows holds on a quiet machine only.
const expect = { poll: { timeout: 20_000 } };
const exclude = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  test: {
    // vitest leaves one processor free, which on two is half of them. Slow tests mostly wait for other processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        ...shared,
        test: {
          name: "unit",
          include: [
            "{packages,environments}/*/src/**/*.test.ts",
            "packages/*/recipe/**/*.test.ts",
            "environments/*/*.test.ts",
            "tools/**/*.test.ts",
          ],
          exclude: [...exclude, "**/*.slow.test.ts"],
          pool: "threads",
          isolate: false,
          expect,
        },
      },
      {
        ...shared,
        test: {
          name: "slow",
          include: ["{packages,environments}/*/src/**/*.slow.test.ts", "tools/**/*.slow.test.ts", "e2e/**/*.test.ts"],
          exclude,
          pool: "forks",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect,
        },
      },
    ],
  },
});
