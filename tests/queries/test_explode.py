"""Explosions: the closed form, the falloff, which bodies are pushed, and that results are repeatable."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2


def body_at(world: b2.World, x: float, y: float = 0.0, **options: object) -> b2.Body:
    body = world.create_dynamic_body((x, y), **options)  # type: ignore[arg-type]
    body.create_shape(b2.Box(0.5, 0.5), filter=b2.Filter(category=2))
    return body


@pytest.fixture
def world() -> b2.World:
    return b2.World(gravity=(0, 0))


def test_the_impulse_of_an_explosion_is_proportional_to_the_visible_width(world: b2.World) -> None:
    straight = body_at(world, 3)
    turned = body_at(world, -3, angle=math.pi / 4)
    world.explode((0, 0), radius=4, impulse_per_length=10)
    assert straight.linear_velocity == pytest.approx((10 * 1.0 / straight.mass, 0))
    assert turned.linear_velocity == pytest.approx((-10 * math.sqrt(2) / turned.mass, 0), abs=1e-5)
    assert straight.angular_velocity == pytest.approx(0, abs=1e-6)


def test_the_falloff_of_an_explosion_is_linear_in_the_distance_of_the_nearest_point(world: b2.World) -> None:
    bodies = [body_at(world, x) for x in (2.5, 4.5, 6.5)]  # nearest points at 2, 4, 6
    world.explode((0, 0), radius=2, falloff=4, impulse_per_length=1)
    assert [body.linear_velocity.x for body in bodies] == pytest.approx([1.0, 0.5, 0.0])
    far = body_at(world, 20)
    world.explode((0, 0), radius=2, falloff=4, impulse_per_length=-1)
    assert bodies[0].linear_velocity.x == pytest.approx(0)
    assert far.linear_velocity == (0, 0)


def test_an_explosion_pushes_and_wakes_only_dynamic_bodies_that_match_its_filter(world: b2.World) -> None:
    asleep, other, locked = body_at(world, 2, awake=False), body_at(world, -2), body_at(world, 0, 2, lock_y=True)
    kinematic = world.create_kinematic_body((0, -2))
    kinematic.create_shape(b2.Circle(0.5))
    far = body_at(world, 50, awake=False)
    other.shapes[0].filter = b2.Filter(category=8)
    world.explode((0, 0), 5, filter=b2.Filter(mask=2 | 1))
    assert asleep.awake
    assert asleep.linear_velocity.x > 0
    assert other.linear_velocity == kinematic.linear_velocity == locked.linear_velocity == (0, 0)
    assert not far.awake
    world.validate()


def test_an_explosion_inside_a_shape_pushes_through_its_centroid_and_at_it_not_at_all(world: b2.World) -> None:
    body = body_at(world, 0)
    world.explode((0, 0), 1)
    assert body.linear_velocity == (0, 0)
    world.explode((-0.2, 0), 1)
    assert body.linear_velocity.x > 0
    assert body.angular_velocity == 0


def test_an_explosion_off_the_center_turns_the_body(world: b2.World) -> None:
    body = world.create_dynamic_body((3, 0))
    body.create_shape(b2.Box(0.5, 2, center=(0, 1)))
    world.explode((0, 0), 5)
    assert body.angular_velocity != 0


@pytest.mark.parametrize("broadphase", ["tree", "brute"])
def test_explosions_do_not_depend_on_the_broad_phase(broadphase: str) -> None:
    def run(kind: str) -> int:
        world = b2.World(broadphase=kind)
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        for k in range(60):
            world.create_dynamic_body((k % 8 - 4, 1 + k // 8)).create_shape(b2.Box(0.45, 0.45))
        for k in range(60):
            world.step()
            if k % 20 == 10:
                world.explode((0.3, 0.5), 2, 3, 4)
        return world.state_hash()

    assert run(broadphase) == run("grid")
