"""C structs that calls fill or read, kept for the next call: making one takes longer than many a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class StructPool(Generic[T]):
    """Things of one kind. Who takes one has it alone until it is given back; what is not, after an error, is dropped."""

    __slots__ = ("_make", "give_back", "pop")

    def __init__(self, make: Callable[[], T]) -> None:
        spare: list[T] = []
        self._make = make
        self.give_back = spare.append
        self.pop = spare.pop  # IndexError when there is none

    def take(self) -> T:
        try:
            return self.pop()
        except IndexError:
            return self._make()
