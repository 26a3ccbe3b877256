"""`import_dump`: rows taken into the file, all or nothing, in place of what a namespace holds or beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.call_records import Call
from lorelite.engine import Engine
from lorelite.errors import DumpError, InvalidOption
from lorelite.interchange.dump_file import Item
from lorelite.interchange.merges import CarriedMerges
from lorelite.interchange.reference import ReferenceReader
from lorelite.interchange.sources import items_of
from lorelite.ports import OnProgress
from lorelite.records import Progress
from lorelite.reports import ImportReport, SkippedRow
from lorelite.resolution.giving_back import hand_back
from lorelite.resolution.merge import settle
from lorelite.store.load import WITH_IDS, Loader

Rename = str | Mapping[str, str] | None
"""The namespace to import into: a name for a dump of one, or names by name."""

_BATCH_ROWS = 500
_BATCH_CHARS = 4_000_000
_MAX_TOLD = 1_000
_EDGE_ENDS = ("source_id", "edge_type", "target_id")
_LONG_COLUMNS = ("text", "body", "data", "user", "reply")

Row = dict[str, Any]


def import_dump(
    engine: Engine,
    source: object,
    *,
    merge: bool,
    rename: Rename,
    embedding_model: str | None,
    dry_run: bool,
    on_progress: OnProgress | None,
) -> ImportReport:
    """Take *source* in. Raises DumpError, and writes nothing, when it is damaged."""
    run = _Import(engine, merge, rename, embedding_model, on_progress)
    if dry_run:
        engine.store.rehearsed(lambda: run.take_all(source))
    else:
        with engine.store.atomic("import"):
            run.take_all(source)
    return replace(run.report(), dry_run=dry_run)


def batched(items: Iterable[Item]) -> Iterator[tuple[str, list[Row]]]:
    """Runs of rows of one table, short enough to be held in memory."""
    table, size = "", 0
    rows: list[Row] = []
    for key, row in items:
        if rows and (key != table or len(rows) == _BATCH_ROWS or size > _BATCH_CHARS):
            yield table, rows
            rows, size = [], 0
        if key == "namespace":
            yield key, [row]
            continue
        table = key
        rows.append(row)
        size += sum(len(row[name]) for name in _LONG_COLUMNS if name in row)
    if rows:
        yield table, rows


class _Import:
    """One import under way."""

    def __init__(
        self,
        engine: Engine,
        merge: bool,
        rename: Rename,
        embedding_model: str | None,
        on_progress: OnProgress | None,
    ) -> None:
        self.reference = ReferenceReader(embedding_model=embedding_model, renamed=self._renamed)
        self._engine = engine
        self._merge = merge
        self._rename = rename
        self._tell: Callable[[Progress], None] = on_progress or (lambda progress: None)
        self._loader: Loader | None = None
        self._is_replacing = False
        self._is_whole = True
        """Whether the namespace holds in the end what the dump says, and nothing else."""
        self._jobs: list[Row] = []
        self._namespaces: dict[str, str] = {}
        self._documents: dict[str, str] = {}
        self._kept_documents = set[str]()
        """Those of the dump of which the words of here stand."""
        self._handed_back: list[str] = []
        self._counts: dict[str, int] = {}
        self._kept = 0
        self._done = 0
        self._skipped: list[SkippedRow] = []
        self._skipped_count = 0
        self._problems: list[str] = []

    # -- what comes -------------------------------------------------------------------------------------------

    def take_all(self, source: object) -> None:
        """Write all that *source* holds."""
        with items_of(source, self.reference) as items:
            for table, rows in batched(items):
                self.take(table, rows)
        self.end()

    def take(self, table: str, rows: list[Row]) -> None:
        """Write a batch of rows of one table."""
        if table == "namespace":
            self._begin(rows[0])
            return
        assert self._loader is not None
        given = len(rows)
        if table == "job":
            # How far jobs had read says nothing about a namespace that has events of its own.
            written = len(rows) if self._is_whole else 0
            self._kept += given - written
            self._jobs += rows[:written]
        elif table == "call":
            calls = (Call(namespace=self._loader.namespace, **row) for row in rows)
            written, known = self._engine.store.calls.load(calls)
            self._kept += known
        elif table in WITH_IDS:
            wanted = self._wanted(self._loader, table, rows)
            if table == "document" and self._merge:
                self._make_way(self._loader.namespace, rows, wanted)
            written = self._loader.write(table, wanted)
        elif table in ("memo", "merge"):
            written = self._take_merges(self._loader, table, rows)
        else:
            if self._kept_documents:
                rows = self._said_anew(self._loader, table, rows)
            for row in rows:
                if row.get("document_id") in self._documents:
                    row["document_id"] = self._documents[row["document_id"]]
            written = self._loader.write(table, rows)
            if self._merge:
                self._kept += given - written
            elif written < given:
                self._problem(f"{given - written:,} rows of {table} were left out: what they belong to is not there")
        self._counts[table] = self._counts.get(table, 0) + written
        self._done += given
        self._tell(Progress("import", self._done, self._done, table))

    def end(self) -> None:
        """Finish the last namespace."""
        if self._loader is None:
            return
        loader, store = self._loader, self._engine.store
        namespace = next(reversed(self._namespaces.values()))
        if self._is_replacing:
            for table in ("edge", "event", "task", "document"):
                loader.delete(table, loader.left_over(table))
            store.nodes.delete(namespace, loader.left_over("node"))
            store.jobs.reset(namespace)
        for job in self._jobs:
            loader.mark_read(job["kind"], job["events_read"])
        self._jobs.clear()
        loader.finish()
        settle(self._engine, namespace, [*store.merges.unsettled(namespace), *self._handed_back])
        self._handed_back.clear()
        loose = loader.loose_ends()
        if loose:
            self._problem(f"{namespace}: {loose:,} edges lead to something that is not there; walks do not see them")
        self._loader = None

    def report(self) -> ImportReport:
        reader = self.reference
        for table, id, reason in reader.skipped:
            self._skip(table, id, reason)
        return ImportReport(
            namespaces=tuple(self._namespaces.values()),
            counts=dict(sorted(self._counts.items())),
            kept=self._kept,
            skipped=tuple(self._skipped),
            skipped_count=self._skipped_count,
            problems=tuple([*reader.problems, *self._problems][:_MAX_TOLD]),
        )

    # -- namespaces -------------------------------------------------------------------------------------------

    def _begin(self, row: Row) -> None:
        self.end()
        if row["name"] in self._namespaces:
            raise DumpError("to import", f"namespace {row['name']!r} comes twice")
        if self._namespaces and isinstance(self._rename, str):
            raise InvalidOption("namespace", "{old: new} for a dump of several namespaces", self._rename)
        try:
            name = options.namespace(self._renamed(row["name"]))
        except InvalidOption as error:
            raise DumpError("to import", str(error)) from error
        if name in self._namespaces.values():
            raise InvalidOption("namespace", "another name for each namespace", self._rename)
        self._namespaces[row["name"]] = name
        self._documents.clear()
        self._kept_documents.clear()
        store = self._engine.store
        was_there = store.namespaces.get(name) is not None
        store.namespaces.ensure(name)
        self._loader = Loader(store.db, store.keyword, self._engine.clock, name)
        self._is_replacing = was_there and not self._merge
        self._is_whole = self._is_replacing or not was_there
        if self._is_replacing:
            self._loader.begin_replacing()
        created_at = None if was_there else row["created_at"]
        if self._is_whole or not store.dump.namespace(name)[1]:
            self._loader.describe(created_at, row["summary"])

    def _renamed(self, name: str) -> str:
        if isinstance(self._rename, str):
            return self._rename
        return (self._rename or {}).get(name, name)

    # -- rows with ids ----------------------------------------------------------------------------------------

    def _wanted(self, loader: Loader, table: str, rows: list[Row]) -> list[Row]:
        """The rows that are to be written: not those of others, and with merge not those that are older than ours."""
        latest = {row["id"]: row for row in rows}
        for row in rows if len(latest) < len(rows) else ():
            if latest[row["id"]] is not row:
                self._skip(table, row["id"], "the dump holds this id twice; the last one counts")
        known = loader.known(table, list(latest))
        # A source or an edge may be here under another id.
        here = set()
        if table == "document":
            self._documents |= (found := loader.documents_like(list(latest.values())))
            here = set(found)
        elif table == "edge" and self._merge:
            here = loader.stated_already(list(latest.values()))
        if self._is_replacing:
            loader.remember(table, latest)
            loader.remember(table, (self._documents[id] for id in here if id in self._documents))
        if not known and not here:
            return list(latest.values())
        wanted = []
        for id, row in latest.items():
            ours = known.get(id)
            if ours is None and id not in here:
                wanted.append(row)
            elif ours is None or id in here:
                self._kept += 1
            elif ours["namespace"] != loader.namespace:
                self._skip(table, id, "the id belongs to another namespace of this file")
            elif table == "edge" and any(ours[name] != row[name] for name in _EDGE_ENDS):
                self._skip(table, id, "the id belongs to an edge between other nodes, or of another type")
            elif self._merge and (table == "event" or row["updated_at"] <= ours["updated_at"]):
                self._kept += 1
            else:
                wanted.append(row)
        return wanted

    # -- merges -----------------------------------------------------------------------------------------------

    def _make_way(self, namespace: str, documents: list[Row], wanted: list[Row]) -> None:
        """Documents that the dump says anew: what they said of entities that are part of others is theirs again, so
        that it is replaced."""
        coming = {row["id"] for row in wanted}
        self._kept_documents |= {row["id"] for row in documents} - coming
        for id in sorted(coming):
            self._handed_back += hand_back(self._engine, namespace, id)

    def _said_anew(self, loader: Loader, table: str, rows: list[Row]) -> list[Row]:
        """The rows without what a document that stays as it is here says of entities: it says that here."""
        if table in ("alias", "support", "statement"):
            return [row for row in rows if row["document_id"] not in self._kept_documents]
        if table == "citation":
            pairs = [(row["owner_id"], row["document_id"]) for row in rows]
            told = loader.told(pair for pair in pairs if pair[1] in self._kept_documents)
            return [row for row, pair in zip(rows, pairs, strict=True) if pair not in told]
        return rows

    def _take_merges(self, loader: Loader, table: str, rows: list[Row]) -> int:
        """Write the memos or merges that can be taken in; gives how many were written."""
        merges = CarriedMerges(self._engine.store, loader.namespace, self._documents, self._kept_documents)
        written = 0
        for row in rows:
            found = merges.memo(row) if table == "memo" else merges.merge(row) or row
            if isinstance(found, str):
                self._skip(table, row["name"] if table == "memo" else row["from_id"], found)
                continue
            # One by one: the next may be part of what this one is.
            count = 0 if found is None else loader.write(table, [found])
            written += count
            self._kept += 1 - count
        return written

    # -- what is told -----------------------------------------------------------------------------------------

    def _skip(self, table: str, id: str, reason: str) -> None:
        self._skipped_count += 1
        if len(self._skipped) < _MAX_TOLD:
            self._skipped.append(SkippedRow(table, id, reason))

    def _problem(self, text: str) -> None:
        if len(self._problems) < _MAX_TOLD:
            self._problems.append(text)
