"""What the librarian writes, worked out from what is known and what was said: no store, no model, no clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorelite.ids import random_id
from lorelite.jobs.duplicates import is_ours_to_end
from lorelite.jobs.inferred import Author, Remark, contradiction, deduplicated, ended, inferred_fact
from lorelite.ontology.typing import Proposal
from lorelite.prompts.librarian import FactClaim, Op, TaskClaim
from lorelite.prompts.resolve import Decision
from lorelite.records import Edge, Event, Node, Task
from lorelite.text.alike import Statement, has_digit, is_retold, overlap, relation, statement
from lorelite.text.grounding import Grounding
from lorelite.text.title_key import title_key

_SAME_FACT = 0.5
"""Share of common words from which two statements of one title are about the same, so that the later one holds."""
_SAME_TASK = 0.7
"""Share of common words from which two tasks are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fact that a reply states, with what is known about the same, nearest first, and the event it rests on."""

    claim: FactClaim
    known: tuple[Node, ...]
    event: Event
    alike: frozenset[str] = frozenset()
    """Ids of known facts that mean much the same, whatever their words."""
    ruling: Decision | None = None
    """What the model said when it was asked how the fact stands to `known`."""
    grounding: Grounding | None = None
    """None: not checked."""

    @property
    def said(self) -> Statement:
        return statement(self.claim.title, self.claim.body)

    def updates(self, labels: Mapping[str, str]) -> str:
        """The id of the known fact that the reply rewords; "" when it rewords none."""
        claim, ruling = self.claim, self.ruling
        if claim.op is not None:
            return labels.get(claim.target.upper(), claim.target) if claim.op == "update" else ""
        return ruling.target if ruling is not None and ruling.op == "update" else ""


@dataclass(slots=True)
class Plan:
    """Rows to write, and what is to be reported. Nodes are whole."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    cites: list[tuple[str, str]] = field(default_factory=list)
    """(new node, node whose citations it takes over)."""
    proposals: list[Proposal] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    added: int = 0
    updated: int = 0
    superseded: int = 0
    noops: int = 0
    drafts: int = 0
    tasks_added: int = 0
    tasks_closed: int = 0
    tasks_deduplicated: int = 0


def is_unclear(candidate: Candidate) -> bool:
    """Would a model have to say how the fact stands to what is known?"""
    if candidate.claim.op is not None or not candidate.known:
        return False
    relations = {relation(candidate.said, statement(node.title, node.body)) for node in candidate.known}
    return "same" not in relations and (relations != {"other"} or bool(candidate.alike))


def plan_facts(
    candidates: Sequence[Candidate], labels: Mapping[str, str], author: Author, plan: Plan, told: list[Statement]
) -> None:
    """Add to *plan* what becomes of each candidate.

    labels: what a reply may call a known fact → its id. told: what was planned before; grows.
    """
    current = {node.id: node for candidate in candidates for node in candidate.known}
    for candidate in candidates:
        said, claim = candidate.said, candidate.claim
        # What an earlier candidate changed counts as it will be, and in place of what it superseded its successor.
        latest = {node.id: _latest(node.id, current) for node in candidate.known}
        known = list({node.id: node for node in latest.values() if node.superseded_by is None}.values())
        ids = {id.upper(): node.id for id, node in latest.items()}
        # An id may look like a label. What a reply names is the label, of a fact that is gone too.
        meant = ids | {label: latest[id].id if id in latest else "" for label, id in labels.items()}
        if _is_told(said, claim, told):
            plan.noops += 1
            plan.remarks.append(deduplicated(claim, "fuzzy_title"))
            continue
        op, target = _decided(candidate, said, known, ids if claim.op is None and candidate.ruling else meant)
        if op == "noop":
            plan.noops += 1
            plan.remarks.append(deduplicated(claim, "known", target))
            continue
        told.append(said)
        for node in _written(_permitted(op, target, candidate), target, candidate, author, plan):
            current[node.id] = node


def _latest(id: str, current: Mapping[str, Node]) -> Node:
    node = current[id]
    while node.superseded_by is not None and node.superseded_by in current:
        node = current[node.superseded_by]
    return node


def _is_told(said: Statement, claim: FactClaim, told: Sequence[Statement]) -> bool:
    return any(relation(said, other) == "same" or (claim.op is None and is_retold(said, other)) for other in told)


def _decided(
    candidate: Candidate, said: Statement, known: Sequence[Node], labels: Mapping[str, str]
) -> tuple[Op, Node | None]:
    """What the reply wants, or what the words say when it does not say; and of which known fact."""
    relations = [(node, relation(said, statement(node.title, node.body))) for node in known]
    same = next((node for node, kind in relations if kind == "same"), None)
    if same is not None:
        return "noop", same
    claim, ruling = candidate.claim, candidate.ruling
    op = claim.op if claim.op is not None else ruling.op if ruling is not None else None
    if op == "add":
        return "add", None
    if op is not None:
        target = _named(claim.target if claim.op is not None or ruling is None else ruling.target, known, labels)
        target = target or next((node for node, kind in relations if kind != "other"), None)
        return (op, target) if target is not None else ("add", None)
    return _by_words(said, relations)


def _by_words(said: Statement, relations: Sequence[tuple[Node, str]]) -> tuple[Op, Node | None]:
    """Careful: what is plainly neither the same statement nor another value of the same is added."""
    for node, kind in relations:
        other = statement(node.title, node.body)
        is_inferred = node.source_type == "librarian_inferred"
        if kind == "less" or (is_inferred and said.key != other.key and is_retold(said, other)):
            return "noop", node
        if kind == "more" and is_inferred and said.key == other.key:
            return "update", node
        if kind == "changed" and said.key == other.key and overlap(said.words, other.words) >= _SAME_FACT:
            return "supersede", node
    return "add", None


def _named(target: str, known: Sequence[Node], labels: Mapping[str, str]) -> Node | None:
    """The known fact that a reply means by its label, id or title."""
    wanted = labels.get(target.upper(), target)
    return next((node for node in known if wanted == node.id), None) or next(
        (node for node in known if target and title_key(node.title) == title_key(target)), None
    )


def _permitted(op: Op, target: Node | None, candidate: Candidate) -> Op | str:
    """What may be done to the target: documents' facts never change, and what a caller stated or a person vouched for
    is never rewritten; it ends only by what was told later."""
    if candidate.grounding is not None and not candidate.grounding.ok:
        return "unproven"
    if target is None or op == "add":
        return "add"
    if target.source_type == "immutable_document":
        return "contradict"
    if not is_ours_to_end(target):
        return "supersede" if candidate.event.created_at >= target.updated_at else "contradict"
    return op


def _written(op: str, target: Node | None, candidate: Candidate, author: Author, plan: Plan) -> list[Node]:
    sources = ({"resource": f"event:{candidate.event.id}"},)
    fact = inferred_fact(candidate.claim, author, candidate.grounding, sources)
    if op == "update" and target is not None:
        fact = replace(
            target,
            title=fact.title,
            body=fact.body,
            tags=tuple(dict.fromkeys((*target.tags, *fact.tags))),
            confidence=fact.confidence,
            origin=fact.origin,
            generated_by=fact.generated_by,
            verified=fact.verified,
            sources=tuple({str(source): source for source in (*target.sources, *fact.sources)}.values()),
            updated_at=author.now,
        )
        plan.updated += 1
        written = [fact]
    elif op == "supersede" and target is not None:
        moment = candidate.event.created_at
        fact = replace(fact, valid_from=moment)
        written = [ended(target, fact.id, moment, author.now), fact]
        plan.superseded += 1
    elif op == "add":
        plan.added += 1
        written = [fact]
    else:
        fact = replace(fact, lifecycle="draft")
        plan.drafts += 1
        written = [fact]
        if op == "contradict" and target is not None:
            plan.edges.append(contradiction(fact, target, author))
            plan.cites.append((fact.id, target.id))
    plan.nodes += written
    claim = candidate.claim
    plan.proposals.append(Proposal(id=fact.id, title=fact.title, node_type=claim.node_type, edges=claim.edges))
    return written


# -- tasks ------------------------------------------------------------------------------------------------------


def plan_tasks(
    claims: Sequence[TaskClaim], open_tasks: Sequence[Task], labels: Mapping[str, str], author: Author, plan: Plan
) -> None:
    """Add to *plan* the tasks that are new and those that are done; a task that is open already is not added again."""
    still_open = {task.id: OpenTask(task, statement(task.description, "")) for task in (open_tasks if claims else ())}
    for claim in claims:
        known = task_meant(claim, list(still_open.values()), labels)
        if claim.done:
            if known is None:
                detail = {"item_index": claim.index, "reason": "not_open"}
                plan.remarks.append(Remark("task_rejected", "a task that is said to be done is not open", detail))
                continue
            del still_open[known.id]
            done = replace(known, status="done", resolved_at=author.now, updated_at=author.now)
            plan.tasks = [task for task in plan.tasks if task.id != done.id] + [done]
            plan.tasks_closed += 1
        elif known is not None:
            plan.tasks_deduplicated += 1
        else:
            task = Task(
                id=random_id("task"),
                namespace=author.namespace,
                description=claim.description,
                priority=claim.priority,
                generated_by=author.generated_by,
                created_at=author.now,
                updated_at=author.now,
            )
            still_open[task.id] = OpenTask(task, statement(task.description, ""))
            plan.tasks.append(task)
            plan.tasks_added += 1


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task that is not closed, with its words."""

    task: Task
    said: Statement


def task_meant(claim: TaskClaim, tasks: Sequence[OpenTask], labels: Mapping[str, str]) -> Task | None:
    """The open task of that id or label, of the same words, or else of nearly the same."""
    wanted = labels.get(claim.target.upper(), claim.target)
    by_id = next((open.task for open in tasks if wanted and open.task.id == wanted), None)
    if by_id is not None or not claim.description:
        return by_id
    said = statement(claim.description, "")
    by_key = next((open.task for open in tasks if open.said.key == said.key), None)
    if by_key is not None:
        return by_key
    return _nearest(tasks, lambda open: _alikeness(said, open.said, claim.done))


def _alikeness(said: Statement, other: Statement, done: bool) -> float:
    """Words in common; 0 where each has a number of its own, since "renew card 4711" is not "renew card 4712"."""
    mine, others = said.words - other.words, other.words - said.words
    if not done and any(map(has_digit, mine)) and any(map(has_digit, others)):
        return 0.0
    share = overlap(said.words, other.words)
    return share if share >= _SAME_TASK else 0.0


def _nearest(tasks: Sequence[OpenTask], nearness: Callable[[OpenTask], float]) -> Task | None:
    best = max(tasks, key=nearness, default=None)
    return best.task if best is not None and nearness(best) > 0 else None
