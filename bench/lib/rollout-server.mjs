// The server of bench/rollout: a scripted model behind HTTP in a process of its own.
import { scriptedModel } from "@hone/core/testing";
import { serveScripted } from "@hone/model/testing";

const reply = "r".repeat(63);
const { url } = await serveScripted(scriptedModel(() => reply));
process.send(url);
