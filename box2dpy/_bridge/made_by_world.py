"""`MadeByWorld`: the base of the public classes whose objects only a world makes; `ListMadeByWorld`: of sequences."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class MadeByWorld:
    """Calling the class raises TypeError. Inside the package, `_made` calls `_set` with the same arguments."""

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError(f"a {type(self).__name__} is made by a world, not by calling the class")

    @classmethod
    def _made(cls, *arguments: Any) -> Self:
        made = object.__new__(cls)
        made._set(*arguments)
        return made

    def _set(self, *arguments: Any) -> None:
        """Sets the attributes of a new object."""
        raise NotImplementedError


class ListMadeByWorld(MadeByWorld, Sequence[T]):
    """A sequence that only a world makes."""

    __slots__ = ()

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The first place of a value among those from `start` to `stop`, as for a list.

        Raises:
            ValueError: it is not there.
            TypeError: a place is not a whole number.
        """
        end: Any = None if stop is None else operator.index(stop)  # typeshed does not know of None
        return super().index(value, operator.index(start), end)
