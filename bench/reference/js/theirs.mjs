// The reference engine as a subject of the comparison: node theirs.mjs DRIVER
import process from "node:process";
import { createWiki } from "@equationalapplications/core-llm-wiki";
import { drivers } from "./drivers.mjs";
import { edges, facts, factId, sourceHash, spokes, vector } from "./generator.mjs";
import { serve } from "./serve.mjs";

const BATCH = 1000;
const connect = drivers[process.argv[2]];
const known = new Map();
let db, wiki;

async function open(path) {
  db = await connect(path);
  wiki = createWiki(db, {
    llmProvider: {
      generateText: async () => { throw new Error("no model here"); },
      embed: async (text) => known.get(text) ?? vector(text),
    },
  });
  await wiki.setup();
}

async function close() {
  await db?.closeAsync();
  db = wiki = undefined;
}

async function upsert(entity, number, nodes, links = []) {
  const source = { sourceRef: `src_${number}.txt`, sourceHash: sourceHash(number), nodes, edges: links };
  const written = await db.withTransactionAsync((tx) => wiki.upsertGraph(entity, source, tx));
  if (written.edgesWritten !== links.length) throw new Error(`wrote ${written.edgesWritten} of ${links.length} edges`);
}

/** Rebuild the index of an entity: the public call that does nothing besides. */
const sync = (entity) => wiki.runPrune(entity, { retainSoftDeletedFor: null, retainEventsFor: null });

async function load(entity, count) {
  let batch = [];
  let number = 0;
  for (const fact of facts()) {
    if (number === count) break;
    batch.push({ ...fact, type: "thing" });
    number++;
    if (batch.length === BATCH || number === count) {
      await upsert(entity, Math.floor((number - 1) / BATCH), batch);
      batch = [];
    }
  }
}

const read = (weight) => async ({ query }) => {
  const bundle = await wiki.read("facts", query, { hybridWeight: weight });
  return bundle.facts.map((fact) => fact.id);
};

let coming, at;
function fact(number) {
  if (coming === undefined || at > number) [coming, at] = [facts(), 0];
  for (; at < number; at++) coming.next();
  at++;
  return coming.next().value;
}

await serve({
  // Not measured against ours, only told.
  build: async ({ path, count, analyze }) => {
    await open(path);
    await load("facts", count);
    await wiki.runReembed("facts");
    if (analyze) await db.execAsync("ANALYZE");
    await close();
  },
  build_graph: async ({ path, count, degree, hub }) => {
    await open(path);
    await load("graph", count);
    const links = [...edges(count, degree), ...spokes(hub)].map(({ id, source, target, type }) => ({
      id, type, sourceId: factId(source), targetId: factId(target),
    }));
    await upsert("graph", count, [], links);
    // Without statistics its walk takes minutes.
    await db.execAsync("ANALYZE");
    await close();
  },
  prepare: async ({ queries }) => queries.forEach((query) => known.set(query, vector(query))),
  close,
  open: async ({ path }) => open(path),
  keyword: read(0),
  semantic: read(1),
  hybrid: read(0.7),
  add: async ({ number, fact }) => {
    await upsert("facts", 1e6 + number, [{ ...fact, type: "thing" }]);
    await sync("facts");
  },
  walk: async ({ anchor }) => {
    const graph = await wiki.traverseGraph("graph", { sourceId: factId(anchor), maxDepth: 3, direction: "both" });
    return graph.nodes.map((node) => node.id);
  },
});
