"""A reply cut at the limit of tokens, wherever, put together with what the model goes on with."""

from __future__ import annotations

import json
import random

import pytest

from lorelite.models.seam import joined, whole_words

WORDS = [
    "Marley",
    "Scrooge",
    "said",
    "that",
    "the",
    "old",
    "partner",
    "of",
    "Tobias",
    "Oduya",
    "was",
    "dead,",
    "to",
    "begin",
    "with;",
    "größer",
    "Straße",
]


def replies():
    """JSON as models write it, in which no word stands twice in a row."""
    draw = random.Random(7)
    for number in range(12):
        facts = [
            {
                "source": at,
                "name": " ".join(draw.sample(WORDS, 3)),
                "text": " ".join(draw.sample(WORDS, 8)),
                "x": [at, 7],
            }
            for at in range(3)
        ]
        yield json.dumps({"facts": facts, "end": None}, indent=(None, 1)[number % 2], ensure_ascii=False)


@pytest.mark.parametrize("again", ["nothing", "words", "characters"])
def test_a_reply_cut_anywhere_is_whole_again_whatever_the_model_says_twice(again):
    draw = random.Random(11)
    for text in replies():
        for cut in range(1 if again == "nothing" else 60, len(text)):
            said = whole_words(text[:cut])
            begin = len(said)
            if again == "words":
                begin = max(0, begin - draw.randint(1, 60))
                begin = text.rfind(" ", 0, begin) + 1
                if not any(letter.isalpha() for letter in text[begin : len(said)]):
                    continue  # numbers and brackets alone may stand there twice
            elif again == "characters":
                begin = max(0, begin - draw.randint(12, 60))
            assert json.loads(joined(said, text[begin:])) == json.loads(text)


@pytest.mark.parametrize("spaced", [" dead. She knows.", "dead. She knows."])
def test_no_space_is_lost_or_doubled_where_a_model_begins_with_one_of_its_own(spaced):
    assert joined(whole_words("Marley was de"), spaced) == "Marley was dead. She knows."
    assert joined(whole_words("Marley was "), spaced) == "Marley was dead. She knows."


@pytest.mark.parametrize(
    ("said", "further"), [("[1, ", "1, 2]"), ("[true, ", "true, false]"), ("[null, ", "null]"), ("Cut i", "it")]
)
def test_what_json_says_several_times_is_no_repetition(said, further):
    assert joined(whole_words(said), further) == whole_words(said) + further


def test_what_has_no_spaces_goes_on_where_it_stops():
    said = "马利死了，这是毫无疑问的。关于他的葬礼登记册上有牧师、文书、殡仪员以及主要送葬人的签名，斯克鲁奇也签了"
    assert joined(whole_words(said), "名。") == said + "名。"
