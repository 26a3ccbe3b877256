/** The few choices a browser remembers between visits. One that refuses to remember, or holds nonsense, forgets. */

/** @param {string} key  @returns {any} what was last remembered; null when nothing is */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key  @param {unknown} value  null forgets */
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Blocked or full: the page works without.
  }
}
