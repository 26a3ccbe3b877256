/** transformers.js (npm: @huggingface/transformers); the page serves its module, onnxruntime's wasm and the weights. */
import { here, library, messages } from "./chat.js";

/** @import { Choice, InPage, OnLoad } from "./kinds.js" */

/** `options.wasm`: folder of onnxruntime's files; `options.models`: folder of the weights; `options.pipeline`: what its
 *  `pipeline` takes, such as dtype and device; `options.task`: "text-generation" (default) or "feature-extraction".
 *  @param {Choice} choice  @param {OnLoad} onLoad  @returns {Promise<InPage>} */
export async function connect({ library: address, model = "", options = {} }, onLoad) {
  const found = await library(address);
  found.env.allowRemoteModels = false;
  found.env.allowLocalModels = true;
  found.env.localModelPath = here(options.models ?? "models/");
  if (options.wasm) found.env.backends.onnx.wasm.wasmPaths = here(options.wasm);
  const told = (/** @type {any} */ { progress, file }) => onLoad((progress ?? 0) / 100, file ?? "");
  const task = options.task ?? "text-generation";
  const run = await found.pipeline(task, model, { ...options.pipeline, progress_callback: told });
  return {
    name: `transformers:${model}`,

    async complete(asked, onText) {
      const streamer = new found.TextStreamer(run.tokenizer, { skip_prompt: true, skip_special_tokens: true, callback_function: onText });
      const stopping = new found.InterruptableStoppingCriteria();
      asked.signal?.addEventListener("abort", () => stopping.interrupt(), { once: true });
      const most = options.max_tokens ?? 1024;
      const [written] = await run(messages(asked), { max_new_tokens: most, do_sample: false, streamer, stopping_criteria: stopping });
      return { text: written.generated_text.at(-1).content, model };
    },

    async embed(texts) {
      const vectors = await run(texts, { pooling: "mean", normalize: true });
      return vectors.tolist();
    },

    close: () => run.dispose(),
  };
}
