"""Random numbers of a batch: a function of the seed of a world, its episode and a counter, and of nothing else.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), the finalizer of splitmix64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._bridge.arguments import integer
from .._bridge.errors import short_repr
from .._bridge.library import ffi, lib

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_SEED = 2**64 - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each word scrambled, one to one; sums and products wrap around."""
    z: NDArray[np.uint64] = words + _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FACTORS[0]
    z = (z ^ (z >> np.uint64(27))) * _FACTORS[1]
    z = z ^ (z >> np.uint64(31))
    return z


def uniform(keys: NDArray[np.uint64], count: int) -> NDArray[np.float64]:
    """Numbers in [0, 1), shape (n, count), for rows of keys (seed, episode, counter), shape (n, 3)."""
    out = np.empty((len(keys), count))
    rows = ffi.from_buffer("uint64_t[]", np.ascontiguousarray(keys))
    lib.b2d_random_uniform(len(keys), rows, count, ffi.from_buffer("double[]", out, require_writable=True))
    return out


def seeds_of(seed: int | ArrayLike, count: int) -> NDArray[np.uint64]:
    """The seeds of the streams of `count` worlds: seed + i, or one of an array for each."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
        given = np.asarray(seed)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise TypeError(f"seed={short_repr(seed)} must be an integer or an array of integers")
        if given.shape != (count,) or (given.size and given.min() < 0):
            raise ValueError(f"seed={short_repr(seed)} must have shape ({count},) and no negative values")
        return mixed(given.astype(np.uint64))
    first = integer(seed, "seed", 0, MOST_SEED)
    return mixed(np.array([(first + k) & MOST_SEED for k in range(count)], np.uint64))
