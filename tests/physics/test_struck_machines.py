"""Impacts of bodies that joints hold: impulses, energy, forces of joints, and the same bits whatever runs them."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..golden.matrix import some_options
from ..seeds import draws

SPEED = 6.0
RADIUS = 0.1
Rows = list[np.ndarray[Any, Any]]


class Struck:
    """A row of bars in one line, joined and perhaps held, and a stone just above one of them."""

    def __init__(self, chance: Random, inner: str, held: str, gravity: float, **options: Any) -> None:
        self.count = chance.choice((1, 2, 3, 5, 8))
        self.world = b2.World((0, -gravity), sleeping=False, **options)
        self.restitution = chance.choice((0.1, 0.2, 0.4, 0.49, 0.5, 0.8, 1.0))
        self.bars: list[b2.Body] = []
        self.rows: Rows = []
        frame = b2.Vec2(chance.uniform(-1, 1), chance.uniform(-1, 1)) if held == "kinematic" else b2.Vec2(0, 0)
        order = chance.choice(("stone", "bars"))
        self.hit, self.at = chance.randrange(self.count), chance.uniform(-0.45, 0.45)
        if order == "stone":
            self.add_stone(frame)
        for k in range(self.count):
            bar = self.world.create_dynamic_body((k, 0), linear_velocity=frame)
            bar.create_shape(b2.Box(0.5, 0.1), friction=0)
            self.bars.append(bar)
        if order == "bars":
            self.add_stone(frame)
        self.stone.mass = self.bars[0].mass * math.exp(chance.uniform(math.log(0.2), math.log(50)))
        for k in range(self.count - 1):
            self.join(self.bars[k], self.bars[k + 1], k, k + 1, (k + 0.5, 0), inner)
        kind = "kinematic" if held == "kinematic" else "static"
        if held != "free":
            ground = getattr(self.world, f"create_{kind}_body")()
            if held == "kinematic":
                ground.linear_velocity = frame
            k = chance.randrange(self.count)
            self.join(ground, self.bars[k], None, k, (k + chance.uniform(-0.5, 0.5), 0), held)

    def add_stone(self, frame: b2.Vec2) -> None:
        place = (self.hit + self.at, 0.1 + RADIUS + 0.005)
        self.stone = self.world.create_dynamic_body(place, linear_velocity=frame - b2.Vec2(0, SPEED))
        self.stone.create_shape(b2.Circle(RADIUS), restitution=self.restitution, friction=0)

    def row(self, a: int | None, b: int, direction: tuple[float, float], place: tuple[float, float]) -> None:
        """The speed of body b along a direction at a place against that of body a; at (0, 0) its rotation."""
        row = np.zeros(3 * self.count + 3)
        for k, sign in ((a, -1), (b, 1)):
            if k is not None:
                turn = (place[0] - k) * direction[1] - place[1] * direction[0] if direction != (0, 0) else 1.0
                row[3 * k : 3 * k + 3] = sign * direction[0], sign * direction[1], sign * turn
        self.rows.append(row)

    def join(self, one: b2.Body, other: b2.Body, a: int | None, b: int, place: tuple[float, float], kind: str) -> None:
        if kind == "rod":
            self.world.create_distance_joint(
                one, other, local_anchor_a=(place[0], -1), local_anchor_b=(place[0] - b, 0)
            )
            self.row(a, b, (0, 1), place)
            return
        if kind == "slide":
            self.world.create_prismatic_joint(one, other, anchor=place, axis=(0, 1))
        elif kind == "weld":
            self.world.create_weld_joint(one, other, anchor=place)
        else:
            self.world.create_revolute_joint(one, other, anchor=place)
        for direction in ((1, 0), (0, 1)) if kind != "slide" else ((1, 0),):
            self.row(a, b, direction, place)
        if kind in ("weld", "slide"):
            self.row(a, b, (0, 0), place)

    def law(self) -> float:
        """The impulse on the stone: that of a rigid impact whose joints hold."""
        masses = [m for body in (*self.bars, self.stone) for m in (body.mass, body.mass, body.inertia)]
        inverse = np.diag(1 / np.array(masses))
        normal = np.zeros(len(masses))
        normal[3 * self.hit : 3 * self.hit + 3] = 0, -1, -self.at
        normal[-2] = 1
        change = inverse @ normal
        if self.rows:
            rows = np.array(self.rows)
            joints = np.linalg.lstsq(rows @ inverse @ rows.T, rows @ change, rcond=1e-12)[0]
            change = change - inverse @ rows.T @ joints
        return (1 + self.restitution) * SPEED / float(normal @ change)


@pytest.mark.parametrize("gravity", [0.0, 10.0])
@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("held", ["free", "hinge", "weld", "slide", "rod", "kinematic"])
def test_a_stone_gets_the_whole_impulse_from_a_machine(held: str, solver: str, gravity: float) -> None:
    """Contacts that knew no joints gave 3 to 80 % of it. In a long step a bar that turns may strike once more."""
    least, most = 1.0, 1.0
    for seed in range(80):
        chance = draws(seed)
        struck = Struck(chance, chance.choice(("hinge", "weld")), held, gravity, joint_solver=solver)
        with struck.world as world:
            rate = chance.choice((30, 60, 120, 240))
            before = struck.stone.linear_velocity.y
            world.step(1 / rate, chance.choice((1, 2, 4, 8)))
            gained = struck.stone.linear_velocity.y - before + gravity / rate
            part = gained * struck.stone.mass / struck.law()
            least, most = min(least, part), max(most, part if rate > 60 else 1.0)
    assert least > 0.99
    assert most < 1.05


def trio(chance: Random, welded: bool, restitution: float) -> tuple[float, ...]:
    """What a stone with spin does after it strikes three boxes in a row, welded or one body, with friction."""
    with b2.World((0, 0), sleeping=False) as world:
        friction = chance.choice((0.1, 0.3, 0.6, 1.0, 2.0))
        velocity, spin = b2.Vec2(chance.uniform(-2, 2), chance.uniform(-1, 1)), chance.uniform(-2, 2)
        boxes = []
        for k in range(3 if welded else 1):
            x = k - 1 if welded else 0
            box = world.create_dynamic_body((x, 0), linear_velocity=velocity + b2.Vec2(0, spin * x))
            for place in (0,) if welded else (-1, 0, 1):
                box.create_shape(b2.Box(0.5, 0.5, center=(place, 0)), friction=friction)
            box.angular_velocity = spin
            boxes.append(box)
        for k in range(len(boxes) - 1):
            world.create_weld_joint(boxes[k], boxes[k + 1], anchor=(k - 0.5, 0))
        place = (chance.choice((-1, 0, 1)) + chance.uniform(-0.4, 0.4), 0.5 + 0.2 + 0.005)
        stone = world.create_dynamic_body(place, linear_velocity=(chance.uniform(-6, 6), -SPEED))
        stone.angular_velocity = chance.uniform(-20, 20)
        stone.create_shape(b2.Circle(0.2), restitution=restitution, friction=friction)
        stone.mass = sum(box.mass for box in boxes) * math.exp(chance.uniform(-2, 2))
        world.step(1 / 60)
        return (*stone.linear_velocity, 0.2 * stone.angular_velocity)


@pytest.mark.parametrize("restitution", [0.2, 0.49, 0.5, 0.8, 1.0])
def test_welded_boxes_are_struck_as_one_body_is(restitution: float) -> None:
    worst = 0.0
    for seed in range(60):
        one, three = (trio(draws(seed), welded, restitution) for welded in (False, True))
        worst = max(worst, *(abs(a - b) for a, b in zip(one, three, strict=True)))
    assert worst < 0.02 * SPEED


def machine(world: b2.World, ground: b2.Body, kind: str, restitution: float) -> None:
    """Bars that bounce, about the origin."""

    def bar(x: float, y: float, width: float = 0.5, height: float = 0.2) -> b2.Body:
        made = world.create_dynamic_body((x, y))
        made.create_shape(b2.Box(width, height), friction=0, restitution=restitution)
        return made

    if kind == "plank":
        world.create_revolute_joint(ground, bar(0, 0, 2), anchor=(0, 0))
    elif kind == "pendulum":
        world.create_revolute_joint(ground, bar(0, 2, 0.3, 1), anchor=(0, 3))
    elif kind == "double pendulum":
        upper, lower = bar(0, 2, 0.2, 1), bar(0, 0, 0.2, 1)
        world.create_revolute_joint(ground, upper, anchor=(0, 3))
        world.create_revolute_joint(upper, lower, anchor=(0, 1))
    elif kind == "welded pair":
        world.create_weld_joint(bar(-0.5, 0), bar(0.5, 0), anchor=(0, 0))
    else:
        trunk = bar(0, 0, 0.4, 0.8)
        world.create_revolute_joint(trunk, bar(0, 1.2, 0.25, 0.25), anchor=(0, 0.9))
        for x in (-1, 1):
            world.create_revolute_joint(trunk, bar(0.8 * x, 0.5, 0.4, 0.12), anchor=(0.45 * x, 0.5))
            world.create_revolute_joint(trunk, bar(0.3 * x, -1.4, 0.15, 0.5), anchor=(0.3 * x, -0.85))


def elastic_room(kind: str, chance: Random, gravity: float, restitution: float = 1.0, **options: Any) -> b2.World:
    """A machine and two stones between four walls."""
    world = b2.World((0, -gravity), sleeping=False, restitution_threshold=0, **options)
    ground = world.create_static_body()
    for place, half in (((0, -6), (8, 0.5)), ((0, 8), (8, 0.5)), ((-7, 1), (0.5, 8)), ((7, 1), (0.5, 8))):
        ground.create_shape(b2.Box(*half, center=place), restitution=restitution, friction=0)
    machine(world, ground, kind, restitution)
    for k in range(2):
        stone = world.create_dynamic_body((chance.uniform(-3, 3), chance.uniform(4, 5) + k))
        stone.linear_velocity = (chance.uniform(-5, 5), chance.uniform(-5, 5))
        stone.create_shape(b2.Circle(0.3), restitution=restitution, friction=0)
        stone.mass = chance.choice((0.2, 1, 4))
    return world


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("gravity", [0.0, 10.0])
@pytest.mark.parametrize("kind", ["plank", "pendulum", "double pendulum", "welded pair", "ragdoll"])
def test_elastic_stones_and_machines_keep_their_energy(kind: str, gravity: float, solver: str) -> None:
    """Of 4 s of bounces; half of it went in two or three before."""
    least, most = 9.0, 0.0
    for seed in range(4):
        with elastic_room(kind, draws(seed), gravity, joint_solver=solver) as world:
            lowest = 6 * gravity * sum(body.mass for body in world.bodies)
            start = world.kinetic_energy + world.potential_energy + lowest
            for _ in range(960):
                world.step(1 / 240)
                most = max(most, (world.kinetic_energy + world.potential_energy + lowest) / start)
            least = min(least, (world.kinetic_energy + world.potential_energy + lowest) / start)
    assert most < 1.002
    # Continuous collision stops one part of what falls; and fast limbs strike within the step, after their joints
    assert least > {"welded pair": 0.98, "ragdoll": 0.6}.get(kind, 0.998)


def rise_of_table(joint: str, restitution: float, height: float, dt: float, substeps: int, solver: str) -> float:
    """How high the centre of mass of a table rises after its fall on two feet that bounce, over the fall."""
    with b2.World(sleeping=False, joint_solver=solver) as world:
        world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)), friction=0.6)
        top = world.create_dynamic_body((0, height + 1.1))
        top.create_shape(b2.Box(1.2, 0.1))
        bodies = [top]
        for x in (-1, 1):
            leg = world.create_dynamic_body((x, height + 0.5))
            leg.create_shape(b2.Box(0.1, 0.5), restitution=restitution)
            if joint == "weld":
                world.create_weld_joint(top, leg, anchor=(x, height + 1))
            else:
                limits = {"enable_limit": True, "lower_angle": -0.1, "upper_angle": 0.1} if joint == "limits" else {}
                world.create_revolute_joint(top, leg, anchor=(x, height + 1), **limits)
            bodies.append(leg)
        mass = sum(body.mass for body in bodies)

        def mean(part: str) -> float:
            return sum(body.mass * getattr(body, part).y for body in bodies) / mass

        ground, highest, risen = mean("world_center") - height, 0.0, False
        for _ in range(round(3 / dt)):
            world.step(dt, substeps)
            speed = mean("linear_velocity") - 0.5 * 9.81 * dt / substeps  # the parabola is half a substep behind
            risen = risen or speed > 0
            if risen:
                highest = max(highest, mean("world_center") - ground + max(speed, 0) ** 2 / (2 * 9.81))
                if speed < 0:
                    break
        return highest / height


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("joint", ["weld", "hinge", "limits"])
def test_machines_rise_from_feet_that_bounce(joint: str, solver: str) -> None:
    """They did not rise at all: each leg was thrown back alone, and the rest of the table stopped it."""
    for restitution in (0.3, 0.49, 0.5, 0.8, 1.0):
        for height in (1.0, 1.7, 2.6):
            for substeps in (1, 4):
                rise = rise_of_table(joint, restitution, height, 1 / 240, substeps, solver)
                assert 0.97 < rise / restitution**2 < 1.03


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_forces_of_joints_count_impacts(solver: str) -> None:
    worst = 0.0
    for seed in range(40):
        chance = draws(seed)
        with b2.World((0, 0), sleeping=False, joint_solver=solver) as world:
            ground = world.create_static_body()
            bars = [world.create_dynamic_body((2 * k, 0)) for k in range(2)]
            for bar in bars:
                bar.create_shape(b2.Box(1, 0.2), friction=0.5)
            flip = chance.random() < 0.5
            create = chance.choice((world.create_revolute_joint, world.create_weld_joint))
            holder = create(*((bars[0], ground) if flip else (ground, bars[0])), anchor=(-0.5, 0))
            chance.choice((world.create_revolute_joint, world.create_weld_joint))(*bars, anchor=(1, 0))
            stone = world.create_dynamic_body((chance.uniform(-1, 3), 0.2 + 0.2 + 0.004))
            stone.linear_velocity = (chance.uniform(-3, 3), -SPEED)
            stone.create_shape(b2.Circle(0.2), restitution=chance.choice((0.3, 0.5, 1)), friction=0.5)
            stone.mass = bars[0].mass * chance.uniform(0.2, 5)
            before, dt = stone.mass * stone.linear_velocity, 1 / chance.choice((30, 60, 240))
            world.step(dt, chance.choice((1, 4, 8)))
            change = -before
            for body in (*bars, stone):
                change += body.mass * body.linear_velocity
            held = (-dt if flip else dt) * holder.constraint_force
            worst = max(worst, (held - change).length / (SPEED * stone.mass))
    assert worst < 1e-4


def test_struck_machines_have_the_same_bits_however_they_are_stepped() -> None:
    """Workers, widths of registers, and worlds of a batch."""
    for kind in ("double pendulum", "ragdoll"):
        hashes = set()
        for options in ({}, *some_options()):
            with elastic_room(kind, draws(3), 10.0, 0.4, **options) as world:
                for _ in range(300):
                    world.step(1 / 60)
                hashes.add(world.state_hash())
        assert len(hashes) == 1
        with elastic_room(kind, draws(3), 10.0, 0.4) as world, b2.WorldBatch(world, 3, dt=1 / 60, substeps=4) as batch:
            for k in range(200):
                world.step(1 / 60, 4)
                batch.step()
                assert (batch.position == world.arrays.position).all(), k


def beam(world: b2.World, n: int, height: float, restitution: float, joint: str) -> list[b2.Body]:
    world.create_static_body().create_shape(b2.Box(200, 1, center=(0, -1)), restitution=restitution)
    bodies = []
    for k in range(n):
        body = world.create_dynamic_body((0.4 * (k - n / 2), 0.2 + height))
        body.create_shape(b2.Box(0.2, 0.2), restitution=restitution)
        if bodies:
            getattr(world, f"create_{joint}_joint")(bodies[-1], body, anchor=(0.4 * (k - n / 2) - 0.2, 0.2 + height))
        bodies.append(body)
    return bodies


@pytest.mark.parametrize("joint", ["weld", "revolute"])
@pytest.mark.parametrize("n", [4, 16, 31, 32, 33, 34, 50, 80])
def test_long_beams_bounce_and_let_bounce_as_short_ones(n: int, joint: str) -> None:
    """From 33 bodies on there was no room for all contacts: joints made a kick of the blow, or the ball stayed."""
    for restitution in (0.3, 0.6, 0.9):
        with b2.World(sleeping=False) as world:
            bodies = beam(world, n, 1.0, restitution, joint)
            heights = []
            for _ in range(120):
                world.step()
                heights.append(sum(body.position.y for body in bodies) / n - 0.2)
                assert max(abs(body.angle) for body in bodies) < 1e-3
            low = heights.index(min(heights[:40]))
            assert max(heights[low:]) == pytest.approx(restitution**2, abs=0.03)
        with b2.World(sleeping=False) as world:
            bodies = beam(world, n, 0.0, 0.0, joint)
            ball = world.create_dynamic_body((bodies[n // 2].position.x, 2.5))
            ball.create_shape(b2.Circle(0.1), restitution=restitution)
            heights = []
            for _ in range(150):
                world.step()
                heights.append(ball.position.y - 0.5)
            low = heights.index(min(heights[:60]))
            assert max(heights[low:]) == pytest.approx(2 * restitution**2, abs=0.1)


@pytest.mark.parametrize("joint", ["weld", "revolute"])
def test_free_machines_gain_no_energy_at_the_floor(joint: str) -> None:
    """The second end struck in the same step, and one body alone was thrown back by what had stopped both: 19 %."""
    chance = draws(31)
    worst = 0.0
    for _ in range(120):
        speed, dt, substeps = chance.uniform(2, 12), chance.choice((1 / 60, 1 / 120)), chance.choice((1, 4))
        with b2.World(gravity=(0, 0), sleeping=False) as world:
            world.create_static_body().create_shape(b2.Box(200, 1, center=(0, -1)), restitution=1, friction=0)
            bodies = []
            for k in range(chance.choice((2, 2, 3))):
                body = world.create_dynamic_body((0.4 * k, 2), linear_velocity=(0, -speed))
                body.create_shape(b2.Box(0.2, 0.1), restitution=1, friction=0)
                if bodies:
                    getattr(world, f"create_{joint}_joint")(bodies[-1], body, anchor=(0.4 * k - 0.2, 2))
                bodies.append(body)
            spin, turn = chance.uniform(-5, 5), chance.uniform(-1.5, 1.5)
            middle = bodies[0].position
            for body in bodies:
                arm = body.position - middle
                body.position, body.angle = middle + arm.rotated(turn), turn
                body.linear_velocity = b2.Vec2(0, -speed) + spin * b2.Vec2(-arm.rotated(turn).y, arm.rotated(turn).x)
                body.angular_velocity = spin
            begin = world.kinetic_energy
            for _ in range(round(3 / speed / dt)):
                world.step(dt, substeps)
                worst = max(worst, world.kinetic_energy / begin)
    assert worst < 1.05
