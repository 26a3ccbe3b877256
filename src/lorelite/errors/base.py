"""The root of the tree, and errors of how a wiki is used."""

from __future__ import annotations

from typing import Any


class LoreliteError(Exception):
    """Base of every error raised on purpose. `data` holds the particulars, by name."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.data: dict[str, Any] = data


class InvalidOption(LoreliteError, ValueError):
    """An argument is out of its range or of the wrong kind."""

    def __init__(self, field: str, expected: str, found: object) -> None:
        super().__init__(
            f"{field}: expected {expected}, found {shown(found)}",
            field=field,
            expected=expected,
            found=found,
        )


class NotFound(LoreliteError, LookupError):
    """Something asked for by id or name is not there."""

    def __init__(self, kind: str, name: str, hint: str = "") -> None:
        super().__init__(f"{kind} {shown(name)} was not found{'; ' + hint if hint else ''}", kind=kind, name=name)


class ClosedError(LoreliteError):
    """The wiki, graph or store was closed; open it again to go on."""

    def __init__(self, path: str, kind: str = "wiki", opened_by: str = "Wiki.open(path)") -> None:
        super().__init__(f"the {kind} {shown(path)} is closed; open it again with {opened_by}", path=path)


class NoHistory(LoreliteError):
    """What was asked rests on the log of changes, which is not kept or begins later.

    `data["earliest"]` is the first moment that it reaches back to, None when there is none.
    """

    def __init__(self, what: str, path: str, earliest: int | None, moment: int | None) -> None:
        if earliest is None:
            found = "this wiki keeps none (WikiConfig.record_changes is False), or writes went past it"
            remedy = "open it with record_changes=True; history begins with the next write"
        else:
            found = f"it begins at {earliest}" + ("" if moment is None else f", later than {moment}")
            remedy = f"ask for {earliest} or later; WikiConfig.prune_changes_after_days says how long changes are kept"
        super().__init__(
            f"{what} of {shown(path)} needs the log of changes, but {found}; {remedy}",
            what=what,
            path=path,
            earliest=earliest,
            moment=moment,
        )


class TransactionError(LoreliteError):
    """A transaction was used in a way that cannot be kept all-or-nothing."""


class JobBusy(LoreliteError):
    """A job was called from within a job of the same namespace (a model, a hook): it would wait for itself."""

    def __init__(self, kind: str, namespace: str) -> None:
        super().__init__(
            f"{kind} on namespace {shown(namespace)} was called from within a job of that namespace, which would wait "
            "for itself; call it when that job has ended",
            kind=kind,
            namespace=namespace,
        )


class PrunePartialFailure(LoreliteError):
    """The vector ranker could not be told that a node is gone; what it was told of is removed, the rest stays deleted.

    `data`: deleted and remaining count nodes, failed is the id of the one it stopped at, report what else was done.
    """

    def __init__(self, *, deleted: int, failed: str, remaining: int, report: Any, cause: Exception) -> None:
        super().__init__(
            f"prune removed {deleted:,} deleted nodes and stopped at {shown(failed)}, {remaining:,} were not tried: "
            f"{cause}; call run_prune again when the vector ranker answers",
            deleted=deleted,
            failed=failed,
            remaining=remaining,
            report=report,
            cause=cause,
        )


def shown(value: object, limit: int = 80) -> str:
    """repr() of *value*, short enough for a message."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
