"""Checks of what callers pass: every refusal names the argument, what was expected and what was found."""

from __future__ import annotations

import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from lorelite.errors import CannotOpen, InvalidOption
from lorelite.temporal import LATEST

T = TypeVar("T")
P = ParamSpec("P")

MAX_NAMESPACE_CHARS = 200
MAX_NAMESPACES = 100
MAX_SOURCE_REF_CHARS = 2_000
MAX_FACTOR = 1_000_000_000
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")
_HASH = re.compile(r"[0-9a-fA-F]{64}")


class Unchanged(Enum):
    """The default of an argument whose None would say something else: "leave it as it is"."""

    UNCHANGED = "unchanged"

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED = Unchanged.UNCHANGED


def given(**fields: object) -> dict[str, object]:
    """The fields that are not UNCHANGED."""
    return {name: value for name, value in fields.items() if value is not UNCHANGED}


def not_none(**fields: object) -> dict[str, object]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def namespace(value: object) -> str:
    return _name("namespace", value, MAX_NAMESPACE_CHARS)


def namespaces(value: object) -> list[str]:
    """One name, or a list of at most 100, each once."""
    names = value if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping) else [value]
    found = list(dict.fromkeys(map(namespace, names)))
    if len(found) > MAX_NAMESPACES:
        raise InvalidOption("namespace", f"a list of at most {MAX_NAMESPACES}", f"{len(found)} names")
    return found


def source_ref(value: object) -> str:
    return _name("source_ref", value, MAX_SOURCE_REF_CHARS)


def node_id(field: str, value: object) -> str:
    return _name(field, value, MAX_SOURCE_REF_CHARS)


def source_hash(value: object) -> str:
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise InvalidOption("source_hash", "64 hexadecimal digits (a SHA-256)", value)
    return value.lower()


def file_path(value: object) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise CannotOpen(repr(value), "expected a file path or ':memory:'")
    return path


def text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidOption(field, "text (str)", value)
    return value


def data(field: str, value: object) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise InvalidOption(field, "bytes", value)
    return bytes(value)


def one_of(field: str, value: object, allowed: Iterable[T]) -> T:
    choices = list(allowed)
    for choice in choices:
        if value == choice:
            return choice
    raise InvalidOption(field, "one of " + ", ".join(map(repr, choices)), value)


def many_of(field: str, values: object, allowed: Iterable[T]) -> tuple[T, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidOption(field, "a list", values)
    choices = list(allowed)
    return tuple(one_of(field, value, choices) for value in values)


def texts(field: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidOption(field, "a list of texts", values)
    return tuple(text(field, value) for value in values)


def whole_number(field: str, value: object, low: int, high: int | None = None) -> int:
    """An integer of at least *low* and at most *high*."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
        bounds = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
        raise InvalidOption(field, bounds, value)
    return value


def depth(field: str, value: object, high: int) -> int:
    """A whole number, clamped to 1 … *high* as the walk promises; fractions and NaN are refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidOption(field, f"a whole number (clamped to 1 … {high})", value)
    return max(1, min(value, high))


def share(field: str, value: object) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidOption(field, "a number from 0 to 1", value)
    return float(value)


def factors(field: str, value: object) -> dict[str, float]:
    """Name → factor. As the seed has it, one that is not finite counts as 1, and a negative one as 0."""
    return {
        name: 1.0 if not math.isfinite(number) else max(0.0, float(number))
        for name, number in _numbers(field, value).items()
    }


def floors(field: str, value: object) -> dict[str, int]:
    """Name → a whole number of at least 0: fractions are cut off, what is not finite is left out."""
    return {name: max(0, int(number)) for name, number in _numbers(field, value).items() if math.isfinite(number)}


def _numbers(field: str, value: object) -> dict[str, int | float]:
    if not isinstance(value, Mapping):
        raise InvalidOption(field, "a mapping of namespaces to numbers", value)
    for name, number in value.items():
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if not isinstance(name, str) or not is_number or MAX_FACTOR < abs(number) < math.inf:
            raise InvalidOption(f"{field}[{name!r}]", f"a number of at most {MAX_FACTOR:,}", number)
    return dict(value)


def finite(field: str, value: object) -> float:
    """A number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise InvalidOption(field, "a finite number", value)
    return float(value)


def days(field: str, value: object) -> float | None:
    """A number of days from 0 to infinity, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise InvalidOption(field, "a number of days of at least 0, infinity for ever, or None", value)
    return float(value) if value <= sys.float_info.max else math.inf


def switch(field: str, value: object, default: bool | None = None) -> bool:
    """True or False; None counts as the default where there is one."""
    if value is None and default is not None:
        return default
    if not isinstance(value, bool):
        raise InvalidOption(field, "True or False", value)
    return value


def mappings(field: str, values: object) -> list[Mapping[str, Any]]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidOption(field, "a list of mappings", values)
    found = list(values)
    for value in found:
        if not isinstance(value, Mapping):
            raise InvalidOption(f"{field}[]", "a mapping", value)
    return found


def callback(field: str, value: Callable[..., None] | None) -> Callable[..., None] | None:
    if value is not None and not callable(value):
        raise InvalidOption(field, "a function, or None", value)
    return value


def moment(field: str, value: object) -> int | None:
    """Milliseconds since 1970, or None."""
    return None if value is None else whole_number(field, value, 0, LATEST)


def exactly_one(names: Sequence[str], given: Sequence[bool]) -> str:
    """The one name that was given; raises InvalidOption otherwise."""
    chosen = [name for name, is_given in zip(names, given, strict=True) if is_given]
    if len(chosen) != 1:
        raise InvalidOption(" / ".join(names), "exactly one of them", chosen or "none")
    return chosen[0]


def _name(field: str, value: object, limit: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > limit or "\0" in value:
        raise InvalidOption(field, f"a text of 1 to {limit} characters without NUL", value)
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidOption(field, "a text without lone surrogates", value)
    return value


def python_name(name: str) -> str:
    """The Python name of an option of the JavaScript SDK: top_k for topK."""
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)


def seed_names(function: Callable[P, T]) -> Callable[P, T]:
    """*function*, which also takes its parameters by the camelCase names of the JavaScript SDK: topK for top_k."""
    known = set(inspect.signature(function).parameters)

    @wraps(function, updated=())
    def renamed(*args: P.args, **kwargs: P.kwargs) -> T:
        snake = {name: python_name(name) for name in kwargs}
        for name, ours in snake.items():
            if name != ours and ours in kwargs:
                raise TypeError(f"{function.__name__}() got both {name} and {ours}; pass one of them")
        return function(*args, **{snake[name] if snake[name] in known else name: kwargs[name] for name in kwargs})  # type: ignore[arg-type]

    return renamed
