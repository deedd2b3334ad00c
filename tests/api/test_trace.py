"""Traces: the spans of the workers lie within the step, do not overlap, and do not change results."""

from __future__ import annotations

import numpy as np
import pytest

import box2dpy as b2
from box2dpy.scenes import get

STAGES = b2.Profile._fields


def run(workers: int, trace: bool) -> tuple[int, np.ndarray, float]:
    scene = get("large_pyramid")
    with scene.world(workers=workers) as world:
        scene.build(world, 0.2)
        if trace:
            world.trace()
        for _ in range(5):
            world.step()
        return world.state_hash(), world.spans, world.profile.step


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_traced_spans_lie_within_the_step_and_do_not_overlap(workers: int) -> None:
    plain, none, _ = run(workers, False)
    traced, spans, whole = run(workers, True)
    assert plain == traced
    assert len(none) == 0
    assert len(spans)
    assert set(np.unique(spans["worker"])) <= set(range(workers))
    names = {STAGES[stage] for stage in spans["stage"].tolist()}
    assert {"collide", "prepare", "solve", "finalize"} <= names
    assert (spans["begin"] >= 0).all()
    assert (spans["end"] >= spans["begin"]).all()
    assert spans["end"].max() <= whole
    for worker in range(workers):
        mine = spans[spans["worker"] == worker]
        assert (mine["begin"][1:] >= mine["end"][:-1]).all()


def test_a_trace_can_be_ended_and_has_bounded_size() -> None:
    scene = get("large_pyramid")
    with scene.world(workers=2) as world:
        scene.build(world, 0.1)
        world.trace(3)
        world.step()
        assert 0 < len(world.spans) <= 6
        world.trace(0)
        world.step()
        assert len(world.spans) == 0
        world.trace()
        world.workers = 1
        world.step()
        assert len(world.spans) == 0
        for wrong in (-1, 10**7):
            with pytest.raises(ValueError, match="spans"):
                world.trace(wrong)
        with pytest.raises(TypeError):
            world.trace("all")  # type: ignore[arg-type]


def test_worlds_can_share_a_traced_scheduler() -> None:
    pool = b2.Scheduler(2)
    with b2.World(workers=pool) as first, b2.World(workers=pool) as second:
        for world in (first, second):
            world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
            world.create_bodies([(k % 40, 1 + k // 40) for k in range(400)], geometry=b2.Box(0.4, 0.4))
        first.trace()
        first.step()
        seen = len(first.spans)
        assert seen
        second.step()
        first.trace(0)
        first.step()
        assert len(first.spans) == 0
    closed = b2.World()
    closed.close()
    with pytest.raises(b2.DestroyedError):
        closed.trace()
    with pytest.raises(b2.DestroyedError):
        closed.spans
