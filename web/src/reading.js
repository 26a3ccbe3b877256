/** From a dropped file to text: decoding, and HTML to its words. */

const BLOCKS = "p,div,section,article,header,footer,li,tr,h1,h2,h3,h4,h5,h6,pre,blockquote,br,table,ul,ol";

/** The text of a file; throws when it is not text.  @param {File} file  @returns {Promise<string>} */
export async function textOf(file) {
  const text = decoded(new Uint8Array(await file.arrayBuffer()));
  return /\.x?html?$/i.test(file.name) ? textOfHtml(text) : text;
}

/** UTF-8, or UTF-16 with its mark.  @param {Uint8Array} bytes */
export function decoded(bytes) {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

/** What a reader sees of an HTML page. The parsed page is inert: nothing in it is run or fetched.
 *  @param {string} html */
function textOfHtml(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll("script,style,noscript,template,nav").forEach((each) => each.remove());
  page.querySelectorAll(BLOCKS).forEach((each) => each.after("\n"));
  const heading = page.title ? `# ${page.title}\n\n` : "";
  return heading + (page.body.textContent ?? "").replace(/[ \t]+/g, " ").replace(/ ?\n ?/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}
