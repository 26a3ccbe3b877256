"""Two models of one operation each, as the folders that transformers.js reads: a tokeniser, settings, an ONNX file.

Both look their tokens up in a table. In the embedder a row is a token's vector; in the writer a row has its one peak at
the token that follows, so that what it writes is known.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

PAD, UNKNOWN, END = "[PAD]", "[UNK]", "</s>"
VECTORS: Mapping[str, tuple[float, ...]] = {
    PAD: (9.0, 9.0, 9.0),
    UNKNOWN: (0.0, 0.0, 1.0),
    "deep": (1.0, 0.0, 0.0),
    "tarn": (0.0, 1.0, 0.0),
}
"""What the embedder knows. The mean of a text's rows, brought to length 1, is the vector of the text."""
SENTENCE = ("says", "the", "tarn", "is", "deep", END)
"""What the writer writes after the first of these words, with which its template ends."""

_INT64, _FLOAT = 7, 1


def write_tiny_embedder(folder: Path) -> None:
    _write(folder, list(VECTORS), list(VECTORS.values()), "last_hidden_state", {"model_type": "bert"})


def write_tiny_writer(folder: Path) -> None:
    words = [PAD, UNKNOWN, *SENTENCE]
    follows = dict(pairwise(SENTENCE))
    rows = [[1.0 if following == follows.get(word, UNKNOWN) else 0.0 for following in words] for word in words]
    settings = {"model_type": "gpt2", "n_layer": 0, "n_head": 1, "n_embd": 1, "vocab_size": len(words)}
    ends = {"eos_token_id": words.index(END), "pad_token_id": 0}
    _write(folder, words, rows, "logits", {**settings, **ends, "architectures": ["GPT2LMHeadModel"]})
    (folder / "generation_config.json").write_text(json.dumps(ends))


def _write(
    folder: Path, words: list[str], rows: Sequence[Sequence[float]], output: str, settings: Mapping[str, object]
) -> None:
    (folder / "onnx").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(words)))
    template = "{% for m in messages %}{{ m['content'] }} {% endfor %}" + SENTENCE[0]
    named = {"pad_token": PAD, "unk_token": UNKNOWN, "eos_token": END, "chat_template": template}
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **named}))
    (folder / "onnx" / "model.onnx").write_bytes(_looking_up(rows, output))


def _tokenizer(words: list[str]) -> dict[str, object]:
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": at, "content": word, **special} for at, word in enumerate(words) if not word.isalpha()],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: at for at, word in enumerate(words)}, "unk_token": UNKNOWN},
    }


def _looking_up(rows: Sequence[Sequence[float]], output: str) -> bytes:
    """The graph output[text, place] = table[input_ids[text, place]], as ONNX's protocol buffer."""
    flat = [value for row in rows for value in row]
    table = b"".join(_number(1, size) for size in (len(rows), len(rows[0])))
    table += _number(2, _FLOAT) + _field(8, b"table") + _field(9, struct.pack(f"<{len(flat)}f", *flat))
    node = _field(1, b"table") + _field(1, b"input_ids") + _field(2, output.encode()) + _field(4, b"Gather")
    graph = _field(1, node) + _field(2, b"tiny") + _field(5, table)
    graph += _field(11, _tensor("input_ids", _INT64, ["texts", "places"]))
    graph += _field(12, _tensor(output, _FLOAT, ["texts", "places", len(rows[0])]))
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 13))


def _tensor(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = b"".join(
        _field(1, _number(1, size) if isinstance(size, int) else _field(2, size.encode())) for size in shape
    )
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, sizes)))


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low = bytearray()
    while value > 127:
        low.append(value & 127 | 128)
        value >>= 7
    return bytes([*low, value])
