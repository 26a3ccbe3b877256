"""A language model of half a megabyte with random weights, as a file that llama.cpp reads (GGUF, version 3).

It writes nonsense, token by token, which is all that a test of an endpoint needs: real replies, real streams, and
under a schema real JSON.
"""

from __future__ import annotations

import random
import struct
from array import array
from pathlib import Path

_DIM, _LAYERS, _HEADS, _INNER = 64, 2, 4, 128
_UINT32, _FLOAT32, _STRING, _ARRAY, _INT32 = 4, 6, 8, 9, 5
_ALIGNMENT = 32
_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"

# Special tokens, each byte, and the printable ASCII characters as words of their own.
_TOKENS = [
    b"<unk>", b"<s>", b"</s>", *(b"<0x%02X>" % byte for byte in range(256)),
    "\u2581".encode(), *(bytes([byte]) for byte in range(33, 127)),
]  # fmt: skip
# Bytes above ASCII count as control tokens, which are never shown: random ones make no UTF-8.
_TYPES = [2, 3, 3, *[6] * 128, *[3] * 128, *[1] * (len(_TOKENS) - 259)]
_SCORES = [0.0, 0.0, 0.0, *[-1.0] * 256, *(-float(rank) for rank in range(len(_TOKENS) - 259))]


def write_tiny_model(path: Path, seed: int = 7) -> None:
    """The same file for the same seed."""
    tensors = _tensors(random.Random(seed))
    header = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(_METADATA)), *_METADATA]
    data = bytearray()
    for name, shape, values in tensors:
        header.append(_text(name) + struct.pack("<I", len(shape)))
        header.append(b"".join(struct.pack("<Q", size) for size in shape) + struct.pack("<IQ", 0, len(data)))
        data += values.tobytes()
        data += bytes(-len(data) % _ALIGNMENT)
    head = b"".join(header)
    path.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + data)


def _tensors(chance: random.Random) -> list[tuple[str, tuple[int, ...], array[float]]]:
    def matrix(name: str, columns: int, rows: int) -> tuple[str, tuple[int, ...], array[float]]:
        return name, (columns, rows), array("f", (chance.gauss(0, 0.3) for _ in range(columns * rows)))

    def ones(name: str) -> tuple[str, tuple[int, ...], array[float]]:
        return name, (_DIM,), array("f", [1.0] * _DIM)

    words = len(_TOKENS)
    tensors = [matrix("token_embd.weight", _DIM, words), matrix("output.weight", _DIM, words)]
    tensors.append(ones("output_norm.weight"))
    for layer in range(_LAYERS):
        block = f"blk.{layer}."
        tensors += [matrix(f"{block}attn_{part}.weight", _DIM, _DIM) for part in ("q", "k", "v", "output")]
        tensors += [ones(f"{block}attn_norm.weight"), ones(f"{block}ffn_norm.weight")]
        tensors += [matrix(f"{block}ffn_{part}.weight", _DIM, _INNER) for part in ("gate", "up")]
        tensors.append(matrix(f"{block}ffn_down.weight", _INNER, _DIM))
    return tensors


def _text(value: str | bytes) -> bytes:
    encoded = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(encoded)) + encoded


def _integer(key: str, value: int) -> bytes:
    return _text(key) + struct.pack("<II", _UINT32, value)


def _string(key: str, value: str) -> bytes:
    return _text(key) + struct.pack("<I", _STRING) + _text(value)


def _list(key: str, kind: int, items: list[bytes]) -> bytes:
    return _text(key) + struct.pack("<IIQ", _ARRAY, kind, len(items)) + b"".join(items)


_METADATA = [
    _string("general.architecture", "llama"),
    _string("general.name", "tiny"),
    _integer("llama.context_length", 4096),
    _integer("llama.embedding_length", _DIM),
    _integer("llama.block_count", _LAYERS),
    _integer("llama.feed_forward_length", _INNER),
    _integer("llama.attention.head_count", _HEADS),
    _integer("llama.attention.head_count_kv", _HEADS),
    _integer("llama.rope.dimension_count", _DIM // _HEADS),
    _text("llama.attention.layer_norm_rms_epsilon") + struct.pack("<If", _FLOAT32, 1e-5),
    _string("tokenizer.ggml.model", "llama"),
    _list("tokenizer.ggml.tokens", _STRING, [_text(token) for token in _TOKENS]),
    _list("tokenizer.ggml.scores", _FLOAT32, [struct.pack("<f", score) for score in _SCORES]),
    _list("tokenizer.ggml.token_type", _INT32, [struct.pack("<i", kind) for kind in _TYPES]),
    _integer("tokenizer.ggml.bos_token_id", 1),
    _integer("tokenizer.ggml.eos_token_id", 2),
    _integer("tokenizer.ggml.unknown_token_id", 0),
    _string("tokenizer.chat_template", _TEMPLATE),
]
