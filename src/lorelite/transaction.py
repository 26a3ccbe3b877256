"""`with wiki.transaction():` several calls, all or nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from contextvars import ContextVar
from types import TracebackType

from lorelite.errors import TransactionError
from lorelite.store.store import Store

_entered: ContextVar[tuple[object, ...]] = ContextVar("lorelite_transactions", default=())
"""The owner marks (`Store.owner`) of the transactions that this task is inside of."""


class Transaction:
    """One transaction; serves `with` and `async with`. May be nested: an inner one that fails undoes only itself."""

    def __init__(self, store: Store, guard: AbstractContextManager[object] | None = None) -> None:
        self._store = store
        self._guard = guard
        self._stack = ExitStack()
        self._is_entered = False

    def __enter__(self) -> None:
        if self._is_entered:
            raise TransactionError("this transaction was entered already; call wiki.transaction() for another one")
        if self._guard is not None:
            self._stack.enter_context(self._guard)
        try:
            check_owner(self._store)
            is_outermost = not self._store.db.in_transaction
            self._stack.enter_context(self._store.atomic())
        except BaseException:
            self._stack.close()
            raise
        self._is_entered = True
        if is_outermost:
            self._store.owner = object()
        token = _entered.set((*_entered.get(), self._store.owner))
        self._stack.callback(_entered.reset, token)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


def check_owner(store: Store) -> None:
    """Raises TransactionError when a transaction is open that this task did not open."""
    if store.db.in_transaction and store.owner not in _entered.get():
        raise TransactionError(
            f"another task holds a transaction on {store.path!r}; wait until it has ended, "
            "or its changes and yours would be kept or undone together"
        )
