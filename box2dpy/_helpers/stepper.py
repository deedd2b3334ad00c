"""`FixedStepper`: steps of one length from frames of any length, and poses in between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .._bridge.arguments import integer, number
from .._bridge.errors import short_repr
from .._bridge.library import lib
from .._bridge.world_base import check_world

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._world.world import World


class FixedStepper:
    """Advances a world in steps of `dt`, however long the frames are that drive it.

    Physics that depends on the frame rate is not reproducible. So the time of frames is accumulated and spent in whole
    steps. The rest is `alpha` of a step: a picture should show the bodies that far between the last two states.

    Args:
        world: the world to step.
        dt: length of a step in seconds, positive and at most 1.
        substeps: of each step, at least 1.
        max_steps: the most steps in one frame. More time is dropped, so that on a slow machine the simulation runs
            slowly instead of falling behind more and more.

    Raises:
        ValueError: dt is not positive or over 1, substeps or max_steps is under 1.
        TypeError: a wrong type.

    >>> with World(gravity=(0, -10)) as world:
    ...     ball = world.create_dynamic_body((0, 100))
    ...     _ = ball.create_shape(Circle(0.5))
    ...     stepper = FixedStepper(world, dt=0.25)
    ...     stepper.advance(0.6), round(stepper.alpha, 3)
    (2, 0.4)
    """

    __slots__ = ("_account", "_before", "_dt", "_max_steps", "_substeps", "world")

    def __init__(self, world: World, *, dt: float = 1 / 60, substeps: int = 4, max_steps: int = 5) -> None:
        check_world(world)
        self.world = world
        self.dt = dt
        self.substeps = substeps
        self.max_steps = max_steps
        self._account = 0.0
        # Positions, rotations and generations before the last step
        self._before: tuple[NDArray[np.float64], NDArray[np.float32], NDArray[np.uint64]] | None = None

    @property
    def dt(self) -> float:
        """Length of a step in seconds, 1e-9 to 1."""
        return self._dt

    @dt.setter
    def dt(self, value: float) -> None:
        dt = number(value, "dt")
        if not 1e-9 <= dt <= 1:
            raise ValueError(f"dt={short_repr(value)} is out of range: 1e-09 to 1")
        self._dt = dt

    @property
    def substeps(self) -> int:
        """Of each step, 1 to 64."""
        return self._substeps

    @substeps.setter
    def substeps(self, value: int) -> None:
        self._substeps = integer(value, "substeps", 1, 64)

    @property
    def max_steps(self) -> int:
        """The most steps in one frame, at least 1."""
        return self._max_steps

    @max_steps.setter
    def max_steps(self, value: int) -> None:
        self._max_steps = integer(value, "max_steps", 1)

    def advance(self, elapsed: float) -> int:
        """Adds `elapsed` seconds and runs the whole steps that have accumulated; returns their number.

        Raises:
            ValueError: elapsed is negative or not finite.
            any exception: of `World.step`; at most one of the steps that are left is kept for the next call.
        """
        elapsed = number(elapsed, "elapsed")
        if not 0 <= elapsed < math.inf:
            raise ValueError(f"elapsed={elapsed!r} must be finite and not negative")
        self._account += elapsed
        enough = self._account >= self.max_steps * self.dt  # the quotient may be infinite
        steps = self.max_steps if enough else int(self._account / self.dt)
        done = 0
        try:
            for k in range(steps):
                if k == steps - 1:
                    arrays = self.world.arrays
                    self._before = arrays.position.copy(), arrays.rotation.copy(), self._generations()
                self.world.step(self.dt, self.substeps)
                done += 1
        finally:
            self._account = min(self._account - done * self.dt, self.dt)
        return steps

    @property
    def alpha(self) -> float:
        """The accumulated time as a fraction of a step: 0 to 1."""
        return self._account / self.dt

    def _generations(self) -> NDArray[np.uint64]:
        return self.world._live_generations(lib.B2D_KIND_BODY)

    def interpolated(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Positions (n, 2) and rotations (n, 2) as cosine and sine, `alpha` of the way from the state before the last
        step.

        The picture is one step behind the simulation and moves evenly. Bodies that were created since the last step are
        shown where they are, and so are all bodies before the first step. Rows as in `world.arrays`.
        """
        position, rotation = self.world.arrays.position.copy(), self.world.arrays.rotation.copy()
        if self._before is not None:
            old_position, old_rotation, old = self._before
            now = self._generations()
            count = min(len(now), len(old))
            same = np.nonzero(now[:count] == old[:count])[0]  # the other indices have a new body, or none
            position[same] = old_position[same] + self.alpha * (position[same] - old_position[same])
            mixed = old_rotation[same] + np.float32(self.alpha) * (rotation[same] - old_rotation[same])
            length = np.hypot(mixed[:, 0], mixed[:, 1])[:, None]
            rotation[same] = np.where(length > 1e-6, mixed / np.maximum(length, np.float32(1e-6)), rotation[same])
        return position, rotation
