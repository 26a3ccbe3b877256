"""Entities that are one thing under several spellings, made one."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from lorelite import options
from lorelite.errors import UnsupportedStoreError
from lorelite.ports import ChatModel
from lorelite.prompts import toolkit_judge
from lorelite.text.same_name import letters_key
from lorelite.toolkit.asking import ask_one, required_model
from lorelite.toolkit.records import EntityStore, Enumerable, KitEntity, Merger

_LOG = logging.getLogger(__name__)


async def resolve_entities(store: EntityStore, *, judge: Any = None, min_name_length: int = 1) -> int:
    """Merge entities whose names have the same letters and digits, whatever the case, spaces and punctuation.

    "OpenAI", "open ai" and "Open-AI" become the one whose id comes first. Names of fewer than *min_name_length* letters
    are left. judge: a ChatModel or a function (system, user) → text, asked about every group before it is merged; yes,
    no, or which of them are the same. An answer that cannot be read is a no; a judge that fails leaves the group as it
    is, and says so in the log. Gives how many entities were merged away; a second run gives 0. Raises
    UnsupportedStoreError for a store that cannot list or merge.
    """
    asked = None if judge is None else required_model(judge)
    options.whole_number("min_name_length", min_name_length, 1)
    if not isinstance(store, Enumerable):
        raise UnsupportedStoreError(store, "Enumerable", ("all_entities", "all_relations"))
    if not isinstance(store, Merger):
        raise UnsupportedStoreError(store, "a Merger", ("merge_entities",))
    groups: dict[str, list[KitEntity]] = {}
    for entity in await store.all_entities():
        key = letters_key(entity.name)
        if len(key) >= min_name_length:
            groups.setdefault(key, []).append(entity)
    merged = 0
    for _, group in sorted(groups.items()):
        members = sorted(group, key=lambda entity: entity.id)
        if len(members) < 2:
            continue
        for same in [members] if asked is None else await _judged(asked, members):
            merged += await store.merge_entities(same[0].id, [entity.id for entity in same[1:]])
    return merged


async def _judged(judge: ChatModel, members: Sequence[KitEntity]) -> list[list[KitEntity]]:
    """The groups of members that the judge says are one."""
    request = toolkit_judge.build([{"id": each.id, "name": each.name, "type": each.type} for each in members])
    try:
        reply = await ask_one(judge, request)
    except Exception as error:
        _LOG.warning("the judge failed on %s: %s; they are left as they are", [each.id for each in members], error)
        return []
    by_id = {each.id: each for each in members}
    groups = toolkit_judge.parse(reply, list(by_id))
    return [[by_id[id] for id in sorted(group)] for group in groups]
