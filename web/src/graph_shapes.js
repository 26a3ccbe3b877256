/** The marks and lines of a drawn walk. */
import { svg } from "./dom.js";

/** @import { Edge, WalkNode } from "./protocol.js" */

/** Kinds differ in shape as well as in colour.  @param {WalkNode} node */
export function shape({ kind, depth }) {
  const size = depth === 0 ? 12 : 9;
  if (kind === "entity") return svg("circle", { r: size });
  if (kind === "fact") return svg("path", { d: `M0 ${-size - 2}L${size + 2} 0L0 ${size + 2}L${-size - 2} 0Z` });
  return svg("rect", { x: -size, y: -size, width: 2 * size, height: 2 * size, rx: kind === "chunk" ? 2 : 6 });
}

/** The head of a directed edge, for `defs`. */
export function arrow() {
  return svg(
    "marker",
    { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 0.5L8 4L0 7.5Z" }),
  );
}

/** How far each edge bends aside, by id: none when it is alone between its two nodes.
 *  @param {Edge[]} edges  @returns {Map<string, number>} */
export function bends(edges) {
  /** @type {Map<string, Edge[]>} */
  const pairs = new Map();
  for (const edge of edges) {
    const pair = [edge.source_id, edge.target_id].sort().join("\n");
    pairs.set(pair, [...(pairs.get(pair) ?? []), edge]);
  }
  return new Map([...pairs.values()].flatMap((group) => group.map((edge, index) => [edge.id, (index - (group.length - 1) / 2) * 22])));
}
