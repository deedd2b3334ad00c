"""`MadeByWorld`: the base of the public classes whose objects only a world makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


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
