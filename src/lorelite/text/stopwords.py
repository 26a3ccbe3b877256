"""Function words that a query may lose without losing its subject.

They stay in the index (phrases need them) and leave queries only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable


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
    "ro": words_of(
        """
        acea aceasta această acest acesta am ar au că când câte câți ce cei cel cele cine cu cum cărui de
        decât deși din dintre după ea ei ele este erau era fost fără iar în între la le lor lui mai nu nici o ori
        pe pentru prin sau să se spre sunt și un unde unei unui va
        """
    ),
    "cs": words_of(
        """
        aby aj ako ale alebo ani až bol bola bolo boli by byl byla bylo byli být co čo do i jak jaká jaké jako je
        jeho její jejich jsou k kde kdo kdy kolik která které který ktorá ktorý kto na nebo není o od po pro pri
        před při s sa se si sú také tak ten této to u v ve z za ze že
        """
    ),
    "da": words_of(
        """
        af at blev bliver da de den denne der deres det dette eller en er et etter for han har hva hvad
        hvem hvilken hvilket hvor hvorfor hvornår i ikke ikkje jeg kan med mellem mellom når og også om på som til
        ud under var ved være været
        """
    ),
    "fi": words_of(
        """
        ei ja että he hän jossa joka jotka jota kanssa kenen kuin kuinka kuka kun koska mikä missä mitä mistä miksi
        milloin montako mutta myös ne niin nämä oli olivat on ovat se sekä siitä sitä tämä vai voi
        """
    ),
    "hu": words_of(
        """
        a az aki amely amelyek ami annak azt az be csak de egy el ezek ez ezt és hány hogy hogyan hol ha is ki kik
        melyik mely mennyi mert mi mikor milyen minden miért még nem pedig sem szerint után vagy volt
        voltak
        """
    ),
    "hr": words_of(
        """
         bi bila bilo da do gdje gde i ili iz ja je jesu kada kako kao koja koje koji koliko kroz li na nije
        ne o od oko po pod pri sa se su šta što te tko u uz za zašto
        """
    ),
    "vi": words_of(
        """
        bởi bị bao cho có các của cũng gì hoặc khi không là mà một nào này nhiêu như những nếu năm ra rằng thì
        tại từ trong và vào vì về với đâu đã được đó để đến ở
        """
    ),
    "ru": words_of(
        """
        а без бы был была были было быть в во вы для до его ее её если же за и из или их к как на над не него нее
        но о об он она они оно от по под после при с со так также то только том у чего чем что чтобы эта эти это этот
        """
    ),
    "uk": words_of(
        """
        а або але без був була були було в від він вона вони до з за й його її із їх і на над не о об під по при про
        та так також у це цей ці що щоб як яка яке який які
        """
    ),
    "bg": words_of(
        """
        а без бе беше в във за и из или когато като какъв каква какво кой коя къде към ли на над не но от по под при с
        са се си след след със също така то тази този това до е че
        """
    ),
    "el": words_of(
        """
        αλλά ανά από αυτά αυτή αυτό αυτόσ για δεν είναι είχε είχαν ένα έναν ένασ επίσησ ή ήταν η θα και κατά με μετά
        μια μία μιασ να ο οι όπωσ όταν ότι που προσ σε στα στη στην στισ στο στον στουσ τα τη την τησ τισ το τον του
        τουσ των ωσ
        """
    ),
    "ar": words_of(
        """
        ان إن أن او أو التي الذي الذين الي إلى الى بعد بين تم ثم حتي حتى حيث خلال ذلك عن عند علي على عليه عليها غير
        في فيه فيها قبل قد كان كانت كما لا لم له لها ليس مع منذ منه منها هذا هذه هو هي وكان وهو وهي
        """
    ),
    "fa": words_of(
        """
        آن از است این با باشد بر برای بود به تا خود در را شد شده كه که كرد کرد می مي نیز نيز و های هاي هر هم یا يا
        یک يك
        """
    ),
    "he": words_of("או אך אל אם אני אשר את גם היא היה היו הוא הם זה זו זאת יותר כי כל כמו לא לפי על עם של רק"),
    "hi": words_of(
        """
        अपनी अपने अपना इस इसके इसकी इन उनके उनकी उस उसके एक एवं और कर करते करने का कि की के को गई गए गया जब जो तक
        तथा तो था थी थे ने नहीं पर भी में यह ये या लिए वह वे से साथ हुआ हुई हुए है हैं हो होता होती होते
        """
    ),
}

# Function words that are content words elsewhere: they speak for no language, and leave a query of a known one only.
_AMBIGUOUS: dict[str, frozenset[str]] = {
    "de": words_of("die man war waren"),
    "fr": words_of("an me on sans son"),
    "es": words_of("son"),
    "it": words_of("come per sono"),
    "pt": words_of("dos mesmo sob"),
    "nl": words_of("van die ben had hier of"),
    "sv": words_of("men vara"),
    "ro": words_of("care sub"),
    "da": words_of("far fra ham man men"),
    "hu": words_of("van mint"),
    "fi": words_of("ole tai"),
}

UNINFLECTED = frozenset({"vi"})
"""Languages whose words have one form."""

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


FOREIGN = frozenset().union(ASKING_WORDS, *OTHER_LANGUAGES.values())
"""The function words of all languages but English."""
FOREIGN_ALONE = FOREIGN - ENGLISH
_ENGLISH_ALONE = ENGLISH - FOREIGN


def foreign_language(words: Collection[str], evidence: int = 2) -> str | None:
    """The language whose function words are commonest among *words* (case-folded); None for English, or for none.

    At least *evidence* of its function words must occur, and fewer of English.
    """
    strange = FOREIGN_ALONE.intersection(words)
    if len(strange) <= len(_ENGLISH_ALONE.intersection(words)):
        return None
    present = FOREIGN.intersection(words)
    best, least = None, max(evidence - 1, len(ENGLISH.intersection(words)))
    for language, function_words in OTHER_LANGUAGES.items():
        count = len(present & function_words)
        if count > least:
            best, least = language, count
    return best


def stop_words_for(words: Iterable[str]) -> frozenset[str]:
    """The function words to ignore in a query made of `words` (already case-folded).

    English and the asking words of other scripts, plus one other language when at least two of its function words
    occur and English has fewer.
    """
    language = foreign_language(frozenset(words))
    if language is None:
        return ENGLISH | ASKING_WORDS
    return ENGLISH | ASKING_WORDS | OTHER_LANGUAGES[language] | _AMBIGUOUS.get(language, frozenset())
