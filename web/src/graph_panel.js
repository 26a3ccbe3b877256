/** The graph tab: where to start, how far to go, the picture, and the same as a list. */
import { fill, h } from "./dom.js";
import { GraphView } from "./graph_view.js";
import { icon } from "./icons.js";
import { TEXTS } from "./texts.js";

/** @import { App, View } from "./app.js" */
/** @import { Edge, Graph, Hit, Kind, WalkNode } from "./protocol.js" */

const WORDS = TEXTS.graph;
const WITHOUT_PASSAGES = /** @type {Kind[]} */ (["entity", "fact", "question", "report"]);
const KINDS_SHOWN = /** @type {Kind[]} */ (["entity", "fact", "chunk"]);

/** @param {App} app  @returns {View & {walkFrom(id: string): void, showGraph(graph: Graph, title: string): void}} */
export function createGraph(app) {
  /** @type {string | null} */
  let start = null;
  /** @type {WalkNode | null} */
  let chosen = null;
  let latest = 0;
  let offered = false;
  const view = new GraphView({ onSelect: (node) => (choose(node), app.showNode(node)), onExpand: (node) => walkFrom(node.id) });
  const name = h("input", { placeholder: WORDS.startHint, "aria-label": WORDS.start, autocomplete: "off" });
  const depth = h("input", { type: "range", min: 1, max: 3, value: 2, oninput: () => showNumbers(), onchange: again });
  const passages = h("input", { type: "checkbox", onchange: again });
  const depthShown = h("output");
  const most = h("select", { onchange: again }, ...[15, 30, 60, 120].map((n) => h("option", { selected: n === 30 }, n)));
  const title = h("h2", { class: "graph-title" });
  const summary = h("p", { class: "hint", role: "status" });
  const pick = h("div", { class: "pick" });
  const list = h("details", { class: "as-list" });
  const expand = h("button", { onclick: () => chosen && walkFrom(chosen.id) }, WORDS.expand);
  const details = h("button", { onclick: () => chosen && app.showNode(chosen) }, WORDS.details);
  const stage = h(
    "div",
    { class: "stage", hidden: true },
    view.element,
    h("div", { class: "zoom" }, zoomer("plus", WORDS.zoomIn, () => view.zoom(1.3)), zoomer("minus", WORDS.zoomOut, () => view.zoom(1 / 1.3)), zoomer("fit", WORDS.fit, () => view.fit())),
    legend(),
  );
  const below = h("div", { class: "below", hidden: true }, h("div", { class: "actions" }, details, expand), h("p", { class: "hint" }, WORDS.help), list);
  const element = h(
    "section",
    { class: "view graph-view" },
    h(
      "div",
      { class: "view-head" },
      h("h1", {}, WORDS.title),
      h(
        "form",
        { class: "graph-controls", onsubmit: submit },
        h("label", {}, WORDS.start, name),
        h("label", {}, WORDS.depth, h("span", { class: "ranged" }, depth, depthShown)),
        h("label", {}, WORDS.nodes, most),
        h("label", { class: "check" }, passages, WORDS.passages),
      ),
    ),
    pick,
    h("div", { class: "graph-head" }, title, summary),
    stage,
    below,
  );
  showNumbers();

  function showNumbers() {
    depthShown.textContent = depth.value;
  }

  function again() {
    if (start) walkFrom(start);
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const wanted = name.value.trim();
    if (wanted) app.attempt(async () => {
      const hits = /** @type {Hit[]} */ (await app.call("search", { query: wanted, kinds: ["entity", "fact"], max_results: 1 }));
      if (hits.length) walkFrom(hits[0].node.id);
      else app.say(WORDS.notFound(wanted), "bad");
    });
  }

  /** @param {string} id */
  function walkFrom(id) {
    start = id;
    const turn = ++latest;
    app.attempt(async () => {
      const options = { source_id: id, max_depth: Number(depth.value), max_nodes: Number(most.value) };
      const kinds = passages.checked ? null : WITHOUT_PASSAGES;
      let graph = /** @type {Graph} */ (await app.call("walk", { ...options, kinds }));
      if (kinds && graph.nodes.length < 2) graph = await app.call("walk", options);
      if (turn === latest) draw(graph, graph.nodes[0]?.title ?? "");
    });
  }

  /** @param {Graph} graph  @param {string} heading */
  function draw(graph, heading) {
    stage.hidden = below.hidden = false;
    title.textContent = heading;
    summary.textContent = [WORDS.summary(graph.nodes.length, graph.edges.length), graph.truncated && WORDS.truncated].filter(Boolean).join(". ");
    view.draw(graph);
    choose(graph.nodes[0] ?? null);
    fillList(graph);
  }

  /** @param {WalkNode | null} node */
  function choose(node) {
    chosen = node;
    expand.disabled = details.disabled = !node;
  }

  /** @param {Graph} graph */
  function fillList({ nodes, edges }) {
    const titles = new Map(nodes.map((node) => [node.id, node.title]));
    /** @param {Edge} edge */
    const sentence = (edge) => `${titles.get(edge.source_id)} → ${edge.edge_type.replaceAll("_", " ")} → ${titles.get(edge.target_id)}`;
    fill(
      list,
      h("summary", {}, WORDS.list),
      h(
        "div",
        { class: "lists" },
        h("div", {}, h("h3", {}, WORDS.listNodes), h("ul", {}, ...nodes.map((node) => h("li", {}, h("span", { class: `badge ${node.kind}` }, TEXTS.kinds[node.kind]), h("button", { class: "title-link", onclick: () => (view.select(node.id), choose(node), app.showNode(node)) }, node.title), h("span", { class: "hint" }, WORDS.step(node.depth)))))),
        h("div", {}, h("h3", {}, WORDS.listEdges), h("ul", {}, ...edges.map((edge) => h("li", {}, sentence(edge), edge.origin === "heuristic" && h("span", { class: "hint" }, WORDS.heuristic))))),
      ),
    );
  }

  /** Offer the nodes with the most edges, and begin at the first. */
  async function offer() {
    offered = true;
    const points = /** @type {Hit[]} */ (await app.call("starting_points"));
    if (!points.length) return;
    fill(
      pick,
      h("p", { class: "hint" }, WORDS.pick),
      h("div", { class: "points" }, ...points.map(({ node, score }) => h("button", { class: "chip", onclick: () => walkFrom(node.id) }, node.title, h("span", { class: "hint" }, score)))),
    );
    if (start === null) walkFrom(points[0].node.id);
  }

  function clear() {
    start = null;
    offered = false;
    latest++;
    stage.hidden = below.hidden = true;
    title.textContent = summary.textContent = "";
    fill(pick, h("p", { class: "hint" }, WORDS.empty));
    if (!element.hidden) show();
  }

  function show() {
    if (!offered && app.status?.edges) app.attempt(offer);
  }

  clear();
  return {
    element,
    walkFrom,
    showGraph(graph, heading) {
      start = graph.nodes[0]?.id ?? null;
      latest++;
      draw(graph, heading);
    },
    refresh: clear,
    show,
  };
}

/** @param {"plus" | "minus" | "fit"} picture  @param {string} label  @param {() => void} onClick */
function zoomer(picture, label, onClick) {
  return h("button", { class: "quiet icon-only", "aria-label": label, title: label, onclick: onClick }, icon(picture));
}

function legend() {
  return h(
    "ul",
    { class: "legend", "aria-label": WORDS.legend },
    ...KINDS_SHOWN.map((kind) => h("li", { class: kind }, TEXTS.kinds[kind])),
    h("li", { class: "heuristic" }, WORDS.heuristic),
  );
}
