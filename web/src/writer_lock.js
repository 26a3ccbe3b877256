/** One writer for each name, among all tabs and workers of a site: a Web Lock, asked for politely and then by force. */
import { refused, StorageError } from "./storage_error.js";

/** @typedef {{locks?: LockManager | null, patience?: number, takeOver?: boolean}} LockChoice see Options of block_store.js */

/** A page that is loaded again finds the lock still held for a moment by what it was before. */
const LOCK_PATIENCE = 2000;
export const HAND_OVER = "hand over";

/** @param {string} name the database's name in IndexedDB, and of the lock */
export const keyOf = (name) => `lorelite:${name}`;

/** @param {LockChoice} options */
export function locksOf({ locks = globalThis.navigator?.locks }) {
  return locks;
}

/**
 * Take the exclusive lock of a name; returns the function that gives it back.
 * @param {string} name @param {LockChoice} options @param {() => void} [onStolen] called when another takes it by force
 * @returns {Promise<() => void>}
 */
export async function lock(name, options, onStolen = () => {}) {
  const { patience = LOCK_PATIENCE, takeOver = false } = options;
  const locks = locksOf(options);
  if (!locks) return () => {};
  if (takeOver) askToHandOver(name);
  try {
    return await hold(locks, name, { signal: AbortSignal.timeout(patience) }, onStolen);
  } catch (error) {
    const refusal = refused(error);
    if (refusal) throw refusal;
    if (takeOver) return hold(locks, name, { steal: true }, onStolen);
    throw new StorageError("locked", `"${name}" is open in another tab or notebook`, error);
  }
}

/** @param {LockManager} locks @param {string} name @param {LockOptions} how @param {() => void} onStolen @returns {Promise<() => void>} */
function hold(locks, name, how, onStolen) {
  return new Promise((resolve, reject) => {
    let held = false;
    const keep = () =>
      new Promise((release) => {
        held = true;
        resolve(() => release(undefined));
      });
    locks.request(keyOf(name), how, keep).catch((error) => (held ? onStolen() : reject(error)));
  });
}

/** @param {string} name */
function askToHandOver(name) {
  const channel = new BroadcastChannel(keyOf(name));
  channel.postMessage(HAND_OVER);
  channel.close();
}
