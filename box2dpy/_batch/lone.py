"""`Lone`: what a batch of one world does most often, with numbers in place of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.library import ffi, lib

if TYPE_CHECKING:
    from .batch import WorldBatch


class Lone:
    """Calls of a `WorldBatch` of one world that take and return numbers: the same calls of the core with the same
    values, so the same bits. Arrays for them are made once; to make and check them takes longer than the world does."""

    __slots__ = ("_batch", "_body", "_drawn", "_flag", "_impulse", "_key", "_point", "_row")

    def __init__(self, batch: WorldBatch) -> None:
        self._batch = batch
        self._key, self._drawn = ffi.from_buffer("uint64_t[]", batch._random), ffi.new("double[2]")
        self._body, self._row, self._flag = ffi.new("int32_t[1]"), ffi.new("int32_t *"), ffi.new("bool[1]")
        self._impulse, self._point = ffi.new("double[2]"), ffi.new("double[2]")

    def random2(self) -> tuple[float, float]:
        """Two numbers of `WorldBatch.random`."""
        drawn, key = self._drawn, self._key
        lib.b2d_random_uniform(1, key, 2, drawn)
        key[2] = (key[2] + 2) & 0xFFFFFFFFFFFFFFFF
        return drawn[0], drawn[1]

    def push(self, body: int, x: float, y: float, at_x: float, at_y: float) -> None:
        """`WorldBatch.apply_impulse` at a point."""
        impulse, point = self._impulse, self._point
        self._body[0] = body
        impulse[0], impulse[1], point[0], point[1] = x, y, at_x, at_y
        status = lib.b2d_bodies_push(
            self._batch._cells.pointer, 1, self._body, ffi.NULL, False, True, impulse, point, True, self._row
        )
        if status:
            self._batch.apply_impulse(body, (x, y), (at_x, at_y))  # raises

    def invalid(self) -> bool:
        """`WorldBatch.invalid`."""
        batch = self._batch
        status = lib.b2d_cells_invalid(batch._cells.pointer, self._flag)
        if status:
            batch._cells.fail(status)
        return bool(self._flag[0] or batch._was_invalid[0])
