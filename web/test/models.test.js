import assert from "node:assert/strict";
import { test } from "node:test";
import { gathered, messages } from "../src/models/chat.js";
import { serve, through } from "../src/models/relay.js";

/** A model that writes what it was asked, word by word, and waits for its signal when asked to.
 *  @returns {import("../src/models/kinds.js").InPage} */
const echo = () => ({
  name: "echo",
  async complete({ user, signal }, onText) {
    if (user === "fail") throw Object.assign(new Error("too long"), { name: "QuotaExceededError" });
    if (user === "wait") await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    for (const word of user.split(" ")) onText(word);
    return { text: user, model: "echo", finish: "stop" };
  },
  embed: async (texts) => texts.map((text) => [text.length, 1]),
  close() {},
});

/** @param {string} name  @param {(model: import("../src/models/kinds.js").InPage) => Promise<void>} check */
async function relayed(name, check) {
  const stop = serve(name, echo());
  const model = await through(name);
  try {
    await check(model);
  } finally {
    model.close();
    stop();
  }
}

test("a relayed model answers, tells its pieces in order, and keeps requests apart", () =>
  relayed("relay-1", async (model) => {
    assert.equal(model.name, "echo");
    /** @type {string[][]} */
    const told = [[], []];
    const replies = await Promise.all(["one two", "three"].map((user, at) => model.complete({ system: "", user }, (piece) => told[at].push(piece))));
    assert.deepEqual(replies.map((reply) => reply.text), ["one two", "three"]);
    assert.deepEqual(told, [["one", "two"], ["three"]]);
    assert.deepEqual(await model.embed?.(["ab", "c"]), [[2, 1], [1, 1]]);
  }));

test("a relayed model's error keeps its name", () =>
  relayed("relay-2", (model) => assert.rejects(model.complete({ system: "", user: "fail" }, () => {}), { name: "QuotaExceededError", message: "too long" })));

test("a request that nobody waits for any longer is stopped in the window", () =>
  relayed("relay-3", async (model) => {
    const controller = new AbortController();
    const waiting = model.complete({ system: "", user: "wait", signal: controller.signal }, () => {});
    controller.abort();
    await assert.rejects(waiting, { message: "aborted" });
  }));

test("a worker that asks first waits until a window serves, and until its model is loaded", async () => {
  const [name, patience] = ["relay-4", 300];
  const asking = through(name, patience);
  const loaded = new Promise((resolve) => setTimeout(() => resolve(echo()), 2 * patience));
  const stop = serve(name, /** @type {any} */ (loaded));
  const model = await asking;
  assert.equal((await model.complete({ system: "", user: "Hi" }, () => {})).text, "Hi");
  model.close();
  stop();
});

test("what keeps the window's model from loading is told to the worker", async () => {
  const stop = serve("relay-5", Promise.reject(Object.assign(new Error("no model here"), { name: "NotSupportedError" })));
  await assert.rejects(through("relay-5"), { name: "NotSupportedError", message: "no model here" });
  stop();
});

test("a name under which nothing is served is told as such", () => assert.rejects(through("relay-none", 20), { name: "InvalidStateError" }));

test("a stream in the OpenAI form is put together, with why it ended and what it cost", async () => {
  async function* pieces() {
    yield { choices: [{ delta: { role: "assistant", content: null } }] };
    yield { choices: [{ delta: { content: "Hel" } }] };
    yield { choices: [{ delta: { content: "lo" }, finish_reason: "length" }] };
    yield { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
  }
  /** @type {string[]} */
  const told = [];
  assert.deepEqual(await gathered(pieces(), (piece) => told.push(piece)), { text: "Hello", finish: "length", input_tokens: 3, output_tokens: 2 });
  assert.deepEqual(told, ["Hel", "lo"]);
});

test("an empty system part is no message", () => assert.deepEqual(messages({ system: "", user: "Hi" }), [{ role: "user", content: "Hi" }]));
