from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorelite.errors import UnreadableDocument
from lorelite.text.clean import clean_text, decode_document, looks_binary


@given(st.text(st.characters(), max_size=100))
def test_cleaning_moves_no_offset_and_leaves_text_that_can_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned) == len(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert all(a == b or b == "\ufffd" for a, b in zip(text, cleaned, strict=True))


def test_nul_and_surrogates_become_replacement_characters() -> None:
    assert clean_text("a\x00b\ud83dc") == "a\ufffdb\ufffdc"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_in_a_known_encoding_is_read(encoding: str) -> None:
    assert decode_document("Größe 東京 🚀".encode(encoding), "a.txt") == "Größe 東京 🚀"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("Größe".encode("latin-1"), "byte 2 is not valid UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff", "binary"),
        (b"%PDF\x00\x01\x02", "binary"),
        (b"\xff\xfea\xd8", "not valid UTF-16"),
    ],
)
def test_an_unreadable_file_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument, match=reason) as raised:
        decode_document(data, "photo.bin")
    assert raised.value.data["name"] == "photo.bin"


def test_prose_does_not_look_binary() -> None:
    assert not looks_binary("Marley was dead:\r\n\tto begin with.\f")
    assert not looks_binary("")
    assert looks_binary("\x01\x02\x03abc")
