"""Facts as a caller states them, changes them, and may not change them."""

from __future__ import annotations

import pytest

from lorelite import ImmutableFact, InvalidOption, NodeOwnershipConflict, NotFound, StrictOntologyViolation
from lorelite.models import HashEmbedder

NS = "class"
HASH = "a" * 64
LATER = 1_800_000_000_000


def every_field():
    return {
        "title": "Eels", "body": "sleep by day", "tags": ["fish"], "node_type": "animal", "confidence": "tentative",
        "source_type": "user_confirmed", "lifecycle": "draft", "valid_from": 5, "valid_to": LATER,
        "stale_after": LATER, "generated_by": "human:anna", "sources": [{"resource": "https://x.example", "page": 3}],
        "usage_window": (1, None),
    }  # fmt: skip


def shown(fact, names):
    return {name: getattr(fact, name) for name in names}


@pytest.fixture
def documented(wiki):
    """A wiki with one fact that a document states."""
    wiki.upsert_graph(NS, source_ref="a.txt", source_hash=HASH, nodes=[{"id": "stated", "title": "Otters"}])
    return wiki


def test_every_field_of_a_fact_is_kept(wiki):
    given = every_field()
    fact = wiki.write(NS, **given)
    [found] = wiki.read(NS, "Eels").facts
    assert found == fact
    assert shown(fact, given) == given | {"tags": ("fish",), "sources": tuple(given["sources"])}
    assert (fact.kind, fact.origin, fact.source_ref) == ("fact", "stated", None)


def test_a_fact_stated_anew_keeps_what_is_not_given(wiki, clock):
    first = wiki.write(NS, node_id="eels", **every_field())
    clock.tick()
    again = wiki.write(NS, node_id="eels", title="Eels", body="wake at dusk")
    assert (again.created_at, again.updated_at) == (first.created_at, clock.now)
    assert (again.tags, again.node_type, again.confidence, again.source_type) == ((), None, "certain", "user_stated")
    kept = ["lifecycle", "valid_from", "valid_to", "stale_after", "generated_by", "sources", "usage_window"]
    assert shown(again, kept) == shown(first, kept)
    assert [fact.body for fact in wiki.read(NS, "dusk").facts] == ["wake at dusk"]
    assert wiki.read(NS, "sleep").facts == ()


def test_an_update_changes_the_fields_that_are_named_and_no_other(wiki, clock):
    first = wiki.write(NS, node_id="eels", **every_field())
    clock.tick()
    changed = wiki.update_fact(NS, node_id="eels", lifecycle="stable", tags=["river"], stale_after=None)
    wanted = {"lifecycle": "stable", "tags": ("river",), "stale_after": None, "updated_at": clock.now}
    names = [name for name in every_field() if name not in wanted]
    assert shown(changed, wanted) == wanted
    assert shown(changed, names) == shown(first, names)
    assert wiki.read(NS, "river").facts == (changed,)


def test_other_words_are_the_callers_and_nobody_has_verified_them(wiki):
    wiki.write(NS, node_id="eels", title="Eels", source_type="librarian_inferred")
    wiki.verify(NS, node_id="eels", by="human:anna")
    assert wiki.update_fact(NS, node_id="eels", confidence="certain").trust_tier == "human-reviewed"
    assert wiki.update_fact(NS, node_id="eels", body="sleep by day").verified == ()
    wiki.verify(NS, node_id="eels", by="human:anna")
    assert wiki.write(NS, node_id="eels", title="Eels", body="sleep by day").trust_tier == "human-reviewed"
    assert wiki.write(NS, node_id="eels", title="Eels", body="wake at dusk").trust_tier == "unverified"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""), ("title", None), ("body", None), ("tags", "abc"), ("node_type", 5), ("node_type", " "),
        ("confidence", "sure"), ("source_type", None), ("lifecycle", "new"), ("lifecycle", None), ("valid_from", -1),
        ("valid_from", 0.5), ("valid_to", float("nan")), ("stale_after", "soon"), ("generated_by", ""),
        ("sources", {}), ("sources", ["x"]), ("sources", [{"x": object()}]), ("sources", [{"x": float("inf")}]),
        ("sources", None), ("usage_window", 5), ("usage_window", (1,)), ("usage_window", (2, 1)),
        ("usage_window", ("a", None)), ("node_id", ""), ("node_id", 5),
    ],
)  # fmt: skip
def test_an_odd_field_is_refused_by_its_name_and_changes_nothing(wiki, picture, field, value):
    wiki.write(NS, node_id="eels", **every_field())
    before = picture(wiki), wiki.read(NS, "Eels")
    with pytest.raises(InvalidOption, match=f"^{field}"):
        wiki.update_fact(NS, **({"node_id": "eels"} | {field: value}))
    assert (picture(wiki), wiki.read(NS, "Eels")) == before


def test_a_window_may_not_end_before_it_begins(wiki):
    with pytest.raises(InvalidOption, match="valid_to"):
        wiki.write(NS, title="x", valid_from=5, valid_to=5)
    wiki.write(NS, node_id="x", title="x", valid_from=5)
    with pytest.raises(InvalidOption, match="valid_to"):
        wiki.update_fact(NS, node_id="x", valid_to=4)
    assert wiki.list_namespaces() == [NS]


def test_a_fact_outside_its_window_is_not_read_but_in_its_time(wiki, clock):
    wiki.write(NS, title="Eels", valid_from=clock.now + 10, valid_to=clock.now + 20)
    for moment, count in ((9, 0), (10, 1), (19, 1), (20, 0)):
        assert len(wiki.read(NS, "Eels", as_of=clock.now + moment).facts) == count
    assert wiki.read(NS, "Eels").facts == ()
    clock.tick(10)
    assert len(wiki.read(NS, "Eels").facts) == 1


def test_what_a_document_states_is_neither_written_nor_updated(documented, picture):
    before = picture(documented)
    with pytest.raises(ImmutableFact, match=r"'stated' comes from document 'a.txt'.*forget it"):
        documented.write(NS, node_id="stated", title="Eels")
    for field, value in (("title", "x"), ("body", "x"), ("tags", ["x"]), ("confidence", "tentative"), ("valid_to", 9)):
        with pytest.raises(ImmutableFact):
            documented.update_fact(NS, node_id="stated", **{field: value})
    assert picture(documented) == before


def test_what_is_thought_of_a_documents_fact_may_be_set_and_outlives_a_new_version(documented):
    documented.update_fact(NS, node_id="stated", lifecycle="deprecated", stale_after=LATER, generated_by="x")
    documented.verify(NS, node_id="stated", by="human:anna")
    documented.upsert_graph(NS, source_ref="a.txt", source_hash="b" * 64, nodes=[{"id": "stated", "title": "Otters"}])
    [fact] = documented.read(NS, "Otters").facts
    assert (fact.lifecycle, fact.stale_after, fact.generated_by) == ("deprecated", LATER, "x")
    assert fact.trust_tier == "human-reviewed"


def test_an_id_of_another_namespace_is_not_available(wiki):
    wiki.write("other", node_id="eels", title="Eels")
    with pytest.raises(NodeOwnershipConflict):
        wiki.write(NS, node_id="eels", title="Eels")
    assert wiki.list_namespaces() == ["other"]


def test_what_is_not_there_cannot_be_updated(wiki):
    wiki.write(NS, node_id="eels", title="Eels")
    wiki.write("other", node_id="otters", title="Otters")
    wiki.forget(NS, node_id="eels")
    for id in ("eels", "otters", "nobody"):
        with pytest.raises(NotFound, match=f"fact '{id}'"):
            wiki.update_fact(NS, node_id=id, body="x")


def test_an_entity_is_no_fact(wiki):
    wiki.upsert_graph(NS, source_ref="a", source_hash=HASH, nodes=[{"id": "e", "title": "Anna", "kind": "entity"}])
    for call in (lambda: wiki.write(NS, node_id="e", title="x"), lambda: wiki.update_fact(NS, node_id="e", body="x")):
        with pytest.raises(InvalidOption, match="node_id: expected the id of a fact"):
            call()


def test_a_forgotten_fact_may_be_stated_again_and_starts_anew(wiki, clock):
    wiki.write(NS, node_id="eels", **every_field())
    wiki.forget(NS, node_id="eels")
    clock.tick()
    again = wiki.write(NS, node_id="eels", title="Eels")
    assert (again.created_at, again.lifecycle, again.sources) == (clock.now, "stable", ())
    assert wiki.read(NS, "Eels").facts == (again,)


def test_other_words_get_another_vector(open_wiki):
    wiki = open_wiki(embedder=HashEmbedder(64))
    wiki.write(NS, node_id="a", title="river otters")
    wiki.write(NS, node_id="b", title="harbour cranes")
    assert wiki.read(NS, "river otters", hybrid_weight=1.0).facts[0].id == "a"
    wiki.update_fact(NS, node_id="b", title="river otters", body="")
    wiki.update_fact(NS, node_id="a", title="harbour cranes")
    assert wiki.read(NS, "river otters", hybrid_weight=1.0).facts[0].id == "b"


def test_the_type_of_a_fact_is_held_against_the_ontology(wiki, picture):
    manifest = {"node_types": [{"type": "Animal", "description": "lives"}], "edge_types": []}
    wiki.set_ontology(NS, manifest, mode="strict")
    fact = wiki.write(NS, title="Eels", node_type="animal")
    assert fact.node_type == "Animal"
    assert wiki.write(NS, title="untyped").node_type is None
    before = picture(wiki)
    for call in (
        lambda: wiki.write(NS, title="x", node_type="ship"),
        lambda: wiki.update_fact(NS, node_id=fact.id, node_type="ship"),
        lambda: wiki.supersede(NS, node_id=fact.id, by={"title": "x", "body": "y", "node_type": "ship"}),
    ):
        with pytest.raises(StrictOntologyViolation, match="ship"):
            call()
    assert picture(wiki) == before
    wiki.set_ontology(NS, {"node_types": [{"type": "Fish", "description": "swims"}], "edge_types": []}, mode="strict")
    assert wiki.update_fact(NS, node_id=fact.id, body="sleep by day").node_type == "Animal", "it was right when written"


def test_a_bundle_holds_tasks_of_every_status_and_the_edges_among_its_facts(wiki, clock):
    for status in ("pending", "in_progress", "done", "abandoned"):
        wiki.add_task(NS, description=status, status=status)
    nodes = [{"id": "a", "title": "a"}, {"id": "b", "title": "b"}]
    edge = {"type": "t", "source_id": "a", "target_id": "b"}
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH, nodes=nodes, edges=[edge])
    bundle = wiki.get_memory_bundle(NS)
    assert {task.description for task in bundle.tasks} == {"pending", "in_progress", "done", "abandoned"}
    assert [(edge.source_id, edge.target_id) for edge in bundle.edges] == [("a", "b")]
    wiki.write(NS, title="ended", valid_to=clock.now)
    assert [fact.title for fact in wiki.get_memory_bundle(NS).facts] == ["a", "b"]


@pytest.mark.parametrize("unseen", ["\u200b", "\u2060 \ufeff", "\u202e\u202d"])
def test_a_text_that_nobody_can_see_is_no_title_event_or_task(wiki, unseen):
    for call in (
        lambda: wiki.write(NS, title=unseen),
        lambda: wiki.write(NS, event={"summary": unseen}),
        lambda: wiki.add_task(NS, description=unseen),
    ):
        with pytest.raises(InvalidOption):
            call()
    assert wiki.list_namespaces() == []
