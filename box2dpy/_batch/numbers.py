"""`BatchNumbers`: what a batch of one world does most often, with numbers in place of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import choice, integer, points
from .._bridge.errors import short_repr
from .._bridge.library import ffi, lib
from .._queries.keywords import query_filter
from .columns import JOINT_PROPERTIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._geometry.categories import Filter
    from .batch import WorldBatch


class BatchNumbers:
    """Calls of a `WorldBatch` of one world that take and return numbers: the same calls of the core with the same
    values, so the same bits. Arrays for them are made once, because making and checking arrays takes longer than the
    step of a small world.

    Args:
        batch: a batch of one world.

    Raises:
        ValueError: the batch has several worlds.
        DestroyedError: the batch has been closed.

    >>> with World((0, 0)) as template:
    ...     body = template.create_dynamic_body()
    ...     shape = body.create_shape(Box(0.5, 0.5))
    ...     batch = WorldBatch(template, 1)
    >>> numbers = BatchNumbers(batch)
    >>> numbers.push(0, 2.0, 0.0, 0.0, 0.0)
    >>> numbers.velocity(0).tolist()
    [2.0, 0.0, 0.0]
    """

    __slots__ = ("_batch", "_body", "_drawn", "_flag", "_impulse", "_joints", "_key", "_point", "_row")

    def __init__(self, batch: WorldBatch) -> None:
        if len(batch) != 1:
            raise ValueError(f"batch={short_repr(batch)} must have one world")
        batch._cells.pointer  # noqa: B018  raises when closed
        self._batch = batch
        self._key, self._drawn = ffi.from_buffer("uint64_t[]", batch._random), ffi.new("double[2]")
        self._body, self._row, self._flag = ffi.new("int32_t[1]"), ffi.new("int32_t *"), ffi.new("bool[1]")
        self._joints = ffi.new("double[]", batch._cells.objects["joint"])
        self._impulse, self._point = ffi.new("double[2]"), ffi.new("double[2]")

    def random2(self) -> tuple[float, float]:
        """Two numbers of `WorldBatch.random`."""
        drawn, key = self._drawn, self._key
        lib.b2d_random_uniform(1, key, 2, drawn)
        key[2] = (key[2] + 2) & 0xFFFFFFFFFFFFFFFF
        return drawn[0], drawn[1]

    def push(self, body: int, x: float, y: float, at_x: float, at_y: float) -> None:
        """`WorldBatch.apply_impulse`: an impulse (x, y) at a point."""
        impulse, point = self._impulse, self._point
        self._body[0] = body
        impulse[0], impulse[1], point[0], point[1] = x, y, at_x, at_y
        status = lib.b2d_bodies_push(
            self._batch._cells.pointer, 1, self._body, ffi.NULL, False, True, impulse, point, True, self._row
        )
        if status:
            self._batch.apply_impulse(body, (x, y), (at_x, at_y))  # raises

    def set_joints(self, name: str, values: Sequence[float]) -> None:
        """`WorldBatch.joints.name[:] = values`: a number for each joint."""
        cells, numbers = self._batch._cells, self._joints
        if len(values) != len(numbers):
            raise ValueError(f"{name}={short_repr(values)} must have {len(numbers)} numbers")
        numbers[0 : len(numbers)] = values
        property_ = JOINT_PROPERTIES.get(name)
        if property_ is None:
            choice(name, "name", JOINT_PROPERTIES)  # raises
        if lib.b2d_cells_set_joints(cells.pointer, property_, numbers, self._row):
            setattr(self._batch.joints, name, values)  # raises

    def velocity(self, body: int) -> NDArray[np.float32]:
        """Linear and angular velocity of a body, three numbers: a read-only view that shows those of now."""
        cells = self._batch._cells
        row = integer(body, "body", 0, cells.objects["body"] - 1)
        return cells.view(lib.B2D_TABLE_STATE, np.float32, 0, 3)[0, row]  # type: ignore[no-any-return]

    def rays(
        self, translations: NDArray[np.float64], filter: Filter | None = None
    ) -> Callable[[float, float], NDArray[np.float64]]:
        """A function that casts the same rays from an origin, as `WorldBatch.ray_casts`, and returns how far along
        them they hit, infinity where they do not: always the same array."""
        ways = points(translations, "translations")
        cells, count = self._batch._cells, len(ways)
        fraction, start = np.empty(count), ffi.new("double[2]")
        arguments: tuple[Any, ...] = (
            count, start, ffi.new("int64_t[2]", [0, 0]), ffi.from_buffer("double[]", ways),
            ffi.new("int64_t[2]", [0, 1]), query_filter("rays", {"filter": filter}),
            ffi.from_buffer("double[]", fraction, require_writable=True), ffi.new("float[]", 2 * count),
            ffi.new("int32_t[]", count),
        )  # fmt: skip

        def cast(x: float, y: float) -> NDArray[np.float64]:
            start[0], start[1] = x, y
            status = lib.b2d_cells_ray_casts(cells.pointer, *arguments)
            if status:
                cells.fail(status)
            return fraction

        return cast

    def invalid(self) -> bool:
        """`WorldBatch.invalid`."""
        batch = self._batch
        status = lib.b2d_cells_invalid(batch._cells.pointer, self._flag)
        if status:
            batch._cells.fail(status)
        return bool(self._flag[0] or batch._was_invalid[0])
