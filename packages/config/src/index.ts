// Everything other packages and people may use of the configuration reader, by name.
export type { Alias } from "./alias.ts";
export { readEnvFile } from "./env-file.ts";
export { jsonSchemaOf } from "./json-schema.ts";
export { toCode, toFile } from "./keys.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { type FindPlace, formatPlace, renderPlace } from "./place.ts";
export { type Config, type ConfigText, readConfig, type ReadConfigOptions } from "./read-config.ts";
export { parseToml, type TomlFile } from "./read-toml.ts";
export { validate, type ValidateOptions } from "./validate.ts";
export { writeToml } from "./write-toml.ts";
