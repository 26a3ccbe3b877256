"""Models and embedders that fail while a document is taken in: nothing is lost, and the next call goes on."""

from __future__ import annotations

import pytest
from lock_samples import BOOK, NS, SMALL, TEXT, edges
from scripted_reader import reader, reply_to

from lorelite import BadReply, Hooks, LoreliteError, ModelError, ModelUnreachable
from lorelite.models import HashEmbedder, ScriptedModel


class Flaky:
    """Gives the reader's replies, except for passages that hold one of the bad words."""

    def __init__(self, **bad: object) -> None:
        self.bad = bad

    def __call__(self, request):
        for word, reply in self.bad.items():
            if f"Part {word[1:]}." in request.user:
                return reply
        return reply_to(request)


@pytest.mark.parametrize("bad", [ModelError("overloaded"), BadReply("JSON", "sorry"), "I am sorry, I cannot.", "", "{"])
def test_a_chunk_that_fails_is_named_and_tried_again_by_the_next_call(open_wiki, picture, clock, bad):
    flaky = Flaky(p3=bad)
    wiki = open_wiki(model=ScriptedModel({"extract": flaky}), config=SMALL)
    report = wiki.ingest_document(NS, source_ref="a", text=TEXT)
    assert report.status == "partial"
    [failure] = report.failures
    assert "Part 3." in TEXT[failure.start : failure.end] and failure.reason
    assert wiki.list_source_refs(NS)[0].status == "partial"
    flaky.bad = {}
    clock.tick()
    again = wiki.ingest_document(NS, source_ref="a", text=TEXT)
    assert (again.status, again.resumed, again.failures) == ("ingested", report.chunks - 1, ())
    assert again.usage.calls == 1
    undisturbed = open_wiki(model=reader(), config=SMALL)
    undisturbed.ingest_document(NS, source_ref="a", text=TEXT)
    assert picture(wiki) == picture(undisturbed)


def test_a_model_that_cannot_be_reached_raises_and_the_next_call_goes_on_where_it_stopped(open_wiki, picture, clock):
    gone = ModelUnreachable("http://localhost:1/v1", "connection refused")
    flaky = Flaky(p4=gone, p5=gone, p6=gone, p7=gone)
    model = ScriptedModel({"extract": flaky})
    wiki = open_wiki(model=model, config=SMALL)
    wiki.write(NS, title="earlier")
    for _ in range(2):
        with pytest.raises(ModelUnreachable, match="check that it runs"):
            wiki.ingest_document(NS, source_ref="a", text=TEXT)
    assert wiki.read(NS, "river eels", kinds=["chunk"]).facts, "chunks can be searched meanwhile"
    flaky.bad = {}
    report = wiki.ingest_document(NS, source_ref="a", text=TEXT)
    assert report.status == "ingested" and report.resumed > 0
    wiki.forget(NS, node_id=wiki.read(NS, "earlier").facts[0].id)
    undisturbed = open_wiki(model=reader(), config=SMALL)
    undisturbed.ingest_document(NS, source_ref="a", text=TEXT)
    assert picture(wiki) == picture(undisturbed)


def test_while_a_new_version_fails_the_old_one_stands(open_wiki, clock):
    model = ScriptedModel({"extract": reply_to})
    wiki = open_wiki(model=model, config=SMALL)
    wiki.ingest_document(NS, source_ref="a", text="Ada knows Bob.")
    clock.tick()
    model._script["extract"] = ModelUnreachable("http://x", "gone")
    with pytest.raises(ModelUnreachable):
        wiki.ingest_document(NS, source_ref="a", text="Ada owns Cid.")
    assert ("Ada", "knows", "Bob") in edges(wiki)
    model._script["extract"] = reply_to
    assert wiki.ingest_document(NS, source_ref="a", text="Ada owns Cid.").status == "ingested"
    assert edges(wiki, "knows") == set() and ("Ada", "owns", "Cid") in edges(wiki)
    assert wiki.get_document(NS, "a") == "Ada owns Cid."


def test_a_document_begun_with_a_model_can_be_finished_without_one_and_the_other_way_round(
    tmp_path, open_wiki, picture
):
    path = tmp_path / "brain.db"
    flaky = Flaky(p3=BadReply("JSON", "sorry"))
    wiki = open_wiki(path, model=ScriptedModel({"extract": flaky}), config=SMALL)
    assert wiki.ingest_document(NS, source_ref="a", text=TEXT).status == "partial"
    wiki.close()
    wiki = open_wiki(path, config=SMALL)
    assert wiki.ingest_document(NS, source_ref="a", text=TEXT).status == "ingested"
    alone = open_wiki(config=SMALL)
    alone.ingest_document(NS, source_ref="a", text=TEXT)
    assert picture(wiki) == picture(alone)
    wiki.close()
    wiki = open_wiki(path, model=reader(), config=SMALL)
    assert wiki.ingest_document(NS, source_ref="a", text=TEXT).status == "unchanged"


def test_a_resumed_document_with_another_text_under_the_same_hash_starts_anew(open_wiki, clock):
    flaky = Flaky(p3=BadReply("JSON", "sorry"))
    wiki = open_wiki(model=ScriptedModel({"extract": flaky}), config=SMALL)
    assert wiki.ingest_document(NS, source_ref="a", text=TEXT, source_hash="a" * 64).status == "partial"
    clock.tick()
    report = wiki.ingest_document(NS, source_ref="a", text="Cid owns Dan. " * 40, source_hash="a" * 64)
    assert (report.status, report.resumed) == ("ingested", 0)
    for node in wiki.read(NS, "Cid Dan", max_results=50).facts:
        assert all(
            citation.quote == ("Cid owns Dan. " * 40)[citation.start : citation.end] for citation in node.citations
        )
    assert edges(wiki, "knows") == set()


class Tripping(HashEmbedder):
    """An embedder that fails while `down`."""

    down = True

    async def embed(self, texts):
        if self.down:
            raise ModelUnreachable("http://embed", "gone")
        return await super().embed(texts)


def test_an_embedder_that_fails_after_the_commit_loses_nothing_and_catches_up(open_wiki, picture, clock):
    embedder = Tripping(64)
    told = []
    wiki = open_wiki(embedder=embedder, hooks=Hooks(on_diagnostic=told.append))
    assert wiki.ingest_document(NS, source_ref="a", text=BOOK).status == "ingested"
    assert {diagnostic.code for diagnostic in told} == {"embedding_failed"}
    assert wiki.list_source_refs(NS)[0].status == "complete"
    assert wiki.get_status(NS).vectors == 0
    before = picture(wiki)
    embedder.down = False
    clock.tick(10 * 60_000)
    assert wiki.ingest_document(NS, source_ref="a", text=BOOK).status == "unchanged"
    status = wiki.get_status(NS)
    assert status.vectors == status.chunks + status.facts + status.entities > 0
    assert picture(wiki) == before


@pytest.mark.parametrize(
    "vectors",
    [
        None,
        [],
        "vectors",
        [[1.0, 2.0]] * 500,
        [None],
        [["a", "b"]],
        [[float("nan"), 1.0]],
        [[]],
        [[10**400, 1]],
    ],
)
def test_an_embedder_that_gives_no_vectors_costs_the_vectors_and_says_so(open_wiki, vectors):
    class Broken(HashEmbedder):
        async def embed(self, texts):
            return vectors

    told = []
    wiki = open_wiki(embedder=Broken(8), hooks=Hooks(on_diagnostic=told.append))
    wiki.write(NS, title="kept")
    assert wiki.get_status(NS).facts == 1 and wiki.get_status(NS).vectors == 0
    assert [diagnostic.code for diagnostic in told] == ["embedding_failed"]


@pytest.mark.parametrize("replies", [None, [], "text", [None], ["text"], [1, 2, 3]])
def test_a_model_that_gives_no_replies_is_a_model_error(open_wiki, replies):
    class Broken(ScriptedModel):
        async def complete(self, requests):
            return replies

    wiki = open_wiki(model=Broken({}))
    with pytest.raises(ModelError, match="one ModelReply"):
        wiki.ingest_document(NS, source_ref="a", text="Ada knows Bob.")
    with pytest.raises(ModelError):
        wiki.ask(NS, "Whom does Ada know?")


def test_a_reply_error_that_is_no_model_error_becomes_one(open_wiki):
    wiki = open_wiki(model=ScriptedModel({"extract": KeyError("choices"), "answer": KeyError("choices")}))
    with pytest.raises(ModelError):
        wiki.ingest_document(NS, source_ref="a", text="Ada knows Bob.")
    with pytest.raises(LoreliteError):
        wiki.ask(NS, "Whom does Ada know?")


def test_a_change_that_is_taken_back_before_it_was_read_leaves_nothing(open_wiki, picture):
    flaky = Flaky()
    wiki = open_wiki(model=ScriptedModel({"extract": flaky}), config=SMALL.model_copy(update={"replay": "off"}))
    wiki.ingest_document(NS, source_ref="a", text=TEXT)
    before = picture(wiki)
    flaky.bad = {"p3": ModelError("overloaded")}
    assert wiki.ingest_document(NS, source_ref="a", text=TEXT + " A last word.").status == "partial"
    assert picture(wiki) != before
    report = wiki.ingest_document(NS, source_ref="a", text=TEXT)
    assert report.status == "unchanged" and report.replaced > 0
    assert picture(wiki) == before
    assert [source.status for source in wiki.list_source_refs(NS)] == ["complete"]
