// Tasks from files and from the Hugging Face hub: `@hone/env/data`. Node only; Parquet needs hyparquet and hyparquet-compressors beside it.
export type { DownloadProgress } from "./download.ts";
export { fromJsonl, fromParquet } from "./from-files.ts";
export { fromHub, type HubOptions } from "./from-hub.ts";
export { fromUrl, type UrlOptions } from "./from-url.ts";
export type { DataFormat } from "./read-rows.ts";
export type { RowOptions } from "./row.ts";
