/** Starting, step by step; and when it stops, what happened and what to do. */
import { fill, h } from "./dom.js";
import { BOOT_STEPS } from "./protocol.js";
import { size, TEXTS } from "./texts.js";

/** @import { BootStep } from "./protocol.js" */
/** @import { EngineError } from "./client.js" */

/** @param {{onAgain: () => void, onTakeOver: () => void, onReplace: (file: File) => void}} handlers */
export function createBoot({ onAgain, onTakeOver, onReplace }) {
  const element = h("section", { class: "boot card", "aria-live": "polite" });

  /** @param {BootStep} step  @param {number} [bytes]  how many have arrived */
  function enter(step, bytes) {
    const reached = BOOT_STEPS.indexOf(step);
    element.className = "boot card";
    element.hidden = false;
    fill(
      element,
      h("h2", {}, TEXTS.boot.title),
      h(
        "ol",
        { class: "steps" },
        ...BOOT_STEPS.map((each, index) =>
          h(
            "li",
            { class: index < reached ? "done" : index === reached ? "now" : "", "aria-current": index === reached && "step" },
            TEXTS.boot.steps[each],
            index === reached && bytes !== undefined && h("span", { class: "hint" }, size(bytes)),
          ),
        ),
      ),
      h("p", { class: "hint" }, TEXTS.boot.hint),
    );
  }

  return {
    element,
    enter,

    /** @param {boolean} stored  whether the browser keeps what is written */
    done(stored) {
      element.hidden = stored;
      element.className = "boot card warning";
      if (!stored) fill(element, h("p", {}, TEXTS.boot.memoryOnly));
    },

    /** @param {BootStep} step  @param {EngineError} error */
    stop(step, error) {
      const locked = error.name === "WriterLocked";
      element.hidden = false;
      element.className = "boot card failed";
      const file = h("input", { type: "file", class: "hidden-input", accept: ".db,.sqlite,.sqlite3", onchange: () => file.files?.[0] && onReplace(file.files[0]) });
      fill(
        element,
        h("h2", {}, locked ? TEXTS.boot.locked : TEXTS.boot.stopped),
        h("p", {}, locked ? TEXTS.boot.lockedAdvice : TEXTS.boot.advice[step]),
        !locked && h("p", { class: "hint reason" }, error.message),
        h(
          "div",
          { class: "actions" },
          step === "open"
            ? h("button", { class: "primary", onclick: onAgain }, TEXTS.boot.again)
            : h("button", { class: "primary", onclick: () => location.reload() }, TEXTS.boot.reload),
          locked && h("button", { onclick: onTakeOver }, TEXTS.boot.takeOver),
          step === "open" && !locked && h("button", { onclick: () => file.click() }, TEXTS.boot.replace),
          file,
        ),
      );
    },
  };
}
