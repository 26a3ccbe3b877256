"""`wiki.graph`: a namespace of a wiki as a knowledge graph."""

from __future__ import annotations

import asyncio
import random

import pytest
from tests.conftest import NS
from tests.test_any_argument import SCRAPS

from lorelite import (
    AsyncWiki,
    ClosedError,
    ConfigError,
    InsertAborted,
    InvalidOption,
    LoreliteError,
    PipelineConfigMismatchError,
    PipelineOrderError,
    TransactionError,
    Wiki,
    chunk_entity_generation,
    entity_community_generation,
    naive_search,
)
from lorelite._drive import drive
from lorelite.models import HashEmbedder, ScriptedModel

TEXT = "Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at Heron Lock."
ANSWER = (
    '{"answered": true, "paragraphs": [{"sentences": [{"text": "Ada Marsh does.", '
    '"citations": [{"source": 1, "quote": "Ada Marsh keeps Heron Lock"}]}]}]}'
)


def pipeline():
    return [chunk_entity_generation(), entity_community_generation()]


def test_what_a_graph_takes_in_is_part_of_the_wiki(wiki):
    graph = wiki.graph(NS, pipeline=pipeline())
    assert graph.insert({"id": "lock.txt", "text": TEXT}).documents == 1
    assert wiki.get_document(NS, "lock.txt") == TEXT
    assert [fact.body for fact in wiki.read(NS, "Heron Lock", kinds=["chunk"]).facts] == [TEXT]
    assert {"Ada Marsh", "Heron Lock", "Tom Weir"} <= {entity.name for entity in graph.entities()}


def test_what_the_wiki_took_in_is_part_of_the_graph(wiki):
    wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
    graph = wiki.graph(NS, pipeline=pipeline())
    assert [chunk.content for chunk in graph.chunks()] == [TEXT]
    assert {"Ada Marsh", "Heron Lock", "Tom Weir"} <= {entity.name for entity in graph.entities()}
    assert graph.insert({"id": "lock.txt", "text": TEXT}).skipped == 1
    assert graph.build().counters["entityCommunityGeneration"]["communities"] >= 1
    assert graph.communities() and graph.reports()


def test_documents_are_cut_as_the_settings_say_or_as_the_graph_does(wiki):
    text = "\n\n".join(f"Paragraph {number} of a text that goes on for a while." for number in range(200))
    wiki.graph(NS).insert({"id": "settings", "content": text})
    wiki.graph(NS, chunking={"size": 50, "overlap": 0}).insert({"id": "tokens", "content": text})
    wiki.ingest_document("other", source_ref="ingested", text=text)
    chunks = {
        id: [each.content for each in wiki.graph(NS).chunks() if each.document_ids == (id,)]
        for id in ("settings", "tokens")
    }
    assert chunks["settings"] == [each.content for each in wiki.graph("other").chunks()]
    assert len(chunks["tokens"]) > 2 * len(chunks["settings"])


def test_graphs_of_two_namespaces_see_nothing_of_each_other(wiki):
    wiki.graph("a", pipeline=pipeline()).insert(TEXT)
    assert wiki.graph("b").stats() == wiki.graph("c").stats()
    assert wiki.graph("b").entities() == wiki.graph("b").chunks() == []
    wiki.graph("b").insert("Another text.")
    before = wiki.graph("b").stats()
    wiki.graph("a").drop()
    assert (wiki.graph("a").stats().chunks, wiki.graph("b").stats()) == (0, before)


def test_a_graph_answers_without_a_model_and_by_one(open_wiki):
    wiki = open_wiki()
    wiki.graph(NS, pipeline=pipeline()).insert({"id": "lock.txt", "text": TEXT})
    found = wiki.graph(NS).query("Who keeps Heron Lock?", search=naive_search())
    assert found.text.startswith("Ada Marsh keeps Heron Lock.")
    assert found.origin == "heuristic"

    model = ScriptedModel({"graph_answer": ANSWER})
    found = open_wiki(model=model).graph(NS).query("Who keeps Heron Lock?", search="naive")
    assert not found.answered and model.requests == []
    asked = wiki.graph(NS).query("Who keeps Heron Lock?", search="naive", model=model)
    assert (asked.text, asked.origin) == ("Ada Marsh does.", "model")
    [citation] = asked.sentences[0].citations
    assert TEXT[citation.start : citation.end] == citation.quote == "Ada Marsh keeps Heron Lock"


def test_an_answer_comes_piece_by_piece(wiki):
    graph = wiki.graph(NS)
    graph.insert(TEXT)
    stream = graph.stream("Who keeps Heron Lock?", search="naive")
    with pytest.raises(InvalidOption, match="all pieces"):
        stream.result  # noqa: B018
    assert "".join(stream) == stream.result.text == graph.query("Who keeps Heron Lock?", search="naive").text


def test_a_graph_ends_with_its_wiki_and_the_wiki_does_not_end_with_the_graph(open_wiki):
    wiki = open_wiki()
    with wiki.graph(NS) as graph:
        graph.insert(TEXT)
    with pytest.raises(ClosedError):
        graph.stats()
    graph = wiki.graph(NS)
    assert graph.stats().chunks == 1
    wiki.close()
    with pytest.raises(ClosedError):
        graph.stats()


def test_an_insert_in_a_transaction_is_kept_or_undone_with_it_and_asks_no_model(open_wiki):
    wiki = open_wiki()
    with pytest.raises(ZeroDivisionError), wiki.transaction():
        wiki.graph(NS).insert(TEXT)
        1 / 0  # noqa: B018
    assert wiki.graph(NS).chunks() == []
    wiki = open_wiki(model=ScriptedModel({"extract_graph": "<|COMPLETE|>"}))
    with pytest.raises(TransactionError, match="scripted"), wiki.transaction():
        wiki.graph(NS, pipeline=pipeline()).insert(TEXT)


def test_a_wiki_that_is_ingesting_says_so_while_a_graph_takes_documents_in(wiki):
    seen = []
    wiki.graph(NS).insert(
        TEXT, on_progress=lambda step: seen.append(wiki._wiki._engine.store.board.activity(NS).ingesting)
    )
    assert seen and all(seen)
    assert not wiki._wiki._engine.store.board.activity(NS).ingesting


def test_failures_stop_the_insert_or_are_reported(open_wiki):
    wiki = open_wiki(model=ScriptedModel({"extract_graph": ValueError("no")}))
    with pytest.raises(InsertAborted, match="scripted failed: ValueError: no"):
        wiki.graph(NS, pipeline=pipeline()).insert(TEXT)
    report = wiki.graph(NS, pipeline=pipeline()).insert(TEXT, on_error="skip")
    assert len(report.failures) == 1


def test_what_is_no_pipeline_or_document_is_an_error(wiki):
    with pytest.raises(PipelineOrderError):
        wiki.graph(NS, pipeline=[entity_community_generation()])
    with pytest.raises(ConfigError, match=r"pipeline\[0\]"):
        wiki.graph(NS, pipeline=["chunkEntityGeneration"])
    graph = wiki.graph(NS)
    for odd in (
        5,
        b"bytes",
        [5],
        {"id": "x"},
        {"text": "a", "content": "b"},
        {"content": 5},
        {"text": "x", "name": "y"},
    ):
        with pytest.raises(InvalidOption, match="documents"):
            graph.insert(odd)
    with pytest.raises(InvalidOption, match="on_error"):
        graph.insert(TEXT, on_error="ignore")


@pytest.mark.parametrize("seed", range(4))
def test_no_argument_whatsoever_raises_anything_but_a_lorelite_error(open_wiki, seed):
    chosen = random.Random(seed)
    wiki = open_wiki(embedder=HashEmbedder(32) if seed % 2 else None)
    graph = wiki.graph(NS, pipeline=pipeline())
    calls = {
        "insert": ("on_error", "max_errors", "on_progress"),
        "build": ("on_error", "max_errors", "on_progress"),
        "delete_documents": (),
        "query": ("search", "system", "model", "response_type", "only_context", "history", "fail_response"),
    }
    for _ in range(150):
        name = chosen.choice(list(calls))
        positional = [] if name == "build" else [chosen.choice([TEXT, *SCRAPS])]
        odd = {word: chosen.choice(SCRAPS) for word in calls[name] if chosen.random() < 0.2}
        try:
            getattr(graph, name)(*positional, **odd)
        except LoreliteError:
            continue
        except Exception as error:
            raise AssertionError(f"{name} {positional!r:.80} {odd!r:.200} raised {type(error).__name__}") from error


def test_an_async_wiki_gives_a_graph_to_be_awaited():
    async def run() -> tuple[int, str]:
        async with await AsyncWiki.open(":memory:") as wiki:
            graph = await wiki.graph(NS, pipeline=pipeline())
            await graph.insert([{"id": "lock.txt", "text": TEXT}, "Another text."])
            pieces = [piece async for piece in await graph.stream("Who keeps Heron Lock?", search="naive")]
            return (await graph.stats()).documents, "".join(pieces)

    documents, answer = drive(run())
    assert documents == 2
    assert answer.startswith("Ada Marsh keeps Heron Lock.")


def test_after_all_vectors_were_made_anew_the_graph_takes_the_new_embedder(tmp_path):
    path = tmp_path / "brain.db"
    with Wiki.open(path, embedder=HashEmbedder(64)) as wiki:
        wiki.graph(NS).insert(TEXT)
    with Wiki.open(path, embedder=HashEmbedder(128)) as wiki:
        with pytest.raises(PipelineConfigMismatchError, match=r"embedding\.id"):
            wiki.graph(NS).insert("Another text.")
        wiki.run_reembed(NS)
        assert wiki.graph(NS).insert("Another text.").documents == 1
    with (
        Wiki.open(path, embedder=HashEmbedder(64)) as wiki,
        pytest.raises(PipelineConfigMismatchError, match=r"embedding\.dimension was 128 and is 64"),
    ):
        wiki.graph(NS).insert("A third text.")


@pytest.mark.cpython_only
def test_inserts_that_run_at_the_same_time_make_the_graph_that_one_after_the_other_makes():
    class Slow(ScriptedModel):
        """Lets other tasks go on before it answers."""

        blocking = False

        async def complete(self, requests):
            for _ in range(len(requests)):
                await asyncio.sleep(0)
            return await super().complete(requests)

    def named(request):
        names = [name for name in ("Ada Marsh", "Tom Weir", "Heron Lock", "Ben Hale") if name in request.user]
        records = [f'("entity"<|>{name}<|>person<|>{name}.)' for name in names]
        records += [f'("relationship"<|>{names[0]}<|>{name}<|>Near.<|>1)' for name in names[1:]]
        return "##".join(records) + "<|COMPLETE|>"

    report = '{"title": "T", "summary": "S", "rating": 1, "rating_explanation": "", "findings": []}'
    texts = [TEXT, "Ben Hale owns Heron Lock.", "Tom Weir knows Ben Hale. Ben Hale knows Tom Weir.", "Ada Marsh left."]

    async def run(*, at_once: bool) -> tuple[object, ...]:
        model = Slow({"extract_graph": named, "glean": "<|COMPLETE|>", "community_report": report})
        async with await AsyncWiki.open(":memory:", model=model) as wiki:
            graph = await wiki.graph(NS, pipeline=pipeline())
            inserts = [graph.insert({"id": f"{number}.txt", "text": text}) for number, text in enumerate(texts)]
            if at_once:
                await asyncio.gather(*inserts)
            else:
                for insert in inserts:
                    await insert
            [*entities] = sorted((each.name, each.description, each.degree) for each in await graph.entities())
            relations = sorted((each.source, each.target, each.weight) for each in await graph.relations())
            members = sorted(each.entity_ids for each in await graph.communities())
            return await graph.stats(), entities, relations, members

    assert asyncio.run(run(at_once=True)) == asyncio.run(run(at_once=False))


@pytest.mark.cpython_only
def test_a_graph_is_there_when_its_file_is_opened_again(tmp_path):
    with Wiki.open(tmp_path / "brain.db") as wiki:
        wiki.graph(NS, pipeline=pipeline()).insert(TEXT)
        before = wiki.graph(NS).stats()
    with Wiki.open(tmp_path / "brain.db", read_only=True) as wiki:
        assert wiki.graph(NS).stats() == before
        assert wiki.graph(NS).query("Who keeps Heron Lock?", search="local_community").answered
