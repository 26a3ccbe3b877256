"""A benchmark: passages to be taken in, each as one document, and questions about them."""

from __future__ import annotations

from dataclasses import dataclass

from lorelite.evaluation.questions import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One document of a benchmark."""

    source_ref: str
    title: str
    body: str

    @property
    def text(self) -> str:
        """The document as it is taken in: a page with its title as the heading."""
        return f"# {self.title}\n\n{self.body}" if self.title else self.body


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Passages that are searched together, in a namespace of their own, and the questions asked there."""

    namespace: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A benchmark as its files give it."""

    name: str
    parts: tuple[Part, ...]
    skipped: int = 0
    """Questions left out since the files name no evidence for them."""
    missing: tuple[str, ...] = ()
    """Evidence that the files name and do not hold; it counts as not found."""

    @property
    def passages(self) -> int:
        return sum(len(part.passages) for part in self.parts)

    @property
    def questions(self) -> int:
        return sum(len(part.questions) for part in self.parts)
