"""`Island`: a group of bodies that are linked by contacts and joints, and sleep together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._bridge.handles import Handle, list_handles
from .._bridge.library import ffi, lib

if TYPE_CHECKING:
    from .body import Body
    from .contact import Contact
    from .joint import Joint
    from .world_handles import WorldHandles


class Island(Handle):
    """A group of moving bodies linked by touching contacts and joints. The engine makes, merges and splits islands.

    Attributes raise `DestroyedError` when the island is gone, `WorldLockedError` while another thread steps the world.

    >>> with World() as world:
    ...     body = world.create_dynamic_body()
    ...     [island] = world.islands
    ...     island.bodies[0] is body, len(island)
    (True, 1)
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_ISLAND
    _world: WorldHandles

    def _list(self, kind: int) -> list[tuple[int, int]]:
        def fetch(out: Any, room: int, count: Any) -> Any:
            pointer = self._world._ptr
            return lib.b2d_island_list(pointer, self._index, self._generation, kind, out, room, count)

        return list_handles(fetch, self)

    @property
    def alive(self) -> bool:
        """Whether the island still exists; never raises."""
        if self._world.closed:
            return False
        count = ffi.new("int32_t *")
        pointer, kind = self._world._ptr, lib.B2D_KIND_BODY
        return not lib.b2d_island_list(pointer, self._index, self._generation, kind, ffi.NULL, 0, count)

    @property
    def data(self) -> Any:
        """Always None: the engine creates and ends islands, so that data of the user cannot be kept with them."""
        return None

    @data.setter
    def data(self, value: Any) -> None:
        raise AttributeError("islands carry no data")

    def __len__(self) -> int:
        return len(self._list(lib.B2D_KIND_BODY))

    def __bool__(self) -> bool:
        return True

    @property
    def bodies(self) -> list[Body]:
        """Its bodies."""
        return [self._world._body(*row) for row in self._list(lib.B2D_KIND_BODY)]

    @property
    def contacts(self) -> list[Contact]:
        """The touching contacts that link its bodies."""
        return [self._world._contact(*row) for row in self._list(lib.B2D_KIND_CONTACT)]

    @property
    def joints(self) -> list[Joint]:
        """The joints that link its bodies."""
        return [self._world._joint(*row) for row in self._list(lib.B2D_KIND_JOINT)]

    def _describe(self) -> str:
        return f" of {len(self)} bodies"
