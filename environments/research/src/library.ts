// A searchable library: BM25 by minisearch over title and text.
import MiniSearch from "minisearch";
import * as z from "zod";

const Article = z.object({ id: z.string(), title: z.string(), text: z.string() });
type Article = z.infer<typeof Article>;

export class Library {
  readonly #articles: ReadonlyMap<string, Article>;
  readonly #index: MiniSearch<Article>;

  /** `jsonl`: one article per line. */
  constructor(jsonl: string) {
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
