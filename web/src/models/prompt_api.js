/** The browser's own language model (Prompt API). It lives in windows alone, never in a worker. */

/** @import { Asked, Choice, InPage, OnLoad, OnText } from "./kinds.js" */

/** @returns {any} */
const api = () => /** @type {any} */ (globalThis).LanguageModel;

/** @param {Record<string, any>} [options]  @returns {Promise<"absent" | "downloadable" | "ready">} */
export async function availability(options = {}) {
  const state = await Promise.resolve(api()?.availability?.(options)).catch(() => undefined);
  if (!state || state === "unavailable") return "absent";
  return state === "available" ? "ready" : "downloadable";
}

/** Must follow a click where the browser still has to fetch the model.
 *  @param {Choice} choice  @param {OnLoad} onLoad  @returns {Promise<InPage>} */
export async function connect({ options = {} }, onLoad) {
  if ((await availability(options)) === "absent") throw new DOMException("this browser has no language model of its own", "NotSupportedError");
  /** @param {any} target */
  const monitor = (target) =>
    target.addEventListener("downloadprogress", (/** @type {any} */ event) => onLoad(event.total ? event.loaded / event.total : event.loaded, ""));
  // Made once so that the model is fetched now and not within the first question.
  (await api().create({ ...options, monitor })).destroy();
  return { name: "prompt-api", complete: (asked, onText) => complete(options, asked, onText), close() {} };
}

/** @param {Record<string, any>} options  @param {Asked} asked  @param {OnText} onText */
async function complete(options, { system, user, schema, signal }, onText) {
  // A session for each request: the API keeps what was said, and requests must not see each other.
  const initialPrompts = system ? [{ role: "system", content: system }] : [];
  const session = await api().create({ ...options, initialPrompts, signal });
  try {
    const asked = schema ? { signal, responseConstraint: schema } : { signal };
    let text = "";
    for await (const piece of session.promptStreaming(user, asked)) {
      text += piece;
      onText(piece);
    }
    // Of the session: the request and the reply together.
    return { text, model: "prompt-api", input_tokens: session.contextUsage ?? session.inputUsage ?? 0 };
  } finally {
    session.destroy();
  }
}
