// [wandb], [tensorboard] and [mlflow] of a run: where its metrics also go. A table that is there turns its sink on.
// Keys of the services are no part of it: they come from the environment.
import * as z from "zod";

const name = z.string().min(1);

export const WandbConfig = z.strictObject({
  project: name.describe("the project the run appears in"),
  name: name.exactOptional().describe("what the run is called there; its folder's name unless given"),
  entity: name.exactOptional().describe("the user or team that owns the project; the key's own unless given"),
  group: name.exactOptional().describe("runs of one group are shown together"),
  tags: z.array(name).exactOptional().describe("labels to filter runs by"),
  mode: z
    .enum(["online", "offline", "disabled"])
    .default("online")
    .describe("offline writes files for `wandb sync`; disabled does nothing"),
});
export type WandbConfig = z.output<typeof WandbConfig>;

export const TensorboardConfig = z.strictObject({
  directory: name
    .exactOptional()
    .describe("where event files go, relative to the run's folder; `tensorboard` unless given"),
});
export type TensorboardConfig = z.output<typeof TensorboardConfig>;

export const MlflowConfig = z.strictObject({
  trackingUri: z
    .url({ protocol: /^https?$/, error: "an address of an MLflow server, such as http://127.0.0.1:5000" })
    .describe("the MLflow server"),
  experiment: name.describe("the experiment the run belongs to; it is made when there is none"),
  name: name.exactOptional().describe("what the run is called there; its folder's name unless given"),
});
export type MlflowConfig = z.output<typeof MlflowConfig>;

export const SinksConfig = z.strictObject({
  wandb: WandbConfig.exactOptional(),
  tensorboard: TensorboardConfig.exactOptional(),
  mlflow: MlflowConfig.exactOptional(),
});
export type SinksConfig = z.output<typeof SinksConfig>;
