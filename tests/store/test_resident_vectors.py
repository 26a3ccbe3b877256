"""Vectors in memory follow the file: whatever happens to it, what is found is what reading everything again finds."""

from __future__ import annotations

import random
import sqlite3

import pytest

from lorelite import Wiki
from lorelite.models import CallableEmbedder
from lorelite.search import vectors
from lorelite.search.vectors import VectorBlock
from lorelite.store.resident_vectors import ResidentVectors, Space
from lorelite.store.store import Store
from lorelite.store.vectors import packed

NS, OTHER, MODEL, SIZE = "class", "other", "table", 8
KINDS = ("fact", "entity", "chunk")


class Undone(Exception):
    pass


def vector_of(text: str) -> list[float]:
    chance = random.Random(text)
    return [chance.gauss(0, 1) for _ in range(SIZE)]


def embedder(model_id: str = MODEL) -> CallableEmbedder:
    return CallableEmbedder(lambda texts: [vector_of(text) for text in texts], model_id)


@pytest.fixture(params=["numpy", "plain"])
def layout(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(vectors, "installed_numpy", lambda: None)
    else:
        pytest.importorskip("numpy")


def store_of(wiki: Wiki) -> Store:
    return wiki._wiki._engine.store


def found(wiki: Wiki, namespace: str = NS, kinds=KINDS, model: str = MODEL) -> list[tuple[int, float]]:
    return store_of(wiki).vectors.block(namespace, model, kinds, SIZE).nearest(vector_of("question"), 1000)


def anew(wiki: Wiki, namespace: str = NS, kinds=KINDS, model: str = MODEL) -> list[tuple[int, float]]:
    """By the rule that says which vectors count, from the rows themselves."""
    rows = store_of(wiki).db.rows(
        """
        select n.key, v.data, n.kind from node n join vector v on v.node_id = n.id
         where n.namespace = ? and v.model_id = ? and n.deleted_at is null and v.content_hash = n.content_hash
           and v.dimensions = ? order by n.key""",
        (namespace, model, SIZE),
    )
    rows = [row for row in rows if row["kind"] in kinds]
    block = VectorBlock([row["key"] for row in rows], [row["data"] for row in rows])
    return block.nearest(vector_of("question"), len(rows))


def check(wiki: Wiki) -> None:
    for namespace in (NS, OTHER):
        for kinds in (KINDS, ("fact",)):
            assert found(wiki, namespace, kinds) == anew(wiki, namespace, kinds)


@pytest.fixture
def reads(monkeypatch) -> list[int]:
    """How many vectors were read, reading by reading."""
    counts: list[int] = []
    rows_of = ResidentVectors._rows

    def counted(self, *given):
        rows = list(rows_of(self, *given))
        counts.append(len(rows))
        return iter(rows)

    monkeypatch.setattr(ResidentVectors, "_rows", counted)
    return counts


@pytest.fixture
def wiki(open_wiki, layout) -> Wiki:
    made = open_wiki(embedder=embedder())
    for number in range(30):
        made.write(NS, title=f"heron {number}", node_id=f"n{number}")
    return made


def test_a_write_costs_the_next_search_one_row(wiki, reads):
    check(wiki)
    reads.clear()
    for change in (
        lambda: wiki.write(NS, title="new", node_id="new"),
        lambda: wiki.write(NS, title="changed", node_id="n3"),
        lambda: wiki.forget(NS, node_id="n4"),
        lambda: wiki.undo(NS),
    ):
        change()
        assert found(wiki) == anew(wiki)
        assert found(wiki) == anew(wiki)
    assert len(reads) == 4 and max(reads) == 1


def test_what_other_namespaces_write_costs_nothing(wiki, reads):
    wiki.write(OTHER, title="elsewhere")
    check(wiki)
    reads.clear()
    wiki.write(OTHER, title="elsewhere too", node_id="o")
    wiki.forget(OTHER, node_id="o")
    assert found(wiki) == anew(wiki) and reads == []


def test_a_text_that_changed_without_a_new_vector_is_not_found_any_more(wiki):
    assert len(found(wiki)) == 30
    store_of(wiki).db.run("update node set content_hash = 'other' where id = 'n7'")
    assert len(found(wiki)) == 29
    check(wiki)


@pytest.mark.parametrize("is_read_inside", [False, True])
def test_what_is_undone_was_never_there(wiki, is_read_inside):
    check(wiki)
    with pytest.raises(Undone), wiki.transaction():
        wiki.write(NS, title="heron, other", node_id="n2")
        wiki.forget(NS, node_id="n5")
        if is_read_inside:
            assert found(wiki) == anew(wiki) and len(found(wiki)) == 28
        raise Undone
    assert len(found(wiki)) == 30
    check(wiki)


def test_an_inner_transaction_that_is_undone_leaves_what_the_outer_one_did(wiki):
    check(wiki)
    with wiki.transaction():
        wiki.forget(NS, node_id="n1")
        assert len(found(wiki)) == 29
        with pytest.raises(Undone), wiki.transaction():
            wiki.forget(NS, node_id="n2")
            assert len(found(wiki)) == 28
            raise Undone
        assert len(found(wiki)) == 29
    check(wiki)


def test_what_is_first_searched_inside_a_transaction_is_right_after_it_too(wiki):
    with pytest.raises(Undone), wiki.transaction():
        wiki.forget(NS, node_id="n1")
        assert len(found(wiki)) == 29
        raise Undone
    assert len(found(wiki)) == 30
    check(wiki)


def test_removed_nodes_take_their_vectors_along_and_their_key_may_be_taken_again(wiki, clock):
    check(wiki)
    wiki.forget(NS, node_id="n29")
    check(wiki)
    clock.tick()
    wiki.run_prune(NS, retain_deleted_for=0)
    wiki.write(NS, title="in its place", node_id="late")
    check(wiki)


def test_much_that_changed_is_read_in_one_go(wiki, reads):
    check(wiki)
    reads.clear()
    with store_of(wiki).atomic():
        store_of(wiki).db.run("update vector set data = ? where node_id < 'n2'", (packed(vector_of("other")),))
    assert found(wiki) == anew(wiki) and reads == [12]


def test_models_stay_side_by_side(open_wiki, layout, tmp_path):
    path = tmp_path / "wiki.db"
    one = open_wiki(path, embedder=embedder("one"))
    one.write(NS, title="heron", node_id="a")
    one.close()
    two = open_wiki(path, embedder=embedder("two"))
    assert (len(found(two, model="one")), len(found(two, model="two"))) == (1, 0)
    two.write(NS, title="otter", node_id="b")
    two.run_reembed(NS)
    assert (len(found(two, model="one")), len(found(two, model="two"))) == (1, 2)
    two.write(NS, title="otter, changed", node_id="a")
    for model in ("one", "two"):
        assert found(two, model=model) == anew(two, model=model)


def test_what_was_searched_longest_ago_goes_when_there_is_no_room(wiki):
    store = store_of(wiki)
    spaces = [Space(f"{NS} {number}", MODEL, SIZE) for number in range(4)]
    for space in spaces:
        for number in range(200):
            wiki.write(space.namespace, title=f"heron {number}")
    room = store.vectors.resident
    for space in spaces:
        room.of_kinds(space, KINDS)
    assert list(room._kept) == spaces
    room._most_bytes = int(2.5 * room.nbytes / 4)
    room.of_kinds(spaces[0], KINDS)
    room.of_kinds(spaces[1], KINDS)
    assert list(room._kept) == spaces[:2] and room.nbytes <= room._most_bytes
    room._most_bytes = 1
    assert len(room.of_kinds(spaces[3], KINDS)) == 200 and list(room._kept) == spaces[3:]


@pytest.mark.cpython_only  # a second connection
def test_what_another_connection_writes_is_seen(open_wiki, layout, tmp_path):
    path = tmp_path / "wiki.db"
    writer = open_wiki(path, embedder=embedder())
    for number in range(20):
        writer.write(NS, title=f"heron {number}", node_id=f"n{number}")
    reader = open_wiki(path, embedder=embedder(), read_only=True)
    assert len(found(reader)) == 20
    writer.write(NS, title="new")
    writer.forget(NS, node_id="n1")
    writer.write(NS, title="changed", node_id="n2")
    check(reader)
    check(writer)
    other = sqlite3.connect(path)
    with other:
        other.execute("update vector set data = ? where node_id = 'n3'", (packed(vector_of("other")),))
    other.close()
    check(writer)
    check(reader)


@pytest.mark.cpython_only  # hypothesis takes too long in a tab
def test_any_sequence_of_changes_leaves_what_reading_everything_again_gives(monkeypatch, tmp_path):
    hypothesis = pytest.importorskip("hypothesis")
    st = hypothesis.strategies
    ids = st.sampled_from([f"n{number}" for number in range(6)])
    places = st.sampled_from([NS, OTHER])
    step = st.one_of(
        st.tuples(st.just("write"), places, ids, st.integers(0, 3)),
        st.tuples(st.just("forget"), places, ids),
        st.tuples(st.just("undo"), places),
        st.tuples(st.just("prune"), places),
        st.tuples(st.just("reembed"), places),
        st.tuples(st.just("search")),
        st.tuples(st.just("another"), ids),
        st.tuples(st.just("begin")),
        st.tuples(st.just("end"), st.booleans()),
    )
    counter = iter(range(10**9))

    @hypothesis.settings(max_examples=60, deadline=None)
    @hypothesis.given(st.booleans(), st.lists(step, max_size=25))
    def run(is_plain, steps):
        with monkeypatch.context() as patch:
            if is_plain:
                patch.setattr(vectors, "installed_numpy", lambda: None)
            path = tmp_path / f"{next(counter)}.db"
            with Wiki.open(path, embedder=embedder()) as wiki:
                open_blocks = []
                for name, *given in steps:
                    act(wiki, path, open_blocks, name, given)
                while open_blocks:
                    act(wiki, path, open_blocks, "end", [True])
                check(wiki)

    run()


def act(wiki: Wiki, path, open_blocks: list, name: str, given: list) -> None:
    inside = bool(open_blocks)
    if name == "write":
        place, id, text = given
        wiki.write(place, title=f"heron {text}", node_id=f"{place} {id}")
    elif name == "forget" and given[0] in wiki.list_namespaces():
        wiki.forget(given[0], node_id=f"{given[0]} {given[1]}")
    elif name == "undo" and not inside and given[0] in wiki.list_namespaces() and store_of(wiki).db.value(
        "select exists (select 1 from change where namespace = ?)", (given[0],)
    ):  # fmt: skip
        wiki.undo(given[0])
    elif name == "prune" and not inside and given[0] in wiki.list_namespaces():
        wiki.run_prune(given[0], retain_deleted_for=0)
    elif name == "reembed" and not inside and given[0] in wiki.list_namespaces():
        wiki.run_reembed(given[0])
    elif name == "search":
        check(wiki)
    elif name == "another" and not inside:
        other = sqlite3.connect(path)
        with other:
            other.execute("delete from vector where node_id = ?", (f"{NS} {given[0]}",))
        other.close()
    elif name == "begin":
        open_blocks.append(wiki.transaction())
        open_blocks[-1].__enter__()
    elif name == "end" and inside:
        block = open_blocks.pop()
        if given[0]:
            block.__exit__(None, None, None)
        else:
            error = Undone()
            with pytest.raises(Undone):
                block.__exit__(Undone, error, None)
                raise error
