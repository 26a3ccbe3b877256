"""Vectors observed from the reference engine, run through an adapter against Lorelite.

    python -m bench.conformance FILE [--group G ...] [--min X]

A case is passed when every step gives the observed value, better when a step gives the better value that
`differences.md` (beside FILE) declares and better/ states, failed when a step does neither, and skipped when no step
can be judged yet. Steps that cannot be run are named; those after a missing write are not judged.
Score: (passed + better) / (all - skipped).

calls/<area>.py translates the reference's calls, better/<area>.py states the better values: one module per area, so
that an area changes alone.
"""

AREAS = ("reading", "timeline", "ontology", "upsert", "ingest", "upkeep", "heal", "interchange", "memory", "okf")
"""The modules of calls/ and better/."""
