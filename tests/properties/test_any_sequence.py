"""Whatever is called in whatever order: what must hold of a wiki holds after every step.

One machine writes, reads in, supersedes, forgets, heals and prunes at random; after each step it looks at the laws.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

hypothesis = pytest.importorskip("hypothesis", reason="property tests need hypothesis")
from hypothesis import settings, strategies  # noqa: E402
from hypothesis.stateful import (  # noqa: E402
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
)
from tests.conftest import SetClock, graph_picture  # noqa: E402

from lorelite import LoreliteError, Wiki, WikiConfig  # noqa: E402
from lorelite.store.store import Store  # noqa: E402

NS = "class"
WORDS = ("lock", "eel", "tide", "灯台", "नदी", "C++")
TEXTS = (
    "Heron Lock stands on the Wharfe. Ada Marsh has kept Heron Lock since 1931.",
    "Ada Marsh counts eels at Otter Weir every May. Otter Weir lies below Heron Lock.",
    "# Tides\n\nThe tide gauge is read at noon.\n\n- keeper: Ben Cole\n",
    '{"boat": "Kingfisher", "berth": "Heron Lock"}',
    "灯台は港にある。灯台守は山田さんです。",
)
PAIRS = (("a", "b"), ("b", "c"), ("c", "a"), ("a", "gone"))

titles = strategies.lists(strategies.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def picture(wiki: Wiki) -> dict[str, Any]:
    """What is live. Edges to nodes that were deleted stay behind when a namespace is carried elsewhere."""
    found = graph_picture(wiki, NS)
    return {part: rows for part, rows in found.items() if part != "edges without ends"}


class AnySequence(RuleBasedStateMachine):
    facts = Bundle("facts")
    tasks = Bundle("tasks")

    def __init__(self) -> None:
        super().__init__()
        self.clock = SetClock()
        self.store = Store(":memory:", clock=self.clock)
        self.wiki = Wiki.open(":memory:", store=self.store, config=WikiConfig(auto_librarian_threshold=3))
        self.wiki.write(NS, title="The first fact", node_id="first")
        self.remembered: dict[int, dict[str, tuple[Any, ...]]] = {}
        self.is_log_cut = False

    def teardown(self) -> None:
        try:
            self.check_at_the_end()
        finally:
            self.wiki.close()

    # -- what may happen --------------------------------------------------------------------------------------------

    @rule(hours=strategies.integers(1, 24 * 40))
    def time_passes(self, hours: int) -> None:
        self.remember()
        self.clock.tick(hours * 3_600_000)

    @rule(target=facts, title=titles, body=titles, inferred=strategies.booleans())
    def write_a_fact(self, title: str, body: str, inferred: bool) -> str:
        source = "librarian_inferred" if inferred else "user_stated"
        return self.wiki.write(NS, title=title, body=body, source_type=source, confidence="inferred").id

    @rule(summary=titles)
    def write_an_event(self, summary: str) -> None:
        self.wiki.write(NS, event={"event_type": "observation", "summary": summary})

    @rule(fact=facts, body=titles, lifecycle=strategies.sampled_from(("draft", "stable", "deprecated")))
    def update_a_fact(self, fact: str, body: str, lifecycle: Any) -> None:
        self.attempt(lambda: self.wiki.update_fact(NS, node_id=fact, body=body, lifecycle=lifecycle))

    @rule(fact=facts)
    def verify_a_fact(self, fact: str) -> None:
        self.attempt(lambda: self.wiki.verify(NS, node_id=fact, by="human:ada"))

    @rule(target=facts, fact=facts, title=titles)
    def supersede_a_fact(self, fact: str, title: str) -> Any:
        report = self.attempt(lambda: self.wiki.supersede(NS, node_id=fact, by={"title": title, "body": "newer"}))
        return multiple() if report is None else report.new_id

    @rule(target=tasks, description=titles, priority=strategies.integers(0, 10))
    def add_a_task(self, description: str, priority: int) -> str:
        return self.wiki.add_task(NS, description=description, priority=priority).id

    @rule(task=tasks, status=strategies.sampled_from(("pending", "in_progress", "done", "abandoned")))
    def update_a_task(self, task: str, status: Any) -> None:
        self.attempt(lambda: self.wiki.update_task(NS, task_id=task, status=status))

    @rule(number=strategies.integers(0, len(TEXTS) - 1), ref=strategies.sampled_from(("a.txt", "ordner/b.md")))
    def take_a_document_in(self, number: int, ref: str) -> None:
        self.attempt(lambda: self.wiki.ingest_document(NS, source_ref=ref, text=TEXTS[number]))

    @rule(version=strategies.integers(0, 3), pairs=strategies.sets(strategies.sampled_from(PAIRS)))
    def write_a_graph(self, version: int, pairs: set[tuple[str, str]]) -> None:
        nodes = [
            {"id": id, "title": f"Node {id}", "body": f"version {version}"} for id in ("a", "b", "c")[: version + 1]
        ]
        edges = [{"type": "next", "source_id": source, "target_id": target} for source, target in sorted(pairs)]
        content = f"{version}{sorted(pairs)}"
        self.attempt(
            lambda: self.wiki.upsert_graph(
                NS, source_ref="graph", source_hash=digest(content), nodes=nodes, edges=edges
            )
        )

    @rule(fact=facts)
    def forget_a_fact(self, fact: str) -> None:
        self.wiki.forget(NS, node_id=fact)
        self.forgotten({fact})

    @rule(ref=strategies.sampled_from(("a.txt", "ordner/b.md", "graph")))
    def forget_a_source(self, ref: str) -> None:
        before = set(self.live())
        report = self.wiki.forget(NS, source_ref=ref)
        gone = before - set(self.live())
        assert report.nodes == len(gone)
        self.forgotten(gone)

    @rule()
    def run_the_librarian(self) -> None:
        self.wiki.run_librarian(NS)

    @rule()
    def heal(self) -> None:
        stated = {id for id, node in self.live().items() if node.source_type in ("user_stated", "user_confirmed")}
        self.wiki.run_heal(NS)
        assert stated <= set(self.live())

    @rule()
    def prune(self) -> None:
        self.wiki.run_prune(NS)
        # What is pruned is no longer known of the past.
        kept = self.clock.now - 7 * 86_400_000
        self.is_log_cut = True
        self.remembered = {moment: held for moment, held in self.remembered.items() if moment >= kept}

    @rule()
    def undo_twice(self) -> None:
        before = graph_picture(self.wiki)
        if self.attempt(lambda: self.wiki.undo(NS)) is not None:
            self.wiki.undo(NS)
            assert graph_picture(self.wiki) == before

    # -- what holds -------------------------------------------------------------------------------------------------

    @invariant()
    def no_edge_dangles(self) -> None:
        bundle = self.wiki.get_memory_bundle(NS)
        ids = {fact.id for fact in bundle.facts}
        assert all({edge.source_id, edge.target_id} <= ids for edge in bundle.edges)

    @invariant()
    def every_row_of_a_source_belongs_to_a_document_that_is_there(self) -> None:
        rows = self.store.db.rows(
            """
            select n.id from node n
             where n.deleted_at is null and n.source_ref is not null and n.source_hash is not null
               and not exists (select 1 from document d where d.namespace = n.namespace
                                and d.source_ref = n.source_ref and d.source_hash = n.source_hash)"""
        )
        assert rows == []

    @invariant()
    def the_past_stays_what_it_was(self) -> None:
        for moment, held in self.remembered.items():
            assert self.held_at(moment) == held

    def check_at_the_end(self) -> None:
        self.check_that_both_indexes_agree()
        self.check_that_a_dump_gives_an_equal_wiki()
        self.check_that_the_log_gives_an_equal_namespace()

    def check_that_both_indexes_agree(self) -> None:
        memory = Store(":memory:", keyword_index="memory", clock=self.clock)
        with Wiki.open(":memory:", store=memory) as other:
            other.import_dump(self.wiki.export_dump([NS]))
            for word in (*WORDS, "Heron", "keeper"):
                ours = {fact.id for fact in self.wiki.read(NS, word, max_results=1000).facts}
                theirs = {fact.id for fact in other.read(NS, word, max_results=1000).facts}
                assert ours == theirs, word

    def check_that_a_dump_gives_an_equal_wiki(self) -> None:
        with Wiki.open(":memory:", store=Store(":memory:", clock=self.clock)) as other:
            other.import_dump(self.wiki.export_dump([NS]))
            assert picture(other) == picture(self.wiki)

    def check_that_the_log_gives_an_equal_namespace(self) -> None:
        if self.is_log_cut:
            return
        with Wiki.open(":memory:", store=Store(":memory:", clock=self.clock)) as other:
            while events := self.wiki.get_outbox_events(consumer="copy", limit=500):
                other.apply_outbox_events(NS, events)
                self.wiki.mark_outbox_events_processed(events, consumer="copy")
            assert picture(other) == picture(self.wiki)

    # -- aids -------------------------------------------------------------------------------------------------------

    def attempt(self, call: Any) -> Any:
        """What the call gives, or None when it is refused."""
        try:
            return call()
        except LoreliteError:
            return None

    def live(self) -> dict[str, Any]:
        return {fact.id: fact for fact in self.wiki.read(NS, "", max_results=10_000, kinds=ALL_KINDS).facts}

    def held_at(self, moment: int) -> dict[str, tuple[Any, ...]]:
        found = self.wiki.read(NS, "", as_of=moment, max_results=10_000, kinds=("fact",)).facts
        return {fact.id: (fact.title, fact.body) for fact in found}

    def forgotten(self, ids: set[str]) -> None:
        """What was forgotten is gone from the past as well."""
        for held in self.remembered.values():
            for id in ids & held.keys():
                del held[id]

    def remember(self) -> None:
        self.remembered[self.clock.now] = self.held_at(self.clock.now)


ALL_KINDS = ("fact", "entity", "chunk", "question", "report")

AnySequence.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None, derandomize=True)
TestAnySequence = AnySequence.TestCase
