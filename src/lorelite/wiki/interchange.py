"""The file, and what can be carried out of it and into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, overload

from lorelite import options
from lorelite.dumps import MemoryDump
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.opening import import_file
from lorelite.ports import OnProgress
from lorelite.reports import ExportReport, ImportReport
from lorelite.retrieve.ranker import rows_came_back, vectors_came
from lorelite.retrieve.semantic import embed_missing
from lorelite.revisions import OutboxEvent, RowCounts
from lorelite.wiki.core import Core

if TYPE_CHECKING:
    from lorelite.interchange.importing import Rename


class Interchange(Core):
    async def export_file(self, *, calls: bool = True) -> bytes:
        """The whole file, as bytes that any SQLite and any Lorelite opens.

        calls: False leaves the recorded model calls out, whose prompts quote documents and whose replies cost money.
        """
        return self._open_engine().store.to_bytes(calls=options.switch("calls", calls))

    @classmethod
    async def import_file(cls, path: str | Path, data: bytes) -> None:
        """Put an exported file at *path*, in place of what is there, after checking that it can be opened.

        Raises NotADatabase or NewerSchema, and leaves what is there as it is, when the bytes are no Lorelite file.
        """
        await import_file(path, data)

    async def get_outbox_events(
        self, *, consumer: str = "default", namespace: str | None = None, limit: int = 100
    ) -> list[OutboxEvent]:
        """The next changes that a consumer has not marked as processed, oldest first. Asking changes nothing.

        consumer: any name; each has a place in the log of its own, and a new one begins at the log's beginning.
        namespace: only its changes; use another consumer for another namespace. Raises NoHistory without a log.
        """
        from lorelite.timeline.outbox import outbox_events

        return outbox_events(
            self._open_engine(),
            options.node_id("consumer", consumer),
            None if namespace is None else options.namespace(namespace),
            options.whole_number("limit", limit, 0, 10_000),
        )

    async def mark_outbox_events_processed(
        self, up_to: int | OutboxEvent | Sequence[int | OutboxEvent], *, consumer: str = "default"
    ) -> None:
        """Say that a consumer is through with the changes up to this one, or up to the last of these.

        up_to: a sequence, an event, or a list of them. What is not marked is told again: at least once, in order.
        """
        engine = self._open_engine()
        engine.store.changes.require("mark_outbox_events_processed")
        engine.store.changes.advance(options.node_id("consumer", consumer), _last_sequence(up_to))

    async def apply_outbox_events(self, namespace: str, events: Iterable[OutboxEvent | Mapping[str, Any]]) -> RowCounts:
        """Follow another wiki: make the rows of *namespace* what its events say, all or nothing.

        Events are of one namespace, whose name may differ. The same events again change nothing. Vectors are not told
        of and made here. Gives how many rows the events told of. Raises InvalidOption, NodeOwnershipConflict.
        """
        from lorelite.timeline.outbox import apply_events

        engine = self._open_engine()
        namespace = options.namespace(namespace)
        counts = apply_events(engine, namespace, _events(events))
        if counts.nodes:
            await rows_came_back(engine, namespace)
            await embed_missing(engine, namespace)
        return counts

    @overload
    async def export_dump(
        self,
        namespaces: str | Sequence[str] | None = None,
        *,
        path: None = None,
        vectors: bool = True,
        calls: bool = False,
    ) -> MemoryDump: ...

    @overload
    async def export_dump(
        self,
        namespaces: str | Sequence[str] | None = None,
        *,
        path: str | Path,
        vectors: bool = True,
        calls: bool = False,
    ) -> ExportReport: ...

    async def export_dump(
        self,
        namespaces: str | Sequence[str] | None = None,
        *,
        path: str | Path | None = None,
        vectors: bool = True,
        calls: bool = False,
    ) -> MemoryDump | ExportReport:
        """What namespaces hold: documents, nodes, edges, tasks, events, the ontology, everything that hangs on them.

        namespaces: one, several, or None for all. Without *path* a MemoryDump. With one a file of JSON Lines that
        checks itself, written row by row: memory does not grow with it, and it is there whole or not at all.
        vectors: whether to take the vectors along; without them `run_reembed` makes them anew.
        calls: whether to take the recorded model calls along, whose prompts quote the documents.
        Deleted rows, the log of changes and jobs stay behind: `export_file` takes the whole file.
        """
        from lorelite.interchange.export import export_dump, export_file

        engine = self._open_engine()
        names = engine.store.namespaces.names() if namespaces is None else options.namespaces(namespaces)
        for name in names:
            self._known(name)
        with_vectors, with_calls = options.switch("vectors", vectors), options.switch("calls", calls)
        if path is None:
            return export_dump(engine, names, vectors=with_vectors, calls=with_calls)
        return export_file(engine, names, options.file_path(path), vectors=with_vectors, calls=with_calls)

    async def import_dump(
        self,
        source: MemoryDump | str | Path | bytes | BinaryIO | TextIO | Mapping[str, Any],
        *,
        merge: bool = False,
        namespace: str | Mapping[str, str] | None = None,
        embedding_model: str | None = None,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ImportReport:
        """Take a dump in: of `export_dump`, or of core-llm-wiki ({"entities": …}); all of it or, on an error, nothing.

        source: a MemoryDump, a path, an open file, bytes, or core-llm-wiki's dump as a mapping.
        merge: False puts the dump in the place of what its namespaces hold; True adds to it: of two rows with one id
        the newer counts (`updated_at`), and ours where they are equally new.
        namespace: the name to import under; {old: new} for a dump of several.
        embedding_model: the model_id of the vectors of a core-llm-wiki dump, which does not name it.
        Vectors that are missing are made afterwards, where there is an embedder.
        Ids that belong to another namespace of this file are skipped and told. Raises DumpError for a dump that is
        damaged, cut off or something else, with the number of the line.
        """
        from lorelite.interchange.importing import import_dump

        engine = self._open_engine()
        report = import_dump(
            engine,
            source,
            merge=options.switch("merge", merge),
            rename=_rename(namespace),
            embedding_model=None if embedding_model is None else options.node_id("embedding_model", embedding_model),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )
        await _embed(engine, report)
        return report

    async def import_llm_wiki(
        self,
        path: str | Path,
        *,
        namespace: str | Mapping[str, str] | None = None,
        merge: bool = False,
        table_prefix: str | None = None,
        embedding_model: str | None = None,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ImportReport:
        """Take in what core-llm-wiki keeps: its SQLite file, which is only read, or its JSON dump.

        table_prefix: of the tables, where the file holds several; None finds it. The rest as in `import_dump`.
        Facts, tasks and events that were deleted there stay behind. Raises DumpError when there is no such wiki in it.
        """
        from lorelite.interchange.llm_wiki import import_llm_wiki

        engine = self._open_engine()
        report = import_llm_wiki(
            engine,
            options.file_path(path),
            table_prefix=None if table_prefix is None else options.text("table_prefix", table_prefix),
            merge=options.switch("merge", merge),
            rename=_rename(namespace),
            embedding_model=None if embedding_model is None else options.node_id("embedding_model", embedding_model),
            dry_run=options.switch("dry_run", dry_run),
            on_progress=options.callback("on_progress", on_progress),
        )
        await _embed(engine, report)
        return report


def _rename(value: object) -> Rename:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {options.namespace(old): options.namespace(new) for old, new in value.items()}
    if not isinstance(value, str):
        raise InvalidOption("namespace", "a name, {old name: new name}, or None", value)
    return options.namespace(value)


async def _embed(engine: Engine, report: ImportReport) -> None:
    if not report.dry_run:
        for namespace in report.namespaces:
            await vectors_came(engine, namespace)
            await embed_missing(engine, namespace)


def _last_sequence(value: object) -> int:
    given = value if isinstance(value, list | tuple | set | frozenset) else [value]
    sequences = [each.sequence if isinstance(each, OutboxEvent) else each for each in given]
    return max((options.whole_number("up_to", each, 0, 1 << 62) for each in sequences), default=0)


def _events(values: object) -> list[OutboxEvent]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidOption("events", "a list of OutboxEvents", values)
    found = []
    for value in values:
        try:
            event = OutboxEvent(**value) if isinstance(value, Mapping) else value
        except TypeError as error:
            raise InvalidOption("events[]", "an OutboxEvent, or a mapping with its fields", value) from error
        is_whole = isinstance(event, OutboxEvent) and isinstance(event.payload, Mapping)
        if not is_whole or isinstance(event.sequence, bool) or not isinstance(event.sequence, int):
            raise InvalidOption("events[]", "an OutboxEvent, or a mapping with its fields", value)
        found.append(event)
    return found
