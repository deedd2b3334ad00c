"""Wind and water against closed forms: terminal speed, Archimedes, drag on turning, stable floating."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

DT = 1 / 60
OCTAGON = b2.Polygon([(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)])
WATER = b2.Box(50, 20)  # its surface is at y = 0 when it is at (0, -20)


def dynamic(world: b2.World, geometry: b2.Geometry, position: tuple[float, float] = (0, 0), **fields: Any) -> b2.Body:
    density = fields.pop("density", 1.0)
    body = world.create_dynamic_body(position, can_sleep=fields.pop("can_sleep", False), **fields)
    body.create_shape(geometry, density=density)
    return body


# Wind


@pytest.mark.parametrize(
    ("geometry", "width"),
    [
        (b2.Circle(0.5), 1.0),
        (b2.Box(0.3, 1), 0.6),
        (b2.Capsule((-1, 0), (1, 0), 0.2), 2.4),
        (b2.Capsule((0, -1), (0, 1), 0.2), 0.4),
        (b2.Box(0.3, 0.2, radius=0.1), 0.8),
        (OCTAGON, 2.0),
    ],
)
def test_a_falling_body_reaches_its_terminal_speed(geometry: b2.Geometry, width: float) -> None:
    """Weight = drag: v = sqrt(2 m g / (rho c w)); and on the way v(t) = v tanh(g t / v)."""
    world = b2.World()
    body = dynamic(world, geometry, density=2)
    limit = math.sqrt(2 * body.mass * 10 / (1.2 * 1.3 * width))
    for number in range(1, 601):
        world.apply_wind((0, 0), drag=1.3)
        world.step(DT)
        if number == 30:
            assert -body.linear_velocity.y == pytest.approx(limit * math.tanh(10 * 30 * DT / limit), rel=0.03)
    assert -body.linear_velocity.y == pytest.approx(limit, rel=1e-3)
    assert body.linear_velocity.x == pytest.approx(0, abs=1e-3)


def test_wind_on_an_inclined_plate_gives_drag_and_lift() -> None:
    world = b2.World(gravity=(0, 0))
    angle = 0.5
    plate = dynamic(world, b2.Segment((0, -1), (0, 1)), angle=angle)
    plate.mass, plate.inertia = 1, 1
    plate.shapes[0].apply_wind((10, 0), drag=2, lift=3, density=1)
    shown = 2 * math.cos(angle)
    assert plate.force.x == pytest.approx(0.5 * 100 * shown * 2, rel=1e-5)
    # The inward normal of the side that faces the wind is (cos, sin) of the angle: across the flow it is sin.
    assert plate.force.y == pytest.approx(0.5 * 100 * shown * 3 * math.sin(angle), rel=1e-5)
    assert plate.torque == pytest.approx(0, abs=1e-4)


def test_wind_slows_spinning_bodies_and_carries_free_ones() -> None:
    world = b2.World(gravity=(0, 0))
    rotor = dynamic(world, b2.Box(2, 0.1), angular_velocity=10, density=5)
    leaf = dynamic(world, b2.Circle(0.1), (0, 10))
    stone = world.create_static_body((5, 5))
    stone.create_shape(b2.Box(1, 1))
    for _ in range(600):
        world.apply_wind((3, 0))
        world.step(DT)
    assert abs(rotor.angular_velocity) < 5
    assert leaf.linear_velocity == pytest.approx((3, 0), abs=0.05)
    assert stone.position == (5, 5)


def test_wind_ignores_sleeping_and_filtered_bodies() -> None:
    world = b2.World(gravity=(0, 0))
    asleep = dynamic(world, b2.Circle(1), awake=False, can_sleep=True)
    other = world.create_dynamic_body((5, 0))
    other.create_shape(b2.Circle(1), filter=b2.Filter(category=2))
    world.apply_wind((9, 0), filter=b2.Filter(mask=1))
    assert not asleep.awake
    assert other.force == (0, 0)
    world.apply_wind((9, 0), wake=True)
    assert asleep.awake
    assert asleep.force.x == pytest.approx(0.5 * 1.2 * 81 * 2, rel=1e-5)


# Water


SHAPES = [b2.Box(1, 0.5), OCTAGON, b2.Circle(0.7), b2.Capsule((-1, 0), (1, 0), 0.4), b2.Box(0.6, 0.2, radius=0.3)]


@pytest.mark.parametrize("geometry", SHAPES)
def test_a_submerged_body_is_lifted_by_the_weight_of_the_displaced_water(geometry: b2.Geometry) -> None:
    """Under water the lift is the weight of the displaced water and acts at the centroid; motion and rotation are
    damped."""
    world = b2.World(gravity=(1, -10))
    body = dynamic(world, geometry, (3, -5), density=1.0, angle=0.7)
    world.apply_buoyancy(WATER, (0, -20), density=1000, drag=0)
    area = body.mass
    assert body.force == pytest.approx((-1000 * area, 10_000 * area), rel=2e-6)
    assert body.torque == pytest.approx(0, abs=1e-2 * area)  # of a weight of 1e4 times the area
    world.step(1e-6)
    body.linear_velocity, body.angular_velocity = (2, 1), 3
    world.gravity = 0, 0
    world.apply_buoyancy(WATER, (0, -20), density=1000, drag=0.5, flow=(1, 0))
    assert body.force == pytest.approx((-500 * area, -500 * area), rel=1e-5)
    assert body.torque == pytest.approx(
        -500 * body.inertia * 3, rel=2e-3
    )  # density 1: the inertia is the second moment


@pytest.mark.parametrize("geometry", SHAPES)
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.8])
def test_a_floating_body_displaces_its_weight(geometry: b2.Geometry, ratio: float) -> None:
    """In still water the submerged area, measured by counting points, is the density ratio times the area."""
    world = b2.World()
    body = dynamic(world, geometry, (0, 0.2), density=1000 * ratio)
    for _ in range(1500):
        world.apply_buoyancy(WATER, (0, -20), density=1000, drag=3)
        world.step(DT)
    assert abs(body.linear_velocity.y) < 1e-3
    lower, upper = body.aabb
    n = 151
    points = [
        (lower.x + (upper.x - lower.x) * (i + 0.5) / n, lower.y + (upper.y - lower.y) * (j + 0.5) / n)
        for i in range(n)
        for j in range(n)
    ]
    inside = geometry.contains_points([body.local_point(point) for point in points])
    wet = [y < 0 for _, y in points]
    under = sum(bool(a) and b for a, b in zip(inside, wet, strict=True)) / sum(map(bool, inside))
    assert under == pytest.approx(ratio, abs=0.012)


def test_the_draught_of_a_floating_box_is_its_height_times_the_density_ratio() -> None:
    world = b2.World()
    raft = dynamic(world, b2.Box(1, 0.5), (0, 0.1), density=700)
    for _ in range(900):
        world.apply_buoyancy(WATER, (0, -20), density=1000, drag=2)
        world.step(DT)
    assert 0.5 - raft.position.y == pytest.approx(0.7, abs=1e-3)
    assert raft.angle == pytest.approx(0, abs=1e-3)


def test_a_raft_floats_upright_and_a_tall_box_capsizes() -> None:
    """Metacentre: a box floats upright when I / V exceeds the distance of centre and centroid of the displaced
    water."""
    angles = []
    for hx, hy in ((1, 0.5), (0.3, 1)):
        world = b2.World()
        box = dynamic(world, b2.Box(hx, hy), density=500, angle=0.2)
        for _ in range(1500):
            world.apply_buoyancy(WATER, (0, -20), density=1000, drag=1)
            world.step(DT)
        angles.append(abs(box.angle))
    assert angles[0] < 0.01
    assert angles[1] > 1


def test_water_has_side_walls_and_can_be_rotated() -> None:
    world = b2.World()
    inside, outside = dynamic(world, b2.Box(0.1, 0.1), (0, 0)), dynamic(world, b2.Box(0.1, 0.1), (2, 0))
    half = dynamic(world, b2.Box(0.1, 0.1), (1, 0))
    world.apply_buoyancy(b2.Box(1, 1), density=10, drag=0)
    forces = [body.force.y for body in (inside, half, outside)]
    assert forces == pytest.approx([10 * 10 * 0.04, 10 * 10 * 0.02, 0], rel=1e-4)
    world.step(DT)
    world.apply_buoyancy(b2.Box(3, 0.5), (2, 0), math.pi / 2, density=10, drag=0)  # upright: x from 1.5 to 2.5
    assert outside.force.y == pytest.approx(4, rel=1e-4)
    assert inside.force.y == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("density", -1),
        ("density", math.nan),
        ("drag", -0.1),
        ("flow", (math.inf, 0)),
        ("angle", math.nan),
        ("position", (math.nan, 0)),
    ],
)
def test_bad_arguments_of_water_are_refused(field: str, value: object) -> None:
    world = b2.World()
    body = dynamic(world, b2.Box(1, 1))
    fields: dict[str, Any] = {"density": 1.0, "position": (0, 0), "angle": 0.0, field: value}
    with pytest.raises(ValueError, match=field):
        world.apply_buoyancy(b2.Box(1, 1), fields.pop("position"), fields.pop("angle"), **fields)
    for region in (b2.Circle(1), b2.Segment((0, 0), (1, 0)), b2.Box(1, 1, radius=0.1)):
        with pytest.raises(ValueError, match="region"):
            world.apply_buoyancy(region, density=1)
    with pytest.raises(TypeError, match="region"):
        world.apply_buoyancy("sea", density=1)  # type: ignore[arg-type]
    assert body.force == (0, 0)


@pytest.mark.parametrize(
    ("field", "value"), [("wind", (math.nan, 0)), ("drag", -1), ("lift", math.inf), ("density", -1)]
)
def test_bad_arguments_of_wind_are_refused(field: str, value: object) -> None:
    world = b2.World()
    shape = dynamic(world, b2.Box(1, 1)).shapes[0]
    fields: dict[str, Any] = {"wind": (1, 0), field: value}
    for blow in (world.apply_wind, shape.apply_wind):
        given = dict(fields)
        with pytest.raises(ValueError, match=field):
            blow(given.pop("wind"), **given)
    shape.destroy()
    with pytest.raises(b2.DestroyedError):
        shape.apply_wind((1, 0))


def harbour(workers: int, broadphase: str) -> int:
    world = b2.World(workers=workers, broadphase=broadphase)
    world.create_static_body((0, -6)).create_shape(b2.Box(30, 1))
    for k in range(60):
        body = world.create_dynamic_body((k % 12 - 6, k // 12), angle=0.1 * k)
        body.create_shape(SHAPES[k % 5], density=300 + 10 * k)
        body.create_shape(b2.Circle(0.3, center=(0.5, 0.2)), density=100)
    for _ in range(120):
        world.apply_buoyancy(WATER, (0, -20), density=1000)
        world.apply_wind((4, 1), lift=0.5)
        world.step(DT)
    return world.state_hash()


def test_fluids_give_one_hash_for_all_options() -> None:
    assert harbour(1, "grid") == harbour(3, "tree") == harbour(2, "brute")


def energies(body: b2.Body, rows: Any, half: tuple[float, float], density: float, g: float) -> Any:
    """Of a box and of the water that it lifts, for rows of positions, angles and velocities: the weight of the
    displaced water times the depth of its centre. Each edge counts with its part under water."""
    x, y, angle, vx, vy, w = np.array(rows).T
    c, s = np.cos(angle), np.sin(angle)
    corners = [(sx * half[0], sy * half[1]) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    places = [(x + c * px - s * py, y + s * px + c * py) for px, py in corners]
    lifted = np.zeros_like(x)
    for (x0, y0), (x1, y1) in zip(places, places[1:] + places[:1], strict=True):
        slope = (x1 - x0) / np.where(y1 == y0, 1, y1 - y0)
        low0, low1 = np.minimum(y0, 0), np.minimum(y1, 0)
        x0, x1 = x0 + slope * (low0 - y0), x1 + slope * (low1 - y1)
        lifted += (x0 * low1 - x1 * low0) * (low0 + low1) / 6
    motion = 0.5 * body.mass * (vx**2 + vy**2) + 0.5 * body.inertia * w**2
    return motion + body.mass * g * y - density * g * lifted


@pytest.mark.parametrize("substeps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("drag", [0.0, 0.2, 1.0])
def test_floating_bodies_gain_no_energy(substeps: int, drag: float) -> None:
    """Boxes of all sizes and densities bob, rock, jump out and fall in. Their energy above that at rest never grows.

    Without drag a symplectic method has an energy that swings about its mean by about the frequency times the length of
    a substep, so that is the room here.
    """
    worst = 0.0
    for hx, hy in ((1.0, 0.5), (0.15, 0.05), (0.05, 0.05), (0.02, 0.02), (0.3, 1.0)):
        for ratio, g, dt in ((0.15, 10, 1 / 60), (0.5, 10, 1 / 60), (0.9, 3, 1 / 30), (0.5, 10, 1 / 120)):

            def float_on(drag: float, y: float, angle: float, steps: int) -> Any:
                world = b2.World(gravity=(0, -g), sleeping=False)
                body = dynamic(world, b2.Box(hx, hy), (0, y), angle=angle, density=1000 * ratio)
                rows = [(0, y, angle, 0, 0, 0)]
                for _ in range(steps):
                    world.apply_buoyancy(b2.Box(500, 500), (0, -500), density=1000, drag=drag)
                    world.step(dt, substeps)
                    rows.append((*body.position, body.angle, *body.linear_velocity, body.angular_velocity))
                return energies(body, rows, (hx, hy), 1000, g)

            rest = float_on(6, 0.1 * hy, 0.02, 300).min()
            stiffness = 2 * math.sqrt(g / (2 * hy * ratio)) * dt / substeps
            for y, angle in ((0.2 * hy, 0.05), (3 * hy, 0.4), (-3 * hy, 1.0)):
                found = float_on(drag, y, angle, 150) - rest
                worst = max(worst, (found.max() / found[0] - 1) / (0.02 + stiffness))
    assert worst < 1


@pytest.mark.parametrize("drag", [0.0, 1.0])
def test_a_raft_bobs_as_high_as_it_began(drag: float) -> None:
    for height, ratio in ((1.0, 0.5), (0.3, 0.2), (0.1, 0.5), (0.05, 0.5)):
        world = b2.World(sleeping=False)
        raft = dynamic(world, b2.Box(1.5 * height, 0.5 * height), (0, height * (0.6 - ratio)), density=ratio)
        heights = []
        for _ in range(900):
            world.apply_buoyancy(b2.Box(500, 500), (0, -500), density=1, drag=drag)
            world.step(DT)
            heights.append(raft.position.y / height)
        heave = (max(heights[-120:]) - min(heights[-120:])) / 2
        assert heave == pytest.approx(0.1, abs=0.003) if drag == 0 else heave < 0.01


@pytest.mark.parametrize("substeps", [1, 4, 8])
def test_drag_of_wind_follows_its_law_and_never_turns_a_body_back(substeps: int) -> None:
    """v' = -k v^2 has v = v0 / (1 + k v0 t)."""
    for density, speed, dt in ((1.0, 40.0, DT), (1.0, 10.0, 1 / 30), (0.3, 80.0, DT), (0.01, 80.0, DT)):
        world = b2.World(gravity=(0, 0))
        ball = dynamic(world, b2.Circle(0.5), density=density, linear_velocity=(speed, 0))
        rate = 0.5 * 1.2 / ball.mass * speed
        before = speed
        for step in range(1, 61):
            world.apply_wind((0, 0))
            world.step(dt, substeps)
            now = ball.linear_velocity.x
            assert 0 < now < before
            before = now
            if rate * dt < 1:
                assert now == pytest.approx(speed / (1 + rate * step * dt), rel=0.04)


def test_forces_of_fluids_last_through_copies_and_give_way_to_assigned_ones() -> None:
    def pushed() -> tuple[b2.World, b2.Body]:
        world = b2.World(sleeping=False)
        raft = dynamic(world, b2.Box(1, 0.2), (0, 0.1), density=500)
        dynamic(world, b2.Circle(0.3), (3, 0.6), density=100, linear_velocity=(0, -9))  # falls in within the step
        world.apply_buoyancy(WATER, (0, -20), density=1000)
        world.apply_wind((30, 3), lift=0.5)
        return world, raft

    world, raft = pushed()
    state, snapshot = world.save(), world.snapshot()
    copies = [world.clone(), b2.World.from_snapshot(snapshot)]
    world.step(1 / 20)
    expected = world.state_hash()
    for copy in copies:
        copy.step(1 / 20)
        assert copy.state_hash() == expected
    world.restore(state)
    world.step(1 / 20)
    assert world.state_hash() == expected

    world, raft = pushed()
    raft.clear_forces()
    world.step(DT)
    assert raft.linear_velocity.x == 0
    height = raft.position.y
    world.step(DT)
    assert raft.linear_velocity.y == pytest.approx(-20 * DT, rel=1e-4)
    assert raft.position.y < height


def test_water_with_waves_is_a_row_of_regions_whose_upper_sides_follow_the_height_field() -> None:
    """A small box on a long travelling wave goes up and down with it, in step and as high."""
    world = b2.World()
    box = dynamic(world, b2.Box(0.25, 0.25), (0.1, 0), density=0.5)
    edges = np.linspace(-12, 12, 49)
    above = []
    for number in range(600):
        surface = 0.4 * np.sin(2 * math.pi * (edges / 20 - number * DT / 4))  # 20 m long, period 4 s
        for left, right, a, b in zip(edges, edges[1:], surface, surface[1:], strict=False):
            region = b2.Polygon([(left, -5), (right, -5), (right, b), (left, a)])
            world.apply_buoyancy(region, density=1.0, drag=2.0)
        world.step(DT)
        if number > 240:
            above.append(box.position.y - np.interp(box.position.x, edges, surface))
    assert np.ptp(above) < 0.16
    assert abs(np.mean(above)) < 0.02
