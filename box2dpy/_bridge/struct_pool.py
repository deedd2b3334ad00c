"""Pools of C structs that calls fill or read. Creating a struct takes longer than many of these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class StructPool(Generic[T]):
    """Structs of one type. A struct that was taken is not given out again until it is given back."""

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
