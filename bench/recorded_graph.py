"""The recorded replies of another GraphRAG system as the model of a pipeline.

The recording has no prompts. An extraction is given to the chunk that names most of its entities, the first as the
reply and the others as gleaning rounds; a request about a community is answered with the recorded report that tells
most of its members. What was never recorded (questions, points for a question, answers, summaries) is written by
rules from the request itself, and counted apart.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bench.recorded_book import Extraction, assign, parse_reply
from lorelite.ports import ModelReply, ModelRequest
from lorelite.records import Usage
from lorelite.text.budget import token_cost
from lorelite.text.sentences import split_sentences
from lorelite.text.tokens import word_tokens

NOTHING = "<|COMPLETE|>"
_TABLE = re.compile(r"^(Reports|Entities|Relationships):\n(=+)\n(.*?)\n\2$", re.DOTALL | re.MULTILINE)
_JSON = re.compile(r"\s*(```\w*\s*)?\{")
_QUESTION = re.compile(r"^Question:\s*(.*)$", re.MULTILINE)


class RecordedGraphModel:
    """A ChatModel that answers what a pipeline asks about the chunks it was told of; the same request, the same reply.

    `answered` counts replies by where they come from; `used` the recorded replies that were given at least once.
    """

    name = "recorded-graph"
    blocking = True

    def __init__(self, recording: str, chunks: Sequence[str]) -> None:
        replies = [entry["return"] for entry in json.loads(recording).values()]
        extractions = [reply for reply in replies if "<|>" in reply]
        self._reports = _Reports([reply for reply in replies if "<|>" not in reply and _JSON.match(reply)])
        parsed = [parse_reply(reply) for reply in extractions]
        raw = {id(each): reply for each, reply in zip(parsed, extractions, strict=True)}
        placed, homeless = assign(parsed, chunks)
        self._rounds = {
            chunks[number]: [raw[id(each)] for each in _fullest_first(found)] for number, found in placed.items()
        }
        self._chunks = sorted(chunks, key=len, reverse=True)
        self.recorded = {
            "extractions": len(extractions),
            "reports": len(self._reports.replies),
            "homeless": len(homeless),
        }
        self.answered: Counter[str] = Counter()
        self.used: set[str] = set()

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return [self._answer(request) for request in requests]

    def as_blocking(self) -> RecordedGraphModel:
        return self

    def _answer(self, request: ModelRequest) -> ModelReply:
        source, text = self._said(request)
        self.answered[source] += 1
        if source.startswith("recorded"):
            self.used.add(text)
        usage = Usage(calls=1, input_tokens=token_cost(request.system + request.user), output_tokens=token_cost(text))
        return ModelReply(text=text, usage=usage)

    def _said(self, request: ModelRequest) -> tuple[str, str]:
        """Where a reply comes from, and the reply."""
        match request.purpose:
            case "extract_graph" | "glean":
                left = self._left(request)
                return ("recorded extraction", left[0]) if left else ("nothing recorded", NOTHING)
            case "glean_more":
                return "rule", "yes" if self._left(request) else "no"
            case "community_report":
                return "recorded report", self._reports.nearest(_names(request.user), request.user)
            case "hypothetical_questions":
                return "rule", self._questions(request)
            case "global_map":
                return "rule", _points(request)
            case _:
                return "rule", _beginning(request.user)

    def _left(self, request: ModelRequest) -> list[str]:
        """The recorded replies about the chunk of a request that it does not show as written already."""
        rounds = self._rounds.get(self._chunk(request), [])
        return [reply for reply in rounds if reply not in request.user]

    def _chunk(self, request: ModelRequest) -> str:
        return next((chunk for chunk in self._chunks if chunk in request.user), "")

    def _questions(self, request: ModelRequest) -> str:
        """What the passage tells of the entities that the recording names first in it."""
        rounds = self._rounds.get(self._chunk(request), [])
        names = [entity.name for reply in rounds for entity in parse_reply(reply).entities]
        return json.dumps({"questions": [f"What is told of {name}?" for name in list(dict.fromkeys(names))[:3]]})


class _Reports:
    """Recorded reports, found by the names that they tell."""

    def __init__(self, replies: Sequence[str]) -> None:
        self.replies = replies
        self._words = [frozenset(word_tokens(reply)) for reply in replies]
        self._holding = Counter(word for words in self._words for word in words)

    def nearest(self, names: Iterable[str], text: str) -> str:
        """The report that holds most words of the names, each counting the more the fewer reports hold it."""
        wanted = sorted({word for name in names for word in word_tokens(name)}) or sorted(set(word_tokens(text)))
        if not self.replies:
            return ""

        def told(number: int) -> float:
            return sum(1 / self._holding[word] for word in wanted if word in self._words[number])

        return self.replies[max(range(len(self.replies)), key=lambda number: (told(number), -number))]


def _fullest_first(rounds: Sequence[Extraction]) -> list[Extraction]:
    """The first round says most; those after it add what it missed."""
    return sorted(rounds, key=lambda each: -len(each.entities) - len(each.relations))


def _tables(prompt: str) -> Mapping[str, list[dict[str, str]]]:
    return {match[1]: list(csv.DictReader(io.StringIO(match[3]))) for match in _TABLE.finditer(prompt)}


def _names(prompt: str) -> list[str]:
    tables = _tables(prompt)
    entities = [row["entity"] for row in tables.get("Entities", [])]
    ends = [row[end] for row in tables.get("Relationships", []) for end in ("source", "target")]
    return list(dict.fromkeys([*entities, *ends]))


def _points(request: ModelRequest) -> str:
    """Of each report that shares words with the question, its title and first sentence."""
    asked = _QUESTION.search(request.user)
    question = set(word_tokens(asked[1])) if asked else set()
    points = []
    for row in _tables(request.user).get("Reports", []):
        lines = [line for line in row["content"].splitlines() if line.strip()]
        shared = len(question & set(word_tokens(row["content"])))
        if shared and len(lines) > 1:
            first = split_sentences(lines[1])[0].of(lines[1])
            points.append({"description": f"{lines[0].lstrip('# ')}: {first}", "score": min(100, 20 * shared)})
    return json.dumps({"points": points})


def _beginning(text: str) -> str:
    """The first words of the longest paragraph."""
    return " ".join(max(text.split("\n\n"), key=len).split()[:60])
