/**
 * The page's end of the worker: one promise per call, progress by callback, the steps of starting as they come.
 */

/** @import { Call, Failure, Message, Operation, BootStep, Progress } from "./protocol.js" */

/** A failure that Python, or the worker, reported. `name` is the class of the error, for example "WriterLocked". */
export class EngineError extends Error {
  /** @param {Failure} failure */
  constructor({ name, message, data }) {
    super(message);
    this.name = name;
    this.data = data;
  }
}

/** @typedef {object} Listeners
 *  @property {(step: BootStep, bytes?: number) => void} onStep  `bytes`: how many have arrived
 *  @property {(step: BootStep, error: EngineError) => void} onStopped
 *  @property {(waiting: number) => void} onWaiting  how many calls have no answer yet */

/** @typedef {{onProgress?: (progress: Progress) => void, bytes?: Uint8Array}} CallOptions */

export class Client {
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void,
   *   onProgress?: (progress: Progress) => void}>} */
  #waiting = new Map();
  #lastId = 0;
  /** @type {() => void} */
  #letCallsPass = () => {};
  /** @type {Promise<void>} */
  #opened = new Promise((resolve) => (this.#letCallsPass = resolve));
  /** @type {Worker} */
  #worker;
  /** @type {Listeners} */
  #listeners;

  /** @param {Worker} worker  @param {Listeners} listeners */
  constructor(worker, listeners) {
    this.#worker = worker;
    this.#listeners = listeners;
    worker.addEventListener("message", ({ data }) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      const message = event.message || "the worker could not be loaded";
      listeners.onStopped("download", new EngineError({ name: "WorkerError", message, data: {} }));
    });
  }

  /** Open the memory; may be tried again after it failed. Other calls wait until it is open.
   *  @param {string} name  @param {boolean} [takeOver]  from another tab that has it open  @returns {Promise<{stored: boolean, reason: string}>} */
  async open(name, takeOver = false) {
    const opened = await this.#send("open", { name, take_over: takeOver });
    this.#letCallsPass();
    return opened;
  }

  /** Put `bytes`, a Lorelite file, in the place of the memory, also when that cannot be opened; without bytes, nothing.
   *  @param {Uint8Array} [bytes]  @returns {Promise<{stored: boolean, reason: string}>} */
  async replace(bytes) {
    const opened = await (bytes ? this.#send("import_file", {}, { bytes }) : this.#send("start_over", {}));
    this.#letCallsPass();
    return opened;
  }

  /** Run one operation of the bridge. Calls made while Python starts wait for it.
   *  Resolves to the operation's result, or to the bytes it handed back; rejects with an EngineError.
   *  @param {Operation} operation  @param {Record<string, unknown>} [options]  @param {CallOptions} [extra]
   *  @returns {Promise<any>} */
  async call(operation, options = {}, extra = {}) {
    await this.#opened;
    return this.#send(operation, options, extra);
  }

  /** @param {Operation} operation  @param {Record<string, unknown>} options  @param {CallOptions} [extra]
   *  @returns {Promise<any>} */
  #send(operation, options, { onProgress, bytes } = {}) {
    const id = ++this.#lastId;
    /** @type {Call} */
    const call = { id, operation, options, bytes };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#worker.postMessage(call, bytes ? [bytes.buffer] : []);
      this.#listeners.onWaiting(this.#waiting.size);
    });
  }

  /** @param {Message} message */
  #receive(message) {
    if (message.type === "boot") this.#listeners.onStep(message.step, message.bytes);
    else if (message.type === "stopped") this.#listeners.onStopped(message.step, new EngineError(message.error));
    else if (message.type === "progress") this.#waiting.get(message.id)?.onProgress?.(message.progress);
    else this.#settle(message);
  }

  /** @param {Extract<Message, {type: "reply"}>} message */
  #settle({ id, result, error, bytes }) {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#listeners.onWaiting(this.#waiting.size);
    if (error) call?.reject(new EngineError(error));
    else call?.resolve(bytes ?? result);
  }
}
