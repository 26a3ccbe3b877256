"""About how many tokens a text takes, without a tokeniser; what an endpoint reports takes the place of it."""

from __future__ import annotations

import json
import math
import re

from lorelite.ports import ModelRequest

_DENSE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]+")
_LATIN = re.compile(r"[\x00-\u024f]+")
_PER_LATIN, _PER_DENSE, _PER_OTHER = 0.25, 0.9, 0.5
_PER_MESSAGE = 4


def estimated_tokens(text: str) -> int:
    """A quarter of a token for a Latin character, 0.9 for one of Chinese, Japanese, Korean or Thai, else a half.

    How far that is off for several languages is in docs/models.md.
    """
    others = _LATIN.sub("", text)
    rest = len(_DENSE.sub("", others))
    return math.ceil(_PER_LATIN * (len(text) - len(others)) + _PER_DENSE * (len(others) - rest) + _PER_OTHER * rest)


def request_tokens(request: ModelRequest) -> int:
    """About how many tokens a request takes, its schema and the frame of its messages with it."""
    schema = json.dumps(request.schema, ensure_ascii=False) if request.schema else ""
    return sum(map(estimated_tokens, (request.system, request.user, schema))) + 2 * _PER_MESSAGE
