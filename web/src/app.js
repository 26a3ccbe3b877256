/**
 * The page: makes the worker and the views, and passes between them. Views know `App`, never each other.
 */
import { createAsk } from "./ask_view.js";
import { createBoot } from "./boot_view.js";
import { firstMemory } from "./classroom.js";
import { Client, EngineError } from "./client.js";
import { createDocuments } from "./documents_view.js";
import { h } from "./dom.js";
import { createGraph } from "./graph_panel.js";
import { createInspector } from "./inspector.js";
import { keepOffline } from "./offline.js";
import { isEmpty } from "./protocol.js";
import { recall, remember } from "./remembered.js";
import { createSearch } from "./search_view.js";
import { createSettings } from "./settings_view.js";
import { createShell } from "./shell.js";
import { TEXTS } from "./texts.js";

/** @import { CallOptions } from "./client.js" */
/** @import { Answer, Citation, GraphItem, Operation, Status } from "./protocol.js" */

/** @typedef {keyof typeof TEXTS.tabs} Tab */
/** A part of the page. `refresh` follows a change of the memory, `show` its tab being opened.
 * @typedef {{element: HTMLElement, refresh(): void, show?(): void}} View */

/** What a view may ask of the rest of the page.
 * @typedef {object} App
 * @property {Client} client
 * @property {string} namespace
 * @property {boolean} returning  whether this browser has had a memory here before
 * @property {Status | null} status  of the present namespace; null until it is known
 * @property {boolean} stored  whether the browser keeps the memory
 * @property {string} model  the name of the model in use, or ""
 * @property {(operation: Operation, options?: Record<string, unknown>, extra?: CallOptions) => Promise<any>} call
 *   runs an operation in the present namespace
 * @property {(work: () => Promise<void>) => Promise<void>} attempt  runs `work` and tells the user when it fails
 * @property {(message: string, tone?: "good" | "bad") => void} say
 * @property {(tab: Tab) => void} go
 * @property {(node: GraphItem) => void} showNode
 * @property {(place: Citation | {source_ref: string}) => void} showDocument
 * @property {(id: string) => void} walkFrom
 * @property {(answer: Answer) => void} showUsed
 * @property {(question: string) => void} askQuestion
 * @property {(namespace: string) => Promise<void>} useNamespace
 * @property {() => Promise<void>} refresh  after anything was written
 * @property {() => Promise<void>} open */

export const FILE_NAME = "lorelite.db";
const TABS = /** @type {Tab[]} */ (Object.keys(TEXTS.tabs));
const NAMESPACE_KEY = "lorelite.namespace";
const FIRST_NAMESPACE = "main";
const SAVE_AGAIN_AFTER = 5000;
/** What the pages of this site tell each other. */
const tabs = new BroadcastChannel("lorelite");
const TAKEN = "taken over";

const shell = createShell({ onTab: (tab) => app.go(tab), onNamespace: (namespace) => app.useNamespace(namespace) });
const boot = createBoot({ onAgain: () => (boot.enter("open"), app.open()), onTakeOver: takeOver, onReplace: replaceFile });
const lastNamespace = recall(NAMESPACE_KEY);
const client = new Client(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), {
  onStep: boot.enter,
  onStopped: (step, error) => (boot.stop(step, error), shell.setState("stopped")),
  onWaiting: (waiting) => shell.setBusy(waiting > 0),
});

/** @type {App} */
const app = {
  client,
  namespace: typeof lastNamespace === "string" ? lastNamespace : FIRST_NAMESPACE,
  returning: lastNamespace !== null,
  status: null,
  stored: false,
  model: "",
  call: (operation, options = {}, extra = {}) =>
    client.call(operation, { namespace: app.namespace, ...options }, extra),
  attempt: async (work) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EngineError)) console.error(error);
      shell.say(error instanceof EngineError ? error.message : TEXTS.errors.unexpected, "bad");
    }
  },
  say: shell.say,
  go,
  showNode: (node) => inspector.showNode(node),
  showDocument: (place) => inspector.showDocument(place),
  walkFrom: (id) => (app.go("graph"), graph.walkFrom(id)),
  showUsed: (answer) => (app.go("graph"), graph.showGraph(answer.graph, TEXTS.graph.used)),
  askQuestion: (question) => (app.go("ask"), ask.ask(question)),
  useNamespace: async (namespace) => {
    app.namespace = namespace;
    inspector.close();
    ask.clear();
    await app.refresh();
  },
  refresh: async () => {
    const [status, namespaces] = await Promise.all([app.call("status"), client.call("namespaces")]);
    app.status = status;
    remember(NAMESPACE_KEY, app.namespace);
    visited.add(app.namespace);
    shell.setNamespaces([...new Set([...visited, ...namespaces])].sort(), app.namespace);
    Object.values(views).forEach((view) => view.refresh());
    settleState();
  },
  open: () => opened(() => client.open(FILE_NAME)),
};

const inspector = createInspector(app);
const documents = createDocuments(app);
const search = createSearch(app);
const graph = createGraph(app);
const ask = createAsk(app);
const settings = createSettings(app);
/** @type {Record<Tab, View>} */
const views = { documents, search, graph, ask, settings };
/** @type {Tab} */
let shown = "documents";
let saving = false;
/** Namespaces opened in this tab: one in which nothing was written yet is known here alone.  @type {Set<string>} */
const visited = new Set();

/** @param {() => Promise<{stored: boolean, reason: string}>} open */
async function opened(open) {
  try {
    const { stored } = await open();
    app.stored = stored;
    boot.done(stored);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    boot.stop("open", error);
    shell.setState("stopped");
    return;
  }
  await app.attempt(beginWithClassroom);
  await app.attempt(app.refresh);
  await app.attempt(settings.reconnect);
  keepOffline(() => app.say(TEXTS.newer));
}

/** Where nothing is kept yet: begin with the memory that a classroom brings. */
async function beginWithClassroom() {
  if ((await client.call("namespaces")).length) return;
  const first = await firstMemory();
  if (!first) return;
  await client.replace(first.bytes);
  app.namespace = first.namespace || (await client.call("namespaces"))[0] || app.namespace;
}

/** Write here from now on, and tell the tab that wrote before. */
async function takeOver() {
  boot.enter("open");
  await opened(() => client.open(FILE_NAME, true));
  if (app.stored) tabs.postMessage(TAKEN);
}

/** Put a file in the place of a memory that cannot be opened.  @param {File} file */
async function replaceFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  await opened(() => client.replace(bytes));
}

/** @param {Tab} tab */
function go(tab) {
  shown = tab;
  location.hash = tab;
  shell.showTab(tab, views[tab].element);
  views[tab].show?.();
}

function tabOfAddress() {
  const wanted = /** @type {Tab} */ (location.hash.slice(1));
  return TABS.includes(wanted) ? wanted : "documents";
}

/** Say whether all is saved; while it is not, try. */
function settleState() {
  if (!app.stored) shell.setState("memory");
  else if (!app.status?.unflushed) shell.setState("ready");
  else save();
}

async function save() {
  if (saving) return;
  saving = true;
  shell.setState("unsaved");
  const failed = await client.call("flush").then(() => false, () => true);
  saving = false;
  if (app.status) app.status.unflushed = failed;
  settings.refresh();
  shell.setState(failed ? "failing" : "ready");
  if (failed) setTimeout(save, SAVE_AGAIN_AFTER);
}

/** Whether closing the tab now would lose something. */
function wouldLose() {
  return documents.isReading() || Boolean(app.stored ? app.status?.unflushed : !isEmpty(app.status));
}

tabs.addEventListener("message", ({ data }) => {
  if (data !== TAKEN || !app.stored) return;
  app.stored = false;
  boot.stop("open", new EngineError({ name: "WriterLocked", message: TEXTS.boot.locked, data: {} }));
  shell.setState("stopped");
});
document.body.replaceChildren(shell.element, inspector.element);
shell.main.prepend(boot.element);
Object.values(views).forEach((view) => shell.main.append(view.element));
addEventListener("hashchange", () => tabOfAddress() !== shown && go(tabOfAddress()));
addEventListener("beforeunload", (event) => wouldLose() && event.preventDefault());
addEventListener("visibilitychange", () => {
  if (document.hidden && app.stored && app.status) client.call("flush").catch(() => {});
});
documents.takeDropsOn(h("div", { class: "drop-veil", hidden: true }, h("p", {}, TEXTS.documents.drop)));
shell.setNamespaces([app.namespace], app.namespace);
documents.refresh();
go(tabOfAddress());
app.open();
