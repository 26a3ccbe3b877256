"""`AsyncWiki`: the public face, every method a coroutine. `lorelite.blocking` holds its twin `Wiki`, part for part.

A method here checks what the caller passed, and hands over to one workflow.
"""

from __future__ import annotations

from lorelite.wiki.calls import Calls
from lorelite.wiki.documents import Documents
from lorelite.wiki.evaluating import Evaluating
from lorelite.wiki.graph_interchange import GraphInterchange
from lorelite.wiki.graphs import Graphs
from lorelite.wiki.interchange import Interchange
from lorelite.wiki.memory import Memory
from lorelite.wiki.merging import Merging
from lorelite.wiki.reading import Reading
from lorelite.wiki.review import Review
from lorelite.wiki.rules import Rules
from lorelite.wiki.sources import Sources
from lorelite.wiki.timeline import Timeline
from lorelite.wiki.upkeep import Upkeep
from lorelite.wiki.walking import Walking


class AsyncWiki(
    Memory,
    Documents,
    Reading,
    Walking,
    Review,
    Rules,
    Sources,
    Timeline,
    Upkeep,
    Interchange,
    GraphInterchange,
    Graphs,
    Merging,
    Evaluating,
    Calls,
):
    """A wiki in one SQLite file, to be awaited: `async with await AsyncWiki.open("brain.db") as wiki`.

    In a browser tab a plain file name is kept in the browser's storage and survives a reload. Calls may come from
    one event loop; SQLite itself is never awaited, so a call with no model finishes without yielding.
    """
