import json

import pytest

from lorelite.errors import AsyncOnlyModel, ModelError
from lorelite.models import CallableModel, RecordedModel, ScriptedModel, request_key
from lorelite.ports import ChatModel, ModelRequest

EXTRACT = ModelRequest(system="s", user="u", purpose="extract")
ANSWER = ModelRequest(system="s", user="q", purpose="answer")


@pytest.mark.parametrize(
    "model", [ScriptedModel({}), RecordedModel(), CallableModel(lambda system, user: "")], ids=lambda m: m.name
)
def test_every_model_is_a_chat_model(model: ChatModel) -> None:
    assert isinstance(model, ChatModel)
    assert model.as_blocking().blocking


def test_a_script_answers_by_purpose_and_remembers_what_was_asked(run) -> None:
    model = ScriptedModel({"extract": ["one", ValueError("two")], "answer": lambda request: request.user.upper()})
    replies = run(model.complete([EXTRACT, ANSWER, EXTRACT]))
    assert [reply.text for reply in replies] == ["one", "Q", ""]
    assert str(replies[2].error) == "two"
    assert replies[0].usage.calls == 1
    assert model.requests == [EXTRACT, ANSWER, EXTRACT]


def test_a_script_of_one_text_answers_every_request(run) -> None:
    assert [r.text for r in run(ScriptedModel({"extract": "{}"}).complete([EXTRACT] * 3))] == ["{}"] * 3


def test_a_script_that_is_used_up_or_missing_is_an_error_that_says_so(run) -> None:
    replies = run(ScriptedModel({"extract": ["one"]}).complete([EXTRACT, EXTRACT, ANSWER]))
    assert "used up its replies for purpose 'extract'" in str(replies[1].error)
    assert "no script for purpose 'answer'; expected one of ['extract']" in str(replies[2].error)


def test_a_recording_replays_without_its_model(run, tmp_path) -> None:
    source = ScriptedModel({"extract": ["Grüße"], "answer": ["yes"]})
    recorder = RecordedModel(model=source)
    assert [r.text for r in run(recorder.complete([EXTRACT, ANSWER, EXTRACT]))] == ["Grüße", "yes", "Grüße"]
    assert run(recorder.complete([EXTRACT]))[0].usage.calls == 0, "what is recorded costs nothing"
    path = tmp_path / "recording.json"
    recorder.save(path)
    assert set(json.loads(path.read_text("utf-8"))) == {request_key(EXTRACT), request_key(ANSWER)}
    replay = RecordedModel.load(path)
    assert [r.text for r in run(replay.complete([ANSWER, EXTRACT]))] == ["yes", "Grüße"]
    assert len(source.requests) == 2, "the same request is asked once"


def test_a_missing_recording_names_its_key_and_what_to_do(run) -> None:
    (reply,) = run(RecordedModel({"x": "y"}).complete([EXTRACT]))
    assert isinstance(reply.error, ModelError)
    assert reply.error.data["key"] == request_key(EXTRACT)
    assert request_key(EXTRACT) in str(reply.error)
    assert "record again" in str(reply.error)


def test_an_error_is_not_recorded(run) -> None:
    model = RecordedModel(model=ScriptedModel({"extract": [ValueError("down"), "up"]}))
    assert str(run(model.complete([EXTRACT]))[0].error) == "down"
    assert run(model.complete([EXTRACT]))[0].text == "up"


@pytest.mark.parametrize("content", ["not json", "[1]", '{"a": 1}'])
def test_a_file_that_is_no_recording_is_refused(tmp_path, content: str) -> None:
    path = tmp_path / "recording.json"
    path.write_text(content)
    with pytest.raises(ModelError, match="recordings"):
        RecordedModel.load(path)


def test_the_key_depends_on_everything_the_model_is_shown() -> None:
    others = [
        ModelRequest(system="t", user="u", purpose="extract"),
        ModelRequest(system="s", user="v", purpose="extract"),
        ModelRequest(system="s", user="u", purpose="extract", schema={}),
        ModelRequest(system="s", user="\ud800", purpose="extract"),
    ]
    assert len({request_key(each) for each in [EXTRACT, *others]}) == 5
    assert request_key(EXTRACT) == "extract:a37cfa7730e9eba3719f7677"


async def awaited(request: ModelRequest) -> str:
    return request.user


def failing(system: str, user: str) -> str:
    raise KeyError("no weights")


def test_a_function_of_two_texts_or_of_a_request_is_a_model(run) -> None:
    assert run(CallableModel(lambda system, user: system + user).complete([EXTRACT]))[0].text == "su"
    assert run(CallableModel(lambda request: request.purpose).complete([EXTRACT]))[0].text == "extract"
    assert run(CallableModel(lambda *texts: "|".join(texts)).complete([EXTRACT]))[0].text == "s|u"
    assert run(CallableModel(lambda request, top=3: request.user).complete([EXTRACT]))[0].text == "u"


def test_an_async_function_is_awaited_and_refused_by_the_blocking_face(run) -> None:
    model = CallableModel(awaited)
    assert not model.blocking
    assert run(model.complete([EXTRACT]))[0].text == "u"
    with pytest.raises(AsyncOnlyModel, match="awaited must be awaited"):
        model.as_blocking()


def test_what_a_function_raises_or_wrongly_returns_is_the_error_of_that_reply(run) -> None:
    (reply,) = run(CallableModel(failing).complete([EXTRACT]))
    assert str(reply.error) == "failing failed: KeyError: 'no weights'"
    assert isinstance(reply.error.__cause__, KeyError)
    (reply,) = run(CallableModel(lambda system, user: None, name="mine").complete([EXTRACT]))
    assert str(reply.error) == "mine: expected a str, found NoneType"
    (reply,) = run(CallableModel(lambda request: awaited(request), name="mine").complete([EXTRACT]))
    assert "write the function with async def" in str(reply.error)
