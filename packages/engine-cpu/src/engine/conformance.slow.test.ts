// The contract of engines, on a tiny model: adapters and full training, on the addon and on WASM.
import { engineConformance } from "@hone/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addonHere } from "../kernel/testing/builds.ts";
import { createCpuEngine } from "./create-cpu-engine.ts";
import { type TinyPlaces, tinyPlaces, tinyVocabulary } from "./testing/tiny-folder.ts";

let places: TinyPlaces;
beforeAll(async () => {
  places = await tinyPlaces();
});
afterAll(() => places.remove());

const lora = { rank: 4, alpha: 8, targets: ["all-linear"], seed: 1 };
const builds = addonHere() === undefined ? (["wasm"] as const) : (["native", "wasm"] as const);

for (const prefer of builds) {
  for (const [name, adapter] of Object.entries({ lora, full: "full" as const })) {
    engineConformance(
      {
        name: `${prefer}, ${name}`,
        create: () => createCpuEngine({ ...places, name: "tiny", prefer, threads: 2 }),
        adapter,
        prompt: Int32Array.of(3, 14, 15, 9),
        vocabularySize: tinyVocabulary,
        learningRate: 0.01,
      },
      { describe, test, expect },
    );
  }
}
