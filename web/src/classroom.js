/** What a classroom has beside the page: a memory to begin with, where this browser has none yet. */

const BUNDLE = new URL("../classroom.json", import.meta.url);

/** @typedef {{title?: string, brain?: string, namespace?: string}} Classroom */

/** @returns {Promise<Classroom>}  empty where the page is no classroom's */
async function classroom() {
  const response = await fetch(BUNDLE).catch(() => null);
  return response?.ok ? response.json().catch(() => ({})) : {};
}

/** The file to begin with, and the namespace to show.  @returns {Promise<{bytes: Uint8Array, namespace: string} | null>} */
export async function firstMemory() {
  const { brain, namespace = "" } = await classroom();
  if (!brain) return null;
  const response = await fetch(new URL(brain, BUNDLE));
  if (!response.ok) throw new Error(`${brain}: status ${response.status}`);
  return { bytes: new Uint8Array(await response.arrayBuffer()), namespace };
}
