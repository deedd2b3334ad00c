"""What a world reports about itself as numbers: counts, times, bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import ffi, lib
from ._errors import fail
from ._handle import DOUBLES
from ._lists import rows
from ._tables import Tables
from ._vec2 import AABB, Vec2


class _Numbers(tuple[Any, ...]):
    """Base of `Counters` and `Profile`: an immutable record whose fields come from a list of the C core."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[self._fields.index(name)]
        except ValueError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; there are {', '.join(self._fields)}") from None

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
    meanings = {row[0]: row[1] for row in rows("counters")}  # noqa: RUF012
    _fields = tuple(meanings)
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


class Profile(_Numbers):
    """Milliseconds of the stages of the last step; `step` is the whole."""

    __slots__ = ()
    _fields = tuple(name for (name,) in rows("profile"))
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> float: ...


class Reports(Tables):
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
            fail(status, self)
        return Counters(ffi.unpack(ffi.cast("int64_t *", out), len(Counters._fields)))

    @property
    def profile(self) -> Profile:
        """Milliseconds that the stages of the last step took: `world.profile.step` is the whole."""
        out = ffi.new("b2d_profile *")
        status = lib.b2d_world_profile(self._ptr, out)
        if status:
            fail(status, self)
        return Profile(ffi.unpack(ffi.cast("double *", out), len(Profile._fields)))

    @property
    def shape_version(self) -> int:
        """A number that changes whenever a shape is made or destroyed or gets another geometry, colour or other property."""
        out = ffi.new("uint32_t *")
        status = lib.b2d_world_shape_changes(self._ptr, out)
        if status:
            fail(status, self)
        return int(out[0])

    @property
    def bounds(self) -> AABB:
        """The box around all shapes; zeros when there is none."""
        out = ffi.new(DOUBLES)
        status = lib.b2d_world_bounds(self._ptr, out)
        if status:
            fail(status, self)
        return AABB(Vec2(out[0], out[1]), Vec2(out[2], out[3]))
