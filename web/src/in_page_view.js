/** Settings: a language model that runs in this browser, where there is one. */
import { fill, h } from "./dom.js";
import { choices, connect } from "./models/kinds.js";
import { serve } from "./models/relay.js";
import { TEXTS } from "./texts.js";

/** @import { App } from "./app.js" */
/** @import { Choice, InPage } from "./models/kinds.js" */

const WORDS = TEXTS.inPage;

/** @param {App} app  @param {(channel: string, name: string) => Promise<void>} use  Answer with the model served there. */
export function createInPage(app, use) {
  /** @type {Choice[]} */
  let offered = [];
  /** @type {{model: InPage, stopServing: () => void} | null} */
  let served = null;
  const choice = h("select", {});
  const state = h("p", { class: "state-line", role: "status" });
  const form = h("form", { class: "in-line", hidden: true, onsubmit: useChosen }, h("label", {}, WORDS.choice, choice), h("button", {}, WORDS.use));
  const element = h("div", { class: "in-page" }, h("h3", {}, WORDS.title), h("p", {}, WORDS.text), state, form);

  /** @param {Event} event */
  function useChosen(event) {
    event.preventDefault();
    const chosen = offered[Number(choice.value)];
    app.attempt(async () => {
      state.textContent = WORDS.loading(0, "");
      try {
        const model = await connect(chosen, (done, detail) => (state.textContent = WORDS.loading(done, detail)));
        await take(model);
        state.textContent = "";
      } catch (error) {
        state.textContent = WORDS.failed(error instanceof Error ? error.message : String(error));
      }
    });
  }

  /** @param {InPage} model */
  async function take(model) {
    stop();
    const channel = `lorelite-${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`;
    served = { model, stopServing: serve(channel, model) };
    await use(channel, model.name);
  }

  function stop() {
    served?.stopServing();
    served?.model.close();
    served = null;
  }

  return {
    element,
    stop,

    /** Look which models there are; done once, when the settings are opened. */
    async look() {
      if (offered.length) return;
      offered = await choices();
      fill(choice, ...offered.map((each, place) => h("option", { value: String(place) }, WORDS.kinds[each.kind] ?? each.kind, each.model ? ` · ${each.title ?? each.model}` : "")));
      form.hidden = !offered.length;
      if (!offered.length) state.textContent = WORDS.nothing;
    },
  };
}
