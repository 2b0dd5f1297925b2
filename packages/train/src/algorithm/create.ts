// Configuration to algorithm: the one place that knows all names. An algorithm is a value; making it costs nothing and fixes everything
// that configuration decides, so a mistake in it is found at start.
import type { Algorithm } from "@hone/core";
import { cispo } from "./cispo.ts";
import type { NamedAlgorithmConfig } from "./config.ts";
import { dapo } from "./dapo.ts";
import { drGrpo } from "./dr-grpo.ts";
import { grpo } from "./grpo.ts";
import { gspo } from "./gspo.ts";
import { maxRl } from "./max-rl.ts";
import type { AlgorithmContext } from "./normaliser-config.ts";
import { opd } from "./opd.ts";
import { reinforcePp } from "./reinforce-pp.ts";
import { rloo } from "./rloo.ts";
import { sft } from "./sft.ts";

export function createAlgorithm(config: NamedAlgorithmConfig, context: AlgorithmContext = {}): Algorithm {
  switch (config.type) {
    case "grpo":
      return grpo(config);
    case "dr_grpo":
      return drGrpo(config);
    case "rloo":
      return rloo(config);
    case "reinforce_pp":
      return reinforcePp(config);
    case "gspo":
      return gspo(config);
    case "cispo":
      return cispo(config);
    case "dapo":
      return dapo(config, context);
    case "max_rl":
      return maxRl(config);
    case "opd":
      return opd(config);
    case "sft":
      return sft(config);
  }
}
