"""Speed of the engine on a file of n facts and on a graph of n nodes: medians in milliseconds.

    python -m bench.speed [--n 10000] [--facts synthetic|real] [--data DIR] [--max name=X ...]

    add        write one fact that is found from then on, one commit, no embedder
    keyword    read by keywords alone         semantic   read by vectors alone (HashEmbedder)
    hybrid     read by both, default weights  open       open the file
    first      open the file and read once
    add_vector the same as add, with an embedder
    write      write one event, after which nothing is due
    librarian_plan   run_librarian on 20 events as a rehearsal, 10 facts in the reply: all but the model and the commit
    walk       traverse_graph, depth 3, average degree 10, the default limit of nodes
    hub        the same from a node of degree 1,000
    walk_wide, hub_wide   the same with room for every node

Wall clock and processor time are both given. `--max` judges processor time, which a busy machine spoils less; what
an operation waits for the disk is seen in its wall clock alone.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import synthetic
from bench.report import json_line, limits, table
from lorelite import Wiki, WikiConfig
from lorelite.models import HashEmbedder, ScriptedModel

FACTS, GRAPH = "facts", "graph"
BATCH = 5_000
SPOKES = 1_000
EVENTS = 20


@dataclass(frozen=True, slots=True)
class Timing:
    """Medians over *runs* calls."""

    wall_ms: float
    cpu_ms: float
    runs: int


def measure(calls: Iterable[Callable[[], object]]) -> Timing:
    """Run each call once and keep the medians."""
    wall, cpu = [], []
    for call in calls:
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        call()
        cpu.append((time.process_time() - cpu_start) * 1000)
        wall.append((time.perf_counter() - wall_start) * 1000)
    return Timing(statistics.median(wall), statistics.median(cpu), len(wall))


def run(facts: Sequence[synthetic.Fact], folder: Path, *, repeats: int = 20) -> dict[str, Timing]:
    """Build the two files in *folder*, as large as there are facts, and measure every operation on them."""
    facts_path, graph_path = str(folder / "facts.db"), str(folder / "graph.db")
    asked = synthetic.queries([fact.title for fact in facts], repeats)
    with Wiki.open(facts_path, embedder=HashEmbedder()) as wiki:
        fill(wiki, FACTS, facts, [])
        timings = {
            "keyword": measure([reading(wiki, query, 0.0) for query in asked]),
            "semantic": measure([reading(wiki, query, 1.0) for query in asked]),
            "hybrid": measure([reading(wiki, query, None) for query in asked]),
            "add_vector": measure([writing(wiki, fact) for fact in synthetic.facts(repeats, seed=98)]),
        }
    with Wiki.open(facts_path) as wiki:
        timings["add"] = measure([writing(wiki, fact) for fact in synthetic.facts(repeats, seed=99)])
        added = next(synthetic.facts(1, seed=99))
        if added.title not in [node.title for node in wiki.read(FACTS, added.title).facts]:
            raise AssertionError("the fact that was added is not found")
        timings["write"] = measure([telling(wiki, fact) for fact in synthetic.facts(EVENTS, seed=97)])
    with Wiki.open(facts_path, model=ScriptedModel({"librarian": librarian_reply(facts)})) as wiki:
        timings["librarian_plan"] = measure([lambda: wiki.run_librarian(FACTS, dry_run=True)] * max(3, repeats // 4))
    timings["open"] = measure([opening(facts_path)] * repeats)
    timings["first"] = measure([opening(facts_path, query) for query in asked[:5]])

    edges = synthetic.links(len(facts), 10) + synthetic.hub_links(min(SPOKES, len(facts) - 1))
    with Wiki.open(graph_path, config=WikiConfig(max_traversal_nodes=100_000)) as wiki:
        fill(wiki, GRAPH, facts, edges)
        anchors = [(SPOKES + 1 + 7 * turn) % len(facts) for turn in range(repeats)]
        few = max(3, repeats // 4)
        usual = WikiConfig().max_traversal_nodes
        timings["walk"] = measure([walking(wiki, anchor, usual) for anchor in anchors])
        timings["hub"] = measure([walking(wiki, 0, usual)] * few)
        timings["walk_wide"] = measure([walking(wiki, anchor, 100_000) for anchor in anchors[:few]])
        timings["hub_wide"] = measure([walking(wiki, 0, 100_000)] * 3)
    return timings


def fill(wiki: Wiki, namespace: str, facts: Sequence[synthetic.Fact], edges: Sequence[synthetic.Link]) -> None:
    """Load facts as the nodes of as many sources as there are batches, then the edges as one more source."""
    for start in range(0, len(facts), BATCH):
        batch = facts[start : start + BATCH]
        _upsert(wiki, namespace, f"batch {start}", nodes=[
            {"id": _node_id(namespace, start + place), "type": "thing", "title": fact.title, "body": fact.body}
            for place, fact in enumerate(batch)
        ])  # fmt: skip
    if edges:
        _upsert(wiki, namespace, "edges", edges=[
            {"type": link.edge_type, "source_id": _node_id(namespace, link.source),
             "target_id": _node_id(namespace, link.target)}
            for link in edges
        ])  # fmt: skip
    wiki.sync_search_index(namespace)


def reading(wiki: Wiki, query: str, weight: float | None) -> Callable[[], object]:
    return lambda: wiki.read(FACTS, query, hybrid_weight=weight)


def writing(wiki: Wiki, fact: synthetic.Fact) -> Callable[[], object]:
    return lambda: wiki.write(FACTS, title=fact.title, body=fact.body)


def telling(wiki: Wiki, fact: synthetic.Fact) -> Callable[[], object]:
    return lambda: wiki.write(FACTS, event={"summary": fact.body})


def librarian_reply(facts: Sequence[synthetic.Fact]) -> str:
    """Five facts that are known already and five that are new."""
    known, new = facts[:: max(1, len(facts) // 5)][:5], synthetic.facts(5, seed=96)
    stated = [{"op": "add", "title": fact.title, "body": fact.body} for fact in (*known, *new)]
    return json.dumps({"facts": stated, "tasks": []})


def walking(wiki: Wiki, anchor: int, room: int) -> Callable[[], object]:
    return lambda: wiki.traverse_graph(GRAPH, source_id=_node_id(GRAPH, anchor), max_depth=3, max_nodes=room)


def opening(path: str, query: str | None = None) -> Callable[[], None]:
    """Open, read once if there is a query, and close."""

    def call() -> None:
        with Wiki.open(path) as wiki:
            if query is not None:
                wiki.read(FACTS, query)

    return call


def sentences(folder: Path) -> Iterator[synthetic.Fact]:
    """One fact per sentence of the text, Markdown and JSON files below *folder*; its first words are the title."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".txt", ".md", ".json"}:
            text = path.read_text("utf-8", "replace")
            for passage in _strings(json.loads(text)) if path.suffix == ".json" else [text]:
                for sentence in re.split(r"(?<=[.!?。！？।])\s+", passage):
                    words = sentence.split()
                    if len(words) > 5:
                        yield synthetic.Fact(" ".join(words[:8]), " ".join(words))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _upsert(wiki: Wiki, namespace: str, ref: str, **rows: list[dict[str, Any]]) -> None:
    digest = hashlib.sha256(f"{namespace}/{ref}".encode()).hexdigest()
    wiki.upsert_graph(namespace, source_ref=ref, source_hash=digest, **{"nodes": [], "edges": [], **rows})


def _node_id(namespace: str, number: int) -> str:
    return f"{namespace}-{number:07d}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=10_000, help="facts in one file, nodes in the other")
    parser.add_argument("--facts", choices=("synthetic", "real"), default="synthetic")
    parser.add_argument("--data", type=Path, help="folder whose sentences are the real facts")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--max", nargs="+", default=[], metavar="name=ms", help="exit with 1 when one is slower")
    options = parser.parse_args(arguments)
    if options.facts == "real" and options.data is None:
        parser.error("--facts real needs --data DIR")

    source = sentences(options.data) if options.facts == "real" else synthetic.facts(options.n)
    facts = list(itertools.islice(source, options.n))
    if len(facts) < options.n:
        print(f"only {len(facts):,} facts in {options.data}, not {options.n:,}")
    with tempfile.TemporaryDirectory() as folder:
        timings = run(facts, Path(folder), repeats=options.repeats)

    rows = [(name, f"{t.wall_ms:.2f}", f"{t.cpu_ms:.2f}", t.runs) for name, t in timings.items()]
    print(table(("operation", "wall ms", "cpu ms", "runs"), rows))
    judged = {name: t.cpu_ms for name, t in timings.items()}
    slow = {name: limit for name, limit in limits(options.max).items() if judged[name] > limit}
    for name, limit in slow.items():
        print(f"{name}: {judged[name]:.2f} ms, more than {limit:g}")
    line: dict[str, Any] = {"bench": "speed", "n": len(facts), "facts": options.facts}
    line |= {name: round(value, 3) for name, value in judged.items()}
    line["wall"] = {name: round(t.wall_ms, 3) for name, t in timings.items()}
    print(json_line(line))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
