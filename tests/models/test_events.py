"""Streams cut into messages, however their bytes are split."""

from __future__ import annotations

import pytest

from lorelite.models.events import JsonLines, ServerSentEvents

STREAM = (
    '\ufeff: a comment\r\nevent: message_start\r\ndata: {"a": "Grüße 🛶"}\r\n\r\n'
    "data:first\rdata: second\r\rid: 7\n\ndata: [DONE]\n"
).encode()
EVENTS = ['{"a": "Grüße 🛶"}', "first\nsecond", "[DONE]"]


def read(framing, stream, size):
    found = [each for at in range(0, len(stream), size) for each in framing.feed(stream[at : at + size])]
    return found + framing.close()


@pytest.mark.parametrize("size", range(1, len(STREAM) + 1))
def test_events_are_the_same_however_the_bytes_are_split(size):
    assert read(ServerSentEvents(), STREAM, size) == EVENTS


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_lines_of_json_are_the_same_however_the_bytes_are_split(size):
    stream = '{"a": "ü"}\r\n\n  \n{"b": 2}\n{"c"'.encode()
    assert read(JsonLines(), stream, size) == ['{"a": "ü"}', '{"b": 2}', '{"c"']


def test_an_event_is_told_as_soon_as_it_is_whole():
    events = ServerSentEvents()
    assert events.feed(b"data: 1\n") == []
    assert events.feed(b"\ndata: 2") == ["1"]
    assert events.close() == ["2"]


def test_bytes_that_are_no_text_do_not_stop_a_stream():
    assert read(ServerSentEvents(), b"data: \xff\n\ndata: ok\n\n", 3) == ["\ufffd", "ok"]


def test_an_empty_stream_has_no_events():
    assert read(ServerSentEvents(), b"", 1) == read(JsonLines(), b"", 1) == []
