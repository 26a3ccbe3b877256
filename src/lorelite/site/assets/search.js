/** Searches the file that lies beside the pages, in the visitor's browser. */

import { SqliteFile } from "./sqlite_file.js";

const KINDS = { fact: "Fact", entity: "Entity", chunk: "Passage", report: "Community", question: "Question" };
const MOST_HITS = 30;
const SNIPPET = 240;

/** BM25 with k1 1.2 and b 0.75 over titles and texts; a word of the title counts three times. */
export class Index {
  /** @param {Iterable<{id: string, kind: string, title: string, body: string}>} rows */
  constructor(rows) {
    /** @type {{row: any, length: number}[]} */
    this.entries = [];
    /** @type {Map<string, Map<number, number>>} */
    this.postings = new Map();
    for (const row of rows) this.#add(row);
    this.average = this.entries.reduce((sum, entry) => sum + entry.length, 0) / (this.entries.length || 1);
    this.vocabulary = [...this.postings.keys()].sort();
  }

  #add(row) {
    const at = this.entries.length;
    const title = words(row.title);
    const found = [...title, ...title, ...title, ...words(row.body ?? "")];
    this.entries.push({ row, length: found.length });
    for (const word of found) {
      const list = this.postings.get(word) ?? this.postings.set(word, new Map()).get(word);
      list.set(at, (list.get(at) ?? 0) + 1);
    }
  }

  /** @param {string} query @returns {{row: any, score: number}[]} best first */
  search(query) {
    const scores = new Map();
    for (const asked of new Set(words(query))) {
      for (const [word, share] of this.#alike(asked)) {
        const list = this.postings.get(word);
        const rarity = Math.log(1 + (this.entries.length - list.size + 0.5) / (list.size + 0.5));
        for (const [at, times] of list) {
          const norm = times + 1.2 * (0.25 + 0.75 * (this.entries[at].length / this.average));
          scores.set(at, (scores.get(at) ?? 0) + share * rarity * ((times * 2.2) / norm));
        }
      }
    }
    return [...scores]
      .map(([at, score]) => ({ row: this.entries[at].row, score }))
      .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1));
  }

  /** The word itself, and longer ones that begin with it: [word, share]. */
  *#alike(asked) {
    if (this.postings.has(asked)) yield [asked, 1];
    if (asked.length < 3) return;
    let low = 0;
    for (let high = this.vocabulary.length; low < high;) {
      const middle = (low + high) >> 1;
      if (this.vocabulary[middle] < asked) low = middle + 1;
      else high = middle;
    }
    for (; this.vocabulary[low]?.startsWith(asked); low += 1) {
      if (this.vocabulary[low] !== asked) yield [this.vocabulary[low], 0.5];
    }
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** @param {string} text @returns {string[]} its words in small letters, without accents, of Chinese or Thai as well */
export function words(text) {
  const plain = text.normalize("NFKD").replace(/(\p{Script=Latin})\p{Mn}+/gu, "$1").normalize("NFC").toLowerCase();
  const found = [];
  for (const part of segmenter.segment(plain)) if (part.isWordLike) found.push(part.segment);
  return found;
}

/** @param {string} text @returns {string} the text without the commonest marks of Markdown */
function plain(text) {
  return text.replace(/^---\n.*?\n---$/ms, "").replace(/^[ \t]*(?:#{1,6}|[-*+>])[ \t]+/gm, "")
    .replace(/\[\[(?:[^[\]|\n]*\|)?([^[\]\n]*)\]\]/g, "$1").replace(/[`*]+/g, "").replace(/\s+/g, " ").trim();
}

/** @param {string} body @param {string} query @returns {Node[]} a piece of the text with the words asked for marked */
function snippet(body, query) {
  const asked = new Set(words(query));
  const parts = [...segmenter.segment(body)];
  const isAsked = (part) => part.isWordLike && words(part.segment).some((word) => asked.has(word));
  const first = parts.find(isAsked)?.index ?? 0;
  const start = Math.max(0, first - SNIPPET / 3);
  const nodes = [document.createTextNode(start > 0 ? "… " : "")];
  for (const part of parts) {
    if (part.index < start) continue;
    if (part.index > start + SNIPPET) {
      nodes.push(document.createTextNode(" …"));
      break;
    }
    if (!isAsked(part)) {
      nodes.push(document.createTextNode(part.segment));
      continue;
    }
    const mark = document.createElement("mark");
    mark.textContent = part.segment;
    nodes.push(mark);
  }
  return nodes;
}

async function fetched(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response;
}

async function load() {
  const [file, addresses] = await Promise.all([
    fetched("../brain.db").then((response) => response.arrayBuffer()),
    fetched("addresses.json").then((response) => response.json()),
  ]);
  const rows = [];
  for (const row of new SqliteFile(file).rows("node")) if (addresses[row.id]) rows.push(row);
  return { index: new Index(rows), addresses };
}

function show(hits, query, addresses) {
  const list = document.getElementById("hits");
  list.replaceChildren(...hits.slice(0, MOST_HITS).map(({ row }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = addresses[row.id];
    link.textContent = row.title || KINDS[row.kind];
    link.dir = "auto";
    const kind = document.createElement("small");
    kind.textContent = ` ${KINDS[row.kind] ?? row.kind}`;
    const text = document.createElement("p");
    text.dir = "auto";
    text.append(...snippet(plain(row.body ?? ""), query));
    item.append(link, kind, text);
    return item;
  }));
}

async function main() {
  const form = /** @type {HTMLFormElement} */ (document.getElementById("search"));
  const status = document.getElementById("status");
  const field = form.elements.namedItem("q");
  status.textContent = "Loading the file …";
  const { index, addresses } = await load();
  const search = () => {
    const query = field.value.trim();
    const hits = query ? index.search(query) : [];
    show(hits, query, addresses);
    status.textContent = query ? `${hits.length.toLocaleString()} found` : `${index.entries.length.toLocaleString()} entries to search`;
    history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
  };
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  field.addEventListener("input", search);
  search();
  if (!field.value) field.focus();
}

if (typeof document !== "undefined") {
  main().catch((error) => {
    document.getElementById("status").textContent = location.protocol === "file:"
      ? "To search, let a web server give out this folder, for example with: python -m http.server"
      : `The file could not be searched: ${error.message}`;
  });
}
