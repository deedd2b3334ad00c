"""`Filter`: which shapes collide; `Categories`: names for its bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._bridge.arguments import integer
from .._bridge.errors import short_repr

EVERYTHING = 2**64 - 1


class _FilterFields(NamedTuple):
    category: int
    mask: int
    group: int


class Filter(_FilterFields):
    """Which shapes collide: immutable.

    Two shapes collide when each one's category has a bit in the other's mask. A common group that is not zero decides
    before that: positive always, negative never.

    Args:
        category: the bits that the shape is, 64-bit.
        mask: the bits that it collides with, 64-bit.
        group: 32-bit signed.

    Raises:
        ValueError: a number outside those ranges.
        TypeError: not an integer.

    >>> Filter(category=2, group=-1)
    Filter(category=0x2, mask=0xffffffffffffffff, group=-1)
    """

    __slots__ = ()

    def __new__(cls, category: int = 1, mask: int = 2**64 - 1, group: int = 0) -> Filter:
        bits = 2**64 - 1
        fields = integer(category, "category", 0, bits), integer(mask, "mask", 0, bits), integer(group, "group")
        return tuple.__new__(cls, fields)

    def __repr__(self) -> str:
        return f"Filter(category={self.category:#x}, mask={self.mask:#x}, group={self.group})"

    def accepts(self, other: Filter) -> bool:
        """Whether shapes with these two filters collide.

        >>> Filter(category=1, mask=2).accepts(Filter(category=2, mask=1))
        True
        """
        if self.group and self.group == other.group:
            return self.group > 0
        return bool(self.mask & other.category and other.mask & self.category)


class Categories:
    """Up to 64 names, each of which stands for one bit of `Filter.category` and `Filter.mask`.

    It belongs to no world: many worlds may share one, and every world has one of its own as `World.categories`. The
    first name is always "default", the bit of a `Filter()`; the others get the next bits in the order in which they are
    added. A name must be added before it is used, so a misspelt one is an error and not another bit.

    >>> layers = Categories("ground", "player", "enemy")
    >>> layers["player"], layers.mask("ground", "enemy")
    (4, 10)
    >>> layers.filter("player", mask=["ground", "enemy"])
    Filter(category=0x4, mask=0xa, group=0)
    >>> layers.filter("enemy", but=["enemy"]).mask == 2**64 - 1 - layers["enemy"]
    True
    >>> layers.names(10)
    ['ground', 'enemy']
    """

    __slots__ = ("_bits",)

    def __init__(self, *names: str) -> None:
        self._bits: dict[str, int] = {"default": 1}
        for name in names:
            self.add(name)

    def add(self, name: str) -> int:
        """Gives a name the next free bit, or finds the one that it has; returns the bit.

        Raises:
            ValueError: there are 64 names already.
            TypeError: not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"name={short_repr(name)} must be a string")
        if name not in self._bits:
            if len(self._bits) == 64:
                raise ValueError(f"name={name!r} is one too many: a filter has 64 bits")
            self._bits[name] = 1 << len(self._bits)
        return self._bits[name]

    def __getitem__(self, name: str) -> int:
        try:
            return self._bits[name]
        except (KeyError, TypeError):
            raise ValueError(f"{short_repr(name)} is no category; there are {', '.join(self._bits)}") from None

    def mask(self, *names: str) -> int:
        """The bits of these names together; 0 for none."""
        return sum({self[name] for name in names})

    def names(self, mask: int) -> list[str]:
        """The names whose bits are in a mask, in the order of the bits; bits without a name are left out."""
        mask = integer(mask, "mask", 0, EVERYTHING)
        return [name for name, bit in self._bits.items() if mask & bit]

    def filter(
        self,
        category: str | Iterable[str] = "default",
        *,
        mask: str | Iterable[str] | None = None,
        but: str | Iterable[str] = (),
        group: int = 0,
    ) -> Filter:
        """A `Filter` by names, for shapes and for queries.

        Args:
            category: the categories of the shape: a name or several.
            mask: the categories that it collides with: a name or several; all when absent, also those that are added
                later.
            but: the categories that it does not collide with, removed from the mask.
            group: as in `Filter`.

        Raises:
            ValueError: a name that has not been added, or a group out of range.
            TypeError: a wrong type.
        """
        met = EVERYTHING if mask is None else self.mask(*_several(mask))
        return Filter(self.mask(*_several(category)), met & ~self.mask(*_several(but)), group)

    def __contains__(self, name: object) -> bool:
        return name in self._bits

    def __iter__(self) -> Iterator[str]:
        return iter(self._bits)

    def __len__(self) -> int:
        return len(self._bits)

    def __repr__(self) -> str:
        return f"Categories({', '.join(repr(name) for name in list(self._bits)[1:])})"


def _several(names: str | Iterable[str]) -> Iterable[str]:
    if isinstance(names, str):
        return (names,)
    if isinstance(names, Iterable):
        return names
    raise TypeError(f"{short_repr(names)} must be a name or several")
