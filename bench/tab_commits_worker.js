/**
 * For bench.tab_commits: a file of `mb` megabytes, closed and loaded again, then small commits of four pages (the first,
 * the last and two between, as a row and its index change), each flushed.
 */
import { Volume } from "/web/src/block_fs.js";
import { BlockStore } from "/web/src/block_store.js";

const PAGE = 4096;
const COMMITS = 60;
const mb = Number(new URLSearchParams(location.search).get("mb"));
const pages = mb * 256;
const name = `commits-${mb}`;

/** @param {string} what @param {object} value */
const tell = (what, value) => fetch(`/${what}`, { method: "POST", body: JSON.stringify(value) });

async function measure() {
  const made = new Volume();
  const first = await BlockStore.open(name, made);
  const file = made.create("db");
  const part = crypto.getRandomValues(new Uint8Array(65536));
  for (let at = 0; at < mb << 20; at += part.length) {
    file.write(part, at);
    if (at % (64 << 20) === 0) await first.flush();
  }
  await first.close();

  const volume = new Volume();
  let start = performance.now();
  const store = await BlockStore.open(name, volume);
  const load = performance.now() - start;
  const db = volume.files.get("db");
  if (!db || db.size !== mb << 20) throw new Error("the file that was stored is not there");
  const before = store.bytesWritten;
  const times = [];
  for (let n = 0; n < COMMITS; n++) {
    for (const page of [0, (n * 7919) % pages, (n * 104729) % pages, pages - 1]) db.write(part.subarray(n, n + PAGE), page * PAGE);
    start = performance.now();
    await store.flush();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  // The head names the generation of every block, in four bytes.
  const bytes = (store.bytesWritten - before) / COMMITS + 4 * Math.ceil(db.size / volume.blockSize);
  await store.close();
  await BlockStore.delete(name);
  await tell("measured", { mb, p50: times[COMMITS / 2], p95: times[Math.floor(COMMITS * 0.95)], bytes, load });
}

measure().catch((error) => tell("failed", { message: String(error) }));
