// SQLite with FTS5 in a real Pyodide, over the block store, through the Python side that the wheel carries.
import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import path from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

const dist = path.resolve(import.meta.dirname, "../../build/dist/test");

/** @type {any} */
let pyodide;

before(async () => {
  const { loadPyodide } = await import(pathToFileURL(path.join(dist, "pyodide.mjs")).href);
  pyodide = await loadPyodide({ indexURL: dist + "/" });
  await pyodide.loadPackage("lorelite", { messageCallback: () => {} });
  await pyodide.runPythonAsync(`
import os, sqlite3
from lorelite.browser.storage import available, delete_storage, open_storage

def connect(storage):
    db = sqlite3.connect(storage.path, isolation_level=None)
    db.execute("pragma locking_mode=exclusive")
    db.execute("pragma journal_mode=memory")
    return db
`);
});

/** @param {string} code */
const python = async (code) => JSON.parse(await pyodide.runPythonAsync(`import json\n${code}`));

test("a table with full-text search is found again after closing", async () => {
  const found = await python(`
assert available()
storage = await open_storage("class")
assert await open_storage("class") is storage
await storage.close()
assert os.path.isdir("/lorelite/class")
db = connect(storage)
db.execute("create virtual table d using fts5(body)")
db.executemany("insert into d values (?)", [(f"row {i} about foxes and 狐狸",) for i in range(2000)])
storage.touch()
assert storage.unflushed
await storage.flush()
assert not storage.unflushed
exported = storage.export()
db.close()
await storage.close()
assert not os.path.exists(storage.path)
await storage.close()
storage = await open_storage("class")
db = connect(storage)
result = [
    db.execute("select count(*) from d where d match 'foxes'").fetchone()[0],
    db.execute("pragma integrity_check").fetchone()[0],
    storage.export() == exported,
    exported[:15].decode(),
]
db.close()
await storage.close()
json.dumps(result)`);
  assert.deepEqual(found, [2000, "ok", true, "SQLite format 3"]);
});

test("a small commit in a large file writes little", async () => {
  const written = await python(`
storage = await open_storage("large")
db = connect(storage)
db.execute("create table t (id integer primary key, body text)")
db.executemany("insert into t (body) values (?)", [("x" * 1000,) for i in range(5000)])
await storage.flush()
before = storage._store.bytesWritten
db.execute("insert into t (body) values ('one more')")
await storage.flush()
written = storage._store.bytesWritten - before
db.close()
await storage.close()
json.dumps(written)`);
  assert(written <= 3 * 32768, `${written} bytes`);
});

test("a rollback journal in the mount is made and removed as SQLite wants it", async () => {
  const names = await python(`
storage = await open_storage("journal")
db = sqlite3.connect(storage.path, isolation_level=None)
db.execute("pragma journal_mode=delete")
db.execute("create table t (x)")
db.execute("begin"); db.execute("insert into t values (1)"); 
during = sorted(os.listdir("/lorelite/journal"))
db.execute("rollback")
after = sorted(os.listdir("/lorelite/journal"))
rows = db.execute("select count(*) from t").fetchone()[0]
os.rename("/lorelite/journal/journal", "/lorelite/journal/moved"); os.rename("/lorelite/journal/moved", "/lorelite/journal/journal")
db.close()
db = sqlite3.connect(storage.path); db.execute("vacuum"); db.close()
await storage.close()
json.dumps([during, after, rows])`);
  assert.deepEqual(names, [["journal", "journal-journal"], ["journal"], 0]);
});

test("deleting forgets everything, and errors are Lorelite's own", async () => {
  const found = await python(`
from lorelite.errors import InvalidOption
storage = await open_storage("gone")
connect(storage).execute("create table t (x)")
await storage.close()
await delete_storage("gone")
storage = await open_storage("gone")
result = [storage.export() == b""]
await storage.close()
try:
    await open_storage("a/b")
except InvalidOption as error:
    result.append(str(error))
json.dumps(result)`);
  assert.deepEqual(found, [true, "name: expected 1 to 100 characters without '/', found 'a/b'"]);
});

test("a full storage is reported as StorageFull, and nothing is lost", async (context) => {
  const real = IDBObjectStore.prototype.put;
  const mocked = context.mock.method(IDBObjectStore.prototype, "put", /** @this {IDBObjectStore} */ function (/** @type {any} */ value, /** @type {any} */ key) {
    if (this.name === "blocks") throw new DOMException("no room", "QuotaExceededError");
    return real.call(this, value, key);
  });
  const message = await python(`
from lorelite.errors import StorageFull
storage = await open_storage("full")
db = connect(storage)
db.execute("create table t (x)")
try:
    await storage.flush()
    message = ""
except StorageFull as error:
    message = str(error)
json.dumps(message)`);
  assert.match(message, /no room to write 'full'/);
  mocked.mock.restore();
  assert.equal(await python(`
await storage.flush()
db.close()
await storage.close()
storage = await open_storage("full")
json.dumps(connect(storage).execute("select count(*) from t").fetchone()[0])`), 0);
});
