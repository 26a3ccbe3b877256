"""An unusable reply is asked for once more; a passage that is too much for one reply is asked about in halves."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lorelite import ContextOverflow, IngestFailed, Truncated, WikiConfig, chunk_entity_generation
from lorelite.models import ScriptedModel

NS = "class"
PEOPLE = [f"Person{number:02}" for number in range(24)]
TEXT = " ".join(f"{name} walked along the river bank with a lamp and a rope." for name in PEOPLE)
WHOLE = WikiConfig(chunk_chars=4_000, chunk_overlap=0)


def named(request):
    return [name for name in PEOPLE if name in request.user]


def extracted(request):
    found = [{"name": name, "type": "person", "description": f"{name} walked."} for name in named(request)]
    return json.dumps({"entities": found, "relations": [], "facts": []})


def tuples(request):
    return "##".join(f'("entity"<|>{name}<|>person<|>{name} walked.)' for name in named(request)) + "<|COMPLETE|>"


def cut(request):
    return Truncated("a whole reply", "{")


def too_long(request):
    return ContextOverflow("http://localhost", 400, "context length")


class Model(ScriptedModel):
    """Fails as *fails* says while a request names more people than *most*."""

    def __init__(self, most=100, fails=cut):
        def reply(request):
            if len(named(request)) > most:
                return fails(request)
            return extracted(request) if request.purpose == "extract" else tuples(request)

        super().__init__({"extract": reply, "extract_graph": reply})


def entities(wiki):
    return sorted(entity.name for entity in wiki.graph(NS).entities())


def spans(wiki, name):
    [entity] = [each for each in wiki.read(NS, name, kinds=["entity"]).facts if each.title == name]
    return [TEXT[cited.start : cited.end] for cited in entity.citations]


def by_ingest(wiki):
    return wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)


def by_graph(wiki):
    pipeline = [chunk_entity_generation(max_gleanings=0)]
    return wiki.graph(NS, pipeline=pipeline, chunking={"size": 2_000}).insert(
        [{"id": "a.txt", "content": TEXT}], on_error="skip"
    )


ways = pytest.mark.parametrize("way", [by_ingest, by_graph])


@ways
@pytest.mark.parametrize("fails", [cut, too_long])
def test_what_is_too_much_is_asked_about_in_halves_and_found_whole(open_wiki, way, fails):
    model = Model(7, fails)
    wiki = open_wiki(model=model, config=WHOLE)
    way(wiki)
    assert entities(wiki) == PEOPLE
    assert [len(named(request)) for request in model.requests] == [24, 12, 12, 6, 6, 6, 6]
    assert all(request.source_ref == "a.txt" for request in model.requests)
    assert spans(wiki, "Person17") == ["Person17"]


@ways
def test_what_is_too_much_even_in_small_parts_fails_whole(open_wiki, way):
    wiki = open_wiki(model=Model(2), config=WHOLE)
    if way is by_ingest:
        with pytest.raises(IngestFailed, match="whole reply"):
            way(wiki)
    else:
        [failure] = way(wiki).failures
        assert "whole reply" in failure.reason
    assert entities(wiki) == [], "nothing is stored by halves"


@ways
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_with_what_was_wrong(open_wiki, way):
    good = {by_ingest: extracted, by_graph: tuples}[way]
    replies = ["I am sorry.", None]
    model = ScriptedModel(dict.fromkeys(("extract", "extract_graph"), lambda request: replies.pop(0) or good(request)))
    wiki = open_wiki(model=model, config=WHOLE)
    report = way(wiki)
    assert entities(wiki) == PEOPLE
    assert report.usage.calls == 2
    first, second = model.requests
    assert second.user == first.user
    assert "could not be used: expected" in second.system and "sorry" not in second.system
    assert [call.status for call in wiki.list_calls(NS)] == ["ok", "none"], "the newest first"


@ways
def test_a_reply_that_still_cannot_be_used_is_given_up(open_wiki, way):
    model = ScriptedModel(dict.fromkeys(("extract", "extract_graph"), "I am sorry."))
    wiki = open_wiki(model=model, config=WHOLE)
    if way is by_ingest:
        with pytest.raises(IngestFailed):
            way(wiki)
    else:
        assert len(way(wiki).failures) == 1
    assert len(model.requests) == 2
    assert [call.status for call in wiki.list_calls(NS)] == ["none", "none"]


def test_a_reply_that_is_sound_and_says_nothing_is_not_asked_for_again(open_wiki):
    model = ScriptedModel({"extract": json.dumps({"sorry": "nothing here"})})
    with pytest.raises(IngestFailed):
        by_ingest(open_wiki(model=model, config=WHOLE))
    assert len(model.requests) == 1


def test_ask_again_can_be_switched_off(open_wiki):
    model = ScriptedModel({"extract": "I am sorry."})
    with pytest.raises(IngestFailed):
        by_ingest(open_wiki(model=model, config=WikiConfig(ask_again=False)))
    assert len(model.requests) == 1


class CutWithoutAnError(Model):
    """Says that a reply was cut, and gives what there is of it: so do models of a page, and any of a caller's."""

    def _answer(self, request):
        reply = super()._answer(request)
        is_cut = len(named(request)) > 7
        return replace(reply, text=reply.text[:400], finish="length") if is_cut else reply


@ways
def test_a_reply_that_any_model_calls_cut_is_never_stored_half(open_wiki, way):
    wiki = open_wiki(model=CutWithoutAnError(), config=WHOLE)
    way(wiki)
    assert entities(wiki) == PEOPLE


def test_an_answer_that_cannot_be_read_is_asked_for_once_more(open_wiki):
    sentence = '{"text": "He did.", "citations": [{"source": 1, "quote": "Person01 walked"}]}'
    replies = ["", f'{{"answered": true, "sentences": [{sentence}]}}']
    wiki = open_wiki(
        model=ScriptedModel({"extract": extracted, "answer": lambda request: replies.pop(0)}), config=WHOLE
    )
    by_ingest(wiki)
    assert wiki.ask(NS, "Who walked along the river bank?").text == "He did."
