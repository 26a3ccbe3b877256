"""A text put together again from overlapping pieces of it."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.text.span import Span

_HEAD = 48
"""Characters at the beginning of a piece by which it is found in the one before it."""
_LONGEST_OVERLAP = 4_000
_BETWEEN = "\n\n"


def stitched(pieces: Sequence[str]) -> tuple[str, list[Span]]:
    """The text and where each piece stands in it: `text[span.start:span.end] == piece`.

    A piece that begins with what ends another follows it, whatever the order given; the others follow one another in
    that order, a blank line between. Overlaps of less than 48 characters are not seen.
    """
    spans = [Span(0, 0)] * len(pieces)
    parts: list[str] = []
    length = 0
    for chain in _chains(pieces):
        for place, (number, overlap) in enumerate(chain):
            if place == 0 and parts:
                parts.append(_BETWEEN)
                length += len(_BETWEEN)
            piece = pieces[number]
            spans[number] = Span(length - overlap, length - overlap + len(piece))
            parts.append(piece[overlap:])
            length += len(piece) - overlap
    return "".join(parts), spans


def _chains(pieces: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Runs of pieces that follow one another: (number, characters that it shares with the one before)."""
    followers = _followers(pieces)
    later = {number for number, _ in followers.values()}
    seen: set[int] = set()
    chains = []
    # Pieces that all follow one another in a ring have no first one; they begin with the first given.
    for start in (*(number for number in range(len(pieces)) if number not in later), *range(len(pieces))):
        chain: list[tuple[int, int]] = []
        step: tuple[int, int] | None = (start, 0)
        while step is not None and step[0] not in seen:
            seen.add(step[0])
            chain.append(step)
            step = followers.get(step[0])
        if chain:
            chains.append(chain)
    return chains


def _followers(pieces: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Piece → the piece that goes on from it, and the length of what they share; each follows one piece at most."""
    heads: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        if len(piece) >= _HEAD:
            heads.setdefault(piece[:_HEAD], []).append(number)
    found: dict[int, tuple[int, int]] = {}
    taken: set[int] = set()
    for number, piece in enumerate(pieces):
        for start in range(max(1, len(piece) - _LONGEST_OVERLAP), len(piece) - _HEAD + 1):
            rest = piece[start:]
            follower = next(
                (
                    other
                    for other in heads.get(rest[:_HEAD], ())
                    if other != number and other not in taken and pieces[other].startswith(rest)
                ),
                None,
            )
            if follower is not None:
                found[number] = (follower, len(rest))
                taken.add(follower)
                break
    return found
