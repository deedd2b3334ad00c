"""Long assemblies of joints with default options: they stay rigid, come to rest and keep their energy."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2
from tests.sweeps import part

NOTHING = b2.Filter(mask=0)


def test_a_cantilever_of_sixteen_welded_planks_does_not_sag() -> None:
    # Iterated welds of 60 Hz let it sag by 13 m, before it swings back.
    with b2.World(sleeping=False) as world:
        last = world.create_static_body()
        for k in range(16):
            plank = world.create_dynamic_body((0.5 + k, 0))
            plank.create_shape(b2.Box(0.5, 0.1), filter=NOTHING)
            world.create_weld_joint(last, plank, anchor=(k, 0))
            last = plank
        for _ in range(300):
            world.step()
            assert abs(last.position.y) < 1e-4


def test_a_chain_of_a_hundred_links_comes_to_rest() -> None:
    with b2.World(sleeping=False) as world:
        last, links = world.create_static_body(), []
        for k in range(100):
            link = world.create_dynamic_body((0.1 + 0.2 * k, 0), linear_damping=0.5)
            link.create_shape(b2.Capsule((-0.1, 0), (0.1, 0), 0.03), density=20, filter=NOTHING)
            world.create_revolute_joint(last, link, anchor=(0.2 * k, 0))
            links.append(link)
            last = link
        for _ in range(3600):
            world.step()
        assert max(link.linear_velocity.length for link in links) < 0.01
        assert max(joint.linear_separation for joint in world.joints) < 1e-5
        assert links[-1].position.y == pytest.approx(-19.9, abs=0.01)


def test_a_bridge_of_160_planks_holds_together() -> None:
    with b2.World(sleeping=False) as world:
        shore = world.create_static_body()
        last = shore
        for k in range(160):
            plank = world.create_dynamic_body((0.5 + k, 0), angular_damping=0.1)
            plank.create_shape(b2.Box(0.5, 0.125), density=20)
            world.create_revolute_joint(last, plank, anchor=(k, 0))
            last = plank
        world.create_revolute_joint(last, shore, anchor=(160, 0))
        for step in range(900):
            world.step()
            if step % 10 == 0:
                assert max(joint.linear_separation for joint in world.joints) < 2e-3


@pytest.mark.parametrize(("planks", "ratio", "drop"), [(20, 1000, 1.0), (20, 100, 1.0), (10, 100, 0.0)])
def test_a_heavy_ball_on_a_bridge_does_not_part_the_pins(planks: int, ratio: float, drop: float) -> None:
    # When contacts had the last word in a substep, the pins parted by 297, 141 and 80 mm.
    with b2.World(gravity=(0, -10)) as world:
        shore = world.create_static_body()
        last = shore
        for k in range(planks):
            plank = world.create_dynamic_body((0.5 + k, 0))
            plank.create_shape(b2.Box(0.5, 0.125), density=20)
            world.create_revolute_joint(last, plank, anchor=(k, 0))
            last = plank
        world.create_revolute_joint(last, shore, anchor=(planks, 0))
        ball = world.create_dynamic_body((planks / 2, 1.125 + drop))
        ball.create_shape(b2.Circle(1.0), density=20 * 0.25 * ratio / math.pi)
        for step in range(600):
            world.step()
            if step % 5 == 0:
                assert max(joint.linear_separation for joint in world.joints) < 1.3e-3
        assert ball.position.y > -2.5  # a bridge stretched by its pins or a ball that has passed it hangs lower


@pytest.mark.parametrize("stages", [4, 8, 20])
def test_a_scissor_lift_carries_its_platform(stages: int) -> None:
    with b2.World(sleeping=False) as world:
        floor = world.create_static_body()
        last: tuple[b2.Body, b2.Body] = (floor, floor)
        for k in range(stages):
            arms = []
            for tilt in (1, -1):
                arm = world.create_dynamic_body((0, 0.5 + k), angle=tilt * math.atan2(0.5, 1))
                arm.create_shape(b2.Box(math.hypot(0.5, 1), 0.03), density=10, filter=NOTHING)
                arms.append(arm)
            world.create_revolute_joint(arms[0], arms[1], anchor=(0, 0.5 + k))
            world.create_revolute_joint(last[1], arms[0], anchor=(-1, k))
            world.create_revolute_joint(last[0], arms[1], anchor=(1, k))
            last = arms[0], arms[1]
        platform = world.create_dynamic_body((0, stages + 0.1))
        platform.create_shape(b2.Box(1.2, 0.1), density=10, filter=NOTHING)
        world.create_revolute_joint(platform, last[1], anchor=(-1, stages))
        world.create_distance_joint(platform, last[0], local_anchor_a=(1, 0), local_anchor_b=(math.hypot(0.5, 1), 0))
        for _ in range(300):
            world.step()
            assert max(joint.linear_separation for joint in world.joints) < 1e-3
            assert platform.position.y == pytest.approx(stages + 0.1, abs=0.01)


def test_masses_that_grow_gradually_along_a_chain_are_held() -> None:
    # Each joint is between masses of 5 : 1, and the uppermost carries 3906 times its link.
    with b2.World(sleeping=False) as world:
        last = world.create_static_body()
        for k in range(6):
            link = world.create_dynamic_body((0, -0.25 - 0.5 * k))
            link.create_shape(b2.Box(0.05, 0.25), filter=NOTHING)
            link.mass = 5.0**k
            world.create_revolute_joint(last, link, anchor=(0, -0.5 * k), enable_motor=True, max_motor_torque=0.01)
            last = link
        last.linear_velocity = (5, 0)
        for _ in range(600):
            world.step()
            assert max(joint.linear_separation for joint in world.joints) < 1e-3


def energy_kept(kind: str, degrees: float, bodies: int, seconds: int) -> float:
    """The share of the energy above the lowest position that a pendulum of arms of 1 m has in the last second."""
    with b2.World(sleeping=False) as world:
        last, weights = world.create_static_body(), []
        x, y = math.sin(math.radians(degrees)), -math.cos(math.radians(degrees))
        for k in range(bodies):
            away = k + 0.5 if kind == "rods" else k + 1.0
            body = world.create_dynamic_body((away * x, away * y), angle=math.atan2(y, x))
            body.create_shape(b2.Box(0.5, 0.05) if kind == "rods" else b2.Circle(0.1), filter=NOTHING)
            if kind == "ropes":
                world.create_distance_joint(last, body, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
            else:
                world.create_revolute_joint(last, body, anchor=(k * x, k * y))
            weights.append((body, -away))
            last = body

        def energy() -> float:
            return sum(
                0.5 * body.mass * body.linear_velocity.length_squared
                + 0.5 * body.inertia * body.angular_velocity**2
                + 10 * body.mass * (body.position.y - lowest)
                for body, lowest in weights
            )

        start, total = energy(), 0.0
        for step in range(60 * seconds):
            world.step()
            if step >= 60 * (seconds - 1):
                total += energy() / 60
        return total / start


@pytest.mark.parametrize("kind", ["rods", "weights", "ropes"])
@pytest.mark.parametrize("degrees", [90, 150])
def test_a_double_pendulum_keeps_its_energy(kind: str, degrees: float) -> None:
    assert energy_kept(kind, degrees, 2, 10) == pytest.approx(1.0, abs=0.01)


def test_a_double_pendulum_keeps_its_energy_for_a_minute() -> None:
    assert energy_kept("weights", 150, 2, 60) == pytest.approx(1.0, abs=0.01)


def test_pendulums_of_one_and_three_bodies_keep_their_energy() -> None:
    assert energy_kept("rods", 90, 1, 10) == pytest.approx(1.0, abs=0.01)
    assert energy_kept("rods", 150, 3, 10) == pytest.approx(1.0, abs=0.01)


FAR = {"lower_angle": -99999, "upper_angle": 99999}  # rad: a limit that is never reached
STRENGTHLESS = {"motor_speed": 0, "max_motor_torque": 0}
TREES = ("hinges", "limits", "motor", "weld", "prismatic", "groove", "wheel")


def arms(world: b2.World, kind: str, masses: list[float], at: float) -> list[b2.Body]:
    """Arms of 1 m in a row that starts level, fixed at one end or on a cart of 1 kg."""
    ground = last = world.create_static_body((at, 0))
    pin = b2.Vec2(at, 0)
    bodies = []
    if kind in ("prismatic", "groove", "wheel"):
        last = world.create_dynamic_body(pin)
        last.create_shape(b2.Circle(0.2), filter=NOTHING)
        last.mass = 1
        bodies.append(last)
        if kind == "prismatic":
            world.create_prismatic_joint(ground, last, anchor=pin, axis=(1, 0))
        elif kind == "groove":
            world.create_groove_joint(ground, last, groove_start=(-9, 0), groove_end=(9, 0))
        else:
            world.create_wheel_joint(ground, last, anchor=pin, axis=(1, 0), enable_spring=False)
    options = {"limits": FAR, "motor": STRENGTHLESS}.get(kind, {})
    for k, mass in enumerate(masses):
        body = world.create_dynamic_body((at + k + 0.5, 0))
        body.create_shape(b2.Capsule((-0.4, 0), (0.4, 0), 0.1), filter=NOTHING)
        body.mass = mass
        if kind == "weld" and k > 0 and k == len(masses) - 1:
            world.create_weld_joint(last, body, anchor=(at + k, 0))
        else:
            world.create_revolute_joint(last, body, anchor=(at + k, 0), **options)
        bodies.append(body)
        last = body
    return bodies


STEPS = [(1 / 60, 4), (1 / 60, 1), (1 / 60, 8), (1 / 30, 4), (1 / 240, 4)]


@pytest.mark.parametrize(("dt", "substeps"), part(STEPS, 0.5))
def test_no_small_tree_gains_energy(dt: float, substeps: int) -> None:
    """Trees of up to four bodies with any joint that is no pure hinge counted with the rotation of the start of the
    step: what swings on a cart gained 0.76 of its fall in half a minute, arms with limits that nothing reached 0.34."""
    cases = list(itertools.product(TREES, [[1.0] * n + [tip] for n in (0, 1, 2) for tip in (0.1, 0.3, 1.0, 3.0)]))
    cases += itertools.product(TREES[-3:], [[mass] * n for n in (1, 2, 3) for mass in (10.0, 40.0, 100.0)])
    with b2.World(sleeping=False) as world:
        trees = [arms(world, kind, masses, 10.0 * k) for k, (kind, masses) in enumerate(cases)]

        def energies() -> list[float]:
            return [sum(b.kinetic_energy + 10 * b.mass * b.world_center.y for b in bodies) for bodies in trees]

        start = energies()
        falls = [
            sum(10 * b.mass * (b.world_center.x - 10.0 * k) for b in bodies) for k, bodies in enumerate(trees)
        ]  # energy of the way from level to the lowest place
        for _ in range(60):
            for _ in range(round(0.5 / dt)):
                world.step(dt, substeps)
            for case, now, before, fall in zip(cases, energies(), start, falls, strict=True):
                assert now - before < 0.05 * fall, case


@pytest.mark.parametrize("bodies", [2, 3, 4])
def test_limits_that_nothing_reaches_change_no_bit(bodies: int) -> None:
    with b2.World(sleeping=False) as world:
        pairs = []
        for k, ratio in enumerate((0.1, 0.3, 1.0, 3.0, 10.0)):
            masses = [1.0] * (bodies - 1) + [ratio]
            pairs.append([arms(world, kind, masses, 20.0 * k)[-1] for kind in ("hinges", "limits")])
        for _ in range(600):
            world.step()
            assert all(a.position == b.position and a.rotation == b.rotation for a, b in pairs)


def test_gears_pulleys_and_soft_welds_are_solved_directly() -> None:
    with b2.World(sleeping=False, joint_solver="direct") as world:
        wall = world.create_static_body()

        def body(x: float, y: float, mass: float) -> b2.Body:
            made = world.create_dynamic_body((x, y))
            made.create_shape(b2.Circle(0.2), filter=NOTHING)
            made.mass = mass
            return made

        wheels = [body(0, 0, 1.0), body(1, 0, 300.0)]
        hinges = [world.create_revolute_joint(wall, wheel, anchor=wheel.position) for wheel in wheels]
        world.create_gear_joint(*hinges, ratio=2.0)
        weights = [body(4, -2, 1.0), body(6, -2, 3.0)]
        pulley = world.create_pulley_joint(
            *weights, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=(4, 0), ground_anchor_b=(6, 0)
        )
        arm = body(8, 0, 2.0)
        weld = world.create_weld_joint(wall, arm, anchor=(8, 0), linear_hertz=2.0, linear_damping_ratio=1.0)
        wheels[1].angular_velocity = 3.0
        start = pulley.length_a + pulley.length_b
        for step in range(600):
            world.step()
            if step == 29:  # an Atwood machine: half the weight of the difference
                assert weights[0].linear_velocity.y == pytest.approx(10 * 2 / 4 * 0.5, rel=0.01)
                assert pulley.length_a + pulley.length_b == pytest.approx(start, abs=1e-4)
                weights[0].linear_velocity = weights[1].linear_velocity = (0, 0)
                pulley.destroy()
        assert world.counters.direct_joints == 4
        assert wheels[0].angular_velocity == pytest.approx(-2 * wheels[1].angular_velocity, rel=1e-4)
        assert hinges[0].angle + 2 * hinges[1].angle == pytest.approx(0, abs=1e-3)
        assert arm.position.y == pytest.approx(-10 / (2 * math.tau) ** 2, rel=2e-3)
        assert weld.linear_separation == pytest.approx(-arm.position.y, rel=1e-3)


def slider_error(speed: float, dt: float, substeps: int, crank: float, rod: float, turn: float) -> float:
    """A crank turned by a motor drives a slider: how far the slider is at most from where the crank's angle puts it."""
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        base = world.create_static_body()
        axis = b2.Vec2(math.cos(turn), math.sin(turn))
        wheel = world.create_dynamic_body(angle=turn, allow_fast_rotation=True, angular_velocity=speed)
        wheel.create_shape(b2.Circle(crank), density=5)
        link = world.create_dynamic_body(axis * (crank + rod / 2), angle=turn)
        link.create_shape(b2.Box(rod / 2, 0.02), density=5)
        slider = world.create_dynamic_body(axis * (crank + rod), angle=turn)
        slider.create_shape(b2.Box(0.05, 0.05), density=5)
        hinge = world.create_revolute_joint(base, wheel, anchor=(0, 0), motor_speed=speed, max_motor_torque=1e6)
        world.create_revolute_joint(wheel, link, anchor=axis * crank)
        world.create_revolute_joint(link, slider, anchor=axis * (crank + rod))
        world.create_prismatic_joint(base, slider, anchor=axis * (crank + rod), axis=axis)
        worst = 0.0
        for k in range(int(0.6 / dt)):
            world.step(dt, substeps)
            if k * dt < 0.1:
                continue  # the link and the slider start from rest
            angle = hinge.angle
            wanted = crank * math.cos(angle) + math.sqrt(rod * rod - (crank * math.sin(angle)) ** 2)
            worst = max(worst, abs(slider.position.x * axis.x + slider.position.y * axis.y - wanted))
        return worst


@pytest.mark.parametrize(("crank", "rod", "turn"), [(0.2, 0.8, 0.0), (0.5, 1.5, 0.6), (0.1, 0.3, 2.0)])
@pytest.mark.parametrize("substeps", [4, 8, 16])
def test_a_fast_slider_crank_is_where_the_crank_puts_it(crank: float, rod: float, turn: float, substeps: int) -> None:
    """27 mm at 60 rad/s and steps of 1/60 s became 2.7 with the rotation of the step before, 0.005 with its own."""
    for dt in (1 / 240, 1 / 120, 1 / 60):
        for speed in (6, 20, 60, -60):
            error = slider_error(speed, dt, substeps, crank, rod, turn)
            assert error < crank * 2e-4, (dt, speed, error / crank)


def four_bar(world: b2.World, bars: tuple[float, float, float, float], at: float, speed: float) -> list[b2.Body]:
    """A crank, a coupler and a rocker between two pins that are `bars[3]` apart. The crank turns at `speed`."""
    crank, coupler, rocker, base = bars
    a, end = (crank * math.cos(1), crank * math.sin(1)), (base, 0.0)
    diagonal, slope = math.dist(a, end), math.atan2(end[1] - a[1], end[0] - a[0])
    slope += math.acos((coupler**2 + diagonal**2 - rocker**2) / (2 * coupler * diagonal))
    pins = [(0.0, 0.0), a, (a[0] + coupler * math.cos(slope), a[1] + coupler * math.sin(slope)), end]
    ground = world.create_static_body()
    chain = [ground]
    for (x0, y0), (x1, y1) in itertools.pairwise(pins):
        body = world.create_dynamic_body(
            (at + (x0 + x1) / 2, (y0 + y1) / 2), math.atan2(y1 - y0, x1 - x0), allow_fast_rotation=True
        )
        body.create_shape(b2.Box(math.dist((x0, y0), (x1, y1)) / 2, 0.05), filter=b2.Filter(mask=0))
        chain.append(body)
    for (x, y), (last, body) in zip(pins, itertools.pairwise([*chain, ground]), strict=True):
        world.create_revolute_joint(last, body, anchor=(at + x, y))
    chain[1].angular_velocity, chain[1].linear_velocity = speed, (-speed * a[1] / 2, speed * a[0] / 2)
    return chain[1:]


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 120, 4), (1 / 60, 8), (1 / 30, 4)])
def test_a_linkage_keeps_its_energy(dt: float, substeps: int) -> None:
    """With the rotation of the step before it gained up to 37 % in 10 s."""
    cases = [
        (bars, speed) for bars in ((0.3, 1, 0.8, 0.9), (1, 1, 1, 1.2), (0.5, 2, 1.5, 1.4)) for speed in (1, 3, 10, 20)
    ]
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        linkages = [four_bar(world, bars, 5.0 * k, speed) for k, (bars, speed) in enumerate(cases)]

        def energies() -> list[float]:
            return [
                sum(b.mass * b.linear_velocity.length**2 + b.inertia * b.angular_velocity**2 for b in bodies)
                for bodies in linkages
            ]

        world.step(dt, substeps)
        start = energies()
        for _ in range(round(10 / dt)):
            world.step(dt, substeps)
            for case, now, before in zip(cases, energies(), start, strict=True):
                assert -0.03 < now / before - 1 < 0.01, case


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 30, 4), (1 / 60, 2), (1 / 60, 4), (1 / 60, 8), (1 / 240, 4)])
def test_no_bridge_throws_a_ball_higher_than_it_fell(dt: float, substeps: int) -> None:
    """Bridges of 2 and 4 planks threw balls of 20 to 100 masses to up to ten times the height. Left: 100 masses in
    steps of 1/30 s, which rise up to 0.66 m beyond."""
    cases = list(itertools.product(range(2, 9), (4.5, 7.0, 10.0, 20.0, 50.0, 100.0), (0.3, 1.0, 2.0)))
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        balls = []
        for k, (planks, ratio, drop) in enumerate(cases):
            x0, span = 12.0 * k, planks / (1 + 8 / 3 * 0.03**2)
            top = [(x0 + x, -0.12 * x * (span - x) / span) for x in (span * n / planks for n in range(planks + 1))]
            post = last = world.create_static_body()
            bodies = []
            for (x, y), (x1, y1) in itertools.pairwise(top):
                plank = world.create_dynamic_body(((x + x1) / 2, (y + y1) / 2), math.atan2(y1 - y, x1 - x))
                plank.create_shape(b2.Box(math.dist((x, y), (x1, y1)) / 2, 0.08), density=20)
                world.create_revolute_joint(last, plank, anchor=(x, y))
                last = plank
                bodies.append(plank)
            world.create_revolute_joint(last, post, anchor=top[-1])
            middle = bodies[planks // 2]
            ball = world.create_dynamic_body((middle.position.x, middle.position.y + 0.38 + drop))
            ball.create_shape(b2.Circle(0.3))
            ball.mass = ratio * middle.mass
            balls.append((ball, ball.position.y))
        for _ in range(round(2.5 / dt)):
            world.step(dt, substeps)
            for case, (ball, start) in zip(cases, balls, strict=True):
                assert ball.position.y < start + (1.0 if dt > 1 / 60 and case[1] == 100 else 0.01), case
