"""The handles of a world.

A handle is remembered weakly under its generation, a number that no two objects of a world share, whatever their kinds.
Therefore the same object gives the same handle as long as the program holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

import numpy as np

from .._bridge.errors import DestroyedError, raise_error
from .._bridge.handles import DOUBLES, HANDLE_DTYPE, HANDLE_ROW, HANDLES, INT_POINTER, Handle
from .._bridge.library import ffi, lib
from .._bridge.struct_pool import StructPool
from .._bridge.world_base import WorldBase
from .body import Body
from .chain import Chain
from .contact import Contact
from .island import Island
from .joint import JOINT_CLASSES, Joint
from .shape import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

H = TypeVar("H", bound=Handle)
new: Any = object.__new__
_ROOM = 64
_DESTROYED_POOL: StructPool[Any] = StructPool(
    lambda: (out := ffi.new(HANDLES, _ROOM), ffi.buffer(out), ffi.new(INT_POINTER))
)  # buffers for the handles of what is destroyed with a body or a joint


class WorldHandles(WorldBase):
    """The part of `World` that hands out handles."""

    __slots__ = ()

    def _gravity(self) -> tuple[float, float]:
        raise NotImplementedError

    def _cached(self, cls: type[H], index: int, generation: int) -> H | None:
        """The handle that the program holds of a living object. A destroyed object may have had the same generation."""
        reference = self._handles.get(generation)
        found = reference and reference()
        return found if isinstance(found, cls) and found._index == index else None

    def _new_handle(self, cls: type[H], index: int, generation: int, deaths: int) -> H:
        """A new handle, which is returned from now on. The handle of a destroyed object is marked dead.

        If `_destroyed_count` is still `deaths`, nothing was destroyed since the object was found alive. -1: not known.
        """
        handle = new(cls)
        handle._world = self
        handle._index = index
        handle._generation = generation
        handle._row = 4 * index
        known = self._handles.get(generation)
        self._handles[generation] = ref(handle)
        if deaths != self._destroyed_count and not self._is_alive(cls._KIND, index, generation):
            if known is None:
                self._handles.pop(generation, None)
            else:  # of a living object of another kind
                self._handles[generation] = known
            handle._mark_dead()
        return handle  # type: ignore[no-any-return]

    def _deferred_handle(self, kind: type[H], make: Callable[[], Any]) -> H:
        """A handle of an object that is made when the step is over."""
        handle = kind._made(self, -1, 0)
        handle._mark_dead()
        handle._index = -1 - len(self._deferred)
        handle._hash = object.__hash__(handle) or 1
        return self._defer(handle, make)

    def _is_alive(self, kind: int, index: int, generation: int) -> bool:
        try:
            pointer = self._ptr
        except DestroyedError:  # the world is closed, and a hit is only now asked for its shape
            return False
        out = ffi.new(DOUBLES)
        if kind == lib.B2D_KIND_BODY:
            status = lib.b2d_body_get(pointer, index, generation, lib.B2D_BODY_TYPE, out)
        elif kind == lib.B2D_KIND_SHAPE:
            status = lib.b2d_shape_get(pointer, index, generation, lib.B2D_SHAPE_FRICTION, out)
        elif kind == lib.B2D_KIND_CHAIN:
            status = lib.b2d_chain_get(pointer, index, generation, lib.B2D_SHAPE_FRICTION, out)
        else:
            status = lib.b2d_joint_get(pointer, index, generation, lib.B2D_JOINT_CONSTRAINT_TORQUE, out)
        if status & 0xFF == lib.B2D_LOCKED:
            raise_error(status, self)
        return not status

    def _body(self, index: int, generation: int) -> Body:
        found = self._cached(Body, index, generation)
        return found if found is not None else self._new_handle(Body, index, generation, -1)

    def _shape(self, index: int, generation: int) -> Shape:
        found = self._cached(Shape, index, generation)
        return found if found is not None else self._new_handle(Shape, index, generation, -1)

    def _handles_of(self, cls: type[H], generations: Any, indices: Any) -> list[H]:
        """The handles of many bodies or shapes; `generations` and `indices` are arrays or memoryviews."""
        numbers = generations.tolist()
        found = [reference and reference() for reference in map(self._handles.get, numbers)]
        if not all(found):
            made: dict[int, H] = {}
            fresh, deaths = self._new_handle, self._destroyed_count
            living = self._living(cls._KIND, generations, indices)
            for k, index in enumerate(indices.tolist()):
                if found[k] is None:
                    generation = numbers[k]
                    handle = made.get(generation)
                    if handle is None:
                        lives = deaths if living[k] else -1
                        handle = made[generation] = fresh(cls, index, generation, lives)
                    found[k] = handle
        return found  # type: ignore[return-value]

    def _living(self, kind: int, generations: memoryview[int], indices: memoryview[int]) -> bytes:
        """Whether each of these objects is alive, one byte for each."""
        n = len(generations)
        out = ffi.new("bool[]", n)
        columns = ffi.from_buffer("uint64_t[]", generations.tobytes()), ffi.from_buffer("int32_t[]", indices.tobytes())
        status = lib.b2d_world_living(self._ptr, kind, n, *columns, out)
        if status:
            raise_error(status, self)
        return ffi.buffer(out)[:]  # type: ignore[no-any-return]

    def _joint(self, index: int, generation: int) -> Joint:
        found = self._cached(Joint, index, generation)
        if found is not None:
            return found
        joint = self._new_handle(Joint, index, generation, -1)
        return self._new_handle(JOINT_CLASSES[joint._bodies()[2]], index, generation, -1) if joint.alive else joint

    def _chain(self, index: int, generation: int) -> Chain:
        found = self._cached(Chain, index, generation)
        return found if found is not None else self._new_handle(Chain, index, generation, -1)

    def _contact(self, index: int, generation: int) -> Contact:
        return Contact._made(self, index, generation)

    def _island(self, index: int, generation: int) -> Island:
        return Island._made(self, index, generation)

    def _counterpart(self, handle: H) -> H:
        return find_handle(self, type(handle), handle._index, handle._generation)

    def _reduced(self, handle: Handle) -> Any:
        return find_handle, (self, type(handle), handle._index, handle._generation)

    def _forget(self, *dead: tuple[int, int, int], body: Handle | None = None) -> None:
        """Called with (generation, index, kind) of destroyed objects: marks their handles, and drops data and names.
        `body` is that of the shapes; it is needed where the world has data."""
        self._destroyed_count += 1  # first: see _new_handle
        handles, data, names = self._handles, self._data, self._names
        if data:
            self._keep_late(list(dead), None if body is None else (body._index, body._generation))
        for generation, index, kind in dead:
            reference = handles.get(generation)
            if reference is not None:
                found = reference()
                if found is not None:
                    found._mark_dead()
                    self._bury(found, reference)
                handles.pop(generation, None)
            if data:
                data.pop((kind, index, generation), None)
            if names:
                names.pop((index, generation), None)

    def _destroy(self, handle: Body | Joint, destroy: Callable[..., int]) -> None:
        """Destroys a body or a joint and what is destroyed with it, whose handles `destroy` writes."""
        if self._in_callback():
            self._defer(None, handle.destroy)
            return
        if not handle.alive:
            return
        out, data, count = spare = _DESTROYED_POOL.take()
        room = _ROOM
        while True:
            status = destroy(self._ptr, handle._index, handle._generation, out, room, count)
            if status and status & 0xFF != lib.B2D_STALE_HANDLE:
                raise_error(status, handle)
            if status or count[0] <= room:
                break
            room = count[0]
            out = ffi.new(HANDLES, room)
            data = ffi.buffer(out)
        parts = () if status else HANDLE_ROW.iter_unpack(data[: count[0] * HANDLE_ROW.size])
        self._forget(handle._key(), *parts, body=handle)
        handle._mark_dead()  # also when a garbage collection has already cleared the weak reference to it
        _DESTROYED_POOL.give_back(spare)

    def _live_generations(self, kind: int) -> NDArray[np.uint64]:
        """Generation by index, 0 where there is no object."""
        count = ffi.new(INT_POINTER)
        room = 0
        while True:
            handles = np.empty(room, HANDLE_DTYPE)
            out = ffi.from_buffer(HANDLES, handles, require_writable=True) if room else ffi.NULL
            status = lib.b2d_world_list(self._ptr, kind, out, room, count)
            if status:
                raise_error(status, self)
            if count[0] <= room:
                break
            room = count[0]
        handles = handles[: count[0]]
        result = np.zeros(int(handles["index"].max()) + 1 if len(handles) else 0, np.uint64)
        result[handles["index"]] = handles["generation"]
        return result


def find_handle(world: WorldHandles, cls: type[H], index: int, generation: int) -> H:
    """The handle of an object of any kind, which may not exist any more; handles are unpickled by this function."""
    if issubclass(cls, (Contact, Island)):
        return cls._made(world, index, generation)
    found = world._cached(cls, index, generation)
    return found if found is not None else world._new_handle(cls, index, generation, -1)
