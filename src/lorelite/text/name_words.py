"""Words that tell what a capitalised span is, or that it is no name."""

from __future__ import annotations

from lorelite.text.stopwords import ENGLISH, OTHER_LANGUAGES, words_of

NO_NAMES = (
    ENGLISH.union(*OTHER_LANGUAGES.values())
    | words_of(
        """
        above across again against ago ah aha alas almost along already although always amen among another anybody
        anyone anything around ask asked away aye back bah became become behind below beneath beside besides best
        better beyond bless bring came can't cannot certainly chapter come coming couldn't dear dearest despite didn't
        doesn't done down either enough even ever every everybody everyone everything far fewer fifth finally find
        first five forward four fourth gave ghosts give given go god going gone good goodbye got great ha hadn't
        hallo halloa hasn't haven't hear heaven hello help hence herself hey himself hold hoop humbug hurrah hush
        however hundred i'd i'll i've indeed instead isn't keep knew know last late lately later latter least less
        let like likewise listen little long look lord made make many maybe meanwhile merry mind miss moreover much
        must myself namely near nearly neither never nevertheless new next nine no nobody none nonsense nothing now
        often oh old ok okay one others otherwise ought ours ourselves own part per perhaps please poor quite rather
        really regarding said saw say says second section see seem seen sent seven several shan't she's since sir six
        something sometimes somewhere soon still stop suddenly sure take
        tell ten themselves thank thanks that'll thee
        there's
        therefore they'll they're thing think third thou though thought thousand three through throughout thus thy
        till today together tomorrow tonight took toward towards two unless unlike until use used using usually
        various versus via want wasn't way well weren't what's whatever whenever wherever who's whoever why wish
        without won't worse wouldn't yes yesterday yet yours yourself stave figure table note example please
        aber also dabei daher dazu deshalb doch jedoch schon zwar seit während
        """
    )
    | words_of("die war son sans come per pour dans lors selon après avant entonces pero cuando dopo prima")
)
"""Case-folded words that are no name when they stand alone, and are cut from the start of one."""

MONTHS_AND_DAYS = words_of(
    """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays spring summer autumn winter
    januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
    janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi
    vendredi samedi dimanche enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    """
)

HONORIFICS = words_of(
    """
    mr dr prof professor doctor captain capt cpt lieutenant lt sergeant sgt colonel col general gen major admiral
    agent sir lord herr monsieur señor signor don st saint president senator governor judge reverend rev uncle
    brother father king prince count baron master agents messrs
    """
)
"""A title before a name; the name without it means the same person."""

OWN_HONORIFICS = words_of("mrs ms miss mme madame mlle lady dame frau señora signora aunt sister mother queen princess")
"""A title that tells one member of a family from another, so it stays in the name."""

PERSON_TITLES = (HONORIFICS | OWN_HONORIFICS) - {"general", "gen", "st", "saint", "major"}

ORGANISATIONS = words_of(
    """
    inc ltd llc corp corporation company co gmbh ag plc university college school institute institution academy
    laboratory laboratories foundation fund trust board committee commission council ministry department agency
    bureau office bank society association union federation league club party museum library press orchestra church
    hospital group team squad
    """
)
PLACES = words_of(
    """
    street road avenue lane square court bridge river lake tarn sea ocean sound bay strait channel island islands
    isle mountain mountains mount hill hills ridge peak valley forest desert park garden gardens coast beach cape
    point harbour harbor port airport station base city town village county district province kingdom castle palace
    hall tower churchyard cemetery farm
    """
)
CONNECTORS = words_of("of de la le du des del della di da van von bin ibn al")
"""Small words inside a name. The "the" after "of" counts too."""

PLACE_ADJECTIVES = words_of(
    """
    new north south east west northern southern eastern western central upper lower great greater grand royal united
    national international long high super los las san santa saint st el la van de red white black blue green big
    """
)
"""Words that belong to a name when a capitalised word follows: New England, Long Beach."""

FOND_ADJECTIVES = words_of("old young little poor dear good")
"""Words before a name that are no part of it: Old Marley, Poor Scrooge."""

AFTER_RANK = words_of("manager league assembly motors electric terms secretary public hospital staff election council")
"""After these "general" and "major" are no titles of a person."""

ROMAN_NUMERALS = words_of("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xx")


def type_of_name(name: str) -> str | None:
    """What the words of a name of several words tell: person ("Captain Teague"), organization, place; else None."""
    words = [word.casefold().strip(".,") for word in name.split()]
    if len(words) < 2 or not name[:1].isupper() or not name.split()[-1][:1].isupper():
        return None
    if words[0] in PERSON_TITLES:
        return "person"
    if words[-1] in ORGANISATIONS or (words[0] in ORGANISATIONS and words[1] == "of"):
        return "organization"
    if words[-1] in PLACES or words[0] in ("lake", "mount", "port", "cape", "river"):
        return "place"
    return None
