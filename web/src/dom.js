/**
 * Building elements. Whatever came from a document reaches the page through `textContent` alone, never as markup.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Props */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Functions named `onclick` and the like become listeners, everything else an attribute;
 *  `false`, `null` and `undefined` leave the attribute out, `true` sets it empty.
 *  @template {keyof HTMLElementTagNameMap} K
 *  @param {K} tag  @param {Props} [props]  @param {...Child} children  @returns {HTMLElementTagNameMap[K]} */
export function h(tag, props = {}, ...children) {
  return dress(document.createElement(tag), props, children);
}

/** An SVG element, with the same rules.
 *  @template {keyof SVGElementTagNameMap} K
 *  @param {K} tag  @param {Props} [props]  @param {...Child} children  @returns {SVGElementTagNameMap[K]} */
export function svg(tag, props = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), props, children);
}

/** Put `children` in place of whatever `parent` held.  @param {Element} parent  @param {...Child} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.filter(isShown).map(asNode));
}

/** @template {Element} E  @param {E} element  @param {Props} props  @param {Child[]} children  @returns {E} */
function dress(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter(isShown).map(asNode));
  return element;
}

/** @param {Child} child  @returns {child is Node | string | number} */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {Node | string | number} child  @returns {Node | string} */
function asNode(child) {
  return typeof child === "number" ? String(child) : child;
}

/** Focus `input`, but not where that would push a keyboard over half the screen.  @param {HTMLInputElement} input */
export function focusWithoutKeyboard(input) {
  if (matchMedia("(pointer: fine)").matches) input.focus({ preventScroll: true });
}

/** `text` with every occurrence of `words` in a `<mark>`.
 *  @param {string} text  @param {string[]} words  @returns {(Node | string)[]} */
export function marked(text, words) {
  const wanted = words.filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return [text];
  return text
    .split(new RegExp(`(${wanted.join("|")})`, "giu"))
    .map((part, index) => (index % 2 ? h("mark", {}, part) : part));
}
