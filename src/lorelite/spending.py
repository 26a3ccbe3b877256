"""Budgets: how many tokens, or how much money, the calls within a scope may cost; and scopes that only count them."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from lorelite.errors import BudgetExceeded, InvalidOption
from lorelite.records import Estimate, Usage

_LIMIT = re.compile(r"\$(?P<money>\d+(?:\.\d+)?|\.\d+)|(?P<tokens>\d+(?:\.\d+)?)(?P<unit>[kKmM]?)")
MoneyFor = Callable[[int, int], float | None]
"""(tokens read, tokens written) → money; None where the price is not known."""


class Budget:
    """What calls may cost together: tokens read and written, or money, or both; None is no limit.

    A call is sent only when what it will read, by estimate, and the reply it may get still fit; so the limit is kept
    but for what the estimate is off and what a reply is longer than `reply_tokens`. A call without a known price does
    not fit a budget of money. `spent` tells what was used, `tokens_spent` and `money_spent` in short.
    """

    def __init__(self, *, tokens: int | None = None, money: float | None = None, reply_tokens: int = 1_000) -> None:
        for name, limit in (("tokens", tokens), ("money", money), ("reply_tokens", reply_tokens)):
            is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if limit is not None and not (is_number and limit >= 0):
                raise InvalidOption(name, "a number of 0 or more, or None", limit)
        self.tokens = tokens
        self.money = money
        self.reply_tokens = reply_tokens
        self.spent = Usage()
        self._money = 0.0
        self._held_tokens = 0
        self._held_money = 0.0

    @classmethod
    def parse(cls, text: str) -> Budget:
        """The budget that a text names: tokens as "50000", "50k" or "2M", money as "$0.20". Raises InvalidOption."""
        found = _LIMIT.fullmatch(text.strip().replace(",", ""))
        if found is None:
            raise InvalidOption("budget", "tokens as 50000, 50k or 2M, or money as $0.20", text)
        if found["money"]:
            return cls(money=float(found["money"]))
        return cls(tokens=round(float(found["tokens"]) * {"": 1, "k": 1_000, "m": 1_000_000}[found["unit"].lower()]))

    def __repr__(self) -> str:
        return f"Budget({self._limits()}; spent: {self._spent()})"

    @property
    def tokens_spent(self) -> int:
        """Read and written."""
        return self.spent.input_tokens + self.spent.output_tokens

    @property
    def money_spent(self) -> float:
        """Of the calls whose price is known."""
        return self._money

    def admits(self, tokens: int, money: float | None) -> bool:
        """Would a call of about that much still fit?"""
        if self.tokens is not None and self.tokens_spent + self._held_tokens + tokens > self.tokens:
            return False
        if self.money is None:
            return True
        return money is not None and self._money + self._held_money + money <= self.money

    def hold(self, tokens: int, money: float | None) -> None:
        """Set that much aside for a call that is under way."""
        self._held_tokens += tokens
        self._held_money += money or 0.0

    def release(self, tokens: int, money: float | None, usage: Usage) -> None:
        """Give back what was set aside for a call, and count what it used."""
        self._held_tokens -= tokens
        self._held_money -= money or 0.0
        self.spent += usage
        self._money += usage.cost or 0.0

    def exceeded(self, purpose: str) -> BudgetExceeded:
        """The error of a call that does not fit."""
        return BudgetExceeded(self._spent(), self._limits(), purpose)

    def _limits(self) -> str:
        limits = [f"{self.tokens:,} tokens" if self.tokens is not None else "", _money_text(self.money)]
        return " and ".join(filter(None, limits)) or "no limit"

    def _spent(self) -> str:
        return f"{self.tokens_spent:,} tokens and {_money_text(self._money)}"


class Hold:
    """What one call has set aside in every budget around it."""

    def __init__(self, budgets: tuple[Budget, ...], tokens: int, money: float | None) -> None:
        self._budgets = budgets
        self._tokens = tokens
        self._money = money
        for budget in budgets:
            budget.hold(tokens, money)

    def settle(self, usage: Usage) -> None:
        """Count what the call used in the place of what was set aside; once."""
        budgets, self._budgets = self._budgets, ()
        for budget in budgets:
            budget.release(self._tokens, self._money, usage)


_current: ContextVar[tuple[Budget, ...]] = ContextVar("budgets", default=())


@contextmanager
def spending(budget: Budget | None) -> Iterator[Budget | None]:
    """Hold all calls within the `with` to a budget; None changes nothing. Budgets nest: each of them must hold a call.

    It holds for the task (or thread) that entered it, and for the tasks that this one starts.
    """
    if budget is not None and not isinstance(budget, Budget):
        raise InvalidOption("budget", "a Budget, or None", budget)
    token = _current.set((*_current.get(), budget) if budget is not None else _current.get())
    try:
        yield budget
    finally:
        _current.reset(token)


P = ParamSpec("P")
T = TypeVar("T")


def budgeted(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Hold the calls of a method to its argument `budget`, as `spending` does."""

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        budget: Any = kwargs.get("budget")
        with spending(budget):
            return await method(*args, **kwargs)

    return call


class Foreseen:
    """What was counted within `foreseeing()`."""

    def __init__(self) -> None:
        self.total = Estimate()

    def __repr__(self) -> str:
        return f"Foreseen({self.total})"


_foreseen: ContextVar[tuple[Foreseen, ...]] = ContextVar("foreseen", default=())


@contextmanager
def foreseeing() -> Iterator[Foreseen]:
    """Send no call of a model within the `with`, but count it: what a rehearsal, such as `run_heal(…, dry_run=True)`,
    would ask. Calls that the file answers cost nothing and are answered.

    For rehearsals alone: what writes would begin its work, and stop at the first calls. A call that is not sent fails
    as OnlyForeseen; what further calls its reply would have led to is not counted. An
    embedder outside of this process is not asked either, and not counted.
    """
    found = Foreseen()
    token = _foreseen.set((*_foreseen.get(), found))
    try:
        yield found
    finally:
        _foreseen.reset(token)


def is_foreseeing() -> bool:
    """Are calls only counted here?"""
    return bool(_foreseen.get())


def foresee(estimate: Estimate) -> None:
    """Count calls that would be sent."""
    for found in _foreseen.get():
        found.total += estimate


def count(usage: Usage) -> None:
    """Count in every budget around what cost nothing: calls that were answered from recorded ones."""
    for budget in _current.get():
        budget.release(0, None, usage)


def admitted(input_tokens: int, money_for: MoneyFor, purpose: str) -> Hold:
    """Set aside what a call will cost in every budget around it. Raises BudgetExceeded when one does not hold it."""
    budgets = _current.get()
    if not budgets:
        return _NOTHING
    reply_tokens = max(budget.reply_tokens for budget in budgets)
    tokens, money = input_tokens + reply_tokens, money_for(input_tokens, reply_tokens)
    for budget in budgets:
        if not budget.admits(tokens, money):
            raise budget.exceeded(purpose)
    return Hold(budgets, tokens, money)


_NOTHING = Hold((), 0, None)


def _money_text(money: float | None) -> str:
    return "" if money is None else f"{money:.4f} of money"
