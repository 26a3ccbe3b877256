/** The frame of the page: name, tabs, namespace, state, and the line in which things are told. */
import { fill, h } from "./dom.js";
import { icon, logo } from "./icons.js";
import { TEXTS } from "./texts.js";

/** @import { Tab } from "./app.js" */
/** @typedef {keyof typeof TEXTS.status} State */

const TOLD_FOR = 7000;
/** More would cover the page on a phone. */
const MOST_TOLD = 2;

/** @param {{onTab: (tab: Tab) => void, onNamespace: (namespace: string) => void}} handlers */
export function createShell({ onTab, onNamespace }) {
  const tabs = /** @type {Tab[]} */ (Object.keys(TEXTS.tabs));
  const buttons = new Map(
    tabs.map((tab) => [tab, h("a", { href: `#${tab}`, class: "tab", onclick: open(tab) }, icon(tab), h("span", {}, TEXTS.tabs[tab]))]),
  );
  const namespace = h("select", {
    "aria-label": TEXTS.settings.namespace,
    title: TEXTS.settings.namespace,
    onchange: () => onNamespace(namespace.value),
  });
  const state = h("span", { class: "state starting", role: "status" }, TEXTS.status.starting);
  const told = h("div", { class: "told", role: "status", "aria-live": "polite" });
  const main = h("main", { id: "main", tabindex: "-1" });
  const element = h(
    "div",
    { class: "shell" },
    h("a", { class: "skip", href: "#main", onclick: focusMain }, TEXTS.skip),
    h(
      "header",
      {},
      h("div", { class: "name" }, logo(), h("span", {}, TEXTS.name)),
      h("nav", { "aria-label": TEXTS.name }, ...buttons.values()),
      h("div", { class: "where" }, namespace, state),
    ),
    main,
    told,
  );
  /** @type {State} */
  let settled = "starting";
  let busy = false;

  /** @param {Tab} tab  @returns {(event: Event) => void} */
  function open(tab) {
    return (event) => (event.preventDefault(), onTab(tab));
  }

  /** @param {Event} event */
  function focusMain(event) {
    event.preventDefault();
    main.focus();
  }

  function showState() {
    const shown = busy && settled !== "starting" && settled !== "stopped" ? "working" : settled;
    state.className = `state ${shown}`;
    state.textContent = TEXTS.status[shown];
  }

  return {
    element,
    main,

    /** @param {Tab} tab  @param {HTMLElement} view */
    showTab(tab, view) {
      for (const [each, button] of buttons) button.setAttribute("aria-current", each === tab ? "page" : "false");
      for (const each of main.querySelectorAll(":scope > .view")) /** @type {HTMLElement} */ (each).hidden = each !== view;
      document.title = `${TEXTS.tabs[tab]} · ${TEXTS.name}`;
      scrollTo(0, 0);
    },

    /** @param {string[]} names  @param {string} present */
    setNamespaces(names, present) {
      fill(namespace, ...names.map((name) => h("option", { selected: name === present }, name)));
    },

    /** @param {State} next */
    setState(next) {
      settled = next;
      showState();
    },

    /** @param {boolean} isBusy */
    setBusy(isBusy) {
      busy = isBusy;
      showState();
    },

    /** Tell the user something in passing.  @param {string} message  @param {"good" | "bad"} [tone] */
    say(message, tone = "good") {
      for (const earlier of [...told.children]) if (earlier.textContent === message) earlier.remove();
      const line = h("p", { class: tone }, message);
      const close = h("button", { class: "quiet icon-only", "aria-label": TEXTS.close, onclick: () => line.remove() }, icon("close"));
      line.append(close);
      told.append(line);
      while (told.children.length > MOST_TOLD) told.firstElementChild?.remove();
      if (tone === "good") setTimeout(() => line.remove(), TOLD_FOR);
    },
  };
}
