"""Memory and graphs as text for a prompt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from lorelite.errors import InvalidOption
from lorelite.records import Edge, Event, Graph, MemoryBundle, Node, Task
from lorelite.temporal import DAY_MS, iso, now_ms

_CONFIDENCE_SHARE: Mapping[str, float] = {"certain": 1.0, "inferred": 0.6, "tentative": 0.3}


def format_context(
    bundle: MemoryBundle,
    *,
    format: Literal["markdown", "plain"] = "markdown",
    max_facts: int = 10,
    max_tasks: int = 10,
    max_events: int = 10,
    include_confidence: bool = True,
    include_tags: bool = True,
    include_namespaces: bool = False,
    include_fact_scores: bool = False,
    now: int | None = None,
) -> str:
    """A bundle as text: known facts, open tasks, recent events; "" when there is nothing.

    Scored facts keep their order; others are ordered by confidence, use and age. Events come newest first.
    """
    for field, value in (("max_facts", max_facts), ("max_tasks", max_tasks), ("max_events", max_events)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InvalidOption(field, "a whole number of at least 0", value)
    if format not in ("markdown", "plain"):
        raise InvalidOption("format", "'markdown' or 'plain'", format)
    moment = now_ms() if now is None else now
    facts = list(bundle.facts)
    if not bundle.fact_scores:
        facts.sort(key=lambda fact: -_standing(fact, moment))
    tasks = sorted(bundle.tasks, key=lambda task: (-task.priority, task.created_at))
    events = sorted(bundle.events, key=lambda event: -event.created_at)

    def flags(fact: Node) -> str:
        parts = [f"({fact.confidence})"] if include_confidence else []
        parts += [f"[{', '.join(fact.tags)}]"] if include_tags and fact.tags else []
        parts += [f"{{namespace={fact.namespace}}}"] if include_namespaces else []
        score = bundle.fact_scores.get(fact.id)
        parts += [f"{{score={score:.4f}}}"] if include_fact_scores and score is not None else []
        return "".join(f" {part}" for part in parts)

    if format == "markdown":
        sections = _markdown(facts[:max_facts], tasks[:max_tasks], events[:max_events], flags)
        return "## Memory\n\n" + "\n\n".join(sections) if sections else ""
    return "\n\n".join(_plain(facts[:max_facts], tasks[:max_tasks], events[:max_events], flags))


def _markdown(facts: Sequence[Node], tasks: Sequence[Task], events: Sequence[Event], flags: object) -> list[str]:
    assert callable(flags)
    sections = []
    if facts:
        lines = []
        for fact in facts:
            lines.append(f"- **{fact.title}**{flags(fact)}")
            lines += [f"  {line}" for line in fact.body.split("\n") if fact.body]
        sections.append("### Known Facts\n" + "\n".join(lines))
    if tasks:
        sections.append(
            "### Open Tasks\n" + "\n".join(f"- [P{t.priority}] {t.description} ({t.status})" for t in tasks)
        )
    if events:
        sections.append(
            "### Recent Events\n" + "\n".join(f"- [{e.event_type} @ {iso(e.created_at)}] {e.summary}" for e in events)
        )
    return sections


def _plain(facts: Sequence[Node], tasks: Sequence[Task], events: Sequence[Event], flags: object) -> list[str]:
    assert callable(flags)
    sections = []
    if facts:
        sections.append("KNOWN FACTS:\n" + "\n".join(f"{f.title}{flags(f)}: {f.body}" for f in facts))
    if tasks:
        sections.append("OPEN TASKS:\n" + "\n".join(f"[P{t.priority}] {t.description} ({t.status})" for t in tasks))
    if events:
        sections.append(
            "RECENT EVENTS:\n" + "\n".join(f"[{e.event_type} @ {iso(e.created_at)}] {e.summary}" for e in events)
        )
    return sections


def _standing(fact: Node, now: int) -> float:
    age_days = max(0, now - fact.updated_at) / DAY_MS
    return _CONFIDENCE_SHARE[fact.confidence] + 0.3 * math.log1p(fact.access_count) + 0.5 * math.exp(-age_days / 30)


def format_graph_context(graph: Graph, *, include_bodies: bool = False) -> str:
    """A graph as text: each node with its edges, every edge once, under the first of its ends; "" when empty.

    include_bodies adds each node's first line of body.
    """
    nodes = {node.id: node for node in graph.nodes}
    printed: set[str] = set()
    lines = []
    for node in graph.nodes:
        lines.append(f"[{node.node_type or node.kind}] {node.title} (ID: {node.id})")
        if include_bodies and node.body:
            lines.append(f"  {node.body.splitlines()[0]}")
        outbound = [edge for edge in graph.edges if edge.source_id == node.id and edge.target_id in nodes]
        inbound = [edge for edge in graph.edges if edge.target_id == node.id and edge.source_id in nodes]
        for arrow, edges, other_end in (
            ("-[{}]-> ", outbound, "target_id"),
            ("<-[{}]- ", inbound, "source_id"),
        ):
            for edge in _ordered(edges, nodes, other_end):
                if edge.id in printed or edge.source_id == edge.target_id:
                    continue
                printed.add(edge.id)
                other = nodes[getattr(edge, other_end)]
                lines.append(f"  {arrow.format(edge.edge_type)}[{other.node_type or other.kind}] {other.title}")
    return "\n".join(lines)


def _ordered(edges: Iterable[Edge], nodes: Mapping[str, Node], other_end: str) -> list[Edge]:
    def key(edge: Edge) -> tuple[str, str, str, str]:
        other = nodes[getattr(edge, other_end)]
        return edge.edge_type, other.title, other.id, edge.id

    return sorted(edges, key=key)
