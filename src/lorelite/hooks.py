"""What a wiki tells its caller while it works: one record of functions, all optional."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Caller = Literal["call", "auto"]
"""Who started a job: a call, or a threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something that went otherwise than asked, without failing the call: a fact refused, an edge left out.

    `message` never quotes what a namespace holds; `detail` names rows by id and says why.
    """

    code: str
    severity: Literal["info", "warning", "error"]
    operation: str
    """The call or job, e.g. "ingest_document"."""
    namespace: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    caller: Caller = "call"
    at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankerFallback:
    """The vector ranker failed in a search of these namespaces."""

    namespaces: tuple[str, ...]
    policy: Literal["exact", "keyword", "empty", "throw"]
    error: Exception
    """A RankerFailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Functions a wiki calls; pass them as `Wiki.open(path, hooks=Hooks(on_diagnostic=print))`.

    They are called after the transaction they tell of. What a hook raises is dropped: telling must not undo the work.
    """

    on_diagnostic: Callable[[Diagnostic], None] | None = None
    on_retrieval_fallback: Callable[[Exception], None] | None = None
    """A search went on without its semantic part, because of this error."""
    on_vector_ranker_fallback: Callable[[RankerFallback], None] | None = None
    """The vector ranker failed in a search, which went on as `WikiConfig.vector_ranker_fallback` says."""
