/** WebLLM (npm: @mlc-ai/web-llm) over WebGPU; the page serves its module and the weights. */
import { gathered, library, messages } from "./chat.js";

/** @import { Choice, InPage, OnLoad } from "./kinds.js" */

/** `options`: what CreateMLCEngine takes; its `appConfig` says where on this site the weights are, as its own list names
 *  another site.  @param {Choice} choice  @param {OnLoad} onLoad  @returns {Promise<InPage>} */
export async function connect({ library: address, model, options }, onLoad) {
  if (!options?.appConfig?.model_list?.length) throw new Error("models/index.json gives WebLLM no appConfig.model_list, which says where its weights are");
  const { CreateMLCEngine } = await library(address);
  const initProgressCallback = (/** @type {any} */ told) => onLoad(told.progress, told.text);
  const engine = await CreateMLCEngine(model, { ...options, initProgressCallback });
  return {
    name: `webllm:${model}`,

    async complete(asked, onText) {
      const stop = () => engine.interruptGenerate();
      asked.signal?.addEventListener("abort", stop, { once: true });
      try {
        const format = asked.schema && { type: "json_object", schema: JSON.stringify(asked.schema) };
        const pieces = await engine.chat.completions.create({
          messages: messages(asked),
          temperature: 0,
          stream: true,
          stream_options: { include_usage: true },
          ...(format && { response_format: format }),
        });
        const written = await gathered(pieces, onText);
        asked.signal?.throwIfAborted();
        return { ...written, model };
      } finally {
        asked.signal?.removeEventListener("abort", stop);
      }
    },

    close: () => engine.unload(),
  };
}
