// node pytest_node.mjs DIST [pytest arguments]: run the repository's tests with Lorelite's wheel inside Pyodide.
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const RUN = `
import importlib.util, os, sys
sys.dont_write_bytecode = True
os.chdir("/repository")
found = importlib.util.find_spec("lorelite").origin
if found.startswith("/repository"):
    raise ImportError(f"lorelite comes from {found}, not from the wheel")
import pytest
int(pytest.main([
    "-p", "no:cacheprovider",
    "-o", "addopts=--strict-markers --strict-config -ra --ignore=tests/browser",
    "-m", "not cpython_only",
    "-W", "ignore:unclosed database:ResourceWarning",  # which Python 3.11 does not tell of
    *arguments,
]))`;

const [dist, ...args] = process.argv.slice(2);
const shared = process.env.LORELITE_SHARED;
const { loadPyodide } = await import(pathToFileURL(path.resolve(dist, "pyodide.mjs")).href);
const pyodide = await loadPyodide({
  indexURL: path.resolve(dist) + "/",
  env: { HOME: "/home/pyodide", ...(shared && { LORELITE_SHARED: "/shared" }) },
});
await pyodide.loadPackage(["lorelite", "pytest", "hypothesis"], { messageCallback: () => {} });
mount("/repository", path.resolve(import.meta.dirname, "../.."));
if (shared) mount("/shared", shared);
try {
  const globals = pyodide.toPy({ arguments: args, __name__: "__main__" });
  process.exitCode = await pyodide.runPythonAsync(RUN, { globals });
} catch (error) {
  // Node would print the line of the minified source that threw, all of it.
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
process.exit();

/** A symbolic link is refused, so it is what it points to.  @param {string} inside  @param {string} outside */
function mount(inside, outside) {
  pyodide.FS.mkdirTree(inside);
  pyodide.mountNodeFS(inside, fs.realpathSync(outside));
}
