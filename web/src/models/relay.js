/**
 * A model of a window, asked from a worker. The browser's own model lives in windows alone, and Python in a worker;
 * so the window serves its model on a BroadcastChannel of a name that nobody can guess.
 */

/** @import { Asked, InPage, OnText, Written } from "./kinds.js" */
/** @typedef {{id: number, asked?: Omit<Asked, "signal">, texts?: string[], stop?: true}} ToWindow */
/** @typedef {{id: number, piece?: string, reply?: any, error?: {name: string, message: string}}} ToWorker */

const HELLO = 0;
const PATIENCE = 5_000;

/** Answer what comes on the channel, until the function returned is called. Those who wait are told when the model is
 *  ready, or why it cannot be.  @param {string} name  @param {InPage | Promise<InPage>} served */
export function serve(name, served) {
  const channel = new BroadcastChannel(name);
  /** @type {Map<number, AbortController>} */
  const running = new Map();
  /** @param {number} id  @param {Omit<ToWorker, "id">} message */
  const post = (id, message) => channel.postMessage({ id, ...message });
  /** @param {number} id  @param {() => Promise<any>} work */
  const answer = (id, work) =>
    work().then(
      (reply) => post(id, { reply }),
      ({ name: kind = "Error", message = "" }) => post(id, { error: { name: kind, message } }),
    );
  const announce = () => {
    post(HELLO, { piece: "" });
    return answer(HELLO, async () => (await served).name);
  };
  channel.onmessage = async ({ data }) => {
    const { id, asked, texts, stop } = /** @type {ToWindow} */ (data);
    if (stop) return running.get(id)?.abort();
    if (id === HELLO) return announce();
    const controller = new AbortController();
    running.set(id, controller);
    await answer(id, async () => {
      const model = await served;
      return asked ? model.complete({ ...asked, signal: controller.signal }, (piece) => post(id, { piece })) : model.embed?.(texts ?? []);
    });
    running.delete(id);
  };
  announce();
  return () => channel.close();
}

/** The model that a window serves under this name, once it is loaded. Rejects when no window answers, and with what
 *  kept its model from loading.
 *  @param {string} name  @param {number} [patience]  Milliseconds until a window answers.  @returns {Promise<InPage>} */
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
  /** @type {string} */
  const served = await new Promise((resolve, reject) => {
    const giveUp = (/** @type {Error} */ error) => {
      channel.close();
      reject(error);
    };
    const nobody = new DOMException("the window serves no model under this name", "InvalidStateError");
    const timer = setTimeout(giveUp, patience, nobody);
    waiting.set(HELLO, { resolve, reject: giveUp, onText: () => clearTimeout(timer) });
    channel.postMessage({ id: HELLO });
  });
  return {
    name: served,
    complete: ({ signal, ...asked }, onText) => /** @type {Promise<Written>} */ (ask({ asked }, onText, signal)),
    embed: (texts) => ask({ texts }),
    close: () => channel.close(),
  };
}
