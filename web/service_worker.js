/**
 * Keeps the site's files in the browser, so that the page starts without its server. What is kept stands in
 * offline.json; each version of the site has a cache of its own, and the last one takes the place of those before it.
 * The notebooks have a service worker of their own.
 */

const VERSION = "VERSION"; // put in when the site is built: another version is another file, which browsers look for
const worker = /** @type {any} */ (self);
const scope = new URL("./", worker.location.href);
const PREFIX = `lorelite ${scope.pathname} `;
const CACHE = PREFIX + VERSION;
const NOTEBOOKS = new URL("lite/", scope).pathname;

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keep()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(forgetOthers()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { method, url, mode } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== scope.origin || pathname.startsWith(NOTEBOOKS)) return;
  const isStart = mode === "navigate" && [scope.pathname, `${scope.pathname}index.html`].includes(pathname);
  event.respondWith(answered(event.request, isStart ? new URL("index.html", scope).href : url));
});

async function keep() {
  const { files } = await (await fetch(new URL("offline.json", scope), { cache: "no-cache" })).json();
  const cache = await caches.open(CACHE);
  const wanted = /** @type {string[]} */ (files).map((file) => new Request(new URL(file, scope), { cache: "no-cache" }));
  await cache.addAll(wanted);
  await worker.skipWaiting(); // the open page has all it needs; the next one starts with this version
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
}

/** @param {Request} request  @param {string} url */
async function answered(request, url) {
  const kept = await (await caches.open(CACHE)).match(url, { ignoreSearch: true });
  return kept ?? fetch(request);
}
