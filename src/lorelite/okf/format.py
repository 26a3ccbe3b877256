"""From what a namespace holds to the files of an OKF bundle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lorelite.dumps import NamespaceDump, Row
from lorelite.okf.bundle_file import KIND_FOLDERS, REST_FILE, OkfFile
from lorelite.okf.fields import OKF_VERSIONS, OURS, Profile, fact_fields, task_fields
from lorelite.okf.frontmatter import Verbatim, emit
from lorelite.okf.links import escaped, relative, unescaped
from lorelite.okf.log import comment, format_log
from lorelite.okf.names import file_name, hashed_name
from lorelite.records import Edge, Node, Task

RELATED = "## Related"
MARK = "<!-- related -->"
"""Stands before the relations in our profile, so that a body may hold any text, RELATED included."""


def format_namespaces(dumps: Sequence[NamespaceDump], profile: Profile) -> list[OkfFile]:
    """The files of a bundle, the same for the same rows."""
    files: list[OkfFile] = []
    folders = _names(dump.name for dump in dumps)
    for dump in dumps:
        files += _Namespace(dump, f"entities/{folders[dump.name]}", profile).files()
    listed = [f"* [{escaped(name)}](entities/{folder}/index.md)" for name, folder in folders.items()]
    head = emit([("okf_version", OKF_VERSIONS[profile]), ("profile", Verbatim(profile))])
    return [*files, OkfFile("index.md", head + "\n## Entities\n\n" + "\n".join(listed) + "\n")]


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Id → file name; two that differ in case alone would be one file on many systems."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for id in ids:
        name = file_name(id)
        if name.casefold() in taken:
            name = hashed_name(id, name)
        taken.add(name.casefold())
        found[id] = name
    return found


class _Namespace:
    """The files of one namespace."""

    def __init__(self, dump: NamespaceDump, folder: str, profile: Profile) -> None:
        self._dump = dump
        self._folder = folder
        self._profile = profile
        self._nodes = [node for node in dump.nodes if node.kind in KIND_FOLDERS]
        if profile == OURS:
            # In an order that parsing gives back, so that exports equal each other.
            self._nodes.sort(key=lambda node: node.id)
        self._tasks = sorted(dump.tasks, key=lambda task: task.id) if profile == OURS else dump.tasks
        self._paths: dict[str, str] = {}
        for kind, place in KIND_FOLDERS.items():
            for id, name in _names(node.id for node in self._nodes if node.kind == kind).items():
                self._paths[id] = f"{folder}/{place}/{name}.md"
        self._task_paths = {id: f"{folder}/tasks/{name}.md" for id, name in _names(t.id for t in self._tasks).items()}
        self._outbound: dict[str, list[Edge]] = {}
        for edge in sorted(dump.edges, key=lambda edge: (edge.edge_type, edge.target_id, edge.id)):
            self._outbound.setdefault(edge.source_id, []).append(edge)

    def files(self) -> list[OkfFile]:
        log_path = f"{self._folder}/log.md"
        log = format_log(self._dump.events, lambda id: self._way(id, log_path), self._profile)
        return [
            *map(self._concept, self._nodes),
            *map(self._task, self._tasks),
            OkfFile(log_path, log),
            OkfFile(f"{self._folder}/index.md", self._index()),
            *self._rest(),
        ]

    def _way(self, id: str, start: str) -> str | None:
        path = self._paths.get(id) or self._task_paths.get(id)
        return None if path is None else relative(path, start)

    def _concept(self, node: Node) -> OkfFile:
        path = self._paths[node.id]
        return OkfFile(path, emit(fact_fields(node, self._profile)) + "\n" + node.body + self._related(node, path))

    def _task(self, task: Task) -> OkfFile:
        path = self._task_paths[task.id]
        body = task.body if self._profile == OURS else ""
        return OkfFile(path, emit(task_fields(task, self._profile)) + "\n" + body + self._related(task, path))

    def _related(self, row: Node | Task, path: str) -> str:
        lines = []
        for edge in self._outbound.get(row.id, ()):
            way = self._way(edge.target_id, path)
            if way is not None:
                exact = f" <!-- {comment(_exact_edge(edge))} -->" if self._profile == OURS else ""
                lines.append(f"- [{escaped(edge.edge_type)}]({way}){exact}")
        body = row.body if isinstance(row, Node) or self._profile == OURS else ""
        mark = f"{MARK}\n" if self._profile == OURS else ""
        gap = "\n\n" if body else ""
        if not lines:
            return f"{gap}{mark}" if MARK in body else ""
        return gap + mark + f"{RELATED}\n\n" + "\n".join(lines) + "\n"

    def _index(self) -> str:
        base = f"{self._folder}/index.md"
        sections = [self._dump.summary] if self._dump.summary else []
        for kind, place in KIND_FOLDERS.items():
            listed = [(node.title, self._paths[node.id]) for node in self._nodes if node.kind == kind]
            sections += _listing(place.capitalize(), listed, base)
        sections += _listing("Tasks", [(task.description, self._task_paths[task.id]) for task in self._tasks], base)
        return "\n\n".join([*sections, "[Event log](./log.md)"]) + "\n"

    def _rest(self) -> list[OkfFile]:
        if self._profile != OURS:
            return []
        lines = sorted(
            json.dumps({"table": table, "row": row}, ensure_ascii=False, sort_keys=True)
            for table, row in [*self._dump.rest, *self._unsaid()]
        )
        return [OkfFile(f"{self._folder}/{REST_FILE}", "".join(f"{line}\n" for line in lines))] if lines else []

    def _unsaid(self) -> list[tuple[str, Row]]:
        """The nodes that are no concepts, and the edges that are no links between two concepts."""
        said = self._paths.keys() | self._task_paths.keys()
        rows = self._dump.rows
        nodes = [("node", row) for row in rows.get("node", ()) if row["id"] not in self._paths]
        edges = [("edge", row) for row in rows.get("edge", ()) if not {row["source_id"], row["target_id"]} <= said]
        return [*nodes, *edges]


def _listing(title: str, listed: Sequence[tuple[str, str]], base: str) -> list[str]:
    if not listed:
        return []
    return [f"## {title}\n\n" + "\n".join(f"* [{escaped(text)}]({relative(path, base)[2:]})" for text, path in listed)]


_EDGE_DEFAULTS: Mapping[str, Any] = {
    "weight": 1.0, "description": "", "confidence": "certain", "origin": "stated", "source_ref": None,
    "source_hash": None, "valid_from": None, "valid_to": None,
}  # fmt: skip


def _exact_edge(edge: Edge) -> dict[str, Any]:
    """What a link does not say of an edge; the times that every edge has, and the rest where it is not the usual."""
    told = {name: getattr(edge, name) for name, usual in _EDGE_DEFAULTS.items() if getattr(edge, name) != usual}
    if unescaped(escaped(edge.edge_type)).strip() != edge.edge_type:
        told["type"] = edge.edge_type
    return {"id": edge.id, "created_at": edge.created_at, "updated_at": edge.updated_at, **told}
