"""Speed of the engine on a file of n facts and on a graph: medians and 95th percentiles in milliseconds.

    python -m bench.speed [--n 10000] [--facts synthetic|real] [--data DIR] [--max name=X ...]

    add        write one fact that is found from then on, one commit, no embedder
    keyword    read by keywords alone         semantic   read by vectors alone (HashEmbedder)
    hybrid     read by both, default weights  open       open the file
    first      open the file and read once    first_semantic   the same by vectors, all of which it must fetch
    add_vector the same as add, with an embedder
    write      write one event, after which nothing is due
    librarian_plan   run_librarian on 20 events as a rehearsal, 10 facts in the reply: all but the model and the commit
    walk       traverse_graph, depth 3, average degree 10, the default limit of nodes
    hub        the same from a node of degree 1,000
    walk_wide, hub_wide   the same with room for every node

Facts are made and loaded batch by batch, so that a million of them need no memory; from --vectors-up-to facts on
there are no vectors, and the graph has --graph-nodes nodes at most. Wall clock and processor time are both given.
`--max` judges processor time, which a busy machine spoils less: medians by name, 95th percentiles as name.p95; what
an operation waits for the disk is seen in its wall clock alone. load is the seconds of processor time for writing the
file of facts, memory the megabytes that were resident at most, whatever was done.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
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
KNOWN = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """Medians and the 95th percentile over *runs* calls."""

    wall_ms: float
    cpu_ms: float
    cpu_p95: float
    runs: int


@dataclass(frozen=True, slots=True)
class Figures:
    timings: dict[str, Timing]
    load_s: float | None
    """Processor time for the file of facts, its keyword index and, where there are any, vectors; None: it was there."""
    file_mb: float


def measure(calls: Iterable[Callable[[], object]]) -> Timing:
    """Run each call once."""
    wall, cpu = [], []
    for call in calls:
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        call()
        cpu.append((time.process_time() - cpu_start) * 1000)
        wall.append((time.perf_counter() - wall_start) * 1000)
    p95 = sorted(cpu)[round(0.95 * (len(cpu) - 1))]
    return Timing(statistics.median(wall), statistics.median(cpu), p95, len(wall))


def run(
    facts: Collection[synthetic.Fact],
    folder: Path,
    *,
    repeats: int = 20,
    with_vectors: bool = True,
    graph_nodes: int = 100_000,
) -> Figures:
    """Build the two files in *folder* and measure every operation on them."""
    graph_nodes = min(len(facts), graph_nodes)
    facts_path, graph_path = folder / f"facts-{len(facts)}.db", folder / f"graph-{graph_nodes}.db"
    embedder = HashEmbedder() if with_vectors else None
    chosen = random.Random(3)
    asked_of, known_of = ([chosen.randrange(len(facts)) for _ in range(count)] for count in (repeats, KNOWN))
    kept: dict[int, synthetic.Fact | None] = dict.fromkeys([*asked_of, *known_of])
    load_s = None
    if facts_path.exists():
        deque(keeping(facts, kept), maxlen=0)
    else:
        begun = time.process_time()
        with building(facts_path, embedder=embedder) as wiki:
            fill(wiki, FACTS, keeping(facts, kept), [])
            if embedder is not None:
                wiki.run_reembed(FACTS)
        load_s = time.process_time() - begun
    sampled = {number: fact for number, fact in kept.items() if fact is not None}
    asked = [synthetic.query(sampled[number].title) for number in asked_of]

    timings = {}
    with Wiki.open(facts_path, embedder=embedder) as wiki:
        timings["keyword"] = measure([reading(wiki, query, 0.0) for query in asked])
        if embedder is not None:
            timings["semantic"] = measure([reading(wiki, query, 1.0) for query in asked])
            timings["hybrid"] = measure([reading(wiki, query, None) for query in asked])
            timings["add_vector"] = measure([writing(wiki, fact) for fact in synthetic.facts(repeats, seed=98)])
    with Wiki.open(facts_path) as wiki:
        timings["add"] = measure([writing(wiki, fact) for fact in synthetic.facts(repeats, seed=99)])
        added = next(synthetic.facts(1, seed=99))
        if added.title not in [node.title for node in wiki.read(FACTS, added.title).facts]:
            raise AssertionError("the fact that was added is not found")
        timings["write"] = measure([telling(wiki, fact) for fact in synthetic.facts(EVENTS, seed=97)])
    reply = librarian_reply([sampled[number] for number in known_of])
    with Wiki.open(facts_path, model=ScriptedModel({"librarian": reply})) as wiki:
        timings["librarian_plan"] = measure([lambda: wiki.run_librarian(FACTS, dry_run=True)] * max(3, repeats // 4))
    timings["open"] = measure([opening(facts_path)] * repeats)
    timings["first"] = measure([opening(facts_path, query) for query in asked[:5]])
    if embedder is not None:
        timings["first_semantic"] = measure([opening(facts_path, query, embedder) for query in asked[:5]])
    timings |= walks(synthetic.Facts(graph_nodes), graph_path, repeats)
    return Figures(timings, load_s, facts_path.stat().st_size / 1e6)


def walks(facts: synthetic.Facts, path: Path, repeats: int) -> dict[str, Timing]:
    """Build the graph and walk it."""
    if not path.exists():
        edges = synthetic.links(len(facts), 10) + synthetic.hub_links(min(SPOKES, len(facts) - 1))
        with building(path) as wiki:
            fill(wiki, GRAPH, facts, edges)
    with Wiki.open(path, config=WikiConfig(max_traversal_nodes=100_000)) as wiki:
        anchors = [(SPOKES + 1 + 7 * turn) % len(facts) for turn in range(repeats)]
        few = max(3, repeats // 4)
        usual = WikiConfig().max_traversal_nodes
        return {
            "walk": measure([walking(wiki, anchor, usual) for anchor in anchors]),
            "hub": measure([walking(wiki, 0, usual)] * few),
            "walk_wide": measure([walking(wiki, anchor, 100_000) for anchor in anchors[:few]]),
            "hub_wide": measure([walking(wiki, 0, 100_000)] * 3),
        }


@contextmanager
def building(path: Path, embedder: HashEmbedder | None = None) -> Iterator[Wiki]:
    """A new wiki that gets its name when it is whole."""
    making = path.with_suffix(".making")
    making.unlink(missing_ok=True)
    with Wiki.open(making, embedder=embedder) as wiki:
        yield wiki
    making.rename(path)


def keeping(facts: Iterable[synthetic.Fact], wanted: dict[int, synthetic.Fact | None]) -> Iterator[synthetic.Fact]:
    """The facts as they come; those whose numbers are wanted are kept."""
    for number, fact in enumerate(facts):
        if number in wanted:
            wanted[number] = fact
        yield fact


def fill(wiki: Wiki, namespace: str, facts: Iterable[synthetic.Fact], edges: Sequence[synthetic.Link]) -> None:
    """Load facts as the nodes of as many sources as there are batches, then the edges likewise."""
    numbered = enumerate(facts)
    while batch := list(itertools.islice(numbered, BATCH)):
        _upsert(wiki, namespace, f"batch {batch[0][0]}", nodes=[
            {"id": _node_id(namespace, number), "type": "thing", "title": fact.title, "body": fact.body}
            for number, fact in batch
        ])  # fmt: skip
    for start in range(0, len(edges), BATCH):
        _upsert(wiki, namespace, f"edges {start}", edges=[
            {"type": link.edge_type, "source_id": _node_id(namespace, link.source),
             "target_id": _node_id(namespace, link.target)}
            for link in edges[start : start + BATCH]
        ])  # fmt: skip


def reading(wiki: Wiki, query: str, weight: float | None) -> Callable[[], object]:
    return lambda: wiki.read(FACTS, query, hybrid_weight=weight)


def writing(wiki: Wiki, fact: synthetic.Fact) -> Callable[[], object]:
    return lambda: wiki.write(FACTS, title=fact.title, body=fact.body)


def telling(wiki: Wiki, fact: synthetic.Fact) -> Callable[[], object]:
    return lambda: wiki.write(FACTS, event={"summary": fact.body})


def librarian_reply(known: Sequence[synthetic.Fact]) -> str:
    """Facts that are known already and as many that are new."""
    new = synthetic.facts(len(known), seed=96)
    stated = [{"op": "add", "title": fact.title, "body": fact.body} for fact in (*known, *new)]
    return json.dumps({"facts": stated, "tasks": []})


def walking(wiki: Wiki, anchor: int, room: int) -> Callable[[], object]:
    return lambda: wiki.traverse_graph(GRAPH, source_id=_node_id(GRAPH, anchor), max_depth=3, max_nodes=room)


def opening(path: Path, query: str | None = None, embedder: HashEmbedder | None = None) -> Callable[[], None]:
    """Open, read once if there is a query (by vectors, with an embedder), and close."""

    def call() -> None:
        with Wiki.open(path, embedder=embedder) as wiki:
            if query is not None:
                wiki.read(FACTS, query, hybrid_weight=0.0 if embedder is None else 1.0)

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
    parser.add_argument("--n", type=int, default=10_000, help="facts")
    parser.add_argument("--facts", choices=("synthetic", "real"), default="synthetic")
    parser.add_argument("--data", type=Path, help="folder whose sentences are the real facts")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--vectors-up-to", type=int, default=200_000, metavar="N", help="no vectors for more facts")
    parser.add_argument("--graph-nodes", type=int, default=100_000, metavar="N", help="at most; else as many as facts")
    parser.add_argument("--folder", type=Path, help="keep the files there; what is there already is not built again")
    parser.add_argument("--max", nargs="+", default=[], metavar="name=X", help="exit with 1 when one is more")
    options = parser.parse_args(arguments)
    if options.facts == "real" and options.data is None:
        parser.error("--facts real needs --data DIR")

    facts: Collection[synthetic.Fact] = synthetic.Facts(options.n)
    if options.facts == "real":
        facts = list(itertools.islice(sentences(options.data), options.n))
    if len(facts) < options.n:
        print(f"only {len(facts):,} facts in {options.data}, not {options.n:,}")
    with tempfile.TemporaryDirectory() as folder:
        if options.folder is not None:
            options.folder.mkdir(parents=True, exist_ok=True)
        figures = run(
            facts,
            options.folder or Path(folder),
            repeats=options.repeats,
            with_vectors=len(facts) <= options.vectors_up_to,
            graph_nodes=options.graph_nodes,
        )

    timings, memory = figures.timings, most_memory_mb()
    rows = [(name, f"{t.wall_ms:.2f}", f"{t.cpu_ms:.2f}", f"{t.cpu_p95:.2f}", t.runs) for name, t in timings.items()]
    print(table(("operation", "wall ms", "cpu ms", "cpu p95", "runs"), rows))
    loaded = "there already" if figures.load_s is None else f"loaded in {figures.load_s:.1f} s (cpu)"
    print(f"{loaded}: {figures.file_mb:,.0f} MB; {memory:,.0f} MB resident at most")
    judged = {name: t.cpu_ms for name, t in timings.items()}
    judged |= {f"{name}.p95": t.cpu_p95 for name, t in timings.items()}
    judged |= {"load": figures.load_s or 0.0, "memory": memory}
    slow = {name: limit for name, limit in limits(options.max).items() if judged[name] > limit}
    for name, limit in slow.items():
        print(f"{name}: {judged[name]:.2f}, more than {limit:g}")
    line: dict[str, Any] = {"bench": "speed", "n": len(facts), "facts": options.facts}
    line |= {name: round(t.cpu_ms, 3) for name, t in timings.items()}
    line["wall"] = {name: round(t.wall_ms, 3) for name, t in timings.items()}
    line["p95"] = {name: round(t.cpu_p95, 3) for name, t in timings.items()}
    line |= {
        "load_s": figures.load_s and round(figures.load_s, 1),
        "file_mb": round(figures.file_mb),
        "memory_mb": round(memory),
    }
    print(json_line(line))
    return 1 if slow else 0


def most_memory_mb() -> float:
    """The most that was resident of this process; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    sys.exit(main())
