/** wllama (npm: @wllama/wllama), llama.cpp in WebAssembly; the page serves its module, its wasm and a GGUF file. */
import { gathered, here, library, messages } from "./chat.js";

/** @import { Choice, InPage, OnLoad } from "./kinds.js" */

/** What llama.cpp says when it cannot load a file → what to do, in words for those who see the page. @type {[RegExp, string][]} */
const REASONS = [
  [/HTTP 404/, "is not on this site (404)"],
  [/HTTP \d+|Failed to fetch/, "did not arrive from this site"],
  [/invalid magic|\.gguf"/, "is no GGUF file"],
  [/corrupted|incomplete|file bounds/, "is damaged or was cut short"],
  [/bad_alloc|memory|allocat|OOM/i, "does not fit into this tab's memory; a smaller model may, or a shorter context"],
];

/** `options.wasm`: the paths that the library's constructor takes; `options.load`: of `loadModelFromUrl`;
 *  `options.max_tokens`: of a reply.
 *  @param {Choice} choice  @param {OnLoad} onLoad  @returns {Promise<InPage>} */
export async function connect({ library: address, model = "", options = {} }, onLoad) {
  const { Wllama } = await library(address);
  /** @type {Record<string, string>} */
  const wasm = Object.fromEntries(Object.entries(options.wasm ?? {}).map(([name, path]) => [name, here(String(path))]));
  // The library waits for ever for a file that is not there.
  for (const path of Object.values(wasm)) if (!(await fetch(path, { method: "HEAD" })).ok) throw new Error(`${path} is not on this site`);
  /** @type {string[]} */
  const said = [];
  const nothing = () => {};
  const logger = { debug: nothing, log: nothing, warn: nothing, error: (/** @type {any[]} */ ...words) => void said.push(words.join(" ")) };
  const engine = new Wllama(wasm, { logger });
  const name = model.split("/").at(-1) ?? model;
  const progressCallback = (/** @type {any} */ { loaded, total }) => onLoad(total ? loaded / total : 0, "");
  try {
    await engine.loadModelFromUrl(here(model), { ...options.load, progressCallback });
    // A file that llama.cpp cannot read is no error to the library.
    if (!engine.getLoadedContextInfo().success) throw new Error(said.join("\n"));
  } catch (error) {
    await engine.exit().catch(nothing);
    // It keeps what it fetched, and would not ask for a mended file.
    await engine.cacheManager.delete(here(model)).catch(nothing);
    const { message } = /** @type {Error} */ (error);
    const [, reason] = REASONS.find(([sign]) => sign.test(message)) ?? [null, `cannot be loaded: ${message.split("\n")[0]}`];
    throw new Error(`${name} ${reason}`, { cause: error });
  }
  return {
    name: `wllama:${name}`,

    async complete(asked, onText) {
      const format = asked.schema && { type: "json_schema", json_schema: { name: "reply", schema: asked.schema } };
      const pieces = await engine.createChatCompletion({
        messages: messages(asked),
        temperature: 0,
        stream: true,
        stream_options: { include_usage: true },
        abortSignal: asked.signal,
        ...(options.max_tokens && { max_tokens: options.max_tokens }),
        ...(format && { response_format: format }),
      });
      return { ...(await gathered(pieces, onText)), model: name };
    },

    close: () => engine.exit(),
  };
}
