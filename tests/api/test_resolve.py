"""`World.resolve_overlaps`: bodies move out of what they overlap, by poses alone, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

SLOP = 0.005


def floor(world: b2.World, **options: Any) -> b2.Shape:
    return world.create_static_body((0, -1)).create_shape(b2.Box(50, 1), **options)


def crate(world: b2.World, x: float, y: float, density: float = 1.0, **options: Any) -> b2.Body:
    body = world.create_dynamic_body((x, y), **options)
    body.create_shape(b2.Box(0.5, 0.5), density=density)
    return body


def walker(world: b2.World, y: float) -> b2.Body:
    """A torso on two legs with hinges; its feet are at y."""
    torso = world.create_dynamic_body((0, y + 1.1))
    torso.create_shape(b2.Box(0.3, 0.3))
    for side in (-1, 1):
        leg = world.create_dynamic_body((0.2 * side, y + 0.4))
        leg.create_shape(b2.Box(0.08, 0.4))
        world.create_revolute_joint(torso, leg, anchor=(0.2 * side, y + 0.8), enable_spring=True, hertz=8)
    return torso


@pytest.mark.parametrize("resolved", [True, False])
def test_a_walker_that_was_placed_underground_is_not_thrown_up(resolved: bool) -> None:
    with b2.World() as world:
        floor(world)
        torso, top = walker(world, -0.27), 0.0
        if resolved:
            assert world.resolve_overlaps() < SLOP
            assert torso.position.y == pytest.approx(1.1, abs=0.01)
            assert all(joint.linear_separation < 1e-6 for joint in world.joints)
        for _ in range(120):
            world.step()
            top = max(top, torso.position.y)
        assert top < 1.13  # the soft push-out alone does not throw it either


def test_only_positions_change() -> None:
    with b2.World() as world:
        floor(world)
        bodies = [
            crate(world, 0, y, angle=0.3 * y, linear_velocity=(1, y), angular_velocity=y) for y in (0.1, 0.6, 1.0)
        ]
        before = [(body.angle, body.linear_velocity, body.angular_velocity) for body in bodies]
        assert world.resolve_overlaps() < SLOP
        assert [(body.angle, body.linear_velocity, body.angular_velocity) for body in bodies] == before
        assert world.resolve_overlaps(0) == world.resolve_overlaps(0) < SLOP
        world.validate()


def test_no_iterations_only_measure() -> None:
    with b2.World() as world:
        floor(world)
        body = crate(world, 0, 0.4)
        before = world.state_hash()
        assert world.resolve_overlaps(0) == pytest.approx(0.1)
        assert world.state_hash() == before
        assert world.resolve_overlaps(iterations=1) == pytest.approx(0.0, abs=1e-6)
        assert body.position.y == pytest.approx(0.5)


def test_the_lighter_side_moves_farther() -> None:
    with b2.World(gravity=(0, 0)) as world:
        heavy, light = crate(world, 0, 0, density=3), crate(world, 0.6, 0, density=1)
        world.resolve_overlaps()
        assert heavy.position.x == pytest.approx(-0.1)
        assert light.position.x == pytest.approx(0.9)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.42, 0.45, 0.5, 0.55])
def test_a_floor_of_tiles_pushes_up_and_not_into_the_next_tile(x: float) -> None:
    with b2.World() as world:
        for k in range(-3, 4):
            for row in range(2):
                world.create_static_body((k, -0.25 - 0.5 * row)).create_shape(b2.Box(0.5, 0.25))
        leg = world.create_dynamic_body((x, 0))
        leg.create_shape(b2.Box(0.05, 0.6))
        assert world.resolve_overlaps() < SLOP
        assert leg.position == pytest.approx((x, 0.6), abs=1e-6)


def test_a_body_in_a_corner_leaves_both_walls() -> None:
    with b2.World() as world:
        floor(world)
        world.create_static_body((-1, 2)).create_shape(b2.Box(0.5, 3))
        body = crate(world, -0.2, 0.3)
        assert world.resolve_overlaps() < SLOP
        assert body.position == pytest.approx((0, 0.5), abs=1e-6)


@pytest.mark.parametrize("ground", ["segment", "chain"])
def test_lines_are_left_on_the_nearer_or_the_front_side(ground: str) -> None:
    with b2.World() as world:
        base = world.create_static_body()
        if ground == "segment":
            base.create_shape(b2.Segment((-9, 0), (9, 0)))
        else:
            base.create_chain([(9, 0), (3, 0), (-3, 0), (-9, 0)])
        box, ball = crate(world, -2.8, 0.1), world.create_dynamic_body((3, 0.1))
        ball.create_shape(b2.Circle(0.5))
        assert world.resolve_overlaps() < SLOP
        assert box.position == pytest.approx((-2.8, 0.5), abs=1e-5)
        assert ball.position == pytest.approx((3, 0.5), abs=1e-5)


def test_two_balls_at_one_place_part() -> None:
    with b2.World() as world:
        balls = [world.create_dynamic_body((1, 2)) for _ in range(2)]
        for ball in balls:
            ball.create_shape(b2.Circle(0.5))
        world.resolve_overlaps()
        assert (balls[0].position - balls[1].position).length == pytest.approx(1.0, abs=SLOP)


def test_a_heap_comes_to_rest_where_it_would_have_exploded() -> None:
    chance = draws(1)
    with b2.World() as world:
        floor(world)
        forms = (b2.Box(0.2, 0.3), b2.Circle(0.3), b2.Capsule((-0.2, 0), (0.2, 0), 0.1), b2.Box(0.2, 0.2, radius=0.1))
        bodies = []
        for k in range(40):
            body = world.create_dynamic_body(
                (chance.uniform(-1, 1), chance.uniform(0.2, 2)), angle=chance.uniform(0, 6)
            )
            body.create_shape(forms[k % 4])
            bodies.append(body)
        assert world.resolve_overlaps(0) > 0.3
        assert world.resolve_overlaps(300) < 2 * SLOP
        assert all(body.position.y > 0 for body in bodies)
        world.validate()
        assert world.resolve_overlaps(0) < 2 * SLOP


@pytest.mark.parametrize("reason", ["filter", "sensor", "joint", "disabled", "one_way", "static", "kinematic"])
def test_what_does_not_collide_or_does_not_move_stays(reason: str) -> None:
    with b2.World() as world:
        ground = floor(world, **({"filter": b2.Filter(mask=2)} if reason == "filter" else {}))
        body = crate(world, 0, 0.2)
        if reason == "sensor":
            body.shapes[0].destroy()
            body.create_shape(b2.Box(0.5, 0.5), sensor=True)
        if reason == "joint":
            world.create_filter_joint(ground.body, body)
        if reason == "disabled":
            body.enabled = False
        if reason == "one_way":
            ground.one_way = (0, 1)
        if reason in ("static", "kinematic"):
            body.type = reason  # type: ignore[assignment]
        assert world.resolve_overlaps() == 0.0
        assert body.position == (0, 0.2)


def test_a_body_that_hangs_on_a_joint_stays_and_the_other_side_moves() -> None:
    with b2.World() as world:
        post = world.create_static_body((0, 5))
        hanging, free = crate(world, 0, 0), crate(world, 0.7, 0)
        world.create_distance_joint(post, hanging, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
        world.resolve_overlaps()
        assert hanging.position == (0, 0)
        assert free.position.x == pytest.approx(1.0)


def test_motion_locks_hold() -> None:
    with b2.World() as world:
        floor(world)
        body = crate(world, 0, 0.3, lock_y=True)
        assert world.resolve_overlaps() == pytest.approx(0.2)
        assert body.position == (0, 0.3)
        slider, other = crate(world, 5, 2, lock_x=True), crate(world, 5.6, 2)
        world.resolve_overlaps()
        assert slider.position == (5, 2)
        assert other.position.x == pytest.approx(6)


def test_sleeping_bodies_sleep_on_unless_an_awake_one_overlaps_them() -> None:
    with b2.World() as world:
        floor(world)
        pile, alone = [crate(world, 0, 0.5), crate(world, 0, 1.5)], crate(world, 9, 0.5)
        advance(world, 120)
        assert not any(body.awake for body in (*pile, alone))
        before = world.state_hash()
        assert world.resolve_overlaps() == 0.0
        assert world.state_hash() == before
        intruder = crate(world, 0.1, 2.2)
        assert world.resolve_overlaps() < 2 * SLOP
        assert intruder.position.y > 2.2
        assert not alone.awake


def test_what_is_squeezed_between_walls_is_reported() -> None:
    with b2.World() as world:
        for x in (-1, 1):
            world.create_static_body((1.4 * x, 0)).create_shape(b2.Box(1, 50))
        crate(world, 0, 0)
        assert world.resolve_overlaps() == pytest.approx(0.2, abs=0.01)  # on one side, or half on each


@pytest.mark.parametrize("options", [{"workers": 2}, {"simd": "scalar"}, {"broadphase": "brute"}], ids=str)
def test_the_result_is_the_same_in_every_configuration(options: dict[str, Any]) -> None:
    hashes = []
    for chosen in ({}, options):
        chance = draws(4)
        with b2.World(**chosen) as world:
            floor(world)
            for k in range(60):
                walker(world, chance.uniform(-0.3, 1)) if k % 9 == 0 else crate(
                    world, chance.uniform(-4, 4), chance.uniform(0, 3), angle=chance.uniform(0, 6)
                )
            left = world.resolve_overlaps(10)
            advance(world, 20)
            hashes.append((left, world.state_hash()))
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(("value", "error"), [(-1, ValueError), (2_000_000, ValueError), (1.5, TypeError)])
def test_bad_iterations_are_refused(value: Any, error: type[Exception]) -> None:
    with b2.World() as world:
        floor(world)
        body = crate(world, 0, 0.2)
        with pytest.raises(error, match="iterations"):
            world.resolve_overlaps(value)
        assert body.position == (0, 0.2)


def test_an_empty_world_has_no_overlaps() -> None:
    with b2.World() as world:
        assert world.resolve_overlaps() == 0.0
