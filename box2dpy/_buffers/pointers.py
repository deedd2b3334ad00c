"""The arguments of the calls of `box2dpy.buffers`, checked and as C takes them, and the errors of the core."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._bridge.arguments import integer, number, pair
from .._bridge.errors import short_repr
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .rows import COLLIDER, CONTACT, IMPULSE, MASS, POSE, VELOCITY, Bodies, Cache, CapacityError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like

SIMULATE_WRITES = frozenset({"poses", "velocities", "idle", "cache.tags", "cache.impulses", "arena"})
_ARGUMENTS = [name for _, name in shared_list("arguments")]
_ROWS: dict[str, tuple[np.dtype[Any], Any]] = {
    name: (np.dtype(dtype), ffi.typeof(f"{kind}[]"))
    for name, dtype, kind in (
        ("poses", POSE, "b2d_buffer_pose"), ("masses", MASS, "b2d_buffer_mass"),
        ("velocities", VELOCITY, "b2d_buffer_velocity"), ("idle", "u1", "uint8_t"),
        ("colliders", COLLIDER, "b2d_buffer_collider"), ("connections", "i4", "int32_t"),
        ("contacts", CONTACT, "b2d_buffer_contact"), ("sleeping", "u8", "uint64_t"), ("active", "i4", "int32_t"),
        ("cache.tags", "u8", "uint64_t"), ("cache.impulses", IMPULSE, "b2d_buffer_impulse"), ("arena", "u1", "uint8_t"),
    )
}  # fmt: skip
_WORDS = {
    POSE: "POSE", MASS: "MASS", VELOCITY: "VELOCITY", COLLIDER: "COLLIDER", CONTACT: "CONTACT", IMPULSE: "IMPULSE",
}  # fmt: skip


def pointer(name: str, array: Any, written: bool, rows: int | None = None) -> Any:
    """The checked array as a C pointer; `rows` is the length that it must have."""
    dtype, kind = _ROWS[name]
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name}={short_repr(array)} must be a numpy array")
    array = np.asarray(array)  # a subclass may say what it likes of itself
    if array.dtype != dtype:
        raise TypeError(f"{name} must be an array of {_WORDS.get(dtype, dtype)}, not of {array.dtype}")
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
    return ffi.from_buffer(kind, array)


def refuse_overlaps(pointers: dict[str, Any], written: frozenset[str]) -> None:
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


def fail(status: int, fault: Any, values: dict[str, Any]) -> NoReturn:
    code, name = status & 0xFF, _ARGUMENTS[status >> 8]
    name = name.replace("cache_", "cache.")
    if code == lib.B2D_NO_ROOM:
        unit = "bytes" if name == "arena" else "rows"
        raise CapacityError(f"{name} has too little room: {fault.needed} {unit} or more are needed", name, fault.needed)
    problem = ffi.string(fault.problem).decode()
    where = f"{name}[{fault.row}]" if fault.row >= 0 else f"{name}={short_repr(values.get(name))}"
    raise ValueError(f"{where}: {problem}" if fault.row >= 0 else f"{where} {problem}")


def pointers_of(bodies: Bodies, written: bool) -> tuple[Any, dict[str, Any]]:
    if not isinstance(bodies, Bodies):
        raise TypeError(f"bodies={short_repr(bodies)} must be a Bodies")
    pointers = {"poses": pointer("poses", bodies.poses, written)}
    n = len(pointers["poses"])
    for name, array in (("masses", bodies.masses), ("velocities", bodies.velocities), ("idle", bodies.idle)):
        pointers[name] = pointer(name, array, written and name != "masses", n)
    return ffi.new("b2d_buffer_bodies*", (n, *pointers.values())), pointers


def step_arguments(
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
    body_rows, rows, pointers = written(bodies, cache)  # after all that may run code of the program
    for name, array in (("contacts", contacts), ("sleeping", sleeping), ("active", active)):
        pointers[name] = pointer(name, array, False)
    pointers["arena"] = pointer("arena", arena, True)
    refuse_overlaps(pointers, SIMULATE_WRITES)
    counted = [each for name in ("active", "contacts", "sleeping") for each in (pointers[name], len(pointers[name]))]
    fault = ffi.new("b2d_buffer_fault*")
    return (body_rows, *counted, rows, step, pointers["arena"], len(pointers["arena"]), fault), values


def written(bodies: Bodies, cache: Cache) -> tuple[Any, Any, dict[str, Any]]:
    """What a step writes, as C takes it: the bodies, the cache, and the pointers to their arrays."""
    body_rows, pointers = pointers_of(bodies, True)
    if not isinstance(cache, Cache):
        raise TypeError(f"cache={short_repr(cache)} must be a Cache")
    tags = pointers["cache.tags"] = pointer("cache.tags", cache.tags, True)
    impulses = pointers["cache.impulses"] = pointer("cache.impulses", cache.impulses, True)
    if len(tags) != len(impulses):
        raise ValueError(f"cache.impulses has {len(impulses)} rows, but cache.tags has {len(tags)}")
    return body_rows, ffi.new("b2d_buffer_cache*", (tags, impulses, len(tags))), pointers
