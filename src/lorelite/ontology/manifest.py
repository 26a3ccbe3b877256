"""A manifest: the types of nodes a namespace knows, and the edges that may join them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

OntologyMode = Literal["off", "emergent", "strict"]


@dataclass(frozen=True, slots=True)
class NodeType:
    """A type of node, e.g. "person". Types are compared without case and written as the manifest writes them."""

    type: str
    description: str = ""
    """For models and readers: what belongs to the type."""
    parent_type: str | None = None
    """The type this is a kind of. One level: a parent has no parent itself."""


@dataclass(frozen=True, slots=True)
class EdgeType:
    """One permitted relation. A relation between several pairs of types is several rows of one `type`."""

    type: str
    source_type: str
    target_type: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The types of a namespace. An edge row that names a parent type holds for its children as well."""

    node_types: tuple[NodeType, ...] = ()
    edge_types: tuple[EdgeType, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """The manifest as plain lists and dicts, ready for JSON; `validate_manifest` reads it back."""
        return {
            "node_types": [
                {"type": node.type, "description": node.description}
                | ({} if node.parent_type is None else {"parent_type": node.parent_type})
                for node in self.node_types
            ],
            "edge_types": [
                {
                    "type": edge.type,
                    "source_type": edge.source_type,
                    "target_type": edge.target_type,
                    "description": edge.description,
                }
                for edge in self.edge_types
            ],
        }


@dataclass(frozen=True, slots=True)
class Ontology:
    """What holds in a namespace: how strictly types are checked, and against which manifest.

    mode: off leaves types alone; emergent lets a model add types as it goes; strict keeps to the manifest.
    """

    mode: OntologyMode = "off"
    manifest: Manifest = Manifest()

    def as_mapping(self) -> dict[str, Any]:
        """The ontology as plain lists and dicts, ready for JSON."""
        return {"mode": self.mode, "manifest": self.manifest.as_mapping()}


def loose_manifest(value: Mapping[str, Any]) -> Manifest:
    """A manifest from a mapping that was validated before, e.g. when it was stored."""
    return Manifest(
        tuple(
            NodeType(item["type"], item.get("description", ""), item.get("parent_type")) for item in value["node_types"]
        ),
        tuple(
            EdgeType(item["type"], item["source_type"], item["target_type"], item.get("description", ""))
            for item in value["edge_types"]
        ),
    )
