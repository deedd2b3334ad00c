"""`BatchSenses`: what the bodies of a batch touch and what rays meet."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._bridge.arguments import finite as check_finite
from .._bridge.arguments import floats, pinned
from .._bridge.errors import short_repr
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._objects.shape import Shape
from .._queries.keywords import query_filter
from .bodies import BatchBodies
from .cells import mask_pointer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .._geometry.categories import Filter
    from .._objects.body import Body


class BatchRayHits(NamedTuple):
    """What `WorldBatch.ray_casts` found, for k rays in each of n worlds.

    Attributes:
        fraction: of the translation, shape (n, k); infinity where nothing was hit.
        normal: outward unit normals of what was hit, shape (n, k, 2), float32; zero where nothing was hit.
        shape: indices of the shapes, shape (n, k), int32; -1 where nothing was hit.
    """

    fraction: NDArray[np.float64]
    normal: NDArray[np.float32]
    shape: NDArray[np.int32]


class BatchSenses(BatchBodies):
    """The part of `WorldBatch` that watches pairs and casts rays."""

    __slots__ = ("_watches",)
    _watches: list[tuple[weakref.ref[NDArray[np.bool_]], bool, NDArray[np.int32]]]

    def watch_touching(self, pairs: Sequence[tuple[Body | Shape | int, Body | Shape | int]]) -> NDArray[np.bool_]:
        """Whether pairs of bodies or shapes touch, as an array that each `step` and `restore` brings up to date.

        Args:
            pairs: k pairs of bodies, or their indices, or shapes; a body stands for any of its shapes. Sensors touch
                nothing.

        Returns:
            bool, shape (n, k), read-only. It is up to date as long as the program holds it.
        """
        return self._watch(pairs, False)

    def watch_sensor(self, pairs: Sequence[tuple[Body | Shape | int, Body | Shape | int]]) -> NDArray[np.bool_]:
        """Whether sensors overlap bodies or shapes, at the end of each step: as `watch_touching`. The first of a pair
        is the sensor, or a body that has sensors; only shapes with `sensor_events` are sensed."""
        return self._watch(pairs, True)

    def _watch(self, pairs: Sequence[tuple[Body | Shape | int, Body | Shape | int]], sensor: bool) -> NDArray[np.bool_]:
        rows = []
        try:
            for first, second in pairs:
                rows.append((self._object(first), self._object(second)))
        except TypeError as error:
            raise TypeError(f"pairs={short_repr(pairs)} must be pairs of bodies or shapes: {error}") from None
        except ValueError as error:
            raise ValueError(f"pairs={short_repr(pairs)}: {error}") from None
        numbers = np.array(rows, np.int32).reshape(-1, 2)
        out = pinned((len(self), len(rows)), np.bool_)
        self._watches.append((weakref.ref(out), sensor, numbers))
        self._look(self._watches[-1:])
        shown = out[:]
        shown.flags.writeable = False
        return shown

    def _object(self, value: object) -> int:
        """As C names it: a shape, or ~body."""
        return self._number(value, "shape") if isinstance(value, Shape) else ~self._number(value, "body")

    def _look(self, watches: list[Any] | None = None, mask: NDArray[np.bool_] | None = None) -> None:
        """Brings the watches of the worlds of a mask up to date, and drops unreferenced ones."""
        gone = False
        for reference, sensor, pairs in self._watches if watches is None else watches:
            out = reference()
            if out is None:
                gone = True
                continue
            status = lib.b2d_cells_watch(
                self._cells.pointer, sensor, len(pairs), ffi.from_buffer("int32_t[]", pairs),
                mask_pointer(mask), ffi.from_buffer("bool[]", out, require_writable=True),
            )  # fmt: skip
            if status:
                self._cells.fail(status)
        if gone:
            self._watches = [each for each in self._watches if each[0]() is not None]

    def ray_casts(
        self, origins: ArrayLike, translations: ArrayLike, filter: Filter | None = None, *, sensors: bool = False
    ) -> BatchRayHits:
        """The first shape that each ray meets: k rays in every world, on all workers. It skips what `World.ray_casts`
        skips: sensors unless `sensors=True`, shapes of disabled bodies.

        Args:
            origins, translations: metres, shape (n, k, 2), or (k, 2) for the same in all worlds. Origins of shape
                (n, 1, 2) are those of all k rays of their world.
            filter, sensors: as in `World.ray_casts`.

        Raises:
            ValueError: not finite, or a wrong shape.
            TypeError: a wrong type.
        """
        starts, ways = self._rays(origins, "origins"), self._rays(translations, "translations")
        count = ways.shape[1]
        if starts.shape[1] != count and starts.shape != (len(self), 1, 2):
            raise ValueError(
                f"origins and translations must have one shape, not {np.shape(origins)} and {np.shape(translations)}"
            )
        hits = BatchRayHits(
            np.empty((len(self), count)), np.empty((len(self), count, 2), np.float32),
            np.empty((len(self), count), np.int32),
        )  # fmt: skip
        kinds = ("double[]", "float[]", "int32_t[]")
        wanted = query_filter("ray_casts", {"filter": filter, "sensors": sensors})
        status = lib.b2d_cells_ray_casts(
            self._cells.pointer, count, ffi.from_buffer("double[]", starts), _steps(starts, count),
            ffi.from_buffer("double[]", ways), _steps(ways, count), wanted,
            *(ffi.from_buffer(kind, out, require_writable=True) for kind, out in zip(kinds, hits, strict=True)),
        ) if count else 0  # fmt: skip
        if INTERRUPTS:
            raise_interrupt()
        if status:
            self._cells.fail(status)
        return hits

    def _rays(self, value: ArrayLike, name: str) -> NDArray[np.float64]:
        """Shape (n, k, 2), or (1, k, 2) for the same in all worlds."""
        rows = floats(value, name)
        if rows.ndim not in (2, 3) or rows.shape[-1] != 2 or (rows.ndim == 3 and len(rows) != len(self)):
            raise ValueError(
                f"{name}={short_repr(value)} must have shape ({len(self)}, k, 2) or (k, 2), not {np.shape(value)}"
            )
        check_finite(rows, value, name)
        return np.ascontiguousarray(rows if rows.ndim == 3 else rows[None])


def _steps(rows: NDArray[np.float64], count: int) -> Any:
    """How many rows it is from the vector of a world, and of a ray, to the next; 0: they are the same."""
    return ffi.new("int64_t[2]", [rows.shape[1] if len(rows) > 1 else 0, 1 if rows.shape[1] == count else 0])
