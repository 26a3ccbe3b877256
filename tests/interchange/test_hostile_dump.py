"""Dumps that were made to break something: a right checksum over wrong content."""

from __future__ import annotations

import hashlib

import pytest

from lorelite import DumpError, MemoryDump, NamespaceDump, Node, Wiki

HEAD = b'{"format":"lorelite-dump/1","generated_at":1,"namespaces":["n"]}\n'
NAMESPACE = b'{"namespace":{"name":"n","created_at":1}}\n'
NODE = b'{"node":{"id":"a","kind":"fact","title":"%s","created_at":1,"updated_at":1%s}}\n'
EDGE = (
    b'{"edge":{"id":"e","source_id":"a","edge_type":"t","target_id":"a","updated_at":1,"created_at":1,"weight":%s}}\n'
)


def sealed(*lines: bytes, edges: int = 0) -> bytes:
    """The lines with an end that fits them."""
    body, rows = b"".join(lines), {"namespace": 1, "node": 1} | ({"edge": edges} if edges else {})
    end = f'{{"end":{{"rows":{str(rows).replace(chr(39), chr(34))},"sha256":"{hashlib.sha256(body).hexdigest()}"}}}}\n'
    return body + end.encode()


def test_the_sealed_dump_is_fine_without_what_is_wrong_in_it(open_wiki):
    report = open_wiki().import_dump(sealed(HEAD, NAMESPACE, NODE % (b"x", b""), EDGE % b"1e3", edges=1))
    assert report.counts == {"edge": 1, "node": 1}


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (3, (NAMESPACE, NODE % (b"\xed\xa0\x80", b""))),
        (3, (NAMESPACE, NODE % (b"\xff", b""))),
        (3, (NAMESPACE, NODE % (b"\\ud800", b""))),
        (3, (NAMESPACE, NODE % (b"a\\u0000b", b""))),
        (3, (NAMESPACE, NODE % (b"x", b',"extra":{"a":NaN}'))),
        (3, (NAMESPACE, NODE % (b"x", b',"extra":{"a":[1e999]}'))),
        (3, (NAMESPACE, NODE % (b"x", b',"sources":[{"a":-Infinity}]'))),
        (2, (NAMESPACE.replace(b":1}", b":99999999999999999999}"), NODE % (b"x", b""))),
        (4, (NAMESPACE, NODE % (b"x", b""), EDGE % (b"9" * 40))),
        (4, (NAMESPACE, NODE % (b"x", b""), EDGE % b"1e999")),
    ],
)
def test_what_sqlite_or_json_cannot_hold_is_told_with_its_line(open_wiki, line, lines):
    wiki = open_wiki()
    with pytest.raises(DumpError) as caught:
        wiki.import_dump(sealed(HEAD, *lines, edges=len(lines) - 2))
    assert caught.value.data["line"] == line
    assert wiki.list_namespaces() == []


@pytest.mark.parametrize("title", ["half \ud800", "nul \0"])
def test_a_dump_put_together_in_memory_is_checked_alike(open_wiki, title):
    wiki: Wiki = open_wiki()
    node = Node(id="a", namespace="n", kind="fact", title=title, created_at=1, updated_at=1)
    with pytest.raises(DumpError):
        wiki.import_dump(MemoryDump(generated_at=1, namespaces={"n": NamespaceDump.of("n", nodes=[node])}))
    assert wiki.list_namespaces() == []
