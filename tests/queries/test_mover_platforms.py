"""The geometric character among platforms: lifts, one-way platforms, crates."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

DT = 1 / 60
BODY = b2.Capsule((0, 0.3), (0, 1.3), 0.3)


def fall(hero: b2.Mover, steps: int = 1, **velocity: float) -> None:
    """Steps under gravity, with a walking speed."""
    for _ in range(steps):
        hero.velocity = b2.Vec2(velocity.get("x", hero.velocity.x), hero.velocity.y - 10 * DT)
        hero.move(DT)


@pytest.mark.parametrize(("vx", "vy"), [(0, 2), (0, -2), (0, -6), (3, 0), (-3, 1), (2, -2)])
def test_it_rides_a_kinematic_platform_and_is_grounded_in_every_frame(vx: float, vy: float) -> None:
    with b2.World() as world:
        lift = world.create_kinematic_body((0, 0))
        deck = lift.create_shape(b2.Box(3, 0.2))
        hero = b2.Mover(world, BODY, (0.5, 0.2))
        fall(hero, 5)
        lift.linear_velocity = vx, vy
        for _ in range(120):
            world.step(DT)
            fall(hero)
            assert hero.ground is deck
            assert hero.position.x - lift.position.x == pytest.approx(0.5, abs=0.01)
            assert hero.position.y - lift.position.y == pytest.approx(0.2, abs=0.01)


def test_it_rides_a_lift_that_goes_up_and_down() -> None:
    with b2.World() as world:
        lift = world.create_kinematic_body((0, 0))
        deck = lift.create_shape(b2.Box(3, 0.2))
        hero = b2.Mover(world, BODY, (0, 0.2))
        fall(hero, 5)
        for k in range(400):
            lift.linear_velocity = 0, 2.5 * math.sin(0.05 * k)
            world.step(DT)
            fall(hero)
            assert hero.ground is deck, k


def test_it_jumps_off_a_lift() -> None:
    with b2.World() as world:
        lift = world.create_kinematic_body((0, 0), linear_velocity=(0, -1))
        lift.create_shape(b2.Box(3, 0.2))
        hero = b2.Mover(world, BODY, (0, 0.2))
        fall(hero, 5)
        world.step(DT)
        hero.velocity = b2.Vec2(0, 5)
        hero.move(DT)
        assert hero.ground is None
        assert hero.position.y > 0.25


def test_it_jumps_through_a_one_way_platform_and_lands_on_it() -> None:
    with b2.World() as world:
        world.create_static_body((0, -0.5)).create_shape(b2.Box(10, 0.5))
        deck = world.create_static_body((0, 2)).create_shape(b2.Box(3, 0.1), one_way=(0, 1))
        hero = b2.Mover(world, BODY, (0, 0))
        fall(hero, 3)
        assert hero.ground is not None
        hero.velocity = b2.Vec2(0, 8)
        highest = 0.0
        for _ in range(200):
            fall(hero)
            highest = max(highest, hero.position.y)
        assert highest == pytest.approx(8**2 / 20, abs=0.15)  # nothing slowed it on its way up
        assert hero.ground is deck
        assert hero.position.y == pytest.approx(2.1, abs=0.01)
        hero.filter = b2.Filter(mask=0)  # it lets itself fall through
        fall(hero, 20)
        hero.filter = None
        fall(hero, 120)
        assert hero.position.y == pytest.approx(0, abs=0.01)


def test_it_lands_on_a_one_way_platform_at_any_speed() -> None:
    for speed in (1.0, 10.0, 60.0, 300.0):
        with b2.World() as world:
            deck = world.create_static_body((0, 0)).create_shape(b2.Box(3, 0.1), one_way=(0, 1))
            hero = b2.Mover(world, BODY, (0, 5), velocity=(0, -speed))
            fall(hero, 90)
            assert hero.ground is deck, speed


@pytest.mark.parametrize("force", [0.0, 20.0, 200.0])
def test_it_pushes_a_crate_with_its_force(force: float) -> None:
    # The crate accelerates with the force less friction, and gets no faster than the mover walks.
    with b2.World(gravity=(0, -10)) as world:
        world.create_static_body((0, -0.5)).create_shape(b2.Box(50, 0.5), friction=0.3)
        crate = world.create_dynamic_body((2, 0.5))
        crate.create_shape(b2.Box(0.5, 0.5), density=10, friction=0.3)  # 10 kg: friction 30 N
        hero = b2.Mover(world, BODY, (0.5, 0), push_force=force)
        for _ in range(240):
            fall(hero, x=2.0)
            world.step(DT)
        if force <= 30:
            assert crate.position.x == pytest.approx(2, abs=0.02)
        else:
            assert crate.linear_velocity.x == pytest.approx(2, abs=0.4)
            assert crate.position.x > 5
        assert hero.position.x < crate.position.x - 0.75


def test_what_it_stands_on_is_not_pushed_down() -> None:
    with b2.World(gravity=(0, 0)) as world:
        crate = world.create_dynamic_body((0, 0))
        crate.create_shape(b2.Box(1, 0.5))
        hero = b2.Mover(world, BODY, (0, 0.5), push_force=1e4)
        for _ in range(30):
            fall(hero)
            world.step(DT)
        assert hero.ground is crate.shapes[0]
        assert crate.position.y == 0


def test_ground_that_is_destroyed_does_not_carry() -> None:
    with b2.World() as world:
        lift = world.create_kinematic_body((0, 0), linear_velocity=(1, 0))
        lift.create_shape(b2.Box(3, 0.2))
        hero = b2.Mover(world, BODY, (0, 0.2))
        fall(hero, 3)
        lift.destroy()
        fall(hero, 3)
        assert hero.ground is None
        assert hero.position.x == 0


def test_wrong_values_are_refused() -> None:
    with b2.World() as world:
        hero = b2.Mover(world, BODY)
        for bad in (-1, float("nan")):
            with pytest.raises(ValueError, match="push_force"):
                hero.push_force = bad
        with pytest.raises(TypeError, match="filter"):
            hero.filter = 3  # type: ignore[assignment]
        assert hero.push_force == 0
        assert hero.filter is None
