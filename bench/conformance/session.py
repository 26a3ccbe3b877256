"""A Lorelite wiki that understands the steps of a case: calls, SQL, errors and model replies translated."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from bench.conformance import calls, rows
from bench.conformance.rows import Unavailable
from bench.conformance.values import decode, pick, plain, snake
from lorelite import Diagnostic, Hooks, LoreliteError, ModelError, RankerFallback, Usage, Wiki, WikiConfig
from lorelite.ports import ModelReply, ModelRequest
from lorelite.store.store import Store

EPOCH = 1_700_000_000_000

table = cache(calls.table)


class Session:
    """A wiki in memory, a clock that stands still, what the wiki told, and the results of the steps so far."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.now = int(case.get("clock", EPOCH))
        self.results: dict[int, Any] = {}
        self.statuses: list[dict[str, bool]] = []
        self.ids: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        self.fallbacks: list[Exception] = []
        self.ranker_fallbacks: list[RankerFallback] = []
        self.model = CaseModel(case["llm"]) if "llm" in case else None
        self.embedder = CaseEmbedder(case["embed"]) if "embed" in case else None
        self.store = Store(":memory:", clock=lambda: self.now)
        opened: dict[str, Any] = {}
        for key, function in table("OPEN").items():
            if key in case:
                opened |= function(self, case[key])
        for key in ("ranker", "subscribe"):
            if key in case and key not in table("OPEN"):
                raise Unavailable(f"{key!r} of a case is not mapped yet", blocks=True)
        self.wiki = Wiki.open(
            ":memory:",
            store=self.store,
            model=self.model,
            embedder=self.embedder,
            # A case's model and embedder change their minds between two steps: what they said before is no answer.
            config=WikiConfig(
                replay="off", ask_again=False, **_config(case.get("config", {})), **opened.pop("config", {})
            ),
            hooks=Hooks(
                on_diagnostic=self.diagnostics.append,
                on_retrieval_fallback=self.fallbacks.append,
                on_vector_ranker_fallback=self.ranker_fallbacks.append,
            ),
            **opened,
        )

    def close(self) -> None:
        self.wiki.close()

    def step(self, number: int, step: Mapping[str, Any]) -> dict[str, Any]:
        """What the step gave: {"ok": value}, {"error": class name} or {"raised": an error that is no LoreliteError}.

        Raises Unavailable.
        """
        run = _STEPS.get(step["op"]) or table("STEPS").get(step["op"])
        if run is None:
            raise Unavailable(f"step {step['op']!r} is not mapped", blocks=True)
        outcome, raw = _tried(run, self, step)
        if "ok" in outcome:
            self.results[number] = raw
            if "pick" in step:
                return {"ok": {path: pick(outcome["ok"], path) for path in step["pick"]}}
        return outcome

    def call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Call a method of the wiki. Raises Unavailable when there is none of that name yet."""
        if not hasattr(self.wiki, method):
            raise Unavailable(f"{method} is not built yet", blocks=True)
        return getattr(self.wiki, method)(*arguments, **options)

    def side(self, name: str) -> Any:
        """What the wiki told or spent, as the cases name it. Raises Unavailable."""
        read = _SIDES.get(name) or table("SIDES").get(name)
        if read is None:
            raise Unavailable(f"side value {name!r} is not mapped", blocks=False)
        return plain(read(self))


class CaseModel:
    """The replies of a case, one for each call; the last one answers all that follow."""

    name = "conformance"
    blocking = True

    def __init__(self, replies: Sequence[Any]) -> None:
        self._replies = replies
        self.requests: list[ModelRequest] = []

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return [self._answer(request) for request in requests]

    def as_blocking(self) -> CaseModel:
        return self

    def _answer(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        reply = self._replies[min(len(self.requests), len(self._replies)) - 1]
        if isinstance(reply, dict) and "throw" in reply:
            return ModelReply(error=ModelError(reply["throw"]))
        return ModelReply(text=reply if isinstance(reply, str) else json.dumps(reply), usage=Usage(calls=1))


class CaseEmbedder:
    """Vectors looked up by text; an "embed" step gives another table, {"throw": message} fails."""

    model_id = "conformance-table"
    blocking = True

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.calls = 0

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls += len(texts)
        if "throw" in self.given:
            raise ModelError(self.given["throw"])
        known = self.given.get("map", {})
        # The reference embeds title and body with a space between them.
        return [decode(known.get(" ".join(text.split()), self.given["default"]), {}) for text in texts]

    def as_blocking(self) -> CaseEmbedder:
        return self


def _tried(run: Callable[..., Any], session: Session, step: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    try:
        raw = run(session, step)
        return {"ok": plain(raw)}, raw
    except LoreliteError as error:
        return {"error": type(error).__name__}, None
    except Unavailable:
        raise
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}, None


def _config(given: Mapping[str, Any]) -> dict[str, Any]:
    """The reference's config as fields of ours."""
    known = table("CONFIG")
    fields: dict[str, Any] = {}
    for key, value in given.items():
        field = known.get(key, snake(key) if snake(key) in WikiConfig.model_fields else Unavailable)
        if field is Unavailable:
            raise Unavailable(f"config {key!r} is not mapped yet", blocks=True)
        if callable(field):
            fields |= field(decode(value, {}))
        elif field is not None:
            fields[field] = decode(value, {})
    return fields


# -- steps --------------------------------------------------------------------------------------------------------


def _call(session: Session, step: Mapping[str, Any]) -> Any:
    method = step["method"]
    blocks = method not in calls.reads_only()
    run = table("CALLS").get(method)
    if run is None:
        raise Unavailable(f"{method} is not mapped yet", blocks=blocks)
    try:
        return run(session, *decode(step["args"], session.results))
    except Unavailable as missing:
        missing.blocks = missing.blocks and blocks
        raise


def _parallel(session: Session, step: Mapping[str, Any]) -> Any:
    """Our blocking face runs calls one after the other; each settles by itself."""
    outcomes = []
    for call in step["calls"]:
        outcome, _ = _tried(_call, session, call)
        outcomes.append(outcome)
    if "WikiBusyError" in json.dumps(step.get("observed")):
        raise Unavailable("the reference refuses what meets a job under way, ours waits for its turn", blocks=False)
    return outcomes


def _query(session: Session, step: Mapping[str, Any]) -> Any:
    views = rows.VIEWS | table("VIEWS")
    tables = set(re.findall(r"\bllm_wiki_\w+", step["sql"]))
    unknown = sorted(tables - views.keys())
    if unknown:
        raise Unavailable(f"SQL on {', '.join(unknown)} has no counterpart", blocks=False)
    # How often nodes were read is written with the next write.
    session.wiki.flush()
    database = session.store.db.connection
    for name in tables:
        database.execute(f"create temp view if not exists {name} as {views[name]}")
    try:
        return [dict(row) for row in database.execute(step["sql"])]
    except sqlite3.OperationalError as error:
        raise Unavailable(f"SQL: {error}", blocks=False) from error


def _function(session: Session, step: Mapping[str, Any]) -> Any:
    run = table("FUNCTIONS").get(step["name"])
    if run is None:
        raise Unavailable(f"{step['name']} is not mapped yet", blocks=False)
    return run(session, *decode(step["args"], session.results))


def _tick(session: Session, step: Mapping[str, Any]) -> None:
    session.now += step["ms"]


def _embed(session: Session, step: Mapping[str, Any]) -> None:
    assert session.embedder is not None
    session.embedder.given = step["embed"]


def _settle(session: Session, step: Mapping[str, Any]) -> None:
    """Our blocking face leaves nothing running in the background."""


def _sync(session: Session, step: Mapping[str, Any]) -> None:
    session.wiki.sync_search_index(step["entity"])


def _exists(session: Session, step: Mapping[str, Any]) -> bool:
    raise Unavailable(f"whether the reference has {step['method']} does not concern us", blocks=False)


_STEPS: Mapping[str, Callable[[Session, Mapping[str, Any]], Any]] = {
    "call": _call,
    "parallel": _parallel,
    "query": _query,
    "fn": _function,
    "tick": _tick,
    "embed": _embed,
    "settle": _settle,
    "sync": _sync,
    "exists": _exists,
}

_SIDES: Mapping[str, Callable[[Session], Any]] = {
    "llmCalls": lambda session: len(session.model.requests) if session.model else 0,
    "embedCalls": lambda session: session.embedder.calls if session.embedder else 0,
    "diagnostics": lambda session: sorted(diagnostic.code for diagnostic in session.diagnostics),
    "retrievalFallbacks": lambda session: [str(error) for error in session.fallbacks],
}
