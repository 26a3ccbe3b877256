/** The example documents that are served beside the page. */

const FOLDER = new URL("../examples/field_station/", import.meta.url);
const LIST = new URL("../examples/index.json", import.meta.url);
const QUESTIONS = new URL("../examples/questions.json", import.meta.url);
/** A few that show what answers can be: two documents at once, a correction, code, Chinese, and silence. */
const SHOWN_QUESTIONS = ["q02", "q04", "q12", "q17", "q19"];
const TELLTALE = "brindle-tarn.md";

/** @typedef {{name: string, text: () => Promise<string>}} Source */

/** The documents of the sample; none when this server has no examples, or is not there any more.
 *  @returns {Promise<Source[]>} */
export async function sampleDocuments() {
  const files = /** @type {string[]} */ (await served(LIST)) ?? [];
  return files
    .map((file) => new URL(file, LIST))
    .filter(({ href }) => href.startsWith(FOLDER.href))
    .map((url) => ({
      name: decodeURIComponent(url.href.slice(FOLDER.href.length)),
      text: async () => (await fetch(url)).text(),
    }));
}

/** Questions to try on the sample.  @returns {Promise<string[]>} */
export async function sampleQuestions() {
  const asked = /** @type {{questions: {id: string, question: string}[]} | null} */ (await served(QUESTIONS));
  return (asked?.questions ?? []).filter(({ id }) => SHOWN_QUESTIONS.includes(id)).map(({ question }) => question);
}

/** @param {{source_ref: string}[]} documents */
export function holdsSample(documents) {
  return documents.some(({ source_ref }) => source_ref === TELLTALE);
}

/** The JSON at `url`; null when it cannot be had: the page goes on when its server has gone.  @param {URL} url */
async function served(url) {
  try {
    const response = await fetch(url);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
