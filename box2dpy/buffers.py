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

from typing import TYPE_CHECKING

from ._bridge.arguments import integer
from ._bridge.library import ffi, lib
from ._buffers.pointers import fail, pointer, pointers_of, refuse_overlaps, step_arguments
from ._buffers.rows import (
    COLLIDER,
    CONTACT,
    IMPULSE,
    MASS,
    NO_TAG,
    POSE,
    VELOCITY,
    Bodies,
    Cache,
    CapacityError,
    Found,
    new_bodies,
    new_cache,
    new_colliders,
    new_contacts,
    set_geometry,
)
from ._buffers.staged import StagedSimulation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._bridge.vectors import Vec2Like

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


for _class in (Bodies, Cache, CapacityError, Found, StagedSimulation):
    _class.__module__ = __name__


def __dir__() -> list[str]:
    return __all__


_COLLIDE_WRITES = frozenset({"contacts", "sleeping", "active", "arena"})


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
    body_rows, pointers = pointers_of(
        bodies, False
    )  # after all that may run code of the program, which may resize arrays
    pointers["colliders"] = pointer("colliders", colliders, False)
    for name, array in (("contacts", contacts), ("sleeping", sleeping), ("active", active), ("arena", arena)):
        pointers[name] = pointer(name, array, True)
    links, link_count = ffi.NULL, 0
    if connections is not None:
        links = pointers["connections"] = pointer("connections", connections, False)
        link_count = len(links) // 2
    refuse_overlaps(pointers, _COLLIDE_WRITES)
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
        fail(status, fault, {})
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
    arguments, values = step_arguments(
        bodies, active, contacts, sleeping, cache, arena, dt, substeps, gravity, idle_speed
    )
    status = lib.b2d_buffers_simulate(*arguments)
    if status:
        fail(status, arguments[-1], values)
