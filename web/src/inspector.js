/** The panel at the side: what a node says, where a document says it. */
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { TEXTS } from "./texts.js";

/** @import { App } from "./app.js" */
/** @import { Citation, Graph, GraphItem, Passage } from "./protocol.js" */

const WORDS = TEXTS.details;
const CONTEXT = 140;
const WINDOW = 12_000;
const CITATIONS_SHOWN = 5;
const TIES_SHOWN = 12;

/** @param {App} app */
export function createInspector(app) {
  /** @type {Element | null} */
  let cameFrom = null;
  /** @type {(() => void)[]} */
  let trail = [];
  let latest = 0;
  const heading = h("h2", { tabindex: "-1" });
  const body = h("div", { class: "inspector-body" });
  const back = h("button", { class: "quiet icon-only", "aria-label": TEXTS.back, onclick: goBack }, icon("back"));
  const element = h(
    "aside",
    { class: "inspector", "aria-label": WORDS.title, hidden: true, onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close() },
    h("div", { class: "inspector-head" }, back, heading, h("button", { class: "quiet icon-only", "aria-label": TEXTS.close, onclick: close }, icon("close"))),
    body,
  );

  function close() {
    if (element.hidden) return;
    element.hidden = true;
    document.body.classList.remove("inspecting");
    trail = [];
    if (cameFrom instanceof HTMLElement || cameFrom instanceof SVGElement) cameFrom.focus();
  }

  function goBack() {
    trail.pop();
    trail.pop()?.();
  }

  /** Show the panel with a new page on the trail.  @param {() => void} again  @param {string} title */
  function turnTo(again, title) {
    if (element.hidden) cameFrom = document.activeElement;
    trail.push(again);
    back.hidden = trail.length < 2;
    element.hidden = false;
    document.body.classList.add("inspecting");
    heading.textContent = title;
    fill(body, h("p", { class: "hint" }, TEXTS.working));
    heading.focus({ preventScroll: true });
    body.scrollTop = 0;
    return ++latest;
  }

  /** @param {GraphItem} node */
  function showNode(node) {
    const turn = turnTo(() => showNode(node), node.title);
    const ties = h("section", {});
    const cited = h("section", {});
    fill(
      body,
      h("p", { class: "badges" }, h("span", { class: `badge ${node.kind}` }, TEXTS.kinds[node.kind]), node.node_type && h("span", { class: "badge plain" }, node.node_type), ...node.tags.map((tag) => h("span", { class: "badge plain" }, tag))),
      node.body && node.body !== node.title && h("p", { class: "prose" }, node.body),
      h("p", { class: "hint" }, [WORDS.confidence(node.confidence), TEXTS.origins[node.origin]].join(" · ")),
      h(
        "div",
        { class: "actions" },
        h("button", { class: "primary", onclick: () => (closeIfNarrow(), app.walkFrom(node.id)) }, WORDS.graph),
        node.source_ref !== null && h("button", { onclick: () => showDocument({ source_ref: node.source_ref ?? "" }) }, WORDS.read),
      ),
      cited,
      ties,
    );
    app.attempt(() => showCitations(node, cited, turn));
    app.attempt(() => showTies(node, ties, turn));
  }

  /** @param {GraphItem} node  @param {HTMLElement} section  @param {number} turn */
  async function showCitations({ citations }, section, turn) {
    fill(section, h("h3", {}, WORDS.says));
    if (!citations.length) section.append(h("p", { class: "hint" }, WORDS.noCitations));
    for (const citation of citations.slice(0, CITATIONS_SHOWN)) {
      const passage = await passageAround(citation, CONTEXT);
      if (turn !== latest) return;
      section.append(quotation(passage, () => showDocument(citation)));
    }
    if (citations.length > CITATIONS_SHOWN) section.append(h("p", { class: "hint" }, WORDS.more(citations.length - CITATIONS_SHOWN)));
  }

  /** @param {GraphItem} node  @param {HTMLElement} section  @param {number} turn */
  async function showTies(node, section, turn) {
    const graph = /** @type {Graph} */ (await app.call("walk", { source_id: node.id, max_depth: 1, max_nodes: TIES_SHOWN + 1 }));
    if (turn !== latest || graph.nodes.length < 2) return;
    const byId = new Map(graph.nodes.map((each) => [each.id, each]));
    const edges = graph.edges.filter((edge) => edge.source_id === node.id || edge.target_id === node.id);
    fill(
      section,
      h("h3", {}, WORDS.tied),
      h(
        "ul",
        { class: "ties" },
        ...edges.flatMap((edge) => {
          const outward = edge.source_id === node.id;
          const other = byId.get(outward ? edge.target_id : edge.source_id);
          return other ? [h("li", {}, h("span", { class: "hint" }, `${outward ? "→" : "←"} ${edge.edge_type.replaceAll("_", " ")}`), h("button", { class: "title-link", onclick: () => showNode(other) }, other.title))] : [];
        }),
      ),
    );
  }

  /** @param {Citation | {source_ref: string}} place */
  function showDocument(place) {
    const turn = turnTo(() => showDocument(place), place.source_ref);
    app.attempt(async () => {
      const passage = await passageAround(place, WINDOW);
      if (turn === latest) showPassage(passage, place, turn);
    });
  }

  /** @param {Passage} passage  @param {Citation | {source_ref: string}} place  @param {number} turn */
  function showPassage(passage, place, turn) {
    const mark = h("mark", { tabindex: "-1" }, passage.quote);
    const before = h("span", {}, passage.before);
    const after = h("span", {}, passage.after);
    const earlier = h("button", { class: "quiet", onclick: () => grow(-1) }, WORDS.earlier);
    const later = h("button", { class: "quiet", onclick: () => grow(1) }, WORDS.later);
    let { from, to } = passage;
    const cited = "start" in place;

    /** @param {-1 | 1} way */
    function grow(way) {
      app.attempt(async () => {
        const edge = way < 0 ? from : to;
        const more = /** @type {Passage} */ (await app.call("document", { source_ref: place.source_ref, start: edge, end: edge, around: WINDOW }));
        if (turn !== latest) return;
        if (way < 0) (before.prepend(more.before), (from = more.from));
        else (after.append(more.after), (to = more.to));
        showButtons();
      });
    }

    function showButtons() {
      earlier.hidden = from === 0;
      later.hidden = to >= passage.characters;
    }

    fill(
      body,
      h("p", { class: "hint" }, cited ? WORDS.span(place.start, place.end, passage.characters) : WORDS.whole(passage.characters)),
      earlier,
      h("div", { class: "prose reader", dir: "auto" }, before, cited && mark, after),
      later,
    );
    showButtons();
    if (cited) mark.scrollIntoView({ block: "center" });
  }

  /** @param {Citation | {source_ref: string}} place  @param {number} around  @returns {Promise<Passage>} */
  function passageAround(place, around) {
    const span = "start" in place ? { start: place.start, end: place.end } : {};
    return app.call("document", { source_ref: place.source_ref, around, ...span });
  }

  function closeIfNarrow() {
    if (matchMedia("(max-width: 60rem)").matches) close();
  }

  return { element, showNode, showDocument, close };
}

/** @param {Passage} passage  @param {() => void} onOpen */
function quotation({ source_ref, before, quote, after, from, to, characters }, onOpen) {
  return h(
    "figure",
    { class: "quotation" },
    h("blockquote", { dir: "auto" }, from > 0 && "…", before, h("mark", {}, quote), after, to < characters && "…"),
    h("figcaption", {}, h("button", { class: "title-link", title: WORDS.open, onclick: onOpen }, source_ref)),
  );
}
