/** Search: a query, and what it hits. */
import { fill, focusWithoutKeyboard, h, marked } from "./dom.js";
import { isEmpty } from "./protocol.js";
import { TEXTS } from "./texts.js";

/** @import { App, View } from "./app.js" */
/** @import { Hit, Kind } from "./protocol.js" */

const WORDS = TEXTS.search;
const SNIPPET = 240;

/** @param {App} app  @returns {View} */
export function createSearch(app) {
  /** @type {Kind | ""} */
  let kind = "";
  const input = h("input", { type: "search", placeholder: WORDS.placeholder, "aria-label": WORDS.title, autocomplete: "off", enterkeyhint: "search" });
  const kinds = h("div", { class: "chips", role: "group" });
  const told = h("p", { class: "hint", role: "status" }, WORDS.empty);
  const results = h("ol", { class: "hits" });
  const element = h(
    "section",
    { class: "view search-view" },
    h("h1", {}, WORDS.title),
    h("form", { class: "ask-line", role: "search", onsubmit: submit }, input, h("button", { class: "primary" }, WORDS.go)),
    kinds,
    told,
    results,
  );
  showKinds();

  function showKinds() {
    const choices = /** @type {[Kind | "", string][]} */ ([["", WORDS.all], ...Object.entries(WORDS.kinds)]);
    fill(
      kinds,
      ...choices.map(([value, name]) =>
        h("button", { class: "chip", "aria-pressed": String(value === kind), onclick: () => ((kind = value), showKinds(), app.attempt(search)) }, name),
      ),
    );
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    app.attempt(search);
  }

  async function search() {
    const query = input.value.trim();
    if (!query) return;
    told.textContent = TEXTS.working;
    try {
      const hits = /** @type {Hit[]} */ (await app.call("search", { query, kinds: kind ? [kind] : null }));
      const words = query.split(/[\s"'.,;:!?()]+/u);
      told.textContent = hits.length ? WORDS.found(hits.length) : WORDS.none(query);
      fill(results, ...hits.map((each) => hit(each, words, hits[0].score)));
    } catch (error) {
      told.textContent = "";
      throw error;
    }
  }

  /** @param {Hit} hit  @param {string[]} words  @param {number} best  the highest score */
  function hit({ node, score }, words, best) {
    const sources = [...new Set(node.source_ref === null ? node.citations.map((each) => each.source_ref) : [node.source_ref])];
    return h(
      "li",
      {},
      h(
        "button",
        { class: "hit", onclick: () => app.showNode(node) },
        h("span", { class: `badge ${node.kind}` }, TEXTS.kinds[node.kind]),
        h("span", { class: "hit-title" }, ...marked(node.title, words)),
        h("span", { class: "hit-score", title: WORDS.score(score) }, (best > 0 ? score / best : 0).toFixed(2)),
        node.body && h("span", { class: "snippet" }, ...marked(snippet(node.body, words), words)),
        sources.length > 0 && h("span", { class: "source" }, WORDS.sources(sources[0], sources.length - 1)),
      ),
    );
  }

  return {
    element,
    refresh() {
      if (isEmpty(app.status)) told.textContent = WORDS.noDocuments;
      else if (!results.children.length) told.textContent = WORDS.empty;
      fill(results);
      if (input.value && !isEmpty(app.status)) app.attempt(search);
    },
    show: () => focusWithoutKeyboard(input),
  };
}

/** The part of `text` around the first of `words`.  @param {string} text  @param {string[]} words */
function snippet(text, words) {
  const lower = text.toLowerCase();
  const found = words.filter((word) => word.length > 2).map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const start = found.length ? Math.max(0, Math.min(...found) - 60) : 0;
  const characters = [...text.slice(start)];
  return (start ? "…" : "") + characters.slice(0, SNIPPET).join("") + (characters.length > SNIPPET ? "…" : "");
}
