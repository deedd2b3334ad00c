"""A broad phase of the core without a world, whose boxes the caller moves."""

from __future__ import annotations

from time import perf_counter, thread_time
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import box2dpy as b2

from .core import ffi, lib

Floats: TypeAlias = npt.NDArray[np.float32]
Ids: TypeAlias = npt.NDArray[np.int32]


def numbers(field: str) -> dict[str, int]:
    """Name -> number of a row of a list of the core."""
    return {name: getattr(lib, f"B2D_{field}_{name.upper()}") for name in b2.lab.NAMES["broadphase"][1:]}


class Phase:
    """A broad phase and its boxes, outside of a world."""

    def __init__(self, kind: str, shapes: int, workers: int = 1, simd: str = "", **options: Any) -> None:
        given = {"workers": workers, "simd": getattr(lib, f"B2D_SIMD_{simd.upper()}") if simd else -1, **options}
        given["broadphase"] = numbers("BROADPHASE")[kind]
        out = ffi.new("b2d_lab_pairs**")
        if lib.b2d_lab_pairs_create(ffi.new("b2d_lab_pairs_options*", given), shapes, out) != lib.B2D_OK:
            raise MemoryError
        self.pointer = ffi.gc(out[0], lib.b2d_lab_pairs_destroy)
        self.clock = thread_time if workers == 1 else perf_counter
        self.result = ffi.new("b2d_lab_pairs_step*")

    def move(self, ids: Ids, boxes: Floats | None, kind: int = lib.B2D_LAB_MOVE) -> None:
        rows = ffi.NULL if boxes is None else ffi.from_buffer("float[]", np.ascontiguousarray(boxes))
        places = ffi.from_buffer("int32_t[]", np.ascontiguousarray(ids))
        status = lib.b2d_lab_pairs_move(self.pointer, places, rows, len(ids), kind)
        if status != lib.B2D_OK:
            raise MemoryError

    def run(self) -> float:
        """Milliseconds of an update and its pairs."""
        start = self.clock()
        if lib.b2d_lab_pairs_run(self.pointer, self.result) != lib.B2D_OK:
            raise MemoryError
        return 1e3 * (self.clock() - start)
