// What the pages say and can be held to: their TypeScript compiles, their links lead somewhere, docs/dependencies.md is what the
// package.json files say. Part of `npm run check`. That snippets also print what the pages say is tested in docs.slow.test.ts.
import { checkDependenciesPage } from "./lib/dependencies-doc.mjs";
import { brokenLinks, readPages } from "./lib/markdown.mjs";
import { root } from "./lib/process.mjs";
import { snippetProblems, snippetsOf } from "./lib/snippets.mjs";
import { main, say } from "./lib/terminal.mjs";

await main(async () => {
  const pages = readPages(root);
  const snippets = snippetsOf(pages);
  const problems = [
    ...(await snippetProblems(root, snippets)),
    ...brokenLinks(root, pages),
    ...checkDependenciesPage(root),
  ];
  for (const { path, line, message } of problems) say(`${path}:${line} ${message}`);
  say(problems.length === 0 ? `${pages.length} pages, ${snippets.length} snippets.` : `${problems.length} to mend.`);
  return problems.length === 0 ? 0 : 1;
});
