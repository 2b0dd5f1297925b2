import { loadBytes } from "./testing/families.ts";
import { rendererSuite } from "./testing/renderer-suite.ts";
import { rolloutSuite } from "./testing/rollout-suite.ts";

rolloutSuite(loadBytes);
rendererSuite(loadBytes);
