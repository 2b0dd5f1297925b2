#!/usr/bin/env node
// The committed entry of the command: never built, so that npm links it before anything is compiled.
import { main } from "../dist/main.js";

await main(process.argv.slice(2));
