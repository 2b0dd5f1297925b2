// A searchable library: BM25 by minisearch over title and text.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import MiniSearch from "minisearch";
import * as z from "zod";

const Article = z.object({ id: z.string(), title: z.string(), text: z.string() });
type Article = z.infer<typeof Article>;

export class Library {
  readonly #articles: ReadonlyMap<string, Article>;
  readonly #index: MiniSearch<Article>;

  /** A file with one article per line, gzipped or not. */
  constructor(file: string) {
    const bytes = readFileSync(file);
    const jsonl = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    const articles = jsonl.split("\n").flatMap((line) => (line.trim() === "" ? [] : [Article.parse(JSON.parse(line))]));
    this.#articles = new Map(articles.map((article) => [article.id, article]));
    this.#index = new MiniSearch<Article>({
      fields: ["title", "text"],
      searchOptions: { boost: { title: 2 }, prefix: true },
    });
    this.#index.addAll(articles);
  }

  search(query: string, limit: number): string {
    const found = this.#index.search(query).slice(0, limit);
    if (found.length === 0) return "Nothing matches. Try other words.";
    return found.map(({ id, terms }) => `${id}: ${this.#passage(id as string, terms)}`).join("\n");
  }

  read(id: string): string {
    const article = this.#articles.get(id);
    if (article === undefined) throw new Error(`There is no article ${id}. Use an id that the search gave.`);
    return `${article.title}\n\n${article.text}`;
  }

  /** The sentence that holds most of the words. */
  #passage(id: string, terms: readonly string[]): string {
    const { title, text } = this.#articles.get(id) ?? { title: "", text: "" };
    const held = (sentence: string): number => terms.filter((term) => sentence.toLowerCase().includes(term)).length;
    const best = text
      .split(/(?<=\.)\s+/)
      .reduce((found, sentence) => (held(sentence) > held(found) ? sentence : found));
    return `${title}. ${best.slice(0, 200)}`;
  }
}

/** The first of these names that is in the folder. */
export function fileIn(folder: string | URL, ...names: readonly string[]): string {
  const path = typeof folder === "string" ? folder : fileURLToPath(folder);
  const found = names.map((name) => join(path, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${path} holds none of ${names.join(", ")}.`);
  return found;
}
