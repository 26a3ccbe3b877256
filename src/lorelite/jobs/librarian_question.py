"""What the librarian's model is shown of events, of what is known about the same, and of the open tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorelite.engine import Engine
from lorelite.jobs.librarian_plan import Candidate
from lorelite.jobs.neighbours import FACTS, neighbours
from lorelite.memory.ontology import effective
from lorelite.ontology.guidance import guidance
from lorelite.ports import ModelRequest
from lorelite.prompts import librarian as prompt_of_librarian
from lorelite.prompts import resolve
from lorelite.prompts.fence import shortened
from lorelite.prompts.librarian import MAX_TAG_CHARS, MAX_TAGS
from lorelite.records import Event, Node

NEAREST = 5
"""Facts that are looked up for each event, and for each fact of a reply."""
_EVENT_CHARS = 24_000
_KNOWN_FACTS = 40
_KNOWN_CHARS = 500
_OPEN_TASKS = 50

Rows = Sequence[tuple[int, Event]]
"""(sequence, event) each."""


@dataclass(frozen=True, slots=True)
class Question:
    """The request, and what the reply may call what it was shown beside the events: label → id."""

    request: ModelRequest
    labels: dict[str, str]


def fitting(rows: Rows) -> Rows:
    """As many of the events, and at least one, as one request has room for."""
    room = _EVENT_CHARS
    for place, (_, event) in enumerate(rows):
        room -= len(event.summary) + 60
        if room < 0 and place:
            return rows[:place]
    return rows


async def question_about(engine: Engine, namespace: str, rows: Rows, template: str | None) -> Question:
    """What is to be remembered of these events. template: a prompt of the caller's."""
    store = engine.store
    near = await neighbours(engine, namespace, [("", event.summary) for _, event in rows], NEAREST)
    recent = store.nodes.recent(namespace, kinds=FACTS, limit=_KNOWN_FACTS)
    # Turn by turn: the nearest fact of every event before the second nearest of any.
    in_turn = [some.nodes[place] for place in range(2 * NEAREST) for some in near if place < len(some.nodes)]
    known = list({node.id: node for node in [*in_turn, *recent]}.values())[:_KNOWN_FACTS]
    tasks = store.journal.open_tasks(namespace, _OPEN_TASKS)
    labels = {f"F{number}": node.id for number, node in enumerate(known, 1)}
    labels |= {f"T{number}": task.id for number, task in enumerate(tasks, 1)}
    request = prompt_of_librarian.build(
        [
            {"id": f"E{number}", "event_type": event.event_type, "summary": event.summary, "at": event.created_at}
            for number, (_, event) in enumerate(rows, 1)
        ],
        [_shown(node, f"F{number}") for number, node in enumerate(known, 1)],
        [
            {"id": f"T{number}", "description": shortened(task.description, _KNOWN_CHARS), "priority": task.priority}
            for number, task in enumerate(tasks, 1)
        ],
        template=template,
        guidance=guidance(effective(engine, namespace)),
    )
    return Question(request, labels)


def question_of_standing(unclear: Mapping[str, Candidate]) -> ModelRequest:
    """How each of these facts, by label, stands to what is known: F1, F2 … in the order of its `known`."""
    return resolve.build(
        [
            {
                "id": id,
                "title": one.claim.title,
                "body": one.claim.body,
                "known": [_shown(node, f"F{at}") for at, node in enumerate(one.known, 1)],
            }
            for id, one in unclear.items()
        ]
    )


def _shown(node: Node, label: str) -> dict[str, object]:
    return {
        "id": label,
        "title": shortened(node.title, _KNOWN_CHARS),
        "body": shortened(node.body, _KNOWN_CHARS),
        "tags": [shortened(tag, MAX_TAG_CHARS) for tag in node.tags[:MAX_TAGS]],
        "confidence": node.confidence,
        "said_by": node.source_type,
    }
