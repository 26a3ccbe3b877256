"""`run_heal`: what age decides, what comparing finds, and what a model says of the facts whose turn it is."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.errors import TransactionError
from lorelite.hooks import Caller
from lorelite.instructions import effective_prompt
from lorelite.jobs.batches import Outcome, ask_in_batches
from lorelite.jobs.duplicates import cosines_of, duplicates_of
from lorelite.jobs.heal_plan import Evidence, HealPlan, passed_on, plan_merges, plan_reply
from lorelite.jobs.heal_policies import PolicyPlan, oldest_cutoff, policy_plan
from lorelite.jobs.heal_question import HealContext, is_documented
from lorelite.jobs.inferred import author_of
from lorelite.jobs.neighbours import FACTS, neighbours, words_in_common
from lorelite.jobs.runner import JobRun, run_job
from lorelite.memory.ontology import drop_diagnostics, edge_rows, effective, typed
from lorelite.ontology.guidance import guidance
from lorelite.ports import OnProgress
from lorelite.prompts import heal as prompt_of_heal
from lorelite.prompts.heal import HealReply
from lorelite.records import Edge, Node
from lorelite.reports import Duplicate, HealChange, HealDegraded, HealReport, HealSkip
from lorelite.retrieve.semantic import embed_nodes
from lorelite.temporal import DAY_MS
from lorelite.text.alike import Statement, statement
from lorelite.text.title_key import title_key

KIND = "heal"
BATCH = 25
BODY_CHARS = 4_000
REST_DAYS = 7
"""A fact that was looked at is left alone for so long."""
_TASKS, _EVENTS = 50, 20
_NEAREST = 4
_MOST_AROUND = 50
_MOST_CHANGES = 1_000
_MOST_OVERDUE = 100


async def run_heal(
    engine: Engine,
    namespace: str,
    *,
    prompt: str | None = None,
    batch_size: int = BATCH,
    body_chars: int = BODY_CHARS,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
    caller: Caller = "call",
) -> HealReport:
    """Look after the *batch_size* facts that were not looked at for longest. Without a model, all but its verdicts.

    Each step is one transaction: the policies, the merges, every answered batch. A model that fails costs its own
    batch; the facts in it come up again.
    """
    if engine.model is not None and engine.store.db.in_transaction:
        raise TransactionError("run_heal asks a model and cannot run inside transaction(); call it before or after")
    template = effective_prompt(engine, "heal", prompt)

    async def work(run: JobRun) -> HealReport:
        return await _Heal(engine, run, template, batch_size, body_chars).heal()

    return await run_job(engine, namespace, KIND, work, dry_run=dry_run, caller=caller, on_progress=on_progress)


@dataclass(frozen=True, slots=True)
class _Gathered:
    policies: PolicyPlan
    facts: tuple[Node, ...]


class _Heal:
    def __init__(self, engine: Engine, run: JobRun, template: str | None, batch_size: int, body_chars: int) -> None:
        self._engine = engine
        self._run = run
        self._namespace = run.namespace
        self._template = template
        self._batch_size = batch_size
        self._body_chars = body_chars
        self._now = engine.clock()
        self._author = author_of(engine, run.namespace, KIND, self._now)
        self._healed_before = self._now - REST_DAYS * DAY_MS
        self._waiting: list[str] = []
        self._told: list[Statement] = []
        self._added: list[Node] = []
        self._gone: set[str] = set()
        self._changes: list[HealChange] = []
        self._report = HealReport(dry_run=run.dry_run)

    async def heal(self) -> HealReport:
        gathered = self._gathered()
        self._waiting = [fact.id for fact in gathered.facts]
        self._run.tell(0, len(gathered.facts))
        near = await self._near(gathered.facts)
        self._merge(gathered.facts, near)
        left = [fact for fact in gathered.facts if fact.id not in self._gone]
        outcome: Outcome[Node] = Outcome()
        if self._engine.model is not None and left:
            outcome = await self._ask(left, near)
        self._close(gathered, left, outcome)
        if not self._run.dry_run:
            await embed_nodes(self._engine, self._added, KIND)
        return self._report

    # -- what age decides, and whose turn it is ---------------------------------------------------------------------

    def _gathered(self) -> _Gathered:
        """Apply the policies, and find the facts to look at: in a dry run as it would be after the policies."""
        found = self._engine.store.rehearsed(self._gather) if self._run.dry_run else self._gather()
        policies = found.policies
        self._note(HealChange("set_aside", id, "age") for id in policies.orphans)
        self._note(HealChange("downgrade", id, "age") for id in policies.stale)
        self._report = replace(
            self._report,
            scanned=len(found.facts),
            deleted=len(policies.orphans),
            orphaned=len(policies.orphans),
            downgraded=len(policies.stale),
            overdue=tuple(self._engine.store.health.overdue(self._namespace, _MOST_OVERDUE)),
        )
        return found

    def _gather(self) -> _Gathered:
        store, config = self._engine.store, self._engine.config
        # Where nobody counts reads, a fact without any was not left unread.
        orphan_days = config.orphan_after_days if config.track_access else None
        stale_days = config.stale_inferred_after_days
        with store.atomic(KIND):
            cutoff = oldest_cutoff(self._now, orphan_days, stale_days)
            aging = [] if cutoff is None else store.health.aging(self._namespace, cutoff)
            plan = policy_plan(aging, now=self._now, orphan_after_days=orphan_days, stale_after_days=stale_days)
            store.nodes.delete(self._namespace, plan.orphans)
            store.health.make_tentative(self._namespace, plan.stale)
            facts = self._interrupted() or store.health.due(self._namespace, self._healed_before, self._batch_size)
            self._run.save({"waiting": [fact.id for fact in facts]})
        return _Gathered(plan, tuple(facts))

    def _interrupted(self) -> list[Node]:
        """The facts that an interrupted run had still to look at, as far as they are held true."""
        ids = self._run.progress.get("waiting", [])
        nodes = self._engine.store.nodes.by_ids(self._namespace, ids)
        return [nodes[id] for id in ids if id in nodes and self._is_live(nodes[id])]

    def _is_live(self, node: Node) -> bool:
        return node.valid_to is None or node.valid_to > self._now

    # -- what comparing finds ---------------------------------------------------------------------------------------

    async def _near(self, facts: Sequence[Node]) -> dict[str, list[Node]]:
        texts = [(fact.title, fact.body) for fact in facts]
        found = await neighbours(self._engine, self._namespace, texts, _NEAREST)
        return {
            fact.id: [node for node in some.nodes if node.id != fact.id]
            for fact, some in zip(facts, found, strict=True)
        }

    def _merge(self, facts: Sequence[Node], near: Mapping[str, Sequence[Node]]) -> None:
        if self._run.dry_run:
            plan = self._merges(facts, near)
        else:
            with self._engine.store.atomic(KIND):
                plan = self._merges(facts, near)
                self._write(plan)
                # Without a model this was the looking at.
                if self._engine.model is None:
                    self._done([fact.id for fact in facts], plan)
        self._count(plan)

    def _merges(self, facts: Sequence[Node], near: Mapping[str, Sequence[Node]]) -> HealPlan:
        wanted = {fact.id: [node.id for node in near[fact.id]] for fact in facts}
        fresh = self._fresh({id for fact_id, ids in wanted.items() for id in (fact_id, *ids)})
        vectors = self._vectors(fresh)
        found: dict[tuple[str, ...], Duplicate] = {}
        for fact in facts:
            if fact.id in fresh:
                others = [fresh[id] for id in wanted[fact.id] if id in fresh]
                cosines = cosines_of(fact.id, wanted[fact.id], vectors)
                for duplicate in duplicates_of(fresh[fact.id], others, cosines):
                    found.setdefault(duplicate.ids, duplicate)
        return plan_merges(found.values(), fresh, self._author)

    def _vectors(self, ids: Iterable[str]) -> dict[str, array[float]]:
        embedder = self._engine.embedder
        return {} if embedder is None else self._engine.store.health.vectors(list(ids), embedder.model_id)

    # -- what the model says ----------------------------------------------------------------------------------------

    async def _ask(self, facts: Sequence[Node], near: Mapping[str, Sequence[Node]]) -> Outcome[Node]:
        journal = self._engine.store.journal
        context = HealContext(
            near={id: [node for node in some if node.id not in self._gone] for id, some in near.items()},
            tasks=journal.open_tasks(self._namespace, _TASKS),
            events=journal.recent_events(self._namespace, _EVENTS),
            most=min(_MOST_AROUND, 4 * self._batch_size),
            body_chars=self._body_chars,
            template=self._template,
            guidance=guidance(effective(self._engine, self._namespace)),
        )

        def read(some: Sequence[Node], text: str) -> tuple[HealReply, bool]:
            reply = prompt_of_heal.parse(text)
            return reply, reply.complete

        def take(some: Sequence[Node], reply: HealReply) -> None:
            self._take(some, reply, context)

        outcome = await ask_in_batches(
            self._engine, self._namespace, facts, build=context.request, read=read, take=take
        )
        self._report = replace(
            self._report,
            usage=self._report.usage + outcome.usage,
            skipped=tuple(HealSkip(skipped.item.id, skipped.reason) for skipped in outcome.skipped),
            degraded=tuple(
                HealDegraded(fact.id, level, len(fact.body), context.shown_chars(fact, level))
                for fact, level in outcome.degraded
            ),
        )
        for skipped in outcome.skipped:
            self._run.remark(
                "heal_skipped", "the model could not be asked", node_id=skipped.item.id, reason=skipped.reason
            )
        return outcome

    def _take(self, facts: Sequence[Node], reply: HealReply, context: HealContext) -> None:
        """Plan on what is there now, and write the plan, in one go."""
        if self._run.dry_run:
            plan = self._planned(facts, reply, context)
        else:
            with self._engine.store.atomic(KIND):
                plan = self._planned(facts, reply, context)
                self._write(plan, reply)
                self._done([fact.id for fact in facts], plan)
        self._run.remark_all(plan.remarks)
        self._count(plan)
        self._run.tell(self._report.scanned - len(self._waiting), self._report.scanned)

    def _planned(self, facts: Sequence[Node], reply: HealReply, context: HealContext) -> HealPlan:
        """A verdict counts only for a fact that still says what the model was shown."""
        seen = {node.id: node for node in (*facts, *context.around(facts))}
        shown = {
            id: node
            for id, node in self._fresh(seen).items()
            if (node.title, node.body) == (seen[id].title, seen[id].body) and id not in self._gone
        }
        sources = None
        if self._engine.checks_quotes_of(KIND):
            documented = [node.body for node in shown.values() if is_documented(node) and node.lifecycle != "draft"]
            sources = [*(event.summary for event in context.events), *documented]
        evidence = Evidence(
            offered={fact.id: shown[fact.id] for fact in facts if fact.id in shown},
            shown=shown,
            known=self._known(reply),
            told=self._told,
            sources=sources,
        )
        return plan_reply(reply, evidence, self._author)

    def _known(self, reply: HealReply) -> list[list[Node]]:
        """What is known about the same as each new fact: by title, and by rare words."""
        texts = [f"{claim.title} {claim.body}" for claim in reply.facts]
        titled = self._engine.store.nodes.named(
            self._namespace, {title_key(claim.title) for claim in reply.facts}, kinds=FACTS, limit=2 * _NEAREST
        )
        by_words = words_in_common(self._engine, self._namespace, texts, 2 * _NEAREST)
        return [
            [*titled.get(title_key(claim.title), ()), *some] for claim, some in zip(reply.facts, by_words, strict=True)
        ]

    # -- writing ----------------------------------------------------------------------------------------------------

    def _write(self, plan: HealPlan, reply: HealReply | None = None) -> None:
        store = self._engine.store
        store.nodes.delete(self._namespace, plan.delete)
        store.health.make_tentative(self._namespace, plan.downgrade)
        edges = self._typed(plan, reply) if reply is not None and plan.proposals else []
        # A draft that somebody has dealt with, or forgotten, is not brought up again.
        dealt_with = store.health.ever([draft.id for draft in plan.drafts])
        drafts = [draft for draft in plan.drafts if draft.id not in dealt_with]
        store.nodes.put([*plan.ended, *plan.added, *drafts], whole=True)
        edges += [edge for edge in plan.edges if edge.source_id not in dealt_with]
        for old, new in plan.merged:
            own = store.edges.by_ids(self._namespace, store.pruning.edges_of(self._namespace, [old]))
            edges += passed_on(own, old, new, self._now)
        store.edges.add(edges)
        cites = [(new, old) for new, old in plan.cites if new not in dealt_with]
        store.documents.copy_citations([*cites, *((new, old) for old, new in plan.merged)])

    def _typed(self, plan: HealPlan, reply: HealReply) -> list[Edge]:
        """Give the new facts their types, as the ontology permits them; gives their edges."""
        typing = typed(self._engine, self._namespace, plan.proposals, updates=reply.updates)
        plan.added[:] = [replace(node, node_type=typing.types.get(node.id)) for node in plan.added]
        self._run.pass_on(
            drop_diagnostics(self._engine, self._namespace, typing.dropped, operation=KIND, caller=self._run.caller)
        )
        return edge_rows(self._engine, self._namespace, typing)

    def _done(self, ids: Sequence[str], plan: HealPlan) -> None:
        """Note that facts were looked at, and what is left of this run."""
        self._waiting = [id for id in self._waiting if id not in ids]
        looked_at = [*ids, *(node.id for node in (*plan.added, *plan.drafts))]
        self._engine.store.health.mark_healed(self._namespace, looked_at)
        self._run.save({"waiting": self._waiting})

    def _close(self, gathered: _Gathered, left: Sequence[Node], outcome: Outcome[Node]) -> None:
        """Note what cannot be asked about, and count what is left."""
        given_up = [skipped.item.id for skipped in outcome.skipped if skipped.reason == "non_convergent"]
        again = {skipped.item.id for skipped in outcome.skipped} - set(given_up) | {fact.id for fact in outcome.unasked}
        health = self._engine.store.health
        if self._run.dry_run:
            gone = {*gathered.policies.orphans, *self._gone}
            due, resting = health.count(self._namespace, self._healed_before, leave_out=gone)
            looked_at = sum(fact.id not in gone and fact.id not in again for fact in left)
            due -= looked_at
            resting += looked_at + sum(node.lifecycle != "draft" for node in self._added)
        else:
            with self._engine.store.atomic(KIND):
                self._done(given_up, HealPlan())
                due, resting = health.count(self._namespace, self._healed_before)
                # By what age decides and what is compared an automatic run has done its part.
                if not due or self._run.caller == "auto":
                    self._run.save({}, watermark=health.last_event(self._namespace))
        self._report = replace(
            self._report, remaining=due, deferred=resting, changes=tuple(self._changes[:_MOST_CHANGES])
        )

    # -- small things -----------------------------------------------------------------------------------------------

    def _count(self, plan: HealPlan) -> None:
        self._added += plan.added
        self._told += [statement(node.title, node.body) for node in plan.added]
        self._gone |= {*plan.delete, *(node.id for node in plan.ended)}
        self._note(HealChange("downgrade", id, "model") for id in plan.downgrade)
        self._note(HealChange("delete", id, "model") for id in plan.delete)
        self._note(HealChange("suggest_delete", id, "model") for id in plan.suggest)
        self._note(HealChange("add", node.id, "model") for node in plan.added)
        self._report = replace(
            self._report,
            downgraded=self._report.downgraded + len(plan.downgrade),
            deleted=self._report.deleted + len(plan.delete),
            superseded=self._report.superseded + len(plan.ended),
            added=self._report.added + len(plan.added),
            contradictions=(*self._report.contradictions, *plan.contradictions),
            duplicates=(*self._report.duplicates, *plan.duplicates),
        )

    def _note(self, changes: Iterable[HealChange]) -> None:
        self._changes += changes

    def _fresh(self, ids: Iterable[str]) -> dict[str, Node]:
        """The nodes as they are now, those alone that are held true."""
        nodes = self._engine.store.nodes.by_ids(self._namespace, sorted(ids))
        return {id: node for id, node in nodes.items() if self._is_live(node)}
