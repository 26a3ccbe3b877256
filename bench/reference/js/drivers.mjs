// SQLite for the reference engine: native (what a server has) and WebAssembly in memory (what a browser has).
import fs from "node:fs";

/** The adapter that the engine asks for, over a driver's `exec`, `run`, `all` and `close`. */
function adapter(driver) {
  const calls = {
    execAsync: async (sql) => driver.exec(sql),
    runAsync: async (sql, params = []) => driver.run(sql, params),
    getAllAsync: async (sql, params = []) => driver.all(sql, params),
    getFirstAsync: async (sql, params = []) => driver.all(sql, params)[0] ?? null,
    closeAsync: async () => driver.close(),
  };
  return {
    ...calls,
    async withTransactionAsync(work) {
      driver.exec("BEGIN");
      try {
        const result = await work(calls);
        driver.exec("COMMIT");
        return result;
      } catch (error) {
        driver.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

async function native(path) {
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  const statements = new Map();
  const prepared = (sql) => {
    if (!statements.has(sql)) statements.set(sql, db.prepare(sql));
    return statements.get(sql);
  };
  return adapter({
    exec: (sql) => db.exec(sql),
    run: (sql, params) => {
      const { changes, lastInsertRowid } = prepared(sql).run(...params);
      return { changes, lastInsertRowId: Number(lastInsertRowid) };
    },
    all: (sql, params) => prepared(sql).all(...params),
    close: () => {
      // Left in the write-ahead log's format, the file could not be opened in memory.
      db.pragma("journal_mode = DELETE");
      db.close();
    },
  });
}

let wasm;
async function inMemory(path) {
  if (wasm === undefined) {
    const { default: initialise } = await import("sql.js");
    wasm = await initialise();
  }
  const db = new wasm.Database(fs.readFileSync(path));
  const statements = new Map();
  const prepared = (sql) => {
    if (!statements.has(sql)) statements.set(sql, db.prepare(sql));
    return statements.get(sql);
  };
  return adapter({
    exec: (sql) => db.exec(sql),
    run: (sql, params) => {
      prepared(sql).run(params);
      return { changes: db.getRowsModified(), lastInsertRowId: 0 };
    },
    all: (sql, params) => {
      const statement = prepared(sql);
      statement.bind(params);
      const rows = [];
      while (statement.step()) rows.push(statement.getAsObject());
      statement.reset();
      return rows;
    },
    close: () => db.close(),
  });
}

export const drivers = { "better-sqlite3": native, "sql.js": inMemory };
