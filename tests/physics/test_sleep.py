"""What falls asleep: only what is in balance and is driven by nothing; and that does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

FRAME = 1 / 60


def run(world: b2.World, seconds: float, dt: float = FRAME) -> None:
    advance(world, round(seconds / dt), dt)


def crate(world: b2.World, x: float, y: float, half: float = 0.5) -> b2.Body:
    body = world.create_dynamic_body((x, y))
    body.create_shape(b2.Box(half, half))
    return body


# ---- what is out of balance goes on


def crossings(world: b2.World, body: b2.Body, middle: float, seconds: float) -> int:
    """How often the body passes the middle."""
    count, side = 0, body.position.x > middle
    for _ in range(round(seconds / FRAME)):
        world.step()
        if (body.position.x > middle) != side:
            count, side = count + 1, not side
    return count


@pytest.mark.parametrize("unit", [1, 30])
def test_pendulums_swing_on(unit: float) -> None:
    for length, angle in itertools.product((0.1, 0.2, 0.5, 1, 2, 5, 20), (0.01, 0.02, 0.05)):
        with b2.World(length_unit=unit, gravity=(0, -10 * unit)) as world:
            reach = length * unit
            body = world.create_dynamic_body((reach * math.sin(angle), -reach * math.cos(angle)), angle)
            body.create_shape(b2.Circle(reach / 20))
            world.create_revolute_joint(world.create_static_body(), body, anchor=(0, 0))
            period = math.tau * math.sqrt(length / 10)
            assert 9 <= crossings(world, body, 0, 5 * period) <= 11, (length, angle)


def test_springs_swing_on() -> None:
    for hertz, amplitude in itertools.product((0.03, 0.1, 0.3, 1), (0.05, 0.1, 0.3, 1, 3)):
        with b2.World(gravity=(0, 0)) as world:
            body = crate(world, 5 + amplitude, 0, 0.2)
            world.create_distance_joint(
                world.create_static_body(), body, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=5, hertz=hertz,
                damping_ratio=0,
            )  # fmt: skip
            assert 4 <= crossings(world, body, 5, 2.5 / hertz) <= 6, (hertz, amplitude)


@pytest.mark.parametrize("dt", [1 / 240, FRAME, 1 / 30])
def test_what_weak_gravity_turns_round_falls_back(dt: float) -> None:
    for gravity, speed in itertools.product((0.01, 0.03, 0.09, 0.3), (0, 0.02, 0.1, 0.3)):
        with b2.World(gravity=(0, -gravity)) as world:
            body = world.create_dynamic_body((0, 0), linear_velocity=(0, speed))
            body.create_shape(b2.Box(0.2, 0.2))
            seconds = 4 * speed / gravity if speed else 10
            run(world, seconds, dt)
            seconds = dt * round(seconds / dt)
            fall = speed * seconds - gravity * seconds**2 / 2
            assert body.position.y == pytest.approx(fall, rel=0.02, abs=0.01), (gravity, speed)


def test_a_disc_rolls_to_and_fro_in_a_bowl() -> None:
    for amplitude in (0.1, 0.3):
        with b2.World() as world:
            points = [(10 * math.sin(k / 100), 10 - 10 * math.cos(k / 100)) for k in range(30, -31, -1)]
            world.create_static_body().create_chain(points, loop=False, friction=0.5)
            body = world.create_dynamic_body((amplitude, 0.3 + amplitude**2 / 20))
            body.create_shape(b2.Circle(0.3), friction=0.5)
            assert crossings(world, body, 0, 20) >= 4


def test_a_damped_spring_reaches_its_length() -> None:
    for hertz, damping in ((0.05, 3), (0.1, 5), (0.3, 10), (1, 20)):
        with b2.World(gravity=(0, 0)) as world:
            body = crate(world, 5.3, 0, 0.2)
            world.create_distance_joint(
                world.create_static_body(), body, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=5, hertz=hertz,
                damping_ratio=damping,
            )  # fmt: skip
            run(world, 150)
            assert body.position.x == pytest.approx(5, abs=0.03)


# ---- what is driven goes on

DRIVES = ("belt", "prismatic", "lift", "lift down", "revolute", "wheel", "motor", "turning motor", "mover")


def way_of(kind: str, speed: float, unit: float, dt: float, seconds: float) -> float:
    """The part of its way that a body goes that is driven with a speed."""
    heavy = kind in ("belt", "lift", "lift down")
    with b2.World(length_unit=unit, gravity=(0, -10 * unit if heavy else 0)) as world:
        base = world.create_static_body((0, -unit))
        body = crate(world, 0, 0.5 * unit, 0.5 * unit)
        strong, at = 100 * unit**3, (0, 0.5 * unit)
        v = speed * unit
        if kind == "belt":
            base.create_shape(b2.Box(50 * unit, unit), tangent_speed=v)
        elif kind in ("prismatic", "lift", "lift down"):
            axis = (0, 1 if kind == "lift" else -1) if heavy else (1, 0)
            world.create_prismatic_joint(base, body, anchor=at, axis=axis, motor_speed=v, max_motor_force=strong)
        elif kind == "revolute":
            world.create_revolute_joint(base, body, anchor=at, motor_speed=speed, max_motor_torque=strong * unit)
        elif kind == "wheel":
            world.create_wheel_joint(
                base, body, anchor=at, axis=(0, 1), motor_speed=speed, max_motor_torque=strong * unit
            )
        elif kind in ("motor", "turning motor"):
            turning = kind == "turning motor"
            world.create_motor_joint(
                body, base, local_anchor_a=(0, 0), local_anchor_b=(0, 1.5 * unit), max_velocity_force=strong,
                max_velocity_torque=strong * unit, linear_velocity=(0 if turning else -v, 0),
                angular_velocity=-speed if turning else 0,
            )  # fmt: skip
        else:
            world.create_mover_joint(base, body, linear_velocity=(v, 0), max_velocity_force=(strong, strong))
        run(world, seconds, dt)
        if kind in ("revolute", "wheel", "turning motor"):
            return (body.angle + math.tau * body.turns) / (seconds * speed)
        gone = abs(body.position.y - 0.5 * unit) if heavy and kind != "belt" else body.position.x
        return gone / (seconds * v)


@pytest.mark.parametrize(("unit", "dt"), [(1, FRAME), (1, 1 / 240), (30, FRAME)])
@pytest.mark.parametrize("kind", DRIVES)
def test_what_is_driven_slowly_goes_all_its_way(kind: str, unit: float, dt: float) -> None:
    for speed in (0.002, 0.01, 0.02, 0.04, 0.08):
        assert way_of(kind, speed, unit, dt, 15) == pytest.approx(1, abs=0.03), speed


# ---- what is in balance sleeps


def floor(world: b2.World, **material: float) -> b2.Body:
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(50, 1), **material)  # type: ignore[arg-type]
    return ground


def motor_against_a_stop(world: b2.World) -> None:
    world.create_revolute_joint(
        world.create_static_body(), crate(world, 1, 0), anchor=(0, 0), motor_speed=1, max_motor_torque=200,
        enable_limit=True, lower_angle=-0.5, upper_angle=0.5,
    )  # fmt: skip


def motor_that_brakes(world: b2.World) -> None:
    world.create_revolute_joint(
        world.create_static_body(), crate(world, 1, 0), anchor=(0, 0), motor_speed=0, max_motor_torque=2000
    )


def blocked_belt(world: b2.World) -> None:
    ground = floor(world, tangent_speed=1)
    for x in (-2, 2):
        ground.create_shape(b2.Box(0.5, 2, center=(x, 2)))
    crate(world, 0.9, 0.5)


def spring_with_a_weight(world: b2.World) -> None:
    world.create_distance_joint(
        world.create_static_body(), crate(world, 0, -3), local_anchor_a=(0, 0), local_anchor_b=(0, 0), hertz=1,
        damping_ratio=0.3,
    )  # fmt: skip


def car(world: b2.World) -> None:
    floor(world)
    chassis = world.create_dynamic_body((0, 1.2))
    chassis.create_shape(b2.Box(1.5, 0.3))
    for x in (-1, 1):
        wheel = world.create_dynamic_body((x, 0.6))
        wheel.create_shape(b2.Circle(0.4), friction=0.9)
        world.create_wheel_joint(
            chassis, wheel, anchor=(x, 0.6), axis=(0, 1), enable_spring=True, hertz=4, damping_ratio=0.7,
            motor_speed=0, max_motor_torque=20,
        )  # fmt: skip


def ragdolls(world: b2.World) -> None:
    floor(world)
    for x in (-3.0, -1.5, 0.0, 1.5):
        trunk = world.create_dynamic_body((x, 2))
        trunk.create_shape(b2.Box(0.2, 0.5))
        for dx, dy in ((-0.4, 0.4), (0.4, 0.4), (-0.2, -0.8), (0.2, -0.8), (0, 0.8)):
            limb = world.create_dynamic_body((x + dx, 2 + dy))
            limb.create_shape(b2.Capsule((0, -0.2), (0, 0.2), 0.08))
            world.create_revolute_joint(
                trunk, limb, anchor=(x + 0.6 * dx, 2 + 0.7 * dy), enable_limit=True, lower_angle=-1, upper_angle=1,
                enable_spring=True, hertz=2, damping_ratio=0.7,
            )  # fmt: skip


def damped_rope(world: b2.World) -> None:
    last: b2.Body = world.create_static_body()
    for k in range(10):
        bead = world.create_dynamic_body((0.2 * (k + 1), 0), linear_damping=1.5, angular_damping=1.5)
        bead.create_shape(b2.Circle(0.1), filter=b2.Filter(group=-1))
        world.create_revolute_joint(last, bead, anchor=(0.2 * k, 0))
        last = bead


def stack(world: b2.World) -> None:
    floor(world)
    for k in range(10):
        crate(world, 0, 0.5 + k)


def held_by_a_spring(world: b2.World) -> None:
    """As what the mouse holds still."""
    world.create_motor_joint(
        world.create_static_body(), crate(world, 0, 3), local_anchor_a=(0, 3.2), local_anchor_b=(0, 0), linear_hertz=4,
        linear_damping_ratio=1, max_spring_force=1000, angular_hertz=4, angular_damping_ratio=1, max_spring_torque=100,
    )  # fmt: skip


@pytest.mark.parametrize("dt", [1 / 240, FRAME, 1 / 30])
@pytest.mark.parametrize(
    ("build", "seconds"),
    [
        (motor_against_a_stop, 3),
        (motor_that_brakes, 3),
        (blocked_belt, 3),
        (spring_with_a_weight, 10),
        (car, 4),
        (ragdolls, 10),
        (damped_rope, 25),
        (stack, 3),
        (held_by_a_spring, 3),
    ],
)
def test_what_is_in_balance_sleeps(build: Callable[[b2.World], None], seconds: float, dt: float) -> None:
    with b2.World() as world:
        build(world)
        run(world, seconds, dt)
        assert not any(body.awake for body in world.bodies)


def pile_sleeps(seed: int, seconds: float, discs: bool, rolling_resistance: float) -> bool:
    chance = draws(seed)
    with b2.World() as world:
        floor(world)
        for x in (-5, 5):
            world.create_static_body((x, 5)).create_shape(b2.Box(0.5, 6))
        for k in range(60):
            body = world.create_dynamic_body((chance.uniform(-4, 4), 1 + 0.4 * k), chance.uniform(-3, 3))
            kind, size = chance.randrange(3), chance.uniform(0.2, 0.5)
            corners = [(size * math.cos(a), size * math.sin(a)) for a in (0, 1.2, 2.5, 3.9, 5.1)]
            flat = b2.Box(size, size * chance.uniform(0.4, 1))
            shape = (flat, b2.Circle(size) if discs else flat, b2.Polygon(corners))[kind]
            body.create_shape(shape, rolling_resistance=rolling_resistance if kind == 1 else 0.0)
        run(world, seconds)
        return not any(body.awake for body in world.bodies)


@pytest.mark.parametrize(
    ("seconds", "discs", "rolling_resistance", "least"),
    [(10, False, 0.0, 30), (10, True, 0.02, 30), (30, True, 0.0, 21)],
)
def test_piles_sleep(seconds: float, discs: bool, rolling_resistance: float, least: int) -> None:
    """Where discs do not resist, one pile of ten has a disc that rolls, or a box that rocks on one, which costs no
    energy (docs/decisions/islands.md). More than 9 of 30 have one by chance in 1 of 10,000 cases."""
    assert sum(pile_sleeps(seed, seconds, discs, rolling_resistance) for seed in range(30)) >= least


HEAPS: list[tuple[str, dict[str, float]]] = [
    ("plain", {}),
    ("30 Hz", {"dt": 1 / 30}),
    ("240 Hz", {"dt": 1 / 240}),
    ("one substep", {"substeps": 1}),
    ("moon", {"gravity": 1.6}),
    ("ten times gravity", {"gravity": 100}),
    ("on its side", {"down": 1.2}),
    ("densities 1 to 100", {"densities": 100}),
]


@pytest.mark.parametrize("options", [options for _, options in HEAPS], ids=[name for name, _ in HEAPS])
def test_boxes_of_unlike_masses_in_a_heap_come_to_rest(options: dict[str, float]) -> None:
    """A light box between heavier ones trembled at 1 m/s for ever: its contacts gave up the load that they carried."""
    down, gravity = options.get("down", 0.0), options.get("gravity", 10.0)
    c, s = math.cos(down), math.sin(down)
    dt, substeps, fastest = options.get("dt", 1 / 60), int(options.get("substeps", 4)), []
    for seed in range(6):
        chance = draws(seed)
        with b2.World(gravity=(s * gravity, -c * gravity), sleeping=False) as world:
            for x, y, half in ((0, -1, (40, 1)), (-5, 10, (0.5, 11)), (5, 10, (0.5, 11))):
                wall = world.create_static_body((c * x - s * y, s * x + c * y), down)
                wall.create_shape(b2.Box(*half))
            for k in range(60):
                x, y = chance.uniform(-4, 4), 1 + 0.4 * k
                body = world.create_dynamic_body((c * x - s * y, s * x + c * y), chance.uniform(-3, 3))
                density = options.get("densities", 1.0) ** chance.uniform(0, 1)
                body.create_shape(b2.Box(chance.uniform(0.2, 0.45), chance.uniform(0.2, 0.45)), density=density)
            advance(world, round(20 / dt), dt, substeps)
            fastest.append(max(body.linear_velocity.length for body in world.bodies))
    # One heap in a hundred still has a box that trembles; three of six have one by chance in 1 of 10,000 cases
    assert sorted(fastest)[-3] < 5e-5 and max(fastest) < 0.5, fastest


def carried(what: str, speed: float, drag: float, can_sleep: bool) -> float:
    """The way in 20 s of a body that a stream, the wind or a damped force carries at less than the sleep threshold."""
    with b2.World(gravity=(0, -10 if what == "stream" else 0)) as world:
        body = world.create_dynamic_body((0, 0), can_sleep=can_sleep, linear_damping=drag * (what == "force"))
        body.create_shape(b2.Box(0.5, 0.2), density=600 if what == "stream" else 0.01)
        for _ in range(1200):
            if what == "stream":
                world.apply_buoyancy(b2.Box(50, 10), (0, -10), density=1000, drag=drag, flow=(speed, 0))
            elif what == "wind":
                world.apply_wind((speed, 0), drag=drag)
            else:
                body.apply_force((speed * drag * body.mass, 0), wake=False)
            world.step()
        return body.position.x


@pytest.mark.parametrize("what", ["stream", "wind", "force"])
@pytest.mark.parametrize("speed", [0.01, 0.03, 0.045, 0.06])
def test_what_a_slow_stream_or_force_carries_stays_awake(what: str, speed: float) -> None:
    """Streams of under 0.05 m/s carried a raft by 6 to 22 % of its way, then it slept."""
    for drag in (0.5, 2, 10):
        way = carried(what, speed, drag, can_sleep=False)
        assert way > 0.5 * 20 * speed
        assert carried(what, speed, drag, can_sleep=True) == pytest.approx(way, rel=0.01)


def test_what_floats_in_still_water_falls_asleep() -> None:
    for drag in (0.5, 2, 10):
        with b2.World() as world:
            raft = world.create_dynamic_body((0, 0.1), angle=0.1)
            raft.create_shape(b2.Box(0.5, 0.2), density=600)
            for _ in range(3600):
                world.apply_buoyancy(b2.Box(50, 10), (0, -10), density=1000, drag=drag)
                world.step()
            assert not raft.awake
