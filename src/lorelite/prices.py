"""What models cost: money per million tokens, by the name of the model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorelite.errors import InvalidOption

_MILLION = 1_000_000
_VERSION = re.compile(r"([-:@](\d[\w.]*|latest|preview|exp|beta))*", re.IGNORECASE)
"""What may follow the name of a price without naming another model: a date, a version, "latest"."""


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens that are read, and for a million that are written."""

    input: float
    output: float = 0.0


AS_OF = "2025-10"
"""When the built-in prices were noted. Providers change theirs: check, and give your own."""

# US dollars, list prices without discounts for cached or batched tokens.
DEFAULT_PRICES: Mapping[str, Price] = {
    "gpt-5": Price(1.25, 10), "gpt-5-mini": Price(0.25, 2), "gpt-5-nano": Price(0.05, 0.4),
    "gpt-4.1": Price(2, 8), "gpt-4.1-mini": Price(0.4, 1.6), "gpt-4.1-nano": Price(0.1, 0.4),
    "gpt-4o": Price(2.5, 10), "gpt-4o-mini": Price(0.15, 0.6), "o3": Price(2, 8), "o4-mini": Price(1.1, 4.4),
    "text-embedding-3-small": Price(0.02), "text-embedding-3-large": Price(0.13),
    "claude-opus-4-1": Price(15, 75), "claude-opus-4": Price(15, 75), "claude-sonnet-4-5": Price(3, 15),
    "claude-sonnet-4": Price(3, 15), "claude-haiku-4-5": Price(1, 5), "claude-3-5-haiku": Price(0.8, 4),
    "gemini-2.5-pro": Price(1.25, 10), "gemini-2.5-flash": Price(0.3, 2.5), "gemini-2.5-flash-lite": Price(0.1, 0.4),
    "gemini-2.0-flash": Price(0.1, 0.4), "gemini-embedding-001": Price(0.15),
}  # fmt: skip


class Prices:
    """A price list: the built-in one, with the caller's prices before it.

    own: name → Price, (input, output) or {"input": …, "output": …}. A name holds for its versions and dates too
    ("gpt-4o" for "gpt-4o-2024-08-06", not for "gpt-4o-mini"), in any case, and behind a provider's name
    ("openai/gpt-4o"). built_in: False leaves the built-in prices out.
    """

    def __init__(self, own: Mapping[str, Any] | None = None, *, built_in: bool = True) -> None:
        prices = dict(DEFAULT_PRICES) if built_in else {}
        prices |= {name: _price(name, given) for name, given in (own or {}).items()}
        self._prices = {name.lower(): price for name, price in prices.items()}

    @classmethod
    def load(cls, path: str | Path, *, built_in: bool = True) -> Prices:
        """The list of a JSON file: an object of names and prices. Raises InvalidOption for anything else."""
        try:
            own = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidOption("prices", "a JSON file of model names and prices", f"{path}: {error}") from error
        if not isinstance(own, dict):
            raise InvalidOption("prices", "a JSON object of model names and prices", own)
        return cls(own, built_in=built_in)

    def of(self, model: str) -> Price | None:
        """The price of a model; None where it is not known."""
        whole = model.strip().lower()
        for name in (whole, whole.rpartition("/")[2]):
            fitting = [each for each in self._prices if name.startswith(each) and _VERSION.fullmatch(name[len(each) :])]
            if fitting:
                return self._prices[max(fitting, key=len)]
        return None

    def cost(self, model: str, input_tokens: int, output_tokens: int) -> float | None:
        """The money for these tokens; None where the price is not known."""
        price = self.of(model)
        return None if price is None else (input_tokens * price.input + output_tokens * price.output) / _MILLION


def _price(name: str, given: Any) -> Price:
    """A price in any of its forms. Raises InvalidOption for none."""
    wanted = f"a price of {name}: two numbers of 0 or more, for a million tokens read and written"
    if isinstance(given, Price):
        numbers: list[Any] = [given.input, given.output]
    elif isinstance(given, Mapping) and given.keys() <= {"input", "output"} and "input" in given:
        numbers = [given["input"], given.get("output", 0.0)]
    elif isinstance(given, list | tuple) and len(given) == 2:
        numbers = list(given)
    else:
        raise InvalidOption("prices", wanted, given)
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        raise InvalidOption("prices", wanted, given)
    if not all(math.isfinite(each) and each >= 0 for each in numbers):
        raise InvalidOption("prices", wanted, given)
    return Price(float(numbers[0]), float(numbers[1]))
