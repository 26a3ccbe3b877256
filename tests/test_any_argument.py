"""Random arguments for every method of a wiki: a result or a LoreliteError, never anything else."""

from __future__ import annotations

import inspect
import math
import random
from typing import Any

import pytest

from lorelite import LoreliteError, Wiki
from lorelite.models import HashEmbedder

NS = "class"
HASH = "a" * 64

SCRAPS: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 0.0, 0.5, -1.5, 1e308,
    math.nan, math.inf,
    "", " ", "x", NS, "eels", "Eels", "lock.txt", HASH, "A" * 64, "\0", "\ud800", "a\udfffb", "🦉" * 50, "x" * 20_000,
    "fact", "both", "certain", "skip", b"", b"bytes", [], [None], ["fact"], [5], ["\ud800"], [[]], (), {}, {"id": "x"},
    {"summary": "x"}, [{"id": "x", "title": "y"}], [{"type": "t", "source_id": "eels", "target_id": "x"}], object(),
    set(), int, print, range(3), iter([]), Exception("x"),
]  # fmt: skip
UNTRIED = {"open", "close", "flush", "transaction", "list_namespaces", "export_file", "import_file"}


def arguments_of(method: str) -> tuple[list[str], list[str], set[str]]:
    """(positional, by name, of those the ones that must be given)"""
    parameters = list(inspect.signature(getattr(Wiki, method)).parameters.values())[1:]
    positional = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    by_name = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    required = {parameter.name for parameter in by_name if parameter.default is parameter.empty}
    return positional, [parameter.name for parameter in by_name], required


METHODS = {name: arguments_of(name) for name in dir(Wiki) if not name.startswith("_") and name not in UNTRIED}
SENSIBLE = {
    "namespace": NS, "title": "x", "source_ref": "other.txt", "text": "Otters swim.", "source_hash": HASH,
    "query": "eels", "question": "Who keeps Heron Lock?", "source_id": "eels",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::lorelite.LorelitePromptWarning")
@pytest.mark.parametrize("seed", range(6))
def test_no_argument_whatsoever_raises_anything_but_a_lorelite_error(open_wiki, seed, tmp_path, monkeypatch):
    # A random path may be one that can be written to.
    monkeypatch.chdir(tmp_path)
    chosen = random.Random(seed)
    wiki = open_wiki(embedder=HashEmbedder(32) if seed % 2 else None)
    for turn in range(400):
        if turn % 100 == 0:
            wiki.write(NS, title="Eels", body="sleep by day", node_id="eels")
        name = chosen.choice(list(METHODS))
        positional, keywords, required = METHODS[name]
        odd = chosen.randint(0, 2)
        wanted = [*positional, *keywords]
        spoilt = set(chosen.sample(wanted, min(odd, len(wanted))))

        def value(argument: str, spoilt: set[str] = spoilt) -> Any:
            return chosen.choice(SCRAPS) if argument in spoilt or argument not in SENSIBLE else SENSIBLE[argument]

        arguments = {
            word: value(word)
            for word in keywords
            if word in spoilt or word in required or (word in SENSIBLE and word != "source_hash")
        }
        try:
            getattr(wiki, name)(*map(value, positional), **arguments)
        except LoreliteError:
            continue
        except Exception as error:
            shown = {word: repr(given)[:60] for word, given in arguments.items()}
            raise AssertionError(f"{name} {shown} raised {type(error).__name__}") from error
    assert wiki._wiki._engine.store.db.value("pragma integrity_check") == "ok"
