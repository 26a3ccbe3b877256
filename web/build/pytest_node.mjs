// node pytest_node.mjs DIST [pytest arguments]: run the repository's tests with Lorelite's wheel inside Pyodide.
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [dist, ...args] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, "../..");
const { loadPyodide } = await import(pathToFileURL(path.resolve(dist, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: path.resolve(dist) + "/", env: { HOME: "/home/pyodide", ...sharedData() } });
await pyodide.loadPackage(["lorelite", "pytest", "hypothesis"], { messageCallback: () => {} });
mount("/repository", root);
if (process.env.LORELITE_SHARED) mount("/shared", process.env.LORELITE_SHARED);

const code = await pyodide.runPythonAsync(
  `
import os, sys
sys.dont_write_bytecode = True
os.chdir("/repository")
import lorelite
if "/repository" in lorelite.__file__:
    raise SystemExit(f"lorelite was imported from {lorelite.__file__}, not from the wheel")
import pytest
int(pytest.main(["-p", "no:cacheprovider", "-o", "addopts=--strict-markers -ra --ignore=tests/browser", "-m", "not cpython_only", *arguments]))
`,
  { globals: pyodide.toPy({ arguments: args, __name__: "__main__" }) },
);
process.exit(code);

/** @param {string} inside @param {string} outside */
function mount(inside, outside) {
  pyodide.FS.mkdirTree(inside);
  pyodide.mountNodeFS(inside, path.resolve(outside));
}

function sharedData() {
  return process.env.LORELITE_SHARED ? { LORELITE_SHARED: "/shared" } : {};
}
