/** Settings: the model, the namespace, where the memory is kept, the file. */
import { EngineError } from "./client.js";
import { confirmed } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { createInPage } from "./in_page_view.js";
import { recall, remember } from "./remembered.js";
import { size, TEXTS } from "./texts.js";

/** @import { App, View } from "./app.js" */
/** @import { Models } from "./protocol.js" */

const WORDS = TEXTS.settings;
const MODELS_KEY = "lorelite.models";
/** @type {Models} */
const NO_MODELS = { provider: "openai", base_url: "", model: "", api_key: "", embedder: "none", embedding_model: "" };
/** @type {Record<string, {name: string, address: string}>} */
const PROVIDERS = WORDS.providers;
/** Providers whose API makes no vectors. */
const NO_EMBEDDINGS = ["anthropic"];
const FILE_TYPE = "application/vnd.sqlite3";

/** @param {App} app  @returns {View & {reconnect(): Promise<void>}} */
export function createSettings(app) {
  const remembered = /** @type {Remembered | null} */ (recall(MODELS_KEY));
  let models = NO_MODELS;
  const provider = h("select", { onchange: showAddress }, ...Object.entries(PROVIDERS).map(([value, { name }]) => h("option", { value, selected: value === remembered?.provider }, name)));
  const address = h("input", { type: "url", required: true, value: remembered?.base_url ?? "", autocomplete: "off" });
  const model = h("input", { required: true, placeholder: WORDS.modelNameHint, value: remembered?.model ?? "", autocomplete: "off" });
  const key = h("input", { type: "password", autocomplete: "off", "aria-describedby": "key-hint" });
  const modelState = h("p", { class: "state-line" }, WORDS.none);
  const tested = h("div", { class: "tested", role: "status" });
  const stop = h("button", { type: "button", hidden: true, onclick: () => app.attempt(() => use({ ...models, model: "", channel: "" })) }, WORDS.stop);
  const embedder = h("select", { "aria-label": WORDS.embedder, onchange: showEmbedder }, ...Object.entries(WORDS.embedders).map(([value, name]) => h("option", { value, selected: value === remembered?.embedder }, name)));
  const embeddingModel = h("input", { placeholder: WORDS.embeddingModelHint, value: remembered?.embedding_model ?? "", autocomplete: "off" });
  const embeddingModelLabel = h("label", {}, WORDS.embeddingModel, embeddingModel);
  const embedderState = h("p", { class: "state-line", role: "status" });
  const newNamespace = h("input", { required: true, autocomplete: "off" });
  const storage = h("div", { class: "storage" });
  const picker = h("input", { type: "file", class: "hidden-input", accept: ".db,.sqlite,.sqlite3", "aria-label": WORDS.importFile, onchange: () => app.attempt(importFile) });

  showAddress();
  const inPage = createInPage(app, (channel, name) => use({ ...models, model: name, channel }));

  const element = h(
    "section",
    { class: "view settings-view" },
    h("h1", {}, WORDS.title),
    card(
      WORDS.model,
      WORDS.modelText,
      modelState,
      h(
        "form",
        { onsubmit: useTyped, oninput: () => fill(tested) },
        h("label", {}, WORDS.provider, provider),
        h("label", {}, WORDS.baseUrl, address),
        h("label", {}, WORDS.modelName, model),
        h("label", {}, WORDS.key, key),
        h("p", { class: "hint", id: "key-hint" }, WORDS.keyHint),
        h("div", { class: "actions" }, h("button", { class: "primary" }, WORDS.useModel), h("button", { type: "button", onclick: testTyped }, WORDS.test), stop),
      ),
      tested,
      inPage.element,
    ),
    card(
      WORDS.embedder,
      WORDS.embedderText,
      embedderState,
      h("form", { class: "in-line", onsubmit: useEmbedder }, h("label", {}, WORDS.embedderChoice, embedder), h("button", {}, WORDS.use), embeddingModelLabel),
    ),
    card(
      WORDS.namespace,
      WORDS.namespaceText,
      h("form", { class: "in-line", onsubmit: addNamespace }, h("label", {}, WORDS.namespaceNew, newNamespace), h("button", {}, WORDS.namespaceAdd)),
    ),
    card(WORDS.storage, null, storage),
    card(
      WORDS.file,
      WORDS.fileText,
      h(
        "div",
        { class: "actions" },
        h("button", { class: "primary", onclick: () => app.attempt(exportFile) }, WORDS.exportFile),
        h("button", { onclick: () => picker.click() }, WORDS.importFile),
        h("button", { class: "danger", onclick: () => app.attempt(startOver) }, WORDS.startOver),
        picker,
      ),
    ),
    card(WORDS.about, WORDS.aboutText, h("p", {}, h("a", { href: "lite/" }, WORDS.notebooks))),
  );

  /** @returns {Models} */
  function typed() {
    return { ...models, channel: "", provider: provider.value, base_url: address.value.trim(), model: model.value.trim(), api_key: key.value.trim() };
  }

  /** @param {Event} event */
  function useTyped(event) {
    event.preventDefault();
    app.attempt(() => use(typed()));
  }

  /** @param {Event} event */
  function useEmbedder(event) {
    event.preventDefault();
    const choice = /** @type {Models["embedder"]} */ (embedder.value);
    if (choice === "endpoint" && !address.reportValidity()) return;
    const endpoint = { provider: provider.value, base_url: address.value.trim(), api_key: key.value.trim() };
    app.attempt(async () => {
      await use({ ...models, ...endpoint, embedder: choice, embedding_model: embeddingModel.value.trim() });
      if (choice === "none") return;
      embedderState.textContent = WORDS.syncing;
      await app.call("sync");
      await app.refresh();
    });
  }

  /** The address where a provider is usually found, unless another was typed. */
  function showAddress() {
    const usual = PROVIDERS[provider.value].address;
    address.placeholder = usual;
    if (Object.values(PROVIDERS).some((each) => each.address === address.value.trim())) address.value = usual;
    else if (!address.value && usual.startsWith("https:")) address.value = usual;
    const [endpoint] = [...embedder.options].filter((each) => each.value === "endpoint");
    endpoint.disabled = NO_EMBEDDINGS.includes(provider.value);
  }

  function showEmbedder() {
    embeddingModelLabel.hidden = embedder.value !== "endpoint";
    embeddingModel.required = embedder.value === "endpoint";
  }

  /** @param {Models} next */
  async function use(next) {
    await app.client.call("use_models", { ...next });
    if (!next.channel) inPage.stop();
    models = next;
    app.model = next.model;
    rememberModels(next);
    fill(tested);
    await app.refresh();
  }

  function testTyped() {
    if (!address.form?.reportValidity()) return;
    app.attempt(async () => {
      fill(tested, h("p", { class: "hint" }, WORDS.testing));
      try {
        const { reply, milliseconds } = await app.client.call("test_model", endpointOf(typed()));
        fill(tested, h("p", { class: "good" }, WORDS.works(milliseconds, reply.trim())));
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        const advice = /** @type {Record<string, string[]>} */ (WORDS.fails)[String(error.data?.cause ?? error.name)] ?? [];
        fill(tested, h("p", { class: "bad" }, error.message), h("ul", {}, ...advice.map((line) => h("li", {}, line))));
      }
    });
  }

  /** @param {Models} models */
  function endpointOf({ provider: whose, base_url, model: name, api_key }) {
    return { provider: whose, base_url, model: name, api_key };
  }

  /** @param {Event} event */
  function addNamespace(event) {
    event.preventDefault();
    const name = newNamespace.value.trim();
    if (!name) return;
    newNamespace.value = "";
    app.attempt(() => app.useNamespace(name));
  }

  async function showStorage() {
    const { unflushed = false, size_bytes = 0 } = app.status ?? {};
    const persisted = await navigator.storage?.persisted?.();
    const { quota } = (await navigator.storage?.estimate?.()) ?? {};
    fill(
      storage,
      h("p", { class: "state-line" }, app.stored ? WORDS.storedHere : WORDS.storedNot),
      app.stored && h("p", { class: unflushed ? "bad" : "good" }, unflushed ? WORDS.unsaved : WORDS.saved),
      app.stored && h("p", { class: "hint" }, persisted ? WORDS.persisted : WORDS.notPersisted),
      app.stored && quota && h("p", { class: "hint" }, WORDS.usage(size(size_bytes), size(quota))),
      app.stored &&
        h(
          "div",
          { class: "actions" },
          h("button", { onclick: () => app.attempt(flush) }, WORDS.flush),
          !persisted && h("button", { onclick: () => app.attempt(persist) }, WORDS.persist),
        ),
    );
  }

  async function flush() {
    await app.client.call("flush");
    app.status = await app.call("status");
    await showStorage();
    app.say(WORDS.saved);
  }

  async function persist() {
    if (!(await navigator.storage?.persist?.())) app.say(WORDS.persistRefused, "bad");
    await showStorage();
  }

  async function exportFile() {
    const bytes = await app.client.call("export_file");
    const link = h("a", { href: URL.createObjectURL(new Blob([bytes], { type: FILE_TYPE })), download: `lorelite-${new Date().toISOString().slice(0, 10)}.db` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async function importFile() {
    const file = picker.files?.[0];
    picker.value = "";
    if (!file || !(await confirmed(WORDS.importAsk(file.name), WORDS.importFile))) return;
    await replace(new Uint8Array(await file.arrayBuffer()), WORDS.imported);
  }

  async function startOver() {
    if (await confirmed(WORDS.startOverAsk, WORDS.startOver)) await replace(undefined, WORDS.startedOver);
  }

  /** @param {Uint8Array | undefined} bytes  @param {string} told */
  async function replace(bytes, told) {
    await app.client.replace(bytes).finally(app.refresh);
    const namespaces = /** @type {string[]} */ (await app.client.call("namespaces"));
    await app.useNamespace(namespaces.includes(app.namespace) ? app.namespace : (namespaces[0] ?? app.namespace));
    app.say(told);
  }

  return {
    element,

    refresh() {
      modelState.textContent = app.model ? WORDS.inUse(app.model) : remembered?.had_key ? WORDS.again(remembered.model) : WORDS.none;
      stop.hidden = !app.model;
      embedderState.textContent = models.embedder === "none" ? WORDS.embedderNone : WORDS.embedderInUse(app.status?.embedder ?? "", app.status?.vectors ?? 0);
      showAddress();
      showEmbedder();
      showStorage();
      inPage.look();
    },

    /** Go on with the models of the last visit, unless they need the key, which is never kept. */
    async reconnect() {
      if (remembered && !remembered.had_key) await use({ ...remembered, api_key: "" });
    },
  };
}

/** @param {string} title  @param {string | null} text  @param {...HTMLElement} children */
function card(title, text, ...children) {
  return h("section", { class: "card" }, h("h2", {}, title), text && h("p", {}, text), ...children);
}

/** @typedef {Omit<Models, "api_key"> & {had_key: boolean}} Remembered */

/** Addresses and names are remembered, the key is not.  @param {Models} models */
function rememberModels({ api_key, channel, ...models }) {
  if (channel) return;
  const inUse = models.model || models.embedder !== "none";
  remember(MODELS_KEY, inUse ? { ...models, had_key: api_key !== "" } : null);
}
