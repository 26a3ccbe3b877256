"""What heal writes of one reply, worked out from what was shown and what was said: no store, no model, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorelite.ids import content_id
from lorelite.jobs.duplicates import is_ours_to_end, ranked_to_keep
from lorelite.jobs.inferred import (
    CONTRADICTS,
    Author,
    Remark,
    contradiction,
    deduplicated,
    ended,
    inferred_fact,
)
from lorelite.ontology.typing import Proposal
from lorelite.prompts.heal import ContradictionClaim, HealReply
from lorelite.prompts.librarian import FactClaim
from lorelite.records import Edge, Node
from lorelite.reports import Contradiction, Duplicate
from lorelite.text.alike import Statement, is_retold, relation, statement
from lorelite.text.grounding import grounded


@dataclass(slots=True)
class HealPlan:
    """Rows to write, and what is to be reported. Nodes are whole."""

    downgrade: list[str] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    suggest: list[str] = field(default_factory=list)
    """Deletions that the model wants and that are the caller's to decide."""
    ended: list[Node] = field(default_factory=list)
    merged: list[tuple[str, str]] = field(default_factory=list)
    """(fact that ended, the one that says the same): its edges and citations pass on."""
    added: list[Node] = field(default_factory=list)
    drafts: list[Node] = field(default_factory=list)
    """Contradictions with documents."""
    edges: list[Edge] = field(default_factory=list)
    cites: list[tuple[str, str]] = field(default_factory=list)
    """(new node, node whose citations it takes over)."""
    proposals: list[Proposal] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def is_gone(self, id: str) -> bool:
        """Does the plan delete or end the node?"""
        return id in self.delete or any(node.id == id for node in self.ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a reply is held against."""

    offered: Mapping[str, Node]
    """The facts to check: the only ones that can be downgraded or deleted."""
    shown: Mapping[str, Node]
    """All that the model saw: those, others that may bear on them, and documents' facts."""
    known: Sequence[Sequence[Node]] = ()
    """For each new fact of the reply, in order, what is known about the same."""
    told: Sequence[Statement] = ()
    """New facts of earlier replies of this run."""
    sources: Sequence[str] | None = None
    """Texts that a new fact's quotes must stand in; None: not checked."""


def plan_reply(reply: HealReply, seen: Evidence, author: Author) -> HealPlan:
    """What becomes of a reply. What it says of other ids than those that were shown does not count."""
    plan = HealPlan()
    for id in reply.deleted:
        if id in seen.offered:
            _plan_deletion(seen.offered[id], plan)
    for group in reply.duplicates:
        _plan_group(group, seen, author, plan)
    for claim in reply.contradictions:
        _plan_contradiction(claim, seen, author, plan)
    for id in reply.downgraded:
        node = seen.offered.get(id)
        if node is not None and node.confidence != "tentative" and not plan.is_gone(id):
            plan.downgrade.append(id)
    for rejected in reply.rejected:
        detail = {"item_index": rejected.index, "reason": rejected.reason}
        plan.remarks.append(Remark("fact_rejected", "a new fact has no usable shape", detail))
    _plan_new_facts(reply.facts, seen, author, plan)
    return plan


def plan_merges(found: Iterable[Duplicate], nodes: Mapping[str, Node], author: Author) -> HealPlan:
    """Pairs that were found by comparing: those of the same words are merged where they may be, others reported."""
    plan = HealPlan()
    heirs: dict[str, str] = {}

    def heir(id: str) -> str:
        while id in heirs:
            id = heirs[id]
        return id

    for duplicate in sorted(found, key=lambda each: each.reason != "same_words"):
        first, second = map(heir, duplicate.ids)
        if duplicate.reason != "same_words" and (first, second) != duplicate.ids:
            continue  # One of the two is merged away, and what it is merged with has pairs of its own.
        if first == second:
            continue
        keep, other = (node.id for node in ranked_to_keep([nodes[first], nodes[second]]))
        merged = duplicate.reason == "same_words" and is_ours_to_end(nodes[other])
        if merged:
            heirs[other] = keep
        plan.duplicates.append(Duplicate(ids=(keep, other), reason=duplicate.reason, merged=merged))
    for id in heirs:
        _end_all([id], nodes, heir(id), author, plan)
    return plan


def passed_on(edges: Iterable[Edge], from_id: str, to_id: str, now: int) -> list[Edge]:
    """The edges of a fact that ended, leading to the one that says the same; one between the two is left out."""
    found = []
    for edge in edges:
        source = to_id if edge.source_id == from_id else edge.source_id
        target = to_id if edge.target_id == from_id else edge.target_id
        if source != target:
            id = content_id("edge", edge.namespace, source, edge.edge_type, target, edge.source_ref or "")
            found.append(replace(edge, id=id, source_id=source, target_id=target, updated_at=now))
    return found


def _plan_deletion(node: Node, plan: HealPlan) -> None:
    if is_ours_to_end(node):
        plan.delete.append(node.id)
        return
    plan.suggest.append(node.id)
    reason = "verified" if node.source_type == "librarian_inferred" else node.source_type
    plan.remarks.append(
        Remark("heal_skipped", "a deletion is the caller's to decide", {"node_id": node.id, "reason": reason})
    )


def _plan_group(group: Sequence[str], seen: Evidence, author: Author, plan: HealPlan) -> None:
    ids = [id for id in group if id in seen.shown and not plan.is_gone(id)]
    if len(ids) < 2 or not any(id in seen.offered for id in ids):
        return
    keep, *others = (node.id for node in ranked_to_keep([seen.shown[id] for id in ids]))
    ours = [id for id in others if is_ours_to_end(seen.shown[id])]
    _end_all(ours, seen.shown, keep, author, plan)
    plan.duplicates.append(Duplicate(ids=(keep, *others), reason="model", merged=ours == others))


def _end_all(ids: Sequence[str], nodes: Mapping[str, Node], keep: str, author: Author, plan: HealPlan) -> None:
    for id in ids:
        if not plan.is_gone(id):
            plan.ended.append(ended(nodes[id], keep, author.now, author.now))
            plan.merged.append((id, keep))


def _plan_contradiction(claim: ContradictionClaim, seen: Evidence, author: Author, plan: HealPlan) -> None:
    if not {claim.a, claim.b} <= seen.shown.keys() or not {claim.a, claim.b} & seen.offered.keys():
        return
    if plan.is_gone(claim.a) or plan.is_gone(claim.b):
        return
    a, b = seen.shown[claim.a], seen.shown[claim.b]
    documented = [node for node in (a, b) if node.source_type == "immutable_document"]
    if documented:
        fact = b if documented[0] is a else a
        draft = _draft(fact, documented[0], author)
        if all(draft.id != other.id for other in plan.drafts):
            plan.drafts.append(draft)
            plan.edges += [contradiction(draft, node, author) for node in (fact, documented[0])]
            plan.cites += [(draft.id, node.id) for node in (fact, documented[0])]
        plan.contradictions.append(Contradiction(ids=(a.id, b.id), draft_id=draft.id))
        return
    kept = None
    if claim.keep in (a.id, b.id):
        loser = b if claim.keep == a.id else a
        if is_ours_to_end(loser):
            kept = claim.keep
            plan.ended.append(ended(loser, claim.keep, author.now, author.now))
    plan.contradictions.append(Contradiction(ids=(a.id, b.id), kept=kept))


def _draft(fact: Node, documented: Node, author: Author) -> Node:
    """A note for a person to decide on. It names both by title and id, and copies nothing that `forget` would miss."""
    return Node(
        id=content_id("fact", author.namespace, CONTRADICTS, *sorted((fact.id, documented.id))),
        namespace=author.namespace,
        kind="fact",
        title=f"{fact.title} ≠ {documented.title}",
        tags=("contradiction",),
        confidence="tentative",
        source_type="librarian_inferred",
        origin=author.origin,
        lifecycle="draft",
        generated_by=author.generated_by,
        sources=tuple({"resource": f"node:{node.id}"} for node in (fact, documented)),
        created_at=author.now,
        updated_at=author.now,
    )


def _plan_new_facts(claims: Sequence[FactClaim], seen: Evidence, author: Author, plan: HealPlan) -> None:
    told = list(seen.told)
    for claim, known in zip(claims, seen.known, strict=True):
        said = statement(claim.title, claim.body)
        same = next((node for node in known if not plan.is_gone(node.id) and _says(node, said)), None)
        if same is not None or any(_repeats(said, other) for other in told):
            plan.remarks.append(deduplicated(claim, "known", same))
            continue
        told.append(said)
        fact = _new_fact(claim, seen, author, plan)
        plan.added.append(fact)
        plan.proposals.append(Proposal(id=fact.id, title=fact.title, node_type=claim.node_type, edges=claim.edges))


def _says(node: Node, said: Statement) -> bool:
    return _repeats(said, statement(node.title, node.body))


def _repeats(said: Statement, other: Statement) -> bool:
    return relation(said, other) in ("same", "less") or is_retold(said, other)


def _new_fact(claim: FactClaim, seen: Evidence, author: Author, plan: HealPlan) -> Node:
    check = None if seen.sources is None else grounded(claim.evidence, seen.sources)
    if check is not None and not check.ok:
        detail = {"item_index": claim.index, "reason": check.reason}
        plan.remarks.append(Remark(check.code, "a new fact is a draft: its quotes do not prove it", detail))
    return inferred_fact(claim, author, check)
