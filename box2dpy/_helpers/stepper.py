"""`FixedStepper`: steps of one length from frames of any length, and poses in between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .._bridge.arguments import integer, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._world.world import World


class FixedStepper:
    """Advances a world in steps of `dt`, however long the frames are that drive it.

    Physics that depends on the frame rate is not reproducible. So the time of frames is accumulated and spent in whole
    steps. The rest is `alpha` of a step: a picture should show the bodies that far between the last two states.

    Args:
        world: the world to step.
        dt: length of a step in seconds, positive.
        substeps: of each step, at least 1.
        max_steps: the most steps in one frame. More time is dropped, so that on a slow machine the simulation runs
            slowly instead of falling behind more and more.

    Raises:
        ValueError: dt is not positive and finite, substeps or max_steps is under 1.
        TypeError: a wrong type.

    >>> with World(gravity=(0, -10)) as world:
    ...     ball = world.create_dynamic_body((0, 100))
    ...     _ = ball.create_shape(Circle(0.5))
    ...     stepper = FixedStepper(world, dt=0.25)
    ...     stepper.advance(0.6), round(stepper.alpha, 3)
    (2, 0.4)
    """

    __slots__ = ("_account", "_before", "dt", "max_steps", "substeps", "world")

    def __init__(self, world: World, *, dt: float = 1 / 60, substeps: int = 4, max_steps: int = 5) -> None:
        self.world = world
        self.dt = number(dt, "dt")
        self.substeps = integer(substeps, "substeps")
        self.max_steps = integer(max_steps, "max_steps")
        if not 0 < self.dt < math.inf:
            raise ValueError(f"dt must be positive and finite: {dt!r}")
        for name, value in (("substeps", self.substeps), ("max_steps", self.max_steps)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1: {value!r}")
        self._account = 0.0
        self._before: tuple[NDArray[np.float64], NDArray[np.float32]] | None = None

    def advance(self, elapsed: float) -> int:
        """Adds `elapsed` seconds and runs the whole steps that have accumulated; returns their number.

        Raises:
            ValueError: elapsed is negative or not finite.
        """
        elapsed = number(elapsed, "elapsed")
        if not 0 <= elapsed < math.inf:
            raise ValueError(f"elapsed must be finite and not negative: {elapsed!r}")
        self._account += elapsed
        steps = min(int(self._account / self.dt), self.max_steps)
        for k in range(steps):
            if k == steps - 1:
                self._before = self.world.arrays.position.copy(), self.world.arrays.rotation.copy()
            self.world.step(self.dt, self.substeps)
        self._account = min(self._account - steps * self.dt, self.dt)
        return steps

    @property
    def alpha(self) -> float:
        """The accumulated time as a fraction of a step: 0 to 1."""
        return self._account / self.dt

    def interpolated(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Positions (n, 2) and rotations (n, 2) as cosine and sine, `alpha` of the way from the state before the last
        step.

        The picture is one step behind the simulation and moves evenly. Bodies that were created since the last step are
        shown where they are, and so are all bodies before the first step. Rows as in `world.arrays`.
        """
        position, rotation = self.world.arrays.position.copy(), self.world.arrays.rotation.copy()
        if self._before is not None:
            rows = min(len(position), len(self._before[0]))
            position[:rows] = self._before[0][:rows] + self.alpha * (position[:rows] - self._before[0][:rows])
            mixed = self._before[1][:rows] + np.float32(self.alpha) * (rotation[:rows] - self._before[1][:rows])
            length = np.hypot(mixed[:, 0], mixed[:, 1])[:, None]
            rotation[:rows] = np.where(length > 1e-6, mixed / np.maximum(length, np.float32(1e-6)), rotation[:rows])
        return position, rotation
