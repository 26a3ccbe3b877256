/**
 * Language models that run in the browser, each behind one interface. What a kind needs (its library, its weights) is
 * served beside the page: nothing is fetched from elsewhere, and nothing before it is asked for.
 */

/** What Python asks. @typedef {{system: string, user: string, schema?: any, purpose?: string, signal?: AbortSignal}} Asked */
/** @typedef {{text: string, finish?: "stop" | "length", model?: string, input_tokens?: number, output_tokens?: number}} Written */
/** @typedef {(piece: string) => void} OnText */
/** @typedef {(done: number, detail: string) => void} OnLoad  `done`: 0 to 1 */
/** @typedef {{name: string, complete(asked: Asked, onText: OnText): Promise<Written>, embed?(texts: string[]): Promise<number[][]>,
 *   close(): void}} InPage */
/** Where a model of the page lies. `library`: address of the module; `model`: as the library names it, or an address.
 * @typedef {{kind: Kind, library?: string, model?: string, title?: string, options?: Record<string, any>}} Choice */
/** @typedef {keyof typeof KINDS} Kind */

const KINDS = {
  prompt_api: () => import("./prompt_api.js"),
  webllm: () => import("./webllm.js"),
  wllama: () => import("./wllama.js"),
  transformers: () => import("./transformers.js"),
};

/** The models this page can offer: the browser's own where it has one, and those that `models/index.json` lists.
 *  @param {string} [index]  @returns {Promise<Choice[]>} */
export async function choices(index = "models/index.json") {
  const { availability } = await KINDS.prompt_api();
  const own = (await availability()) === "absent" ? [] : [/** @type {Choice} */ ({ kind: "prompt_api", title: "prompt_api" })];
  return [...own, ...(await listed(index))];
}

/** @param {string} index  @returns {Promise<Choice[]>} */
async function listed(index) {
  const response = await fetch(index).catch(() => null);
  if (!response?.ok || !response.headers.get("content-type")?.includes("json")) return [];
  const found = await response.json().catch(() => []);
  return Array.isArray(found) ? found.filter((each) => each && Object.hasOwn(KINDS, each.kind)) : [];
}

/** Load a model. Rejects with what its library throws.  @param {Choice} choice  @param {OnLoad} [onLoad]  @returns {Promise<InPage>} */
export async function connect(choice, onLoad = () => {}) {
  if (!Object.hasOwn(KINDS, choice.kind)) throw new Error(`no such kind of model: ${choice.kind}`);
  const { connect: begin } = await KINDS[choice.kind]();
  return begin(choice, onLoad);
}
