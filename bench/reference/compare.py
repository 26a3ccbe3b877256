"""The comparison: each file built once, then every operation of all subjects in turns."""

from __future__ import annotations

import itertools
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from bench.reference import generator
from bench.reference.install import ROOT, Missing, npm_folder, pyodide_folder
from bench.reference.processes import Subject
from bench.reference.timing import Call, Limits, Timing, in_turns

Runtime = Literal["cpython", "pyodide"]
DRIVER: Mapping[Runtime, str] = {"cpython": "better-sqlite3", "pyodide": "sql.js"}
READS = ("keyword", "semantic", "hybrid")
ALONE = ("minisearch", "minisearch_exact", "bm25s")
GRAPH_NODES, DEGREE, SPOKES = 10_000, 10, 1_000
QUERIES = 30
BURST = 5


def ours(runtime: Runtime) -> str:
    """Label of our side."""
    return f"lorelite {runtime}"


def theirs(runtime: Runtime) -> str:
    """Label of the other side."""
    return f"reference {DRIVER[runtime]}"


@dataclass(slots=True)
class Results:
    timings: dict[str, dict[str, Timing]] = field(default_factory=dict)
    """Operation → label → timing; the libraries that search alone stand under keyword."""
    build_s: dict[str, float] = field(default_factory=dict)
    """Label → CPU seconds for the file of facts with its index and vectors."""
    memory_mb: dict[str, float] = field(default_factory=dict)
    """Label → resident after the reads."""
    agreement: dict[str, float] = field(default_factory=dict)
    """Operation → share of the reference's results that are among ours."""
    skipped: list[str] = field(default_factory=list)

    @contextmanager
    def unless_missing(self, part: str) -> Iterator[None]:
        try:
            yield
        except Missing as reason:
            self.skipped.append(f"{part}: {reason}")


@dataclass(slots=True)
class Comparison:
    count: int
    limits: Limits
    folder: Path
    """For copies of the files."""
    built: Path
    """For the files; those that are there already are taken as they are."""
    npm: Path
    say: Callable[[str], None]
    analyze: bool
    results: Results = field(default_factory=Results)
    subjects: dict[str, Subject] = field(default_factory=dict)
    """Label → a running process."""

    @property
    def graph_nodes(self) -> int:
        return min(self.count, GRAPH_NODES)

    def run(self, runtimes: Sequence[Runtime]) -> Results:
        try:
            self._build()
            for runtime in runtimes:
                with self.results.unless_missing(runtime):
                    self._start(runtime)
            self._read_facts(self._alone() if "cpython" in runtimes else {})
            self._add_facts()
            self._walk_graphs()
        finally:
            for subject in self.subjects.values():
                subject.stop()
        return self.results

    def _build(self) -> None:
        """The files of both sides, which serve both runtimes."""
        hub = min(SPOKES, self.graph_nodes - 1)
        for label, side in ((ours("cpython"), "ours"), (theirs("cpython"), "theirs")):
            self.say(f"{label}: building {self.count:,} facts, and graphs of {self.graph_nodes:,} nodes")
            subject = self._process(label)
            with self._making(side, "facts") as path:
                if path is not None:
                    built = subject.ask("build", path=path, count=self.count, analyze=self.analyze)
                    self.results.build_s[label] = built.cpu_ms / 1000
            for name, extra in (("walk", 0), ("hub", hub)):
                with self._making(side, name) as path:
                    if path is not None:
                        subject.ask("build_graph", path=path, count=self.graph_nodes, degree=DEGREE, hub=extra)
            subject.stop()

    @contextmanager
    def _making(self, side: str, name: str) -> Iterator[str | None]:
        """Where to build a file, which gets its name when it is whole; None when it is there already."""
        file = self._file(side, name)
        if file.exists():
            yield None
            return
        making = file.with_suffix(".making")
        making.unlink(missing_ok=True)
        yield str(making)
        making.rename(file)

    def _process(self, label: str) -> Subject:
        if label == ours("cpython"):
            return Subject(label, [sys.executable, "-m", "bench.reference.serve", "ours"])
        if label == ours("pyodide"):
            return Subject(label, ["node", "pyodide.mjs", pyodide_folder(), ROOT], folder=self.npm)
        if label == "bm25s":
            return Subject(label, [sys.executable, "-m", "bench.reference.serve", "bm25s"])
        if label == "minisearch":
            return Subject(label, ["node", "minisearch.mjs"], folder=self.npm)
        return Subject(label, ["node", "theirs.mjs", label.removeprefix("reference ")], folder=self.npm)

    def _start(self, runtime: Runtime) -> None:
        pair = {label: self._process(label) for label in (ours(runtime), theirs(runtime))}
        self.subjects |= pair

    def _alone(self) -> dict[str, Subject]:
        """The libraries that only search, in memory; MiniSearch twice, as the reference sets it and without."""
        found = {}
        with self.results.unless_missing("bm25s"):
            if find_spec("bm25s") is None:
                raise Missing("not installed; pip install -e '.[bench]'")
            found["bm25s"] = self._process("bm25s")
        found["minisearch"] = self._process("minisearch")
        for label, subject in found.items():
            self.results.build_s[label] = subject.ask("build", count=self.count).cpu_ms / 1000
        self.subjects |= found
        return found | {"minisearch_exact": found["minisearch"]}

    # -- facts --------------------------------------------------------------------------------------------------

    def _read_facts(self, alone: dict[str, Subject]) -> None:
        engines = {label: subject for label, subject in self.subjects.items() if label not in ALONE}
        titles = [fact.title for fact in itertools.islice(generator.facts(), self.count)]
        queries = [generator.query(titles[number]) for number in generator.query_facts(QUERIES, self.count)]
        paths = {label: self._placed("facts", label) for label in engines}
        for subject in engines.values():
            subject.ask("prepare", queries=queries)
        self._measure("open", engines, lambda label: itertools.repeat(("open", {"path": paths[label]})), before="close")
        for name in READS:
            self._measure(
                name,
                engines | (alone if name == "keyword" else {}),
                lambda label, name=name: ((label if label in ALONE else name, {"query": query}) for query in queries),  # type: ignore[misc]
                burst=BURST,
            )
            self._compare_results(name, {"query": queries[0]})
        for label, subject in self.subjects.items():
            self.results.memory_mb[label] = subject.memory_mb() or 0.0
        for label in alone:
            if label in self.subjects:
                self.subjects.pop(label).stop()

    def _add_facts(self) -> None:
        """One fact after another, each found from then on; without vectors on either side."""
        coming = itertools.islice(generator.facts(), self.count, self.count + self.limits.repeats)
        added = [{"id": fact.id, "title": fact.title, "body": fact.body} for fact in coming]
        self._measure(
            "add",
            self.subjects,
            lambda _: (("add", {"number": number, "fact": fact}) for number, fact in enumerate(added, self.count)),
            warm=False,
        )
        for label, subject in self.subjects.items():
            if added[0]["id"] not in subject.ask("keyword", query=added[0]["title"]).found:
                raise AssertionError(f"{label}: the fact that was added is not found")

    # -- graphs -------------------------------------------------------------------------------------------------

    def _walk_graphs(self) -> None:
        links = generator.edges(self.graph_nodes, DEGREE)
        anchors = {"walk": generator.anchors(links, self.limits.repeats), "hub": [0] * self.limits.repeats}
        for name, starts in anchors.items():
            for label, subject in self.subjects.items():
                subject.ask("close")
                subject.ask("open", path=self._placed(name, label))
            self._measure(
                name,
                self.subjects,
                lambda _, starts=starts: (("walk", {"anchor": anchor}) for anchor in starts),  # type: ignore[misc]
                warm=name == "walk",
                is_limited=True,
                burst=BURST if name == "walk" else 1,
            )

    # -- parts --------------------------------------------------------------------------------------------------

    def _measure(
        self,
        name: str,
        subjects: Mapping[str, Subject],
        calls: Callable[[str], Iterator[Call]],
        *,
        before: str | None = None,
        warm: bool = True,
        is_limited: bool = False,
        burst: int = 1,
    ) -> None:
        self.say(f"measuring {name}")
        prior: Call | None = None if before is None else (before, {})
        running = {label: subject for label, subject in subjects.items() if subject in self.subjects.values()}
        timings = in_turns(running, calls, self.limits, before=prior, warm=warm, is_limited=is_limited, burst=burst)
        self.results.timings[name] = {label: timing for label, timing in timings.items() if timing.cpu}
        for label, timing in timings.items():
            if label in self.subjects and (timing.fault or timing.gave_up):
                # Its file is in an unknown state now.
                self.subjects.pop(label).stop()
            if timing.fault:
                self.results.skipped.append(f"{name} and what follows, {label}: {timing.fault}")

    def _compare_results(self, operation: str, given: dict[str, Any]) -> None:
        """One call to both sides, natively: do they find the same?"""
        if {ours("cpython"), theirs("cpython")} <= self.subjects.keys():
            mine, other = (self.subjects[side("cpython")].ask(operation, **given).found for side in (ours, theirs))
            if not other:
                raise AssertionError(f"the reference found nothing: {operation} {given}")
            self.results.agreement[operation] = len({*mine} & {*other}) / len(other)

    def _file(self, side: str, name: str) -> Path:
        has_statistics = side == "theirs" and (self.analyze or name != "facts")
        return self.built / f"{side}-{name}-{self.count}{'-analyzed' if has_statistics else ''}.db"

    def _placed(self, name: str, label: str) -> str:
        """A copy of a file for this process alone."""
        source = self._file("ours" if label.startswith("lorelite") else "theirs", name)
        if label == ours("pyodide"):
            inside = f"/tmp/{name}.db"
            self.subjects[label].ask("copy", path=str(source), to=inside)
            return inside
        return str(shutil.copy(source, self.folder / f"{name}-{label.replace(' ', '-')}.db"))


def compare(
    count: int,
    runtimes: Sequence[Runtime],
    limits: Limits,
    folder: Path,
    *,
    built: Path | None = None,
    may_install: bool = True,
    analyze: bool = False,
    say: Callable[[str], None] = print,
) -> Results:
    """Run all that can run here; what cannot is told in `skipped`. Raises Missing when the reference cannot run.

    folder: for copies of the files. built: for the files, where they are kept and used again.
    analyze: give the reference statistics for its reads as well.
    """
    npm = npm_folder(may_install=may_install)
    return Comparison(count, limits, folder, built or folder, npm, say, analyze).run(runtimes)
