// MiniSearch alone as a subject of the comparison, with the options that the reference engine gives it.
import MiniSearch from "minisearch";
import { facts } from "./generator.mjs";
import { serve } from "./serve.mjs";

const index = new MiniSearch({ fields: ["title", "body"], searchOptions: { boost: { title: 2 }, combineWith: "OR" } });
const search = (options) => async ({ query }) => index.search(query, options).slice(0, 10).map(({ id }) => id);

await serve({
  build: async ({ count }) => {
    for (const fact of facts()) {
      if (index.documentCount === count) break;
      index.add(fact);
    }
  },
  minisearch: search({ fuzzy: 0.2, prefix: true }),
  minisearch_exact: search({}),
});
