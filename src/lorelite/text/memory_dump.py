"""A memory as files to read: one JSON manifest for programs, one Markdown page a namespace for people."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from lorelite.dumps import MemoryDump, NamespaceDump
from lorelite.errors import InvalidOption
from lorelite.records import Edge, Event, MemoryBundle, Node, Task
from lorelite.temporal import iso

MANIFEST = "manifest.json"
_FORMAT = "lorelite-memory/1"
_UNSAFE = re.compile(r"[^\w.-]+")


def format_memory_dump(memory: MemoryDump | MemoryBundle) -> dict[str, str]:
    """Path → content: "manifest.json" and "namespaces/<name>.md" for each namespace.

    memory: what `export_dump`, `get_memory_bundle` or `read` gave. The same memory always gives the same files.
    Vectors are left out, and so are the texts of documents. To take a memory in again, use `export_dump`.
    """
    if isinstance(memory, MemoryDump):
        namespaces, generated_at = dict(memory.namespaces), memory.generated_at
    elif isinstance(memory, MemoryBundle):
        namespaces, generated_at = _by_namespace(memory), 0
    else:
        raise InvalidOption("memory", "a MemoryDump or a MemoryBundle", memory)
    names = sorted(namespaces)
    pages = {name: f"namespaces/{_file_name(name)}.md" for name in names}
    manifest = {
        "format": _FORMAT,
        "generated_at": generated_at,
        "namespaces": {name: {"page": pages[name], **_rows(namespaces[name])} for name in names},
    }
    files = {MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"}
    return files | {pages[name]: _page(namespaces[name]) for name in names}


def _by_namespace(bundle: MemoryBundle) -> dict[str, NamespaceDump]:
    everything: tuple[Node | Task | Event | Edge, ...] = (*bundle.facts, *bundle.tasks, *bundle.events, *bundle.edges)
    names = {*bundle.metadata.get("namespaces", ()), *(item.namespace for item in everything)}
    return {
        name: NamespaceDump.of(
            name,
            nodes=[node for node in bundle.facts if node.namespace == name],
            edges=[edge for edge in bundle.edges if edge.namespace == name],
            tasks=[task for task in bundle.tasks if task.namespace == name],
            events=[event for event in bundle.events if event.namespace == name],
        )
        for name in names
    }


def _rows(namespace: NamespaceDump) -> dict[str, object]:
    kept = {table: rows for table, rows in namespace.rows.items() if table not in ("vector", "document")}
    return {"summary": namespace.summary, "rows": {table: list(kept[table]) for table in sorted(kept)}}


def _file_name(namespace: str) -> str:
    """The namespace as a file name; where that is another name, with a mark that keeps it apart from others."""
    plain = _UNSAFE.sub("_", namespace)[:100]
    return (
        plain
        if plain == namespace == namespace.lower()
        else f"{plain}-{hashlib.sha256(namespace.encode()).hexdigest()[:8]}"
    )


def _page(namespace: NamespaceDump) -> str:
    titles = {node.id: node.title for node in namespace.nodes}
    sections = [f"# {_one_line(namespace.name)}", namespace.summary]
    for heading, nodes in (("Facts", namespace.facts), ("Entities", namespace.entities)):
        sections.append(_section(heading, map(_node, nodes), "\n\n"))
    sections.append(_section("Relations", _relations(namespace.edges, titles)))
    tasks = sorted(namespace.tasks, key=lambda task: (-task.priority, task.created_at, task.id))
    sections.append(_section("Tasks", map(_task, tasks)))
    events = [f"- {iso(event.created_at)} {event.event_type}: {_one_line(event.summary)}" for event in namespace.events]
    sections.append(_section("Events", events))
    return "\n\n".join(section for section in sections if section) + "\n"


def _section(heading: str, parts: Iterable[str], between: str = "\n") -> str:
    body = between.join(parts)
    return f"## {heading}\n\n{body}" if body else ""


def _node(node: Node) -> str:
    told = [node.node_type, node.confidence, node.source_type, node.source_ref]
    if node.lifecycle != "stable":
        told.append(node.lifecycle)
    marks = " · ".join(_one_line(mark) for mark in told if mark)
    lines = [f"### {_one_line(node.title)}", f"`{node.id}` · {marks}", node.body.strip()]
    if node.tags:
        lines.append("Tags: " + ", ".join(map(_one_line, node.tags)))
    return "\n\n".join(line for line in lines if line)


def _relations(edges: Sequence[Edge], titles: Mapping[str, str]) -> list[str]:
    return sorted(
        f"- {_one_line(titles[edge.source_id])} — {_one_line(edge.edge_type)} → {_one_line(titles[edge.target_id])}"
        for edge in edges
        if edge.source_id in titles and edge.target_id in titles
    )


def _task(task: Task) -> str:
    box = "x" if task.status == "done" else " "
    return f"- [{box}] {_one_line(task.description)} (priority {task.priority}, {task.status})"


def _one_line(text: str) -> str:
    return " ".join(text.split())
