// The data of the comparison: the same numbers as generator.py gives, bit for bit; integers only.
export const WORDS = 5000;
export const DIMENSIONS = 384;
const SYLLABLES = [..."bdklmnrs"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));

/** mulberry32: a stream of unsigned 32-bit numbers. */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Draws a whole number from 0 up to its argument, which is left out. */
export function below(seed) {
  const draw = uniform(seed);
  return (limit) => Math.floor((draw() * limit) / 4294967296);
}

export function word(number) {
  const first = number % 40;
  const second = Math.floor(number / 40) % 40;
  const third = Math.floor(number / 1600);
  return SYLLABLES[first] + SYLLABLES[second] + SYLLABLES[(3 * first + 7 * second + 11 * third) % 40];
}

/** Facts without end. */
export function* facts() {
  const draw = below(12345);
  const phrase = (length) =>
    Array.from({ length }, () => word(Math.floor((draw(WORDS) * draw(WORDS)) / WORDS))).join(" ");
  for (let number = 0; ; number++) {
    const title = phrase(4 + draw(4));
    const body = phrase(20 + draw(21));
    yield { id: factId(number), title, body: number % 10 === 0 ? `${body} ref${number}` : body };
  }
}

export const factId = (number) => "f" + String(number).padStart(7, "0");

export const sourceHash = (number) => (number + 1).toString(16).padStart(64, "0");

export function queryFacts(count, corpus) {
  const draw = below(777);
  return Array.from({ length: count }, () => draw(corpus));
}

/** nodes * degree / 2 different edges between random pairs. */
export function edges(nodes, degree) {
  const draw = below(1000 + degree);
  const pairs = new Set();
  const made = [];
  while (made.length < Math.floor((nodes * degree) / 2)) {
    const source = draw(nodes);
    const target = draw(nodes);
    const pair = source * nodes + target;
    if (source === target || pairs.has(pair)) continue;
    pairs.add(pair);
    made.push({ id: "e" + String(made.length).padStart(7, "0"), source, target, type: "rel_" + "abc"[draw(3)] });
  }
  return made;
}

/** Node 0 joined to nodes 1 … count, half of the edges leading out and half leading in. */
export function spokes(count) {
  return Array.from({ length: count }, (_, at) => {
    const m = at + 1;
    const [source, target] = m % 2 ? [0, m] : [m, 0];
    return { id: "h" + String(m).padStart(7, "0"), source, target, type: "hub" };
  });
}

/** The sum of its tokens' vectors: whole numbers, exact in 32-bit floats. */
export function vector(text) {
  const sum = new Array(DIMENSIONS).fill(0);
  const tokens = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  if (tokens.length === 0) sum[0] = 1;
  for (const token of tokens) {
    const each = tokenVector(token);
    for (let at = 0; at < DIMENSIONS; at++) sum[at] += each[at];
  }
  return sum;
}

const tokenVectors = new Map();
function tokenVector(token) {
  let found = tokenVectors.get(token);
  if (found === undefined) {
    let seed = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(token)) seed = Math.imul(seed ^ byte, 0x01000193) >>> 0;
    const draw = uniform(seed);
    found = Array.from({ length: DIMENSIONS }, () => (draw() >>> 24) - 128);
    tokenVectors.set(token, found);
  }
  return found;
}
