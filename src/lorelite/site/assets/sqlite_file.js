/**
 * The rows of a table of a SQLite file that lies in memory, read from its pages: no more than a search needs.
 * Format: https://www.sqlite.org/fileformat2.html. Tables with a rowid, text in UTF-8.
 */

const MAGIC = "SQLite format 3\0";
const LEAF = 13;
const INNER = 5;

export class SqliteFile {
  /** @param {ArrayBuffer} buffer the whole file */
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
    this.decoder = new TextDecoder();
    if (buffer.byteLength < 512 || this.decoder.decode(this.bytes.subarray(0, 16)) !== MAGIC) {
      throw new Error("brain.db is not a SQLite file");
    }
    const size = this.view.getUint16(16);
    this.pageSize = size === 1 ? 65536 : size;
    this.usable = this.pageSize - this.bytes[20];
  }

  /**
   * Every row of a table, as an object of its columns.
   * @param {string} name
   * @returns {Generator<Record<string, any>>}
   */
  *rows(name) {
    for (const { values } of this.#records(1)) {
      const [type, , table, root, sql] = values;
      if (type === "table" && table === name) {
        const columns = columnsOf(sql);
        for (const record of this.#records(root)) {
          yield Object.fromEntries(columns.map((column, at) => [
            column.name, column.isRowid ? record.rowid : (record.values[at] ?? null),
          ]));
        }
        return;
      }
    }
    throw new Error(`brain.db has no table ${name}`);
  }

  /** @param {number} root @returns {Generator<{rowid: number, values: any[]}>} */
  *#records(root) {
    const start = (root - 1) * this.pageSize;
    const head = root === 1 ? start + 100 : start;
    const kind = this.bytes[head];
    const cells = this.view.getUint16(head + 3);
    const list = head + (kind === INNER ? 12 : 8);
    for (let cell = 0; cell < cells; cell += 1) {
      const at = start + this.view.getUint16(list + 2 * cell);
      if (kind === INNER) yield* this.#records(this.view.getUint32(at));
      else if (kind === LEAF) yield this.#record(at);
      else throw new Error("brain.db is damaged, or its table has no rowid");
    }
    if (kind === INNER) yield* this.#records(this.view.getUint32(head + 8));
  }

  /** @param {number} at */
  #record(at) {
    const [size, afterSize] = varint(this.bytes, at);
    const [rowid, body] = varint(this.bytes, afterSize);
    const most = this.usable - 35;
    if (size <= most) return { rowid, values: this.#values(this.bytes.subarray(body, body + size)) };
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const fitting = least + ((size - least) % (this.usable - 4));
    const here = fitting <= most ? fitting : least;
    const whole = new Uint8Array(size);
    whole.set(this.bytes.subarray(body, body + here));
    let page = this.view.getUint32(body + here);
    for (let done = here; done < size;) {
      const from = (page - 1) * this.pageSize;
      const part = Math.min(size - done, this.usable - 4);
      whole.set(this.bytes.subarray(from + 4, from + 4 + part), done);
      done += part;
      page = this.view.getUint32(from);
    }
    return { rowid, values: this.#values(whole) };
  }

  /** @param {Uint8Array} record */
  #values(record) {
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    let [end, at] = varint(record, 0);
    let body = end;
    const values = [];
    while (at < end) {
      let kind;
      [kind, at] = varint(record, at);
      const size = kind >= 12 ? (kind - (kind % 2 ? 13 : 12)) / 2 : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][kind];
      values.push(this.#value(kind, record.subarray(body, body + size), view, body));
      body += size;
    }
    return values;
  }

  /** @param {number} kind @param {Uint8Array} bytes @param {DataView} view @param {number} at */
  #value(kind, bytes, view, at) {
    if (kind >= 12) return kind % 2 ? this.decoder.decode(bytes) : bytes.slice();
    if (kind === 7) return view.getFloat64(at);
    if (kind === 8 || kind === 9) return kind - 8;
    if (!bytes.length) return null;
    let value = bytes[0] > 127 ? bytes[0] - 256 : bytes[0];
    for (const byte of bytes.subarray(1)) value = value * 256 + byte;
    return value;
  }
}

/** @param {Uint8Array} bytes @param {number} at @returns {[number, number]} value, and where it ends */
function varint(bytes, at) {
  let value = 0;
  for (let count = 0; count < 8; count += 1) {
    const byte = bytes[at + count];
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, at + count + 1];
  }
  return [value * 256 + bytes[at + 8], at + 9];
}

/** @param {string} sql of CREATE TABLE @returns {{name: string, isRowid: boolean}[]} */
function columnsOf(sql) {
  const inner = sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")")).replace(/--[^\n]*|\/\*.*?\*\//gs, "");
  const parts = [""];
  let depth = 0;
  for (const char of inner) {
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts
    .map((part) => part.trim())
    .filter((part) => part && !/^(primary|unique|check|foreign|constraint)\b/i.test(part))
    .map((part) => ({
      name: part.match(/^["`[]?([^\s"`\]]+)/)?.[1] ?? "",
      isRowid: /\binteger\s+primary\s+key\b/i.test(part),
    }));
}
