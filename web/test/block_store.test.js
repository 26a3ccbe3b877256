import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import { Volume } from "../src/block_fs.js";
import { BlockStore } from "../src/block_store.js";

const BLOCK = 1024;

/** @param {string} text */
const encode = (text) => new TextEncoder().encode(text);

/** One browser: its databases and its locks. */
const browser = () => ({ indexedDB: new IDBFactory(), locks: lockManager(), patience: 20 });

/** @typedef {import("../src/block_store.js").Options} Options */

/** @param {Options} options @param {string} [name] */
const open = async (options, name = "class") => {
  const volume = new Volume(BLOCK);
  return { volume, store: await BlockStore.open(name, volume, options) };
};

/** @param {Volume} volume @param {string} name */
const text = (volume, name) => {
  const file = volume.files.get(name);
  assert(file, `no file ${name}`);
  const target = new Uint8Array(file.size);
  file.read(target, 0);
  return new TextDecoder().decode(target);
};

test("a file is found again, byte for byte, after closing", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  const long = "lorem ipsum ".repeat(1000);
  volume.create("a").write(encode(long), 0);
  await store.close();
  const again = await open(tab);
  assert.equal(text(again.volume, "a"), long);
  assert.equal(again.volume.isDirty, false);
});

test("a flush writes only the blocks that changed", async () => {
  const { volume, store } = await open(browser());
  const file = volume.create("a");
  file.write(new Uint8Array(100 * BLOCK), 0);
  await store.flush();
  const before = store.bytesWritten;
  file.write(encode("x"), 50 * BLOCK);
  await store.flush();
  assert.equal(store.bytesWritten - before, BLOCK);
});

test("truncation, holes, renaming and removal are found again", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  volume.create("cut").write(encode("x".repeat(5 * BLOCK)), 0);
  volume.create("db-journal").write(encode("journal"), 0);
  volume.create("renamed-journal").write(encode("kept"), 0);
  await store.flush();
  volume.files.get("cut")?.truncate(3);
  volume.files.get("cut")?.write(encode("end"), 3 * BLOCK);
  volume.remove("db-journal");
  volume.rename("renamed-journal", "db");
  await store.close();
  const again = await open(tab);
  assert.deepEqual([...again.volume.files.keys()].sort(), ["cut", "db"]);
  assert.equal(text(again.volume, "cut"), `xxx${"\0".repeat(3 * BLOCK - 3)}end`);
  assert.equal(text(again.volume, "db"), "kept");
});

test("blocks that nothing needs any more are deleted by a later flush", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  const file = volume.create("a");
  for (let round = 0; round < 10; round++) {
    file.write(encode(`round ${round}`), 0);
    await store.flush();
  }
  assert.deepEqual(await keys(tab.indexedDB), { blocks: [[1, 0, 9], [1, 0, 10]], heads: [9, 10] });
});

test("after a failed transaction the data stay in memory and the next flush stores them", async (context) => {
  const tab = browser();
  const { volume, store } = await open(tab);
  volume.create("a").write(encode("one"), 0);
  await store.flush();
  volume.files.get("a")?.write(encode("two"), 0);
  failPuts(context, "QuotaExceededError", 1);
  await assert.rejects(store.flush(), { name: "StorageError", reason: "full" });
  assert.equal(volume.isDirty, true);
  assert.equal(text(volume, "a"), "two");
  await store.close();
  assert.equal(text((await open(tab)).volume, "a"), "two");
});

test("a failed flush changes nothing of what is stored", async (context) => {
  const tab = browser();
  const { volume, store } = await open(tab);
  volume.create("a").write(encode("one"), 0);
  await store.flush();
  volume.files.get("a")?.write(encode("two"), 0);
  failPuts(context, "QuotaExceededError", Infinity);
  await assert.rejects(store.flush());
  context.mock.restoreAll();
  assert.equal(text((await open({ ...tab, locks: null })).volume, "a"), "one");
});

test("a second opener is refused by name while the first has the lock, and let in afterwards", async () => {
  const tab = browser();
  const { store } = await open(tab);
  await assert.rejects(open(tab), { reason: "locked", message: /"class" is open in another tab/ });
  await open(tab, "other");
  await store.close();
  await open(tab);
});

test("a lock that is given back in time is waited for, as when a page is loaded again", async () => {
  const tab = { ...browser(), patience: 5000 };
  const { store } = await open(tab);
  const next = open(tab);
  await store.close();
  await next;
});

test("who takes over finds what the writer had not stored yet, and the writer is told", async () => {
  const tab = { ...browser(), patience: 2000 };
  /** @type {(string | undefined)[]} */
  const told = [];
  const first = await open({ ...tab, onState: (error) => told.push(error?.reason) });
  first.volume.create("a").write(encode("not flushed"), 0);
  const second = await open({ ...tab, takeOver: true });
  assert.equal(text(second.volume, "a"), "not flushed");
  assert.deepEqual(told, ["lost"]);
  first.volume.files.get("a")?.write(encode("too late"), 0);
  await assert.rejects(first.store.flush(), { reason: "lost", message: /another tab or notebook has taken over/ });
  assert.equal(text(first.volume, "a"), "too latehed", "its own changes stay in its memory");
  second.volume.files.get("a")?.write(encode("and goes on"), 0);
  await second.store.close();
  assert.equal(text((await open(tab)).volume, "a"), "and goes on");
});

test("a writer that does not answer is robbed of the lock, and cannot write any more", async (context) => {
  const tab = browser();
  const first = await open(tab);
  first.volume.create("a").write(encode("stored"), 0);
  await first.store.flush();
  // A worker that hangs hears nothing.
  const deaf = context.mock.method(BroadcastChannel.prototype, "postMessage", () => {});
  const second = await open({ ...tab, takeOver: true });
  assert.equal(deaf.mock.callCount(), 1);
  first.volume.files.get("a")?.write(encode("STALE!"), 0);
  await assert.rejects(first.store.flush(), { reason: "lost" });
  await second.store.close();
  assert.equal(text((await open(tab)).volume, "a"), "stored");
});

test("where there are no locks the older writer is shut out and cannot write", async () => {
  const tab = { ...browser(), locks: null };
  const first = await open(tab);
  first.volume.create("a").write(encode("first"), 0);
  await first.store.flush();
  const second = await open(tab);
  first.volume.files.get("a")?.write(encode("stale"), 0);
  await assert.rejects(first.store.flush(), { reason: "lost" });
  second.volume.files.get("a")?.write(encode("newer"), 0);
  await second.store.close();
  assert.equal(text((await open(tab)).volume, "a"), "newer");
});

test("a head whose blocks are not all there is passed over for the one before it", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  const file = volume.create("a");
  file.write(encode("one"), 0);
  file.write(encode("one"), 4 * BLOCK);
  await store.flush();
  file.write(encode("two"), 0);
  file.write(encode("two"), 4 * BLOCK);
  await store.close();
  await edit(tab.indexedDB, (blocks) => blocks.delete([file.id, 0, 2]));
  const again = await open(tab);
  assert.equal(text(again.volume, "a").slice(0, 3), "one");
  assert.equal(text(again.volume, "a").slice(-3), "one");
  again.volume.files.get("a")?.write(encode("six"), 0);
  await again.store.close();
  assert.equal(text((await open(tab)).volume, "a").slice(0, 3), "six");
});

test("blocks whose head was lost are deleted, and never mistaken for newer ones", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  const file = volume.create("a");
  for (const each of ["one", "two"]) {
    file.write(encode(each), 0);
    await store.flush();
  }
  await store.close();
  await edit(tab.indexedDB, (_blocks, heads) => heads.delete(2));
  const again = await open(tab);
  assert.equal(text(again.volume, "a"), "one");
  again.volume.files.get("a")?.write(encode("six"), 0);
  await again.store.close();
  assert.equal(text((await open(tab)).volume, "a"), "six");
  assert.deepEqual(await keys(tab.indexedDB), { blocks: [[1, 0, 1], [1, 0, 3]], heads: [1, 3] });
});

test("a store of which every head misses blocks is named as damaged", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  volume.create("a").write(encode("one"), 0);
  await store.close();
  await edit(tab.indexedDB, (blocks) => blocks.clear());
  await assert.rejects(open(tab), { reason: "damaged" });
});

test("touch flushes by itself, once for many commits", async () => {
  const tab = browser();
  const { volume, store } = await open({ ...tab, delay: 5 });
  const file = volume.create("a");
  for (const each of ["one", "two", "six"]) {
    file.write(encode(each), 0);
    store.touch();
  }
  await until(() => !volume.isDirty);
  assert.equal(store.bytesWritten, BLOCK);
});

test("synchronous work that blocks the event loop sends its commits on the way", async () => {
  const tab = browser();
  const { volume, store } = await open({ ...tab, delay: 1, maxDelay: 5 });
  const file = volume.create("a");
  for (const end = performance.now() + 5000; store.posts < 2 && performance.now() < end; ) {
    file.write(encode(String(performance.now())), 0);
    store.touch();
  }
  assert.equal(store.posts, 2);
  await store.close();
  assert.equal(text((await open(tab)).volume, "a"), text(volume, "a"));
});

test("a scheduled flush that fails is reported, tried again, and reported as mended", async (context) => {
  /** @type {(string | undefined)[]} */
  const states = [];
  const { volume, store } = await open({ ...browser(), delay: 1, onState: (error) => states.push(error?.reason) });
  volume.create("a").write(encode("one"), 0);
  failPuts(context, "QuotaExceededError", 1);
  store.touch();
  await until(() => !volume.isDirty);
  await until(() => states.length === 2);
  assert.deepEqual(states, ["full", undefined]);
});

test("storage cleared behind our back is written again in full", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  const file = volume.create("a");
  file.write(encode("x".repeat(3 * BLOCK)), 0);
  await store.flush();
  await BlockStore.delete("class", { ...tab, locks: null });
  file.write(encode("y"), 0);
  await store.close();
  assert.equal(text((await open(tab)).volume, "a"), "y" + "x".repeat(3 * BLOCK - 1));
});

test("deleting needs the lock and leaves nothing", async () => {
  const tab = browser();
  const { volume, store } = await open(tab);
  volume.create("a").write(encode("one"), 0);
  await assert.rejects(BlockStore.delete("class", tab), { reason: "locked" });
  await store.close();
  await BlockStore.delete("class", tab);
  assert.equal((await open(tab)).volume.files.size, 0);
});

test("without IndexedDB opening is refused by name", async (context) => {
  const real = globalThis.indexedDB;
  context.after(() => Object.assign(globalThis, { indexedDB: real }));
  Object.assign(globalThis, { indexedDB: undefined });
  await assert.rejects(open({ locks: null }), { reason: "unavailable" });
});

test("a browser that refuses storage is told from one whose storage failed", async () => {
  /** @param {string} name */
  const failing = (name) => () => {
    throw new DOMException("denied", name);
  };
  const refusing = /** @type {any} */ ({ open: failing("SecurityError") });
  await assert.rejects(open({ indexedDB: refusing, locks: null }), { reason: "unavailable" });
  const broken = /** @type {any} */ ({ open: failing("UnknownError") });
  await assert.rejects(open({ indexedDB: broken, locks: null }), { reason: "closed" });
  const locks = /** @type {any} */ ({ request: async () => failing("SecurityError")() });
  await assert.rejects(open({ ...browser(), locks }), { reason: "unavailable" });
});

test("where no room is left, what is stored can still be read", async (context) => {
  const tab = browser();
  const { volume, store } = await open(tab);
  volume.create("a").write(encode("one"), 0);
  await store.close();
  failPuts(context, "QuotaExceededError", 1, "meta");
  const again = await open(tab);
  assert.equal(text(again.volume, "a"), "one");
  again.volume.files.get("a")?.write(encode("two"), 0);
  await again.store.close();
  assert.equal(text((await open(tab)).volume, "a"), "two");
});

/** @returns {LockManager} just as much of Web Locks as is used */
function lockManager() {
  /** @type {Map<string, (error: Error) => void>} name → how its holder is robbed */
  const held = new Map();
  /** @param {string} name @param {{signal?: AbortSignal, steal?: boolean}} options @param {() => Promise<unknown>} callback */
  const request = async (name, { signal, steal }, callback) => {
    while (held.has(name) && !steal) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    held.get(name)?.(new DOMException("stolen", "AbortError"));
    const robbed = new Promise((_, reject) => held.set(name, reject));
    const mine = held.get(name);
    await Promise.race([callback(), robbed]).finally(() => held.get(name) === mine && held.delete(name));
  };
  return /** @type {any} */ ({ request });
}

/**
 * Let puts fail, as they do when there is no room.
 * @param {import("node:test").TestContext} context @param {string} name @param {number} times @param {string} [store]
 */
function failPuts(context, name, times, store = "heads") {
  const real = IDBObjectStore.prototype.put;
  let left = times;
  context.mock.method(IDBObjectStore.prototype, "put", /** @this {IDBObjectStore} */ function (/** @type {any} */ value, /** @type {any} */ key) {
    if (this.name !== store || left-- <= 0) return real.call(this, value, key);
    this.transaction.abort();
    throw new DOMException("no room", name);
  });
}

/** @param {IDBFactory} factory @param {(blocks: IDBObjectStore, heads: IDBObjectStore) => void} change */
async function edit(factory, change) {
  const db = await connected(factory);
  const transaction = db.transaction(["blocks", "heads"], "readwrite");
  change(transaction.objectStore("blocks"), transaction.objectStore("heads"));
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  db.close();
}

/** @param {IDBFactory} factory */
async function keys(factory) {
  const db = await connected(factory);
  const transaction = db.transaction(["blocks", "heads"]);
  const [blocks, heads] = ["blocks", "heads"].map((name) => transaction.objectStore(name).getAllKeys());
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  db.close();
  return { blocks: blocks.result, heads: heads.result };
}

/** @param {IDBFactory} factory @returns {Promise<IDBDatabase>} */
function connected(factory) {
  const opening = factory.open("lorelite:class");
  return new Promise((resolve) => (opening.onsuccess = () => resolve(opening.result)));
}

/** @param {() => boolean} condition */
async function until(condition) {
  for (let waited = 0; !condition(); waited += 5) {
    assert(waited < 5000, "waited too long");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
