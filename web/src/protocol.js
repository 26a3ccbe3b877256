/**
 * What the page and Python say to each other. `src/lorelite/browser/bridge.py` holds the same table of operations,
 * and a test compares the two. A "read" runs at once, a "write" after the writes before it, an "exclusive" alone: it
 * opens another file, or the same one anew.
 */
export const OPERATIONS = /** @type {const} */ ({
  open: "exclusive",
  status: "read",
  namespaces: "read",
  ingest: "write",
  document: "read",
  forget: "write",
  search: "read",
  walk: "read",
  starting_points: "read",
  ask: "read",
  test_model: "read",
  use_models: "exclusive",
  sync: "write",
  flush: "write",
  export_file: "write",
  import_file: "exclusive",
  start_over: "exclusive",
});

/** The steps of starting, in order. */
export const BOOT_STEPS = /** @type {const} */ (["download", "start", "load", "open"]);

/** @typedef {keyof typeof OPERATIONS} Operation */
/** @typedef {typeof BOOT_STEPS[number]} BootStep */

/** A message from the page to the worker. Python sees `operation` and `options` as one JSON string.
 * @typedef {{id: number, operation: Operation, options: Record<string, unknown>, bytes?: Uint8Array}} Call */

/** What went wrong, from `LoreliteError` or, for the unexpected, from any exception.
 * @typedef {{name: string, message: string, data: Record<string, unknown>}} Failure */

/** A message from the worker to the page.
 * @typedef {{type: "boot", step: BootStep, bytes?: number}
 *   | {type: "stopped", step: BootStep, error: Failure}
 *   | {type: "progress", id: number, progress: Progress}
 *   | {type: "reply", id: number, result?: any, error?: Failure, bytes?: Uint8Array}} Message */

/** @typedef {"fact" | "entity" | "chunk" | "question" | "report"} Kind */
/** @typedef {"stated" | "structure" | "model" | "heuristic"} Origin */

/** @typedef {{stage: string, done: number, total: number, detail: string}} Progress */

/** Offsets count characters of the stored text as Python counts them (code points), so the page never slices by them.
 * @typedef {{document_id: string, source_ref: string, start: number, end: number, quote: string}} Citation */

/** @typedef {{id: string, kind: Kind, title: string, body: string, node_type: string | null, tags: string[],
 *   confidence: string, origin: Origin, lifecycle: string, source_ref: string | null, citations: Citation[],
 *   created_at: number, updated_at: number}} GraphItem */

/** @typedef {GraphItem & {depth: number, parent: string | null}} WalkNode */

/** @typedef {{id: string, source_id: string, target_id: string, edge_type: string, weight: number,
 *   description: string, confidence: string, origin: Origin}} Edge */

/** @typedef {{nodes: WalkNode[], edges: Edge[], truncated: boolean}} Graph */

/** @typedef {{node: GraphItem, score: number}} Hit */

/** @typedef {{text: string, citations: Citation[]}} AnswerSentence */

/** @typedef {{question: string, text: string, answered: boolean, origin: Origin, sentences: AnswerSentence[],
 *   unsupported: string[], sources: GraphItem[], graph: Graph, usage: {calls: number, input_tokens: number, output_tokens: number}}} Answer */

/** @typedef {{id: string, source_ref: string, source_hash: string, characters: number, chunks: number,
 *   status: "complete" | "partial", created_at: number, updated_at: number}} DocumentInfo */

/** @typedef {{namespace: string, path: string, read_only: boolean, keyword_index: string, embedder: string | null,
 *   documents: DocumentInfo[], chunks: number, facts: number, entities: number, edges: number, tasks: number,
 *   events: number, vectors: number, size_bytes: number, unflushed: boolean}} Status */

/** @typedef {{source_ref: string, status: "ingested" | "unchanged" | "partial" | "duplicate" | "empty", origin: Origin,
 *   chunks: number, facts: number, entities: number, edges: number, replaced: number, duplicate_of: string | null,
 *   failures: {index: number, reason: string}[]}} IngestReport */

/** A window of a document around a span: the three parts joined are the text from `from` to `to`.
 * @typedef {{source_ref: string, characters: number, from: number, to: number,
 *   before: string, quote: string, after: string}} Passage */

/** The models in use: `model` writes, `embedder` compares meanings. An empty model is none.
 * @typedef {{base_url: string, model: string, api_key: string,
 *   embedder: "none" | "meaning" | "spelling" | "endpoint", embedding_model: string,
 *   channel?: string, provider?: string}} Models */

/** Whether a namespace holds nothing at all.  @param {Status | null} status */
export function isEmpty(status) {
  return !status || status.documents.length + status.facts + status.entities + status.tasks + status.events === 0;
}
