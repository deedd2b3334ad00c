"""`Chain`: one-sided segments along a line of points, for terrain and outlines without bumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import finite
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import COLOR, DIRECTION, FLAG, INTEGER, NUMBER, Handle, Property, list_handles
from .._bridge.library import ffi, lib
from .._bridge.vectors import Vec2
from .._geometry.categories import Filter
from .shape import as_filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._geometry.shapes import ChainSegment
    from .body import Body
    from .shape import Shape
    from .world_handles import WorldHandles


_APART = 0.005  # m: points of a chain must be farther apart


def line_of(rows: NDArray[np.float64], points: object, loop: bool, front: str | None) -> NDArray[np.float64]:
    """The points of a chain without those within 5 mm of the one before them, in the order that has its front where it
    is wanted."""
    if front is not None:
        if front not in ("outside", "inside"):
            raise ValueError(f'front={short_repr(front)} must be "outside", "inside" or None')
        if not loop:
            raise ValueError(f"front={short_repr(front)} is for loops; a line collides on the right of its direction")
    finite(rows, points, "points")
    with np.errstate(over="ignore"):
        stored = rows.astype(np.float32).astype(np.float64)
    if len(rows) and (np.hypot(*(stored - np.roll(stored, 1, axis=0)).T)[0 if loop else 1 :] <= _APART).any():
        kept = [0]
        for k in range(1, len(rows)):
            if np.hypot(*(stored[k] - stored[kept[-1]])) > _APART:
                kept.append(k)
        while loop and len(kept) > 1 and np.hypot(*(stored[kept[-1]] - stored[0])) <= _APART:
            kept.pop()
    else:
        kept = list(range(len(rows)))
    least = 3 if loop else 2
    if len(kept) < least:
        near = [k for k in range(len(rows)) if k not in kept]
        why = f"; points {short_repr(near)} are within 5 mm of the point before them" if near else ""
        raise ValueError(
            f"points={short_repr(points)} has {len(kept)} points that are more than 5 mm apart, a "
            f"{'loop' if loop else 'chain'} needs {least}{why}"
        )
    if len(kept) < len(rows):
        rows = np.ascontiguousarray(rows[kept])
    if front is None:
        return rows
    x, y = (rows - rows[0]).T
    outside = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) > 0.0
    return rows if outside == (front == "outside") else np.ascontiguousarray(rows[::-1])


class Chain(Handle):
    """Segments along a line of points, made by `Body.create_chain`; bodies slide over the points without a bump.

    A chain collides on the right of its direction only, and bodies that come from behind pass: a ground goes from right
    to left, a loop is solid outside when it goes counter-clockwise and inside when it goes clockwise. It has no mass.
    Its segments are shapes, which are destroyed with it. Assigning a property changes all of them; reading gives the
    value of the first.

    >>> with World() as world:
    ...     ground = world.create_static_body().create_chain([(20, 0), (5, 0), (0, 1), (-20, 1)], friction=0.2)
    ...     ground, len(ground.shapes), ground.points[1], round(ground.friction, 3)
    (<Chain 0 of 3 segments on body 0>, 3, Vec2(5.0, 0.0), 0.2)
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_CHAIN
    _world: WorldHandles
    _C_PREFIX = "SHAPE"
    _C_GET = lib.b2d_chain_get
    _C_SET = lib.b2d_chain_set

    # generated: properties of a chain, see tools/lists.py
    friction = Property(NUMBER)
    restitution = Property(NUMBER)
    rolling_resistance = Property(NUMBER)
    tangent_speed = Property(NUMBER)
    contact_events = Property(FLAG)
    hit_events = Property(FLAG)
    sensor_events = Property(FLAG)
    presolve = Property(FLAG)
    material = Property(INTEGER)
    color = Property(COLOR)
    one_way = Property(DIRECTION)
    # end of generated

    def _body_and_loop(self) -> tuple[Any, bool]:
        out, loop = ffi.new("b2d_handle *"), ffi.new("bool *")
        status = lib.b2d_chain_body(self._world._ptr, self._index, self._generation, out, loop)
        if status:
            raise_error(status, self)
        return out, loop[0]

    @property
    def body(self) -> Body:
        """The body that it belongs to."""
        out, _ = self._body_and_loop()
        return self._world._body(out.index, out.generation)

    @property
    def loop(self) -> bool:
        """Whether the last point is joined to the first."""
        return self._body_and_loop()[1]

    def _shapes(self) -> list[tuple[int, int]]:
        def fetch(out: Any, room: int, count: Any) -> Any:
            return lib.b2d_chain_shapes(self._world._ptr, self._index, self._generation, out, room, count)

        return list_handles(fetch, self)

    @property
    def shapes(self) -> list[Shape]:
        """Its segments along the points. They cannot be destroyed or get another geometry by themselves."""
        return [self._world._shape(*row) for row in self._shapes()]

    @property
    def points(self) -> list[Vec2]:
        """The points that it was made of, as stored (float32): body coordinates, metres."""
        segments: list[ChainSegment] = [shape.geometry for shape in self.shapes]  # type: ignore[misc]
        ends = [segment.p1 for segment in segments]
        return ends if self.loop else [*ends, segments[-1].p2]

    @property
    def filter(self) -> Filter:
        """What it collides with. Assigning takes effect in the next step, for existing contacts too."""
        category, mask, group = ffi.new("uint64_t *"), ffi.new("uint64_t *"), ffi.new("int32_t *")
        status = lib.b2d_chain_filter(self._world._ptr, self._index, self._generation, category, mask, group)
        if status:
            raise_error(status, self)
        return Filter(category[0], mask[0], group[0])

    @filter.setter
    def filter(self, value: Filter) -> None:
        status = lib.b2d_chain_set_filter(self._world._ptr, self._index, self._generation, *as_filter(value))
        if status:
            raise_error(status, self, filter=value)

    def destroy(self) -> None:
        """Removes the chain with all its segments. On a destroyed chain it does nothing."""
        if self._world._in_callback():
            self._world._defer(None, self.destroy)
            return
        if not self.alive:
            return
        shapes, owner = self._shapes(), self.body if self._world._data else None
        status = lib.b2d_chain_destroy(self._world._ptr, self._index, self._generation)
        if status and status & 0xFF != lib.B2D_STALE_HANDLE:
            raise_error(status, self)
        parts = ((generation, index, lib.B2D_KIND_SHAPE) for index, generation in shapes)
        self._world._forget(self._key(), *parts, body=owner)
        self._mark_dead()  # also when a garbage collection has already cleared the weak reference to it

    def _describe(self) -> str:
        return f" of {len(self._shapes())} segments on body {self.body.index}"
