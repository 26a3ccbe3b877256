/**
 * Where the nodes of a walk go: rings by depth around the anchor, loosened by springs, then pushed apart until no
 * label lies on another. Pure and without chance, so the same walk always looks the same.
 */

/** @typedef {{id: string, title: string, depth: number, parent: string | null}} LayoutNode */
/** @typedef {{source_id: string, target_id: string}} LayoutEdge */
/** A node's place: its centre, and half the width and height of its mark and label together.
 * @typedef {{x: number, y: number, halfWidth: number, halfHeight: number}} Place */

const RING = 100;
const WIDER = 1.35;
const NEAR = 64;
const SPRING_ROUNDS = 140;
const APART_ROUNDS = 240;
const GAP = 8;
export const LABEL_LENGTH = 24;

/** @param {LayoutNode[]} nodes  anchor first, each parent before its children
 *  @param {LayoutEdge[]} edges  @returns {Map<string, Place>} */
export function layout(nodes, edges) {
  const places = onRings(nodes);
  const anchor = nodes.find((node) => node.depth === 0);
  const list = [...places.values()];
  const fixed = anchor ? places.get(anchor.id) : undefined;
  const springs = edges.flatMap(({ source_id, target_id }) => {
    const from = places.get(source_id);
    const to = places.get(target_id);
    return from && to && from !== to ? [/** @type {[Place, Place]} */ ([from, to])] : [];
  });
  for (let round = 0; round < SPRING_ROUNDS; round++) relax(list, springs, fixed, 1 - round / SPRING_ROUNDS);
  for (let round = 0; round < APART_ROUNDS && pushApart(list, fixed); round++);
  return places;
}

/** `title` cut to what a label shows.  @param {string} title */
export function label(title) {
  const characters = [...title.trim()];
  return characters.length <= LABEL_LENGTH ? title.trim() : `${characters.slice(0, LABEL_LENGTH - 1).join("")}…`;
}

/** The width of a label in pixels at 12 px: scripts with full-width characters need twice the room.
 *  @param {string} text */
export function labelWidth(text) {
  return [...text].reduce((width, character) => width + (/[\u1100-\u11ff\u2e80-\uffdc]/u.test(character) ? 12.5 : 6.8), 0);
}

/** Every node on the ring of its depth, under its parent's share of the circle.
 *  @param {LayoutNode[]} nodes  @returns {Map<string, Place>} */
function onRings(nodes) {
  /** @type {Map<string | null, LayoutNode[]>} */
  const children = new Map();
  const known = new Set(nodes.map((node) => node.id));
  for (const node of nodes) {
    const parent = node.parent !== null && known.has(node.parent) && node.parent !== node.id ? node.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  /** @type {Map<string, number>} */
  const leaves = new Map();
  for (const node of [...nodes].reverse()) {
    const below = (children.get(node.id) ?? []).reduce((sum, child) => sum + (leaves.get(child.id) ?? 1), 0);
    leaves.set(node.id, Math.max(1, below));
  }
  /** @type {Map<string, Place>} */
  const places = new Map();
  /** @param {LayoutNode[]} siblings  @param {number} from  @param {number} to */
  const spread = (siblings, from, to) => {
    const total = siblings.reduce((sum, node) => sum + (leaves.get(node.id) ?? 1), 0);
    let angle = from;
    for (const node of siblings) {
      const share = ((to - from) * (leaves.get(node.id) ?? 1)) / total;
      places.set(node.id, place(node, angle + share / 2));
      spread(children.get(node.id) ?? [], angle, angle + share);
      angle += share;
    }
  };
  spread(children.get(null) ?? [], -Math.PI / 2, 1.5 * Math.PI);
  return places;
}

/** @param {LayoutNode} node  @param {number} angle  @returns {Place} */
function place(node, angle) {
  return {
    x: Math.cos(angle) * RING * node.depth * WIDER,
    y: Math.sin(angle) * RING * node.depth,
    halfWidth: Math.max(14, labelWidth(label(node.title)) / 2) + GAP,
    halfHeight: 22 + GAP / 2,
  };
}

/** One round of Fruchterman and Reingold's forces (1991): nodes part, edges pull; `heat` falls from 1 to 0.
 *  @param {Place[]} places  @param {[Place, Place][]} springs  @param {Place | undefined} fixed  @param {number} heat */
function relax(places, springs, fixed, heat) {
  /** @type {Map<Place, {x: number, y: number}>} */
  const moves = new Map(places.map((each) => [each, { x: 0, y: 0 }]));
  /** @param {Place} a  @param {Place} b  @param {(distance: number) => number} strength  positive pulls together */
  const between = (a, b, strength) => {
    const [dx, dy] = apart(a, b, places);
    const distance = Math.hypot(dx, dy);
    const force = strength(distance) / distance;
    const [first, second] = [moves.get(a), moves.get(b)];
    if (!first || !second) return;
    first.x += dx * force;
    first.y += dy * force;
    second.x -= dx * force;
    second.y -= dy * force;
  };
  for (let i = 0; i < places.length; i++) {
    for (let j = i + 1; j < places.length; j++) between(places[i], places[j], (d) => (-NEAR * NEAR) / Math.max(d, 12));
  }
  for (const [a, b] of springs) between(a, b, (d) => (d * d) / NEAR / 2);
  for (const [each, move] of moves) {
    if (each === fixed) continue;
    const length = Math.hypot(move.x, move.y) || 1;
    const step = Math.min(length, 24 * heat);
    each.x += (move.x / length) * step * WIDER;
    each.y += (move.y / length) * step;
  }
}

/** Move overlapping places apart along the shorter way.
 *  @param {Place[]} places  @param {Place | undefined} fixed  @returns {boolean} whether any overlapped */
function pushApart(places, fixed) {
  let moved = false;
  for (let i = 0; i < places.length; i++) {
    for (let j = i + 1; j < places.length; j++) {
      const [a, b] = [places[i], places[j]];
      const [dx, dy] = apart(a, b, places);
      const overX = a.halfWidth + b.halfWidth - Math.abs(dx);
      const overY = a.halfHeight + b.halfHeight - Math.abs(dy);
      if (overX <= 0 || overY <= 0) continue;
      moved = true;
      const along = overX < overY ? { x: (overX + 1) * Math.sign(dx || 1), y: 0 } : { x: 0, y: (overY + 1) * Math.sign(dy || 1) };
      const shareOfA = a === fixed ? 0 : b === fixed ? 1 : 0.5;
      a.x -= along.x * shareOfA;
      a.y -= along.y * shareOfA;
      b.x += along.x * (1 - shareOfA);
      b.y += along.y * (1 - shareOfA);
    }
  }
  return moved;
}

/** The way from `a` to `b`; never zero: nodes in one spot part in a direction given by their order.
 *  @param {Place} a  @param {Place} b  @param {Place[]} places  @returns {[number, number]} */
function apart(a, b, places) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  if (dx || dy) return [dx, dy];
  const turn = places.indexOf(b) * 2.4;
  return [Math.cos(turn), Math.sin(turn)];
}
