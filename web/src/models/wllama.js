/** wllama (npm: @wllama/wllama), llama.cpp in WebAssembly; the page serves its module, its wasm and a GGUF file. */
import { gathered, here, library, messages } from "./chat.js";

/** @import { Choice, InPage, OnLoad } from "./kinds.js" */

/** `options.wasm`: the paths that the library's constructor takes; `options.load`: of `loadModelFromUrl`.
 *  @param {Choice} choice  @param {OnLoad} onLoad  @returns {Promise<InPage>} */
export async function connect({ library: address, model = "", options = {} }, onLoad) {
  const { Wllama } = await library(address);
  const wasm = Object.fromEntries(Object.entries(options.wasm ?? {}).map(([name, path]) => [name, here(String(path))]));
  const engine = new Wllama(wasm, { suppressNativeLog: true });
  const progressCallback = (/** @type {any} */ { loaded, total }) => onLoad(total ? loaded / total : 0, "");
  await engine.loadModelFromUrl(here(model), { ...options.load, progressCallback });
  const name = model.split("/").at(-1) ?? model;
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
