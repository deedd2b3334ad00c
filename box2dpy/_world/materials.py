"""Pairs of materials: values of contacts that replace the mixed values of the two shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._bridge.arguments import integer, number
from .._bridge.errors import raise_if
from .._bridge.handles import INT_POINTER
from .._bridge.library import ffi, lib

if TYPE_CHECKING:
    from typing import Any

    from .._bridge.world_base import WorldBase


class MaterialPair(NamedTuple):
    """Values of contacts between two materials; None where the values of the two shapes are mixed, as without the
    table."""

    friction: float | None = None
    """Coulomb friction coefficient, 0 or more."""
    restitution: float | None = None
    """Bounciness, usually 0 to 1."""
    rolling_resistance: float | None = None
    """Resistance of round shapes to rolling, as a fraction of the larger radius, 0 or more."""
    tangent_speed: float | None = None
    """Speed of the one surface along the other, m/s."""


def set_material_pair(
    world: WorldBase,
    a: int,
    b: int,
    *,
    friction: float | None = None,
    restitution: float | None = None,
    rolling_resistance: float | None = None,
    tangent_speed: float | None = None,
) -> None:
    """Sets the values of contacts between shapes of material `a` and shapes of material `b`.

    They replace the values mixed from the two shapes; a value of None is mixed as before. The order of `a` and `b` does
    not matter, and a second call replaces the first. Existing contacts change at once, and bodies that rest on a
    changed contact are woken.

    Args:
        a: a `material` of shapes, any 32-bit number.
        b: another, or the same.

    Raises:
        ValueError: not finite or out of range.
        TypeError: a wrong type.

    >>> with World() as world:
    ...     ICE, RUBBER = 1, 2
    ...     world.set_material_pair(ICE, RUBBER, friction=0.15)
    ...     world.material_pairs[ICE, RUBBER].friction, world.material_pairs[ICE, RUBBER].restitution
    (0.15, None)
    """
    given: dict[str, Any] = {
        "friction": friction,
        "restitution": restitution,
        "rolling_resistance": rolling_resistance,
        "tangent_speed": tangent_speed,
    }
    row = ffi.new("b2d_material_pair *")
    row.a, row.b = integer(a, "a"), integer(b, "b")
    for k, (name, value) in enumerate(given.items()):
        if value is not None:
            row.value[k] = number(value, name)
            row.given |= 1 << k
    raise_if(lib.b2d_world_set_material_pair(world._ptr, row), world, **given)


def remove_material_pair(world: WorldBase, a: int, b: int) -> None:
    """Removes a pair from the table, if it is there; its contacts have mixed values again at once."""
    found = ffi.new("bool *")
    raise_if(lib.b2d_world_remove_material_pair(world._ptr, integer(a, "a"), integer(b, "b"), found), world)


def material_pairs(world: WorldBase) -> dict[tuple[int, int], MaterialPair]:
    """The value of the property `material_pairs` of `World`."""
    count = ffi.new(INT_POINTER)
    room = 16
    while True:
        out = ffi.new("b2d_material_pair[]", room)
        raise_if(lib.b2d_world_material_pairs(world._ptr, out, room, count), world)
        if count[0] <= room:
            break
        room = count[0]
    return {
        (row.a, row.b): MaterialPair(
            *(row.value[k] if row.given >> k & 1 else None for k in range(lib.B2D_MATERIAL_COUNT))
        )
        for row in out[0 : count[0]]
    }
