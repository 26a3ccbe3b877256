/** Ask: a question, an answer whose every sentence points to its place. */
import { fill, focusWithoutKeyboard, h } from "./dom.js";
import { isEmpty } from "./protocol.js";
import { holdsSample, sampleQuestions } from "./sample.js";
import { TEXTS } from "./texts.js";

/** @import { App, View } from "./app.js" */
/** @import { Answer, Citation } from "./protocol.js" */

const WORDS = TEXTS.ask;

/** @param {App} app  @returns {View & {ask(question: string): void, clear(): void}} */
export function createAsk(app) {
  const input = h("input", { placeholder: WORDS.placeholder, "aria-label": WORDS.title, autocomplete: "off", enterkeyhint: "go" });
  const told = h("p", { class: "hint" }, WORDS.empty);
  const tries = h("div", { class: "tries" });
  const answers = h("div", { class: "answers", "aria-live": "polite" });
  const element = h(
    "section",
    { class: "view ask-view" },
    h("h1", {}, WORDS.title),
    h("form", { class: "ask-line", onsubmit: submit }, input, h("button", { class: "primary" }, WORDS.go)),
    told,
    tries,
    answers,
  );

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const question = input.value.trim();
    if (question) ask(question);
  }

  /** @param {string} question */
  function ask(question) {
    input.value = question;
    told.hidden = tries.hidden = true;
    const card = h("article", { class: "answer card" }, h("h2", { dir: "auto" }, question), h("p", { class: "hint thinking" }, WORDS.thinking));
    answers.prepend(card);
    app.attempt(async () => {
      try {
        const answer = /** @type {Answer} */ (await app.call("ask", { question }));
        fill(card, h("h2", { dir: "auto" }, question), ...(answer.answered ? said(answer) : silent(answer)));
      } catch (error) {
        card.remove();
        throw error;
      }
    });
  }

  /** @param {Answer} answer  @returns {HTMLElement[]} */
  function said(answer) {
    /** @type {Citation[]} */
    const cited = [];
    /** @param {Citation} citation */
    const marker = (citation) => {
      const known = cited.findIndex((each) => each.document_id === citation.document_id && each.start === citation.start && each.end === citation.end);
      const index = known < 0 ? cited.push(citation) - 1 : known;
      return h("button", { class: "cite", "aria-label": WORDS.cite(index + 1, citation.source_ref), title: citation.source_ref, onclick: () => app.showDocument(citation) }, index + 1);
    };
    const sentences = answer.sentences.map((sentence) =>
      h("p", { class: "sentence", dir: "auto" }, sentence.text, ...sentence.citations.map(marker)),
    );
    return [
      h("div", { class: "prose" }, ...sentences),
      ...unsupported(answer),
      h("h3", {}, WORDS.sources),
      h("ol", { class: "cited" }, ...cited.map((citation) => h("li", {}, h("button", { class: "title-link", onclick: () => app.showDocument(citation) }, citation.source_ref), h("q", { dir: "auto" }, citation.quote)))),
      footer(answer),
    ];
  }

  /** @param {Answer} answer  @returns {HTMLElement[]} */
  function silent(answer) {
    return [
      h("p", { class: "silent" }, WORDS.silent),
      h("p", { class: "hint" }, WORDS.silentHint),
      ...unsupported(answer),
      footer(answer),
    ];
  }

  /** What a model said beyond the documents, kept apart from the answer.  @param {Answer} answer */
  function unsupported({ unsupported: left }) {
    if (!left.length) return [];
    return [h("details", { class: "left-out" }, h("summary", {}, WORDS.unsupported(left.length)), ...left.map((text) => h("p", { dir: "auto" }, text)))];
  }

  /** @param {Answer} answer */
  function footer(answer) {
    const written = answer.origin === "model";
    const { calls, input_tokens, output_tokens } = answer.usage;
    return h(
      "footer",
      {},
      h("span", { class: `badge ${written ? "written" : "plain"}` }, written ? WORDS.written(app.model || WORDS.aModel) : WORDS.extractive),
      calls > 0 && h("span", { class: "hint" }, WORDS.tokens(input_tokens, output_tokens)),
      answer.graph.nodes.length > 0 && h("button", { class: "quiet", onclick: () => app.showUsed(answer) }, WORDS.used),
    );
  }

  async function showTries() {
    const questions = await sampleQuestions();
    fill(tries, h("p", { class: "hint" }, WORDS.tries), ...questions.map((each) => h("button", { class: "chip", dir: "auto", onclick: () => ask(each) }, each)));
  }

  return {
    element,
    ask,
    clear() {
      fill(answers);
      told.hidden = tries.hidden = false;
    },
    refresh() {
      const documents = app.status?.documents ?? [];
      told.textContent = isEmpty(app.status) ? WORDS.noDocuments : WORDS.empty;
      if (holdsSample(documents)) app.attempt(showTries);
      else fill(tries);
    },
    show: () => focusWithoutKeyboard(input),
  };
}
