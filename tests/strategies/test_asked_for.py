import pytest

from lorelite.strategies.asked_for import asks_who_has_a_role, kind_of_answer


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was the light lit?", "number"),
        ("How many pairs were counted?", "number"),
        ("In what year did she come?", "number"),
        ("Wie viele Vögel brüten dort?", "number"),
        ("Combien de ponts y a-t-il ?", "number"),
        ("Когда началась война?", "number"),
        ("यह पुल कब बना?", "number"),
        ("这座桥有多少米?", "number"),
        ("橋はいつできましたか", "number"),
        ("Who trained the dog?", "name"),
        ("Wo liegt die Insel?", "name"),
        ("¿Dónde está el faro?", "name"),
        ("Кто построил мост?", "name"),
        ("पुस्तकालय किसने बनवाया?", "name"),
        ("谁发明了电话?", "name"),
        ("What did the dog find?", "anything"),
        ("Why is it closed?", "anything"),
        ("lantern decoder", "anything"),
    ],
)
def test_asking_words_tell_what_kind_of_answer_is_wanted(question, kind):
    assert kind_of_answer(question) == kind


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the skipper of the boat?", True),
        ("Wer ist der Steuermann des Bootes?", True),
        ("¿Quién es la directora?", True),
        ("Who trained the dog?", False),
        ("Nobody knows who is there", False),
    ],
)
def test_who_is_asks_for_one_with_a_role(question, expected):
    assert asks_who_has_a_role(question) is expected
