/**
 * The worker in which Python runs, so that the page never waits for it. Boots Pyodide from ../pyodide/ in named steps,
 * then answers calls in the order that their access allows.
 */
import { OPERATIONS } from "./protocol.js";

/** @import { BootStep, Call, Failure, Message } from "./protocol.js" */
/** What the bridge gives: a JSON string, and bytes or nothing.
 * @typedef {(request: string, bytes?: Uint8Array) => Promise<{toJs(): [string, Uint8Array | undefined], destroy(): void}>} Handle */

const scope = /** @type {any} */ (self);
const pyodideUrl = new URL("../pyodide/", import.meta.url).href;
// Fetched by Python when it is wanted: the page's wheel is made without it.
const tableUrl = new URL("../data/static_table.bin", import.meta.url).href;

const PYTHON_FILES = ["pyodide.asm.wasm", "pyodide.asm.mjs", "python_stdlib.zip", "pyodide-lock.json"];
const TELL_EVERY = 500_000;

/** @type {BootStep} */
let step = "download";
/** @type {Promise<unknown>} */
let lastWrite = Promise.resolve();
/** @type {Promise<unknown>} */
let lastExclusive = lastWrite;
/** @type {Set<Promise<unknown>>} */
const running = new Set();
/** @typedef {{handle: Handle, stop_waiting(): void}} Bridge */

/** @type {Promise<Bridge>} */
const booted = boot();
booted.catch((error) => post({ type: "stopped", step, error: asFailure(error) }));

self.addEventListener("message", ({ data }) => {
  const call = /** @type {Call} */ (data);
  const run = () => answer(call);
  /** @type {Promise<unknown>} */
  let answered;
  if (OPERATIONS[call.operation] === "read") answered = lastExclusive.then(run);
  else if (OPERATIONS[call.operation] === "write") lastWrite = answered = lastWrite.then(run);
  else {
    // A model that never answers would keep an exclusive call, and all after it, waiting.
    if (running.size) booted.then((bridge) => bridge.stop_waiting(), () => {});
    lastWrite = lastExclusive = answered = Promise.all(running).then(run);
  }
  running.add(answered);
  answered.then(() => running.delete(answered));
});

/** @returns {Promise<Bridge>} */
async function boot() {
  enter("download");
  await download();
  const { loadPyodide } = await import(`${pyodideUrl}pyodide.mjs`);
  enter("start");
  const pyodide = await loadPyodide({ indexURL: pyodideUrl });
  enter("load");
  await pyodide.loadPackage("lorelite", { messageCallback: () => {}, errorCallback: console.error });
  const bridge = pyodide.pyimport("lorelite.browser.bridge").Bridge(postProgress, tableUrl);
  enter("open");
  return { handle: bridge.handle, stop_waiting: bridge.stop_waiting };
}

/** Bring the large files into the browser's cache. Pyodide would fetch them itself, but tells nothing of how far it is,
 *  and waits for ever when one of them does not come. */
async function download() {
  const others = new AbortController();
  let bytes = 0;
  let told = 0;
  /** @param {string} name */
  const bring = async (name) => {
    const response = await fetch(pyodideUrl + name, { signal: others.signal });
    if (!response.ok || !response.body) throw new Error(`${name}: status ${response.status}`);
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.length;
      if (bytes - told > TELL_EVERY) post({ type: "boot", step, bytes: (told = bytes) });
    }
  };
  try {
    await Promise.all(PYTHON_FILES.map(bring));
  } finally {
    others.abort();
  }
}

/** @param {BootStep} next */
function enter(next) {
  step = next;
  post({ type: "boot", step });
}

/** Nothing is answered when Python did not start: the page has been told.  @param {Call} call */
async function answer(call) {
  const bridge = await booted.catch(() => null);
  if (!bridge) return;
  try {
    post({ type: "reply", id: call.id, ...(await ask(bridge.handle, call)) });
  } catch (error) {
    post({ type: "reply", id: call.id, error: asFailure(error) });
  }
}

/** @param {Handle} handle  @param {Call} call  @returns {Promise<{result?: any, bytes?: Uint8Array}>} */
async function ask(handle, { id, operation, options, bytes }) {
  const reply = await handle(JSON.stringify({ id, operation, options }), bytes);
  const [text, produced] = reply.toJs();
  reply.destroy();
  const { result, error, traceback } = JSON.parse(text);
  if (traceback) console.error(traceback);
  if (error) throw error;
  return { result, bytes: produced };
}

/** Called by Python during a long operation.  @param {number} id  @param {string} progress */
function postProgress(id, progress) {
  post({ type: "progress", id, progress: JSON.parse(progress) });
}

/** What the bridge reported, or anything else that was thrown: then the console gets all of it, the page a line.
 *  @param {any} error  @returns {Failure} */
function asFailure(error) {
  if (error && typeof error === "object" && "data" in error) return error;
  console.error(error);
  const message = String(error?.message ?? error).trim().split("\n").at(-1) ?? "";
  return { name: error?.name ?? "Error", message, data: {} };
}

/** @param {Message} message */
function post(message) {
  const bytes = message.type === "reply" && message.bytes;
  scope.postMessage(message, bytes ? [bytes.buffer] : []);
}
