/** Lets the browser keep the site, so that it starts without its server. */

const WORKER = new URL("../service_worker.js", import.meta.url);

/** Where the browser can: not in private windows of some, nor on plain http but for localhost.
 *  @param {() => void} onNewer  told when another version of the site has come, which the next start will use */
export async function keepOffline(onNewer) {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  const before = workers.controller;
  const registration = await workers.register(WORKER).catch(() => null);
  registration?.addEventListener("updatefound", () => {
    const coming = registration.installing;
    coming?.addEventListener("statechange", () => coming.state === "activated" && before && onNewer());
  });
}
