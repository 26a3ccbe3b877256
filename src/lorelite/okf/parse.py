"""From the files of an OKF bundle, ours or anybody's, to what a namespace holds."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from lorelite.dumps import NamespaceDump, Row
from lorelite.errors import DumpError
from lorelite.ids import content_id
from lorelite.okf.bundle_file import REST_FILE, OkfFile
from lorelite.okf.fields import OURS, Problem, node_of, task_of
from lorelite.okf.format import MARK, RELATED
from lorelite.okf.frontmatter import parse, split
from lorelite.okf.links import links, resolved, unescaped
from lorelite.okf.log import parse_log
from lorelite.records import Edge, Node, Task
from lorelite.text.strict_json import read_json

_NAME = "OKF bundle"
Schema = Literal["fact", "task", "ignore"]
_RELATED_LINE = re.compile(r"[-*]\s+\[((?:[^\[\]\\]|\\.)*)\]\(([^()\s]+)\)(?:\s*<!--\s*(\{.*\})\s*-->)?\s*")
_URL = re.compile(r"https?://[^\s<>()\[\]\"']+")
_FOLDERS: Mapping[str, Schema] = {"facts": "fact", "tasks": "task"}


@dataclass(frozen=True, slots=True)
class _Concept:
    path: str
    fields: dict[str, Any]
    body: str
    related: str
    """The lines of the section of relations."""


def parse_namespaces(
    files: Sequence[OkfFile],
    *,
    namespace: str | None,
    type_mapping: Mapping[str, Schema],
    default_schema: Schema,
    now: int,
    tell: Problem,
) -> list[NamespaceDump]:
    """What the bundle holds, one dump for each namespace. Raises DumpError when *namespace* is to hold several."""
    by_path = _checked(files)
    folders = sorted({path.split("/")[1] for path in by_path if re.match(r"entities/[^/]+/.", path)})
    if namespace is not None and len(folders) > 1:
        raise DumpError(
            _NAME, f"it holds {len(folders)} namespaces ({', '.join(folders[:5])}), which one cannot hold; "
            "parse it without a namespace, or choose the files of one"
        )  # fmt: skip
    profile, version = _profile(by_path)
    names = _index_names(by_path.get("index.md", ""))
    found = []
    for folder in folders or [""]:
        base = f"entities/{folder}/" if folder else ""
        name = namespace or names.get(f"{base}index.md") or folder or "okf"
        own = {path: text for path, text in by_path.items() if path.startswith(base)}
        bundle = _Bundle(own, base, name, profile, version, now, tell)
        found.append(bundle.dump(type_mapping, default_schema))
    return found


def _checked(files: Sequence[OkfFile]) -> dict[str, str]:
    found = {}
    for file in files:
        path = file.path.removeprefix("./")
        if path.startswith("/") or "\\" in path or ":" in path or ".." in path.split("/") or "\0" in path:
            raise DumpError(_NAME, f"its file {file.path!r} leads out of it; every path must stay inside")
        # A file that begins with a Windows line end was converted as a whole; elsewhere they belong to the text.
        is_converted = re.match(r"[^\n]*\r\n", file.content)
        found[path] = file.content.replace("\r\n", "\n") if is_converted else file.content
    return found


def _profile(files: Mapping[str, str]) -> tuple[str, str]:
    """(profile, OKF version) as the root index says."""
    front, _ = split(files.get("index.md", ""))
    try:
        fields = parse(front) if front else {}
    except ValueError:
        fields = {}
    return str(fields.get("profile") or ""), str(fields.get("okf_version") or "")


def _index_names(index: str) -> dict[str, str]:
    """The file of each namespace's index → the namespace, which its folder's name may not tell."""
    return {path: label for label, target in links(index) if (path := resolved(target, "index.md"))}


class _Bundle:
    """The files of one namespace, read step by step."""

    def __init__(
        self, files: Mapping[str, str], base: str, namespace: str, profile: str, version: str, now: int, tell: Problem
    ) -> None:
        self._files = files
        self._base = base
        self._namespace = namespace
        self._profile = profile
        self._links_are_edges = profile not in (OURS, "llm-wiki/1") and not (not profile and version == "0.1")
        self._now = now
        self._tell = tell
        self._ids: dict[str, str] = {}

    def dump(self, type_mapping: Mapping[str, Schema], default_schema: Schema) -> NamespaceDump:
        concepts = [concept for path in sorted(self._files) if (concept := self._concept(path))]
        chosen = [(concept, self._schema(concept, type_mapping, default_schema)) for concept in concepts]
        kept = [(concept, schema) for concept, schema in chosen if schema != "ignore"]
        # Ids first, relations after: a relation may lead to a file that comes later.
        self._ids = {concept.path: self._id(concept) for concept, _ in kept}
        rows = [self._row(concept, schema) for concept, schema in kept]
        log = f"{self._base}log.md"
        return NamespaceDump.of(
            self._namespace,
            nodes=[row for row in rows if isinstance(row, Node)],
            tasks=[row for row in rows if isinstance(row, Task)],
            edges=[edge for concept, _ in kept for edge in self._edges(concept)],
            events=parse_log(self._files.get(log, ""), log, self._namespace, self._ids, self._tell),
            rest=self._rest(),
            summary=self._summary(),
            created_at=self._now,
        )

    def _concept(self, path: str) -> _Concept | None:
        if not path.endswith(".md") or posixpath.basename(path) in ("index.md", "log.md"):
            return None
        front, rest = split(self._files[path])
        if front is None:
            self._tell(f"{path}: it has no front matter; it was taken as a fact")
        try:
            fields = parse(front or "")
        except ValueError as error:
            self._tell(f"{path}: {error}; it was taken without its fields")
            fields = {}
        body = rest.removeprefix("\n")
        body, related = self._split_related(body)
        return _Concept(path, fields, body, related)

    def _split_related(self, body: str) -> tuple[str, str]:
        if self._profile == OURS:
            # The last mark is ours: a body that holds one, even at its beginning, is followed by another.
            before, mark, after = body.rpartition(f"\n\n{MARK}\n")
            if mark:
                return before, after
            return ("", body.removeprefix(f"{MARK}\n")) if body.startswith(f"{MARK}\n") else (body, "")
        found = re.search(rf"(?m)^{RELATED}[ \t]*$", body)
        if found is None:
            return body, ""
        # One line end stays with the body, as other readers of these profiles have it.
        before = body[: found.start()].rstrip("\n")
        return (f"{before}\n" if before else ""), body[found.end() :]

    def _schema(self, concept: _Concept, type_mapping: Mapping[str, Schema], default: Schema) -> Schema:
        mapped = type_mapping.get(str(concept.fields.get("type")))
        if mapped is not None:
            return mapped
        folders = posixpath.dirname(concept.path).split("/")
        return next((_FOLDERS[folder] for folder in reversed(folders) if folder in _FOLDERS), default)

    def _id(self, concept: _Concept) -> str:
        given = concept.fields.get("id")
        if isinstance(given, str | int) and str(given).strip():
            return str(given)
        within = concept.path.removeprefix(self._base).removesuffix(".md")
        place, _, name = within.rpartition("/")
        return name if place in _FOLDERS else within

    def _row(self, concept: _Concept, schema: Schema) -> Node | Task:
        title = concept.fields.get("title")
        heading = re.search(r"(?m)^#[ \t]+(\S.*)$", concept.body)
        id = self._ids[concept.path]
        headed = heading[1].rstrip().rstrip("#").rstrip() if heading else ""
        fallback = headed or posixpath.basename(concept.path).removesuffix(".md")
        given: dict[str, Any] = {
            "id": id,
            "namespace": self._namespace,
            "title": str(title) if title not in (None, "") else fallback,
            "body": concept.body,
            "profile": self._profile,
            "now": self._now,
            "tell": lambda problem: self._tell(f"{concept.path}: {problem}"),
        }
        if schema == "task":
            return task_of(concept.fields, **given | ({} if self._profile == OURS else {"body": ""}))
        node = node_of(concept.fields, **given)
        if not node.sources and self._profile != "llm-wiki/1":
            node = replace(node, sources=tuple(_cited(concept.body)))
        return node

    def _edges(self, concept: _Concept) -> list[Edge]:
        source = self._ids[concept.path]
        edges: list[Edge] = []
        for line in concept.related.split("\n"):
            if found := _RELATED_LINE.fullmatch(line):
                edges += self._edge(concept, source, unescaped(found[1]), found[2], found[3])
        if self._links_are_edges:
            for label, target in links(concept.body):
                edges += self._edge(concept, source, label, target, None)
        return list({edge.id: edge for edge in edges}.values())

    def _edge(self, concept: _Concept, source: str, label: str, target: str, exact: str | None) -> list[Edge]:
        file = resolved(target, concept.path)
        other = self._ids.get(file or "") or self._ids.get(f"{self._base}{file}")
        if other is None or not (label.strip() or exact):
            return []
        told = self._told(concept, exact)
        at = self._now
        label = label.strip() if told.get("type") is None else str(told["type"])
        return [
            Edge(
                id=str(told.get("id") or content_id("edge", self._namespace, source, label, other)),
                namespace=self._namespace,
                source_id=source,
                target_id=other,
                edge_type=label,
                **{"created_at": at, "updated_at": at} | {name: told[name] for name in told.keys() & _TOLD},
            )
        ]

    def _told(self, concept: _Concept, exact: str | None) -> dict[str, Any]:
        """The fields of an edge that its comment holds."""
        try:
            return dict(read_json(exact)) if exact else {}
        except ValueError as error:
            self._tell(f"{concept.path}: the fields of a relation are no JSON ({error}); they were passed over")
            return {}

    def _summary(self) -> str:
        _, text = split(self._files.get(f"{self._base}index.md", ""))
        found = re.search(r"(?m)^(## |\[Event log\]\(\./log\.md\)|\* \[)", text)
        return text[: found.start()].strip() if found else ""

    def _rest(self) -> list[tuple[str, Row]]:
        rows: list[tuple[str, Row]] = []
        for number, line in enumerate(self._files.get(f"{self._base}{REST_FILE}", "").split("\n"), 1):
            if line.strip():
                try:
                    item = read_json(line)
                    rows.append((str(item["table"]), dict(item["row"])))
                except (ValueError, TypeError, KeyError) as error:
                    raise DumpError(_NAME, f"{REST_FILE} holds no row there", number) from error
        return rows


_TOLD = {
    "weight", "description", "confidence", "origin", "source_ref", "source_hash", "valid_from", "valid_to",
    "created_at", "updated_at",
}  # fmt: skip


def _cited(body: str) -> list[dict[str, str]]:
    """The addresses under a heading "Citations"."""
    found = re.search(r"(?ms)^#{1,3}\s+Citations\s*$(.*?)(?=^#|\Z)", body)
    return [{"resource": url.rstrip(".,;")} for url in dict.fromkeys(_URL.findall(found[1]))] if found else []
