"""The part of the table of tools that looks after a memory, and that forgets."""

from __future__ import annotations

from lorelite.tools.entry import DRY_RUN, FEW, TEXT, Entry

UPKEEP: tuple[Entry, ...] = (
    # -- maintain -------------------------------------------------------------------------------------------------
    Entry(
        name="run_librarian",
        method="run_librarian",
        scope="maintain",
        description="Make facts and tasks of the events that were not read yet.",
        parameters={"dry_run": DRY_RUN},
    ),
    Entry(
        name="run_heal",
        method="run_heal",
        scope="maintain",
        description="Look over old facts: contradictions, duplicates, what is stale or nothing rests on. What the user "
        "stated is never deleted.",
        parameters={"dry_run": DRY_RUN},
    ),
    Entry(
        name="run_ontology_backfill",
        method="run_ontology_backfill",
        scope="maintain",
        description="Give types of the ontology to facts that have none.",
        parameters={"dry_run": DRY_RUN},
    ),
    Entry(
        name="run_reembed",
        method="run_reembed",
        scope="maintain",
        description="Make missing and outdated vectors, so that search by meaning finds everything.",
        parameters={"dry_run": DRY_RUN},
    ),
    Entry(
        name="suggest_merges",
        method="suggest_merges",
        scope="maintain",
        description="Which entities may be one thing under two names: pairs, likeliest first, with their ids and what "
        "speaks for and against it. Changes nothing.",
        parameters={
            "min_score": "How likely at least, 0 to 1; 0.6 unless told.",
            "limit": "How many pairs at most.",
            "types": "Only entities of these types.",
        },
        limits={"min_score": {"minimum": 0, "maximum": 1}, "limit": FEW},
    ),
    Entry(
        name="merge_entities",
        method="merge_entities",
        scope="maintain",
        description="Make entities part of another that is the same thing: what is said of them is said of it from now "
        "on. Only where you are sure; undo_merge takes it back.",
        parameters={
            "into": "The id of the entity that stays, or its name.",
            "others": "The ids or names of those that become part of it.",
            "reason": "Why they are one.",
        },
        limits={"into": TEXT},
    ),
    Entry(
        name="reject_merge",
        method="reject_merge",
        scope="maintain",
        description="Remember that two entities are two things, so that they are not suggested again.",
        parameters={"first": "The id or name of the one.", "second": "The id or name of the other."},
        limits={"first": TEXT, "second": TEXT},
    ),
    Entry(
        name="undo_merge",
        method="undo_merge",
        scope="maintain",
        description="Take an entity out of the one that it was merged into, with all that is its own.",
        parameters={"merged_id": "The id or name of the one that was merged."},
        limits={"merged_id": TEXT},
    ),
    Entry(
        name="run_pending_maintenance",
        method="run_pending_maintenance",
        scope="maintain",
        description="Run whatever upkeep is due.",
    ),
    # -- forget --------------------------------------------------------------------------------------------------
    Entry(
        name="run_prune",
        method="run_prune",
        scope="forget",
        description="Remove for good what was deleted longer ago than it is kept.",
        parameters={"dry_run": DRY_RUN},
    ),
    Entry(
        name="forget",
        method="forget",
        scope="forget",
        description="Delete one fact, one task, or a document with all that rests on it alone. Only when the user asks "
        "for it; what has merely changed is superseded.",
        parameters={
            "node_id": "The id of a fact or another node.",
            "task_id": "The id of a task.",
            "source_ref": "The name of a document.",
            "dry_run": DRY_RUN,
        },
    ),
)
