"""What the model is shown of the facts to check, and of what may bear on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorelite.ports import ModelRequest
from lorelite.prompts import heal as prompt_of_heal
from lorelite.prompts.fence import shortened
from lorelite.records import Event, Node, Task
from lorelite.temporal import iso

WITHOUT_TASKS, WITHOUT_EVENTS, SHORTENED = 1, 2, 3
"""Levels: each leaves out more than the one before."""
_CONTEXT_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class HealContext:
    """What one run shows beside the facts to check."""

    near: Mapping[str, Sequence[Node]]
    """Fact to check → other facts that may be about the same, nearest first."""
    tasks: Sequence[Task]
    events: Sequence[Event]
    most: int
    """Other facts, and documents' facts, shown at most in one request."""
    body_chars: int
    template: str | None = None
    guidance: Mapping[str, str] | None = None

    def around(self, facts: Sequence[Node]) -> list[Node]:
        """What is shown beside *facts*: the nearest of each before the second nearest of any."""
        own = {fact.id for fact in facts}
        lists = [self.near.get(fact.id, ()) for fact in facts]
        in_turn = [
            some[place] for place in range(max(map(len, lists), default=0)) for some in lists if place < len(some)
        ]
        unique = {node.id: node for node in in_turn if node.id not in own}
        documented = [node for node in unique.values() if is_documented(node)][: self.most]
        # A prompt of the caller's has no place for other facts.
        related = [] if self.template is not None else [node for node in unique.values() if not is_documented(node)]
        return documented + related[: self.most]

    def request(self, facts: Sequence[Node], level: int) -> ModelRequest:
        """The question about *facts* at a level of the batcher: 0 whole."""
        around = self.around(facts)
        context_chars = 0 if level >= SHORTENED else _CONTEXT_CHARS
        return prompt_of_heal.build(
            [_shown(fact, self.shown_chars(fact, level)) for fact in facts],
            related=[_shown(node, context_chars) for node in around if not is_documented(node)],
            documented=[_shown(node, context_chars) for node in around if is_documented(node)],
            tasks=[] if level >= WITHOUT_TASKS else [_shown_task(task) for task in self.tasks],
            events=[] if level >= WITHOUT_EVENTS else [_shown_event(event) for event in self.events],
            template=self.template,
            guidance=self.guidance,
        )

    def shown_chars(self, fact: Node, level: int) -> int:
        """How much of a fact's body the model sees."""
        return min(len(fact.body), self.body_chars) if level >= SHORTENED else len(fact.body)


def is_documented(node: Node) -> bool:
    return node.source_type == "immutable_document"


def _shown(node: Node, chars: int) -> dict[str, object]:
    """*chars* of the body; of a title as many, and at least as many as beside the facts to check."""
    body = shortened(node.body, chars) if chars else ""
    shown: dict[str, object] = {"id": node.id, "title": shortened(node.title, max(chars, _CONTEXT_CHARS))}
    if body:
        shown["body"] = body
    shown |= {"confidence": node.confidence, "said_by": node.source_type, "since": iso(node.created_at)[:10]}
    if is_documented(node):
        shown["document"] = node.source_ref
    return shown


def _shown_task(task: Task) -> dict[str, object]:
    return {"description": task.description[:_CONTEXT_CHARS], "status": task.status, "priority": task.priority}


def _shown_event(event: Event) -> dict[str, object]:
    return {"event_type": event.event_type, "summary": event.summary[:_CONTEXT_CHARS], "at": iso(event.created_at)[:10]}
