"""The call ledger: what is recorded, when it answers, and what it never holds."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap

import pytest

from lorelite import (
    CallNotRecorded,
    DumpError,
    IngestFailed,
    InvalidOption,
    ModelError,
    ModelRefused,
    NotFound,
    Usage,
    Wiki,
    WikiConfig,
    chunk_entity_generation,
)
from lorelite._drive import drive
from lorelite.models import CallableEmbedder, ScriptedModel
from lorelite.ports import ModelRequest

NS = "class"
TEXT = "\n\n".join(
    f"Ada{n} met Bob{n} at lock {n}. They talked about gate {n} and the eels of pond {n}." for n in range(60)
)
CONFIG = WikiConfig(chunk_chars=200, chunk_overlap=0, model_batch=4)
KEY = "sk-very-secret-0123456789"


def extracted(request) -> str:
    names = sorted({word for word in request.user.replace(".", " ").split() if word[:3] in ("Ada", "Bob")})
    return json.dumps(
        {
            "entities": [{"name": name, "type": "person", "description": f"{name} is there."} for name in names],
            "relations": [{"source": names[0], "target": names[-1], "type": "met"}] if len(names) > 1 else [],
            "facts": [],
        }
    )


def scripted(*, name: str = "scripted", **more) -> ScriptedModel:
    return ScriptedModel({"extract": extracted, **more}, name=name)


def ingest(wiki, text=TEXT, ref="book.txt"):
    return wiki.ingest_document(NS, source_ref=ref, text=text)


class Interrupted(BaseException):
    pass


class Flaky(ScriptedModel):
    """Counts what is paid, and is cut off at one call."""

    def __init__(self, paid: list[str], stop_at: int | None) -> None:
        super().__init__({"extract": self.reply})
        self.paid, self.stop_at = paid, stop_at

    def reply(self, request) -> str:
        if self.stop_at is not None and len(self.paid) >= self.stop_at:
            raise Interrupted
        self.paid.append(request.user)
        return extracted(request)


def test_an_ingest_that_is_interrupted_twenty_times_pays_no_call_twice(tmp_path, open_wiki, picture):
    whole = open_wiki(model=scripted(), config=CONFIG)
    chunks = ingest(whole).chunks
    stops = sorted(random.Random(6).sample(range(1, chunks), 20))
    paid: list[str] = []
    for stop in (*stops, None):
        with Wiki.open(tmp_path / "brain.db", model=Flaky(paid, stop), config=CONFIG) as wiki:
            if stop is None:
                ingest(wiki)
                assert picture(wiki) == picture(whole)
            else:
                with pytest.raises(Interrupted):
                    ingest(wiki)
    assert len(paid) == len(set(paid)) == chunks


def test_a_pipeline_that_is_interrupted_pays_no_call_twice(tmp_path):
    paid: list[str] = []

    class Stopping(ScriptedModel):
        def __init__(self, stop: int) -> None:
            super().__init__(dict.fromkeys(("extract_graph", "summarise_entity"), self.reply))
            self.stop = stop

        def reply(self, request) -> str:
            if len(paid) >= self.stop:
                raise Interrupted
            paid.append(request.purpose + request.user)
            return json.dumps({"entities": [{"name": "Ada", "type": "person", "description": "There."}]})

    for stop in (3, 7, 8, 15, 10_000):
        with Wiki.open(tmp_path / "brain.db", model=Stopping(stop), config=CONFIG) as wiki:
            graph = wiki.graph(NS, pipeline=[chunk_entity_generation()], chunking={"size": 40, "overlap": 0})
            try:
                graph.insert({"id": "d", "content": TEXT[:3_000]})
            except Interrupted:
                continue
            assert graph.stats().entities
    assert len(paid) == len(set(paid)) > 15


@pytest.mark.cpython_only
def test_a_process_that_is_killed_pays_no_call_twice(tmp_path):
    code = textwrap.dedent(
        """
        import os, signal, sys
        from tests.models.test_ledger import CONFIG, Flaky, extracted, ingest
        from lorelite import Wiki
        class Dying(Flaky):
            def reply(self, request):
                if len(self.paid) == self.stop_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                self.paid.append(request.user)
                with open(sys.argv[2], "a") as log:
                    log.write(repr(request.user) + "\\n")
                return extracted(request)
        with Wiki.open(sys.argv[1], model=Dying([], int(sys.argv[3])), config=CONFIG) as wiki:
            print(ingest(wiki).status)
        """
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for stop in (6, 5, 1, 3, 10_000):
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "brain.db"), str(tmp_path / "paid"), str(stop)],
            capture_output=True, text=True, cwd=root, check=False,
        )  # fmt: skip
        assert done.returncode == (0 if stop == 10_000 else -signal.SIGKILL), done.stderr
    paid = (tmp_path / "paid").read_text().splitlines()
    assert done.stdout == "ingested\n" and len(paid) == len(set(paid)) > 15


def test_what_is_recorded_answers_at_no_cost_and_is_counted(open_wiki):
    model = scripted()
    wiki = open_wiki(model=model, config=CONFIG)
    first = ingest(wiki, TEXT[:600])
    wiki.graph(NS)
    wiki._wiki._engine.store.documents.delete(wiki._wiki._engine.store.documents.versions(NS, "book.txt")[0].id)
    asked = len(model.requests)
    again = ingest(wiki, TEXT[:600])
    assert len(model.requests) == asked == first.usage.calls
    assert again.usage == Usage(reused=asked)
    assert wiki.call_summary(NS).total.reused == asked
    assert first.usage.input_tokens > 0


def test_replay_only_needs_no_model_and_names_the_nearest_call(open_wiki):
    taught = open_wiki(model=scripted(), config=CONFIG)
    ingest(taught, TEXT[:600])
    lesson = taught.export_calls()
    only = CONFIG.model_copy(update={"replay": "only"})
    pupil = open_wiki(config=only)
    assert pupil.import_calls(lesson).calls == taught.call_summary().total.calls
    assert ingest(pupil, TEXT[:600]).status == "ingested"
    assert pupil.import_calls(lesson).known == taught.call_summary().total.calls
    with pytest.raises(CallNotRecorded, match=r"the nearest is call \d+ .*the user text differs"):
        ingest(pupil, "Ada7 met Bob8 at the mill.", "other.txt")


def test_the_same_calls_give_the_same_bytes_in_any_file(open_wiki):
    one, other = open_wiki(model=scripted(), config=CONFIG), open_wiki()
    ingest(one, TEXT[:900])
    other.import_calls(one.export_calls())
    assert other.export_calls() == one.export_calls()
    with pytest.raises(DumpError, match="line"):
        other.import_calls(one.export_calls()[:-200])
    with pytest.raises(DumpError):
        other.import_calls(one.export_calls().replace(b"Ada1", b"Eve1", 1))


def test_no_key_and_no_message_of_an_error_is_in_the_file(tmp_path):
    def refuses(request):
        return ModelRefused(f"https://x/?key={KEY}", 401, f"Incorrect API key: {KEY}", cause="key")

    with Wiki.open(tmp_path / "brain.db", model=ScriptedModel({"extract": refuses})) as wiki:
        with pytest.raises(ModelError):
            ingest(wiki, "Ada knows Bob.")
        [call] = wiki.list_calls(NS, status="error")
        assert (call.error, call.reply) == ("ModelRefused key 401", "")
    with Wiki.open(tmp_path / "brain.db", model=scripted()) as wiki:
        assert ingest(wiki, "Ada knows Bob.").usage.calls == 1
        data = wiki.export_file()
    assert KEY.encode() not in data and KEY.encode() not in (tmp_path / "brain.db").read_bytes()


def test_equal_requests_of_one_batch_are_sent_once_and_off_sends_all(open_wiki):
    from lorelite._drive import drive
    from lorelite.ports import ModelRequest

    for replay, sent in (("auto", 1), ("off", 3)):
        model = ScriptedModel({"answer": "yes"})
        wiki = open_wiki(model=model, config=WikiConfig(replay=replay))
        request = ModelRequest(system="s", user="u", purpose="answer")
        replies = drive(wiki._wiki._engine.complete(NS, [request] * 3))
        assert [reply.text for reply in replies] == ["yes"] * 3
        assert len(model.requests) == sent == len(wiki.list_calls())
        drive(wiki._wiki._engine.complete(NS, [request]))
        assert len(model.requests) == (1 if replay == "auto" else 4)


def test_a_reply_that_could_not_be_read_answers_nothing(open_wiki):
    replies = ["no idea"] * 2
    wiki = open_wiki(model=ScriptedModel({"extract": lambda request: replies.pop() if replies else extracted(request)}))
    with pytest.raises(IngestFailed):
        ingest(wiki, "Ada1 met Bob1.")
    assert [call.status for call in wiki.list_calls(NS)] == ["none", "none"]
    assert ingest(wiki, "Ada1 met Bob1.").status == "ingested"


def test_forgetting_a_document_takes_its_calls_and_those_that_name_none(open_wiki):
    answer = json.dumps({"answered": False, "sentences": []})
    wiki = open_wiki(model=scripted(answer=answer))
    for ref in ("a.txt", "b.txt"):
        ingest(wiki, f"Ada1 met Bob1 in {ref}.", ref)
    wiki.ask(NS, "Whom did Ada1 meet?")
    wiki.import_calls(wiki.export_calls(), namespace="other")
    assert sorted(call.source_ref for call in wiki.list_calls(NS)) == ["", "a.txt", "b.txt"]
    assert wiki.forget(NS, source_ref="a.txt").calls == 2
    assert [call.source_ref for call in wiki.list_calls(NS)] == ["b.txt"]
    assert wiki.forget(NS, clear_all=True).calls == 1
    assert wiki.list_calls(NS) == [] and len(wiki.list_calls("other")) == 3
    assert wiki.clear_calls(None) == 3
    assert wiki._wiki._engine.store.db.value("select count(*) from call_frame") == 0


def test_a_call_that_another_namespace_repeats_is_kept_for_both(open_wiki):
    model = scripted()
    wiki = open_wiki(model=model)
    ingest(wiki, "Ada1 met Bob1.")
    wiki.ingest_document("other", source_ref="book.txt", text="Ada1 met Bob1.")
    assert len(model.requests) == 1
    assert wiki.call_summary().total.calls == 1 and wiki.call_summary().total.reused == 1
    wiki.forget(NS, clear_all=True)
    assert [call.is_copy for call in wiki.list_calls("other")] == [True]


def test_two_models_are_compared_over_the_same_prompts(open_wiki, tmp_path):
    path = tmp_path / "brain.db"
    for name, says in (("a", "There."), ("b", "Gone.")):

        def reply(request, says=says):
            return json.dumps({"entities": [{"name": "Ada", "description": says}, {"name": "Bob"}]})

        with Wiki.open(path, model=ScriptedModel({"extract": reply}, name=name)) as wiki:
            wiki.ingest_document(f"with {name}", source_ref="x", text="Ada knows Bob.")
    with Wiki.open(path, read_only=True) as wiki:
        diff = wiki.diff_calls("a", "b")
        [found] = diff.differences
        assert found.only_first == ('entities: {"description": "There.", "name": "Ada"}',)
        assert found.only_second == ('entities: {"description": "Gone.", "name": "Ada"}',)
        assert (diff.same, diff.only_a, diff.only_b, diff.total_a.calls) == (0, 0, 0, 1)
        with pytest.raises(InvalidOption):
            wiki.diff_calls("a", "a")
        with pytest.raises(NotFound):
            wiki.get_call(99)


def test_a_question_is_embedded_once_and_again_without_the_endpoint(open_wiki, tmp_path):
    asked: list[str] = []

    def embed(texts):
        asked.extend(texts)
        return [[float(len(text)), 1.0] for text in texts]

    path = tmp_path / "brain.db"
    with Wiki.open(path, embedder=CallableEmbedder(embed, "paid")) as wiki:
        wiki.write(NS, title="Eels", body="sleep by day")
        first = wiki.read(NS, "eels", hybrid_weight=1)
        count = len(asked)
        assert wiki.read(NS, "eels", hybrid_weight=1).fact_scores == first.fact_scores
        assert len(asked) == count
    with Wiki.open(path, config=WikiConfig(replay="only")) as wiki:
        assert wiki.read(NS, "eels", hybrid_weight=1).fact_scores == first.fact_scores
        with pytest.raises(CallNotRecorded):
            wiki.read(NS, "otters", hybrid_weight=1)


def test_a_file_open_for_reading_answers_and_records_nothing(tmp_path):
    path = tmp_path / "brain.db"
    answer = json.dumps({"answered": False, "sentences": []})
    with Wiki.open(path, model=scripted(answer=answer)) as wiki:
        ingest(wiki, "Ada1 met Bob1.")
        wiki.ask(NS, "Whom did Ada1 meet?")
    model = scripted(answer=answer)
    with Wiki.open(path, model=model, read_only=True) as wiki:
        assert wiki.ask(NS, "Whom did Ada1 meet?").usage == Usage(reused=1)
        wiki.ask(NS, "Where was Bob1?")
        assert len(model.requests) == 1 and len(wiki.list_calls()) == 2


def test_dumps_and_copies_leave_calls_out_unless_asked(open_wiki, tmp_path):
    wiki = open_wiki(model=scripted())
    ingest(wiki, "Ada1 met Bob1.")
    assert "call" not in wiki.export_dump(NS).namespaces[NS].rows
    copy = open_wiki()
    copy.import_dump(wiki.export_dump(NS, calls=True))
    assert copy.export_calls() == wiki.export_calls()
    Wiki.import_file(tmp_path / "bare.db", wiki.export_file(calls=False))
    assert b"You read one passage" not in (tmp_path / "bare.db").read_bytes()
    with Wiki.open(tmp_path / "bare.db") as bare:
        assert bare.list_calls() == [] and bare.get_status(NS).entities == 2


def test_what_no_file_can_hold_is_recorded_without_it_and_answers_again(open_wiki):
    model = scripted(odd="re\0ply \ud800.", name="tiny \ud801")
    wiki = open_wiki(model=model)
    asked = wiki._wiki._engine.model
    schema = {"type\ud800": ["\0", {"a": "\udfff"}]}
    requests = [ModelRequest(system="s\0", user="u\ud800", schema=schema, purpose="odd", source_ref="r\ud801")]
    [first], [again] = (drive(asked.complete(requests)) for _ in range(2))
    assert first.text == again.text == "re\ufffdply \ufffd." and again.reused
    assert len(model.requests) == 1
    lesson = wiki.export_calls()
    pupil = open_wiki()
    assert pupil.import_calls(lesson).calls == 1 and pupil.export_calls() == lesson
    assert wiki.list_calls()[0].schema == {"type\ufffd": ["\ufffd", {"a": "\ufffd"}]}
