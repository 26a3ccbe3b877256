/**
 * One life of a store under bench.tab_kills: open, check what is stored against what the seed says, then commit until
 * somebody ends it. Commit `n` writes the counter on page 0 and PAGES pages that `n` alone decides.
 */
import { Volume } from "/web/src/block_fs.js";
import { BlockStore } from "/web/src/block_store.js";

const PAGE = 4096;
const PAGES = 3;
const asked = new URLSearchParams(location.search);
const name = asked.get("name") ?? "kills";
const total = Number(asked.get("pages") ?? 256);

/** @param {number} n @param {number} j */
const placeOf = (n, j) => 1 + ((Math.imul(n, 0x9e3779b1) ^ Math.imul(j + 1, 0x85ebca6b)) >>> 0) % (total - 1);

/** @param {number} n */
function pageOf(n) {
  return new Uint8Array(new Uint32Array(PAGE / 4).fill(n).buffer);
}

/** @param {import("../web/src/block_fs.js").BlockFile} file @param {number} n */
function commit(file, n) {
  for (let j = 0; j < PAGES; j++) file.write(pageOf(n), placeOf(n, j) * PAGE);
  file.write(pageOf(n), 0);
}

/** The number of pages that differ from what `n` commits leave. @param {import("../web/src/block_fs.js").BlockFile} file @param {number} n */
function wrongPages(file, n) {
  const expected = new Uint32Array(total);
  for (let i = 1; i <= n; i++) for (let j = 0; j < PAGES; j++) expected[placeOf(i, j)] = i;
  expected[0] = n;
  const page = new Uint32Array(PAGE / 4);
  let wrong = 0;
  for (let index = 0; index < total; index++) {
    file.read(new Uint8Array(page.buffer), index * PAGE);
    if (page.some((each) => each !== expected[index])) wrong++;
  }
  return wrong;
}

/** @param {string} what @param {object} value */
const tell = (what, value) => fetch(`/${what}`, { method: "POST", body: JSON.stringify(value) });

async function live() {
  const volume = new Volume();
  const store = await BlockStore.open(name, volume, { patience: 10_000 });
  let file = volume.files.get("db");
  if (!file) {
    file = volume.create("db");
    file.write(new Uint8Array(total * PAGE), 0);
    await store.flush();
  }
  const counter = new Uint32Array(1);
  file.read(new Uint8Array(counter.buffer), 0);
  let [n] = counter;
  await tell("opened", { n, wrong: wrongPages(file, n) });
  for (;;) {
    commit(file, ++n);
    await store.flush();
    tell("stored", { n });
  }
}

live().catch((error) => tell("failed", { message: String(error) }));
