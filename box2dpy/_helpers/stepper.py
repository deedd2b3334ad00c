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

    Physics that depends on the frame rate is not reproducible, so a frame's time goes into an account that whole steps are paid
    from. What is left, `alpha` of a step, says how far between the last two states a picture should show the bodies.

    Args:
        world: the world to step.
        dt: length of a step in seconds, positive.
        substeps: of each step, at least 1.
        max_steps: steps that one frame may pay for; a longer debt is dropped, so that a slow machine slows the simulation down
            and not itself to a halt.

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
        """Pays `elapsed` seconds in and runs the steps that they pay for; returns how many.

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
        """How far into the next step the frames are: 0 to 1."""
        return self._account / self.dt

    def interpolated(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Positions (n, 2) and rotations (n, 2) as cosine and sine, `alpha` of the way from the state before the last step.

        The picture is one step behind the simulation and moves evenly. Bodies made since the last step, and all before the
        first step, are where they are. Rows as in `world.arrays`.
        """
        position, rotation = self.world.arrays.position.copy(), self.world.arrays.rotation.copy()
        if self._before is not None:
            rows = min(len(position), len(self._before[0]))
            position[:rows] = self._before[0][:rows] + self.alpha * (position[:rows] - self._before[0][:rows])
            mixed = self._before[1][:rows] + np.float32(self.alpha) * (rotation[:rows] - self._before[1][:rows])
            length = np.hypot(mixed[:, 0], mixed[:, 1])[:, None]
            rotation[:rows] = np.where(length > 1e-6, mixed / np.maximum(length, np.float32(1e-6)), rotation[:rows])
        return position, rotation
