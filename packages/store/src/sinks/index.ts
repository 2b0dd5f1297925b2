// Where the metrics of a run also go, by name: Weights & Biases, TensorBoard, MLflow. The run's own files are the source of all of them.
export { MlflowConfig, SinksConfig, TensorboardConfig, WandbConfig } from "./config.ts";
export { openSinks, type Sinks, type SinksOptions } from "./open-sinks.ts";
export type { SinkName, SinkNotice } from "./sink.ts";
