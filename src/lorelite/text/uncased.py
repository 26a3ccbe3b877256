"""Terms in scripts without capitals: what is bracketed, and what recurs in varied company."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.text import characters
from lorelite.text.span import Span
from lorelite.text.stopwords import words_of
from lorelite.text.terms import Term

MAX_TERMS = 80
MAX_RUN_TERM = 10
MIN_SENTENCES_FOR_STATISTICS = 12

_TITLES = re.compile(r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,40})』")
_QUOTED = re.compile(r"[“「]([^“”「」\n。！？，、；：.!?]{1,12})[”」]")
_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HAN_RUN = re.compile(f"[{_HAN}]{{2,}}")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_KATAKANA_RUN = re.compile("[\u30a1-\u30fa\u30fc・]{3,}")
_SOUTHEAST_RUN = re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3]{4,}")
_HANGUL_WORD = re.compile("[\uac00-\ud7a3]{2,}")
_PARTICLES = re.compile(
    "(?:에서는|에서도|으로는|에게서|이라는|이라고|에서|으로|에게|까지|부터|이나|이며|이다|라는"
    "|은|는|이|가|을|를|의|에|와|과|도|로|만|며|나)$"
)
_NAME_CHARACTER = f"(?:(?![的了是在和与及或将被从到对为由])[{_HAN}])"
_DOTTED_NAME = re.compile(
    f"(?<!{_NAME_CHARACTER})({_NAME_CHARACTER}{{1,6}}(?:·{_NAME_CHARACTER}{{1,8}})+)(?!{_NAME_CHARACTER})"
)

# Function characters: those inside no term, those that begin or end none, and measure words that begin none.
_INSIDE = frozenset("的了是在和与")
_START = frozenset("届档码条张件座项种场支员者奖士们化性度")
_BEFORE_NAME = frozenset("是和与的由了在及被将家长员")
_EDGE = frozenset(
    "的了是在和与及或就都也很而且其之这那我你他她它们有不没对从到被把为以于个着过吗呢吧啊得地会能可要将让向由比但并"
    "又还所该每各某些此上下中里后前时年月日号次位只本名多少最更已曾若如因则等第一二三四五六七八九十百千万亿两几去来说"
)
_CHINESE_STOP = words_of(
    """
    开始 因为 所以 但是 可以 没有 已经 就是 这个 那个 我们 他们 自己 以及 其中 由于 如果 同时 通过 进行 使用 成为 包括
    根据 认为 表示 许多 非常 主要 不同 重要 之间 一些 大约 部分 之后 以后 直到 需要 必须 应该
    作为 其他 这些 那些 这种 然而 因此 虽然
    并且 而且 或者 例如 什么 怎么 为了 关于 对于 至少 几乎 仍然 不是 不能 不会 还有 只有 所有 任何 导致 发现 提供 出现
    产生
    """
)
_SPACED_STOP = words_of(
    """
    के का की में है हैं को से पर और ने एक यह था थे थी कि जो भी इस लिए तक साथ हो कर गया गई गए अपने वह उस उनके तो ही या किया
    नहीं द्वारा जा रहा रहे
    होने बाद उन्होंने इसके हुए करने कुछ सकता थीं
    जब उन जैसे वाले दो इन हुआ करते तथा जाता उसके रूप होता
    से लेकर अन्य पहले दिया बहुत अधिक सभी कई साल उनकी इसे उनका उन्हें
    क्या ऊपर नीचे अलग दें करें लें जाए सके गये लगाया होगा चाहिए केवल अब फिर वहाँ यहाँ कोई उसे मैं हम आप वे अपनी इसकी इसका
    बनाया रखें जाती होती करता करती रहता किए लेकिन पास एवं हर कैसे गई
    लगभग कम सबसे जिसमें जिसे वाली वाला
    في من على إلى عن أن التي الذي هذا هذه ذلك كان كانت مع كما قد بين بعد قبل أو لا ما هو هي تم حيث لم عند كل ولكن
    وقد غير أي إن أكثر خلال حتى منذ وهو وهي بن عام
    של את על הוא היא לא עם כי גם זה אל או כל היה בין יותר אשר אך רק הם ידי לאחר כמו מה
    در به از که این است را با آن برای بود شد یک می تا بر هم او خود های شده اما نیز
    """
)
_SPACED_SCRIPTS = (
    "\u0590-\u05ff\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff"  # Hebrew, Arabic
    "\u0900-\u0dff\u0f00-\u0fff\u10d0-\u10ff\u1200-\u137f"  # the scripts of India, Tibetan, Georgian, Ethiopic
)
_SPACED_WORD = re.compile(f"(?:(?![\u0964\u0965\u060c\u061b\u061f\u06d4])[{_SPACED_SCRIPTS}])+")
_HAS_UNCASED = re.compile(f"[{characters.UNSPACED}{_SPACED_SCRIPTS}]")


def find_uncased_terms(text: str, sentences: Sequence[Span]) -> list[Term]:
    """The terms of a text, most telling first: titles in brackets, short quotations, recurring words and n-grams.

    Everything but a bracketed title must occur at least twice.
    """
    if not _HAS_UNCASED.search(text):
        return []
    places: dict[str, list[Span]] = defaultdict(list)
    for pattern in (_TITLES, _QUOTED, _DOTTED_NAME):
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            if _HAS_UNCASED.search(match[group]):
                places[match[group].strip()].append(Span(*match.span(group)))
    certain = {name for name, spans in places.items() if name and len(name) > 1}
    japanese = len(_KANA.findall(text)) * 10 > len(text)
    if japanese:
        _add_recurring(places, text, (_KATAKANA_RUN, _HAN_RUN), 2)
    else:
        _add_grams(places, text, _HAN_RUN, shortest=2, minimum=max(2, len(text) // 20_000))
    _add_grams(places, text, _SOUTHEAST_RUN, shortest=5, minimum=max(3, len(text) // 8_000))
    _add_korean(places, text)
    _add_spaced(places, text, sentences)
    terms = {
        name: _everywhere(text, name) if name in certain else tuple(spans) for name, spans in places.items() if name
    }
    ranked = sorted(terms, key=lambda name: (-len(terms[name]) * min(len(name), 6), terms[name][0].start))
    limit = min(MAX_TERMS, max(10, len(text) // 80))
    return [Term(name, None, terms[name]) for name in ranked[:limit] if len(name) > 1]


@dataclass(frozen=True, slots=True)
class Gloss:
    """A name in its own script and the same name in Latin letters behind it, in brackets."""

    name: str
    latin: str
    name_span: Span
    latin_span: Span


_LATIN_GLOSS = re.compile(r"[”」》』]?\s?[（(](?P<latin>[A-ZÀ-Þ][\w.'’-]*(?: [\w.'’-]+){0,4})[）)]")
_GLOSSED = re.compile(
    rf"(?:[“「《『](?P<quoted>[^“”「」《》『』\n]{{1,20}})[”」》』]"
    rf"|(?P<dotted>[{_HAN}]{{1,8}}(?:[·・][{_HAN}]{{1,8}})+)|(?P<kana>[\u30a1-\u30fa\u30fc・]{{3,}}))$"
)


def find_glosses(text: str) -> list[Gloss]:
    """Names glossed like 布拉姆·泰洛（Bram Tellow） or टोबियास ओडुया (Tobias Oduya), if it is clear where they begin."""
    glosses = []
    for match in _LATIN_GLOSS.finditer(text):
        if match["latin"].isupper():  # an acronym stands for an unknown number of words
            continue
        closing = match.start() + (text[match.start()] in "”」》』")
        before = text[max(0, closing - 40) : closing]
        offset = closing - len(before)
        glossed = _GLOSSED.search(before)
        if glossed:
            start, end = glossed.span(glossed.lastgroup or 0)
            edges = [place + 1 for place in range(start, before.find("·", start)) if before[place] in _BEFORE_NAME]
            start = edges[-1] if glossed.lastgroup == "dotted" and edges else start
        else:
            count = match["latin"].count(" ") + 1
            words = list(_SPACED_WORD.finditer(before))[-count:]
            if len(words) < count or before[words[0].start() : words[-1].end()].count(" ") != count - 1:
                continue
            if before[words[-1].end() :]:
                continue
            start, end = words[0].start(), words[-1].end()
        span = Span(offset + start, offset + end)
        if start < end:
            glosses.append(Gloss(span.of(text), match["latin"], span, Span(*match.span("latin"))))
    return glosses


def _everywhere(text: str, name: str) -> tuple[Span, ...]:
    return tuple(Span(*match.span()) for match in re.finditer(re.escape(name), text))


def _add_recurring(places: dict[str, list[Span]], text: str, patterns: Sequence[re.Pattern[str]], minimum: int) -> None:
    for pattern in patterns:
        found: dict[str, list[Span]] = defaultdict(list)
        for match in pattern.finditer(text):
            if len(match[0]) <= MAX_RUN_TERM:
                found[match[0]].append(Span(*match.span()))
        for name, spans in found.items():
            if len(spans) >= minimum and name not in places:
                places[name] = spans


def _add_grams(
    places: dict[str, list[Span]], text: str, pattern: re.Pattern[str], *, shortest: int, minimum: int
) -> None:
    """N-grams that recur, stand in varied company on both sides, and are part of no longer one as frequent.

    An n-gram can only recur if its own beginning and end do, so each length is searched among the survivors of the
    last (the a-priori principle).
    """
    runs = [(match.start(), match.end()) for match in pattern.finditer(text)]
    starts = [position for start, end in runs for position in range(start, end)]
    limit = {position: end for start, end in runs for position in range(start, end)}
    counts: dict[str, list[int]] = {}
    for size in range(1, MAX_RUN_TERM + 1):
        grown: dict[str, list[int]] = defaultdict(list)
        for position in starts:
            if position + size <= limit[position]:
                grown[text[position : position + size]].append(position)
        frequent = {gram: found for gram, found in grown.items() if len(found) >= minimum}
        if not frequent:
            break
        starts = [position for found in frequent.values() for position in found]
        if size >= shortest:
            counts |= frequent
    for gram in _varied(text, counts):
        places.setdefault(gram, [Span(position, position + len(gram)) for position in counts[gram]])


def _varied(text: str, counts: dict[str, list[int]]) -> list[str]:
    chosen = []
    covered: Counter[str] = Counter()
    for gram in sorted(counts, key=lambda gram: (-len(gram), counts[gram][0])):
        found = counts[gram]
        # Occurrences inside a longer chosen term say nothing for this one.
        if not _may_be_term(gram) or len(found) < 2 * (covered[gram] > 0) + covered[gram]:
            continue
        if _is_mark(text, found[0]) or _is_mark(text, found[0] + len(gram)):
            continue
        lefts = [text[position - 1 : position] for position in found]
        rights = [text[position + len(gram) : position + len(gram) + 1] for position in found]
        if _variety(lefts) >= 2 and _variety(rights) >= 2:
            chosen.append(gram)
            for size in range(2, len(gram)):
                for start in range(len(gram) - size + 1):
                    inner = gram[start : start + size]
                    if inner in counts:
                        covered[inner] += len(found)
    return chosen


def _may_be_term(gram: str) -> bool:
    if gram in _CHINESE_STOP or gram[0] in _EDGE | _START or gram[-1] in _EDGE:
        return False
    return not any(character in _INSIDE for character in gram)


def _is_mark(text: str, position: int) -> bool:
    return position < len(text) and text[position] in _FOLLOWING


# Vowel signs of Thai, Lao, Burmese and Khmer that cannot begin a word.
_FOLLOWING = frozenset(
    chr(code)
    for first, last in (
        (0xE30, 0xE3A),
        (0xE45, 0xE4E),
        (0xEB0, 0xEBD),
        (0xEC8, 0xECE),
        (0x102B, 0x103E),
        (0x17B4, 0x17D3),
    )
    for code in range(first, last + 1)
)


def _variety(neighbours: Sequence[str]) -> int:
    """Distinct neighbours; the edge of a run (punctuation, space, other script) counts each time."""
    inner = [neighbour for neighbour in neighbours if _INNER.match(neighbour)]
    return len(set(inner)) + len(neighbours) - len(inner)


_INNER = re.compile(f"[{characters.UNSPACED}]")


def _add_korean(places: dict[str, list[Span]], text: str) -> None:
    """Words without their particle, when they recur with at least two endings or three times."""
    found: dict[str, list[Span]] = defaultdict(list)
    endings: dict[str, set[str]] = defaultdict(set)
    for match in _HANGUL_WORD.finditer(text):
        stem = _PARTICLES.sub("", match[0])
        if len(stem) >= 2:
            found[stem].append(Span(match.start(), match.start() + len(stem)))
            endings[stem].add(match[0][len(stem) :])
    for stem, spans in found.items():
        if len(spans) >= 3 or (len(spans) == 2 and len(endings[stem]) == 2):
            places.setdefault(stem, spans)


def _add_spaced(places: dict[str, list[Span]], text: str, sentences: Sequence[Span]) -> None:
    """Words, and pairs of words, that recur without being in every other sentence."""
    found: dict[str, list[Span]] = defaultdict(list)
    for sentence in sentences:
        before: re.Match[str] | None = None
        for match in _SPACED_WORD.finditer(text, sentence.start, sentence.end):
            content = len(match[0]) > 2 and match[0] not in _SPACED_STOP
            if content:
                found[match[0]].append(Span(*match.span()))
                if before is not None and text[before.end() : match.start()] == " ":
                    found[f"{before[0]} {match[0]}"].append(Span(before.start(), match.end()))
            before = match if content else None
    too_common = max(MIN_SENTENCES_FOR_STATISTICS, len(sentences)) // 5
    pairs = {name for name, spans in found.items() if " " in name and len(spans) >= 2}
    inside = Counter(word for pair in pairs for word in pair.split(" ") for _ in found[pair])
    minimum = max(2, len(text) // 15_000)
    for name, spans in found.items():
        if name in pairs or minimum <= len(spans) - inside[name] <= too_common:
            places.setdefault(name, spans)
