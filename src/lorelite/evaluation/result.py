"""What an evaluation found: for every question where its evidence stood, and the measures of all of them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lorelite.errors import InvalidOption
from lorelite.evaluation.chart import Series, chart
from lorelite.evaluation.ranks import all_gold_at, quantile, recall_at, reciprocal_rank
from lorelite.text.strict_json import read_json

FORMAT = "lorelite-evaluation-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question: what was found, and where its evidence stands."""

    id: str
    question: str
    tag: str
    gold: tuple[tuple[str, ...], ...]
    found: tuple[str, ...]
    """Documents, best first; node ids where the gold names nodes."""
    ranks: tuple[int | None, ...]
    """The place of each piece of gold in what was found, from 1; None: not there."""
    latency_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds a question."""

    median: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How well a strategy finds the evidence of questions. Shares run from 0 to 1."""

    name: str
    strategy: str
    at: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    embedder: str = ""
    """The id of the embedder that was at hand; "" without one."""
    unknown: tuple[str, ...] = ()
    """Gold that the namespace does not hold, so that it cannot be found."""

    @property
    def label(self) -> str:
        """The strategy, and the embedder if there was one."""
        return f"{self.strategy}, {self.embedder}" if self.embedder else self.strategy

    @property
    def recall(self) -> dict[int, float]:
        """k → share of a question's evidence among the first k, averaged over the questions."""
        return {k: _mean([recall_at(outcome.ranks, k) for outcome in self.outcomes]) for k in self.at}

    @property
    def all_gold(self) -> dict[int, float]:
        """k → share of the questions all of whose evidence is among the first k."""
        return {k: _mean([all_gold_at(outcome.ranks, k) for outcome in self.outcomes]) for k in self.at}

    @property
    def mrr(self) -> float:
        """Mean of 1 / the place of the first evidence found, 0 where none was within the largest k."""
        return _mean([reciprocal_rank(outcome.ranks) for outcome in self.outcomes])

    @property
    def latency_ms(self) -> Latency:
        """Of the retrieval alone, with the citations of what was found."""
        times = [outcome.latency_ms for outcome in self.outcomes]
        return Latency(median=statistics.median(times) if times else 0.0, p95=quantile(times, 0.95))

    @property
    def by_tag(self) -> dict[str, Evaluation]:
        """Tag → the evaluation of its questions alone; empty when no question has a tag."""
        tags = sorted({outcome.tag for outcome in self.outcomes} - {""})
        return {
            tag: replace(self, outcomes=tuple(outcome for outcome in self.outcomes if outcome.tag == tag))
            for tag in tags
        }

    @property
    def measures(self) -> dict[str, float]:
        """Every measure by its usual name, in percent and milliseconds: "R@5", "all-gold@5", "MRR", "median ms" …"""
        measured = {f"R@{k}": 100 * share for k, share in self.recall.items()}
        measured |= {f"all-gold@{k}": 100 * share for k, share in self.all_gold.items()}
        latency = self.latency_ms
        return measured | {"MRR": 100 * self.mrr, "median ms": latency.median, "p95 ms": latency.p95}

    def table(self) -> str:
        """The measures as a plain-text table: all questions, then a row for each tag."""
        rows = [("all", self), *self.by_tag.items()]
        headings = ["questions", "n", *self.measures]
        lines = [headings]
        for label, part in rows:
            shown = [f"{value:.2f}" if name.endswith("ms") else f"{value:.1f}" for name, value in part.measures.items()]
            lines.append([label, f"{len(part.outcomes):,}", *shown])
        return padded(lines)

    def to_svg(self, *others: Evaluation) -> str:
        """Curves of recall and of all-gold over k, this evaluation's and those of others, as an SVG document."""
        runs = (self, *others)
        labels = [run.label for run in runs]
        if len(set(labels)) < len(labels):
            labels = [f"{run.label} {number}" for number, run in enumerate(runs, 1)]
        series = [Series(label, run.recall, run.all_gold) for label, run in zip(labels, runs, strict=True)]
        return chart(f"{self.name}: {len(self.outcomes):,} questions", series)

    def to_json(self) -> str:
        """Everything as one JSON document, which `from_json` reads."""
        text = json.dumps({"format": FORMAT, "measures": self.measures, **asdict(self)}, ensure_ascii=False, indent=1)
        # Half a character, which no file of UTF-8 can hold, stays the escape that it came as.
        return text.encode("utf-8", "backslashreplace").decode()

    @classmethod
    def from_json(cls, text: str) -> Evaluation:
        """The evaluation that `to_json` wrote. Raises InvalidOption for anything else."""
        try:
            value = read_json(_text(text))
            if not isinstance(value, Mapping) or value.get("format") != FORMAT:
                raise ValueError(f'no "format": "{FORMAT}"')
            return cls(
                name=_text(value["name"]),
                strategy=_text(value["strategy"]),
                at=tuple(_place(k) for k in _list(value["at"])),
                outcomes=tuple(_outcome(row) for row in _list(value["outcomes"], at_least=0)),
                embedder=_text(value["embedder"]),
                unknown=_texts(value["unknown"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidOption("evaluation", f"a document of to_json ({error})", str(text)[:60]) from error


def together(name: str, parts: Sequence[Evaluation]) -> Evaluation:
    """Evaluations of the same strategy as one: of a benchmark whose questions are asked in several namespaces."""
    return replace(
        parts[0],
        name=name,
        outcomes=tuple(outcome for part in parts for outcome in part.outcomes),
        unknown=tuple(name for part in parts for name in part.unknown),
    )


def padded(lines: Sequence[Sequence[str]]) -> str:
    """Columns of one width, the first to the left and the numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        for line in lines
    )
    return "\n".join("  ".join(cells).rstrip() for cells in padded)


def _outcome(row: Mapping[str, Any]) -> Outcome:
    gold = tuple(_texts(piece) for piece in _list(row["gold"]))
    ranks = tuple(None if rank is None else _place(rank) for rank in _list(row["ranks"]))
    if len(ranks) != len(gold):
        raise ValueError(f"{len(ranks)} ranks of {len(gold)} pieces of gold")
    return Outcome(
        id=_text(row["id"]),
        question=_text(row["question"]),
        tag=_text(row["tag"]),
        gold=gold,
        found=_texts(row["found"]),
        ranks=ranks,
        latency_ms=float(row["latency_ms"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _list(value: object, at_least: int = 1) -> list[Any]:
    if not isinstance(value, list) or len(value) < at_least:
        raise TypeError(f"{value!r:.40} is no list of {at_least} or more")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, _list(value, at_least=0)))


def _place(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise TypeError(f"{value!r:.40} is no place from 1")
    return value


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
