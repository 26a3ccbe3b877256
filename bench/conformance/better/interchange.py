"""Better values of calls/interchange.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, rows, value

_ONE, _ZERO = b"\0\0\x80?", b"\0\0\0\0"

BETTER = (
    Better("dump-validation", 2, "upsert-sourceRef-normalisation-collision", "refs may be any text", value(None)),
    # The row speaks of refs alone. The reference also clips titles to 500 and bodies to 8,000 characters and tells
    # nobody; to follow it there would lose text of whoever moves here.
    Better("dump-validation", 4, "upsert-sourceRef-normalisation-collision",
           "refs are kept as given, and titles and bodies are never cut off",
           rows(id=["a", "b", "c", "d"], source_ref=[None, None, "///", "a/b.md"], lt=[1, 1, 1, 600],
                lb=[6, 6, 6, 9000])),
    Better("upsert-keeps-stale-embedding", 4, "upsert-keeps-stale-embedding", "a vector of an older text is renewed",
           value({"entities.e.facts.embedding_blob": [_ONE + _ZERO], "entities.e.facts.body": ["new"]})),
)  # fmt: skip
