"""Errors of pipelines, strategies and the stores that knowledge graphs may be kept in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lorelite.errors.base import LoreliteError, shown


class PipelineOrderError(LoreliteError, ValueError):
    """A processor stands before one whose work it needs, or without it."""

    def __init__(self, processor: str, missing: Iterable[str]) -> None:
        missing = tuple(missing)
        super().__init__(
            f"pipeline: {processor} needs {', '.join(missing)} earlier in the list; put it there",
            processor=processor,
            missing=missing,
        )


class PipelineConfigMismatchError(LoreliteError, ValueError):
    """The graph was built by another pipeline; nothing was written. `data["diff"]` says what differs."""

    def __init__(
        self, namespace: str, stored: Mapping[str, Any], given: Mapping[str, Any], diff: Sequence[str]
    ) -> None:
        super().__init__(
            f"namespace {shown(namespace)} was built by another pipeline: {'; '.join(diff)}. Pass that pipeline, or an "
            "empty one to add documents without processing them, or choose another namespace; nothing was written",
            namespace=namespace,
            stored=stored,
            given=given,
            diff=tuple(diff),
        )


class SearchPrerequisiteError(LoreliteError, ValueError):
    """A strategy needs what a processor makes, and the graph's pipeline has no such processor."""

    def __init__(self, strategy: str, missing: Iterable[str]) -> None:
        missing = tuple(missing)
        super().__init__(
            f"{strategy} needs {', '.join(missing)}, which this graph's pipeline does not have; "
            "add it to the pipeline, or search by another strategy",
            strategy=strategy,
            missing=missing,
        )


class ClusteringAlgorithmError(LoreliteError, ValueError):
    """No such way to find communities."""

    def __init__(self, algorithm: object, known: Iterable[str]) -> None:
        known = tuple(known)
        super().__init__(
            f"algorithm: expected one of {', '.join(known)}, found {shown(algorithm)}", algorithm=algorithm, known=known
        )


class InsertAborted(LoreliteError):
    """An insert gave up after too many failures. What was done is kept, and the next insert goes on from there."""

    def __init__(self, message: str, report: object) -> None:
        super().__init__(message, report=report)


class ConfigError(LoreliteError, ValueError):
    """A configuration names what is not known, or lacks what is needed; `data["path"]` says where."""

    def __init__(self, path: str, expected: str, found: object = "nothing") -> None:
        super().__init__(f"{path}: expected {expected}, found {shown(found)}", path=path, expected=expected)


class UnsupportedStoreError(LoreliteError, TypeError):
    """A store lacks a capability that was asked of it."""

    def __init__(self, store: object, capability: str, methods: Iterable[str]) -> None:
        methods = tuple(methods)
        super().__init__(
            f"{type(store).__name__} is not {capability}: it needs {', '.join(methods)}",
            store=type(store).__name__,
            capability=capability,
            methods=methods,
        )


class IndexMismatchError(LoreliteError, ValueError):
    """A vector index is there with another dimension or metric."""

    def __init__(self, index: str, stored: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        super().__init__(
            f"vector index {shown(index)} is there with {dict(stored)}, found {dict(given)}; "
            "use another index name, or delete the index first",
            index=index,
            stored=dict(stored),
            given=dict(given),
        )


class VectorDimensionError(LoreliteError, ValueError):
    """Vectors that an index cannot take: another length, not finite, or of no length under cosine."""

    def __init__(self, index: str, expected: str, found: object) -> None:
        super().__init__(f"vector index {shown(index)}: expected {expected}, found {shown(found)}", index=index)


class FilterError(LoreliteError, ValueError):
    """A metadata filter that cannot be understood."""

    def __init__(self, expected: str, found: object) -> None:
        super().__init__(f"filter: expected {expected}, found {shown(found)}", expected=expected)
