"""A document read by rules as a whole, and shared out among its chunks."""

from __future__ import annotations

import pytest

from lorelite.graph_records import TextChunk
from lorelite.pipeline.rule_extraction import document_text, extract_by_rules

TEXT = (
    "Ebenezer Scrooge was the partner of Jacob Marley. Bob Cratchit worked for Scrooge. "
    "Scrooge paid Bob Cratchit little. Marley was dead, and Scrooge knew it. Bob Cratchit went home to Tiny Tim."
)


def _chunks(*cuts: tuple[int, int]) -> list[TextChunk]:
    return [
        TextChunk(id=f"c{n}", content=TEXT[start:end], document_ids=("d",), order=n, start=start, end=end)
        for n, (start, end) in enumerate(cuts)
    ]


def test_a_document_is_put_together_from_chunks_that_overlap_with_every_character_in_its_place() -> None:
    assert document_text(_chunks((0, 60), (50, 120), (115, len(TEXT)))) == TEXT
    assert document_text(_chunks((50, 120), (0, 60))) == TEXT[:120]
    assert document_text(_chunks((10, 20), (30, 40))) == f"{' ' * 10}{TEXT[10:20]}{' ' * 10}{TEXT[30:40]}"


def test_a_chunk_tells_of_what_it_mentions_and_of_nothing_else() -> None:
    chunks = _chunks((0, 85), (84, len(TEXT)))

    told = dict(extract_by_rules(chunks))

    for chunk in chunks:
        for entity in told[chunk].entities:
            assert entity.mentions
            assert all(chunk.start <= span.start and span.end <= chunk.end for span in entity.mentions)
            assert all(span.of(TEXT)[0].isupper() for span in entity.mentions)
    names = [{entity.name for entity in told[chunk].entities} for chunk in chunks]
    assert "Ebenezer Scrooge" in names[0] & names[1]
    assert "Tiny Tim" in names[1] - names[0]


def test_in_an_overlap_both_chunks_tell_of_a_name_and_share_the_weight_of_a_relation() -> None:
    whole = extract_by_rules(_chunks((0, len(TEXT))))[0][1]
    apart = [extraction for _, extraction in extract_by_rules(_chunks((0, 120), (50, len(TEXT))))]

    def weights(extractions: list) -> dict[tuple[str, str, str], float]:  # type: ignore[type-arg]
        found: dict[tuple[str, str, str], float] = {}
        for extraction in extractions:
            for each in extraction.relations:
                key = (each.source, each.target, each.type)
                found[key] = found.get(key, 0.0) + each.weight
        return found

    assert weights(apart) == pytest.approx(weights([whole]))
    assert sum(len(extraction.relations) for extraction in apart) > len(whole.relations)


def test_what_joins_two_names_describes_their_relation() -> None:
    ((_, extraction),) = extract_by_rules(_chunks((0, len(TEXT))))

    assert extraction.relations
    assert all(relation.description for relation in extraction.relations)
