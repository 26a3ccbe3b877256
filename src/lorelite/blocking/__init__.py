"""`Wiki`: the blocking twin of `AsyncWiki`. Every method hands over to its coroutine and steps it once."""

from __future__ import annotations

from lorelite.blocking.calls import Calls
from lorelite.blocking.documents import Documents
from lorelite.blocking.evaluating import Evaluating
from lorelite.blocking.graph_interchange import GraphInterchange
from lorelite.blocking.graphs import Graphs
from lorelite.blocking.interchange import Interchange
from lorelite.blocking.memory import Memory
from lorelite.blocking.merging import Merging
from lorelite.blocking.reading import Reading
from lorelite.blocking.review import Review
from lorelite.blocking.rules import Rules
from lorelite.blocking.sources import Sources
from lorelite.blocking.timeline import Timeline
from lorelite.blocking.upkeep import Upkeep
from lorelite.blocking.walking import Walking


class Wiki(
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
    """A wiki in one SQLite file, for code without an event loop: `with Wiki.open("brain.db") as wiki`.

    Works inside a running loop too. Threads may share it: their calls take turns. A model that must be awaited is
    refused at `open` with AsyncOnlyModel. In a browser tab nothing can block, so there use AsyncWiki: a Wiki works
    on the tab's memory alone.
    """
