"""The numbers that a world reports: counts, times, bounds."""

from __future__ import annotations

from typing import NamedTuple

from .._bridge.errors import raise_error, raise_if
from .._bridge.handles import DOUBLES
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.vectors import AABB, Vec2
from .._bridge.world_base import WorldBase, check_world


class _Counts(NamedTuple):
    # generated: counters, see tools/lists.py
    bodies: int
    awake_bodies: int
    shapes: int
    chains: int
    contacts: int
    touching: int
    joints: int
    islands: int
    awake_islands: int
    colors: int
    overflow_contacts: int
    overflow_joints: int
    direct_joints: int
    contacts_updated: int
    contacts_recycled: int
    contacts_begun: int
    contacts_ended: int
    pairs_created: int
    pairs_destroyed: int
    moved_shapes: int
    islands_merged: int
    islands_relabeled: int
    splits_tried: int
    islands_split: int
    bodies_traversed: int
    bodies_woken: int
    bodies_slept: int
    continuous_bodies: int
    presolve_looks: int
    sensors: int
    sensor_overlaps: int
    hits: int
    step_allocations: int
    bytes: int
    peak_bytes: int
    steps: int
    # end of generated


class Counters(_Counts):
    """Exact counts of a world; `Counters.meanings` explains each, and so does `help(Counters)`."""

    __slots__ = ()
    meanings = {row[0]: row[1] for row in shared_list("counters")}  # noqa: RUF012

    def as_dict(self) -> dict[str, int]:
        """All counts by name."""
        return self._asdict()


class Profile(NamedTuple):
    """Milliseconds that each stage of the last step took, in their order; `step` is the whole.

    A stage that had nothing to do has 0: looking at the clock would take longer, so its time is in the next stage."""

    # generated: stages, see tools/lists.py
    step: float
    pairs: float
    create_contacts: float
    collide: float
    contact_transitions: float
    split: float
    prepare: float
    solve: float
    restitution: float
    finalize: float
    refit: float
    continuous: float
    sensors: float
    sleep: float
    # end of generated

    def as_dict(self) -> dict[str, float]:
        """All times by name."""
        return self._asdict()


for _name, _meaning in Counters.meanings.items():
    getattr(Counters, _name).__doc__ = _meaning


def shape_version(world: WorldBase) -> int:
    """A number that changes whenever a shape is created, destroyed or changed (geometry, colour, any property)."""
    check_world(world)
    out = ffi.new("uint32_t *")
    raise_if(lib.b2d_world_shape_changes(world._ptr, out), world)
    return int(out[0])


class Reports(WorldBase):
    """The part of `World` that counts and measures."""

    __slots__ = ()

    @property
    def counters(self) -> Counters:
        """Exact counts: bodies, contacts, islands, bytes and more, of the present state or of the last step.

        >>> World().counters.bodies
        0
        """
        out = ffi.new("b2d_counters *")
        status = lib.b2d_world_counters(self._ptr, out)
        if status:
            raise_error(status, self)
        return Counters._make(ffi.unpack(ffi.cast("int64_t *", out), len(Counters._fields)))

    @property
    def profile(self) -> Profile:
        """Milliseconds that the stages of the last step took: `world.profile.step` is the whole."""
        out = ffi.new("b2d_profile *")
        status = lib.b2d_world_profile(self._ptr, out)
        if status:
            raise_error(status, self)
        return Profile._make(ffi.unpack(ffi.cast("double *", out), len(Profile._fields)))

    @property
    def bounds(self) -> AABB:
        """The box around all shapes; zeros when there is none."""
        out = ffi.new(DOUBLES)
        status = lib.b2d_world_bounds(self._ptr, out)
        if status:
            raise_error(status, self)
        return AABB(Vec2(out[0], out[1]), Vec2(out[2], out[3]))
