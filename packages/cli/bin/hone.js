#!/usr/bin/env node
// The committed entry of the command: never built, so that npm links it before anything is compiled.
const { main } = await import("../dist/main.js").catch((error) => {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write(`error: hone is not built here. Run \`npm run build\` in its repository. (${error.message})\n`);
  process.exit(1);
});

// Waiting for something that never comes is waiting, not the end: without this Node would leave with a warning of its own.
const awake = setInterval(() => {}, 2 ** 30);
process.exitCode = await main(process.argv.slice(2));
clearInterval(awake);
// What was left behind (a rollout that ignores its cancellation, a connection kept alive) does not keep the program.
setTimeout(() => process.exit(), 500).unref();
