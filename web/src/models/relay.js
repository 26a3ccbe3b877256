/**
 * A model of a window, asked from a worker. The browser's own model lives in windows alone, and Python in a worker;
 * so the window serves its model on a BroadcastChannel of a name that nobody can guess.
 */

/** @import { Asked, InPage, OnText, Written } from "./kinds.js" */
/** @typedef {{id: number, asked?: Omit<Asked, "signal">, texts?: string[], stop?: true}} ToWindow */
/** @typedef {{id: number, piece?: string, reply?: any, error?: {name: string, message: string}}} ToWorker */

const HELLO = 0;
const PATIENCE = 5_000;

/** Answer what comes on the channel, until the function returned is called.  @param {string} name  @param {InPage} model */
export function serve(name, model) {
  const channel = new BroadcastChannel(name);
  /** @type {Map<number, AbortController>} */
  const running = new Map();
  channel.onmessage = async ({ data }) => {
    const { id, asked, texts, stop } = /** @type {ToWindow} */ (data);
    const post = (/** @type {Omit<ToWorker, "id">} */ message) => channel.postMessage({ id, ...message });
    if (stop) return void running.get(id)?.abort();
    if (id === HELLO) return void post({ reply: model.name });
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const work = asked ? model.complete({ ...asked, signal: controller.signal }, (piece) => post({ piece })) : model.embed?.(texts ?? []);
      post({ reply: await work });
    } catch (error) {
      const { name: kind = "Error", message = String(error) } = /** @type {Error} */ (error);
      post({ error: { name: kind, message } });
    } finally {
      running.delete(id);
    }
  };
  return () => channel.close();
}

/** The model that a window serves under this name. Rejects when none answers.
 *  @param {string} name  @param {number} [patience]  Milliseconds.  @returns {Promise<InPage>} */
export async function through(name, patience = PATIENCE) {
  const channel = new BroadcastChannel(name);
  let last = HELLO;
  /** @type {Map<number, {resolve(value: any): void, reject(error: Error): void, onText?: OnText}>} */
  const waiting = new Map();
  channel.onmessage = ({ data }) => {
    const { id, piece, reply, error } = /** @type {ToWorker} */ (data);
    const call = waiting.get(id);
    if (piece !== undefined) return void call?.onText?.(piece);
    waiting.delete(id);
    if (error) call?.reject(Object.assign(new Error(error.message), { name: error.name }));
    else call?.resolve(reply);
  };
  /** @param {Omit<ToWindow, "id">} message  @param {OnText} [onText]  @param {AbortSignal} [signal]  @returns {Promise<any>} */
  const ask = (message, onText, signal) => {
    const id = ++last;
    signal?.addEventListener("abort", () => channel.postMessage({ id, stop: true }), { once: true });
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, onText });
      channel.postMessage({ id, ...message });
    });
  };
  channel.postMessage({ id: HELLO });
  /** @type {string} */
  const served = await new Promise((resolve, reject) => {
    const giveUp = () => {
      channel.close();
      reject(new DOMException("the window serves no model under this name", "InvalidStateError"));
    };
    const timer = setTimeout(giveUp, patience);
    waiting.set(HELLO, { resolve: (name) => (clearTimeout(timer), resolve(name)), reject });
  });
  return {
    name: served,
    complete: ({ signal, ...asked }, onText) => /** @type {Promise<Written>} */ (ask({ asked }, onText, signal)),
    embed: (texts) => ask({ texts }),
    close: () => channel.close(),
  };
}
