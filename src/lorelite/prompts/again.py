"""Asking once more after a reply that could not be used."""

from __future__ import annotations

from dataclasses import replace

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest

_AGAIN = "A reply given before could not be used: expected {expected}. Reply in exactly the form described above."


_LONGEST = 300
"""Characters of what was expected."""


def again(request: ModelRequest, error: BadReply) -> ModelRequest:
    """The same request, with what was wrong with the reply; nothing of the reply itself, which may hold anything."""
    expected = str(error.data["expected"])[:_LONGEST]
    return replace(request, system=f"{request.system}\n\n{_AGAIN.format(expected=expected)}")


def longest(request: ModelRequest) -> ModelRequest:
    """About the longest that `again` makes of a request."""
    return again(request, BadReply("some words " * _LONGEST, ""))
