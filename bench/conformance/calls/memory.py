"""Facts, tasks, trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bench.conformance import reference_shape
from bench.conformance.rows import Unavailable
from bench.conformance.values import renamed
from lorelite import NotFound

if TYPE_CHECKING:
    from bench.conformance.session import Session


def _moment(value: Any) -> int | None:
    """Milliseconds as they are, ISO 8601 as milliseconds."""
    return round(datetime.fromisoformat(value).timestamp() * 1_000) if isinstance(value, str) else value


def _row(session: Session, id: str) -> str:
    """The keyword that names a row of ours: the reference has two methods for everything."""
    is_task = session.store.db.value("select 1 from task where id = ?", (id,)) is not None
    return "task_id" if is_task else "node_id"


def _told(change: Callable[[], Any]) -> None:
    try:
        change()
    except NotFound as error:
        raise Unavailable(f"NotFound here, silence there: {error}", blocks=False) from error


def _trust(session: Session, id: str, namespace: str, verified: Sequence[Mapping[str, Any]]) -> None:
    named: dict[str, Any] = {_row(session, id): id}

    def verify() -> None:
        for given in verified:
            session.wiki.verify(namespace, by=given["by"], at=_moment(given.get("at")), **named)

    _told(verify)


def _setter(field: str, value_of: Callable[[Any], Any]) -> Callable[..., None]:
    def change(session: Session, id: str, namespace: str, value: Any) -> None:
        given = {field: value_of(value)}
        if _row(session, id) == "task_id":
            _told(lambda: session.wiki.update_task(namespace, task_id=id, **given))
        else:
            _told(lambda: session.wiki.update_fact(namespace, node_id=id, **given))

    return change


def _generator(value: Any) -> Any:
    return value.get("by") if isinstance(value, Mapping) else value


def _supersede(session: Session, namespace: str, old_id: str, by: Any, options: Any = None) -> dict[str, Any]:
    report = session.wiki.supersede(namespace, node_id=old_id, by=by, **renamed(options))
    return {"newId": report.new_id}


def _history(session: Session, namespace: str, id: str) -> Any:
    return session.wiki.history(namespace, node_id=id)


def _bundle(session: Session, namespace: str) -> dict[str, Any]:
    return reference_shape.bundle(session.wiki.get_memory_bundle(namespace))


_SETTERS: dict[str, Callable[..., Any]] = {
    "writeOkfTrust": _trust,
    "writeOkfSources": _setter("sources", lambda value: value or ()),
    "setLifecycleStatus": _setter("lifecycle", lambda value: value),
    "setStaleAfter": _setter("stale_after", _moment),
    "setGeneratedBy": _setter("generated_by", _generator),
}
CALLS: dict[str, Callable[..., Any]] = {
    **_SETTERS,
    **{f"{name}Task": setter for name, setter in _SETTERS.items()},
    "supersede": _supersede,
    "history": _history,
    "getMemoryBundle": _bundle,
}
ERRORS = {"WikiSupersedeError": "SupersedeError"}
READS_ONLY = {"history", "getMemoryBundle"}
