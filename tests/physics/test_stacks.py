"""Stacks stand: tall ones, uneven ones, light boxes under heavy ones, and pyramids on steep ramps.

All of it at 60 Hz with 4 substeps and `sleeping=False`, because a sleeping stack stands anyway.
"""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance
from ..sweeps import ALL


def ground(world: b2.World, angle: float = 0.0) -> None:
    """A wide floor whose top surface goes through the origin."""
    body = world.create_static_body((0, 0), angle=angle)
    body.create_shape(b2.Box(100, 1, center=(0, -1)), friction=0.6)


def box(world: b2.World, position: tuple[float, float], half: float = 0.5, mass: float = 1.0) -> b2.Body:
    body = world.create_dynamic_body(position)
    body.create_shape(b2.Box(half, half), density=mass / (4 * half * half), friction=0.6)
    return body


def run(world: b2.World, seconds: float) -> None:
    advance(world, round(60 * seconds), 1 / 60, 4)


@pytest.mark.parametrize("offset", [0.0, 0.005, 0.01])
def test_a_stack_of_100_boxes_stands_awake_for_a_minute(offset: float) -> None:
    with b2.World(sleeping=False) as world:
        ground(world)
        stack = [box(world, (offset * (-1) ** k, k + 0.5)) for k in range(100)]
        run(world, 60)
        for below, above in itertools.pairwise(stack):
            assert 0.9 < above.position.y - below.position.y < 1.01
        assert max(abs(body.position.x) for body in stack) < 0.25
        assert max(abs(body.angle) for body in stack) < 0.02


def test_a_straight_stack_does_not_lean() -> None:
    with b2.World(sleeping=False) as world:
        ground(world)
        stack = [box(world, (0, k + 0.5)) for k in range(40)]
        run(world, 20)
        assert max(abs(body.position.x) for body in stack) < 1e-4


def test_a_box_dropped_flat_lands_flat() -> None:
    with b2.World() as world:
        ground(world)
        body = box(world, (0, 2))
        run(world, 1)
        assert abs(body.position.x) < 1e-6
        assert abs(body.angle) < 1e-6
        assert body.position.y == pytest.approx(0.5, abs=1e-3)


def test_a_box_of_400_times_the_mass_sinks_less_than_5_cm_into_a_light_one() -> None:
    with b2.World(sleeping=False) as world:
        ground(world)
        light, heavy = box(world, (0, 0.5)), box(world, (0, 3), half=2, mass=400)
        run(world, 20)
        assert 0 < 3 - heavy.position.y < 0.05
        assert abs(light.position.x) < 1e-3


@pytest.mark.parametrize("ratio", [100, 400, 1000])
def test_a_heavy_box_stands_on_five_light_ones(ratio: float) -> None:
    with b2.World(sleeping=False) as world:
        ground(world)
        light = [box(world, (0, k + 0.5)) for k in range(5)]
        heavy = box(world, (0, 7), half=2, mass=ratio)
        run(world, 30)
        assert 7 - heavy.position.y < 0.9
        assert max(abs(body.position.x) for body in [*light, heavy]) < 0.01


def test_a_pyramid_on_a_ramp_two_degrees_under_the_critical_angle_moves_less_than_70_mm() -> None:
    angle = math.atan(0.6) - math.radians(2)
    along, up = b2.Vec2(math.cos(angle), math.sin(angle)), b2.Vec2(-math.sin(angle), math.cos(angle))
    with b2.World(sleeping=False) as world:
        ground(world, angle)
        starts = [along * (k - (4 - row) / 2) + up * (row + 0.5) for row in range(5) for k in range(5 - row)]
        bodies = []
        for start in starts:
            bodies.append(world.create_dynamic_body(start, angle=angle))
            bodies[-1].create_shape(b2.Box(0.5, 0.5), friction=0.6)
        run(world, 20)
        assert max(math.dist(body.position, start) for body, start in zip(bodies, starts, strict=True)) < 0.07


def test_a_pyramid_of_20_rows_sinks_less_than_3_cm() -> None:
    with b2.World(sleeping=False) as world:
        ground(world)
        places = ((1.02 * (k - (19 - row) / 2), 0.5 + row) for row in range(20) for k in range(20 - row))
        bodies = [box(world, place) for place in places]
        run(world, 15)
        assert 19.5 - bodies[-1].position.y < 0.03
        assert max(body.linear_velocity.length for body in bodies) < 2e-5


@pytest.mark.parametrize(
    ("rows", "gap", "most"), [(50, 0.1, 0.001), (70, 0.1, 0.001), (70, 0.02, 0.02), (100, 0.0, 0.01)][: 4 if ALL else 2]
)
def test_tall_pyramids_do_not_flutter(rows: int, gap: float, most: float) -> None:
    """With less compliance in deep contacts 70 rows moved at 0.08 to 0.17 m/s for ever, 100 at 0.14."""
    with b2.World(sleeping=False) as world:
        ground(world)
        for row in range(rows):
            for k in range(rows - row):
                box(world, ((1 + gap) * (k - (rows - row - 1) / 2), 0.5 + row))
        run(world, 10)
        mean = 0.0
        for _ in range(60):
            world.step()
            mean += float((world.arrays.linear_velocity[1:] ** 2).sum(1).mean()) / 60
        assert math.sqrt(mean) < most


def test_heaps_of_boxes_between_walls_rest_after_20_seconds() -> None:
    """The sway of towers in a heap dies down with the damping of contacts."""
    speeds = []
    for seed in range(9):
        chance = draws(seed)
        with b2.World(sleeping=False) as world:
            ground(world)
            for x in (-4, 4):
                world.create_static_body((x, 10)).create_shape(b2.Box(0.5, 12))
            bodies = []
            for k in range(100):
                place = 0.6 * (k % 10) - 2.7, 0.5 + 0.7 * (k // 10)
                bodies.append(world.create_dynamic_body(place, chance.uniform(0, 0.3)))
                bodies[-1].create_shape(b2.Box(0.25, 0.25))
            run(world, 20)
            speeds.append(max(body.linear_velocity.length for body in bodies))
    assert sorted(speeds)[4] < 5e-5, speeds
    assert max(speeds) < 2e-4, speeds


def test_substeps_let_stacks_and_chains_be_stiffer_with_larger_hertz() -> None:
    """What the guide advises (docs/guide/concepts.md), and that substeps alone change nothing."""

    def sinks(substeps: int, contact_hertz: float, joint_hertz: float) -> tuple[float, float]:
        with b2.World(sleeping=False, contact_hertz=contact_hertz, joint_hertz=joint_hertz) as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
            for k in range(20):
                top = world.create_dynamic_body((0, 0.5 + k))
                top.create_shape(b2.Box(0.5, 0.5))
            last: b2.Body = world.create_static_body((5, 20))
            for k in range(30):
                link = world.create_dynamic_body((5, 19.75 - 0.5 * k))
                link.create_shape(b2.Box(0.05, 0.25), filter=b2.Filter(group=-1))
                world.create_revolute_joint(last, link, anchor=(5, 20 - 0.5 * k), joint_solver="iterative")
                last = link
            advance(world, 600, 1 / 60, substeps)
            return 19.5 - top.position.y, 5.25 - last.position.y

    stack, chain = sinks(4, 36, 60)
    assert stack < 0.0945
    assert (stack, chain) == pytest.approx((0.0941, 0.065), rel=0.1)
    assert sinks(16, 36, 60) == pytest.approx((stack, chain), rel=0.02)
    assert sinks(4, 72, 120) == pytest.approx((stack, chain), rel=0.02)
    assert sinks(8, 72, 120) == pytest.approx((stack / 4, chain / 4), rel=0.1)
    assert sinks(16, 144, 240) == pytest.approx((stack / 16, chain / 16), rel=0.1)
