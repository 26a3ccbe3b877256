"""Types for facts that were written before there was an ontology, or that nobody typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lorelite.engine import Engine
from lorelite.errors import ModelError
from lorelite.hooks import Caller
from lorelite.instructions import effective_prompt
from lorelite.jobs.batches import ask_in_batches
from lorelite.jobs.runner import JobRun, run_job
from lorelite.memory.ontology import drop_diagnostics, edge_rows, effective, taken_up
from lorelite.ontology.check import resolve_type
from lorelite.ontology.classify import type_by_rules
from lorelite.ontology.manifest import Ontology
from lorelite.ontology.merge import OntologyUpdates, merge_updates
from lorelite.ontology.typing import Candidate, DroppedEdge, Proposal, Typing, titles_named, type_proposals
from lorelite.ports import Classified, Classifier, ClassifyRequest, OnProgress
from lorelite.prompts import backfill as prompt_for
from lorelite.prompts.backfill import BackfillReply, Classification
from lorelite.prompts.templates import PromptName
from lorelite.records import Node, Usage
from lorelite.reports import BackfillReport
from lorelite.settings import BackfillClassifier
from lorelite.temporal import DAY_MS
from lorelite.text.title_key import title_key

KIND: PromptName = "ontology_backfill"
BATCH = 25
COOLDOWN_MS = 7 * DAY_MS
"""A fact that was tried is left alone for a week."""
MAX_CHOICES = 255
_RULES_BATCH = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """What one batch's answers come to."""

    ontology: Ontology
    typing: Typing
    failed: int


def planned(
    ontology: Ontology, facts: Sequence[Node], reply: BackfillReply, known: Mapping[str, Sequence[Candidate]]
) -> Plan:
    """The types and edges that a reply gives *facts*, as the ontology with the reply's own additions permits them.

    An answer fails that names an id which was not asked for, or again, or a type that the manifest does not have. One
    without a type declines, and does not count.
    """
    if ontology.mode == "emergent":
        ontology = Ontology("emergent", merge_updates(ontology.manifest, reply.updates))
    titles = {fact.id: fact.title for fact in facts}
    answers: dict[str, Classification] = {}
    declined = 0
    for answer in reply.classifications:
        if answer.node_type is None and answer.id in titles:
            declined += 1
        elif answer.id in titles and answer.id not in answers and resolve_type(ontology.manifest, answer.node_type):
            answers[answer.id] = answer
    proposals = [
        Proposal(id=answer.id, title=titles[answer.id], node_type=answer.node_type, edges=answer.edges)
        for answer in answers.values()
    ]
    failed = len(reply.classifications) - len(answers) - declined
    return Plan(ontology, type_proposals(ontology, proposals, known), failed)


async def run_ontology_backfill(
    engine: Engine,
    namespace: str,
    *,
    prompt: str | None = None,
    batch_size: int = BATCH,
    classifier: BackfillClassifier | None = None,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
    caller: Caller = "call",
) -> BackfillReport:
    """Type up to *batch_size* untyped facts, oldest change first. Raises JobBusy."""
    wanted: BackfillClassifier = classifier or engine.config.ontology.backfill_classifier
    template = effective_prompt(engine, KIND, prompt)

    async def work(run: JobRun) -> BackfillReport:
        return await _Backfill(engine, run, batch_size, wanted, template).report()

    return await run_job(engine, namespace, KIND, work, dry_run=dry_run, caller=caller, on_progress=on_progress)


@dataclass(slots=True)
class _Counts:
    scanned: int = 0
    typed: int = 0
    failed: int = 0
    edges: int = 0
    types: int = 0
    skipped: int = 0
    usage: Usage = field(default_factory=Usage)


class _Backfill:
    """One run: the counts as they grow, batch by batch."""

    def __init__(
        self, engine: Engine, run: JobRun, limit: int, wanted: BackfillClassifier, template: str | None
    ) -> None:
        self._engine = engine
        self._store = engine.store
        self._run = run
        self._namespace = run.namespace
        self._limit = limit
        self._template = template
        self._ontology = effective(engine, run.namespace)
        self._by = self._chosen(wanted)
        self._tried_before = engine.clock() - COOLDOWN_MS
        self._counts = _Counts()
        self._dropped: list[DroppedEdge] = []

    def _chosen(self, wanted: BackfillClassifier) -> Literal["model", "classify", "rules"]:
        model = self._engine.model
        few = 1 <= len(self._ontology.manifest.node_types) <= MAX_CHOICES
        if wanted == "rules" or model is None:
            return "rules"
        return "classify" if wanted == "auto" and few and isinstance(model, Classifier) else "model"

    async def report(self) -> BackfillReport:
        counts = self._counts
        if not self._has_types():
            return BackfillReport(dry_run=self._run.dry_run, classifier=self._by)
        facts = self._store.ontology.untyped(self._namespace, tried_before=self._tried_before, limit=self._limit)
        self._run.tell(0, len(facts))
        if facts and self._by == "rules":
            self._by_rules(facts)
        elif facts:
            await (self._by_model if self._by == "model" else self._by_classifier)(facts)
        self._engine.tell(
            *drop_diagnostics(self._engine, self._namespace, self._dropped, operation=KIND, caller=self._run.caller)
        )
        remaining, deferred = self._left()
        return BackfillReport(
            dry_run=self._run.dry_run,
            remaining=remaining,
            usage=counts.usage,
            scanned=counts.scanned,
            typed=counts.typed,
            failed_validation=counts.failed,
            edges_added=counts.edges,
            types_added=counts.types,
            deferred=deferred,
            skipped=counts.skipped,
            classifier=self._by,
        )

    def _has_types(self) -> bool:
        """Is there a type to give, or may one be made up?"""
        ontology = self._ontology
        can_grow = ontology.mode == "emergent" and self._by == "model"
        return ontology.mode != "off" and (bool(ontology.manifest.node_types) or can_grow)

    def _left(self) -> tuple[int, int]:
        """Untyped facts that are due, and those that wait for their week to pass."""
        table, namespace = self._store.ontology, self._namespace
        due = table.count_untyped(namespace, tried_before=self._tried_before)
        waiting = table.count_untyped(namespace, tried_before=self._engine.clock()) - due
        if self._run.dry_run:
            looked_at = self._counts.scanned
            return due - looked_at, waiting + looked_at - self._counts.typed
        return due, waiting

    # -- by a model ---------------------------------------------------------------------------------------------

    async def _by_model(self, facts: Sequence[Node]) -> None:
        outcome = await ask_in_batches(
            self._engine,
            self._run.namespace,
            facts,
            build=lambda some, level: prompt_for.build(some, self._ontology, level=level, template=self._template),
            read=lambda some, text: prompt_for.parse(text),
            take=lambda some, reply: self._take(some, reply, len(facts)),
            # A batch should know the types that the last one made up.
            wave=1 if self._ontology.mode == "emergent" else None,
        )
        self._counts.usage += outcome.usage
        self._counts.skipped += len(outcome.skipped)
        unanswered = [skipped for skipped in outcome.skipped if skipped.reason == "call_error"]
        if len(unanswered) + len(outcome.unasked) == len(facts):
            raise ModelError(f"no call of the ontology backfill was answered: {unanswered[0].message}")
        for skipped in outcome.skipped:
            self._run.remark("backfill_skipped", "a fact was not typed", node_id=skipped.item.id, reason=skipped.reason)
        given_up = [skipped.item for skipped in outcome.skipped if skipped.reason == "non_convergent"]
        if given_up:
            self._counts.scanned += len(given_up)
            self._apply(given_up, Plan(self._present(), Typing(), 0))

    def _take(self, facts: Sequence[Node], reply: BackfillReply, total: int) -> None:
        answers = [
            Proposal(id=answer.id, title="", edges=answer.edges) for answer in reply.classifications if answer.node_type
        ]
        known = self._store.ontology.targets(self._namespace, titles_named(answers))
        before = len(self._ontology.manifest.node_types)
        plan = planned(self._present(), facts, reply, known)
        self._counts.types += len(plan.ontology.manifest.node_types) - before
        self._counts.scanned += len(facts)
        self._counts.failed += plan.failed
        self._apply(facts, plan)
        self._run.tell(self._counts.scanned, total)

    def _present(self) -> Ontology:
        """What holds now: somebody may have set another ontology while the model worked."""
        return self._ontology if self._run.dry_run else effective(self._engine, self._namespace)

    def _apply(self, facts: Sequence[Node], plan: Plan, *, by_rules: bool = False) -> None:
        """Store one batch's types and edges, and that its facts were tried."""
        self._ontology = plan.ontology
        if plan.ontology.mode == "off":
            return
        self._dropped += plan.typing.dropped
        types = {id: node_type for id, node_type in plan.typing.types.items() if node_type is not None}
        if self._run.dry_run:
            self._counts.typed += len(types)
            self._counts.edges += len(plan.typing.edges)
            return
        table = self._store.ontology
        with self._store.atomic(cause="backfill"):
            tried = self._unchanged(facts)
            types = {id: node_type for id, node_type in types.items() if id in tried}
            if plan.ontology != taken_up(self._engine, self._namespace):
                table.put(self._namespace, plan.ontology)
            typed = set(table.set_types(self._namespace, types, by_rules=by_rules))
            edges = [edge for edge in plan.typing.edges if edge.source_id in typed]
            self._counts.typed += len(typed)
            self._counts.edges += self._store.edges.add(
                edge_rows(self._engine, self._namespace, Typing(edges=tuple(edges)))
            )
            table.stamp_tried(self._namespace, sorted(tried))
            self._run.save({"scanned": self._counts.scanned})

    def _unchanged(self, facts: Sequence[Node]) -> set[str]:
        """The facts that still say what the model was shown; the others are typed by a later run."""
        now = self._store.nodes.by_ids(self._namespace, [fact.id for fact in facts])
        return {
            fact.id
            for fact in facts
            if fact.id in now and (now[fact.id].title, now[fact.id].body) == (fact.title, fact.body)
        }

    # -- without writing text -----------------------------------------------------------------------------------

    async def _by_classifier(self, facts: Sequence[Node]) -> None:
        model = self._engine.model
        assert isinstance(model, Classifier)
        choices = {node.type: node.description for node in self._ontology.manifest.node_types}
        size = self._engine.config.model_batch
        for begin in range(0, len(facts), size):
            batch = facts[begin : begin + size]
            requests = [ClassifyRequest(text=f"{fact.title}\n{fact.body}"[:6_000], choices=choices) for fact in batch]
            try:
                answers = await self._engine.classify(requests)
            except ModelError as error:
                if not begin:
                    raise
                self._counts.skipped += len(facts) - begin
                self._run.remark("classification_failed", "the classifier failed", reason=type(error).__name__)
                return
            found = (self._classification(fact, answer) for fact, answer in zip(batch, answers, strict=True))
            kept = tuple(each for each in found if each is not None)
            self._take(batch, BackfillReply(kept, OntologyUpdates()), len(facts))

    def _classification(self, fact: Node, answer: object) -> Classification | None:
        """The answer if it is one of the choices and sure enough. What a classifier says is checked like any reply."""
        choice = getattr(answer, "choice", None)
        confidence = getattr(answer, "confidence", None)
        is_answer = (
            isinstance(answer, Classified)
            and isinstance(choice, str)
            and resolve_type(self._ontology.manifest, choice) is not None
            and isinstance(confidence, int | float)
            and 0 <= confidence <= 1
        )
        # NaN is not between 0 and 1 either.
        if not is_answer:
            self._counts.failed += 1
            self._run.remark("classification_invalid", "a classifier's answer was not used", node_id=fact.id)
            return None
        if float(confidence or 0) < self._engine.config.ontology.classify_min_confidence:
            message = "a classifier was not sure enough"
            self._run.remark("classification_low_confidence", message, severity="info", node_id=fact.id)
            return None
        return Classification(fact.id, choice)

    def _by_rules(self, facts: Sequence[Node]) -> None:
        for begin in range(0, len(facts), _RULES_BATCH):
            batch = facts[begin : begin + _RULES_BATCH]
            same_title = self._store.ontology.entities_titled(
                self._namespace, {key for fact in batch if (key := title_key(fact.title))}
            )
            about = self._store.ontology.entity_types(self._namespace, [fact.id for fact in batch])
            types = {
                fact.id: type_by_rules(
                    self._ontology.manifest,
                    title=fact.title,
                    body=fact.body,
                    tags=fact.tags,
                    same_title=same_title.get(title_key(fact.title), ()),
                    about=about.get(fact.id, ()),
                )
                for fact in batch
            }
            self._counts.scanned += len(batch)
            self._apply(batch, Plan(self._ontology, Typing(types=types), 0), by_rules=True)
            self._run.tell(self._counts.scanned, len(facts))
