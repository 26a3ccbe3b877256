/**
 * A volume (block_fs.js) kept in IndexedDB. A flush writes the changed blocks and a head in one transaction.
 *
 * Blocks are never overwritten: each is stored under [file, index, generation], and the head of a generation says which
 * one counts. What a flush makes useless is deleted by a later flush, and the head before it stays, so that a power cut
 * that keeps the end of a transaction and loses its beginning (Chromium writes every put by itself, and syncs only the
 * last) is noticed on opening: a head whose blocks are not all there is passed over for the one before it.
 *
 * One writer: a Web Lock where there are any, and an epoch that every flush checks inside its own transaction.
 */

import { describe, refused, StorageError, takenOver } from "./storage_error.js";
import { HAND_OVER, keyOf, lock, locksOf } from "./writer_lock.js";

/** @typedef {import("./block_fs.js").Volume} Volume */
/** @typedef {import("./block_fs.js").BlockKey} BlockKey */
/** @typedef {import("./block_fs.js").FileHead} FileHead */
/** @typedef {{format: number, generation: number, blockSize: number, nextId: number, files: FileHead[]}} Head */
/**
 * @typedef {object} Options
 * @property {IDBFactory} [indexedDB]
 * @property {LockManager | null} [locks] null: no lock, the epoch alone keeps a second writer out
 * @property {number} [patience] ms to wait for the lock while another holds it
 * @property {boolean} [takeOver] ask the holder of the lock to store its changes and hand over; take the lock if it does not
 * @property {number} [delay] ms of quiet before a flush that `touch` asked for
 * @property {number} [maxDelay] ms after which it comes even without quiet
 * @property {(error: StorageError | null) => void} [onState] called when a scheduled flush fails, and with null when one succeeds again
 */

const FORMAT = 1;
const LOAD_BYTES = 8 << 20;
const PADDING_BYTES = 64 << 10;
const MAX_RETRY_DELAY = 30_000;
const MAX_BLOCKED_BYTES = 64 << 20;
const HIDING = ["pagehide", "visibilitychange"];

export class BlockStore {
  /** @type {IDBDatabase | null} */ #db = null;
  #epoch = 0;
  /** the newest generation begun, and the newest that is known to be stored */
  #generation = 0;
  #stored = 0;
  /** @type {BlockKey[]} */ #useless = [];
  /** @type {Promise<unknown>} */ #tail = Promise.resolve();
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #firstTouch = 0;
  #retryDelay = 0;
  #notBefore = 0;
  #closed = false;
  #lost = false;
  #release = () => {};
  /** @type {BroadcastChannel | null} */ #channel = null;
  /** the last chance on the main thread; a worker gets no such event, so its page tells it to flush */
  #onHide = (/** @type {Event} */ event) => {
    const leaving = event.type === "pagehide" || document.visibilityState === "hidden";
    if (leaving && this.volume.isDirty) this.#post().catch(() => {});
  };

  /** Use `BlockStore.open`. @param {string} name @param {Volume} volume @param {Options} options */
  constructor(name, volume, options) {
    this.name = name;
    this.volume = volume;
    this.options = { delay: 50, maxDelay: 500, ...options };
    this.indexedDB = options.indexedDB ?? globalThis.indexedDB;
    /** transactions sent, and bytes of blocks stored, since opening */
    this.posts = 0;
    this.bytesWritten = 0;
  }

  /**
   * Take the lock of `name`, fill an empty volume with what is stored under it, and keep it there from now on.
   * @param {string} name @param {Volume} volume @param {Options} [options] @returns {Promise<BlockStore>}
   */
  static async open(name, volume, options = {}) {
    const store = new BlockStore(name, volume, options);
    if (!store.indexedDB) throw new StorageError("unavailable", "IndexedDB is not available here");
    store.#release = await lock(name, options, () => store.#lose());
    try {
      await store.#connect().catch((error) => {
        throw refused(error) ?? error;
      });
      await store.#takeOver().catch((error) => {
        // Reading needs no room, and the lock alone keeps others out; the first flush will tell.
        if (describe(error).reason !== "full" || !locksOf(options)) throw error;
      });
      await store.#load();
    } catch (error) {
      store.#leave();
      throw describe(error, "closed");
    }
    if (typeof document !== "undefined") HIDING.forEach((event) => addEventListener(event, store.#onHide, true));
    store.#listen();
    return store;
  }

  /** Delete what is stored under `name`. Nobody may have it open. @param {string} name @param {Options} [options] */
  static async delete(name, options = {}) {
    const release = await lock(name, options);
    try {
      await request((options.indexedDB ?? globalThis.indexedDB).deleteDatabase(keyOf(name)));
    } catch (error) {
      throw describe(error);
    } finally {
      release();
    }
  }

  /** A commit was made: flush soon. Synchronous code that keeps the event loop busy has its flush sent on the way. */
  touch() {
    if (this.#closed || this.#lost || this.#retryDelay || !this.volume.isDirty) return;
    const { delay, maxDelay } = this.options;
    const now = performance.now();
    this.#firstTouch ||= now;
    const left = this.#firstTouch + maxDelay - now;
    if (left <= 0) this.#postWhileBlocked(now);
    else this.#arm(Math.min(delay, left));
  }

  /** Resolves when every change made before the call is stored; rejects with a StorageError, the changes staying in memory. */
  flush() {
    this.#disarm();
    const flushed = this.#tail.then(() => (this.volume.isDirty ? this.#post() : undefined));
    this.#tail = flushed.catch(() => {});
    return flushed;
  }

  /** Flush, then give the lock back. When the flush fails the store stays open. */
  async close() {
    if (this.#closed) return;
    await this.flush();
    this.#leave();
  }

  /**
   * Send the changes now, in one transaction. Unanswered posts are repeated by the next, so each may fail alone.
   * @returns {Promise<void>}
   */
  async #post() {
    if (this.#lost) throw takenOver();
    if (this.#closed) throw new StorageError("lost", `storage "${this.name}" is closed`);
    if (!this.#db) await this.#reconnect();
    const snapshot = this.volume.snapshot(++this.#generation);
    const useless = this.#useless;
    try {
      const { writes, files, nextId, generation } = snapshot;
      const change = this.#transaction(["blocks", "heads", "meta"]);
      const blocks = change.objectStore("blocks");
      const heads = change.objectStore("heads");
      this.#assertWriter(change);
      for (const key of useless) blocks.delete(key);
      for (const { key, data } of writes) blocks.put(data, key);
      heads.delete(IDBKeyRange.upperBound(this.#stored, true));
      heads.put({ format: FORMAT, generation, blockSize: this.volume.blockSize, nextId, files }, generation);
      change.commit();
      this.posts++;
      await complete(change);
    } catch (error) {
      if (error instanceof DOMException && error.name === "InvalidStateError") this.#db = null;
      throw describe(error);
    }
    this.#stored = Math.max(this.#stored, snapshot.generation);
    const done = new Set(useless);
    this.#useless = this.#useless.filter((key) => !done.has(key)).concat(this.volume.acknowledge(snapshot));
    this.bytesWritten += snapshot.writes.length * this.volume.blockSize;
  }

  /** @param {number} now */
  #postWhileBlocked(now) {
    if (now < this.#notBefore || !this.#db || this.volume.changedBytes > MAX_BLOCKED_BYTES) return;
    const posted = this.#post().catch(() => {});
    this.#tail = Promise.all([this.#tail, posted]);
    const cost = performance.now() - now;
    this.#notBefore = now + Math.max(this.options.maxDelay, 10 * cost);
    this.#arm(0);
  }

  /** @param {number} delay */
  #arm(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flushInBackground(), delay);
  }

  #disarm() {
    clearTimeout(this.#timer);
    this.#firstTouch = 0;
  }

  async #flushInBackground() {
    try {
      await this.flush();
      if (this.#retryDelay) this.options.onState?.(null);
      this.#retryDelay = 0;
    } catch (error) {
      const failure = describe(error);
      this.options.onState?.(failure);
      if (failure.reason === "lost") return;
      this.#retryDelay = Math.min(MAX_RETRY_DELAY, Math.max(500, 2 * this.#retryDelay));
      this.#arm(this.#retryDelay);
    }
  }

  async #connect() {
    const opening = this.indexedDB.open(keyOf(this.name), FORMAT);
    opening.onupgradeneeded = () => ["blocks", "heads", "meta"].forEach((each) => opening.result.createObjectStore(each));
    const db = await request(opening);
    const forget = () => (this.#db = null);
    db.onclose = forget;
    db.onversionchange = () => {
      db.close();
      forget();
    };
    this.#db = db;
  }

  /** The browser ended the connection: its storage process crashed, or the site's data were cleared. Memory has it all. */
  async #reconnect() {
    await this.#connect();
    const change = this.#transaction(["heads", "meta"]);
    const generations = await request(change.objectStore("heads").getAllKeys());
    if (!generations.length) change.objectStore("meta").put(this.#epoch, "epoch");
    await complete(change);
    if (generations.includes(this.#stored)) return;
    if (generations.length) throw takenOver();
    this.#useless = [];
    this.volume.forgetStored();
  }

  /** Begin a new epoch, which shuts out any older writer. */
  async #takeOver() {
    const change = this.#transaction(["meta"]);
    const meta = change.objectStore("meta");
    const before = (await request(meta.get("epoch"))) ?? 0;
    this.#epoch = before + 1;
    // After a power cut the tail of LevelDB's log may be torn, and what follows it in the same 32 KiB is lost at the
    // next start: let that be padding.
    meta.put(crypto.getRandomValues(new Uint8Array(PADDING_BYTES)), "padding");
    meta.delete("padding");
    meta.put(this.#epoch, "epoch");
    meta.put("shut out", `epoch ${before}`);
    meta.delete(`epoch ${before - 1000}`);
    await complete(change);
  }

  /** Abort a transaction with a ConstraintError when a newer writer has shut this one out. @param {IDBTransaction} change */
  #assertWriter(change) {
    const meta = change.objectStore("meta");
    meta.add("checked", `epoch ${this.#epoch}`);
    meta.delete(`epoch ${this.#epoch}`);
  }

  async #load() {
    const reading = this.#transaction(["blocks", "heads"], "readonly");
    const blocks = reading.objectStore("blocks");
    /** @type {Head[]} */
    const heads = await request(reading.objectStore("heads").getAll());
    const keys = /** @type {BlockKey[]} */ (await request(blocks.getAllKeys()));
    const present = new Set(keys.map(String));
    this.#generation = Math.max(0, ...heads.map(({ generation }) => generation));
    for (const [, , generation] of keys) this.#generation = Math.max(this.#generation, generation);
    if (!heads.length) return;
    const head = heads.reverse().find((each) => keysOf(each).every((key) => present.has(String(key))));
    if (!head) throw new StorageError("damaged", `parts of "${this.name}" are missing in the browser's storage`);
    if (head.format !== FORMAT) throw new StorageError("damaged", `"${this.name}" has the unknown format ${head.format}`);
    this.#stored = head.generation;
    const needed = new Set(keysOf(head).map(String));
    this.#useless = keys.filter((key) => !needed.has(String(key)));
    this.volume.blockSize = head.blockSize;
    this.volume.nextId = head.nextId;
    for (const each of head.files) await this.#loadFile(each, blocks);
  }

  /** @param {FileHead} head @param {IDBObjectStore} blocks */
  async #loadFile(head, blocks) {
    const file = this.volume.restore(head);
    const step = Math.ceil(LOAD_BYTES / this.volume.blockSize);
    for (let first = 0; first < head.generations.length; first += step) {
      const range = IDBKeyRange.bound([head.id, first], [head.id, first + step], false, true);
      const [keys, values] = await Promise.all([request(blocks.getAllKeys(range)), request(blocks.getAll(range))]);
      /** @type {BlockKey[]} */ (keys).forEach(([, index, generation], at) => {
        if (head.generations[index] === generation) file.blocks[index] = values[at];
      });
    }
  }

  /** @param {string[]} stores @param {IDBTransactionMode} [mode] */
  #transaction(stores, mode = "readwrite") {
    return /** @type {IDBDatabase} */ (this.#db).transaction(stores, mode, { durability: "strict" });
  }

  /** Hear when another tab asks for the lock. */
  #listen() {
    if (!locksOf(this.options) || typeof BroadcastChannel === "undefined") return;
    this.#channel = new BroadcastChannel(keyOf(this.name));
    this.#channel.onmessage = ({ data }) => {
      // What cannot be stored stays in memory either way, for its owner to export.
      if (data === HAND_OVER) this.flush().catch(() => {}).then(() => this.#lose());
    };
    /** @type {any} */ (this.#channel).unref?.(); // Node would wait for messages for ever
  }

  /** Another tab writes from now on. */
  #lose() {
    if (this.#closed || this.#lost) return;
    this.#lost = true;
    this.#disarm();
    this.#channel?.close();
    this.#release();
    this.options.onState?.(takenOver());
  }

  #leave() {
    this.#closed = true;
    this.#channel?.close();
    this.#disarm();
    if (typeof document !== "undefined") HIDING.forEach((event) => removeEventListener(event, this.#onHide, true));
    this.#db?.close();
    this.#release();
  }
}

/** The keys of the blocks that a head counts on. @param {Head} head @returns {BlockKey[]} */
function keysOf(head) {
  return head.files.flatMap(({ id, generations }) =>
    [...generations].flatMap((generation, index) => (generation ? [/** @type {BlockKey} */ ([id, index, generation])] : [])),
  );
}

/** @template T @param {IDBRequest<T>} asked @returns {Promise<T>} */
function request(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

/** @param {IDBTransaction} change @returns {Promise<void>} */
function complete(change) {
  return new Promise((resolve, reject) => {
    change.oncomplete = () => resolve();
    change.onabort = () => reject(change.error ?? new DOMException("aborted", "AbortError"));
  });
}
