"""What a model is told about the ontology: the rules of the mode, and the manifest."""

from __future__ import annotations

import json

from lorelite.ontology.manifest import Manifest, Ontology

_SHAPE = """Every fact may carry two more members:
  okf_type: the one node type that says what the fact, named by its title, is; leave it out when none fits.
  edges: [{"edge_type", "target_title"}], how it is connected. target_title: the exact title of another fact of
  this reply, or of something known already. An edge must be permitted from the fact's type to the target's type;
  a type that has a parent_type counts as its parent too.
Where the reply lists entities or relations, their types come from the same lists."""

_STRICT = """The graph is typed. Use only the node types and edge types of the manifest, written as they are there.
Never make up a type: what fits none of them is kept untyped."""

_EMERGENT = """The graph is typed, and its types grow as it is read. Use the manifest's types wherever one fits, written
as they are there. When the text needs a type that is missing, add it to the reply as
"ontology_updates": {"node_types": [{"type", "description", "parent_type"}],
                     "edge_types": [{"type", "source_type", "target_type", "description"}]}
and use it. Add few, general types, singular and lower-case; a parent_type must not have a parent itself."""


def guidance(ontology: Ontology) -> dict[str, str]:
    """The two texts by the name of their placeholder: ontology_mode_instructions, ontology_manifest; {} when off."""
    if ontology.mode == "off":
        return {}
    rules = _STRICT if ontology.mode == "strict" else _EMERGENT
    return {
        "ontology_mode_instructions": f"{rules}\n\n{_SHAPE}",
        "ontology_manifest": f"The manifest:\n{_shown(ontology.manifest)}",
    }


def _shown(manifest: Manifest) -> str:
    """The manifest as JSON, a line for each type: pretty-printing it would cost twice the tokens."""
    parts = []
    for name, rows in manifest.as_mapping().items():
        lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
        parts.append(f'"{name}": [\n{lines}\n]' if rows else f'"{name}": []')
    return "{" + ",\n".join(parts) + "}"
