import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorelite.errors import BadReply
from lorelite.text.loose_json import clean_reply, parse_loose_json, read_loose_json, without_reasoning

GRAPH = {"entities": [{"name": "Nell", "type": "person"}], "relations": []}
TEXT = json.dumps(GRAPH)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"~~~\n{TEXT}\n~~~",
        f"```json\n{TEXT}",
        f"Certainly! Here {{it}} is, as in [1]:\n{TEXT}\nDoes {{this}} help?",
        f"\ufeff{TEXT}<|im_end|>",
        f"<think>Maybe {json.dumps({'entities': [{'name': 'Draft'}]})}?</think>{TEXT}",
        f'I think {{"entities": [{{"name": "Draft"}}]}} is wrong.\n</think>\n{TEXT}',
        f'Perhaps {{"entities": [\n</think>\n{TEXT}',
        f"{TEXT}\n<thinking>{json.dumps({'a': 1})}</thinking>",
        "{'entities': [{'name': 'Nell', 'type': 'person'}], 'relations': []}",
        '{entities: [{name: "Nell", type: person}], relations: []}',
        '{"entities": [{"name": "Nell", "type": "person",},], "relations": [],}',
        '{"entities": [{"name": "Nell" "type": "person"}] "relations": []}',
        '{"entities": [{"name": "Nell", "type": "person"], "relations": []}',
        '{"entities": [{"name": "Nell", "type": "person"}], "relations": []}}}',
        '{"entities": [{"name": "Nell, "type": "person"}], "relations": []}',
        '{"entities": [{"name: "Nell", "type": "person"}], "relations": []}',
        '{"entities": [{"name": "Nell", "type": person"}], "relations": []}',
        '{\n// who\n"entities": [{"name": "Nell", /* a girl */ "type": "person"}], # end\n"relations": []}',
        "{“entities”: [{“name”: “Nell”, “type”: “person”}], “relations”: []}",
        "{“entities”：[{“name”：“Nell”，“type”：“person”}]，“relations”：[]}",
        "{„entities“: [{„name“: „Nell“, „type“: „person“}], „relations“: []}",
        TEXT.replace('"', "&quot;"),
        TEXT.replace('"', '\\"'),
        json.dumps(TEXT),
        TEXT.replace(": ", " => "),
        '{"entities": {{"name": "Nell", "type": "person"}}, "relations": []}',
    ],
)
def test_a_reply_that_is_almost_json_is_read_as_it_was_meant(reply: str) -> None:
    assert parse_loose_json(reply) == GRAPH


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"d": "known as the "Lantern" by locals"}', 'known as the "Lantern" by locals'),
        ('{"d": "called "Lantern", "Eye", and "Beacon""}', 'called "Lantern", "Eye", and "Beacon"'),
        ('{"d": "see https://example.org/a // north",}', "see https://example.org/a // north"),
        ('{"d": "line one\nline two\tend"}', "line one\nline two\tend"),
        ("{'d': 'Mira's dome and O'Brien's'}", "Mira's dome and O'Brien's"),
        (r'{"d": "scale \alpha = 2\sigma"}', r"scale \alpha = 2\sigma"),
        (r'{"d": "$\frac{1}{2}$, $\beta$, $\rho$, $a \times b$"}', r"$\frac{1}{2}$, $\beta$, $\rho$, $a \times b$"),
        (r'{"d": "logs in C:\Data\dome"}', r"logs in C:\Data\dome"),
        (r'{"d": "sign \ud83d end"}', "sign \ufffd end"),
        (r'{"d": "go \ud83d\ude80",}', "go 🚀"),
        (r'{"d": "Caf\\u00e9"}', "Café"),
        ('{"d": "a\x00b\x1b[31mc"}', "abc"),
        ('{"d": "uses <think>dim</think> as a command",}', "uses <think>dim</think> as a command"),
        ('{"d": hilltop site, open at night", "e": 1}', "hilltop site, open at night"),
        ('{"d": """a "quoted" site"""}', 'a "quoted" site'),
        ('{"d": None}', None),
        ('{"d": True}', True),
        ('{"d": NaN}', None),
        ('{"d": 1e999}', None),
        ('{"d": -3.5e2,}', -350.0),
    ],
)  # fmt: skip
def test_a_value_keeps_its_meaning(text: str, value: object) -> None:
    read = parse_loose_json(text)
    assert isinstance(read, dict)
    assert read["d"] == value


def test_several_values_come_back_as_a_list() -> None:
    assert parse_loose_json('{"a": 1}\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]


def test_a_key_given_twice_keeps_both_lists() -> None:
    assert parse_loose_json('{"a": [1], "a": [2], "b": 1, "b": null}') == {"a": [1, 2], "b": 1}


def test_every_cut_reply_gives_whole_members_only_and_says_that_it_was_cut() -> None:
    whole = {
        "entities": [{"name": "Aurora Observatory", "open": True}, {"name": "Mira Tolan", "age": 41}],
        "relations": [{"source": "Mira Tolan", "target": "Aurora Observatory"}],
    }
    text = json.dumps(whole)
    for cut in range(2, len(text)):
        try:
            read = read_loose_json(text[:cut])
        except BadReply:
            continue
        assert not read.complete
        assert isinstance(read.value, dict)
        for section, records in read.value.items():
            for record, original in zip(records, whole[section], strict=False):
                assert record.items() <= original.items(), text[:cut]


@pytest.mark.parametrize(
    "reply", ["", "I'm sorry, I cannot help.", '<think>it is {"a": 1}', "  <|im_end|>", "{so} it [is]"]
)
def test_a_reply_without_json_is_refused(reply: str) -> None:
    with pytest.raises(BadReply) as caught:
        parse_loose_json(reply)
    assert caught.value.data["reply"] == reply


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, '{"a":' * 200_000, "[" * 101 + "]" * 101, "[{'a':" * 60], ids=range(4)
)
def test_nesting_beyond_the_limit_is_refused_without_overflow(text: str) -> None:
    with pytest.raises(BadReply, match="nested at most 100 levels"):
        parse_loose_json(text)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parse_loose_json("[" * 100 + "]" * 100) is not None
    assert parse_loose_json('{"brackets in text": "' + "[" * 500 + '"}') == {"brackets in text": "[" * 500}


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        '"',
        '{"',
        '{"a":"',
        "{a:b,",
        '["x" ',
        '{"a":1]',
        '{"a":1 {',
        "</think>{",
        '{"a</think>',
        "[1,/*",
        "{'",
        '"#',
    ],
)
def test_reading_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = '{"a":"' + unit * (length // len(unit))
        begin = time.process_time()
        with suppress(BadReply):
            parse_loose_json(text)
        return time.process_time() - begin

    small, large = min(seconds(8_000) for _ in range(3)), seconds(64_000)
    assert large < 40 * small + 0.1


@settings(max_examples=150)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("ab\"'\\{}[]:,/#\n<> “”", max_size=12),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc\"' ", max_size=5), inner, max_size=4),
        max_leaves=12,
    )
)
def test_strict_json_is_returned_as_it_is(value: object) -> None:
    text = json.dumps({"value": value})
    assert parse_loose_json(text) == json.loads(text)


@settings(max_examples=150)
@given(st.text("{}[]\"',:\\ab1/*#<>\n“”`tru", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadReply):
        parse_loose_json(text)


def test_reasoning_is_taken_out_of_prose() -> None:
    assert without_reasoning("<think>hm</think> Yes. <think>so</think>") == "Yes."
    assert without_reasoning("hm, yes\n</think>\nYes.") == "Yes."
    assert without_reasoning("Yes. <think>but") == "Yes."
    assert without_reasoning("<think>but") == ""


def test_plain_text_passes_the_cleaning_unchanged() -> None:
    assert clean_reply("Grüße\n\tЖизнь 猫 🚀 don't") == "Grüße\n\tЖизнь 猫 🚀 don't"
