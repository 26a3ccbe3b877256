"""What the replies of a model leave in the file: one fact a title, drafts for false quotes, nothing lost to silence."""

from __future__ import annotations

import json

import pytest

from lorelite import Hooks, IngestFailed, InvalidOption, ModelError, WikiConfig
from lorelite.models import ScriptedModel

NS = "class"
PARTS = "aaaa bbbb cccc"
"""Three chunks of six characters."""


def facts(*pairs, **more) -> str:
    return json.dumps({"facts": [{"title": title, "body": body, **more} for title, body in pairs]})


class Replies:
    """Replies in their order; the last one answers all that follow."""

    def __init__(self, *replies: object) -> None:
        self.replies = list(replies)
        self.calls = 0

    def __call__(self, request):
        self.calls += 1
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@pytest.fixture
def told():
    return []


@pytest.fixture
def wiki_with(open_wiki, told):
    def open_one(*replies, **config):
        script = Replies(*replies)
        wiki = open_wiki(
            model=ScriptedModel({"extract": script}),
            config=WikiConfig(**config),
            hooks=Hooks(on_diagnostic=told.append),
        )
        return wiki, script

    return open_one


def stated(wiki):
    return sorted((node.title, node.body) for node in wiki.get_memory_bundle(NS).facts if node.kind == "fact")


def ingest(wiki, text="doc", ref="d", **options):
    return wiki.ingest_document(NS, source_ref=ref, text=text, **options)


# -- one fact a title -----------------------------------------------------------------------------------------------


def test_of_two_facts_with_one_title_the_first_stays_and_the_other_is_told_of(wiki_with, told):
    """ingest-partial-and-empty"""
    wiki, _ = wiki_with(facts(("A", "a")), "garbage", facts(("C", "c"), (" a ", "dup")), "garbage again")
    report = ingest(wiki, PARTS, chunk_chars=6, chunk_overlap=0)
    assert stated(wiki) == [("A", "a"), ("C", "c")]
    assert (report.status, report.chunks, report.facts, report.facts_left_out) == ("partial", 3, 2, 1)
    assert [(failure.index, failure.cause) for failure in report.failures] == [(1, "reply")]
    assert [(each.code, each.detail.get("chunk"), each.detail.get("chunks")) for each in told] == [
        ("fact_deduplicated", 2, None),
        ("ingest_chunk_failed", None, [1]),
    ]
    assert all("dup" not in each.message + repr(each.detail) for each in told)


def test_the_same_fact_told_by_two_chunks_is_one_with_both_citations(wiki_with):
    wiki, _ = wiki_with(facts(("Eels", "Eels sleep by day"), quote="Eels sleep by day"))
    report = ingest(wiki, "Eels sleep by day. And again: Eels sleep by day.", chunk_chars=24, chunk_overlap=0)
    [fact] = wiki.read(NS, "eels", kinds=["fact"]).facts
    assert report.chunks > 1 and len(fact.citations) == 2 and report.facts_left_out == 0


def test_a_grounded_fact_takes_the_place_of_one_that_is_not(wiki_with, told):
    text = "The eels of the lock sleep by day. The otters of the lock sleep at night."
    wiki, _ = wiki_with(
        facts(("Sleep", "guess")),
        facts(("Sleep", "Otters sleep at night"), evidence=["otters of the lock sleep at night"]),
        grounding="draft",
    )
    report = ingest(wiki, text, chunk_chars=40, chunk_overlap=0)
    assert report.chunks == 2 and stated(wiki) == [("Sleep", "Otters sleep at night")]
    [fact] = wiki.read(NS, "otters", kinds=["fact"]).facts
    assert (fact.lifecycle, fact.trust_tier) == ("stable", "machine-confirmed")


def test_the_same_words_better_grounded_by_a_later_chunk_are_no_draft_any_more(wiki_with):
    text = "The eels of the lock sleep by day. The otters of the lock sleep at night."
    wiki, _ = wiki_with(
        facts(("Sleep", "Otters sleep at night")),
        facts(("Sleep", "Otters sleep at night"), evidence=["otters of the lock sleep at night"]),
        grounding="draft",
    )
    ingest(wiki, text, chunk_chars=40, chunk_overlap=0)
    [fact] = wiki.read(NS, "otters", kinds=["fact"]).facts
    assert (fact.lifecycle, [each.by for each in fact.verified]) == ("stable", ["process:grounding-check"])


def test_titles_of_other_documents_are_left_alone(wiki_with):
    wiki, _ = wiki_with(facts(("A", "one")), facts(("A", "two")))
    ingest(wiki, ref="x")
    ingest(wiki, "doc 2", ref="y")
    assert stated(wiki) == [("A", "one"), ("A", "two")]


def test_facts_found_without_a_model_may_share_a_title(open_wiki):
    wiki = open_wiki()
    ingest(wiki, json.dumps([{"name": "Ada", "note": "sings"}, {"name": "Ada", "note": "paints"}]))
    assert wiki.get_status(NS).documents[0].status == "complete"


# -- drafts ---------------------------------------------------------------------------------------------------------


def test_facts_whose_quotes_are_not_in_the_text_become_drafts(wiki_with, told):
    """grounding-draft-mode"""
    fox = "The quick brown fox jumps"
    false = "a quote that is not in the document at all"
    reply = {
        "facts": [
            {"title": "G", "body": "b", "evidence": ["The   quick brown fox jumps"]},
            {"title": "M", "body": "b"},
            {"title": "S", "body": "b", "evidence": ["short"]},
            {"title": "X", "body": "b", "evidence": [false]},
            {"title": "Mixed", "body": "b", "evidence": [fox, false]},
        ]
    }
    wiki, _ = wiki_with(json.dumps(reply), grounding="draft")
    report = ingest(wiki, f"{fox} over the lazy dog.")
    kept = {node.title: node for node in wiki.get_memory_bundle(NS).facts if node.kind == "fact"}
    assert {title: node.lifecycle for title, node in kept.items()} == {
        "G": "stable", "M": "draft", "S": "draft", "X": "draft", "Mixed": "draft",
    }  # fmt: skip
    assert [each.by for each in kept["G"].verified] == ["process:grounding-check"]
    assert not kept["X"].verified and report.drafts == 4
    assert [(each.code, each.detail["item"], each.detail["reason"]) for each in told] == [
        ("grounding_missing", 1, "no_evidence"),
        ("grounding_missing", 2, "evidence_too_short"),
        ("grounding_failed", 3, "quote_not_found"),
        ("grounding_failed", 4, "quote_not_found"),
    ]


def test_a_promoted_fact_that_goes_and_returns_with_its_document_is_promoted_still(wiki_with, clock):
    wiki, script = wiki_with(facts(("A", "a")), grounding="draft")
    ingest(wiki)
    [draft] = wiki.list_drafts(NS).drafts
    wiki.promote_draft(NS, node_id=draft.id, by="human:anna")
    script.replies = [facts(("B", "b")), facts(("A", "a"))]
    clock.tick()
    ingest(wiki, "doc, second edition")
    clock.tick()
    ingest(wiki)
    [fact] = wiki.read(NS, "A", kinds=["fact"]).facts
    assert (fact.title, fact.lifecycle, fact.trust_tier) == ("A", "stable", "human-reviewed")


@pytest.mark.parametrize("config", [{}, {"grounding": "off"}, {"grounding": "draft", "grounding_writers": ("heal",)}])
def test_nothing_is_checked_unless_asked_for(wiki_with, config):
    wiki, _ = wiki_with(facts(("A", "a"), quote="nobody said this anywhere"), **config)
    assert ingest(wiki).drafts == 0
    [fact] = [node for node in wiki.get_memory_bundle(NS).facts if node.kind == "fact"]
    assert (fact.lifecycle, fact.verified) == ("stable", ())


# -- silence --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("silence", ['{"facts": []}', "[]", '{"answer": "sorry"}', "{}"])
def test_an_empty_reply_takes_nothing_away(wiki_with, told, clock, picture, silence):
    """ingest-empty-facts-wipes-source"""
    wiki, script = wiki_with(facts(("A", "a")), silence)
    ingest(wiki)
    before = picture(wiki, NS)
    clock.tick()
    report = ingest(wiki, "doc, second edition")
    assert report.status == "empty" and [each.code for each in told] == ["ingest_empty"]
    assert picture(wiki, NS) == before and stated(wiki) == [("A", "a")]
    [pending] = wiki.pending_sources(NS, sources=[("d", report.source_hash)])
    assert pending.status == "changed"
    script.replies = [facts(("B", "b"))]
    clock.tick()
    assert ingest(wiki, "doc, second edition").status == "ingested" and stated(wiki) == [("B", "b")]


@pytest.mark.parametrize("silence", ['{"facts": []}', '{"answer": "sorry"}'])
def test_allow_empty_accepts_it(wiki_with, clock, silence):
    wiki, _ = wiki_with(facts(("A", "a")), silence)
    ingest(wiki)
    clock.tick()
    report = ingest(wiki, "doc, second edition", allow_empty=True)
    assert (report.status, report.replaced > 0) == ("ingested", True)
    assert stated(wiki) == [] and wiki.get_document(NS, "d") == "doc, second edition"


def test_a_document_that_says_nothing_from_the_start_is_complete(wiki_with):
    wiki, script = wiki_with('{"facts": []}')
    assert ingest(wiki).status == "ingested"
    assert ingest(wiki, "doc, second edition").status == "ingested"
    assert ingest(wiki, "doc, second edition").status == "unchanged" and script.calls == 2


def test_one_empty_chunk_among_others_is_no_silence(wiki_with):
    wiki, _ = wiki_with(facts(("A", "a")), facts(("B", "b")), '{"facts": []}', '{"facts": []}')
    ingest(wiki)
    assert ingest(wiki, PARTS, chunk_chars=6, chunk_overlap=0).status == "ingested"
    assert stated(wiki) == [("B", "b")]


# -- failure --------------------------------------------------------------------------------------------------------


def test_when_no_chunk_can_be_read_the_call_fails_and_names_them_and_the_next_one_asks_again(wiki_with, told, clock):
    """ingest-partial-and-empty"""
    wiki, script = wiki_with(facts(("A", "a")), "garbage", ModelError("rate limit"), "garbage")
    ingest(wiki)
    clock.tick()
    with pytest.raises(
        IngestFailed, match=r"'d'.*3 chunks.*chunk 0: .*rate limit.*call ingest_document again"
    ) as caught:
        ingest(wiki, PARTS, chunk_chars=6, chunk_overlap=0)
    failures = caught.value.data["failures"]
    assert [(each.index, each.cause) for each in failures] == [(0, "reply"), (1, "call"), (2, "reply")]
    assert told == [], "the error says it all"
    assert stated(wiki) == [("A", "a")] and wiki.get_document(NS, "d") == "doc"
    assert wiki.read(NS, "cccc", kinds=["chunk"]).facts, "the text can be searched meanwhile"
    script.replies = [facts(("B", "b"))]
    report = ingest(wiki, PARTS, chunk_chars=6, chunk_overlap=0)
    assert (report.status, report.resumed) == ("ingested", 0) and stated(wiki) == [("B", "b")]


@pytest.mark.parametrize("reply", ["", "I cannot.", '{"facts": [', '{"facts": [{"title": "..."}]}', "<think>hm"])
def test_a_reply_without_anything_usable_is_a_failure_not_an_empty_document(wiki_with, reply):
    wiki, _ = wiki_with(reply)
    with pytest.raises(IngestFailed):
        ingest(wiki)
    assert wiki.list_source_refs(NS)[0].status == "partial"


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"facts":[{"title":"A","body":"B"},]}', ("A", "B")),
        ('[{"title":"A","body":"B"}]', ("A", "B")),
        ('{"facts":{"title":"A","body":"B"}}', ("A", "B")),
        ('{"facts":[{"title":"A","body":"B","x":None}]}', ("A", "B")),
        ("{'facts':[{'title':'A','body':'B'}]}", ("A", "B")),
        ('{"facts":[{"title":"24" monitor","body":"ok"}]}', ('24" monitor', "ok")),
        ('{"facts":[{"title":"A","body":"line1\nline2\ttab"}]}', ("A", "line1\nline2\ttab")),
    ],
)
def test_what_a_reply_says_is_recovered(wiki_with, reply, found):
    """llmjson-trailing-comma, llmjson-top-level-array, llmjson-facts-not-array, llmjson-python-literals"""
    wiki, _ = wiki_with(reply)
    assert ingest(wiki).status == "ingested" and stated(wiki) == [found]


def test_facts_that_say_nothing_are_told_of(wiki_with, told):
    wiki, _ = wiki_with('{"facts": [{"title": "A", "body": "a"}, {"tags": ["x"]}, null]}')
    assert ingest(wiki).facts_left_out == 2
    assert [(each.code, each.detail["item"], each.detail["reason"]) for each in told] == [
        ("fact_rejected", 1, "missing_body"),
        ("fact_rejected", 2, "invalid_shape"),
    ]


# -- options --------------------------------------------------------------------------------------------------------


def test_a_call_may_cut_as_it_likes_and_the_settings_stay(open_wiki):
    wiki = open_wiki()
    text = "Eels sleep by day. Otters sleep at night. Herons wade at dawn. " * 20
    assert (
        ingest(wiki, text, ref="a", chunk_chars=200, chunk_overlap=0).chunks > ingest(wiki, text + "x", ref="b").chunks
    )
    assert ingest(wiki, text + "y", ref="c", chunk_chars=3).chunks > 100, "the overlap shrinks with the chunk"


@pytest.mark.parametrize(
    "options",
    [
        {"chunk_chars": 1},
        {"chunk_chars": 10**6},
        {"chunk_chars": 10, "chunk_overlap": 10},
        {"chunk_overlap": -1},
        {"allow_empty": 1},
        {"on_duplicate": "overwrite"},
    ],
)
def test_an_option_that_makes_no_sense_is_refused_by_name(wiki_with, options):
    wiki, script = wiki_with(facts(("A", "a")))
    with pytest.raises(InvalidOption, match=list(options)[-1]):
        ingest(wiki, **options)
    assert script.calls == 0


def test_duplicates_are_found_before_any_call(wiki_with):
    """ingest-duplicate-hash-modes"""
    wiki, script = wiki_with(facts(("A", "a")))
    ingest(wiki)
    assert ingest(wiki, ref="d2").duplicate_of == "d"
    again = ingest(wiki, on_duplicate="throw")
    assert (again.status, again.chunks, again.resumed) == ("unchanged", 1, 1)
    assert script.calls == 1
