/** Small line icons, drawn on a 24 grid. */
import { svg } from "./dom.js";

const PATHS = {
  documents: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M15.5 15.5L20 20",
  graph: "M6 8.5a2.5 2.5 0 1 1 0-5a2.5 2.5 0 0 1 0 5M18 11.5a2.5 2.5 0 1 1 0-5a2.5 2.5 0 0 1 0 5M9 20.5a2.5 2.5 0 1 1 0-5a2.5 2.5 0 0 1 0 5M8.4 6.6l7.2 1.8M7 8.4l1.5 7M16.2 10.7l-5.5 5.6",
  ask: "M4 5h16v11H11l-4.5 4v-4H4zM8.5 10.5h.01M12 10.5h.01M15.5 10.5h.01",
  settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h11M19 17h1M15 5v4M9 10v4M17 15v4",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14.5 5.5L8 12l6.5 6.5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));
}

/** The mark beside the name: a page whose lines are a small graph. */
export function logo() {
  return svg(
    "svg",
    { class: "logo", viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("path", { class: "logo-page", d: "M6 3h14l6 6v20H6z" }),
    svg("path", { class: "logo-line", d: "M11.5 22.5L15 13.5L21 19.5" }),
    ...[[11.5, 22.5], [15, 13.5], [21, 19.5]].map(([cx, cy]) => svg("circle", { class: "logo-dot", cx, cy, r: 2.6 })),
  );
}
