"""Entities and relations of a document, by a model."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.graph_records import GraphDocument
from lorelite.ids import content_id
from lorelite.prompts import toolkit_extract
from lorelite.text.budget import token_cost, truncated_to
from lorelite.toolkit.asking import ask_one, required_model
from lorelite.toolkit.entity_names import slug
from lorelite.toolkit.records import KitEntity, KitExtraction, KitRelation

_LOG = logging.getLogger(__name__)
UNKNOWN = "unknown"


class EntityExtractor:
    """Asks a model which things a document tells of, and how they are related."""

    def __init__(
        self,
        model: Any,
        *,
        entity_types: Sequence[str] | None = None,
        relation_types: Sequence[str] | None = None,
        max_text_tokens: int = 12_000,
        retries: int = 1,
    ) -> None:
        """model: a ChatModel or a function (system, user) → text. retries: further calls after one that fails."""
        self._model = required_model(model)
        self._entity_types = None if entity_types is None else options.texts("entity_types", entity_types)
        self._relation_types = None if relation_types is None else options.texts("relation_types", relation_types)
        self._max_text_tokens = options.whole_number("max_text_tokens", max_text_tokens, 1)
        self._retries = options.whole_number("retries", retries, 0)

    async def extract(self, document: GraphDocument | str | Mapping[str, Any]) -> KitExtraction:
        """What the document tells of; of a blank one nothing, and no model is asked.

        Ids are slugs of the names ("Open AI" → "open-ai"). The ends of relations that are not listed become entities of
        the type "unknown". A reply without a line that can be understood gives an empty extraction with a warning.
        Raises ModelError when the model fails more than *retries* times.
        """
        given = as_document(document)
        if not given.content.strip():
            return KitExtraction()
        content = given.content
        if token_cost(content) > self._max_text_tokens:
            content = truncated_to(content, self._max_text_tokens)
            _LOG.warning("document %s is cut to %d tokens", given.id, self._max_text_tokens)
        request = toolkit_extract.build(content, entity_types=self._entity_types, relation_types=self._relation_types)
        for attempt in range(self._retries + 1):
            try:
                reply = await ask_one(self._model, request)
                break
            except Exception:
                if attempt == self._retries:
                    raise
        found = _records(toolkit_extract.parse(reply), given.id)
        if not found.entities:
            warning = f"document {given.id!r}: the reply holds no line name|type that could be read"
            _LOG.warning(warning)
            return KitExtraction(warning=warning)
        return found


def as_document(given: GraphDocument | str | Mapping[str, Any]) -> GraphDocument:
    """A document with an id: its own, or one that names its text."""
    if isinstance(given, GraphDocument):
        document = given
    elif isinstance(given, str):
        document = GraphDocument(content=given)
    elif not isinstance(given, Mapping):
        raise InvalidOption("document", "a GraphDocument, a text, or a mapping with content", given)
    else:
        metadata = given.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise InvalidOption("document.metadata", "a mapping", metadata)
        content = options.text("document.content", given.get("content", given.get("text")))
        document = GraphDocument(content=content, id=str(given.get("id") or ""), metadata=dict(metadata))
    if document.id:
        return document
    return GraphDocument(
        content=document.content, id=content_id("doc", document.content.strip()), metadata=document.metadata
    )


def _records(lines: Sequence[toolkit_extract.Line], document_id: str) -> KitExtraction:
    entities: dict[str, KitEntity] = {}
    relations: dict[str, KitRelation] = {}

    def end(name: str, kind: str, description: str) -> str:
        id = slug(name)
        known = entities.get(id)
        if id and (known is None or (known.type == UNKNOWN and kind)):
            entities[id] = KitEntity(
                id=id,
                name=name,
                type=kind or UNKNOWN,
                properties={"description": description} if description else {},
                source_ids=(document_id,),
            )
        return id

    for line in lines:
        if not line.target:
            end(line.name, line.type, line.description)
    for line in lines:
        if line.target:
            source, target = end(line.name, "", ""), end(line.target, "", "")
            if source and target:
                relation = KitRelation(
                    source_id=source,
                    target_id=target,
                    type=line.type or "related_to",
                    properties={"description": line.description} if line.description else {},
                    source_ids=(document_id,),
                )
                relations.setdefault(relation.key, relation)
    return KitExtraction(entities=tuple(entities.values()), relations=tuple(relations.values()))
