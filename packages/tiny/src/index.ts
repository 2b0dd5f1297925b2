// Where hone/tiny lies: a Hugging Face folder inside this package.
import { fileURLToPath } from "node:url";

/** Folder with config.json, tokenizer.json and the weights. */
export const tinyModelFolder: string = fileURLToPath(new URL("../model", import.meta.url));
