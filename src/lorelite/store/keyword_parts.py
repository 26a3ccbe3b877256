"""The parts of a namespace's keyword index: what says something, what only names it, and what was made of both.

Entities and questions are many and short, reports say again what passages say. Counted together with passages they
would make every passage a long one, and a word rare that half of the passages hold; so each part has its own
statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lorelite.search.query_plan import Clause, Vocabulary

Part = Literal["passages", "names", "questions", "reports"]
PARTS: tuple[Part, ...] = ("passages", "names", "questions", "reports")
ALWAYS: tuple[Part, ...] = ("passages", "names")
"""Parts that every namespace has; a file gets the others when there is something to put into them."""
_PARTS: Mapping[str, Part] = {"entity": "names", "question": "questions", "report": "reports"}


def part_of(kind: str) -> Part:
    """Where the nodes of a kind are: facts and chunks are passages."""
    return _PARTS.get(kind, "passages")


class KeywordIndex(Vocabulary, Protocol):
    """An index of nodes."""

    def __len__(self) -> int:
        """How many nodes it holds."""
        ...

    def match(self, clauses: Sequence[Clause], limit: int) -> list[tuple[int, float]]:
        """(node key, score) of the best *limit* nodes that hold any clause; higher is better."""
        ...


@dataclass(frozen=True, slots=True)
class PartedIndex:
    """Several parts asked as one."""

    parts: Sequence[KeywordIndex]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        asked = list(tokens)
        return dict(sum((Counter(part.frequencies(asked)) for part in self.parts), Counter()))

    def starting_with(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        found = sum((Counter(dict(part.starting_with(prefix, limit))) for part in self.parts), Counter())
        return sorted(found.items())[:limit]

    def holds_phrase(self, phrase: Clause) -> bool:
        return any(part.holds_phrase(phrase) for part in self.parts)

    def match(self, clauses: Sequence[Clause], limit: int) -> list[tuple[int, float]]:
        found = [scored for part in self.parts for scored in part.match(clauses, limit)]
        return sorted(found, key=lambda scored: (-scored[1], scored[0]))[:limit]
