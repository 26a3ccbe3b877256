"""`create_graph`, `lexical_graph`, `query`: the surface of the GraphRAG SDK."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import pytest

import lorelite
from lorelite import (
    AsyncOnlyModel,
    BlockingKnowledgeGraph,
    ClosedError,
    ConfigError,
    GraphDocument,
    InvalidOption,
    KnowledgeGraph,
    PipelineConfigMismatchError,
    PipelineOrderError,
    Wiki,
    WikiConfig,
    chunk_entity_generation,
    create_graph,
    entity_community_generation,
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    lexical_graph,
    naive_search,
    query,
    sqlite_graph,
    sqlite_kv,
    sqlite_vector,
)
from lorelite._drive import drive
from lorelite.models import HashEmbedder, ScriptedModel
from lorelite.options import seed_names
from lorelite.sdk import GraphProvider

TEXT = "Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at Heron Lock."
QUESTION = "Who keeps Heron Lock?"
FACTORIES: dict[str, Any] = {
    "graph_store_factory": in_memory_graph,
    "vector_store_factory": in_memory_vector,
    "kv_store_factory": in_memory_kv,
}
PLACES = {
    "file": {},
    "stores": FACTORIES,
    "stores in a file": {
        "graph_store_factory": lambda namespace: sqlite_graph(":memory:", namespace),
        "vector_store_factory": lambda namespace: sqlite_vector(":memory:", namespace),
        "kv_store_factory": lambda namespace: sqlite_kv(":memory:", namespace),
    },
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> dict[str, Any]:
    return PLACES[request.param]


def pipeline() -> list[Any]:
    return [chunk_entity_generation(), entity_community_generation()]


def test_a_graph_is_made_filled_asked_and_closed(place):
    async def run() -> None:
        async with create_graph(graph=lexical_graph(**place, pipeline=pipeline()), embedding=HashEmbedder()) as graph:
            report = await graph.insert([GraphDocument(content=TEXT, id="lock.txt"), {"text": "Eels sleep by day."}])
            assert (report.documents, report.chunks) == (2, 2)
            assert {entity.name.casefold() for entity in await graph.entities()} >= {"ada marsh", "heron lock"}
            assert len(await graph.relations()) >= 1
            assert [chunk.content for chunk in await graph.chunks()] == [TEXT, "Eels sleep by day."]
            assert len(await graph.communities()) == len(await graph.reports()) >= 1
            assert (await graph.stats()).documents == 2
            found = await query(graph=graph, search=naive_search(), prompt=QUESTION)
            assert found.text.startswith("Ada Marsh keeps Heron Lock.")
            assert (await graph.delete_documents("lock.txt")).documents == 1
            assert [chunk.content for chunk in await graph.chunks()] == ["Eels sleep by day."]
            await graph.drop()
            assert (await graph.stats()).documents == 0
        with pytest.raises(ClosedError):
            await graph.stats()

    drive(run())


def test_a_graph_works_without_an_event_loop_too(place):
    with create_graph(graph=lexical_graph(**place, pipeline=pipeline())).blocking() as graph:
        assert isinstance(graph, BlockingKnowledgeGraph)
        assert graph.insert(TEXT).documents == 1
        assert graph.query(QUESTION).text.startswith("Ada Marsh keeps Heron Lock.")
        assert graph.build().documents == 0


def test_a_graph_is_exported_as_text_or_to_a_file(place, tmp_path):
    with create_graph(graph=lexical_graph(**place, pipeline=pipeline())).blocking() as graph:
        graph.insert(TEXT)
        text = graph.export("edges.csv")
        assert text.casefold().count("heron lock") >= 1
        report = graph.export("edges.csv", path=tmp_path / "edges.csv")
        assert (tmp_path / "edges.csv").read_bytes() == text.encode()
        assert (report.namespaces, report.size_bytes) == (("default",), len(text.encode()))
        with pytest.raises(InvalidOption, match="format"):
            graph.export("svg")


def test_a_model_that_must_be_awaited_is_refused_where_nothing_can_be_awaited():
    async def reply(system: str, user: str) -> str:
        return ""

    with pytest.raises(AsyncOnlyModel):
        create_graph(model=reply).blocking()


def test_functions_serve_as_models_and_embedders(place):
    asked: list[str] = []

    def model(system: str, user: str) -> str:
        asked.append(user)
        return '("entity"<|>Ada Marsh<|>person<|>She keeps a lock.)<|COMPLETE|>'

    graph = create_graph(
        graph=lexical_graph(**place, pipeline=[chunk_entity_generation(max_gleanings=0)]),
        model=model,
        embedding=lambda texts: [[1.0, float(len(text))] for text in texts],
    ).blocking()
    graph.insert(TEXT)
    assert [entity.description for entity in graph.entities()] == ["She keeps a lock."]
    assert len(asked) == 1


def test_all_graphs_of_one_file_are_its_namespaces(tmp_path):
    path = tmp_path / "brain.db"
    with create_graph(graph=lexical_graph(path=path), namespace="class").blocking() as graph:
        graph.insert({"id": "lock.txt", "content": TEXT})
    with create_graph(graph=lexical_graph(path=path), namespace="other").blocking() as graph:
        assert graph.chunks() == []
    with Wiki.open(path) as wiki:
        assert wiki.get_document("class", "lock.txt") == TEXT
    with create_graph(graph=lexical_graph(path=path, config=WikiConfig()), namespace="class").blocking() as graph:
        assert [chunk.content for chunk in graph.chunks()] == [TEXT]


def test_stores_in_one_file_keep_a_graph(tmp_path):
    path = tmp_path / "stores.db"
    provider = lexical_graph(
        graph_store_factory=partial(sqlite_graph, path),
        vector_store_factory=partial(sqlite_vector, path),
        kv_store_factory=partial(sqlite_kv, path),
        pipeline=pipeline(),
    )
    with create_graph(graph=provider, namespace="class", embedding=HashEmbedder()).blocking() as graph:
        graph.insert(TEXT)
        before = graph.stats()
    with create_graph(graph=provider, namespace="class", embedding=HashEmbedder()).blocking() as graph:
        assert graph.stats() == before
        assert graph.insert(TEXT).skipped == 1
        assert graph.query(QUESTION, search="local_community").answered
    with create_graph(graph=provider, namespace="other", embedding=HashEmbedder()).blocking() as graph:
        assert graph.chunks() == []


def test_another_embedder_is_no_embedder_of_the_graph(tmp_path):
    path = tmp_path / "brain.db"
    with create_graph(graph=lexical_graph(path=path), embedding=HashEmbedder(64)).blocking() as graph:
        graph.insert(TEXT)
    with (
        create_graph(graph=lexical_graph(path=path), embedding=HashEmbedder(128)).blocking() as graph,
        pytest.raises(PipelineConfigMismatchError, match="embedding"),
    ):
        graph.insert("Another text.")


def test_documents_are_cut_into_tokens_outside_of_files_and_wherever_that_is_asked_for(place):
    text = " ".join(f"w{number}" for number in range(2_500))
    with create_graph(graph=lexical_graph(**place), chunking={"size": 1200, "overlap": 100}).blocking() as graph:
        graph.insert(text)
        asked = [len(chunk.content.split()) for chunk in graph.chunks()]
    with create_graph(graph=lexical_graph(**place)).blocking() as graph:
        graph.insert(text)
        by_default = [len(chunk.content.split()) for chunk in graph.chunks()]
    assert asked == [1200, 1200, 300]
    assert (by_default == asked) == bool(place)


@pytest.mark.parametrize("missing", FACTORIES)
def test_some_factories_without_the_others_are_an_error_that_names_the_missing_one(missing):
    given = {name: factory for name, factory in FACTORIES.items() if name != missing}
    with pytest.raises(ConfigError, match=missing):
        lexical_graph(**given)


def test_what_makes_no_graph_is_an_error():
    with pytest.raises(ConfigError, match="namespace"):
        create_graph(namespace="")
    with pytest.raises(ConfigError, match="graph"):
        create_graph(graph="brain.db")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"chunking\.overlap"):
        create_graph(chunking={"size": 10, "overlap": 10})
    with pytest.raises(ConfigError, match="path"):
        lexical_graph(**FACTORIES, path="brain.db")
    with pytest.raises(PipelineOrderError):
        lexical_graph(pipeline=[entity_community_generation()])


def test_a_factory_may_be_a_coroutine_function():
    async def graph_store(namespace: str) -> Any:
        return in_memory_graph(namespace)

    async def run() -> int:
        provider = lexical_graph(**{**FACTORIES, "graph_store_factory": graph_store})
        async with create_graph(graph=provider) as graph:
            return (await graph.insert(TEXT)).chunks

    assert drive(run()) == 1


def test_every_factory_is_told_the_namespace():
    told: list[str] = []

    def told_to(factory: Any) -> Any:
        def make(namespace: str) -> Any:
            told.append(namespace)
            return factory(namespace)

        return make

    provider = lexical_graph(**{name: told_to(factory) for name, factory in FACTORIES.items()})
    create_graph(graph=provider, namespace="a:b*").blocking().insert(TEXT)
    assert told == ["a:b*"] * 3


def test_progress_is_told_to_the_graph_or_to_the_call():
    of_graph: list[Any] = []
    of_call: list[Any] = []
    graph = create_graph(on_progress=of_graph.append).blocking()
    graph.insert("One text.")
    count = len(of_graph)
    graph.insert("Another text.", on_progress=of_call.append)
    assert count and len(of_graph) == count and of_call


def test_the_names_of_the_sdk_are_the_same_functions():
    pairs = [(name, lorelite._LATER[name]) for name in lorelite._LATER if name != name.lower() and name[0].islower()]
    assert len(pairs) >= 18
    for name, _ in pairs:
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
        snake = snake.replace("_k_v", "_kv")
        assert getattr(lorelite, name) is getattr(lorelite, snake)


def test_options_go_by_the_names_of_the_sdk_too():
    assert lorelite.naiveSearch(topK=3) == lorelite.naive_search(top_k=3)
    provider: GraphProvider = lorelite.lexicalGraph(
        graphStoreFactory=in_memory_graph, vectorStoreFactory=in_memory_vector, kvStoreFactory=in_memory_kv
    )
    graph = lorelite.createGraph(graph=provider, cheapModel=ScriptedModel({}))
    assert isinstance(graph, KnowledgeGraph)
    assert repr(graph) == "KnowledgeGraph('default', pipeline=[])"
    chunking = lorelite.chunkEntityGeneration(entityTypes=["boat"], maxGleanings=2).options()
    assert (chunking["entity_types"], chunking["max_gleanings"]) == (["boat"], 2)


def test_seed_names_leave_other_names_as_they_are():
    @seed_names
    def made(top_k: int = 1, **other: int) -> tuple[int, dict[str, int]]:
        """What it makes."""
        return top_k, other

    assert made(topK=2) == (2, {})
    assert made(top_k=3, otherName=4) == (3, {"otherName": 4})
    with pytest.raises(TypeError, match="both topK and top_k"):
        made(topK=1, top_k=1)
    assert inspect.getdoc(made) == "What it makes."
    assert list(inspect.signature(made).parameters) == ["top_k", "other"]
