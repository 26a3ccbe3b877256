/** transformers.js (npm: @huggingface/transformers); the page serves its module, onnxruntime's wasm and the weights. */
import { here, library, messages } from "./chat.js";

/** @import { Choice, InPage, OnLoad } from "./kinds.js" */

const MOST_TOKENS = 1024;

/** `options.wasm`: folder of onnxruntime's files, else that of the library; `options.models`: folder of the weights;
 *  `options.pipeline`: what its `pipeline` takes, such as dtype and device; `options.task`: "text-generation" (default)
 *  or "feature-extraction"; `options.max_tokens`: of a reply.
 *  @param {Choice} choice  @param {OnLoad} onLoad  @returns {Promise<InPage>} */
export async function connect({ library: address, model = "", options = {} }, onLoad) {
  const found = await library(address);
  found.env.allowRemoteModels = false;
  found.env.allowLocalModels = true;
  // A path: under a whole address it finds no tokeniser.
  found.env.localModelPath = new URL(here(options.models ?? "models/")).pathname;
  // Unless told, it fetches them from a network of others.
  found.env.backends.onnx.wasm.wasmPaths = options.wasm ? here(options.wasm) : new URL(".", here(address ?? "")).href;
  const told = (/** @type {any} */ { progress, file }) => onLoad((progress ?? 0) / 100, file ?? "");
  const task = options.task ?? "text-generation";
  const run = await found.pipeline(task, model, { ...options.pipeline, progress_callback: told }).catch((/** @type {Error} */ error) => {
    const [, missing] = error.message.match(/not found locally at "([^"]+)"/) ?? [];
    throw missing ? new Error(`${missing} is not on this site`, { cause: error }) : error;
  });
  return {
    name: `transformers:${model}`,

    async complete(asked, onText) {
      let text = "";
      let tokens = 0;
      const streamer = new found.TextStreamer(run.tokenizer, {
        skip_prompt: true,
        skip_special_tokens: true,
        callback_function: (/** @type {string} */ piece) => {
          text += piece;
          onText(piece);
        },
        token_callback_function: () => tokens++,
      });
      const stopping = new found.InterruptableStoppingCriteria();
      asked.signal?.addEventListener("abort", () => stopping.interrupt(), { once: true });
      const most = options.max_tokens ?? MOST_TOKENS;
      await run(messages(asked), { max_new_tokens: most, do_sample: false, streamer, stopping_criteria: stopping });
      asked.signal?.throwIfAborted();
      return { text, finish: tokens < most ? "stop" : "length", model, output_tokens: tokens };
    },

    async embed(texts) {
      const vectors = await run(texts, { pooling: "mean", normalize: true });
      return vectors.tolist();
    },

    close: () => run.dispose(),
  };
}
