"""Kills, full disks and I/O errors during an ingest: what is lost, and whether the next run makes it whole.

    python -m bench.faults [--kills 20] [--seed 1] [--max losses=0]

Each kill starts an ingest in a process of its own, ends it with SIGKILL after a random time, opens the file, checks
it and what was there before, runs the ingest again to its end and compares the graph with that of an undisturbed
run: ids, titles, bodies, edges with weights, citations; everything but times.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.report import json_line, limits, table
from bench.synthetic import facts
from lorelite import LoreliteError, Wiki, WikiConfig
from lorelite.models import ScriptedModel
from lorelite.ports import ModelRequest

NAMESPACE = "faults"
MODES = ("model", "no model", "new version")
CONFIG = WikiConfig(chunk_chars=600, chunk_overlap=60, model_batch=3)
Picture = dict[str, list[tuple[Any, ...]]]

_ROOT = Path(__file__).resolve().parents[1]
_RELATION = re.compile(r"([A-Z][a-z]+ [A-Z][a-z]+) met ([A-Z][a-z]+ [A-Z][a-z]+)")


def text(seed: int = 1, paragraphs: int = 24) -> str:
    """A document in which a handful of people meet again and again."""
    chosen = random.Random(seed)
    people = [f"{first} {last}" for first in ("Ada", "Tom", "Eve", "Ivo") for last in ("Marsh", "Weir", "Lock")]
    written = []
    for number, fact in enumerate(facts(paragraphs, seed)):
        one, other = chosen.sample(people, 2)
        written.append(f"{fact.body.capitalize()}. In year {1900 + number} {one} met {other} at Heron Lock.")
    return "\n\n".join(written)


def reply_to(request: ModelRequest) -> str:
    """Every meeting of the passage as a relation and as a fact."""
    met = _RELATION.findall(request.user.partition("The passage:")[2])
    people = dict.fromkeys(name for pair in met for name in pair)
    return json.dumps(
        {
            "entities": [{"name": name, "type": "person", "description": f"{name} is met."} for name in people],
            "relations": [{"source": one, "target": other, "type": "met"} for one, other in met],
            "facts": [
                {"title": f"{one} met {other}", "body": f"{one} met {other} at Heron Lock.", "about": [one, other]}
                for one, other in met
            ],
        }
    )


# -- the work that is disturbed -----------------------------------------------------------------------------------


def model_of(mode: str) -> ScriptedModel | None:
    return None if mode == "no model" else ScriptedModel({"extract": reply_to})


def prepare(path: Path, mode: str) -> None:
    """What was in the file before: a fact, another document, and for a new version the old one."""
    with Wiki.open(path, model=model_of(mode), config=CONFIG) as wiki:
        wiki.write(NAMESPACE, title="Kept", body="was here before", node_id="kept")
        wiki.ingest_document(NAMESPACE, source_ref="other.txt", text="Ada Marsh met Tom Weir. Heron Lock was quiet.")
        if mode == "new version":
            wiki.ingest_document(NAMESPACE, source_ref="book.txt", text=text(seed=2, paragraphs=8))


def ingest(path: Path, mode: str) -> None:
    with Wiki.open(path, model=model_of(mode), config=CONFIG) as wiki:
        wiki.ingest_document(NAMESPACE, source_ref="book.txt", text=text())


def undisturbed(folder: Path, mode: str) -> Picture:
    path = folder / f"undisturbed {mode}.db"
    prepare(path, mode)
    ingest(path, mode)
    return picture(path)


# -- what is compared ---------------------------------------------------------------------------------------------

_LIVE = "(select id from node where deleted_at is null)"
_PICTURE = {
    "nodes": """
        select id, kind, title, body, node_type, tags, confidence, source_type, origin, source_ref, source_hash
          from node where deleted_at is null""",
    "edges": f"""
        select id, source_id, edge_type, target_id, round(weight, 6), description, confidence, origin, source_ref
          from edge where source_id in {_LIVE} and target_id in {_LIVE}""",
    "citations": 'select owner_id, document_id, start, "end" from citation',
    "aliases": "select alias_key, node_id, document_id from alias",
    "support": "select node_id, document_id, ordinal, title, node_type, body from support",
    "documents": "select id, source_ref, source_hash, text, origin, status from document",
    "chunks": 'select document_id, ordinal, node_id, start, "end", state from chunk',
}


def picture(path: Path) -> Picture:
    """All that a file holds, without times."""
    connection = sqlite3.connect(path)
    try:
        return {part: sorted(map(tuple, connection.execute(sql)), key=repr) for part, sql in _PICTURE.items()}
    finally:
        connection.close()


def differences(found: Picture, expected: Picture) -> list[str]:
    return [
        f"{part}: {len(set(expected[part]) - set(found[part]))} missing, "
        f"{len(set(found[part]) - set(expected[part]))} too many"
        for part in expected
        if found[part] != expected[part]
    ]


def losses_after_fault(path: Path, before: Picture) -> list[str]:
    """What a fault has broken or taken away of what was committed before; the search index is checked too."""
    connection = sqlite3.connect(path)
    verdict = connection.execute("pragma integrity_check").fetchone()[0]
    connection.close()
    lost = [] if verdict == "ok" else [f"integrity: {verdict}"]
    with Wiki.open(path, config=CONFIG) as wiki:
        if not any(node.id == "kept" for node in wiki.read(NAMESPACE, "kept").facts):
            lost.append("a fact from before cannot be found")
        cited = wiki.read(NAMESPACE, "Heron Lock", max_results=500).facts
    now = picture(path)
    texts = {row[0]: row[3] for row in now["documents"]}
    lost += [
        f"a citation of {citation.source_ref} differs from its span"
        for node in cited
        for citation in node.citations
        if citation.quote != texts[citation.document_id][citation.start : citation.end]
    ]
    for part in ("nodes", "documents"):
        gone = set(before[part]) - set(now[part])
        # A new version takes the old one's place, and shared entities change with what is said of them.
        if gone and not any(row[1] == "book.txt" and row[5] == "complete" for row in now["documents"]):
            lost += [f"{part}: {row[0]} is gone or changed" for row in gone if "entity" not in row]
    return lost


def search_differences(path: Path) -> list[str]:
    """Is the keyword index what building it anew would make it?"""
    with Wiki.open(path, config=CONFIG) as wiki:
        queries = ("Heron Lock", "Ada Marsh met Tom Weir", "kept", "year 1912")
        kept = [wiki.read(NAMESPACE, query, max_results=200).fact_scores for query in queries]
        wiki.sync_search_index(NAMESPACE)
        anew = [wiki.read(NAMESPACE, query, max_results=200).fact_scores for query in queries]
    return [] if kept == anew else ["the keyword index differs from one built anew"]


DISK_ERROR = sqlite3.OperationalError("disk I/O error")

# -- faults -------------------------------------------------------------------------------------------------------


def kill_once(folder: Path, mode: str, number: int, delay: float, expected: Picture) -> tuple[bool, list[str]]:
    """Kill an ingest after *delay* seconds; (was it still running, losses)."""
    path = folder / f"kill {number}.db"
    prepare(path, mode)
    before = picture(path)
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.faults", "--work", str(path), "--mode", mode], stdout=subprocess.PIPE, cwd=_ROOT
    )
    assert process.stdout is not None
    process.stdout.readline()  # the ingest begins now
    time.sleep(delay)
    was_running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    lost = losses_after_fault(path, before)
    ingest(path, mode)
    return was_running, lost + differences(picture(path), expected) + search_differences(path)


@contextmanager
def broken_statement(wiki: Wiki, number: int, error: BaseException) -> Iterator[None]:
    """Let the *number*-th statement from now raise *error*, before it is executed."""
    database = wiki._wiki._engine.store.db
    left = [number]

    def failing(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise database._translated(error) if isinstance(error, sqlite3.Error) else error
            return original(*arguments)

        return call

    originals = {name: getattr(database, name) for name in ("run", "run_many", "rows")}
    for name, original in originals.items():
        setattr(database, name, failing(original))
    try:
        yield
    finally:
        for name in originals:
            delattr(database, name)


def break_once(
    folder: Path, mode: str, number: int, expected: Picture, error: BaseException = DISK_ERROR
) -> tuple[bool, list[str]]:
    """Let one statement of an ingest fail; (did it, losses)."""
    path = folder / f"statement {mode} {number} {type(error).__name__}.db"
    prepare(path, mode)
    before = picture(path)
    was_reached = False
    with Wiki.open(path, model=model_of(mode), config=CONFIG) as wiki, broken_statement(wiki, number, error):
        try:
            wiki.ingest_document(NAMESPACE, source_ref="book.txt", text=text())
        except (LoreliteError, KeyboardInterrupt):
            was_reached = True
    lost = losses_after_fault(path, before)
    ingest(path, mode)
    return was_reached, lost + differences(picture(path), expected) + search_differences(path)


def fill_once(folder: Path, mode: str, pages: int, expected: Picture) -> tuple[bool, list[str]]:
    """Leave room for *pages* more pages; (was it too little, losses)."""
    path = folder / f"full {mode} {pages}.db"
    prepare(path, mode)
    before = picture(path)
    was_full = False
    with Wiki.open(path, model=model_of(mode), config=CONFIG) as wiki:
        database = wiki._wiki._engine.store.db
        database.value(f"pragma max_page_count = {int(database.value('pragma page_count')) + pages}")
        try:
            wiki.ingest_document(NAMESPACE, source_ref="book.txt", text=text())
        except LoreliteError:
            was_full = True
    lost = losses_after_fault(path, before)
    ingest(path, mode)
    return was_full, lost + differences(picture(path), expected) + search_differences(path)


# -- the campaign -------------------------------------------------------------------------------------------------


def duration(folder: Path, mode: str) -> float:
    """Seconds an undisturbed ingest takes in a process that has started already."""
    path = folder / f"timed {mode}.db"
    prepare(path, mode)
    begin = time.perf_counter()
    ingest(path, mode)
    return time.perf_counter() - begin


def campaign(kills: int, seed: int) -> tuple[list[list[object]], dict[str, int]]:
    """Rows (fault, mode, tries, hit, losses) and the totals."""
    chosen = random.Random(seed)
    rows: list[list[object]] = []
    losses: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = {mode: undisturbed(folder, mode) for mode in MODES}

        def record(fault: str, mode: str, results: Sequence[tuple[bool, list[str]]]) -> None:
            lost = [loss for _, found in results for loss in found]
            losses.extend(f"{fault}, {mode}: {loss}" for loss in lost)
            rows.append([fault, mode, len(results), sum(hit for hit, _ in results), len(lost)])

        for place, mode in enumerate(MODES):
            lasts = duration(folder, mode) * 1.1
            share = len(range(place, kills, len(MODES)))
            delays = [chosen.random() * lasts for _ in range(share)]
            record("SIGKILL", mode, [kill_once(folder, mode, n, d, expected[mode]) for n, d in enumerate(delays)])
            for path in folder.glob("kill *"):
                path.unlink()
            points = sorted(chosen.sample(range(1, 300), 12))
            record("I/O error", mode, [break_once(folder, mode, n, expected[mode]) for n in points])
            record("disk full", mode, [fill_once(folder, mode, n, expected[mode]) for n in (0, 1, 2, 5, 10, 20, 40)])
    for loss in losses[:20]:
        print(loss)
    return rows, {"kills": kills, "hit": sum(int(str(row[3])) for row in rows), "losses": len(losses)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max", nargs="*", default=["losses=0"], metavar="NAME=X")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--mode", choices=MODES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work is not None:
        print("begins", flush=True)
        with suppress(KeyboardInterrupt):
            ingest(options.work, options.mode)
        return 0
    rows, totals = campaign(options.kills, options.seed)
    print(table(("fault", "mode", "tries", "hit", "losses"), rows))
    print(json_line({"bench": "faults", **totals}))
    return int(any(totals[name] > limit for name, limit in limits(options.max).items()))


if __name__ == "__main__":
    sys.exit(main())
