import assert from "node:assert/strict";
import { test } from "node:test";
import { label, labelWidth, layout } from "../src/graph_layout.js";

/** A walk of `count` nodes from "n0": a tree of three children each, with a few edges across.  @param {number} count */
function walk(count) {
  const nodes = Array.from({ length: count }, (_, index) => {
    const parent = index ? Math.floor((index - 1) / 3) : null;
    return { id: `n${index}`, title: `Node number ${index}`, depth: 0, parent: parent === null ? null : `n${parent}` };
  });
  nodes.forEach((node, index) => (node.depth = index ? nodes[Math.floor((index - 1) / 3)].depth + 1 : 0));
  const edges = nodes.slice(1).map((node) => ({ source_id: node.parent ?? "", target_id: node.id }));
  for (let index = 5; index < count; index += 7) edges.push({ source_id: `n${index}`, target_id: `n${(index * 11) % count}` });
  return { nodes, edges };
}

/** @param {import("../src/graph_layout.js").Place[]} places */
function overlaps(places) {
  return places.flatMap((a, index) =>
    places.slice(index + 1).filter((b) => Math.abs(a.x - b.x) < a.halfWidth + b.halfWidth && Math.abs(a.y - b.y) < a.halfHeight + b.halfHeight),
  ).length;
}

test("the same walk is laid out the same every time", () => {
  const { nodes, edges } = walk(40);
  assert.deepEqual([...layout(nodes, edges)], [...layout(nodes, edges)]);
});

test("no two labels lie on each other, up to the most nodes the page offers", () => {
  for (const count of [1, 2, 15, 30, 60, 120]) {
    const { nodes, edges } = walk(count);
    const places = [...layout(nodes, edges).values()];
    assert.equal(places.length, count);
    assert.ok(places.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)));
    assert.equal(overlaps(places), 0, `${count} nodes`);
  }
});

test("the anchor stays in the middle", () => {
  const { nodes, edges } = walk(30);
  const { x, y } = layout(nodes, edges).get("n0") ?? { x: NaN, y: NaN };
  assert.deepEqual([x, y], [0, 0]);
});

test("nodes joined by an edge are nearer to each other than nodes that are not", () => {
  const { nodes, edges } = walk(30);
  const places = layout(nodes, edges);
  /** @param {string} a  @param {string} b */
  const distance = (a, b) => Math.hypot((places.get(a)?.x ?? 0) - (places.get(b)?.x ?? 0), (places.get(a)?.y ?? 0) - (places.get(b)?.y ?? 0));
  const joined = edges.map((edge) => distance(edge.source_id, edge.target_id));
  const all = nodes.flatMap((a, index) => nodes.slice(index + 1).map((b) => distance(a.id, b.id)));
  /** @param {number[]} numbers */
  const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  assert.ok(mean(joined) < 0.6 * mean(all));
});

test("a walk whose parents are missing, an edge to nowhere, and a node tied to itself are drawn all the same", () => {
  const nodes = [
    { id: "a", title: "A", depth: 0, parent: null },
    { id: "b", title: "B", depth: 1, parent: "gone" },
    { id: "c", title: "C", depth: 1, parent: "c" },
  ];
  const places = layout(nodes, [{ source_id: "a", target_id: "gone" }, { source_id: "b", target_id: "b" }]);
  assert.deepEqual([...places.keys()].sort(), ["a", "b", "c"]);
  assert.equal(overlaps([...places.values()]), 0);
});

test("a long title is cut by characters, never through one", () => {
  assert.equal(label("short"), "short");
  assert.equal([...label("🙂".repeat(40))].length, 24);
  assert.ok(label("🙂".repeat(40)).endsWith("🙂…"));
});

test("full-width scripts are given the room they need", () => {
  assert.ok(labelWidth("沈若兰") > labelWidth("abc") * 1.5);
});
