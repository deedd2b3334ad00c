"""`MouseDrag`: which body it takes, how hard it pulls, and that it leaves no objects behind."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2


def box_at(world: b2.World, position: tuple[float, float], **options: Any) -> b2.Body:
    body = world.create_dynamic_body(position, **options)
    body.create_shape(b2.Box(0.5, 0.5))
    return body


def run(world: b2.World, steps: int) -> None:
    for _ in range(steps):
        world.step()
        world.validate()


def test_a_held_body_hangs_below_its_target_by_the_stretch_of_the_spring() -> None:
    # Held at the centre, the spring of f Hz stretches by g / (2 pi f)^2; within 2 %.
    for hertz in (2.0, 5.0):
        with b2.World(gravity=(0, -10), sleeping=False) as world:
            box = box_at(world, (0, 0))
            drag = b2.MouseDrag(world, (0, 0), hertz=hertz)
            drag.move((1, 2))
            run(world, 400)
            assert drag.anchor.x == pytest.approx(1, abs=1e-3)
            assert 2 - drag.anchor.y == pytest.approx(10 / (2 * math.pi * hertz) ** 2, rel=0.02)
            assert drag.force == pytest.approx((0, 10 * box.mass), abs=0.02)


def test_the_pull_does_not_exceed_the_maximum_force() -> None:
    # Far from its target a body of 1 kg gains max_force / mass in every second.
    with b2.World(gravity=(0, 0)) as world:
        box = box_at(world, (0, 0))
        drag = b2.MouseDrag(world, (0, 0), max_force=3.0)
        drag.move((1000, 0))
        run(world, 60)
        assert box.linear_velocity.x == pytest.approx(3.0, rel=0.01)
        assert math.hypot(*drag.force) == pytest.approx(3.0, rel=1e-3)


def test_a_body_held_at_a_corner_turns_until_it_hangs_below() -> None:
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        box = box_at(world, (0, 0), angular_damping=2.0, linear_damping=1.0)
        drag = b2.MouseDrag(world, (0.5, 0.5))
        run(world, 600)
        assert box.position.x == pytest.approx(drag.anchor.x, abs=0.02)
        assert drag.anchor.y - box.position.y == pytest.approx(math.sqrt(0.5), abs=0.01)


def test_moving_the_target_wakes_the_body_and_a_held_body_can_sleep() -> None:
    with b2.World(gravity=(0, 0)) as world:
        box = box_at(world, (0, 0))
        drag = b2.MouseDrag(world, (0.1, 0))
        run(world, 120)
        assert not box.awake
        drag.move((2, 0))
        assert box.awake
        run(world, 180)
        assert drag.anchor == pytest.approx((2, 0), abs=0.01)


def test_a_drag_takes_the_dynamic_body_at_the_point_or_near_it() -> None:
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(10, 10))
        first, second = box_at(world, (0, 0)), box_at(world, (0.5, 0))
        line = world.create_dynamic_body((5, 0))
        line.create_shape(b2.Segment((0, 0), (1, 0)), filter=b2.Filter(2))
        assert b2.MouseDrag(world, (0.3, 0)).body is first
        assert b2.MouseDrag(world, (0.8, 0)).body is second
        assert b2.MouseDrag(world, (5.5, 0.04)).body is line
        assert not b2.MouseDrag(world, (5.5, 0.04), reach=0)
        assert b2.MouseDrag(world, (5.5, 0.5), reach=0.6, filter=b2.Filter(2)).body is line
        assert not b2.MouseDrag(world, (0.3, 0), filter=b2.Filter(mask=2))
        assert not b2.MouseDrag(world, (-8, 8))


def test_ending_a_drag_leaves_no_body_or_joint_behind() -> None:
    with b2.World() as world:
        box = box_at(world, (0, 0))
        before = len(world.bodies)
        for end in ("release", "with", "death of the body", "death of the joint"):
            with b2.MouseDrag(world, (0, 0)) as drag:
                assert bool(drag)
                assert drag.joint in world.joints
                if end == "release":
                    drag.release()
                elif end == "death of the joint":
                    drag.joint.destroy()  # type: ignore[union-attr]
                elif end == "death of the body":
                    box.destroy()
                    box = box_at(world, (0, 0))
                if end != "with":
                    assert not drag
                    assert drag.body is drag.joint is None
                    assert drag.force == (0, 0)
                    drag.move((3, 3))
                    assert drag.anchor == drag.point == (3, 3)
            assert len(world.bodies) == before
            assert len(world.joints) == 0
            world.step()
            world.validate()
        drag = b2.MouseDrag(world, (0, 0))
        assert "MouseDrag of <Body" in repr(drag)
    drag.release()
    assert not drag
    assert repr(drag) == "<MouseDrag of nothing>"


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("point", (math.nan, 0), ValueError),
        ("point", 3, TypeError),
        ("point", ("a", 0), TypeError),
        ("reach", -1.0, ValueError),
        ("reach", math.inf, ValueError),
        ("hertz", -1.0, ValueError),
        ("hertz", math.nan, ValueError),
        ("hertz", "2", TypeError),
        ("damping_ratio", math.inf, ValueError),
        ("max_force", -1.0, ValueError),
        ("max_force", math.nan, ValueError),
    ],
)
def test_bad_drag_arguments_change_nothing(name: str, value: Any, error: type[Exception], inside: bool) -> None:
    with b2.World() as world:
        box_at(world, (0, 0))
        before = world.state_hash()
        with pytest.raises(error, match=name):
            b2.MouseDrag(world, **{"point": (0, 0) if inside else (9, 9), name: value})
        assert world.state_hash() == before
        drag = b2.MouseDrag(world, (0, 0))
        if name == "point":
            with pytest.raises(error, match=name):
                drag.move(value)
            assert drag.point == (0, 0)
    with pytest.raises(b2.DestroyedError):
        b2.MouseDrag(world, (0, 0))
