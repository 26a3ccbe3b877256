"""Function words that a query may lose without losing its subject.

They stay in the index (phrases need them) and leave queries only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def words_of(text: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(text.split())


ENGLISH = words_of(
    """
    a about after all also am an and any are as at be because been before being between both but by can could
    did do does doing don't during each else few for from get had has have having he her here hers him his how i
    i'm if in into is isn't it it's its itself just let's me might more most must my no nor not of off on once
    only or other our out over own s same shall she should since so some such t than that that's the their them
    then there these they this those through to too under until up upon very was we were what when where
    whether which while who whom whose why will with within would you your yours
    """
)

# Words that are content words in English (die, war, son, sans, come, per) are left out on purpose.
OTHER_LANGUAGES: dict[str, frozenset[str]] = {
    "de": words_of(
        """
        aber als am auch auf aus bei bin bis da damit dann das dass dem den denn der des dies diese dieser dieses
        doch dort durch ein eine einem einen einer eines er es für gegen hat hatte haben ich ihm ihn ihr ihre im
        in ist ja kann kein keine mehr mein mit nach nicht noch nur ob oder ohne sehr sein seine seiner sich sie
        sind so über um und uns unter vom von vor wann warum was wegen welche welcher welches wem wen wenn wer
        werden wie wird wir wo wurde wurden zu zum zur zwischen
        """
    ),
    "fr": words_of(
        """
        au aux avec ce ces cette chez comme comment dans de des du elle elles en est et été être eu il ils je la
        le les leur leurs lui mais ne nous on où ou par pas plus pourquoi qu quand que quel quelle quelles quels
        qui quoi sa se ses sont sur ta tu un une vos votre vous y
        """
    ),
    "es": words_of(
        """
        al aunque como cómo con cual cuál cuáles cuando cuándo cuántos cuya de del desde donde dónde durante el él
        ella ellos en entre era es esta está este esto fue fueron ha han hasta hay la las le les lo los más muy ni
        o para pero por porque qué que quien quién quiénes se según ser si sin sobre su sus también un una y ya
        """
    ),
    "it": words_of(
        """
        ai al alla alle anche che chi ci con cosa cui da dal dalla degli dei del della delle di dove e è era gli
        ha hanno i il in la le lo loro ma nei nel nella non o perché più quale quali quando quanti questa questo
        se si sono su sua suo sulla tra un una uno
        """
    ),
    "pt": words_of(
        """
        ao aos à às as com como da das de do dos e é ela ele em entre era essa esse esta este foi foram há isso
        mais mas na nas não no nos o onde os ou para pela pelo por porque qual quais quando quantos que quem se
        sem ser seu seus sua suas são também um uma
        """
    ),
    "nl": words_of(
        """
        aan als bij dat de deze dit een en er had heeft het hij hun ik in is kan maar naar niet
        nog of om onder ook op over te tot uit voor waar waarom wanneer was wat welk welke werd wie wordt zijn zo
        """
    ),
    "pl": words_of(
        """
        być był była było by co czy czym dla dlaczego do gdzie i ile jak jaka jaki jakie kiedy kogo komu kto
        która które który na nie o od po przez są się to w z za ze że
        """
    ),
    "sv": words_of(
        """
        att av de det där efter eller en ett från för har hon hur i inte med mot någon när och om på som
        under ur vad var varför vem vid vilka vilken vilket än är
        """
    ),
    "tr": words_of(
        """
        ama bir bu da de daha gibi hangi ile için kaç ki kime kimin mi mu mı mü nasıl ne neden nerede nereye niçin
        o olan olarak ve veya zaman çok şu
        """
    ),
}

# Asking words of other scripts, which no English word can be mistaken for.
ASKING_WORDS = words_of(
    """
    кто что где когда как почему зачем какой какая какое какие сколько кого кому чей куда хто що де коли чому як
    ποιος ποιοσ ποια ποιο ποιοι τι πού που πότε ποτε πώς πωσ γιατί γιατι πόσα ποσα πόσο ποσο
    من ما ماذا متى متي أين اين كيف لماذا كم هل أي اي مَن کی کجا چرا چگونه چه کدام کون کیا کب کہاں کیوں کیسے
    מי מה מתי איפה היכן איך למה מדוע כמה האם איזה איזו
    कौन क्या कब कहाँ कहां क्यों कैसे किसने किसका किसकी किसके किसे कितना कितने कितनी कौनसा
    কে কি কী কখন কোথায় কেন কীভাবে কত யார் என்ன எப்போது எங்கே ఎవరు ఏమిటి ఎప్పుడు ఎక్కడ
    """
)

# The same in scripts without spaces between words, where they are cut out of a run; the longest first.
_UNSPACED_ASKING = re.compile(
    "什么时候|甚麼時候|什麼時候|为什么|為什麼|什么|什麼|哪里|哪裡|哪儿|哪个|哪個|怎么样|怎麼樣|怎么|怎麼|如何|多少|是谁|是誰|谁|誰[がはのを]?|[吗嗎呢]"
    "|どうして|どのように|どこ[にでへのがはを]?|いつ|なぜ|何[がをはの]|だれ[がはのを]?|(?:ました|ます|です|でした)か|ですか"
    r"|누가|누구[가는의를]?|언제|어디[에서]*|무엇[이을은]?|왜|어떻게|몇|하?는가(?!\w)|나요(?!\w)"
    "|เมื่อไหร่|เมื่อไร|ที่ไหน|ทำไม|อย่างไร|เท่าไร|เท่าไหร่|ใคร|อะไร|ไหน"
)


def without_asking_words(question: str) -> str:
    """*question* with a space for each asking word of a script that puts no spaces between words."""
    return _UNSPACED_ASKING.sub(" ", question)


def stop_words_for(words: Iterable[str]) -> frozenset[str]:
    """The function words to ignore in a query made of `words` (already case-folded).

    English and the asking words of other scripts, plus one other language when at least two of its function words
    occur and English has fewer.
    """
    present = set(words)
    english = len(present & ENGLISH)
    best, matched = frozenset[str](), 1
    for stop_words in OTHER_LANGUAGES.values():
        count = len(present & stop_words)
        if count > max(matched, english):
            best, matched = stop_words, count
    return ENGLISH | ASKING_WORDS | best
