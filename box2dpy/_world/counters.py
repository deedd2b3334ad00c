"""What a world reports about itself as numbers: counts, times, bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import integer
from .._bridge.errors import raise_error
from .._bridge.handles import DOUBLES, struct_dtype
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.vectors import AABB, Vec2
from .._bridge.world_base import WorldBase

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPAN_DTYPE = struct_dtype("b2d_span")


class _Numbers(tuple[Any, ...]):
    """Base of `Counters` and `Profile`: an immutable record whose fields come from a list of the C core."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[self._fields.index(name)]
        except ValueError:
            raise AttributeError(
                f"{type(self).__name__} has no {name!r}; there are {', '.join(self._fields)}"
            ) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def as_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self.as_dict().items())})"


class Counters(_Numbers):
    """Exact counts of a world; `Counters.meanings` explains each."""

    __slots__ = ()
    meanings = {row[0]: row[1] for row in shared_list("counters")}  # noqa: RUF012
    _fields = tuple(meanings)
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


class Profile(_Numbers):
    """Milliseconds of the stages of the last step; `step` is the whole."""

    __slots__ = ()
    _fields = tuple(name for (name,) in shared_list("profile"))
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> float: ...


class Reports(WorldBase):
    """The part of `World` that counts and measures."""

    @property
    def counters(self) -> Counters:
        """Exact counts: bodies, contacts, islands, bytes and more, of now or of the last step.

        >>> World().counters.bodies
        0
        """
        out = ffi.new("b2d_counters *")
        status = lib.b2d_world_counters(self._ptr, out)
        if status:
            raise_error(status, self)
        return Counters(ffi.unpack(ffi.cast("int64_t *", out), len(Counters._fields)))

    @property
    def profile(self) -> Profile:
        """Milliseconds that the stages of the last step took: `world.profile.step` is the whole."""
        out = ffi.new("b2d_profile *")
        status = lib.b2d_world_profile(self._ptr, out)
        if status:
            raise_error(status, self)
        return Profile(ffi.unpack(ffi.cast("double *", out), len(Profile._fields)))

    def trace(self, spans: int = 4096) -> None:
        """Has each worker note what it runs, for timelines: up to so many spans a worker in each step; 0 ends it.

        Costs two looks at the clock for each piece of work. New workers start without a trace.

        Raises:
            ValueError: negative or over a million.
            TypeError: not an integer.
            WorldLockedError: another world is using the same `Scheduler` now, or there is no memory.
        """
        status = lib.b2d_world_trace(self._ptr, integer(spans, "spans", 0, 1_000_000))
        if status:
            raise_error(status, self, value=spans)

    @property
    def spans(self) -> NDArray[np.void]:
        """What the workers did in the last step while `trace` was on, by worker, then time: copy, a record array.

        Fields: `worker`, `stage` (index into the fields of `Profile`), `begin` and `end` in milliseconds since the step began.
        What lies between the spans of worker 0, the calling thread, is serial work or waiting.

        Raises:
            WorldLockedError: another world is using the same `Scheduler` now.

        >>> with World() as world:
        ...     world.trace()
        ...     body = world.create_dynamic_body()
        ...     world.step()
        ...     {world.profile._fields[stage] for stage in world.spans["stage"].tolist()} >= {"solve", "finalize"}
        True
        """
        count = ffi.new("int32_t *")
        room = 0
        while True:
            rows = np.zeros(room, SPAN_DTYPE)
            out = ffi.from_buffer("b2d_span[]", rows, require_writable=True) if room else ffi.NULL
            status = lib.b2d_world_spans(self._ptr, out, room, count)
            if status:
                raise_error(status, self)
            if count[0] <= room:
                return rows[: count[0]]
            room = count[0]

    @property
    def shape_version(self) -> int:
        """A number that changes whenever a shape is made or destroyed or gets another geometry, colour or other property."""
        out = ffi.new("uint32_t *")
        status = lib.b2d_world_shape_changes(self._ptr, out)
        if status:
            raise_error(status, self)
        return int(out[0])

    @property
    def bounds(self) -> AABB:
        """The box around all shapes; zeros when there is none."""
        out = ffi.new(DOUBLES)
        status = lib.b2d_world_bounds(self._ptr, out)
        if status:
            raise_error(status, self)
        return AABB(Vec2(out[0], out[1]), Vec2(out[2], out[3]))
