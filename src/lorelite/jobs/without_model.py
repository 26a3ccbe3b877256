"""Reading events without a model: each is remembered as it was told, and what is plainly a task becomes one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorelite.prompts.librarian import FactClaim, LibrarianReply, TaskClaim
from lorelite.records import Event
from lorelite.text.sentences import split_sentences

_TITLE = 80
_TO_DO = re.compile(
    r"\s*(?:[-*]\s*)?(?:\[\s?\]|(?:to-?\s?do|fixme|task|remind me|remember|don'?t forget|aufgabe|nicht vergessen|"
    r"zu erledigen|à faire|ne pas oublier|tarea|pendiente|por hacer|no olvidar|da fare|tarefa|a fazer|"
    r"задача|сделать|待办|待辦|やること|할 일)(?:\s+to\b|\s*[:：]))\s*[:：]?\s*(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_DONE = re.compile(
    r"\s*(?:[-*]\s*)?(?:\[x\]|(?:done|finished|completed|erledigt|fertig|fait|terminé|hecho|terminado|fatto|feito|"
    r"готово|сделано|完成|已完成|完了|완료)\s*[:：])\s*(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)


def read_events(events: Sequence[Event]) -> LibrarianReply:
    """A tentative fact for each event, word for word; one that begins with "TODO:", "[ ]" or the like is a task."""
    facts: list[FactClaim] = []
    tasks: list[TaskClaim] = []
    for index, event in enumerate(events):
        to_do, done = _TO_DO.match(event.summary), _DONE.match(event.summary)
        if to_do or done:
            match = to_do or done
            assert match is not None
            tasks.append(TaskClaim(index=index, description=match["what"].strip(), done=to_do is None))
        else:
            facts.append(
                FactClaim(
                    index=index,
                    title=title_from(event.summary),
                    body=event.summary,
                    op="add",
                    confidence="tentative",
                    evidence=(event.summary,),
                )
            )
    return LibrarianReply(facts=tuple(facts), tasks=tuple(tasks))


def title_from(text: str) -> str:
    """The first sentence of a text on one line, cut at a word where it is long."""
    spans = split_sentences(text)
    first = text[spans[0].start : spans[0].end] if spans else text
    line = " ".join(first.split()).rstrip(".。")
    if len(line) <= _TITLE:
        return line or text.strip()[:_TITLE]
    head = line[: _TITLE - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[_TITLE // 2 :] else head) + "…"
