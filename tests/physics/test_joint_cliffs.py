"""Assemblies of joints behave alike from one size, load and length to the next: no choice of solver shows."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2

from ..seeds import draws
from ..sweeps import ALL, part

DT = 1 / 60
NOTHING = b2.Filter(mask=0)


def bridge(world: b2.World, planks: int, half: float = 0.5, load: float = 0.0, y: float = 0.0) -> list[b2.Joint]:
    """Planks in a straight line between two posts, and a weight of `load` times their mass hung on the middle."""
    span = 2 * half * planks
    last, joints = world.create_static_body((-1, y)), list[b2.Joint]()
    for k in range(planks):
        plank = world.create_dynamic_body(((2 * k + 1) * half, y))
        plank.create_shape(b2.Box(half, 0.16 * half), density=40, filter=NOTHING)
        joints.append(world.create_revolute_joint(last, plank, anchor=(2 * k * half, y)))
        last = plank
    joints.append(world.create_revolute_joint(last, world.create_static_body((span, y)), anchor=(span, y)))
    if load:
        middle = joints[planks // 2].body_b
        weight = world.create_dynamic_body((middle.position.x, y - half))
        weight.create_shape(b2.Circle(0.1 * half), filter=NOTHING)
        weight.mass = load * middle.mass
        world.create_revolute_joint(middle, weight, anchor=middle.position)
    return joints


def lowest_pin(joints: list[b2.Joint], half: float, y: float) -> float:
    planks = [joint.body_b for joint in joints[:-1]]
    return y - min(plank.position.y + side * half * math.sin(plank.angle) for plank in planks for side in (-1, 1))


def force(joints: list[b2.Joint]) -> float:
    return max(joint.constraint_force.length for joint in joints)


@pytest.mark.parametrize(
    ("half", "load", "gravity", "substeps"),
    [(0.5, 0, 10, 4), (0.5, 0, 10, 16), (0.5, 1, 10, 4), (0.5, 10, 10, 4), (0.5, 100, 10, 4), (5, 0, 10, 4),
     (0.5, 0, 1.6, 4)],
)  # fmt: skip
def test_bridges_of_2_to_40_planks_sag_alike(half: float, load: float, gravity: float, substeps: int) -> None:
    sizes = range(2, 41 if ALL else 21)
    with b2.World(gravity=(0, -gravity), sleeping=False) as world:
        heights = {planks: 20.0 * planks for planks in sizes}
        bridges = {planks: bridge(world, planks, half, load, heights[planks]) for planks in sizes}
        world.step(DT, substeps)
        first = {planks: force(joints) for planks, joints in bridges.items()}
        sags = [0.0] * len(sizes)
        for step in range(600):
            world.step(DT, substeps)
            if step >= 450 and step % 3 == 0:  # the mean: bridges of long planks still swing a little
                for k, planks in enumerate(sizes):
                    sags[k] += lowest_pin(bridges[planks], half, heights[planks]) / planks / 50
        for planks, joints in bridges.items():
            assert first[planks] <= 2 * force(joints), planks
            assert max(joint.linear_separation for joint in joints) < 5e-4 * half
        assert max(sags) < 0.02 * half
        for planks, (a, b) in zip(sizes, itertools.pairwise(sags), strict=False):
            assert abs(b - a) <= 0.2 * max(a, b), planks


def test_the_sag_of_a_bridge_does_not_depend_on_the_steps() -> None:
    sags = []
    for dt, substeps in ((1 / 30, 4), (1 / 60, 1), (1 / 60, 4), (1 / 60, 16), (1 / 240, 4)):
        with b2.World(gravity=(0, -10), sleeping=False) as world:
            joints = bridge(world, 10)
            for _ in range(round(6 / dt)):
                world.step(dt, substeps)
            sags.append(lowest_pin(joints, 0.5, 0.0))
    assert max(sags) < 1.02 * min(sags)


RATIOS = (1, 1.5, 2, 3, 5, 7, 10, 14, 15, 16, 20, 30, 33, 50, 70, 100)


def cantilever(world: b2.World, links: int, ratio: float, kind: str, y: float) -> b2.Body:
    """Links of 1 m, the last of `ratio` times the mass, held out by welds or by hinges whose limits are closed."""
    last: b2.Body = world.create_static_body((0, y))
    for k in range(links):
        body = world.create_dynamic_body((1 + k, y))
        if kind == "ball":  # small: the additional mass adds no inertia
            body.create_shape(b2.Circle(0.1), filter=NOTHING)
        else:
            body.create_shape(b2.Box(0.5, 0.1), filter=NOTHING)
        if k == links - 1:
            inertia = body.inertia
            body.mass *= ratio
            body.inertia = inertia * (1 if kind == "ball" else ratio)
        anchor = (0.5 + k, y)
        if kind == "limits":
            world.create_revolute_joint(last, body, anchor=anchor, lower_angle=0, upper_angle=0)
        else:
            world.create_weld_joint(last, body, anchor=anchor)
        last = body
    return last


@pytest.mark.parametrize("kind", ["ball", "planks", "limits"])
@pytest.mark.parametrize("upside_down", [False, True])
def test_what_welds_and_closed_limits_hold_out_stays_there(kind: str, upside_down: bool) -> None:
    with b2.World(gravity=(0, 10 if upside_down else -10), sleeping=False) as world:
        cases = list(itertools.product(range(1, 9), RATIOS))
        tips = [cantilever(world, links, ratio, kind, 3.0 * n) for n, (links, ratio) in enumerate(cases)]
        for _ in range(300):
            world.step(DT)
            for n, tip in enumerate(tips):
                assert abs(tip.position.y - 3.0 * n) < 1.5e-3, cases[n]


@pytest.mark.parametrize(("gravity", "substeps"), [(1, 1), (10, 4), (10, 1), (30, 4), (30, 1)])
def test_arms_whose_motors_can_bear_them_do_not_creep(gravity: float, substeps: int) -> None:
    with b2.World(gravity=(0, -gravity), sleeping=False) as world:
        arms = {}
        for n, case in enumerate(itertools.product((0.05, 0.2, 1, 5), (1, 2, 4), ((1.2, 0), (1e6, 0), (1e6, 1)))):
            size, links, (torque, speed) = case
            last, mass = world.create_static_body((0, 20 * n)), math.pi * (0.3 * size) ** 2
            for k in range(links):
                link = world.create_dynamic_body(((k + 1) * size, 20 * n))
                link.create_shape(b2.Circle(0.3 * size), filter=NOTHING)
                weight = mass * gravity * size * (links - k) * (links - k + 1) / 2
                motor = {"enable_motor": True, "motor_speed": 0 if k else speed, "max_motor_torque": torque * weight}
                world.create_revolute_joint(last, link, anchor=(k * size, 20 * n), **motor)
                last = link
            arms[case] = last
        for _ in range(60):
            world.step(DT, substeps)
        for case, tip in arms.items():
            assert abs(tip.angle - case[2][1]) < 0.01, case


def door_with_stones(
    size: float, place: float, width: float, stones: int, ratio: float, hertz: int, substeps: int, turn: float
) -> float:
    """How far a plank of 2 `size` on one hinge is pushed past its lower limit by stones that lie on it, rad."""
    c, s = math.cos(turn), math.sin(turn)

    def at(x: float, y: float) -> tuple[float, float]:
        return size * (c * x - s * y), size * (s * x + c * y)

    with b2.World(gravity=(10 * s, -10 * c), sleeping=False) as world:
        ground, plank = world.create_static_body(angle=turn), world.create_dynamic_body((0, 0), turn)
        plank.create_shape(b2.Box(size, 0.1 * size), friction=1)
        limits = {"lower_angle": 0.0, "upper_angle": width}
        world.create_revolute_joint(ground, plank, anchor=at(place, 0), enable_limit=True, **limits)
        for k in range(stones):
            stone = world.create_dynamic_body(at(0.88 - 0.21 * k, 0.2), turn)
            stone.create_shape(b2.Box(0.1 * size, 0.1 * size), friction=1)
            stone.mass = plank.mass * ratio / stones
        worst = 0.0
        for step in range(3 * hertz):
            world.step(1 / hertz, substeps)
            worst = max(worst, turn - plank.angle if step > hertz else 0.0)
        return worst


def test_stones_of_any_number_and_mass_push_no_limit() -> None:
    """One heavy stone made the plank direct, several of the same mass did not: they pushed it by up to 0.15 rad."""
    chance, cases = draws(21), []
    for _ in range(400):
        hertz, substeps = chance.choice(((30, 2), (30, 4), (60, 1), (60, 2), (60, 4), (60, 8), (120, 1), (240, 4)))
        place, width, turn = chance.uniform(-1, 0.2), chance.choice((0.05, 0.5, 3.0)), chance.choice((0.0, 1.0, 3.0))
        size, ratio = 10 ** chance.uniform(-0.6, 0.7), 10 ** chance.uniform(-0.7, 2.3)
        cases.append((size, place, width, chance.randint(1, 4), ratio, hertz, substeps, turn))
    for case in part(cases, 0.2):
        assert door_with_stones(*case) < 1e-3, case


def test_hanging_chains_stretch_alike() -> None:
    """Below the load from which they are solved directly, joints stretch by 0.07 mm for each mass that they carry."""
    with b2.World(sleeping=False) as world:
        chains = []
        for n, (links, ratio) in enumerate(itertools.product((1, 2, 3, 5, 10, 15, 16, 20), RATIOS)):
            last: b2.Body = world.create_static_body((5.0 * n, 0))
            joints = []
            for k in range(links):
                body = world.create_dynamic_body((5.0 * n, -0.5 - k))
                body.create_shape(b2.Box(0.1, 0.5), filter=NOTHING)
                body.mass *= ratio if k == links - 1 else 1
                joints.append(world.create_revolute_joint(last, body, anchor=(5.0 * n, -k)))
                last = body
            chains.append(joints)
        for _ in range(120):
            world.step(DT)
        assert max(joint.linear_separation for joints in chains for joint in joints) < 2.5e-4


def lattice(world: b2.World, columns: int, rows: int, held: str, joint: str, case: int) -> list[b2.Joint]:
    """A wall of boxes of one metre, joined in random order to their neighbours, and on one side to the ground."""
    ground = world.create_static_body()
    cells = {at: world.create_dynamic_body(at) for at in itertools.product(range(columns), range(rows))}
    for cell in cells.values():
        cell.create_shape(b2.Box(0.5, 0.5), filter=NOTHING)
    pairs = [(ground if (x if held == "left" else y) == 0 else None, cells[x, y], (x, y)) for x, y in cells]
    pairs += [(cells.get((x - 1, y)), cells[x, y], (x - 0.5, y)) for x, y in cells]
    pairs += [(cells.get((x, y - 1)), cells[x, y], (x, y - 0.5)) for x, y in cells]
    draws(case).shuffle(pairs)
    create = getattr(world, f"create_{joint}_joint")
    return [create(a, b, anchor=at) for a, b, at in pairs if a is not None]


@pytest.mark.parametrize("held", ["left", "bottom"])
@pytest.mark.parametrize("joint", ["weld", "revolute"])
def test_lattices_of_up_to_200_joints_do_not_sag(held: str, joint: str) -> None:
    sizes = [(2, 2), (4, 5), (5, 4), (8, 2), (12, 1), (12, 4), (8, 8), (10, 10), (13, 8), (8, 12), (25, 2), (16, 6)]
    for case, (columns, rows) in enumerate(part(sizes, 0.6)):
        with b2.World(gravity=(0, -10), sleeping=False) as world:
            joints = lattice(world, columns, rows, held, joint, case)
            before = [body.position for body in world.bodies]
            for _ in range(30):
                world.step(DT)
            assert world.counters.direct_joints == len(joints), (columns, rows)
            if joint == "weld" or held == "bottom":
                assert max((body.position - at).length for body, at in zip(world.bodies, before, strict=True)) < 2e-3


@pytest.mark.parametrize(
    ("gap", "push", "laden"),
    [(0.001, 3.0, True), (0.004, 3.0, True), (0.004, 1.0, True), (0.013, 3.0, True)]
    + [(gap, push, False) for gap in (0.001, 0.004, 0.013, 0.03, 0.06) for push in (1.0, 3.0)],
)
@pytest.mark.parametrize("planks", [4, 10, 20, 40])
def test_a_bridge_with_open_pins_closes_them_no_faster_than_overlaps_open(
    gap: float, push: float, planks: int, laden: bool
) -> None:
    """A saved bridge hangs with its pins `gap` open. To close them moves its planks, and stones that lie on them."""
    with b2.World(sleeping=False, contact_push_speed=push) as world:
        post, end = world.create_static_body(), 2.0 * planks
        sag = 0.03 * end
        top = [(x, -4 * sag * x * (end - x) / end**2) for x in (2.0 * k for k in range(planks + 1))]
        last, bodies, joints = post, list[b2.Body](), list[b2.Joint]()
        for k, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(top)):
            length = math.hypot(x1 - x0, y1 - y0) - gap
            plank = world.create_dynamic_body(((x0 + x1) / 2, (y0 + y1) / 2), angle=math.atan2(y1 - y0, x1 - x0))
            plank.create_shape(b2.Box(length / 2, 0.1), density=1.25, friction=0.6)
            place = (length / 2, 0) if k else (0, 0)
            joints.append(
                world.create_revolute_joint(last, plank, local_anchor_a=place, local_anchor_b=(-length / 2, 0))
            )
            last = plank
            bodies.append(plank)
        joints.append(world.create_revolute_joint(last, post, local_anchor_a=(length / 2, 0), local_anchor_b=(end, 0)))
        stones = []
        for plank in bodies[1:-1:2] if laden else []:
            stone = world.create_dynamic_body((plank.position.x, plank.position.y + 0.35))
            stone.create_shape(b2.Box(0.25, 0.2), density=0.5, friction=0.8)
            stones.append(stone)
        heights = [plank.position for plank in bodies]
        for _ in range(180 if push > 1 else 420):
            world.step(DT)
            moved = max(math.dist(a, b.position) for a, b in zip(heights, bodies, strict=True))
            # The planks fall as well, and stones between take up a part of the speed
            assert moved < DT * (push + 1.5) * (2 if laden else 1)
            heights = [plank.position for plank in bodies]
        assert all(stone.position.y > min(y for _, y in heights) - 0.5 for stone in stones)
        if 8 / 3 * sag**2 / end > gap * (planks + 1):  # the planks are long enough
            assert max(joint.linear_separation for joint in joints) < 1e-3


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 60, 1), (1 / 60, 8), (1 / 120, 4), (1 / 30, 4)])
@pytest.mark.parametrize("gap", [0.001, 0.002, 0.004])
def test_stones_of_any_mass_stay_on_a_bridge_whose_pins_close(dt: float, substeps: int, gap: float) -> None:
    """Planks that the joints lift are no impact. Stones of 0.2 to 0.7 and 1.5 to 5 masses of a plank fell through."""
    planks, ratios = 20, (0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.5, 7.0)
    span, sag = 2.0 * planks, 0.06 * planks
    with b2.World(sleeping=False) as world:
        stones = []
        for n, ratio in enumerate(ratios):
            y0 = 20.0 * n
            top = [(x, y0 - 4 * sag * x * (span - x) / span**2) for x in (2.0 * k for k in range(planks + 1))]
            post = last = world.create_static_body((0, y0))
            bodies, at = list[b2.Body](), (0.0, 0.0)
            for (x0, y), (x1, y1) in itertools.pairwise(top):
                length = math.dist((x0, y), (x1, y1)) - gap
                plank = world.create_dynamic_body(((x0 + x1) / 2, (y + y1) / 2), math.atan2(y1 - y, x1 - x0))
                plank.create_shape(b2.Box(length / 2, 0.1), friction=0.6)
                world.create_revolute_joint(last, plank, local_anchor_a=at, local_anchor_b=(-length / 2, 0))
                last, at = plank, (length / 2, 0)
                bodies.append(plank)
            world.create_revolute_joint(last, post, local_anchor_a=at, local_anchor_b=(span, 0))
            for plank in bodies[1:-1:2]:
                stone = world.create_dynamic_body(plank.world_point((0, 0.31)), plank.angle)
                stone.create_shape(b2.Box(0.25, 0.2), friction=0.8)
                stone.mass = ratio * plank.mass
                stones.append((ratio, plank, stone))
        for _ in range(round(1 / dt)):
            world.step(dt, substeps)
            for ratio, plank, stone in stones:
                assert plank.local_point(stone.position).y > 0.03, ratio  # 0.3 on the plank, 0 in the midst of it


def hanging_bridge(world: b2.World, planks: int, sag: float, y: float) -> tuple[list[b2.Joint], float]:
    """Planks of 1 m on a parabola whose middle hangs by `sag` of the span. Also the force on its pins by statics."""
    span = planks / (1 + 8 / 3 * sag**2)
    top = [(x, y - 4 * sag * x * (span - x) / span) for x in (span * k / planks for k in range(planks + 1))]
    last, joints, weight = world.create_static_body((0, y)), list[b2.Joint](), 0.0
    for (x0, y0), (x1, y1) in itertools.pairwise(top):
        plank = world.create_dynamic_body(((x0 + x1) / 2, (y0 + y1) / 2), angle=math.atan2(y1 - y0, x1 - x0))
        plank.create_shape(b2.Box(math.hypot(x1 - x0, y1 - y0) / 2, 0.08), density=40, filter=NOTHING)
        joints.append(world.create_revolute_joint(last, plank, anchor=(x0, y0)))
        last, weight = plank, weight + plank.mass * -world.gravity.y
    joints.append(world.create_revolute_joint(last, world.create_static_body((span, y)), anchor=(span, y)))
    return joints, weight / (8 * sag) * math.hypot(1, 4 * sag)


@pytest.mark.parametrize(
    ("dt", "substeps"), [(1 / 30, 2), (1 / 30, 4), (1 / 60, 1), (1 / 60, 2), (1 / 60, 4), (1 / 60, 8), (1 / 240, 4)]
)
def test_a_bridge_with_sag_has_the_force_of_statics_from_step_0_on(dt: float, substeps: int) -> None:
    """A straight one is released above where it rests, and its pull overshoots; one that hangs begins at rest."""
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        cases = [(planks, sag) for planks in (4, 5, 8, 15, 40) for sag in (0.01, 0.02, 0.05, 0.1)]
        bridges = [hanging_bridge(world, planks, sag, 30.0 * n) for n, (planks, sag) in enumerate(cases)]
        for step in range(round(3 / dt)):
            world.step(dt, substeps)
            for case, (joints, statics) in zip(cases, bridges, strict=True):
                assert force(joints) < 1.1 * statics, (case, step)
        for case, (joints, statics) in zip(cases, bridges, strict=True):
            assert force(joints) > 0.98 * statics, case


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 30, 2), (1 / 30, 4), (1 / 60, 1), (1 / 60, 2), (1 / 120, 4)])
@pytest.mark.parametrize("load", [0, 10])
def test_a_straight_bridge_that_is_released_pulls_as_physics_says(dt: float, substeps: int, load: float) -> None:
    """Its tension grows with the square of its sag s, so its springs carry s^3: without damping it swings to 4^(1/3) of
    the sag of rest and pulls with 4^(2/3) = 2.52 times the force of rest."""
    sizes = (2, 3, 4, 5, 6, 9, 14, 20, 40)
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        bridges = [bridge(world, planks, load=load, y=20.0 * planks) for planks in sizes]
        most = [0.0] * len(sizes)
        for _ in range(round(6 / dt)):
            world.step(dt, substeps)
            most = [max(a, force(joints)) for a, joints in zip(most, bridges, strict=True)]
        for planks, peak, joints in zip(sizes, most, bridges, strict=True):
            assert peak < 2.52 * force(joints), planks
