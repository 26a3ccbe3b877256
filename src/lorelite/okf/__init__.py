"""OKF, the Open Knowledge Format: what namespaces hold as Markdown files that people and other programs read.

Specification: https://github.com/GoogleCloudPlatform/open-knowledge-format, versions 0.1 and 0.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from lorelite import options
from lorelite.dumps import MemoryDump
from lorelite.errors import InvalidOption
from lorelite.okf.bundle_file import OkfFile as OkfFile
from lorelite.okf.fields import OURS, Profile
from lorelite.okf.format import format_namespaces
from lorelite.okf.parse import Schema, parse_namespaces
from lorelite.temporal import now_ms


def format_okf_bundle(dump: MemoryDump, *, profile: Profile = OURS) -> list[OkfFile]:
    """The files of a bundle: one Markdown file for each fact, entity and task, a log, indexes.

    profile: "lorelite/1" (OKF 0.2) holds everything the dump holds but vectors: parsed and formatted again, it gives
    the same bytes. "llm-wiki/2" (OKF 0.2) and "llm-wiki/1" (OKF 0.1) are those of other programs.
    """
    if not isinstance(dump, MemoryDump):
        raise InvalidOption("dump", "a MemoryDump, as export_dump gives it", dump)
    return format_namespaces(list(dump.namespaces.values()), options.one_of("profile", profile, get_args(Profile)))


def parse_okf_bundle(
    namespace: str | None,
    files: Iterable[OkfFile | tuple[str, str]],
    *,
    type_mapping: Mapping[str, Schema] | None = None,
    default_schema: Schema = "fact",
    now: int | None = None,
) -> MemoryDump:
    """What a bundle holds, for `import_dump`; its `problems` name everything that was read otherwise than it stands.

    namespace: where the bundle goes; None takes the names that the bundle has. files: OkfFiles or (path, text).
    type_mapping: concept type → "fact", "task" or "ignore"; other concepts go by their folder (facts/, tasks/), and
    those elsewhere by *default_schema*. now: milliseconds, for what has no time of its own.
    Raises DumpError for a path that leads out of the bundle, and for several namespaces where one was asked for.
    """
    problems: list[str] = []
    moment = now_ms() if now is None else now
    mapping = {} if type_mapping is None else dict(type_mapping)
    for name, schema in mapping.items():
        options.one_of(f"type_mapping[{name!r}]", schema, get_args(Schema))
    found = parse_namespaces(
        [_file(file) for file in files],
        namespace=None if namespace is None else options.namespace(namespace),
        type_mapping=mapping,
        default_schema=options.one_of("default_schema", default_schema, get_args(Schema)),
        now=moment,
        tell=problems.append,
    )
    return MemoryDump(generated_at=moment, namespaces={dump.name: dump for dump in found}, problems=tuple(problems))


def _file(given: Any) -> OkfFile:
    if isinstance(given, OkfFile):
        return given
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, str) for part in given):
        return OkfFile(*given)
    raise InvalidOption("files[]", "an OkfFile, or (path, text)", given)
