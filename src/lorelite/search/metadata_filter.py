"""Filters on the metadata of vectors: JSON in, yes or no out.

A filter maps a field to a value it must equal, or to operators that must all hold; several fields must all pass:

    {"lang": "en", "year": {"$gte": 1990, "$lt": 2000}, "$or": [{"kind": "note"}, {"tags": {"$contains": "new"}}]}

$eq $ne $gt $gte $lt $lte compare (numbers with numbers, texts with texts), $in $nin take a list, $exists a truth value,
$contains a member of a list or a part of a text. $and and $or take a list of filters, $not a filter; after a field $not
takes operators. "author.name" is the field `name` of the object `author`, unless a field is called so as a whole. A
field that is not there equals None, and passes $ne, $nin and $not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lorelite.errors import FilterError

Condition = Callable[[Mapping[str, Any]], bool]
_Test = Callable[[Any], bool]
_MISSING = object()


def compiled(filter: Mapping[str, Any] | None) -> Condition:
    """The filter as a function of metadata; None and {} let everything pass. Raises FilterError."""
    if filter is None:
        return lambda metadata: True
    if not isinstance(filter, Mapping):
        raise FilterError("a mapping", filter)
    return _all([_clause(name, value) for name, value in filter.items()])


def _clause(name: object, value: Any) -> Condition:
    if not isinstance(name, str):
        raise FilterError("the name of a field or an operator (text)", name)
    if name in ("$and", "$or"):
        parts = [compiled(_mapping(name, part)) for part in _list(name, value)]
        return _all(parts) if name == "$and" else lambda metadata: any(part(metadata) for part in parts)
    if name == "$not":
        inner = compiled(_mapping(name, value))
        return lambda metadata: not inner(metadata)
    if name.startswith("$"):
        raise FilterError("$and, $or, $not or the name of a field", name)
    test = _test(value)
    return lambda metadata: test(_field(metadata, name))


def _all(conditions: Sequence[Condition]) -> Condition:
    return lambda metadata: all(condition(metadata) for condition in conditions)


def _test(value: Any) -> _Test:
    """What a field must be: a value, or what operators say."""
    if not _is_operators(value):
        return lambda found: _equal(found, value)
    tests = [_operator(operator, operand) for operator, operand in value.items()]
    return lambda found: all(test(found) for test in tests)


def _is_operators(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    marked = [isinstance(name, str) and name.startswith("$") for name in value]
    if any(marked) and not all(marked):
        raise FilterError("an object without operators, or operators alone", dict(value))
    return any(marked)


def _operator(name: str, operand: Any) -> _Test:
    if name == "$not":
        if not _is_operators(operand):
            raise FilterError("$not with operators", operand)
        inner = _test(operand)
        return lambda found: not inner(found)
    if name == "$exists":
        if not isinstance(operand, bool):
            raise FilterError("$exists with true or false", operand)
        return lambda found: (found is not _MISSING) is operand
    if name in ("$in", "$nin"):
        choices = _list(name, operand)
        wanted = name == "$in"
        return lambda found: any(_equal(found, choice) for choice in choices) is wanted
    if name == "$contains":
        return lambda found: _contains(found, operand)
    if name == "$eq":
        return lambda found: _equal(found, operand)
    if name == "$ne":
        return lambda found: not _equal(found, operand)
    if name in _ORDERS:
        order = _ORDERS[name]
        if not (_is_number(operand) or isinstance(operand, str)):
            raise FilterError(f"{name} with a number or a text", operand)
        return lambda found: _comparable(found, operand) and order(found, operand)
    raise FilterError(f"one of {', '.join(OPERATORS)}", name)


_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda found, operand: found > operand,
    "$gte": lambda found, operand: found >= operand,
    "$lt": lambda found, operand: found < operand,
    "$lte": lambda found, operand: found <= operand,
}
OPERATORS = ("$eq", "$ne", *_ORDERS, "$in", "$nin", "$exists", "$contains", "$not")


def _field(metadata: Mapping[str, Any], name: str) -> Any:
    if name in metadata:
        return metadata[name]
    found: Any = metadata
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return _MISSING
        found = found[part]
    return found


def _equal(found: Any, value: Any) -> bool:
    """As JSON: true is not 1, and a field that is not there is null."""
    found = None if found is _MISSING else found
    if isinstance(found, bool) is not isinstance(value, bool):
        return False
    if isinstance(found, list | tuple) and isinstance(value, list | tuple):
        return len(found) == len(value) and all(map(_equal, found, value))
    if isinstance(found, Mapping) and isinstance(value, Mapping):
        return found.keys() == value.keys() and all(_equal(found[name], value[name]) for name in found)
    return bool(found == value)


def _contains(found: Any, operand: Any) -> bool:
    if isinstance(found, str):
        return isinstance(operand, str) and operand in found
    return isinstance(found, list | tuple) and any(_equal(member, operand) for member in found)


def _comparable(found: Any, operand: Any) -> bool:
    return isinstance(found, str) if isinstance(operand, str) else _is_number(found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list(name: str, value: Any) -> Sequence[Any]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise FilterError(f"{name} with a list", value)
    return value


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FilterError(f"{name} with filters (mappings)", value)
    return value
