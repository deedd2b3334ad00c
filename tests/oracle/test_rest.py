"""A step of a world at rest skips its stages without a visible effect: a world that never rests is the oracle."""

from __future__ import annotations

import pytest

import box2dpy as b2

from ..stepping import advance

LENGTHS = [(1 / 60, 4), (1 / 30, 2), (0.0, 1), (1 / 120, 8)]


def pile(restless: bool) -> tuple[b2.World, list[b2.Body]]:
    """Two stacks and a hinged board, which fall asleep; `restless` adds a body far away that never does."""
    world = b2.World()
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(20, 1))
    bodies = []
    for k in range(8):
        bodies.append(world.create_dynamic_body((5 * (k % 2), 0.5 + k // 2)))
        bodies[-1].create_shape(b2.Box(0.5, 0.5))
    board = world.create_dynamic_body((-5, 0.1))
    board.create_shape(b2.Box(1, 0.1))
    world.create_revolute_joint(world.create_static_body(), board, anchor=(-6, 0.1))
    if restless:
        world.create_kinematic_body((1000, 1000), angular_velocity=1, can_sleep=False)
    return world, [*bodies, board]


def step(world: b2.World, count: int) -> None:
    for k in range(count):
        world.step(*LENGTHS[k % len(LENGTHS)])


def test_a_world_that_skips_resting_steps_continues_like_one_that_does_not() -> None:
    states = []
    for restless in (False, True):
        world, bodies = pile(restless)
        advance(world, 200)
        assert not any(body.awake for body in bodies)
        asleep = [(body.position, body.rotation) for body in bodies]
        step(world, 30)  # ends with half the length of a substep: stored impulses are scaled when they wake
        assert [(body.position, body.rotation) for body in bodies] == asleep
        force = world.joint(0).constraint_force
        bodies[2].apply_impulse((3, 1))
        bodies[8].apply_impulse((0, 2))
        step(world, 90)
        world.validate()
        states.append(
            [force, [(body.position, body.rotation, body.linear_velocity, body.sleep_timer) for body in bodies]]
        )
    assert states[0] == states[1]


def test_a_step_at_rest_counts_and_reports_nothing() -> None:
    world, _ = pile(restless=False)
    advance(world, 200)
    before = world.counters
    assert before.awake_bodies == 0
    assert before.touching > 0
    world.step()
    after = world.counters
    assert after.steps == before.steps + 1
    assert after.as_dict() | {"steps": 0} == before.as_dict() | {"steps": 0}
    assert after.step_allocations == 0
    assert world.profile.step >= 0.0
    assert world.profile.solve == world.profile.collide == 0.0
    for name in ("contact_begin", "contact_end", "body_move", "sensor_begin", "joint_threshold"):
        assert len(getattr(world.events, name)) == 0


@pytest.mark.parametrize(
    "change", ["move the ground", "destroy the ground", "destroy a sleeper", "filter", "sensor", "wake"]
)
def test_every_change_ends_the_rest_of_a_world(change: str) -> None:
    worlds = []
    for restless in (False, True):
        world, bodies = pile(restless)
        ground = world.body(0)
        sensor = world.create_static_body((0, 0.5)).create_shape(b2.Box(1, 1), sensor=True)
        advance(world, 200)
        assert not any(body.awake for body in bodies)
        if change == "move the ground":
            ground.position = (0, -1.2)
        elif change == "destroy the ground":
            ground.destroy()
        elif change == "destroy a sleeper":
            bodies[0].destroy()
        elif change == "filter":
            bodies[0].shapes[0].filter = b2.Filter(mask=0)
        elif change == "sensor":
            bodies[0].shapes[0].sensor_events = True
        else:
            bodies[4].awake = True
        seen = []
        for _ in range(40):
            world.step()
            seen.append([(event.shape_a.index, event.shape_b.index) for event in world.events.contact_end])
            seen.append([(event.sensor.index, event.visitor.index) for event in world.events.sensor_begin])
            seen.append([event.body.index for event in world.events.body_move if event.body.position.x < 900])
            seen.append([body.position for body in world.bodies if body.position.x < 900])
        assert any(seen[:3]), "the change had an effect in the first step"
        assert sensor.alive
        world.validate()
        worlds.append(seen)
    assert worlds[0] == worlds[1]


def test_a_world_of_static_bodies_rests_after_one_step_and_notices_new_bodies() -> None:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
    advance(world, 3)
    assert world.profile.pairs == 0.0
    ball = world.create_dynamic_body((0, 0.49))
    ball.create_shape(b2.Circle(0.5))
    world.step()
    assert len(world.events.contact_begin) == 1
    with pytest.raises(ValueError, match=r"substeps=0"):
        b2.World().step(1 / 60, 0)
    with pytest.raises(ValueError, match=r"dt=nan"):
        b2.World().step(float("nan"))
