import json

import pytest

from lorelite import InvalidOption, UnreadableDocument
from lorelite.evaluation import Question
from lorelite.evaluation.questions import checked_questions, questions_from_lines, questions_in

LINES = """\
{"question": "Who?", "gold": ["a.md"]}

{"question": "When?", "gold": ["a.md", ["b.md", "c.md"]], "id": "q7", "tag": "2 hops"}
"""


def test_lines_become_questions_and_a_list_in_the_gold_is_a_choice():
    assert questions_from_lines(LINES, "q.jsonl") == [
        Question(id="1", text="Who?", gold=(("a.md",),)),
        Question(id="q7", text="When?", gold=(("a.md",), ("b.md", "c.md")), tag="2 hops"),
    ]


def test_the_same_piece_of_gold_twice_is_one():
    [question] = checked_questions([{"question": "Who?", "gold": ["a", "b", "a"]}])
    assert question.gold == (("a",), ("b",))


def test_ids_that_count_from_0_stay_as_they_are():
    asked = checked_questions([{"question": "Who?", "gold": ["a"], "id": number} for number in (0, 1)])
    assert [question.id for question in asked] == ["0", "1"]


def test_a_line_ends_at_its_line_feed_alone():
    lines = [json.dumps({"question": f"Who{end}?", "gold": ["a"]}, ensure_ascii=False) for end in "\u2028\u2029\x85"]
    asked = questions_from_lines("\r\n".join(lines), "q.jsonl")
    assert [question.text for question in asked] == ["Who\u2028?", "Who\u2029?", "Who\x85?"]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (Question(id="1", text=5, gold=(("a",),)), "questions[0], question"),
        (Question(id="1", text="Who?", gold=None), "questions[0], gold"),
        (Question(id="1", text="Who?", gold=((),)), "questions[0], gold"),
        (Question(id=[], text="Who?", gold=(("a",),)), "questions[0], id"),
    ],
)
def test_a_question_made_wrongly_is_refused(made, told):
    with pytest.raises(InvalidOption) as refused:
        checked_questions([made])
    assert str(refused.value).startswith(told)


def test_questions_pass_as_they_are():
    question = Question(id="x", text="Who?", gold=(("a",),))
    assert checked_questions([question]) == [question]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("not json", "q.jsonl, line 2: expected a JSON object"),
        ("[1]", "q.jsonl, line 2: expected an object like"),
        ('{"gold": ["a"]}', "q.jsonl, line 2, question: expected some text, found None"),
        ('{"question": " ", "gold": ["a"]}', "q.jsonl, line 2, question: expected some text"),
        ('{"question": "Who?"}', "q.jsonl, line 2, gold: expected a list of source_refs or node ids"),
        ('{"question": "Who?", "gold": "a"}', "q.jsonl, line 2, gold: expected a list"),
        ('{"question": "Who?", "gold": []}', "q.jsonl, line 2, gold: expected a list"),
        ('{"question": "Who?", "gold": [[]]}', "q.jsonl, line 2, gold: expected a list"),
        ('{"question": "Who?", "gold": [3]}', "q.jsonl, line 2, gold: expected a list"),
        ('{"question": "Who?", "gold": ["a"], "id": "1"}', "questions, id: expected an id of its own"),
        ('{"question": "Who?", "gold": ["a"], "id": [7]}', "q.jsonl, line 2, id: expected text or a number"),
        ('{"question": "Who?", "gold": ["a"], "id": false}', "q.jsonl, line 2, id: expected text or a number"),
        ('{"question": "Who?", "gold": ["a"], "tag": {}}', "q.jsonl, line 2, tag: expected text or a number"),
        ("[" * 100_000, "q.jsonl, line 2: expected a JSON object (it is nested"),
        ('{"question": ' + "1" * 5_000 + "}", "q.jsonl, line 2"),
    ],
)
def test_a_bad_line_is_named(line, told):
    with pytest.raises(InvalidOption) as refused:
        questions_from_lines(f"{json.dumps({'question': 'What?', 'gold': ['z']})}\n{line}", "q.jsonl")
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize("given", ["text", b"bytes", {}, 7, [], [7]])
def test_what_is_no_list_of_questions_is_refused(given):
    with pytest.raises(InvalidOption, match=r"^questions"):
        checked_questions(given)


def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(LINES, "utf-8-sig")
    assert [question.id for question in questions_in(path)] == ["1", "q7"]


def test_a_file_that_is_none_and_one_without_questions_are_named(tmp_path):
    with pytest.raises(UnreadableDocument, match="nowhere"):
        questions_in(tmp_path / "nowhere.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n", "utf-8")
    with pytest.raises(InvalidOption, match=r"empty\.jsonl: expected lines like"):
        questions_in(tmp_path / "empty.jsonl")
