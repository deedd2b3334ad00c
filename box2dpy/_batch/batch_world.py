"""`BatchWorld`: one world of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.made_by_world import MadeByWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._world.state import State
    from .._world.world import World


class BatchWorld(MadeByWorld):
    """One world of a batch, made by `WorldBatch.world`: views of its rows, and copies of it."""

    __slots__ = ("_batch", "_index")
    _batch: Any  # the `WorldBatch`

    def _set(self, batch: object, index: int) -> None:
        self._batch, self._index = batch, index

    @property
    def index(self) -> int:
        """Its number in the batch."""
        return self._index

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins of the bodies, metres: read-only view, shape (bodies, 2)."""
        return self._batch.position[self._index]  # type: ignore[no-any-return]

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles: read-only view, shape (bodies, 2)."""
        return self._batch.rotation[self._index]  # type: ignore[no-any-return]

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """m/s: read-only view, shape (bodies, 2)."""
        return self._batch.linear_velocity[self._index]  # type: ignore[no-any-return]

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """rad/s: read-only view, shape (bodies,)."""
        return self._batch.angular_velocity[self._index]  # type: ignore[no-any-return]

    @property
    def gravity(self) -> tuple[float, float]:
        """m/s^2."""
        x, y = self._batch.gravity[self._index].tolist()
        return x, y

    @property
    def invalid(self) -> bool:
        """Whether a body was no longer finite since the world was made or restored."""
        return bool(self._batch.invalid[self._index])

    def state_hash(self) -> int:
        """As `World.state_hash`."""
        return int(self._batch.state_hash()[self._index])

    def save(self) -> State:
        """The state of this world."""
        return self._batch._save(self.index)  # type: ignore[no-any-return]

    def restore(self, state: State) -> None:
        """Returns this world to a state; see `WorldBatch.restore`."""
        mask = np.zeros(len(self._batch), bool)
        mask[self._index] = True
        self._batch.restore(state, mask)

    def extract(self) -> World:
        """A `World` of its own in the same state; see `WorldBatch.extract`."""
        return self._batch.extract(self.index)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<world {self.index} of {self._batch!r}>"
