"""Random numbers of a batch: a function of the seed of a world, its episode and a counter, and of nothing else.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), the finalizer of splitmix64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    streams: NDArray[np.uint64] = mixed(mixed(keys[:, 0]) + keys[:, 1])
    counters = np.asarray(keys[:, 2, None] + np.arange(count, dtype=np.uint64), np.uint64)
    words: NDArray[np.uint64] = mixed(streams[:, None] ^ mixed(counters))
    return np.asarray((words >> np.uint64(11)).astype(np.float64) * 2.0**-53)
