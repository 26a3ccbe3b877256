/** Documents: take them in, show how far each is, list what is there, forget. */
import { EngineError } from "./client.js";
import { confirmed } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { isEmpty } from "./protocol.js";
import { textOf } from "./reading.js";
import { sampleDocuments } from "./sample.js";
import { counted, size, TEXTS } from "./texts.js";

/** @import { App, View } from "./app.js" */
/** @import { DocumentInfo, IngestReport, Progress } from "./protocol.js" */
/** @import { Source } from "./sample.js" */

const WORDS = TEXTS.documents;

/** @param {App} app  @returns {View & {isReading(): boolean, takeDropsOn(veil: HTMLElement): void}} */
export function createDocuments(app) {
  let reading = 0;
  const picker = h("input", { type: "file", multiple: true, class: "hidden-input", "aria-label": WORDS.choose, onchange: takePicked });
  const paste = pasteForm((name, text) => takeAll([{ name, text: async () => text }]));
  const welcome = h("div", { class: "welcome" });
  const toolbar = h("div", { class: "actions" });
  const queueTitle = h("h2");
  const opening = h("p", { class: "hint" }, WORDS.opening);
  const queue = h("ul", { class: "queue" });
  const queueCard = h(
    "section",
    { class: "card", hidden: true },
    h("div", { class: "card-head" }, queueTitle, h("button", { class: "quiet", onclick: clearQueue }, WORDS.clear)),
    queue,
  );
  const counts = h("dl", { class: "counts" });
  const list = h("ul", { class: "documents" });
  const element = h(
    "section",
    { class: "view documents-view" },
    h("div", { class: "view-head" }, h("h1", {}, WORDS.title), toolbar),
    picker,
    paste.element,
    opening,
    welcome,
    queueCard,
    counts,
    list,
  );

  fill(toolbar, ...buttons());
  fill(
    welcome,
    h("h2", {}, WORDS.emptyTitle),
    h("p", { class: "lead" }, WORDS.emptyText),
    h("div", { class: "drop-zone" }, h("div", { class: "actions" }, ...buttons("primary")), h("p", { class: "hint" }, WORDS.dropHint)),
    h("p", { class: "hint" }, WORDS.sampleHint),
    h("ol", { class: "lessons" }, ...WORDS.steps.map(([title, text]) => h("li", {}, h("h3", {}, title), h("p", {}, text)))),
  );

  /** @param {string} [first]  the class of the first button */
  function buttons(first) {
    return [
      h("button", { class: first, onclick: () => picker.click() }, WORDS.choose),
      h("button", { onclick: () => paste.open() }, WORDS.paste),
      h("button", { onclick: () => app.attempt(loadSample) }, WORDS.sample),
    ];
  }

  function takePicked() {
    takeFiles([...(picker.files ?? [])]);
    picker.value = "";
  }

  /** @param {File[]} files */
  function takeFiles(files) {
    return takeAll(files.map((file) => ({ name: file.webkitRelativePath || file.name, text: () => textOf(file) })));
  }

  async function loadSample() {
    const sources = await sampleDocuments();
    if (sources.length) await takeAll(sources);
    else app.say(WORDS.sampleMissing, "bad");
  }

  /** Read the sources one after the other, each with its own line of progress.
   *  @param {Source[]} sources */
  async function takeAll(sources) {
    if (!sources.length) return;
    app.go("documents");
    queueCard.hidden = false;
    queueTitle.textContent = WORDS.progress;
    welcome.hidden = true;
    const { namespace } = app;
    const lines = sources.map(({ name }) => queueLine(name));
    queue.append(...lines.map((line) => line.element));
    reading += sources.length;
    for (const [index, source] of sources.entries()) {
      await take(source, namespace, lines[index]);
      reading--;
    }
    if (!reading) queueTitle.textContent = WORDS.progressDone;
    await app.attempt(app.refresh);
  }

  /** @param {Source} source  @param {string} namespace  @param {ReturnType<typeof queueLine>} line */
  async function take({ name, text }, namespace, line) {
    line.element.scrollIntoView({ block: "nearest" });
    try {
      line.tell(WORDS.reading);
      const options = { namespace, source_ref: name, text: await text() };
      line.end(outcome(await app.call("ingest", options, { onProgress: line.advance })), "good");
    } catch (error) {
      line.end(reasonOf(error), "bad");
    }
  }

  function clearQueue() {
    for (const line of [...queue.children]) if (line.classList.contains("ended")) line.remove();
    queueCard.hidden = !queue.children.length;
  }

  /** @param {DocumentInfo} info */
  function row(info) {
    const facts = [size(info.characters).replace(/bytes?$/, "characters"), counted(info.chunks, "passage")];
    if (info.status === "partial") facts.push(WORDS.partial);
    return h(
      "li",
      { class: "document" },
      h("button", { class: "title-link", onclick: () => app.showDocument({ source_ref: info.source_ref }) }, info.source_ref),
      h("span", { class: "hint" }, facts.join(" · ")),
      h("button", { class: "quiet danger", "aria-label": `${WORDS.forget} ${info.source_ref}`, onclick: () => app.attempt(() => forget(info.source_ref)) }, WORDS.forget),
    );
  }

  /** @param {string} name */
  async function forget(name) {
    if (!(await confirmed(WORDS.forgetAsk(name), WORDS.forget))) return;
    const { nodes, edges } = await app.call("forget", { source_ref: name });
    app.say(WORDS.forgotten(name, nodes, edges));
    await app.refresh();
  }

  return {
    element,

    refresh() {
      const status = app.status;
      const empty = isEmpty(status);
      opening.hidden = status !== null || !app.returning;
      welcome.hidden = !empty || reading > 0 || !opening.hidden;
      toolbar.hidden = !welcome.hidden;
      counts.hidden = empty;
      fill(list, ...(status?.documents ?? []).map(row));
      if (!status || empty) return;
      fill(
        counts,
        count(counted(status.documents.length, "document")),
        count(counted(status.entities, "entity", "entities")),
        count(counted(status.facts, "fact")),
        count(counted(status.edges, "edge")),
        count(counted(status.chunks, "passage")),
        ...(status.tasks ? [count(counted(status.tasks, "task"))] : []),
        ...(status.events ? [count(counted(status.events, "event"))] : []),
      );
    },

    isReading: () => reading > 0,

    takeDropsOn(veil) {
      document.body.append(veil);
      addEventListener("dragover", (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        veil.hidden = false;
      });
      addEventListener("dragleave", (event) => (veil.hidden = event.relatedTarget === null ? true : veil.hidden));
      addEventListener("drop", (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        veil.hidden = true;
        takeFiles([...event.dataTransfer.files]);
      });
    },
  };
}

/** @param {string} text  for example "12 entities" */
function count(text) {
  const [amount, ...rest] = text.split(" ");
  return h("div", {}, h("dt", {}, rest.join(" ")), h("dd", {}, amount));
}

/** @param {IngestReport} report */
function outcome(report) {
  if (report.status === "unchanged") return WORDS.unchanged;
  if (report.status === "empty") return WORDS.emptyReport;
  if (report.status === "duplicate") return WORDS.duplicate(report.duplicate_of ?? "");
  const read = report.status === "partial" ? WORDS.partialReport(report.failures.length) : WORDS.found(report);
  return report.replaced ? `${read}. ${WORDS.replacedReport}` : read;
}

/** Why a source could not be read, for its line; the console gets what nobody expected.  @param {unknown} error */
function reasonOf(error) {
  if (error instanceof EngineError) return error.message;
  if (error instanceof TypeError) return WORDS.notText;
  if (error instanceof DOMException) return WORDS.unreadable;
  console.error(error);
  return TEXTS.errors.unexpected;
}

/** One document's line in the queue.  @param {string} name */
function queueLine(name) {
  const told = h("span", { class: "hint" }, WORDS.waiting);
  const bar = h("progress", { max: 1, value: 0, "aria-label": name });
  const element = h("li", { class: "queue-line" }, h("span", { class: "file-name" }, name), bar, told);
  return {
    element,
    /** @param {string} text */
    tell: (text) => (told.textContent = text),
    /** @param {Progress} progress */
    advance: ({ stage, done, total }) => {
      bar.max = Math.max(1, total);
      if (done) bar.value = done;
      else bar.removeAttribute("value");
      told.textContent = `${WORDS.stages[stage] ?? stage} ${done}/${total}`;
    },
    /** @param {string} text  @param {"good" | "bad"} tone */
    end: (text, tone) => {
      element.classList.add("ended", tone);
      bar.remove();
      told.textContent = text;
    },
  };
}

/** A dialog in which a text is pasted.  @param {(name: string, text: string) => void} onText */
function pasteForm(onText) {
  const name = h("input", { required: true, pattern: ".*\\S.*", placeholder: WORDS.pasteNameHint, autocomplete: "off" });
  const text = h("textarea", { required: true, rows: 12 });
  const element = h(
    "dialog",
    { class: "card", "aria-label": WORDS.pasteTitle },
    h(
      "form",
      { onsubmit: submit },
      h("h2", {}, WORDS.pasteTitle),
      h("label", {}, WORDS.pasteName, name),
      h("label", {}, WORDS.pasteText, text),
      h("div", { class: "actions end" }, h("button", { type: "button", onclick: () => element.close() }, TEXTS.cancel), h("button", { class: "primary" }, WORDS.pasteAdd)),
    ),
  );

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    element.close();
    onText(name.value.trim(), text.value);
    name.value = text.value = "";
  }

  return { element, open: () => element.showModal() };
}
