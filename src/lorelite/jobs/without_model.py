"""Reading events without a model: each is remembered as it was told, and what is plainly a task becomes one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorelite.jobs.librarian_plan import OpenTask, task_meant
from lorelite.prompts.librarian import FactClaim, LibrarianReply, TaskClaim
from lorelite.records import Event, Task
from lorelite.text.alike import statement
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


def read_events(events: Sequence[Event], open_tasks: Sequence[Task]) -> LibrarianReply:
    """A tentative fact for each event, word for word; one that begins with "TODO:", "[ ]" or the like is a task.

    What is said to be done closes a task, or is a fact like any other where no such task is open.
    """
    facts: list[FactClaim] = []
    tasks: list[TaskClaim] = []
    still_open = {task.id: OpenTask(task, statement(task.description, "")) for task in open_tasks}
    for index, event in enumerate(events):
        to_do, done = _TO_DO.match(event.summary), _DONE.match(event.summary)
        closed = None
        if to_do is not None:
            claim = TaskClaim(index=index, description=to_do["what"].strip())
            if task_meant(claim, list(still_open.values()), {}) is None:
                begun = Task(id=event.id, namespace=event.namespace, description=claim.description)
                still_open[event.id] = OpenTask(begun, statement(claim.description, ""))
            tasks.append(claim)
        elif done is not None:
            claim = TaskClaim(index=index, description=done["what"].strip(), done=True)
            closed = task_meant(claim, list(still_open.values()), {})
        if closed is not None:
            del still_open[closed.id]
            tasks.append(claim)
        elif to_do is None:
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
