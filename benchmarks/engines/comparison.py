"""Ratios to other engines: measured, or derived through pyb2d3 for Box2D 3.2 where its program did not run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .results import Result

# pyb2d3 (Box2D 3.1, SSE2) over Box2D 3.2 (clang, AVX2), one worker, measured once side by side; good to 10 %, washer to
# 15 %,
# and spinner is rough: there 102 of its 6076 bodies leak out of pyb2d3's circle.
BOX2D_RELATION = {
    "compounds": 1.80,
    "joint_grid": 1.11,
    "junkyard": 2.11,
    "large_pyramid": 2.28,
    "many_pyramids": 1.98,
    "rain": 1.26,
    "smash": 1.41,
    "spinner": 1.37,
    "tumbler": 1.55,
    "washer": 1.65,
}

# Box2D 3.2 with one worker over itself with two, of the same table.
BOX2D_SPEEDUP_2 = {
    "compounds": 1.42,
    "joint_grid": 1.53,
    "junkyard": 1.48,
    "large_pyramid": 1.63,
    "many_pyramids": 2.27,
    "rain": 1.51,
    "smash": 1.94,
    "spinner": 1.48,
    "tumbler": 1.25,
    "washer": 1.46,
}

# The goal for the time of Box2D 3.2 divided by ours, for one worker and for two.
GOAL = {
    "compounds": 3.5,
    "joint_grid": 4.0,
    "junkyard": 3.0,
    "large_pyramid": 3.0,
    "many_pyramids": 3.5,
    "rain": 4.5,
    "smash": 4.5,
    "spinner": 3.5,
    "tumbler": 3.5,
    "washer": 4.5,
}
TEN_SCENES = tuple(GOAL)


def ratio(result: Result, peer: str, results: Sequence[Result]) -> float | None:
    """The peer's total divided by ours in the same scene, with as many workers where the peer has workers."""
    for other in results:
        same_workers = not other.engine.path or other.engine.workers == result.engine.workers
        if other.engine.name == peer and other.scene == result.scene and other.runs and same_workers:
            return other.total_min / result.total_min
    return None


def box2d_ratio(result: Result, results: Sequence[Result]) -> float | None:
    """Box2D 3.2's total divided by ours with as many workers: measured, or else derived through pyb2d3."""
    if any(other.engine.path and other.runs for other in results):
        return ratio(result, "box2d", results)
    relation = BOX2D_RELATION.get(result.scene)
    measured = ratio(result, "pyb2d3", results)
    if relation is None or measured is None or result.engine.workers > 2 or result.scale != 1.0:
        return None
    return measured / relation / (BOX2D_SPEEDUP_2[result.scene] if result.engine.workers == 2 else 1.0)


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
