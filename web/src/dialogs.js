/** Questions that must be answered before going on. */
import { h } from "./dom.js";
import { TEXTS } from "./texts.js";

/** Ask the user; resolves to whether they agreed.  @param {string} question  @param {string} verb  @returns {Promise<boolean>} */
export function confirmed(question, verb) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { class: "card", onclose: () => (resolve(dialog.returnValue === "yes"), dialog.remove()) },
      h(
        "form",
        { method: "dialog" },
        h("p", {}, question),
        h("div", { class: "actions end" }, h("button", { value: "no", autofocus: true }, TEXTS.cancel), h("button", { value: "yes", class: "primary danger" }, verb)),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
