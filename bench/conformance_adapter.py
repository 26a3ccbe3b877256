"""The reference engine's calls, spoken to a Lorelite wiki: names, options, dumps, SQL and errors translated.

Where the reference leaves an order open (edges of a walk, equal scores), values are compared without it.
"""

from __future__ import annotations

import dataclasses
import math
import re
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

import lorelite
from bench.conformance_rows import VIEWS, Unavailable, bundle, edge, node
from lorelite import LoreliteError, StoreError, Wiki
from lorelite.store.store import Store

EPOCH = 1_700_000_000_000

ERRORS = {
    "WikiGraphNodeOwnershipConflict": "NodeOwnershipConflict",
    "WikiSourceRefHashCollision": "SourceHashCollision",
}
"""The reference's error names; its plain "Error" stands for any LoreliteError."""

OPTIONS = {
    "minTraversalConfidence": "min_confidence",
    "maxTraversalNodes": "max_nodes",
    "traversalDirection": "direction",
    "entryId": "node_id",
    "includeEntityIds": "include_namespaces",
    "taskId": "task_id",
}
FUNCTIONS = {"validateLibrarianPromptTemplate": "validate_librarian_prompt"}

READS_ONLY = {"lint", "hasChanged", "exportDump", "listSourceRefs", "listEntityIds", "read", "traverseGraph"}
"""Methods that can be left out without changing what later steps see."""


class Session:
    """A wiki in memory, a clock that stands still, and the results of the steps so far."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.now = int(case.get("clock", EPOCH))
        self.results: dict[int, Any] = {}
        embedder = _TableEmbedder(case["embed"]) if "embed" in case else None
        self.store = Store(":memory:", clock=lambda: self.now)
        self.wiki = Wiki.open(":memory:", store=self.store, embedder=embedder)

    def close(self) -> None:
        self.wiki.close()

    def step(self, number: int, step: Mapping[str, Any]) -> dict[str, Any]:
        """What the step gave: {"ok": value} or {"error": class name}. Raises Unavailable."""
        run = _STEPS.get(step["op"])
        if run is None:
            raise Unavailable(f"step {step['op']!r} is not mapped", blocks=True)
        try:
            raw = run(self, step)
        except LoreliteError as error:
            return {"error": type(error).__name__}
        self.results[number] = raw
        value = plain(raw)
        if "pick" in step:
            value = {path: pick(value, path) for path in step["pick"]}
        return {"ok": value}


# -- values -------------------------------------------------------------------------------------------------------


def decode(value: Any, results: Mapping[int, Any]) -> Any:
    """The file's encodings undone: numbers beyond JSON, undefined, repeated text, results of earlier steps."""
    if isinstance(value, list):
        return [decode(item, results) for item in value]
    if not isinstance(value, dict):
        return value
    if "$num" in value:
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[value["$num"]]
    if "$undef" in value:
        return None
    if "$repeat" in value:
        text, times = value["$repeat"]
        return text * times
    if "$ref" in value:
        return results[value["$ref"]]
    return {key: decode(item, results) for key, item in value.items()}


def plain(value: Any) -> Any:
    """Records and rows as dictionaries and lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def pick(value: Any, path: str) -> Any:
    """`pick({"nodes": [{"id": "a"}]}, "nodes.id") == ["a"]`."""
    name, _, rest = path.partition(".")
    if name == "length" and isinstance(value, list):
        return len(value)
    found = [item.get(name) for item in value] if isinstance(value, list) else value.get(name)
    return pick(found, rest) if rest else found


def same(ours: Mapping[str, Any], observed: Mapping[str, Any]) -> bool:
    """Do our outcome and the observed one agree?"""
    if "error" in observed:
        expected = ERRORS.get(observed["error"]["name"])
        return "error" in ours and expected in (None, ours["error"])
    if "ok" not in ours:
        return False
    left, right = ours["ok"], plain(decode(observed["ok"], {}))
    return bool(_unordered(left) == _unordered(right))


def _unordered(value: Any) -> Any:
    """Edge lists sorted, since the reference gives them in no order."""
    if not isinstance(value, dict):
        return value
    return {
        key: sorted(item, key=repr) if key == "edges.id" and isinstance(item, list) else item
        for key, item in value.items()
    }


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


def _options(given: Mapping[str, Any] | None) -> dict[str, Any]:
    return {OPTIONS.get(key, snake(key)): value for key, value in (given or {}).items() if value is not None}


# -- steps --------------------------------------------------------------------------------------------------------


def _call(session: Session, step: Mapping[str, Any]) -> Any:
    method = step["method"]
    blocks = method not in READS_ONLY
    run = _CALLS.get(method)
    if run is None:
        raise Unavailable(f"{method} is not mapped yet", blocks=blocks)
    return run(session, *decode(step["args"], session.results))


def _upsert(session: Session, step: Mapping[str, Any]) -> Any:
    if not step.get("commitOnError"):
        return _upserted(session, step)
    with session.wiki.transaction():
        try:
            return _upserted(session, step)
        except LoreliteError as error:
            return {"caught": type(error).__name__}


def _upserted(session: Session, step: Mapping[str, Any]) -> Any:
    given = decode(step["params"], session.results)
    report = session.wiki.upsert_graph(
        step["entity"],
        source_ref=given["sourceRef"],
        source_hash=given["sourceHash"],
        nodes=given["nodes"],
        edges=[{snake(key): value for key, value in edge.items()} for edge in given["edges"]],
    )
    return {
        "nodesWritten": report.nodes_written,
        "edgesWritten": report.edges_written,
        "superseded": report.superseded,
    }


def _query(session: Session, step: Mapping[str, Any]) -> Any:
    tables = set(re.findall(r"\bllm_wiki_\w+", step["sql"]))
    unknown = sorted(tables - VIEWS.keys())
    if unknown:
        raise Unavailable(f"SQL on {', '.join(unknown)} has no counterpart", blocks=False)
    database = session.store.db.connection
    for name in tables:
        database.execute(f"create temp view if not exists {name} as {VIEWS[name]}")
    try:
        return [dict(row) for row in database.execute(step["sql"])]
    except sqlite3.OperationalError as error:
        raise Unavailable(f"SQL: {error}", blocks=False) from error


def _function(session: Session, step: Mapping[str, Any]) -> Any:
    name = FUNCTIONS.get(step["name"], snake(step["name"]))
    if not hasattr(lorelite, name):
        raise Unavailable(f"{name} is not built yet", blocks=False)
    arguments = decode(step["args"], session.results)
    if step["name"] == "formatContext":
        text = lorelite.format_context(bundle(arguments[0]), now=session.now, **_options(_at(arguments, 1)))
        # The reference's word for a namespace.
        return text.replace("{namespace=", "{entity_id=")
    if step["name"] == "formatGraphContext":
        graph = arguments[0]
        return lorelite.format_graph_context(lorelite.Graph() if isinstance(graph, dict) else graph)
    raise Unavailable(f"{step['name']} is not mapped yet", blocks=False)


def _tick(session: Session, step: Mapping[str, Any]) -> None:
    session.now += step["ms"]


def _sync(session: Session, step: Mapping[str, Any]) -> None:
    session.wiki.sync_search_index(step["entity"])


def _exists(session: Session, step: Mapping[str, Any]) -> bool:
    raise Unavailable(f"whether the reference has {step['method']} does not concern us", blocks=False)


_STEPS: Mapping[str, Callable[[Session, Mapping[str, Any]], Any]] = {
    "call": _call,
    "upsertGraph": _upsert,
    "query": _query,
    "fn": _function,
    "tick": _tick,
    "sync": _sync,
    "exists": _exists,
}


# -- calls --------------------------------------------------------------------------------------------------------


def _traverse(session: Session, namespace: str, options: Mapping[str, Any]) -> Any:
    return session.wiki.traverse_graph(namespace, **_options(options))


def _read(session: Session, namespace: str | list[str], query: str, options: Any = None) -> Any:
    found = session.wiki.read(namespace, query, **_options(options))
    return {
        "facts": found.facts,
        "tasks": found.tasks,
        "events": found.events,
        "edges": found.edges,
        "factScores": found.fact_scores,
        "metadata": {"query": found.metadata["query"], "entityIds": found.metadata["namespaces"]},
    }


def _forget(session: Session, namespace: str, options: Mapping[str, Any]) -> Any:
    report = session.wiki.forget(namespace, **_options(options))
    counts = {"deleted": {"entries": report.nodes, "tasks": report.tasks}}
    return counts | ({"metadataReset": True} if options.get("clearAll") else {})


def _source_refs(session: Session, namespace: str) -> Any:
    # The reference counts a source's facts, which our listing of documents does not say.
    return [
        {"sourceRef": document.source_ref, "sourceHash": document.source_hash}
        for document in session.wiki.list_source_refs(namespace)
    ]


def _namespaces(session: Session) -> Any:
    return session.wiki.list_namespaces()


def _reembed(session: Session, namespace: str, options: Any = None) -> Any:
    """Until there is `run_reembed`: missing and stale vectors are made, which is what it does when none is fresh."""
    store, wiki, model_id = session.store, session.wiki, _TableEmbedder.model_id
    if not (options or {}).get("skipExisting") and store.vectors.count(namespace, model_id):
        raise Unavailable("run_reembed is not built yet", blocks=True)
    missing = store.vectors.missing(namespace, model_id, ("fact",), after=0, limit=10_000)
    fresh = wiki.get_status(namespace).facts - len(missing)
    wiki.sync_search_index(namespace)
    return {"embedded": len(missing), "skipped": fresh, "failed": 0, "deferred": 0, "permanentlyFailed": 0}


def _import_dump(session: Session, dump: Mapping[str, Any], options: Any = None) -> None:
    """Write the rows as they are, with their ids and times, below the calls that would stamp new ones."""
    store = session.store
    for namespace, rows in dump["entities"].items():
        if rows.get("tasks") or rows.get("events"):
            raise Unavailable("import_dump is not built yet (tasks and events)", blocks=True)
        try:
            with store.atomic():
                store.namespaces.ensure(namespace)
                store.nodes.put([node(row) for row in rows.get("facts", ())])
                store.edges.add([edge(row) for row in rows.get("edges", ())])
        except (sqlite3.Error, StoreError) as error:
            raise Unavailable(f"import_dump is not built yet ({error})", blocks=True) from error
        session.wiki.sync_search_index(namespace)


_CALLS: Mapping[str, Callable[..., Any]] = {
    "traverseGraph": _traverse,
    "read": _read,
    "forget": _forget,
    "listSourceRefs": _source_refs,
    "listEntityIds": _namespaces,
    "runReembed": _reembed,
    "importDump": _import_dump,
}


def _at(items: list[Any], position: int) -> Any:
    return items[position] if position < len(items) else None


class _TableEmbedder:
    """Vectors looked up by text, as the cases give them."""

    model_id = "conformance-table"
    blocking = True

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    async def embed(self, texts: list[str]) -> list[list[float]]:
        known = self._given.get("map", {})
        # The reference embeds title and body with a space between them.
        return [list(map(float, known.get(" ".join(text.split()), self._given["default"]))) for text in texts]

    def as_blocking(self) -> _TableEmbedder:
        return self
