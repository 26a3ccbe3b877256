"""F1: questions of a reply, cleaned."""

from __future__ import annotations

import pytest

from lorelite.prompts.questions import build, parse

WHO_WHAT = ["Who is Scrooge?", "What did he do?"]


@pytest.mark.parametrize(
    "reply",
    [
        '["Who is Scrooge?", "What did he do?"]',
        '```json\n["Who is Scrooge?", "What did he do?"]\n```',
        '{"questions": ["Who is Scrooge?", "What did he do?"]}',
        '{"questions": [{"question": "Who is Scrooge?"}, {"Question": "What did he do?"}]}',
        '{"q1": "Who is Scrooge?", "q2": "What did he do?"}',
        '["1. Who is Scrooge?", "2) What did he do?"]',
        '["Who is Scrooge?", "who is  SCROOGE?", "", "What did he do?"]',
        "Who is Scrooge?\nWhat did he do?",
        "1. Who is Scrooge?\n2. What did he do?",
        "1) Who is Scrooge?\n\n2) What did he do?\n",
        "- Who is Scrooge?\n• What did he do?",
        "Q1: Who is Scrooge?\nQ2: What did he do?",
        "Question 1: Who is Scrooge?\nAnswer: A miser.\nQuestion 2: What did he do?",
        "Here are two questions:\n\n**1. Who is Scrooge?**\n**2. What did he do?**",
        '"Who is Scrooge?",\n"What did he do?"',
        "<think>Which? These?</think>\nWho is Scrooge?\nWhat did he do?",
        '["Who is Scrooge?", "What did he do?", "Wh',
    ],
)
def test_f1_numbers_bullets_and_quotes_are_trimmed_and_repetitions_dropped(reply: str) -> None:
    assert parse(reply, 3) == WHO_WHAT


def test_f1_the_first_ones_are_kept_and_fewer_are_fine() -> None:
    assert parse('["A b?", "C d?", "E f?"]', 2) == ["A b?", "C d?"]
    assert parse('["A b?"]', 3) == ["A b?"]


@pytest.mark.parametrize("reply", ["", "[]", "None.", "I cannot do that.", '{"error": "no"}', "\n\n", '["", "?"]'])
def test_f1_none_is_no_error(reply: str) -> None:
    assert parse(reply, 3) == []


def test_questions_of_other_scripts_are_told_by_their_marks() -> None:
    assert parse("1. 谁是史高治？\n2. 他做什么？", 3) == ["谁是史高治？", "他做什么？"]
    assert parse("من هو سكروج؟", 3) == ["من هو سكروج؟"]
    assert parse("Ποιος είναι ο Σκρουτζ;", 3) == ["Ποιος είναι ο Σκρουτζ;"]


def test_a_number_that_belongs_to_the_question_stays() -> None:
    assert parse("1984 was written by whom?\n3. In 1984, who wrote?", 3) == [
        "1984 was written by whom?",
        "In 1984, who wrote?",
    ]


def test_the_request_fences_the_passage_and_says_how_many() -> None:
    request = build("A\n========\nB", 4, heading="Stave 1", instructions="Ask in Latin.")

    assert request.purpose == "hypothetical_questions"
    assert request.system.startswith("Ask in Latin.")
    assert "JSON list of 4 questions" in request.system
    assert f"{'=' * 9}\nA\n========\nB\n{'=' * 9}" in request.user
    assert "Stave 1" in request.user
