/**
 * Draws a walk as SVG: pan, zoom, drag, select, expand, by mouse, finger or keyboard. Knows JSON, not Python.
 */
import { fill, svg } from "./dom.js";
import { label, layout } from "./graph_layout.js";
import { arrow, bends, shape } from "./graph_shapes.js";
import { TEXTS } from "./texts.js";

/** @import { Edge, Graph, WalkNode } from "./protocol.js" */
/** @import { Place } from "./graph_layout.js" */

/** @typedef {{onSelect: (node: WalkNode) => void, onExpand: (node: WalkNode) => void}} Handlers */

const MAX_ZOOM = 4;
const MIN_ZOOM = 0.15;
const READABLE_ZOOM = 0.6;
const MANY_LABELS = 8;
/** Where an edge's label sits on the way from the selected node, so that labels do not crowd around it. */
const TOWARDS_FAR_END = 0.6;

export class GraphView {
  /** @type {Graph} */
  #graph = { nodes: [], edges: [], truncated: false };
  /** @type {Map<string, Place>} */
  #places = new Map();
  /** @type {Map<string, SVGGElement>} */
  #marks = new Map();
  /** @type {Map<string, SVGGElement>} */
  #lines = new Map();
  /** How far each edge bends aside, so that several between the same two nodes are told apart.
   *  @type {Map<string, number>} */
  #bends = new Map();
  #view = { x: 0, y: 0, zoom: 1 };
  #isMoved = false;
  /** @type {string | null} */
  #selected = null;
  /** @type {Handlers} */
  #handlers;

  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    this.content = svg("g");
    this.element = svg(
      "svg",
      { class: "graph", role: "group", "aria-label": TEXTS.graph.canvas },
      svg("defs", {}, arrow()),
      this.content,
    );
    this.element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.element.addEventListener("pointerdown", (event) => this.#pan(event));
    new ResizeObserver(() => this.#isMoved || this.#show()).observe(this.element);
  }

  /** @param {Graph} graph */
  draw(graph) {
    this.#graph = graph;
    this.#places = layout(graph.nodes, graph.edges);
    this.#bends = bends(graph.edges);
    this.#lines = new Map(graph.edges.filter((edge) => this.#ends(edge)).map((edge) => [edge.id, this.#line(edge)]));
    this.#marks = new Map(graph.nodes.map((node) => [node.id, this.#mark(node)]));
    fill(this.content, ...this.#lines.values(), ...this.#marks.values());
    graph.edges.forEach((edge) => this.#placeLine(edge));
    this.select(graph.nodes[0]?.id ?? null);
    this.#show();
  }

  /** Bring the whole graph into sight, or, when its labels would be too small to read, the part around the anchor. */
  #show() {
    this.#isMoved = false;
    this.fit();
    const { width, height } = this.element.getBoundingClientRect();
    const anchor = this.#places.get(this.#graph.nodes[0]?.id);
    if (!anchor || !width || this.#view.zoom >= READABLE_ZOOM) return;
    this.#view = { x: width / 2 - anchor.x * READABLE_ZOOM, y: height / 2 - anchor.y * READABLE_ZOOM, zoom: READABLE_ZOOM };
    this.#applyView();
  }

  /** Bring the whole graph into sight. */
  fit() {
    const { width, height } = this.element.getBoundingClientRect();
    const places = [...this.#places.values()];
    if (!width || !places.length) return;
    const left = Math.min(...places.map((each) => each.x - each.halfWidth)) - 20;
    const right = Math.max(...places.map((each) => each.x + each.halfWidth)) + 20;
    const top = Math.min(...places.map((each) => each.y - each.halfHeight)) - 20;
    const bottom = Math.max(...places.map((each) => each.y + each.halfHeight)) + 50;
    const zoom = Math.min(1.25, width / (right - left), height / (bottom - top));
    this.#view = { x: width / 2 - ((left + right) / 2) * zoom, y: height / 2 - ((top + bottom) / 2) * zoom, zoom };
    this.#applyView();
  }

  /** Zoom about a point of the picture, by default its centre.
   *  @param {number} factor  @param {{x: number, y: number}} [about] */
  zoom(factor, about) {
    this.#isMoved = true;
    const { width, height } = this.element.getBoundingClientRect();
    const point = about ?? { x: width / 2, y: height / 2 };
    const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.#view.zoom * factor));
    const scale = zoom / this.#view.zoom;
    this.#view = {
      x: point.x - (point.x - this.#view.x) * scale,
      y: point.y - (point.y - this.#view.y) * scale,
      zoom,
    };
    this.#applyView();
  }

  /** @param {string | null} id */
  select(id) {
    this.#selected = id;
    const near = new Set([id]);
    let touched = 0;
    for (const edge of this.#graph.edges) {
      const touches = edge.source_id === id || edge.target_id === id;
      this.#lines.get(edge.id)?.classList.toggle("touched", touches);
      if (!touches) continue;
      near.add(edge.source_id).add(edge.target_id);
      touched++;
      this.#placeLine(edge);
    }
    this.element.classList.toggle("crowded", touched > MANY_LABELS);
    for (const [each, mark] of this.#marks) {
      mark.classList.toggle("selected", each === id);
      mark.classList.toggle("far", id !== null && !near.has(each));
      mark.setAttribute("tabindex", each === id ? "0" : "-1");
    }
  }

  /** @param {Edge} edge  @returns {[Place, Place] | null} */
  #ends(edge) {
    const from = this.#places.get(edge.source_id);
    const to = this.#places.get(edge.target_id);
    return from && to ? [from, to] : null;
  }

  /** @param {WalkNode} node */
  #mark(node) {
    const text = label(node.title);
    const mark = svg(
      "g",
      {
        class: `mark ${node.kind}${node.depth === 0 ? " anchor" : ""}`,
        role: "button",
        tabindex: "-1",
        "aria-label": `${TEXTS.kinds[node.kind]}: ${node.title}`,
        "data-id": node.id,
      },
      svg("title", {}, node.title),
      shape(node),
      svg("text", { y: 26, "text-anchor": "middle" }, text),
    );
    this.#placeMark(mark, node.id);
    mark.addEventListener("pointerdown", (event) => this.#drag(event, node));
    mark.addEventListener("dblclick", () => this.#handlers.onExpand(node));
    mark.addEventListener("keydown", (event) => this.#key(event, node));
    mark.addEventListener("focus", () => this.#selected !== node.id && this.select(node.id));
    return mark;
  }

  /** @param {Edge} edge */
  #line(edge) {
    const words = edge.edge_type.replaceAll("_", " ");
    return svg(
      "g",
      { class: `line${edge.origin === "heuristic" ? " heuristic" : ""}`, "data-id": edge.id },
      svg("title", {}, edge.description || words),
      svg("path", { class: "reach" }),
      svg("path", { class: "stroke", "marker-end": "url(#arrow)", "stroke-width": 1 + Math.min(2, Math.max(0, edge.weight)) }),
      svg("text", { "text-anchor": "middle", dy: "-4" }, label(words)),
    );
  }

  /** @param {SVGGElement | undefined} mark  @param {string} id */
  #placeMark(mark, id) {
    const { x, y } = this.#places.get(id) ?? { x: 0, y: 0 };
    mark?.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }

  /** @param {Edge} edge */
  #placeLine(edge) {
    const ends = this.#ends(edge);
    const line = this.#lines.get(edge.id);
    if (!ends || !line) return;
    const [from, to] = ends;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const bend = (this.#bends.get(edge.id) ?? 0) * (edge.source_id < edge.target_id ? 1 : -1);
    const middle = { x: (from.x + to.x) / 2 - uy * bend, y: (from.y + to.y) / 2 + ux * bend };
    const numbers = [from.x + ux * 13, from.y + uy * 13, 2 * middle.x - (from.x + to.x) / 2, 2 * middle.y - (from.y + to.y) / 2, to.x - ux * 17, to.y - uy * 17];
    const [x1, y1, cx, cy, x2, y2] = numbers.map((each) => each.toFixed(1));
    for (const each of line.querySelectorAll("path")) each.setAttribute("d", `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}`);
    const t = edge.source_id === this.#selected ? TOWARDS_FAR_END : edge.target_id === this.#selected ? 1 - TOWARDS_FAR_END : 0.5;
    const text = line.querySelector("text");
    text?.setAttribute("x", (from.x + (to.x - from.x) * t - uy * bend).toFixed(1));
    text?.setAttribute("y", (from.y + (to.y - from.y) * t + ux * bend).toFixed(1));
  }

  #applyView() {
    const { x, y, zoom } = this.#view;
    this.content.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${zoom.toFixed(4)})`);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { left, top } = this.element.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0015), { x: event.clientX - left, y: event.clientY - top });
  }

  /** @param {PointerEvent} event */
  #pan(event) {
    follow(event, (dx, dy) => {
      this.#isMoved = true;
      this.#view = { ...this.#view, x: this.#view.x + dx, y: this.#view.y + dy };
      this.#applyView();
    });
  }

  /** @param {PointerEvent} event  @param {WalkNode} node */
  #drag(event, node) {
    event.stopPropagation();
    const place = this.#places.get(node.id);
    let travelled = 0;
    const move = (/** @type {number} */ dx, /** @type {number} */ dy) => {
      travelled += Math.abs(dx) + Math.abs(dy);
      if (!place || travelled < 4) return;
      place.x += dx / this.#view.zoom;
      place.y += dy / this.#view.zoom;
      this.#placeMark(this.#marks.get(node.id), node.id);
      this.#graph.edges.forEach((edge) => (edge.source_id === node.id || edge.target_id === node.id) && this.#placeLine(edge));
    };
    follow(event, move, () => {
      if (travelled >= 4) return;
      this.select(node.id);
      this.#handlers.onSelect(node);
    });
  }

  /** Enter shows details, E walks on from here, an arrow goes to the nearest node that way.
   *  @param {KeyboardEvent} event  @param {WalkNode} node */
  #key(event, node) {
    const ways = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    });
    if (event.key === "Enter" || event.key === " ") this.#handlers.onSelect(node);
    else if (event.key.toLowerCase() === "e") this.#handlers.onExpand(node);
    else if (event.key in ways) this.#focusNearest(node.id, ways[event.key]);
    else return;
    event.preventDefault();
  }

  /** @param {string} id  @param {[number, number]} way */
  #focusNearest(id, [wayX, wayY]) {
    const here = this.#places.get(id);
    if (!here) return;
    let best = { id: "", cost: Infinity };
    for (const [other, place] of this.#places) {
      const [dx, dy] = [place.x - here.x, place.y - here.y];
      const ahead = dx * wayX + dy * wayY;
      const cost = ahead + 2 * Math.abs(dx * wayY - dy * wayX);
      if (ahead > 1 && cost < best.cost) best = { id: other, cost };
    }
    this.#marks.get(best.id)?.focus();
  }
}

/** Report the moves of a pointer until it is lifted.
 *  @param {PointerEvent} down  @param {(dx: number, dy: number) => void} onMove  @param {() => void} [onUp] */
function follow(down, onMove, onUp) {
  const target = /** @type {Element} */ (down.currentTarget);
  let last = { x: down.clientX, y: down.clientY };
  const end = new AbortController();
  target.setPointerCapture(down.pointerId);
  target.addEventListener("pointermove", (event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    onMove(clientX - last.x, clientY - last.y);
    last = { x: clientX, y: clientY };
  }, end);
  target.addEventListener("pointerup", () => (end.abort(), onUp?.()), end);
  target.addEventListener("pointercancel", () => end.abort(), end);
}
