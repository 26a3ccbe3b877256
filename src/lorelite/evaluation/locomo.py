"""LoCoMo: long conversations of two people, and questions whose evidence are single turns of them.

Evidence is written as "D3:12", session and turn; some of it is several in one text, or spelled otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from lorelite.evaluation.dataset import Dataset, Part, Passage
from lorelite.evaluation.questions import Question

Unit = Literal["turns", "sessions"]
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_TURN = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)")
_SESSION = re.compile(r"session_(\d+)")


def is_locomo(value: object) -> bool:
    """Is this a list of {"conversation": {"session_1": […], …}, "qa": […]}?"""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value or not isinstance(value[0], Mapping):
        return False
    return isinstance(value[0].get("conversation"), Mapping) and isinstance(value[0].get("qa"), list)


def locomo(name: str, samples: Sequence[Mapping[str, Any]], unit: Unit) -> Dataset:
    """The benchmark: a namespace for each conversation, a passage for each turn or each session.

    Questions without evidence, and those whose evidence is no turn of the conversation, are skipped and counted.
    """
    parts, skipped, missing = [], 0, []
    for place, sample in enumerate(samples, 1):
        namespace = str(sample.get("sample_id") or f"conversation {place}")
        passages, unit_of = _passages(sample["conversation"], unit)
        questions = []
        for number, asked in enumerate(sample["qa"], 1):
            named = list(turns(asked.get("evidence") or ()))
            gold = tuple(dict.fromkeys((unit_of[turn],) for turn in named if turn in unit_of))
            missing += [f"{namespace} D{turn[0]}:{turn[1]}" for turn in named if turn not in unit_of]
            if not gold:
                skipped += 1
                continue
            tag = CATEGORIES.get(asked.get("category"), str(asked.get("category", "")))
            identity = f"{namespace}/{number}"
            questions.append(Question(id=identity, text=str(asked["question"]), gold=gold, tag=tag))
        parts.append(Part(namespace=namespace, passages=tuple(passages), questions=tuple(questions)))
    return Dataset(name=name, parts=tuple(parts), skipped=skipped, missing=tuple(dict.fromkeys(missing)))


def turns(evidence: object) -> Iterator[tuple[int, int]]:
    """(session, turn) of each turn named: "D8:6; D9:17" names two, "D:11:26" and "D11:026" the same one."""
    for written in [evidence] if isinstance(evidence, str) else evidence if isinstance(evidence, Sequence) else ():
        for session, turn in _TURN.findall(str(written)):
            yield int(session), int(turn)


def _passages(conversation: Mapping[str, Any], unit: Unit) -> tuple[list[Passage], dict[tuple[int, int], str]]:
    """The passages of a conversation, and which of them each turn is in."""
    passages, unit_of = [], {}
    for number in sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key))):
        said = conversation[f"session_{number}"] or ()
        date = str(conversation.get(f"session_{number}_date_time") or "")
        session_ref = f"session {number}"
        for place, turn in enumerate(said, 1):
            identity = next(turns(str(turn.get("dia_id", ""))), (number, place))
            ref = f"D{identity[0]}:{identity[1]}" if unit == "turns" else session_ref
            unit_of[identity] = ref
            if unit == "turns":
                title = ", ".join(filter(None, (str(turn["speaker"]), date)))
                passages.append(Passage(source_ref=ref, title=title, body=_said(turn)))
        if unit == "sessions" and said:
            body = "\n\n".join(f"{turn['speaker']}: {_said(turn)}" for turn in said)
            speakers = " and ".join(dict.fromkeys(str(turn["speaker"]) for turn in said))
            passages.append(Passage(source_ref=session_ref, title=", ".join(filter(None, (speakers, date))), body=body))
    return passages, unit_of


def _said(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    text = str(turn.get("text") or "")
    return f"{text}\n\n(shows: {caption})" if caption else text
