"""`wiki.evaluate` on a small wiki: what is asked, what is found, what it costs."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from tests.conftest import HASH_A, NS

from lorelite import AsyncWiki, InvalidOption, NotFound, Progress, WikiConfig
from lorelite._drive import drive
from lorelite.evaluation import Question, ask_all, load_dataset, take_in
from lorelite.evaluation.dataset import Dataset, Part, Passage
from lorelite.evaluation.run import evaluate
from lorelite.models import HashEmbedder
from lorelite.retrieve.choice import best_search

PAGES = {
    "gauge.md": "# Tide gauge\n\nOlga reads the tide gauge every morning.",
    "olga.md": "# Olga\n\nOlga lives in the old mill.",
    "mill.md": "# Mill\n\nThe old mill stands by the weir.",
    "boats.md": "# Boats\n\nThe ferry leaves at noon.",
}


@pytest.fixture
def filled(wiki):
    for ref, text in PAGES.items():
        wiki.ingest_document(NS, source_ref=ref, text=text)
    return wiki


def test_the_places_of_the_evidence_are_those_of_read(filled):
    query = "Who lives in the old mill?"
    found = filled.evaluate(NS, [{"question": query, "gold": ["olga.md", "mill.md", "boats.md"]}], strategy="read")
    [outcome] = found.outcomes
    read = [node.source_ref for node in filled.read(NS, query, kinds=("chunk", "fact")).facts]
    assert outcome.found == tuple(dict.fromkeys(read))
    assert outcome.ranks == (1, 2, None)
    assert (found.recall[1], found.recall[2], found.recall[10]) == pytest.approx((1 / 3, 2 / 3, 2 / 3))
    assert (found.name, found.strategy, found.embedder, found.unknown) == (NS, "read", "", ())


def test_gold_may_be_nodes(wiki):
    nodes = [{"id": name, "title": name, "body": f"all about {name}"} for name in ("tides", "boats")]
    wiki.upsert_graph(NS, source_ref="graph", source_hash=HASH_A, nodes=nodes, edges=[])
    asked = [{"question": "boats", "gold": ["boats"]}, {"question": "boats", "gold": ["graph"]}]
    by_node, by_source = wiki.evaluate(NS, asked, kinds=("entity", "fact")).outcomes
    assert (by_node.found, by_node.ranks) == (("boats",), (1,))
    assert (by_source.found, by_source.ranks) == (("graph",), (1,))


def test_a_document_of_many_nodes_takes_one_place(wiki):
    long = "\n\n".join(f"The gauge was read on day {day}. " * 30 for day in range(40))
    wiki.ingest_document(NS, source_ref="log.md", text=long, chunk_chars=400)
    for number in range(3):
        wiki.ingest_document(NS, source_ref=f"other {number}", text=f"A gauge, number {number}, and much else besides.")
    [outcome] = wiki.evaluate(NS, [{"question": "gauge day", "gold": ["other 1"]}], at=(4,)).outcomes
    assert sorted(outcome.found) == ["log.md", "other 0", "other 1", "other 2"]


def test_keyword_asks_no_embedder_and_read_does(open_wiki):
    calls = []

    class Counting(HashEmbedder):
        async def embed(self, texts):
            calls.append(len(texts))
            return await super().embed(texts)

    wiki = open_wiki(embedder=Counting())
    wiki.ingest_document(NS, source_ref="olga.md", text=PAGES["olga.md"])
    asked = [{"question": "Where does Olga live?", "gold": ["olga.md"]}]
    calls.clear()
    by_words = wiki.evaluate(NS, asked, strategy="keyword")
    assert not calls
    by_both = wiki.evaluate(NS, asked, strategy="read")
    assert calls == [1]
    assert by_words.embedder == by_both.embedder == HashEmbedder().model_id
    assert by_both.label == f"read, {HashEmbedder().model_id}"


def test_pagerank_finds_what_the_hits_lead_to(filled):
    asked = [{"question": "Where does the reader of the tide gauge live?", "gold": ["gauge.md", "olga.md"]}]
    found = filled.evaluate(NS, asked, strategy="pagerank")
    bundle = filled.pagerank_search(NS, asked[0]["question"], kinds=("chunk", "fact"))
    assert found.outcomes[0].found[:2] == tuple(dict.fromkeys(node.source_ref for node in bundle.facts))[:2]
    assert found.all_gold[2] == 1.0


def test_auto_walks_where_passages_name_one_another(wiki):
    wiki.ingest_document(NS, source_ref="gauge.md", text="# Tide gauge\n\nEvery morning [[Olga]] reads the tide gauge.")
    wiki.ingest_document(NS, source_ref="olga.md", text="# Olga\n\nShe lives in the old mill.")
    asked = [{"question": "Who reads the tide gauge?", "gold": ["olga.md"]}]
    assert best_search(wiki._wiki._engine, NS) == "pagerank"
    found = {name: wiki.evaluate(NS, asked, strategy=name).recall[2] for name in ("auto", "pagerank", "read")}
    assert found == {"auto": 1.0, "pagerank": 1.0, "read": 0.0}


def test_auto_reads_where_they_do_not(wiki):
    wiki.ingest_document(NS, source_ref="a", text="Every morning Olga Berg reads the tide gauge at Port Elliot.")
    wiki.ingest_document(NS, source_ref="b", text="The ferry to Port Elliot was painted by Olga Berg.")
    wiki.write(NS, title="The tide gauge is read at noon")
    assert best_search(wiki._wiki._engine, NS) == "read"
    assert best_search(wiki._wiki._engine, "nowhere") == "read"


def test_latency_is_what_the_clock_says_of_each_retrieval(filled):
    ticks = itertools.accumulate([0, 0.001, 1, 0.005, 1, 0.002])
    questions = [Question(id=str(n), text="old mill", gold=(("mill.md",),)) for n in range(3)]
    found = drive(
        evaluate(
            filled._wiki._engine, NS, questions, strategy="keyword", at=(1,), kinds=("chunk",), timer=ticks.__next__
        )
    )
    assert [outcome.latency_ms for outcome in found.outcomes] == pytest.approx([1, 5, 2])
    assert (found.latency_ms.median, found.latency_ms.p95) == pytest.approx((2, 5))


def test_nothing_is_written_not_even_how_often_a_node_was_read(disk_wiki, tmp_path):
    disk_wiki.ingest_document(NS, source_ref="olga.md", text=PAGES["olga.md"])
    db = disk_wiki._wiki._engine.store.db
    before = list(db.rows("select * from node order by key")), db.value("pragma data_version")
    disk_wiki.evaluate(NS, [{"question": "Olga mill", "gold": ["olga.md"]}])
    disk_wiki.flush()
    assert list(db.rows("select * from node order by key")) == before[0]
    assert all(node.access_count == 0 for node in disk_wiki.read(NS, "").facts)


def test_a_file_opened_for_reading_can_be_evaluated(open_wiki, tmp_path):
    path = tmp_path / "brain.db"
    wiki = open_wiki(path)
    wiki.ingest_document(NS, source_ref="olga.md", text=PAGES["olga.md"])
    wiki.close()
    reading = open_wiki(path, read_only=True)
    assert reading.evaluate(NS, [{"question": "Olga", "gold": ["olga.md"]}]).mrr == 1.0


def test_gold_that_is_nowhere_is_told_and_counts_as_not_found(filled):
    found = filled.evaluate(NS, [{"question": "old mill", "gold": ["mill.md", "gone.md"]}])
    assert found.unknown == ("gone.md",)
    assert found.recall[10] == 0.5


def test_gold_of_a_forgotten_document_is_nowhere(filled):
    filled.forget(NS, source_ref="mill.md")
    asked = [{"question": "old mill", "gold": ["mill.md"]}, {"question": "mill", "gold": ["olga.md"]}]
    assert filled.evaluate(NS, asked).unknown == ("mill.md",)


def test_when_none_of_the_gold_is_there_the_call_is_refused(filled):
    with pytest.raises(InvalidOption, match=r"questions, gold: expected source_refs or node ids of namespace 'class'"):
        filled.evaluate(NS, [{"question": "old mill", "gold": ["a.md", "b.md"]}])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"strategy": "best"}, "strategy: expected one of 'auto', 'read', 'keyword', 'pagerank'"),
        ({"at": (0,)}, "at"),
        ({"at": ()}, "at"),
        ({"at": 5}, "at"),
        ({"kinds": ("page",)}, "kinds: expected one of"),
        ({"on_progress": 3}, "on_progress"),
    ],
)
def test_bad_options_are_named(filled, options, told):
    with pytest.raises(InvalidOption) as refused:
        filled.evaluate(NS, [{"question": "old mill", "gold": ["mill.md"]}], **options)
    assert str(refused.value).startswith(told)


def test_a_namespace_that_is_not_there_is_told(filled):
    with pytest.raises(NotFound):
        filled.evaluate("nowhere", [{"question": "old mill", "gold": ["mill.md"]}])


def test_progress_is_told_question_by_question(filled):
    told = []
    asked = [{"question": text, "gold": ["mill.md"]} for text in ("mill", "weir")]
    filled.evaluate(NS, asked, on_progress=told.append)
    assert told == [Progress("questions", 1, 2), Progress("questions", 2, 2)]


@pytest.mark.cpython_only
def test_the_awaited_face_gives_the_same(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"question": "old mill", "gold": ["olga.md"]}', "utf-8")

    async def run():
        async with await AsyncWiki.open(":memory:", config=WikiConfig()) as wiki:
            await wiki.ingest_document(NS, source_ref="olga.md", text=PAGES["olga.md"])
            return await wiki.evaluate(NS, tmp_path / "q.jsonl")

    assert asyncio.run(run()).outcomes[0].ranks == (1,)


def benchmark() -> Dataset:
    """Two conversations, with turns of the same words in each."""

    def part(name: str, said: str) -> Part:
        passages = [
            Passage(source_ref=f"D1:{n}", title="Ann", body=text) for n, text in enumerate(("Hi!", "Hi!", said), 1)
        ]
        question = Question(id=f"{name}/1", text=f"Who mentions {said}?", gold=(("D1:3",),))
        return Part(namespace=name, passages=tuple(passages), questions=(question,))

    return Dataset(name="talk", parts=(part("one", "lighthouses"), part("two", "windmills")))


def test_a_benchmark_is_taken_in_whole_and_asked_part_by_part(wiki):
    told = []
    seconds = take_in(wiki, benchmark(), on_progress=told.append, timer=iter((10.0, 12.5)).__next__)
    assert (seconds, told[-1]) == (2.5, Progress("passages", 6, 6))
    assert [info.source_ref for info in wiki.list_source_refs("one")] == ["D1:1", "D1:2", "D1:3"]
    found = ask_all(wiki, benchmark(), strategy="keyword", at=(1, 3))
    assert (found.name, found.at, [outcome.id for outcome in found.outcomes]) == ("talk", (1, 3), ["one/1", "two/1"])
    assert found.recall[1] == 1.0


def test_a_benchmark_without_questions_is_refused(wiki):
    with pytest.raises(InvalidOption, match="at least one question"):
        ask_all(wiki, Dataset(name="none", parts=()))


def test_what_load_dataset_reads_can_be_asked(wiki, tmp_path):
    (tmp_path / "2wiki_corpus.json").write_text('{"Olga": ["Olga lives", "in Bath."], "Bath": "A city."}', "utf-8")
    (tmp_path / "2wiki.json").write_text('[{"question": "Where does Olga live?", "ground_truth": ["Olga"]}]', "utf-8")
    dataset = load_dataset("2wiki", tmp_path)
    take_in(wiki, dataset)
    assert ask_all(wiki, dataset, strategy="keyword").outcomes[0].ranks == (1,)
