// `--dry-run` of fine-tuning: data is read, the model is opened, the engine is asked whether it can. What is printed is a file that runs: the resolved
// configuration as TOML, what was found as comments, and the first conversation with what is trained on in brackets.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { previewSft, type SftPreview } from "@hone/train";
import { loadTokenizer } from "@hone/tokens";
import { shown } from "../screen/shown-path.ts";
import { plural } from "../screen/words.ts";
import { composeSft, type ComposeSftOptions } from "./compose-sft.ts";
import type { SftRequest } from "./read-sft.ts";

export interface SftDryRun {
  readonly preview: SftPreview;
  /** Of the first conversation; what is trained on stands in ⟦ ⟧. */
  readonly example: string;
  readonly model: string;
  readonly engine: string;
  readonly seqLen: number;
}

export async function dryRunSft(options: Omit<ComposeSftOptions, "initFolder">): Promise<SftDryRun> {
  const made = await mkdtemp(join(tmpdir(), "hone-sft-dry-run-"));
  try {
    await using composition = await composeSft({ ...options, initFolder: join(made, "init") });
    const preview = await previewSft(composition.options);
    const { tokenizer } = await loadTokenizer(composition.folder);
    return {
      preview,
      example: marked(preview.example, (ids) => tokenizer.decode(ids)),
      model: composition.folder.startsWith(made) ? "random weights" : composition.folder,
      engine: composition.options.engine.info.name,
      seqLen: composition.options.seqLen,
    };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

export function dryRunSftText({ preview, example, model, engine, seqLen }: SftDryRun, request: SftRequest): string {
  const { config, directory, cwd, toml } = request;
  const { conversations, heldOut, looked, meanTokens, longestTokens, trainedShare, dropped, cut } = preview;
  const long = [...(dropped === 0 ? [] : [`${dropped} left out`]), ...(cut === 0 ? [] : [`${cut} cut`])];
  const comments = [
    `data: ${plural(conversations, "conversation")}, ${heldOut.toLocaleString("en-US")} more held out`,
    `the first ${looked}: ${Math.round(meanTokens)} tokens on average, ${longestTokens} at most, ${Math.round(100 * trainedShare)} % of them trained on`,
    ...(long.length === 0 ? [] : [`longer than seq_len ${seqLen}: ${long.join(", ")} of the first ${looked}`]),
    `model ${config.model}: ${shown(model, cwd)}, engine ${engine}`,
    `run: ${shown(directory, cwd)}`,
    "the first conversation, with what is trained on in ⟦ ⟧:",
    ...example.split("\n").map((line) => `  ${line}`),
  ];
  return `${comments.map((comment) => `# ${comment}`.trimEnd()).join("\n")}\n\n${toml}`;
}

function marked({ tokens, trained }: SftPreview["example"], decode: (ids: Int32Array) => string): string {
  let text = "";
  for (let start = 0; start < tokens.length;) {
    let end = start;
    while (end < tokens.length && trained[end] === trained[start]) end++;
    const part = decode(tokens.subarray(start, end));
    text += trained[start] === 1 ? `⟦${part}⟧` : part;
    start = end;
  }
  return text;
}
