"""`RecordedFrame`: one moment of a recording, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._bridge.errors import short_repr
from .._world import record_format as file

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .._world.record_format import Poses

    Objects = tuple[NDArray[np.void], NDArray[np.void]]  # shapes and joints


class RecordedFrame:
    """One moment of a recording. Arrays are by index of bodies; they are copies.

    Positions are rounded to the precision of the recording, and angles to 1e-4 rad.
    """

    __slots__ = ("_objects", "_poses", "_precision", "hash", "index", "time")

    def __init__(
        self, index: int, time: float, digest: int, poses: Poses, precision: float, objects: Callable[[int], Objects]
    ) -> None:
        self._poses, self._precision, self._objects = poses, precision, objects
        self.index = index
        """Its number: 0 is the moment when the recording began."""
        self.time = time
        """Simulated seconds since the recording began."""
        self.hash = digest
        """`World.state_hash` after the step."""

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins of the bodies in world coordinates, m: shape (n, 2); zeros in rows without a body."""
        poses = self._poses
        return file.to_lengths(np.stack([poses.x, poses.y], axis=-1), self._precision)

    @property
    def angle(self) -> NDArray[np.float64]:
        """Angles in [-pi, pi), rad: shape (n,)."""
        angle: NDArray[np.float64] = self._poses.angle * np.float64(2 * np.pi / file.TURN)
        return angle

    @property
    def living(self) -> NDArray[np.bool_]:
        """Whether each row has a body: shape (n,)."""
        return self._flag(file.LIVING)

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Whether each body is awake: shape (n,)."""
        return self._flag(file.AWAKE)

    @property
    def enabled(self) -> NDArray[np.bool_]:
        """Whether each body is enabled: shape (n,)."""
        return self._flag(file.ENABLED)

    @property
    def body_type(self) -> NDArray[np.uint8]:
        """Of each body as in `BodyType`: shape (n,)."""
        kinds: NDArray[np.uint8] = self._poses.flags & np.uint8(3)
        return kinds

    def _flag(self, bit: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (self._poses.flags & np.uint8(bit)) != 0
        return found

    @property
    def shapes(self) -> NDArray[np.void]:
        """The shapes at this moment: a record array.

        Fields: `shape`, `body` (indices), `type` (0 circle, 1 capsule, 2 segment, 3 polygon, 4 chain segment), `count`
        of vertices, `x` and `y` (eight in each row, body coordinates), `radius`, `color`, `material`, `sensor`.
        """
        return self._objects(self.index)[0]

    @property
    def joints(self) -> NDArray[np.void]:
        """The joints at this moment: a record array.

        Fields: `joint`, `type`, `body_a`, `body_b` (indices), `anchor_a`, `anchor_b` (coordinates of the bodies).
        """
        return self._objects(self.index)[1]

    def _corners(self) -> NDArray[np.float64]:
        """The vertices of all shapes in world coordinates, with their radii around them: shape (n, 2)."""
        shapes = self.shapes
        if not len(shapes):
            return np.zeros((0, 2))
        used = np.arange(8) < np.maximum(shapes["count"], 1)[:, None]
        body = shapes["body"]
        angle, position = self.angle[body], self.position[body]
        cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
        x = position[:, :1] + cosine * shapes["x"] - sine * shapes["y"]
        y = position[:, 1:] + sine * shapes["x"] + cosine * shapes["y"]
        radius = np.broadcast_to(shapes["radius"][:, None], x.shape)[used]
        points = np.stack([x[used], y[used]], axis=-1)
        return np.concatenate([points - radius[:, None], points + radius[:, None]])

    def __repr__(self) -> str:
        time = f"{self.time:g}" if isinstance(self.time, float) else short_repr(self.time)  # a program may assign it
        return f"<RecordedFrame {self.index} at {time} s, {int(self.living.sum())} bodies>"
