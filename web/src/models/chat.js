/** What the kinds of in-page models share. A leaf: the wheel carries these files too, and links them by hand. */

/** @import { Asked, OnText, Written } from "./kinds.js" */

/** The messages of a request in the chat form that most libraries take.  @param {Asked} asked */
export function messages({ system, user }) {
  const said = [{ role: "system", content: system }, { role: "user", content: user }];
  return said.filter((message) => message.content);
}

/** An address of the page's own, whole.  @param {string} path */
export const here = (path) => new URL(path, globalThis.document?.baseURI ?? self.location.href).href;

/** Import a library that the page serves.  @param {string | undefined} address */
export async function library(address) {
  if (!address) throw new Error("models/index.json names no library for this model");
  return import(here(address)).catch((error) => {
    throw new Error(`${address} cannot be loaded; it should be on this site: ${error.message}`, { cause: error });
  });
}

/** The pieces of a stream in the OpenAI form, told and put together.
 *  @param {AsyncIterable<any>} pieces  @param {OnText} onText  @returns {Promise<Written>} */
export async function gathered(pieces, onText) {
  let text = "";
  let finish = /** @type {"stop" | "length"} */ ("stop");
  let usage = /** @type {any} */ ({});
  for await (const { choices = [], usage: counted } of pieces) {
    const piece = choices[0]?.delta?.content ?? "";
    if (piece) onText(piece);
    text += piece;
    if (choices[0]?.finish_reason === "length") finish = "length";
    usage = counted ?? usage;
  }
  return { text, finish, input_tokens: usage.prompt_tokens ?? 0, output_tokens: usage.completion_tokens ?? 0 };
}
