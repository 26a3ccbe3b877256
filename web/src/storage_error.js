/** What can be wrong with a browser's storage, by name. */

/** @typedef {"locked" | "full" | "unavailable" | "lost" | "damaged" | "closed" | "failed"} Reason closed: never opened */

/** What went wrong, by `reason`: the data are still in memory. */
export class StorageError extends Error {
  /** @param {Reason} reason @param {string} message @param {unknown} [cause] */
  constructor(reason, message, cause) {
    super(message, { cause });
    this.name = "StorageError";
    this.reason = reason;
  }
}

/** How a browser says that it keeps nothing for this site: storage is blocked, or the window is a private one.
 * @param {unknown} error @returns {StorageError | null} */
export function refused(error) {
  const { name, message } = /** @type {Error} */ (error);
  const isRefusal = name === "SecurityError" || name === "InvalidStateError";
  return isRefusal ? new StorageError("unavailable", `the browser refuses storage here: ${message || name}`, error) : null;
}

/** @param {unknown} [cause] */
export function takenOver(cause) {
  return new StorageError("lost", "another tab or notebook has taken over", cause);
}

/** @param {unknown} error @param {Reason} [otherwise] @returns {StorageError} */
export function describe(error, otherwise = "failed") {
  if (error instanceof StorageError) return error;
  const { name, message } = /** @type {Error} */ (error);
  if (name === "QuotaExceededError") return new StorageError("full", "the browser grants this site no more room", error);
  if (name === "ConstraintError") return takenOver(error);
  return new StorageError(otherwise, `the browser's storage failed: ${message || name}`, error);
}
