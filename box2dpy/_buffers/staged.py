"""`StagedSimulation`: a call of `simulate` in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._bridge.arguments import floats, pinned
from .._bridge.library import ffi, lib
from .pointers import SIMULATE_WRITES, fail, refuse_overlaps, step_arguments, written
from .rows import VELOCITY, Bodies, Cache, CapacityError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .._bridge.vectors import Vec2Like


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
            arguments, values = step_arguments(
                bodies, active, contacts, sleeping, cache, arena, dt, substeps, gravity, idle_speed
            )
            status = lib.b2d_buffers_begin(*arguments, out)
            try:
                if status:
                    fail(status, arguments[-1], values)
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
        bodies, cache, pointers = written(self._bodies, self._cache)
        if (bodies.count, cache.room) != self._rows:
            raise ValueError(
                f"the step began with {self._rows[0]} bodies and {self._rows[1]} rows of the cache, but poses has "
                f"{bodies.count} rows and cache.tags {cache.room}"
            )
        refuse_overlaps(pointers, SIMULATE_WRITES)
        run, self._run = self._run, None
        status = lib.b2d_buffers_finish(run, bodies, cache)
        if status:
            fail(status, self._kept[1], {})

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
            fail(status, self._kept[1], {})
