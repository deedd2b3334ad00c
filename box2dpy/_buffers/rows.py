"""The arrays of `box2dpy.buffers`: what their rows contain, and functions that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._bridge.arguments import integer
from .._bridge.errors import short_repr
from .._bridge.handles import record_dtype
from .._bridge.library import lib
from .._geometry.geometry import as_geometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._geometry.geometry import Geometry

_TWO = ("f4", 2)
POSE = record_dtype("b2d_buffer_pose", position=("x", ("f8", 2)), rotation=("c", _TWO), local_center=("cx", _TWO))
"""Pose of a body: `position` of its origin (m, float64), `rotation` (cosine and sine of its angle), `local_center` (m,
its centre of mass in body coordinates)."""
MASS = record_dtype(
    "b2d_buffer_mass",
    mass=("mass", "f4"), inertia=("inertia", "f4"), gravity_scale=("gravity_scale", "f4"),
    linear_damping=("linear_damping", "f4"), angular_damping=("angular_damping", "f4"),
)  # fmt: skip
"""Mass of a body: `mass` (kg; 0: it moves only by its velocity), `inertia` (kg m^2 about the centre of mass; 0: it does
not turn), `gravity_scale`, `linear_damping`, `angular_damping` (1/s)."""
VELOCITY = record_dtype("b2d_buffer_velocity", linear=("x", _TWO), angular=("w", "f4"))
"""Velocity of a body: `linear` of its centre of mass (m/s), `angular` (rad/s)."""
COLLIDER = record_dtype(
    "b2d_buffer_collider",
    body=("body", "i4"), tag=("tag", "u4"), count=("count", "i4"), radius=("radius", "f4"),
    x=("x", ("f4", 8)), y=("y", ("f4", 8)),
    friction=("friction", "f4"), restitution=("restitution", "f4"),
    rolling_resistance=("rolling_resistance", "f4"), tangent_speed=("tangent_speed", "f4"),
)  # fmt: skip
"""Collider: `body` (index), `tag` (any number that no other collider has; a new one drops its warm starting), `count`
of vertices (1: circle, 2: capsule, 3 to 8: convex polygon), `radius` (m, rounds the vertices), `x`, `y` (m, body
coordinates, counter-clockwise), and the material as in `Shape`: `friction`, `restitution`, `rolling_resistance`,
`tangent_speed` (m/s)."""
CONTACT = record_dtype(
    "b2d_buffer_contact",
    tag=("tag", "u8"), body_a=("body_a", "i4"), body_b=("body_b", "i4"), normal=("normal", _TWO),
    friction=("friction", "f4"), restitution=("restitution", "f4"),
    rolling_resistance=("rolling_resistance", "f4"), tangent_speed=("tangent_speed", "f4"),
    radius_a=("radius_a", "f4"), radius_b=("radius_b", "f4"),
    lever=("lever", ("f4", (2, 2))), separation=("separation", _TWO), feature=("feature", ("u2", 2)),
    user=("user", "u4"),
)  # fmt: skip
"""Contact: `tag` (lesser tag << 32 | greater tag of its colliders; 0: not cached), `body_a`, `body_b` (indices),
`normal` (unit, from a to b, world axes), `friction`, `restitution`, `rolling_resistance` (m), `tangent_speed` (m/s),
`radius_a`, `radius_b` (m, of round surfaces), and of two points `lever` (m, from the centre of mass of a to the point
midway between the surfaces, world axes), `separation` (m, negative where they overlap) and `feature` (a name of the
corner or edge; 65535: there is no such point); `user` is left to the program."""
IMPULSE = record_dtype(
    "b2d_buffer_impulse",
    feature=("feature", ("u2", 2)), normal=("normal", _TWO), tangent=("tangent", _TWO), rolling=("rolling", "f4"),
)  # fmt: skip
"""Impulses of a contact in the last substep: of two points `feature`, `normal`, `tangent` (N s), and `rolling`
(N m s)."""
NO_TAG = np.uint64(2**64 - 1)
"""The tag of a row of a cache that is free."""


class CapacityError(ValueError):
    """An array has too little room. Nothing but the arena was written; `needed` rows (of the arena: bytes) or more are
    enough for this part of the call."""

    def __init__(self, message: str, array: str, needed: int) -> None:
        super().__init__(message)
        self.array = array
        self.needed = needed


class Bodies(NamedTuple):
    """The arrays of n bodies, one row each: the caller's, and written in place."""

    poses: NDArray[np.void]
    """Shape (n,) of `POSE`."""
    masses: NDArray[np.void]
    """Shape (n,) of `MASS`."""
    velocities: NDArray[np.void]
    """Shape (n,) of `VELOCITY`."""
    idle: NDArray[np.uint8]
    """Shape (n,): the steps in a row in which the body hardly moved, at most 255. Set it to 0 to keep a body active,
    and after changing the pose or velocity of a body that rests."""


class Cache(NamedTuple):
    """The contact cache of the caller: what `simulate` warm starts from, and leaves for the next call."""

    tags: NDArray[np.uint64]
    """Shape (room,): strictly ascending, then `NO_TAG` in the rows that are free."""
    impulses: NDArray[np.void]
    """Shape (room,) of `IMPULSE`."""


class Found(NamedTuple):
    """What `collide` found: views of the caller's arrays, cut to the rows that were written."""

    contacts: NDArray[np.void]
    """Ascending by tag. Rows may be edited, left out and added."""
    sleeping: NDArray[np.uint64]
    """Tags of pairs at rest, ascending: `simulate` keeps their impulses in the cache."""
    active: NDArray[np.int32]
    """Indices of the bodies that move in this step, ascending."""
    broad_pairs: int
    """Pairs of colliders whose boxes overlap."""
    narrow_pairs: int
    """Those of them that were tested in detail: the others rest."""


def new_bodies(n: int) -> Bodies:
    """Arrays for `n` bodies at the origin, without mass, at rest; `gravity_scale` is 1.

    Raises:
        ValueError: n is negative.
        TypeError: n is no integer.

    >>> new_bodies(2).poses["rotation"].tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    rows = integer(n, "n", 0)
    bodies = Bodies(np.zeros(rows, POSE), np.zeros(rows, MASS), np.zeros(rows, VELOCITY), np.zeros(rows, np.uint8))
    bodies.poses["rotation"] = 1, 0
    bodies.masses["gravity_scale"] = 1
    return bodies


def new_colliders(n: int) -> NDArray[np.void]:
    """`n` rows of `COLLIDER`, to be filled in; friction is 0.6, all else 0.

    Raises:
        ValueError: n is negative.
        TypeError: n is no integer.

    >>> new_colliders(1)["count"].tolist()
    [0]
    """
    rows = np.zeros(integer(n, "n", 0), COLLIDER)
    rows["friction"] = 0.6
    return rows


def new_contacts(n: int) -> NDArray[np.void]:
    """`n` contacts of the program's own, to be put before those of `collide`: tag 0, friction 0.6, one point with
    feature 0; `body_a`, `body_b`, `normal`, `lever` and `separation` of the point are to be filled in.

    Raises:
        ValueError: n is negative.
        TypeError: n is no integer.

    >>> new_contacts(1)["feature"].tolist()
    [[0, 65535]]
    """
    rows = np.zeros(integer(n, "n", 0), CONTACT)
    rows["friction"] = 0.6
    rows["feature"][:, 1] = 0xFFFF
    return rows


def new_cache(room: int) -> Cache:
    """An empty contact cache for `room` contacts.

    Raises:
        ValueError: room is negative.
        TypeError: room is no integer.

    >>> int((new_cache(8).tags == NO_TAG).sum())
    8
    """
    rows = integer(room, "room", 0)
    return Cache(np.full(rows, NO_TAG, np.uint64), np.zeros(rows, IMPULSE))


def set_geometry(colliders: NDArray[np.void], geometry: Geometry) -> None:
    """Gives all rows of `colliders` the vertices and the radius of a `Circle`, `Capsule`, `Polygon` or `Box`.

    Raises:
        ValueError: the geometry is a segment, which has no radius.
        TypeError: not rows of `COLLIDER`, or no geometry.

    >>> rows = new_colliders(1)
    >>> set_geometry(rows, Box(1, 2))
    >>> rows["count"].tolist(), rows["y"][0, :4].tolist()
    ([4], [-2.0, -2.0, 2.0, 2.0])
    """
    if not isinstance(colliders, np.ndarray) or colliders.dtype != COLLIDER:
        raise TypeError(f"colliders={short_repr(colliders)} must be rows of COLLIDER")
    c = as_geometry(geometry)
    if c.type not in (lib.B2D_CIRCLE, lib.B2D_CAPSULE, lib.B2D_POLYGON):
        raise ValueError(f"geometry={short_repr(geometry)} must be a Circle, Capsule, Polygon or Box")
    colliders["count"], colliders["radius"] = c.count, c.radius
    colliders["x"], colliders["y"] = list(c.x), list(c.y)
