"""The names models give to the members of a reply, beside those we ask for. Ours come first in each list."""

from __future__ import annotations

import re

ENTITIES = ("entities", "entity", "nodes", "node", "vertices", "concepts", "entitylist", "extractedentities")
RELATIONS = (
    "relations", "relation", "relationships", "relationship", "edges", "edge", "triples", "triplets", "links",
    "relationlist", "extractedrelations", "extractedrelationships", "connections",
)  # fmt: skip
FACTS = ("facts", "fact", "claims", "statements", "factlist", "extractedfacts", "memories")
CALLED_WITH = ("arguments", "parameters", "input", "args")

NAME = ("name", "entityname", "entity", "title", "text", "value", "term", "node", "concept")
ID = ("id", "identifier", "key", "uid")
LABEL = ("label",)
TYPE = ("type", "entitytype", "category", "nodetype", "kind", "class", "group", "labels")
DESCRIPTION = ("description", "desc", "entitydescription", "summary", "definition", "details", "detail", "info")
ALIASES = ("aliases", "alias", "alsoknownas", "aka", "synonyms", "othernames", "alternativenames")

SOURCE = (
    "source", "from", "head", "subject", "src", "sourceid", "sourceentity", "sourcenode", "sourcename", "start",
    "startnode", "fromid", "fromentity", "entity1", "node1", "subj", "headentity", "srcid", "startnodeid",
)  # fmt: skip
TARGET = (
    "target", "to", "tail", "object", "dst", "destination", "targetid", "targetentity", "targetnode", "targetname",
    "end", "endnode", "toid", "toentity", "entity2", "node2", "obj", "tailentity", "tgt", "tgtid", "endnodeid",
)  # fmt: skip
RELATION_TYPE = (
    "type", "relation", "relationship", "predicate", "relationtype", "relationshiptype", "edgetype", "label", "verb",
    "name", "rel", "edge", "keywords", "property",
)  # fmt: skip
RELATION_DESCRIPTION = (*DESCRIPTION, "relationshipdescription", "relationdescription", "explanation", "fact")
WEIGHT = ("weight", "strength", "score", "relationshipstrength", "relevance", "importance", "confidence")
QUOTE = ("quote", "evidence", "citation", "quotation", "excerpt", "sourcetext", "supportingtext", "span")

BODY = ("body", "statement", "fact", "claim", "factbody")
FACT_BODY = (*BODY, "content", "sentence", "text", "description", "summary")
FACT_TITLE = ("title", "name", "heading", "label", "topic")
ABOUT = ("about", "entities", "subjects", "subject", "entity", "names", "concerns")
TAGS = ("tags", "tag", "keywords", "topics", "labels")
CONFIDENCE = ("confidence", "certainty")


def plain(key: object) -> str:
    """A key without case, spaces, underscores and signs: "entity_name" and "Entity Name" are one."""
    return re.sub(r"[\W_]+", "", str(key)).lower()
