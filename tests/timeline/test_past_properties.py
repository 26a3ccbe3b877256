"""Whatever happens later, what was held true at a moment stays so; the log gives back every state there was."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from lorelite import LoreliteError, RowCounts, Wiki, WikiConfig

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from tests.conftest import SetClock, graph_picture  # noqa: E402

from lorelite.store.store import Store  # noqa: E402

NS = "class"
LETTERS = "abcde"
WORDS = ("eels", "heron", "lock", "tide", "gauge")
QUIET = WikiConfig(maintenance="off", auto_librarian_threshold=None, auto_heal_threshold=None)

letters = st.sampled_from(LETTERS)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
texts = st.sampled_from(
    [
        "Ada Marsh keeps Heron Lock. Heron Lock stands on the Wend.",
        "Ada Marsh left Heron Lock. Tom Reed reads the tide gauge.",
        "Tom Reed keeps Heron Lock now.",
    ]
)
keeping = st.one_of(
    st.tuples(st.just("write"), letters, words),
    st.tuples(st.just("supersede"), letters, letters),
    st.tuples(st.just("heal"), letters),
    st.tuples(st.just("prune"), letters),
    st.tuples(st.just("ingest"), texts),
    st.tuples(st.just("upsert"), st.lists(letters, min_size=1, max_size=3, unique=True), words),
    st.tuples(st.just("task"), words),
    st.tuples(st.just("event"), words),
)
anything = st.one_of(
    keeping,
    st.tuples(st.just("forget"), letters),
    st.tuples(st.just("forget source")),
    st.tuples(st.just("undo")),
)


EMPTY: dict[str, list[Any]] = {part: [] for part in graph_picture(Wiki.open(":memory:", config=QUIET))}


class World:
    """A wiki, a clock that moves with every step, and the steps."""

    def __init__(self, index: str = "auto") -> None:
        self.clock = SetClock()
        config = QUIET.model_copy(update={"keyword_index": index})
        self.store = Store(":memory:", clock=self.clock, keyword_index=index)
        self.wiki = Wiki.open(":memory:", config=config, store=self.store)
        self.wiki.write(NS, title="root", node_id="root")

    def step(self, name: str, *given: Any) -> int:
        """Does it and gives the moment it was done."""
        self.clock.tick()
        with suppress(LoreliteError):  # such as superseding what is not there
            self._do(name, *given)
        return self.clock.now

    def _do(self, name: str, *given: Any) -> None:
        wiki, store = self.wiki, self.store
        if name == "write":
            wiki.write(NS, title=f"Fact {given[0]}", body=given[1], node_id=given[0])
        elif name == "supersede":
            wiki.supersede(NS, node_id=given[0], by=given[1])
        elif name == "heal":
            with store.atomic("heal"):
                store.nodes.delete(NS, [given[0]])
        elif name == "prune":
            row = store.rows.get("node", [given[0]]).get(given[0])
            if row is not None and row["deleted_at"] is not None:
                with store.atomic("prune"):
                    store.db.run("delete from node where id = ?", (given[0],))
        elif name == "ingest":
            wiki.ingest_document(NS, source_ref="lock.txt", text=given[0])
        elif name == "upsert":
            nodes = [{"id": f"g{letter}", "title": f"Graph {letter}", "body": given[1]} for letter in given[0]]
            edges = [
                {"type": "next", "source_id": one["id"], "target_id": two["id"]}
                for one, two in zip(nodes, [*nodes[1:], {"id": "root"}], strict=True)
            ]
            digest = f"{abs(hash((tuple(given[0]), given[1]))):064x}"[-64:]
            wiki.upsert_graph(NS, source_ref="graph", source_hash=digest, nodes=nodes, edges=edges)
        elif name == "task":
            wiki.add_task(NS, description=given[0])
        elif name == "event":
            wiki.write(NS, event={"summary": given[0]})
        elif name == "forget":
            wiki.forget(NS, node_id=given[0])
        elif name == "forget source":
            wiki.forget(NS, source_ref="lock.txt")
        elif name == "undo":
            wiki.undo(NS)

    def seen(self, moment: int | None) -> Any:
        """All that reads give at a moment: what changed last, what a search finds, a walk."""
        wiki = self.wiki
        recent = wiki.read(NS, "", as_of=moment, max_results=1_000)
        found = wiki.read(NS, " ".join(WORDS), as_of=moment, max_results=1_000)
        anchors = [node.id for node in recent.facts if node.id in ("root", "ga", "a")]
        walks = [wiki.traverse_graph(NS, source_id=id, max_depth=3, as_of=moment) for id in sorted(anchors)]
        return (
            [bare(node) for node in recent.facts],
            sorted(bare(node) for node in found.facts),
            [(edge.source_id, edge.edge_type, edge.target_id) for edge in recent.edges],
            [(task.id, task.description, task.status) for task in recent.tasks],
            [event.summary for event in recent.events],
            [[(node.id, node.body, node.depth) for node in walk.nodes] for walk in walks],
        )

    def rows(self) -> Any:
        return graph_picture(self.wiki)


def bare(node: Any) -> tuple[Any, ...]:
    return node.id, node.title, node.body, node.valid_from, node.valid_to, node.updated_at, node.confidence


def done(world: World, steps: list[tuple[Any, ...]], look: Callable[[], Any]) -> list[tuple[int, Any]]:
    """(moment, what was to be seen) after each step."""
    seen = []
    for step in steps:
        moment = world.step(*step)
        world.clock.tick()
        seen.append((moment, look()))
    return seen


@pytest.mark.parametrize("index", ["fts5", "memory"])
@settings(max_examples=25)
@given(steps=st.lists(keeping, min_size=2, max_size=8))
def test_the_past_stays_as_it_was_whatever_is_written_later(index, steps):
    world = World(index)
    looked = [(moment, picture) for moment, picture in done(world, steps, lambda: world.seen(world.clock.now - 1_000))]
    for moment, picture in looked:
        assert world.seen(moment) == picture


@settings(max_examples=25)
@given(steps=st.lists(anything, min_size=2, max_size=8), place=st.integers(0, 7))
def test_a_namespace_restored_to_a_moment_holds_what_it_held_then(steps, place):
    world = World()
    moments = done(world, steps, world.rows)
    moment, picture = moments[min(place, len(moments) - 1)]
    last = world.rows()
    world.clock.tick()
    report = world.wiki.restore(NS, moment)
    assert world.rows() == picture
    assert world.wiki.diff(NS, moment).nodes.added == ()
    assert_the_indexes_agree(world)
    if report.written != RowCounts() or report.removed != RowCounts():
        assert world.wiki.undo(NS).cause == "restore"
        assert world.rows() == last


@settings(max_examples=25)
@given(steps=st.lists(anything, min_size=1, max_size=8))
def test_undoing_twice_changes_nothing_and_once_takes_back_the_last_step(steps):
    world = World()
    pictures = [world.rows()] + [picture for _, picture in done(world, steps, world.rows)]
    last = pictures[-1]
    world.clock.tick()
    if world.wiki.undo(NS).cause != "ingest":  # which commits chunk by chunk
        assert world.rows() in ([], *pictures, EMPTY)
    world.wiki.undo(NS)
    assert world.rows() == last
    assert_the_indexes_agree(world)


@settings(max_examples=25)
@given(steps=st.lists(anything, min_size=1, max_size=8), size=st.integers(1, 7), twice=st.booleans())
def test_replaying_the_outbox_gives_an_equal_namespace(steps, size, twice):
    world, twin = World(), Wiki.open(":memory:", config=QUIET)
    done(world, steps, lambda: None)
    other = "followed"
    while events := world.wiki.get_outbox_events(limit=size):
        twin.apply_outbox_events(other, events)
        if twice:
            twin.apply_outbox_events(other, events)
        world.wiki.mark_outbox_events_processed(events)
    assert graph_picture(twin, other) == graph_picture(world.wiki)
    assert twin.get_memory_bundle(other).tasks == tuple(
        type(task)(**{name: getattr(task, name) for name in task.__dataclass_fields__} | {"namespace": other})
        for task in world.wiki.get_memory_bundle(NS).tasks
    )


def assert_the_indexes_agree(world: World) -> None:
    """The keyword index finds what one built anew finds."""
    kept = {word: [node.id for node in world.wiki.read(NS, word).facts] for word in WORDS}
    world.wiki.sync_search_index(NS)
    assert kept == {word: [node.id for node in world.wiki.read(NS, word).facts] for word in WORDS}
