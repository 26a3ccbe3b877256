"""A model by rule: what it finds in a passage are the names that come up most."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise


def scripted(system: str, user: str) -> str:
    """The reply to a request, made from the names in it alone."""
    names = [name for name, _ in Counter(re.findall(r"\b[A-Z][a-z]{3,}\b", user)).most_common(7)][1:]
    pairs = list(pairwise(names))
    if "Are there still entities" in user:
        return "no"
    if "so far" in user:
        return "<|COMPLETE|>"
    if "<|>" in system:
        records = [f'("entity"<|>{name}<|>person<|>{name} comes with {", ".join(names)}.)##' for name in names]
        records += [f'("relationship"<|>{a}<|>{b}<|>{a} meets {b}.<|>{len(a)})##' for a, b in pairs]
        return "\n".join([*records, "<|COMPLETE|>"])
    if '"rating"' in system:
        findings = [{"summary": f"{a} meets {b}", "explanation": f"It is said of {a}."} for a, b in pairs]
        title = ", ".join(names[:3]) or "Nobody"
        return json.dumps({"title": title, "summary": f"Of {title}.", "rating": len(names), "findings": findings})
    if "JSON" in system:
        return json.dumps(
            {
                "entities": [{"name": name, "type": "person", "description": f"{name} is there."} for name in names],
                "relations": [{"source": a, "target": b, "type": "meets"} for a, b in pairs],
                "facts": [],
            }
        )
    return f"{names[0] if names else 'Nobody'} is one of {len(user)} signs."
