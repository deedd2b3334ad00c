"""Joints of presses (csrc/solver/press_parts.h): one that does next to nothing changes nothing, springs carry what
Hooke's law says, whatever the mass ratio and the number of substeps, and ropes stay as long as they are."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance
from ..sweeps import ALL, part

DT = 1 / 60
TIES = ("mouse", "motor", "mover", "rotary spring", "ratchet", "pogo")


def scene() -> tuple[b2.World, b2.Body]:
    world = b2.World(gravity=(0, -10), sleeping=False)
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(100, 1), friction=0.7)
    return world, ground


def box(world: b2.World, x: float, y: float, half_x: float, half_y: float, mass: float) -> b2.Body:
    body = world.create_dynamic_body((x, y))
    body.create_shape(b2.Box(half_x, half_y), density=mass / (4 * half_x * half_y), friction=0.7)
    return body


def tie_to(kind: str, ground: b2.Body, body: b2.Body) -> None:
    """A joint that no direct solver takes, of next to no force."""
    world = body.world
    if kind == "mouse":
        b2.MouseDrag(world, body.position, max_force=1e-3)
    elif kind == "motor":
        world.create_motor_joint(ground, body, anchor=body.position, max_velocity_force=1e-6, collide_connected=True)
    elif kind == "mover":
        world.create_mover_joint(ground, body, max_velocity_force=(1e-6, 0), collide_connected=True)
    elif kind == "rotary spring":
        world.create_rotary_spring_joint(ground, body, hertz=1e-3, collide_connected=True)
    elif kind == "ratchet":
        world.create_ratchet_joint(ground, body, ratchet=1.0, collide_connected=True)
    else:
        world.create_pogo_joint(
            ground, body, anchor=body.position, normal=(0, 1), stiffness=1e-6, collide_connected=True
        )


@pytest.mark.parametrize("kind", TIES)
def test_a_joint_of_next_to_no_force_lets_no_heavy_box_sink(kind: str) -> None:
    """A heavy box that was grabbed with 1 mN sank by 1.5 m."""
    worst = {}
    for ratio, count, on_top in itertools.product((20, 100, 400), (1, 3), (False, True)):
        world, ground = scene()
        light = [box(world, 0, 0.5 + k, 0.5, 0.5, 1) for k in range(count)]
        heavy = box(world, 0, count + 0.5, 0.5, 0.5, ratio)
        advance(world, 60, DT, 4)
        tie_to(kind, ground, heavy if on_top else light[0])
        sunk = 0.0
        for _ in range(240):
            world.step(DT, 4)
            sunk = max(sunk, abs(count + 0.5 - heavy.position.y))
        worst[ratio, count, on_top] = sunk
        world.close()
    assert max(worst.values()) < 0.006, worst


def table(world: b2.World, height: float, ratio: float) -> b2.Body:
    top = box(world, 0, height + 1.1, 1.2, 0.1, 0.2 * ratio)
    for x in (-1, 1):
        world.create_weld_joint(top, box(world, x, height + 0.5, 0.1, 0.5, 0.2), anchor=(x, height + 1))
    return top


@pytest.mark.parametrize("kind", TIES)
def test_a_joint_of_next_to_no_force_throws_no_table(kind: str) -> None:
    """A table of 300 : 1 at rest rose by 1.5 m, and one that fell from 1 m by 2.5 m."""
    for ratio, height in itertools.product((6, 20, 60, 300), (0.0, 1.0, 5.0)):
        world, ground = scene()
        top = table(world, height, ratio)
        tie_to(kind, ground, top)
        fall, fastest = math.sqrt(2 * height / 10), 0.0
        for k in range(round((fall + 1.5) / DT)):
            world.step(DT, 4)
            if k * DT > fall:
                fastest = max(fastest, top.linear_velocity.y)
        world.close()
        assert fastest**2 / 20 < 0.003 * max(height, 0.1), (ratio, height)


SPRINGS = ("wheel", "prismatic", "weld", "distance")


def sag(kind: str, ratio: float, hertz: float, substeps: int) -> float:
    """The force of the springs under a heavy body by its compression, over the weight that it carries."""
    world, ground = scene()
    body = box(world, 0, 1.2, 1, 0.1, 1)
    stiffness = (2 * math.pi * hertz) ** 2 / 8
    spring: dict[str, Any] = {"stiffness": stiffness, "damping": 0.2 * math.sqrt(stiffness)}
    feet = [box(world, x, 0.1, 0.2, 0.1, 1 / ratio) for x in (-0.7, 0.7)]
    if kind == "distance":
        world.create_prismatic_joint(ground, body, anchor=(0, 0), axis=(0, 1))
    for foot in feet:
        x, y = foot.position
        if kind == "wheel":
            world.create_wheel_joint(body, foot, anchor=(x, y), axis=(0, 1), **spring)
        elif kind == "prismatic":
            world.create_prismatic_joint(body, foot, anchor=(x, y), axis=(0, 1), **spring)
        elif kind == "weld":
            linear: dict[str, Any] = {"linear_" + name: value for name, value in spring.items()}
            world.create_weld_joint(body, foot, anchor=(x, 0.7), **linear)
        else:
            world.create_distance_joint(body, foot, local_anchor_a=(x, 0), local_anchor_b=(0, 0), **spring)
    advance(world, 900, DT, substeps)
    height = body.position.y - sum(foot.position.y for foot in feet) / 2
    world.close()
    return stiffness * (1.1 - height) / 5


@pytest.mark.parametrize("kind", SPRINGS)
def test_springs_under_a_heavy_body_carry_its_weight_by_hookes_law(kind: str) -> None:
    """The wheels of a cart of 200 : 1 were pressed in by 5.7 times what the stiffness says."""
    found = {case: sag(kind, *case) for case in itertools.product((4, 8, 8.5, 20, 100, 200), (4.0, 8.0), (1, 2, 4))}
    assert max(abs(share - 1) for share in found.values()) < 0.01, found


def trailing_arm(ratio: float, stiffness: float, substeps: int) -> float:
    """The torque of the springs that hold arms with wheels under a heavy body, over that of statics."""
    world, _ = scene()
    body = box(world, 0, 0.8, 1, 0.1, 1)
    arms = []
    for x in (-1, 1):
        arm = world.create_dynamic_body((1.5 * x, 0.3))
        arm.create_shape(b2.Circle(0.1), friction=0)
        arm.mass = 1 / ratio
        world.create_revolute_joint(body, arm, anchor=(0.8 * x, 0.8))
        world.create_rotary_spring_joint(body, arm, stiffness=stiffness, damping=0.1 * stiffness)
        arms.append(arm)
    advance(world, 600, DT, substeps)
    torque, lever = stiffness * abs(arms[1].angle - body.angle), arms[1].position.x - body.position.x - 0.8
    world.close()
    return torque / (5 * lever)


def test_a_rotary_spring_under_a_heavy_body_carries_its_weight_by_hookes_law() -> None:
    found = {case: trailing_arm(*case) for case in itertools.product((10, 30, 100), (10.0, 40.0), (1, 2, 4))}
    assert max(abs(share - 1) for share in found.values()) < 0.02, found


def sink_into_a_held_plank(joints: str, ratio: float, substeps: int) -> float:
    """How deep a box sinks into a plank of 6 cm that joints hold to something fixed, in m."""
    world, ground = scene()
    plank = box(world, 0, 3, 0.15, 0.03, 0.018)
    if joints == "weld":
        world.create_weld_joint(ground, plank, anchor=(0, 3))
    else:
        for x in (-0.15, 0.15):
            world.create_revolute_joint(ground, plank, anchor=(x, 3))
    load = box(world, 0, 3.105, 0.075, 0.075, 0.018 * ratio)
    advance(world, 240, DT, substeps)
    depth = plank.position.y + 0.105 - load.position.y
    world.close()
    return depth


@pytest.mark.parametrize("joints", ["weld", "two hinges"])
def test_a_heavy_box_does_not_sink_into_a_plank_that_is_held(joints: str) -> None:
    """Boxes of 100 to 300 masses fell through, with one substep from 10 masses on."""
    found = {
        case: sink_into_a_held_plank(joints, *case) for case in itertools.product((5, 6, 10, 30, 100, 300), (1, 2, 4))
    }
    assert max(abs(depth) for depth in found.values()) < 0.002, found


def bridge(world: b2.World, planks: int) -> tuple[float, float]:
    """Where a stone lands on a slack bridge of planks of 0.16 kg."""
    post = last = world.create_static_body()
    span = planks / (1 + 8 / 3 * 0.03**2)
    points = [(x - span / 2, -0.12 * x * (span - x) / span) for x in (span * k / planks for k in range(planks + 1))]
    for (x, y), (to_x, to_y) in itertools.pairwise(points):
        plank = world.create_dynamic_body(((x + to_x) / 2, (y + to_y) / 2), math.atan2(to_y - y, to_x - x))
        plank.create_shape(b2.Box(math.dist((x, y), (to_x, to_y)) / 2, 0.08))
        world.create_revolute_joint(last, plank, anchor=(x, y))
        last = plank
    world.create_revolute_joint(last, post, anchor=points[-1])
    return points[planks // 2]


def cantilever(world: b2.World, planks: int) -> tuple[float, float]:
    last = world.create_static_body()
    for k in range(planks):
        plank = box(world, k + 0.5, 0, 0.5, 0.08, 0.16)
        world.create_weld_joint(last, plank, anchor=(k, 0))
        last = plank
    return planks - 0.6, 0.0


def trapdoor(world: b2.World, planks: int) -> tuple[float, float]:
    door, wall = box(world, 0.5, 0, 0.5, 0.08, 0.16), world.create_static_body()
    world.create_revolute_joint(wall, door, anchor=(0, 0), enable_limit=True, lower_angle=0.0, upper_angle=1.5)
    return 0.5 + 0.1 * planks, 0.0


def shelf(world: b2.World, planks: int) -> tuple[float, float]:
    """A plank that hangs on two chains."""
    plank, ground = box(world, 0, 0, 2, 0.08, 0.64), world.create_static_body()
    for x in (-1.8, 1.8):
        last = ground
        for k in range(planks):
            link = box(world, x, 3 - (k + 0.5) * 3 / planks, 0.04, 1.5 / planks, 0.24 / planks)
            link.shapes[0].filter = b2.Filter(mask=0)
            world.create_revolute_joint(last, link, anchor=(x, 3 - k * 3 / planks))
            last = link
        world.create_revolute_joint(last, plank, anchor=(x, 0))
    return 0.1, 0.0


HELD = {"bridge": bridge, "cantilever": cantilever, "trapdoor": trapdoor, "shelf": shelf}
RETURNED = {"bridge": 0.2, "cantilever": 0.3, "trapdoor": 0.02, "shelf": 0.06}  # of the height, at most


def thrown_back(kind: str, planks: int, ratio: float, substeps: int) -> float:
    """The fastest motion upwards of a stone of so many planks that fell 1 m, as a share of the height; inf: it fell
    through."""
    world = b2.World(gravity=(0, -10), sleeping=False)
    x, y = HELD[kind](world, planks)
    advance(world, 18, DT, substeps)
    stone = world.create_dynamic_body((x, y + 1.38))
    stone.create_shape(b2.Circle(0.3), density=0.16 * ratio / (math.pi * 0.09))
    fastest = 0.0
    for _ in range(80):
        world.step(DT, substeps)
        fastest = max(fastest, stone.linear_velocity.y)
    fell = kind != "trapdoor" and stone.position.y < y - 1
    world.close()
    return math.inf if fell else fastest**2 / 20


@pytest.mark.parametrize("kind", HELD)
def test_a_heavy_stone_on_a_held_machine_is_stopped(kind: str) -> None:
    """Bridges returned the whole fall of a stone of 100 planks, and let one of 300 through."""
    found = {
        case: thrown_back(kind, *case) for case in itertools.product((3, 4, 8, 16), (5, 8, 20, 50, 100, 300), (2, 4))
    }
    assert max(found.values()) < RETURNED[kind], found


def rope_bridge(
    world: b2.World, planks: int, rope: float, load: float, drop: float, y: float = 0.0
) -> tuple[list[b2.Joint], list[b2.Body]]:
    """Planks of 1 m and 1 kg between two posts, joined by ropes, and a box of `load` kg that falls on the middle."""
    ends, pitch = world.create_static_body((0, y)), 1 + rope
    last, last_anchor, ropes, bodies = ends, (0.0, 0.0), list[b2.Joint](), list[b2.Body]()
    for k in range(planks + 1):
        if k < planks:
            body = world.create_dynamic_body((rope + 0.5 + k * pitch, y))
            body.create_shape(b2.Box(0.5, 0.1), filter=b2.Filter(group=-1))
            body.mass, anchor = 1, (-0.5, 0.0)
            bodies.append(body)
        else:
            body, anchor = ends, (planks * pitch + rope, 0.0)
        ropes.append(
            world.create_rope_joint(
                last, body, max_length=1.01 * rope, local_anchor_a=last_anchor, local_anchor_b=anchor
            )
        )
        last, last_anchor = body, (0.5, 0.0)
    box(world, planks * pitch / 2, y + 0.5 + drop, 0.4, 0.4, load)
    return ropes, bodies


def test_ropes_of_a_bridge_under_a_box_stay_as_long_as_they_are() -> None:
    """In one of six cases ropes tore by 0.1 to 1.7 m for good, under a box that bounced in them at 2 to 5 m/s."""
    draw, cases = draws(38), list[tuple[int, float, float, float, tuple[int, int]]]()
    steps = [(60, 1), (60, 2), (60, 4), (60, 8), (30, 4), (120, 1), (120, 4), (240, 4)]
    for _ in range(400):
        load = math.exp(draw.uniform(0, math.log(100)))
        rope, drop = draw.choice((0.05, 0.1, 0.2, 0.35, 0.5)), draw.choice((0, 0.05, 0.1, 0.3, 0.6, 1))
        cases.append((draw.randint(2, 40), rope, load, drop, draw.choice(steps)))
    for case in part(cases, 0.15):
        planks, rope, load, drop, (hertz, substeps) = case
        with b2.World(gravity=(0, -10), sleeping=False) as world:
            ropes, _ = rope_bridge(world, planks, rope, load, drop)
            advance(world, 3 * hertz, 1 / hertz, substeps)
            assert max(joint.linear_separation for joint in ropes) < 0.02, case


@pytest.mark.parametrize("load", [10, 20, 60, 100])
def test_rope_bridges_of_2_to_40_planks_sag_alike(load: float) -> None:
    """With 20 kg, 20 planks sagged by 0.5 m, 22 and 24 by 8 m, 28 by 0.6 m."""
    sizes = range(2, 41 if ALL else 27)
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        bridges = [rope_bridge(world, planks, 0.1, load, 0.1, 50.0 * planks) for planks in sizes]
        advance(world, 480, DT, 4)
        sags = [50 - min(plank.position.y for plank in planks) / len(planks) for _, planks in bridges]
    assert max(sags) < 0.03
    for a, b in itertools.pairwise(sags):
        assert b < 1.5 * a
    for a, b in itertools.pairwise(sags[4:]):
        assert abs(b - a) < 0.1 * a
