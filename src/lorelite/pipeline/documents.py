"""What callers insert, as documents: texts, mappings, records, or any iterable of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.graph_records import GraphDocument
from lorelite.text.clean import clean_text

Document = str | GraphDocument | Mapping[str, Any]
Documents = Document | Iterable[Document]

_FIELDS = ("content", "text", "id", "metadata")


def documents_of(given: Documents) -> Iterator[GraphDocument]:
    """One document for each thing given, each with an id; read one at a time. Raises InvalidOption.

    A document without an id is named by its text, without the whitespace around it.
    """
    if isinstance(given, str | GraphDocument | Mapping):
        yield _document("documents", given)
    elif isinstance(given, Iterable) and not isinstance(given, bytes | bytearray):
        for place, each in enumerate(given):
            yield _document(f"documents[{place}]", each)
    else:
        raise InvalidOption("documents", "a text, a GraphDocument, a mapping, or an iterable of them", given)


def _document(field: str, given: object) -> GraphDocument:
    if isinstance(given, str):
        document = GraphDocument(content=given)
    elif isinstance(given, GraphDocument):
        document = given
    elif isinstance(given, Mapping):
        document = _from_mapping(field, given)
    else:
        raise InvalidOption(field, "a text, a GraphDocument, or a mapping with content", given)
    content = clean_text(options.text(f"{field}.content", document.content))
    document = replace(document, metadata=_plain(f"{field}.metadata", document.metadata))
    if document.id == "":
        content = content.strip()
        return replace(
            document, content=content, id=f"doc-{hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()}"
        )
    return replace(document, content=content, id=options.node_id(f"{field}.id", document.id))


def _plain(field: str, metadata: object) -> Mapping[str, Any]:
    """As JSON gives it back, so that it is the same wherever a graph is kept."""
    if not isinstance(metadata, Mapping):
        raise InvalidOption(field, "a mapping", metadata)
    try:
        found: Mapping[str, Any] = json.loads(
            clean_text(json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False))
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidOption(field, f"JSON values ({error})", metadata) from error
    return found


def _from_mapping(field: str, given: Mapping[Any, Any]) -> GraphDocument:
    unknown = [name for name in given if name not in _FIELDS]
    if unknown:
        raise InvalidOption(field, "a mapping with content (or text), id and metadata alone", unknown[0])
    texts = [given[name] for name in ("content", "text") if name in given]
    if len(texts) != 1:
        raise InvalidOption(f"{field}.content", "the text as either content or text", sorted(map(str, given)))
    return GraphDocument(content=texts[0], id=given.get("id") or "", metadata=given.get("metadata") or {})
