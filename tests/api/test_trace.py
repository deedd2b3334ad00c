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
            b2.lab.trace(world)
        for _ in range(5):
            world.step()
        return world.state_hash(), b2.lab.spans(world), world.profile.step


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
        b2.lab.trace(world, 3)
        world.step()
        assert 0 < len(b2.lab.spans(world)) <= 6
        b2.lab.trace(world, 0)
        world.step()
        assert len(b2.lab.spans(world)) == 0
        b2.lab.trace(world)
        world.workers = 1
        world.step()
        assert len(b2.lab.spans(world)) == 0
        for wrong in (-1, 10**7):
            with pytest.raises(ValueError, match="spans"):
                b2.lab.trace(world, wrong)
        with pytest.raises(TypeError):
            b2.lab.trace(world, "all")  # type: ignore[arg-type]


def test_worlds_can_share_a_traced_scheduler() -> None:
    pool = b2.Scheduler(2)
    with b2.World(workers=pool) as first, b2.World(workers=pool) as second:
        for world in (first, second):
            world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
            world.create_bodies([(k % 40, 1 + k // 40) for k in range(400)], geometry=b2.Box(0.4, 0.4))
        b2.lab.trace(first)
        first.step()
        seen = len(b2.lab.spans(first))
        assert seen
        second.step()
        b2.lab.trace(first, 0)
        first.step()
        assert len(b2.lab.spans(first)) == 0
    closed = b2.World()
    closed.close()
    with pytest.raises(b2.DestroyedError):
        b2.lab.trace(closed)
    with pytest.raises(b2.DestroyedError):
        b2.lab.spans(closed)


def test_a_trace_alone_has_the_stages_as_they_are_cut_for_the_workers() -> None:
    scene = get("many_pyramids")
    found = []
    for workers, alone in ((4, False), (4, True), (1, True)):
        with scene.world(workers=workers) as world:
            scene.build(world, 0.3)
            b2.lab.trace(world, alone=alone)
            for _ in range(5):
                world.step()
            found.append((world.state_hash(), b2.lab.spans(world)))
    (one, shared), (two, cut), (three, single) = found
    assert one == two == three
    assert shared["grains"].sum() > 0
    assert set(cut["worker"].tolist()) == {0}
    solved = cut[cut["stage"] == STAGES.index("solve")]
    assert len(solved)
    assert cut["grains"].max() > 1
    assert (cut["begin"][1:] >= cut["end"][:-1]).all()
    assert (cut["longest"] <= cut["end"] - cut["begin"]).all()
    assert (single["grains"] == 1).all()
