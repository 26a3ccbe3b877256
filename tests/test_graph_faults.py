"""What goes wrong around a knowledge graph: runs that are cut off, weights of any size, arguments of any kind."""

from __future__ import annotations

import pytest

from lorelite import (
    ClosedError,
    InvalidOption,
    Wiki,
    chunk_entity_generation,
    create_graph,
    drift_search,
    entity_community_generation,
    hypothetical_question_generation,
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    lexical_graph,
    naive_search,
    similar_chunk_connection,
    similar_chunk_traversal_search,
)
from lorelite.graph.hierarchy import ALGORITHMS, cluster
from lorelite.models import HashEmbedder
from lorelite.store.store import Store

TEXTS = [
    {"id": f"{number}.md", "content": f"Olga Brandt reads the tide gauge of Norham. Ben Hale owns mill {number}."}
    for number in range(4)
]


class Killed(BaseException):
    """The process ended here."""


def in_a_file():
    return Wiki.open(":memory:").graph("town", pipeline=[chunk_entity_generation()])


def in_stores():
    provider = lexical_graph(in_memory_graph, in_memory_vector, in_memory_kv, pipeline=[chunk_entity_generation()])
    return create_graph(graph=provider, namespace="town").blocking()


PLACES = pytest.mark.parametrize("place", [in_a_file, in_stores])


def similar(store):
    rows = store.db.rows("select source_id, target_id, weight from edge where edge_type = 'similar_to' order by 1, 2")
    return [tuple(row) for row in rows]


def begun_in(store):
    wiki = Wiki.open(":memory:", store=store, embedder=HashEmbedder(64))
    return wiki.graph("town", pipeline=[similar_chunk_connection()])


def test_chunks_that_a_killed_process_left_without_vectors_are_joined_to_those_like_them(monkeypatch):
    undisturbed = Store(":memory:")
    begun_in(undisturbed).insert(TEXTS)
    assert len(similar(undisturbed)) == 6

    store, atomic = Store(":memory:"), Store.atomic
    for ends_at in range(2, 9):
        calls = iter(range(1, 1_000))

        def mortal(self, *args, calls=calls, ends_at=ends_at, **options):
            if next(calls) == ends_at:
                raise Killed
            return atomic(self, *args, **options)

        store = Store(":memory:")
        monkeypatch.setattr(Store, "atomic", mortal)
        with pytest.raises(Killed):
            begun_in(store).insert(TEXTS)
        monkeypatch.setattr(Store, "atomic", atomic)
        begun_in(store).insert(TEXTS)  # by another process, which remembers nothing of the first
        assert similar(store) == similar(undisturbed), f"killed at transaction {ends_at}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weight", [5e-324, 1e-200, 1e200, 1e308])
def test_weights_of_any_size_divide_a_graph_as_weights_near_one_do(algorithm, weight):
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]
    near_one = cluster([(*pair, 1.0) for pair in pairs], algorithm=algorithm)
    found = cluster([(*pair, weight) for pair in pairs], algorithm=algorithm)
    assert found.clusters == near_one.clusters
    assert found.modularity == pytest.approx(near_one.modularity)


def test_relations_whose_weights_have_no_sum_are_read_exported_and_searched():
    wiki = Wiki.open(":memory:")
    wiki.upsert_graph(
        "town",
        source_ref="s",
        source_hash="0" * 64,
        nodes=[{"id": id, "kind": "entity", "title": title} for id, title in (("x", "Ada One"), ("y", "Bob Two"))],
        edges=[
            {"id": kind, "source_id": "x", "target_id": "y", "type": kind, "weight": 1.7e308}
            for kind in ("knows", "likes")
        ],
    )
    graph = wiki.graph("town", pipeline=[chunk_entity_generation(), entity_community_generation()])
    graph.build()
    assert [relation.weight for relation in graph.relations()] == [1e300]
    assert "1e+300" in graph.export("edges.csv")
    for search in ("local_community", "global_community", "entity_enhanced", "pagerank", "dual_level", "drift"):
        graph.query("Who is Ada One?", search=search)


@PLACES
def test_functions_serve_as_models_and_embedders_of_processors_and_strategies(place):
    def says(system, user):
        return '("entity"<|>Olga Brandt<|>person<|>She keeps the gauge.)<|COMPLETE|>'

    def embeds(texts):
        return [[1.0, float(len(text))] for text in texts]

    graph = Wiki.open(":memory:").graph(
        "town", pipeline=[chunk_entity_generation(model=says, cheap_model=says, max_gleanings=0)]
    )
    graph.insert("She keeps the gauge.")
    assert [entity.name for entity in graph.entities()] == ["Olga Brandt"]

    for factory in (entity_community_generation, hypothetical_question_generation):
        assert factory(model=says).options()["model"].endswith("says")
    searched = place()
    searched.insert(TEXTS)
    found = searched.query("gauge", search=naive_search(model=says, embedding=embeds), only_context=True)
    assert found.context.chunks


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: chunk_entity_generation(cheap_model=5), "cheap_model"),
        (lambda: naive_search(embedding="hash"), "embedding"),
        (lambda: naive_search(min_score="much"), "naiveSearch.min_score"),
        (lambda: similar_chunk_traversal_search(min_weight="much"), "similarChunkTraversalSearch.min_weight"),
        (lambda: drift_search(local="local"), "driftSearch.local"),
    ],
)
def test_what_is_no_option_of_a_processor_or_a_strategy_is_refused_when_it_is_made(make, names):
    with pytest.raises(InvalidOption, match=f"^{names}:"):
        make()


@PLACES
@pytest.mark.parametrize(
    ("option", "names"),
    [
        ({"history": [5]}, "history"),
        ({"history": 5}, "history"),
        ({"history": "who?"}, "history"),
        ({"history": [("nobody", "who?")]}, "history"),
        ({"only_contexts": True}, "only_contexts"),
        ({"embedding": 5}, "embedding"),
    ],
)
def test_what_is_no_option_of_a_query_is_named(place, option, names):
    with pytest.raises(InvalidOption, match=f"^{names}"):
        place().query("Who?", search="naive", **option)


@PLACES
def test_options_of_insert_and_query_go_by_the_names_of_the_sdk(place):
    graph = place()
    assert graph.insert(TEXTS, onError="skip", maxErrors=1).documents == 4
    assert graph.query("Who reads the gauge?", search="naive", onlyContext=True).text == ""
    assert graph.query("Zebra?", search="naive", failResponse="Nothing.").text == "Nothing."
    assert "".join(graph.stream("Zebra?", search="naive", failResponse="Nothing.")) == "Nothing."


@PLACES
@pytest.mark.parametrize("metadata", [{"seen": {1, 2}}, {"ratio": float("nan")}, {"self": object()}, ["a"]])
def test_metadata_that_is_no_json_is_refused_by_name_and_nothing_is_written(place, metadata):
    graph = place()
    with pytest.raises(InvalidOption, match=r"^documents\[0\]\.metadata"):
        graph.insert([{"content": "A text.", "metadata": metadata}])
    assert graph.stats().documents == 0
    assert graph.insert([{"content": "A text.", "metadata": {5: ("a", "\ud800\0")}}]).documents == 1


@PLACES
@pytest.mark.parametrize("id", ["\n", "a\0b", "\ud800", "x" * 3_000, 5])
def test_an_id_that_names_no_document_is_refused_as_the_id_of_that_document(place, id):
    with pytest.raises(InvalidOption, match=r"^documents\[1\]\.id"):
        place().insert(["A text.", {"id": id, "content": "Another text."}])


@PLACES
def test_a_closed_graph_says_that_it_is_the_graph_that_is_closed(place):
    graph = place()
    graph.close()
    graph.close()
    with pytest.raises(ClosedError, match=r"^the graph 'town' is closed; .* create_graph"):
        graph.stats()
