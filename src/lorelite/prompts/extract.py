"""Entities, relations and facts of one chunk, by a language model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.ontology.merge import NO_UPDATES
from lorelite.ports import ModelRequest
from lorelite.prompts.claims import Claims, FactClaim, RelationClaim, claims_of, name_key
from lorelite.prompts.delimited import parse_delimited
from lorelite.prompts.fence import NOTICE, fence_for, one_line
from lorelite.prompts.templates import guided, hydrated
from lorelite.records import Confidence
from lorelite.text.extraction import ExtractedEntity, ExtractedFact, ExtractedRelation, Extraction
from lorelite.text.loose_json import read_loose_json
from lorelite.text.quote import QuoteFinder
from lorelite.text.span import Span

MAX_MENTIONS = 20
"""Places recorded for an entity in one chunk."""
MAX_KNOWN_NAMES = 60

SYSTEM = f"""You read one passage of a document and write down what it says as JSON, for a knowledge graph.

{NOTICE}

Reply with one JSON object and nothing else:
{{"entities": [{{"name", "type", "description", "aliases"}}],
 "relations": [{{"source", "target", "type", "description", "weight", "quote"}}],
 "facts": [{{"title", "body", "about", "tags", "confidence", "quote"}}]}}

entities: the people, places, organisations, works, events, things and ideas that matter in the passage.
  name: the fullest form the passage uses. type: one lower-case word such as person, place, organisation, event,
  concept. description: one sentence. aliases: other names the passage uses for it; no pronouns.
relations: how two of these entities are connected.
  source and target: names from your list of entities. type: a short verb in snake_case such as works_for.
  weight: 0 to 1, how central the relation is to the passage.
facts: statements a reader would want to find again, each true by itself without the passage.
  title: up to eight words. body: one or two sentences with names instead of pronouns. about: names of entities.
  confidence: certain when the passage says so, inferred when it follows from it, tentative otherwise.
quote: words copied exactly, character by character, from the passage; they prove the relation or the fact.

Write only what this passage says. Write names, descriptions, titles and bodies in the passage's own language.
If it says nothing worth keeping, reply {{"entities": [], "relations": [], "facts": []}}."""

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _objects(required: Sequence[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        },
    }


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entities": _objects(
            ("name", "type", "description"), name=_TEXT, type=_TEXT, description=_TEXT, aliases=_TEXTS
        ),
        "relations": _objects(
            ("source", "target", "type", "description"),
            source=_TEXT,
            target=_TEXT,
            type=_TEXT,
            description=_TEXT,
            weight={"type": "number"},
            quote=_TEXT,
        ),
        "facts": _objects(
            ("title", "body", "about", "quote"),
            title=_TEXT,
            body=_TEXT,
            about=_TEXTS,
            tags=_TEXTS,
            confidence={"type": "string", "enum": ["certain", "inferred", "tentative"]},
            quote=_TEXT,
        ),
    },
    "required": ["entities", "relations", "facts"],
    "additionalProperties": False,
}


def _typed_schema() -> dict[str, Any]:
    """SCHEMA with what an ontology adds: a fact's type and edges, and new types."""
    schema = json.loads(json.dumps(SCHEMA))
    fact = schema["properties"]["facts"]["items"]["properties"]
    fact["okf_type"] = {"type": ["string", "null"]}
    fact["edges"] = _objects(("edge_type", "target_title"), edge_type=_TEXT, target_title=_TEXT)
    schema["properties"]["ontology_updates"] = {
        "type": "object",
        "properties": {
            "node_types": _objects(("type", "description"), type=_TEXT, description=_TEXT, parent_type=_TEXT),
            "edge_types": _objects(
                ("type", "source_type", "target_type", "description"),
                type=_TEXT,
                source_type=_TEXT,
                target_type=_TEXT,
                description=_TEXT,
            ),
        },
        "additionalProperties": False,
    }
    return dict(schema)


TYPED_SCHEMA = _typed_schema()


@dataclass(frozen=True, slots=True)
class ExtractReply:
    """What a reply holds; `complete` is False when it ended too early and only its whole members were taken."""

    extraction: Extraction
    complete: bool
    rejected: tuple[tuple[int, str], ...] = ()
    """Place in the reply's list and reason of each fact that was left out."""


def joined(replies: Sequence[ExtractReply]) -> ExtractReply:
    """What replies about the parts of one passage hold together, in order."""
    found = [reply.extraction for reply in replies]
    return ExtractReply(
        Extraction(
            entities=tuple(entity for each in found for entity in each.entities),
            relations=tuple(relation for each in found for relation in each.relations),
            facts=tuple(fact for each in found for fact in each.facts),
            unplaced=tuple(relation for each in found for relation in each.unplaced),
            updates=sum((each.updates for each in found), NO_UPDATES),
        ),
        all(reply.complete for reply in replies),
        tuple(rejected for reply in replies for rejected in reply.rejected),
    )


def build(
    chunk_text: str,
    *,
    heading: str = "",
    source_ref: str = "",
    known_names: Sequence[str] = (),
    template: str | None = None,
    guidance: Mapping[str, str] | None = None,
) -> ModelRequest:
    """The request to extract *chunk_text*. `known_names` are spellings to use again for the same things.

    template: the caller's instructions in place of ours, with {{document_chunk}} where the text is to stand; they ask
    for a shape of their own, so no schema is given. guidance: what we say about the ontology, by variable name.
    """
    if template is not None:
        system, user = hydrated(template, {"document_chunk": chunk_text}, guidance=guidance)
        return ModelRequest(system=system, user=user, purpose="extract")
    names = json.dumps([one_line(name) for name in known_names[:MAX_KNOWN_NAMES]], ensure_ascii=False)
    about = [f"document: {one_line(source_ref)}"] if source_ref else []
    about += [f"section: {one_line(heading)}"] if heading else []
    about += [f"names used so far: {names}"] if known_names else []
    fence = fence_for([chunk_text, *about])
    context = ["Where the passage comes from:", fence, *about, fence, ""] if about else []
    return ModelRequest(
        system=guided(SYSTEM, guidance or {}),
        user="\n".join([*context, "The passage:", fence, chunk_text, fence, "", "Reply with the JSON object."]),
        schema=TYPED_SCHEMA if guidance else SCHEMA,
        purpose="extract",
    )


def parse(reply_text: str, *, chunk_start: int, chunk_end: int, document_text: str) -> Extraction:
    """What a reply says about `document_text[chunk_start:chunk_end]`; spans are offsets in the whole document.

    Other names and shapes for the same things are understood. Names cut short, empty endpoints, relations of a
    thing to itself are left out; relations to things that neither the reply nor the chunk names are `unplaced`.
    An honestly empty reply gives an empty Extraction; one that holds nothing usable raises BadReply.
    """
    reply = read_reply(reply_text, chunk_start=chunk_start, chunk_end=chunk_end, document_text=document_text)
    return reply.extraction


def read_reply(reply_text: str, *, chunk_start: int, chunk_end: int, document_text: str) -> ExtractReply:
    """`parse`, together with whether the reply was complete."""
    claims, complete = _claims(reply_text)
    finder = QuoteFinder(document_text, chunk_start, chunk_end)
    entities = {
        name_key(claim.name): ExtractedEntity(
            name=claim.name,
            type=claim.type,
            description=claim.description,
            aliases=claim.aliases,
            mentions=_mentions(finder, (claim.name, *claim.aliases)),
        )
        for claim in claims.entities
    }
    placed: list[ExtractedRelation] = []
    unplaced: list[ExtractedRelation] = []
    for claim in claims.relations:
        relations = placed if _place_ends(claim, entities, finder, claims) else unplaced
        relations.append(_relation(claim, entities, finder))
    quotes = any(claim.quotes for claim in claims.facts) or any(claim.quote for claim in claims.relations)
    facts = [_fact(claim, finder, quotes) for claim in claims.facts]
    if not (entities or placed or facts) and not (claims.honestly_empty and complete):
        raise BadReply("entities, relations or facts", reply_text, empty=claims.off_topic and complete)
    extraction = Extraction(
        entities=tuple(entities.values()),
        relations=_merged(placed),
        facts=tuple(dict.fromkeys(facts)),
        unplaced=_merged(unplaced),
        updates=claims.updates,
    )
    return ExtractReply(extraction, complete, claims.rejected)


def _claims(reply_text: str) -> tuple[Claims, bool]:
    """What the reply claims, whether it is JSON or one of the line formats older prompts taught models."""
    try:
        loose = read_loose_json(reply_text)
    except BadReply:
        delimited = parse_delimited(reply_text)
        if delimited is None:
            raise
    else:
        claims = claims_of(loose.value, complete=loose.complete)
        delimited = None if claims else parse_delimited(reply_text)
        if delimited is None:
            return claims, loose.complete
    records, complete = delimited
    return claims_of(records), complete


def _mentions(finder: QuoteFinder, names: Sequence[str]) -> tuple[Span, ...]:
    """Where the names stand, in order; a name inside a longer one is the same mention."""
    spans: list[Span] = []
    for span in sorted(
        (span for name in names for span in finder.mentions(name, MAX_MENTIONS)),
        key=lambda span: (span.start, -span.end),
    ):
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return tuple(spans[:MAX_MENTIONS])


def _place_ends(
    claim: RelationClaim, entities: dict[str, ExtractedEntity], finder: QuoteFinder, claims: Claims
) -> bool:
    """Are both ends known? An end the reply forgot to list, but the chunk names, is added to *entities*."""
    for name in (claim.source, claim.target):
        key = name_key(name)
        if key not in entities:
            mentions = _mentions(finder, [name])
            if not mentions and claims.lists_entities:
                return False
            entities[key] = ExtractedEntity(name=name, mentions=mentions)
    return True


def _relation(claim: RelationClaim, entities: dict[str, ExtractedEntity], finder: QuoteFinder) -> ExtractedRelation:
    ends = [entities.get(name_key(name), ExtractedEntity(name=name)) for name in (claim.source, claim.target)]
    source, target = ends
    evidence = finder.quote(claim.quote) or finder.sentence_with(source.mentions, target.mentions)
    return ExtractedRelation(
        source=source.name,
        target=target.name,
        type=claim.type,
        description=claim.description,
        weight=claim.weight,
        origin="model",
        evidence=(evidence,) if evidence else (),
    )


def _merged(relations: Sequence[ExtractedRelation]) -> tuple[ExtractedRelation, ...]:
    """Each relation once; the first telling of it wins."""
    merged: dict[tuple[str, str, str], ExtractedRelation] = {}
    for relation in relations:
        merged.setdefault((relation.source, relation.target, relation.type.casefold()), relation)
    return tuple(merged.values())


def _fact(claim: FactClaim, finder: QuoteFinder, reply_quotes: bool) -> ExtractedFact:
    quoted = tuple(dict.fromkeys(span for quote in claim.quotes if (span := finder.quote(quote))))
    said = None if quoted else finder.best_sentence(claim.body)
    evidence = quoted or ((said,) if said else ())
    return ExtractedFact(
        title=claim.title,
        body=claim.body,
        about=claim.about,
        tags=claim.tags,
        confidence=claim.confidence if evidence or not reply_quotes else _unproven(claim),
        evidence=evidence,
        quotes=claim.quotes,
        node_type=claim.node_type,
        edges=claim.edges,
    )


def _unproven(claim: FactClaim) -> Confidence:
    """How sure a fact is that the passage does not say, in a reply that quotes; a false quote makes it doubtful."""
    if claim.quotes:
        return "tentative"
    return "inferred" if claim.confidence == "certain" else claim.confidence
