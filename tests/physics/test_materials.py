"""Materials: mixing rules, the table of pairs, and every change of a material under contacts that rest or sleep."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import box2dpy as b2

DT = 1 / 60
RULES: dict[str, Callable[[float, float], float]] = {
    "geometric": lambda a, b: math.sqrt(a * b),
    "arithmetic": lambda a, b: (a + b) / 2,
    "min": min,
    "max": max,
    "multiply": lambda a, b: a * b,
}


def tilted(world: b2.World, slope: float, g: float = 10.0) -> None:
    """A slope of that angle: gravity leans instead of the ground."""
    world.gravity = g * math.sin(slope), -g * math.cos(slope)


def floor_and_box(world: b2.World, floor: dict[str, Any], box: dict[str, Any]) -> b2.Body:
    world.create_static_body((0, -1)).create_shape(b2.Box(500, 1), **floor)
    body = world.create_dynamic_body((0, 0.25))
    body.create_shape(b2.Box(1, 0.25), **box)  # flat: does not topple
    return body


def run(world: b2.World, steps: int) -> None:
    for _ in range(steps):
        world.step(DT)
        world.validate()


def asleep(world: b2.World) -> None:
    run(world, 90)
    assert world.counters.awake_bodies == 0


def slide(world: b2.World, body: b2.Body) -> float:
    """Its acceleration along the ground, over a second."""
    start = body.linear_velocity.x
    run(world, 60)
    return body.linear_velocity.x - start


@pytest.mark.parametrize("rule", RULES)
def test_a_box_on_a_slope_slides_by_the_mixed_friction(rule: str) -> None:
    slope, a, b = 0.5, 0.2, 0.8
    with b2.World(friction_mixing=rule) as world:
        tilted(world, slope)
        body = floor_and_box(world, {"friction": a}, {"friction": b})
        mu = RULES[rule](a, b)
        run(world, 5)
        [contact] = body.contacts
        assert contact.friction == pytest.approx(mu, rel=1e-6)
        expected = max(0.0, 10 * (math.sin(slope) - mu * math.cos(slope)))  # tan 0.5 = 0.546: only max holds it
        assert slide(world, body) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("margin", [-0.03, 0.03])
def test_a_box_holds_up_to_the_friction_angle_and_slides_beyond(rule: str, margin: float) -> None:
    mu = RULES[rule](0.3, 0.6)
    with b2.World(friction_mixing=rule) as world:
        tilted(world, math.atan(mu) + margin)
        body = floor_and_box(world, {"friction": 0.3}, {"friction": 0.6})
        run(world, 240)
        assert (body.position.x > 0.1) is (margin > 0)


@pytest.mark.parametrize("rule", RULES)
def test_a_ball_bounces_by_the_mixed_restitution(rule: str) -> None:
    e = RULES[rule](0.5, 0.9)
    with b2.World(gravity=(0, 0), restitution_mixing=rule) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(5, 1), restitution=0.5)
        ball = world.create_dynamic_body((0, 1), linear_velocity=(0, -6))
        ball.create_shape(b2.Circle(0.5), restitution=0.9)
        run(world, 20)
        assert ball.linear_velocity.y == pytest.approx(6 * e, rel=0.01)


@pytest.mark.parametrize("sleeping", [False, True])
def test_mixing_rules_and_material_pairs_reach_every_contact_at_once(sleeping: bool) -> None:
    with b2.World(sleep_time=0.2) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1), friction=0.3, restitution=0.1)
        for k in range(30):
            body = world.create_dynamic_body((2.0 * (k % 10) - 9, 0.5 + k // 10))
            body.create_shape(b2.Box(0.5, 0.5), friction=0.1 * (k % 7), restitution=0.05 * (k % 4), material=k % 3)
        run(world, 120 if sleeping else 5)
        assert world.counters.awake_bodies == (0 if sleeping else 30)

        def carried(rule: str, bounce: str, pairs: dict[tuple[int, int], float]) -> None:
            contacts = [contact for contact in world.contacts if contact.touching]
            assert len(contacts) == 30
            for contact in contacts:
                a, b = contact.shape_a, contact.shape_b
                key = min(a.material, b.material), max(a.material, b.material)
                assert contact.friction == pytest.approx(pairs.get(key, RULES[rule](a.friction, b.friction)), abs=1e-6)
                assert contact.restitution == pytest.approx(RULES[bounce](a.restitution, b.restitution), abs=1e-6)

        carried("geometric", "max", {})
        for rule in RULES:
            world.friction_mixing = rule
            carried(rule, "max", {})
        for rule in RULES:
            world.restitution_mixing = rule
            carried("multiply", rule, {})
        world.set_material_pair(0, 1, friction=0.77)
        world.set_material_pair(2, 2, friction=0.11)
        carried("multiply", "multiply", {(0, 1): 0.77, (2, 2): 0.11})
        world.remove_material_pair(1, 0)
        carried("multiply", "multiply", {(2, 2): 0.11})
        run(world, 3)  # woken contacts keep these values in every step
        carried("multiply", "multiply", {(2, 2): 0.11})


def test_a_new_mixing_rule_moves_or_stops_resting_and_sleeping_bodies() -> None:
    slope = 0.4  # tangent 0.42
    with b2.World(friction_mixing="max") as world:
        tilted(world, slope)
        body = floor_and_box(world, {"friction": 0.1}, {"friction": 0.9})
        asleep(world)
        world.friction_mixing = "min"
        assert body.awake
        assert slide(world, body) == pytest.approx(10 * (math.sin(slope) - 0.1 * math.cos(slope)), abs=0.05)
        world.friction_mixing = "max"
        run(world, 120)
        assert body.linear_velocity == (0, 0) and not body.awake
        world.restitution_mixing = "min"  # 0 in both cases: no effect
        assert not body.awake


def test_a_material_pair_overrides_the_rule_until_it_is_removed() -> None:
    slope, ice, rubber = 0.4, -5, 2**31 - 1
    with b2.World() as world:
        tilted(world, slope)
        body = floor_and_box(world, {"friction": 0.9, "material": ice}, {"friction": 0.9, "material": rubber})
        bystander = world.create_dynamic_body((-20, 0.25))
        bystander.create_shape(b2.Box(1, 0.25), friction=0.9)
        asleep(world)
        world.set_material_pair(rubber, ice, friction=0.05)
        assert body.awake and not bystander.awake
        assert world.material_pairs == {(ice, rubber): b2.MaterialPair(friction=pytest.approx(0.05))}
        assert slide(world, body) == pytest.approx(10 * (math.sin(slope) - 0.05 * math.cos(slope)), abs=0.05)
        world.set_material_pair(ice, rubber, friction=0.3)
        assert slide(world, body) == pytest.approx(10 * (math.sin(slope) - 0.3 * math.cos(slope)), abs=0.05)
        world.remove_material_pair(ice, rubber)
        world.remove_material_pair(ice, rubber)
        assert world.material_pairs == {}
        run(world, 240)
        assert not body.awake


def test_a_pair_of_a_material_with_itself_gives_all_four_values() -> None:
    with b2.World() as world:
        world.set_material_pair(0, 0, friction=0.5, restitution=0.25, rolling_resistance=0.1, tangent_speed=1.5)
        body = floor_and_box(world, {"friction": 0.0}, {"friction": 0.0, "restitution": 1.0})
        run(world, 120)
        [contact] = body.contacts
        assert (contact.friction, contact.restitution) == (0.5, 0.25)
        assert body.linear_velocity.x == pytest.approx(1.5, abs=0.01)


def test_many_material_pairs_are_found_and_listed_in_order() -> None:
    with b2.World() as world:
        numbers = [(7 * k * k) % 101 - 50 for k in range(101)]
        for k, a in enumerate(numbers):
            world.set_material_pair(a, -a, friction=k / 128)
        pairs = world.material_pairs
        assert list(pairs) == sorted(pairs) and all(a <= b for a, b in pairs)
        expected = {tuple(sorted((a, -a))): k / 128 for k, a in enumerate(numbers)}
        assert {pair: row.friction for pair, row in pairs.items()} == expected


def test_every_material_field_takes_effect_on_a_sleeping_contact_at_once() -> None:
    slope = 0.3
    # friction, of either side
    for side in (0, 1):
        with b2.World() as world:
            tilted(world, slope)
            body = floor_and_box(world, {}, {})
            asleep(world)
            world.shape(side).friction = 0.0
            assert body.awake
            assert slide(world, body) == pytest.approx(10 * math.sin(slope), abs=0.05)
            world.shape(side).friction = 0.6
            run(world, 200)
            assert not body.awake
    # material, with a rule for the new one
    with b2.World() as world:
        tilted(world, slope)
        world.set_material_pair(0, 9, friction=0.0)
        body = floor_and_box(world, {}, {})
        asleep(world)
        world.shape(0).material = 4
        assert not body.awake
        world.shape(0).material = 9
        assert body.awake
        assert slide(world, body) == pytest.approx(10 * math.sin(slope), abs=0.05)
    # tangent speed: a belt that starts, turns round and stops
    with b2.World() as world:
        body = floor_and_box(world, {}, {})
        for speed in (2.0, -1.0, 0.0):
            asleep(world) if speed == 2.0 else None
            world.shape(0).tangent_speed = speed
            assert body.awake
            run(world, 90)
            assert body.linear_velocity.x == pytest.approx(speed, abs=0.01)
    # rolling resistance: what holds a ball on a slope, and lets it roll at 2/3 g sin
    with b2.World() as world:
        tilted(world, 0.1)
        world.create_static_body((0, -1)).create_shape(b2.Box(500, 1), rolling_resistance=0.15)
        ball = world.create_dynamic_body((0, 0.5))
        ball.create_shape(b2.Circle(0.5))
        asleep(world)
        world.shape(0).rolling_resistance = 0.0
        assert ball.awake
        assert slide(world, ball) == pytest.approx(2 / 3 * 10 * math.sin(0.1), rel=0.03)
        world.shape(1).rolling_resistance = 0.3
        run(world, 240)
        assert not ball.awake
    # restitution: the next blow on a contact that has lain there all the time
    for restitution, speed in ((0.0, 0.0), (1.0, 5.0), (0.5, 2.5)):
        with b2.World(gravity=(0, 0)) as world:
            body = floor_and_box(world, {}, {})
            run(world, 10)
            assert body.contacts[0].touching
            body.lock_rotation = True  # else its two points are hit one after the other
            world.shape(1).restitution = restitution
            body.linear_velocity = 0, -5
            world.step(DT)
            assert body.linear_velocity.y == pytest.approx(speed, abs=0.45)  # and the push out of what it sank


def test_density_changes_the_mass_under_a_resting_contact() -> None:
    with b2.World() as world:
        body = floor_and_box(world, {}, {})
        asleep(world)
        world.shape(1).density = 8.0
        assert body.awake
        run(world, 60)
        force = sum(point.normal_impulse for point in body.contacts[0].points) * 60 * 4
        assert force == pytest.approx(8.0 * 1.0 * 10, rel=0.01)


def test_setting_an_unchanged_material_value_wakes_no_body() -> None:
    with b2.World() as world:
        body = floor_and_box(world, {}, {"restitution": 0.0})
        asleep(world)
        world.shape(0).friction = world.shape(0).friction
        world.shape(0).color, world.shape(0).material = 5, 5
        world.set_material_pair(6, 7, friction=0.0)
        world.friction_mixing = "min"  # of equals
        assert not body.awake


def test_very_large_coefficients_give_finite_motion() -> None:
    for rule in RULES:
        with b2.World(friction_mixing=rule) as world:
            body = floor_and_box(world, {"friction": 1e30}, {"friction": 1e30})
            body.linear_velocity = 3, 0
            run(world, 60)
            assert math.isfinite(body.contacts[0].friction) and body.linear_velocity.x == pytest.approx(0, abs=1e-3)
