"""Collision and simulation on numpy arrays of the caller, without a world: `collide`, then `simulate`.

Everything that a step reads and writes lies in arrays that the program owns: bodies, colliders, the contact cache, the
counters of idle steps. Neither call keeps anything, so the state is a few arrays: copying them copies the simulation,
`numpy.savez` saves it, and rows may be appended, moved and deleted between steps by plain assignments. The kernels are
those of `World`. There are no joints, events, queries, sensors or continuous collision; custom constraints change
velocities between the calls, or in every substep of a `StagedSimulation`, and `connections` lists which bodies must
rest together.

```
import numpy as np

import box2dpy as b2
from box2dpy import buffers

bodies = buffers.new_bodies(2)
bodies.poses["position"] = [(0, -1), (0, 3)]
colliders = buffers.new_colliders(2)
colliders["body"] = colliders["tag"] = [0, 1]
buffers.set_geometry(colliders[:1], b2.Box(20, 1))
buffers.set_geometry(colliders[1:], b2.Box(0.5, 0.5))
mass = b2.Box(0.5, 0.5).mass_data(1.0)
bodies.masses["mass"][1], bodies.masses["inertia"][1] = mass.mass, mass.inertia

cache, arena = buffers.new_cache(64), np.empty(1 << 20, np.uint8)
contacts, sleeping = np.empty(64, buffers.CONTACT), np.empty(64, np.uint64)
active = np.empty(len(bodies.poses), np.int32)
for _ in range(120):
    found = buffers.collide(bodies, colliders, contacts, sleeping, active, arena)
    buffers.simulate(bodies, found.active, found.contacts, found.sleeping, cache, arena, dt=1 / 60, gravity=(0, -10))
print(bodies.poses["position"][1])
```

Source: Rasmus Barringer, "Data-oriented rigid body physics" (2017), the library nudge. Units: m, kg, s, rad.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ._bridge.arguments import floats, integer, number, pair, pinned
from ._bridge.errors import short_repr
from ._bridge.handles import record_dtype
from ._bridge.library import ffi, lib
from ._bridge.lists import shared_list
from ._geometry.geometry import as_geometry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ._bridge.vectors import Vec2Like
    from ._geometry.geometry import Geometry

__all__ = [
    "COLLIDER",
    "CONTACT",
    "IMPULSE",
    "MASS",
    "NO_TAG",
    "POSE",
    "VELOCITY",
    "Bodies",
    "Cache",
    "CapacityError",
    "Found",
    "StagedSimulation",
    "collide",
    "new_bodies",
    "new_cache",
    "new_colliders",
    "new_contacts",
    "set_geometry",
    "simulate",
]


def __dir__() -> list[str]:
    return __all__


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

_SENTENCES = [sentence for _, sentence in shared_list("status")]
_ARGUMENTS = [name for _, name in shared_list("arguments")]
_POINTERS = {
    name: ffi.typeof(kind)
    for name, kind in (
        ("poses", "b2d_buffer_pose[]"), ("masses", "b2d_buffer_mass[]"), ("velocities", "b2d_buffer_velocity[]"),
        ("idle", "uint8_t[]"), ("colliders", "b2d_buffer_collider[]"), ("connections", "int32_t[]"),
        ("contacts", "b2d_buffer_contact[]"), ("sleeping", "uint64_t[]"), ("active", "int32_t[]"),
        ("cache.tags", "uint64_t[]"), ("cache.impulses", "b2d_buffer_impulse[]"), ("arena", "uint8_t[]"),
    )
}  # fmt: skip
_DTYPES: dict[str, np.dtype[Any]] = {
    "poses": POSE, "masses": MASS, "velocities": VELOCITY, "idle": np.dtype("u1"), "colliders": COLLIDER,
    "connections": np.dtype("i4"), "contacts": CONTACT, "sleeping": np.dtype("u8"), "active": np.dtype("i4"),
    "cache.tags": np.dtype("u8"), "cache.impulses": IMPULSE, "arena": np.dtype("u1"),
}  # fmt: skip


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


def _pointer(name: str, array: Any, written: bool, rows: int | None = None) -> Any:
    """The checked array as a C pointer; `rows` is the length that it must have."""
    dtype = _DTYPES[name]
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name}={short_repr(array)} must be a numpy array")
    array = np.asarray(array)  # a subclass may say what it likes of itself
    if array.dtype != dtype:
        wanted = next((word for word in __all__ if globals()[word] is dtype), str(dtype))
        raise TypeError(f"{name} must be an array of {wanted}, not of {array.dtype}")
    shape = (len(array), 2) if name == "connections" and array.ndim else (array.size,)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {'(n, 2)' if name == 'connections' else '(n,)'}, not {array.shape}")
    if rows is not None and len(array) != rows:
        raise ValueError(f"{name} has {len(array)} rows, but poses has {rows}")
    if len(array) >= 2**30 and name != "arena":
        raise ValueError(f"{name} has {len(array)} rows, more than 2**30")
    flags = array.flags
    if not flags.c_contiguous or not flags.aligned:
        raise ValueError(f"{name} must be contiguous and aligned")
    if written and not flags.writeable:
        raise ValueError(f"{name} is read-only, but the call writes it")
    return ffi.from_buffer(_POINTERS[name], array)


def _refuse_overlaps(pointers: dict[str, Any], written: frozenset[str]) -> None:
    """An array that the call writes shares no memory with another."""
    spans = [
        (int(ffi.cast("uintptr_t", pointer)), ffi.sizeof(pointer), name)
        for name, pointer in pointers.items()
        if ffi.sizeof(pointer)
    ]
    for (start, size, name), (other, other_size, other_name) in itertools.combinations(spans, 2):
        meet = start < other + other_size and other < start + size
        if meet and (name in written or other_name in written):
            raise ValueError(f"{name} and {other_name} overlap in memory")


def _fail(status: int, fault: Any, values: dict[str, Any]) -> NoReturn:
    code, name = status & 0xFF, _ARGUMENTS[status >> 8]
    name = name.replace("cache_", "cache.")
    if code == lib.B2D_NO_ROOM:
        unit = "bytes" if name == "arena" else "rows"
        raise CapacityError(f"{name} has too little room: {fault.needed} {unit} or more are needed", name, fault.needed)
    problem = ffi.string(fault.problem).decode()
    where = f"{name}[{fault.row}]" if fault.row >= 0 else f"{name}={short_repr(values.get(name))}"
    raise ValueError(f"{where}: {problem}" if fault.row >= 0 else f"{where} {problem}")


def _bodies(bodies: Bodies, written: bool) -> tuple[Any, dict[str, Any]]:
    if not isinstance(bodies, Bodies):
        raise TypeError(f"bodies={short_repr(bodies)} must be a Bodies")
    pointers = {"poses": _pointer("poses", bodies.poses, written)}
    n = len(pointers["poses"])
    for name, array in (("masses", bodies.masses), ("velocities", bodies.velocities), ("idle", bodies.idle)):
        pointers[name] = _pointer(name, array, written and name != "masses", n)
    return ffi.new("b2d_buffer_bodies*", (n, *pointers.values())), pointers


_COLLIDE_WRITES = frozenset({"contacts", "sleeping", "active", "arena"})
_SIMULATE_WRITES = frozenset({"poses", "velocities", "idle", "cache.tags", "cache.impulses", "arena"})


def collide(
    bodies: Bodies,
    colliders: NDArray[np.void],
    contacts: NDArray[np.void],
    sleeping: NDArray[np.uint64],
    active: NDArray[np.int32],
    arena: NDArray[np.uint8],
    *,
    connections: NDArray[np.int32] | None = None,
    idle_limit: int = 30,
) -> Found:
    """Finds the contacts of all colliders and the bodies that move in the coming step.

    Islands, which are bodies that touch or are connected, rest while all their bodies have been idle for `idle_limit`
    steps and no moving body without mass touches them. They are found twice: by overlapping boxes, so that a pile at
    rest costs no detailed test, and then by contacts. The result depends on tags, not on the order of rows.

    Args:
        bodies: n bodies, which are only read.
        colliders: shape (m,) of `COLLIDER`; only read.
        contacts: shape (room,) of `CONTACT`; written.
        sleeping: shape (room,) of uint64; written. Each pair of boxes that overlap at rest takes a row.
        active: shape (room,) of int32; written. A room of n is always enough.
        arena: shape (bytes,) of uint8; scratch that is the call's alone while it runs. About 400 bytes a collider with
            its body and 250 a pair of overlapping boxes.
        connections: shape (k, 2) of int32: pairs of bodies that the program holds together by constraints of its own.
        idle_limit: 1 to 255.

    Raises:
        ValueError: an array of a wrong shape or not contiguous, one that is written and read-only, two that overlap,
            or a bad row, which the message names; the arrays are unchanged, but for the arena.
        CapacityError: an array has too little room. It is a ValueError; its `needed` says how much.
        TypeError: a wrong type or dtype.

    >>> bodies, colliders = new_bodies(2), new_colliders(2)
    >>> set_geometry(colliders, Circle(0.5))
    >>> colliders["body"] = colliders["tag"] = [0, 1]
    >>> bodies.masses["mass"] = 1
    >>> bodies.poses["position"][1] = 0.9, 0
    >>> room = np.empty(8, CONTACT), np.empty(8, np.uint64), np.empty(2, np.int32), np.empty(1 << 16, np.uint8)
    >>> found = collide(bodies, colliders, *room)
    >>> found.contacts["separation"][:, 0].round(3).tolist(), found.active.tolist()
    ([-0.10000000149011612], [0, 1])
    """
    limit = integer(idle_limit, "idle_limit", 1, 255)
    body_rows, pointers = _bodies(bodies, False)  # after all that may run code of the program, which may resize arrays
    pointers["colliders"] = _pointer("colliders", colliders, False)
    for name, array in (("contacts", contacts), ("sleeping", sleeping), ("active", active), ("arena", arena)):
        pointers[name] = _pointer(name, array, True)
    links, link_count = ffi.NULL, 0
    if connections is not None:
        links = pointers["connections"] = _pointer("connections", connections, False)
        link_count = len(links) // 2
    _refuse_overlaps(pointers, _COLLIDE_WRITES)
    fault = ffi.new("b2d_buffer_fault*")
    out = ffi.new(
        "b2d_buffer_found*",
        {
            "contacts": pointers["contacts"], "sleeping": pointers["sleeping"], "active": pointers["active"],
            **{f"{name}_room": len(pointers[rows])
               for name, rows in (("contact", "contacts"), ("sleeping", "sleeping"), ("active", "active"))},
        },
    )  # fmt: skip
    status = lib.b2d_buffers_collide(
        body_rows, pointers["colliders"], len(pointers["colliders"]), links, link_count, limit, out, pointers["arena"],
        len(pointers["arena"]), fault,
    )  # fmt: skip
    if status:
        _fail(status, fault, {})
    return Found(
        contacts[: out.contact_count], sleeping[: out.sleeping_count], active[: out.active_count], out.broad_pairs,
        out.narrow_pairs,
    )  # fmt: skip


def simulate(
    bodies: Bodies,
    active: NDArray[np.int32],
    contacts: NDArray[np.void],
    sleeping: NDArray[np.uint64],
    cache: Cache,
    arena: NDArray[np.uint8],
    *,
    dt: float = 1 / 60,
    substeps: int = 4,
    gravity: Vec2Like = (0.0, -10.0),
    idle_speed: float = 0.05,
) -> None:
    """Moves the active bodies by `dt`, so that they do not go through each other at the contacts.

    Forces other than gravity are changes of `bodies.velocities` of active bodies before the call. Warm starting takes
    the impulses of the cache whose tags and features are those of a contact.

    Args:
        bodies: n bodies: `poses`, `velocities` and `idle` of the active ones are written.
        active: shape (k,) of int32: ascending indices; all bodies with a mass that have a contact are among them.
        contacts: shape (c,) of `CONTACT`, ascending by tag, those with tag 0 first.
        sleeping: shape (s,) of uint64, ascending: tags whose impulses stay in the cache.
        cache: written. It needs room for all contacts and for all pairs at rest that were in it.
        arena: shape (bytes,) of uint8; scratch that is the call's alone while it runs. About 400 bytes a body, 500 a
            contact and 8 a row of the cache.
        dt: length of the step, s, 1e-6 to 1. The cache expects the same dt and substeps from call to call.
        substeps: 1 to 64.
        gravity: m/s^2.
        idle_speed: m/s. A body that is slower, with the radius of gyration as the lever of its rotation, is idle.

    Raises:
        ValueError: as in `collide`; also when a contact has a body that is not active, or a velocity becomes infinite.
            The arrays are unchanged, but for the arena.
        CapacityError: the arena or the cache has too little room. It is a ValueError; its `needed` says how much.
        TypeError: a wrong type or dtype.

    >>> bodies = new_bodies(1)
    >>> bodies.masses["mass"] = 1
    >>> none = np.empty(0, CONTACT), np.empty(0, np.uint64)
    >>> simulate(bodies, np.zeros(1, np.int32), *none, new_cache(0), np.empty(1 << 12, np.uint8), dt=0.1)
    >>> bodies.velocities["linear"].tolist()
    [[0.0, -1.0]]
    """
    arguments, values = _step_arguments(
        bodies, active, contacts, sleeping, cache, arena, dt, substeps, gravity, idle_speed
    )
    status = lib.b2d_buffers_simulate(*arguments)
    if status:
        _fail(status, arguments[-1], values)


def _step_arguments(
    bodies: Bodies,
    active: NDArray[np.int32],
    contacts: NDArray[np.void],
    sleeping: NDArray[np.uint64],
    cache: Cache,
    arena: NDArray[np.uint8],
    dt: float,
    substeps: int,
    gravity: Vec2Like,
    idle_speed: float,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The checked arguments of a step as C takes them, the last of which is the fault, and those that have no rows."""
    values = {"dt": dt, "substeps": substeps, "gravity": gravity, "idle_speed": idle_speed}
    step = ffi.new(
        "b2d_buffer_step*",
        (*pair(gravity, "gravity"), number(dt, "dt"), integer(substeps, "substeps"), number(idle_speed, "idle_speed")),
    )
    body_rows, rows, pointers = _written(bodies, cache)  # after all that may run code of the program
    for name, array in (("contacts", contacts), ("sleeping", sleeping), ("active", active)):
        pointers[name] = _pointer(name, array, False)
    pointers["arena"] = _pointer("arena", arena, True)
    _refuse_overlaps(pointers, _SIMULATE_WRITES)
    counted = [each for name in ("active", "contacts", "sleeping") for each in (pointers[name], len(pointers[name]))]
    fault = ffi.new("b2d_buffer_fault*")
    return (body_rows, *counted, rows, step, pointers["arena"], len(pointers["arena"]), fault), values


def _written(bodies: Bodies, cache: Cache) -> tuple[Any, Any, dict[str, Any]]:
    """What a step writes, as C takes it: the bodies, the cache, and the pointers to their arrays."""
    body_rows, pointers = _bodies(bodies, True)
    if not isinstance(cache, Cache):
        raise TypeError(f"cache={short_repr(cache)} must be a Cache")
    tags = pointers["cache.tags"] = _pointer("cache.tags", cache.tags, True)
    impulses = pointers["cache.impulses"] = _pointer("cache.impulses", cache.impulses, True)
    if len(tags) != len(impulses):
        raise ValueError(f"cache.impulses has {len(impulses)} rows, but cache.tags has {len(tags)}")
    return body_rows, ffi.new("b2d_buffer_cache*", (tags, impulses, len(tags))), pointers


class StagedSimulation:
    """A call of `simulate` in parts, so that constraints of the program's own act in every substep.

    The arguments are those of `simulate`. The arrays of bodies and the cache are written by `finish` alone: an object
    that is dropped before has changed nothing. It takes its own scratch memory, and copies of what it reads: changes of
    the arrays during the step have no effect on it, and `finish` replaces them. Without edits it does what `simulate`
    does, to the bit.

    Raises:
        ValueError: as `simulate`.
        CapacityError: the cache has too little room.
        TypeError: a wrong type or dtype.
        MemoryError: no memory.

    >>> bodies = new_bodies(1)
    >>> bodies.masses["mass"] = 1
    >>> none = np.empty(0, CONTACT), np.empty(0, np.uint64)
    >>> step = StagedSimulation(bodies, np.zeros(1, np.int32), *none, new_cache(0), dt=0.1)
    >>> for _ in step.substeps():
    ...     step.linear_velocity[:, 1] = 2  # whatever gravity did
    >>> step.finish()
    >>> bodies.poses["position"].round(3).tolist(), bodies.velocities["linear"].tolist()
    ([[0.0, 0.2]], [[0.0, 2.0]])
    """

    __slots__ = ("_bodies", "_cache", "_count", "_kept", "_rows", "_run", "_substeps", "_velocities")

    def __init__(
        self,
        bodies: Bodies,
        active: NDArray[np.int32],
        contacts: NDArray[np.void],
        sleeping: NDArray[np.uint64],
        cache: Cache,
        *,
        dt: float = 1 / 60,
        substeps: int = 4,
        gravity: Vec2Like = (0.0, -10.0),
        idle_speed: float = 0.05,
    ) -> None:
        out, room, self._run = ffi.new("b2d_buffer_run**"), 1 << 14, None
        while True:
            # Nothing else refers to this memory, which has indices that C trusts
            arena = np.empty(room, np.uint8)
            arguments, values = _step_arguments(
                bodies, active, contacts, sleeping, cache, arena, dt, substeps, gravity, idle_speed
            )
            status = lib.b2d_buffers_begin(*arguments, out)
            try:
                if status:
                    _fail(status, arguments[-1], values)
                break
            except CapacityError as error:
                if error.array != "arena":
                    raise
                room = 2 * error.needed
        self._kept = arena, arguments[-1]  # the fault; both must stay where they are
        self._count, self._substeps = int(arguments[2]), int(arguments[8].substeps)
        self._bodies, self._cache = bodies, cache
        self._rows = arguments[0].count, arguments[7].room
        self._run = out[0]
        self._velocities: NDArray[np.void] | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("a StagedSimulation cannot be copied or pickled")

    def substeps(self) -> Iterator[int]:
        """Runs the substeps that are left. In the body of the loop the velocities satisfy the contacts; what they are
        changed to then moves the bodies.

        Raises:
            ValueError: a velocity is not finite or beyond 1e9; the step goes on without this edit.
            RuntimeError: the step is over.
        """
        while left := self._left():
            if left % 2 == 0:
                lib.b2d_buffers_advance(self._run)
                yield self._substeps - left // 2
            self._commit()
            lib.b2d_buffers_advance(self._run)

    def finish(self) -> None:
        """Does the rest of the step and writes the bodies and the cache.

        Raises:
            ValueError: a velocity is wrong or became infinite; the arrays are unchanged. Or an array that is written
                has been resized, or become read-only: the step is not over, and may be finished when that is mended.
            RuntimeError: the step is over.
        """
        self._left()
        self._commit()
        bodies, cache, pointers = _written(self._bodies, self._cache)
        if (bodies.count, cache.room) != self._rows:
            raise ValueError(
                f"the step began with {self._rows[0]} bodies and {self._rows[1]} rows of the cache, but poses has "
                f"{bodies.count} rows and cache.tags {cache.room}"
            )
        _refuse_overlaps(pointers, _SIMULATE_WRITES)
        run, self._run = self._run, None
        status = lib.b2d_buffers_finish(run, bodies, cache)
        if status:
            _fail(status, self._kept[1], {})

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """Velocities of the centres of mass of the active bodies, m/s, shape (k, 2), to be changed in the loop.

        Raises:
            RuntimeError: outside of the loop over substeps.
        """
        rows: NDArray[np.float32] = self._velocity_rows()["linear"]
        return rows

    @linear_velocity.setter
    def linear_velocity(self, value: Any) -> None:
        self._velocity_rows()["linear"] = floats(value, "linear_velocity")

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """Rates of rotation of the active bodies, rad/s, shape (k,), to be changed in the loop."""
        rows: NDArray[np.float32] = self._velocity_rows()["angular"]
        return rows

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._velocity_rows()["angular"] = floats(value, "angular_velocity")

    @property
    def world_center(self) -> NDArray[np.float64]:
        """Where the centres of mass of the active bodies are now in the step, metres: copy, shape (k, 2)."""
        return self._placement()[0]

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles of the active bodies now in the step: copy, float32, shape (k, 2)."""
        return self._placement()[1]

    def _left(self) -> int:
        """How many halves of substeps are left, by the core: an interrupt may come right after a call of it."""
        if self._run is None:
            raise RuntimeError("the step is over")
        return int(lib.b2d_buffers_left(self._run))

    def _placement(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        self._left()
        centers, rotations = np.empty((self._count, 2)), np.empty((self._count, 2), np.float32)
        lib.b2d_buffers_placement(
            self._run, ffi.from_buffer("double[]", centers), ffi.from_buffer("float[]", rotations)
        )  # fmt: skip
        return centers, rotations

    def _velocity_rows(self) -> NDArray[np.void]:
        if self._left() % 2 == 0:
            raise RuntimeError("velocities are changed in the loop over substeps()")
        if self._velocities is None:
            rows = pinned(self._count, VELOCITY)
            lib.b2d_buffers_get_velocities(self._run, ffi.from_buffer("b2d_buffer_velocity[]", rows))
            self._velocities = rows  # complete, also for a program that is interrupted in between
        return self._velocities

    def _commit(self) -> None:
        """Takes over the velocities that may have been edited."""
        edited, self._velocities = self._velocities, None
        if edited is None:
            return
        rows = edited.copy()  # nothing else can change it between the check and the use
        status = lib.b2d_buffers_set_velocities(self._run, ffi.from_buffer("b2d_buffer_velocity[]", rows))
        if status:
            _fail(status, self._kept[1], {})
