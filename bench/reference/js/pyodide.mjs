// Ours inside Pyodide as a subject of the comparison: node pyodide.mjs DIST REPOSITORY
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { serve } from "./serve.mjs";

const [dist, repository] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.resolve(dist, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: path.resolve(dist) + "/", stdout: console.error });
await pyodide.loadPackage("lorelite", { messageCallback: () => {} });
const bench = path.join(repository, "bench");
pyodide.FS.mkdirTree("/repository/bench");
pyodide.mountNodeFS("/repository/bench", fs.realpathSync(bench));
const operations = pyodide.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path.append("/repository")
import json
from bench.reference.ours import Ours
ours = Ours()
lambda name, given: json.dumps(getattr(ours, name)(**json.loads(given)))
`);
const call = (name) => async (given) => JSON.parse(operations(name, JSON.stringify(given)));

await serve({
  ...Object.fromEntries(["prepare", "close", "open", "keyword", "semantic", "hybrid", "add", "walk"].map((name) => [name, call(name)])),
  /** A file of this machine into the memory of the page. */
  copy: async ({ path: outside, to }) => pyodide.FS.writeFile(to, fs.readFileSync(outside)),
});
