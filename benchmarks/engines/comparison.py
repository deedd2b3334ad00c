"""Ratios to other engines that were measured in the same run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .box2d_program import NAMES as TEN_SCENES
from .results import Result

__all__ = ["BOX2D_AIMS", "TEN_SCENES", "geometric_mean", "ratio"]

# Aims for Box2D's time over ours with AVX2, by workers: the geometric mean of the ten scenes, and the least of them.
BOX2D_AIMS = {1: (3.3, 2.5), 2: (3.0, 2.2)}


def ratio(result: Result, peer: str, results: Sequence[Result]) -> float | None:
    """The peer's total divided by ours in the same scene, with as many workers where the peer has workers."""
    for other in results:
        same_workers = not other.engine.path or other.engine.workers == result.engine.workers
        if other.engine.name == peer and other.scene == result.scene and other.runs and same_workers:
            return other.total_min / result.total_min
    return None


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
