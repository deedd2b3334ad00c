"""Motors, springs and forces that press light bodies together (csrc/solver/press_loads.c).

Lengths are in sizes of a box; forces and gravity grow with them. Without presses, contacts give way by 6 to 18 cm under
1 to 10 kN on a body of 1 kg, and from 20 kN on things pass through each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import box2dpy as b2
from tests.seeds import draws

SHAPES = {
    "box": lambda scale: b2.Box(0.5 * scale, 0.5 * scale),
    "rounded": lambda scale: b2.Box(0.3 * scale, 0.3 * scale, radius=0.2 * scale),
    "capsule": lambda scale: b2.Capsule((-0.5 * scale, 0), (0.5 * scale, 0), 0.5 * scale),
}
DRIVES = ("motor", "spring", "force", "gravity")


class Press:
    """A plate of `mass` over `count` bodies of 1 kg on the floor."""

    def __init__(
        self, drive: str, force: float, mass: float = 1, count: int = 1, shape: str = "box", scale: float = 1,
        gravity: float = 10, lean: float = 0, guided: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        pull = gravity * scale * math.sin(lean), -gravity * scale * math.cos(lean)
        self.world = b2.World(gravity=pull, length_unit=scale, sleeping=False, **options)
        self.scale, self.drive, self.force, self.top = scale, drive, force * scale, (count + 0.2) * scale
        floor = self.world.create_static_body()
        floor.create_shape(b2.Box(20 * scale, scale, (0, -scale)))
        self.bodies = [self.world.create_dynamic_body((0, (0.5 + k) * scale)) for k in range(count)]
        for body in self.bodies:
            body.create_shape(SHAPES[shape](scale))
            body.mass = 1
        self.plate = self.world.create_dynamic_body((0, self.top))
        self.plate.create_shape(b2.Box(0.6 * scale, 0.2 * scale))
        self.plate.mass = mass
        drives: dict[str, Any] = {}
        if drive == "motor":
            drives = {"motor_speed": scale, "max_motor_force": self.force}
        elif drive == "spring":
            stiffness = self.force / scale  # it is as long as a box
            drives = {"stiffness": stiffness, "damping": 2 * math.sqrt(stiffness * mass), "target_translation": scale}
        elif drive == "gravity":
            self.plate.gravity_scale = force / (mass * gravity)
        if guided or drives:
            self.world.create_prismatic_joint(floor, self.plate, anchor=(0, self.top), axis=(0, -1), **drives)

    def step(self, steps: int = 60, substeps: int = 4, share: float = 1) -> None:
        if self.drive == "force":
            self.plate.apply_force((0, -share * self.force))
        self.world.step(1 / steps, substeps)

    @property
    def sink(self) -> float:
        return (self.top - self.plate.position.y) / self.scale

    @property
    def speed(self) -> float:
        return max(body.linear_velocity.length for body in (*self.bodies, self.plate)) / self.scale


@contextmanager
def press(*args: Any, **options: Any) -> Iterator[Press]:
    made = Press(*args, **options)
    with made.world:
        yield made


def settled(seconds: float, steps: int, substeps: int, *args: Any, **options: Any) -> tuple[float, float]:
    with press(*args, **options) as made:
        for _ in range(round(seconds * steps)):
            made.step(steps, substeps)
        return made.sink, made.speed


@pytest.mark.parametrize(("drive", "count"), [*itertools.product(DRIVES, (1, 3, 5))])
def test_a_pressed_pile_sinks_15_mm_a_body_at_most(drive: str, count: int) -> None:
    chance = draws(11)
    for _ in range(40):
        # A spring of 12 kN or more may move its plate through all that is below it in the first step
        exponent, gravity = (
            chance.uniform(1.5, 4 if drive == "spring" else 5),
            10 if drive == "gravity" else chance.choice((0, 10)),
        )
        case: dict[str, Any] = {
            "force": 10**exponent, "mass": 10 ** chance.uniform(-0.7, 1), "count": count, "gravity": gravity,
            "shape": chance.choice(tuple(SHAPES)), "scale": chance.choice((0.1, 1, 10)), "lean": chance.uniform(0, 0.4),
        }  # fmt: skip
        steps, substeps = chance.choice((30, 60, 120, 240)), chance.choice((1, 2, 4, 8, 16))
        sink, speed = settled(2.5, steps, substeps, drive, **case)
        assert sink < (0.015 if exponent < 4 else 0.03) * count, (case, steps, substeps)
        assert speed < 0.01, (case, steps, substeps)


def test_the_sink_follows_force_and_mass_without_cliffs() -> None:
    for drive, mass in itertools.product(("motor", "force"), (0.19, 0.21, 0.9, 1.1, 3.9, 4.1, 4.9, 5.1)):
        sinks = [settled(1.5, 60, 4, drive, 10 ** (1 + 0.1 * k), mass)[0] for k in range(31)]
        assert max(sinks) < 0.01, (drive, mass)
        assert min(sinks) > 0.001, (drive, mass)
        assert max(abs(a - b) for a, b in itertools.pairwise(sinks)) < 0.0075, (drive, mass)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_press_that_lets_go_throws_nothing_up(count: int) -> None:
    cases = itertools.product((100, 300, 1e3, 1e4, 1e5), (0.3, 1, 3), ((60, 4), (240, 1), (60, 16)), (True, False))
    for force, mass, (steps, substeps), guided in cases:
        with press("force", force, mass, count, guided=guided) as made:
            for k in range(2 * steps):
                made.step(steps, substeps, 1.0 if k < steps else 0.0)
                if k >= steps:
                    assert made.speed < 0.4, (force, mass, steps, substeps, guided)
                    assert made.sink > -0.001, (force, mass, steps, substeps, guided)


@pytest.mark.parametrize("count", [1, 3])
def test_forces_that_come_and_go_hammer_nothing_in(count: int) -> None:
    for force, period in itertools.product((200, 300, 1e3, 1e4, 1e5), (1, 2, 7)):
        with press("force", force, count=count) as made:
            for k in range(180):
                made.step(share=1.0 if k // period % 2 == 0 else 0.0)
                assert -0.001 < made.sink < 0.01 * count, (force, period, k)
                assert k < 60 or made.speed < 0.05, (force, period, k)


def test_a_force_that_grows_and_falls_has_no_jump() -> None:
    for force, count, mass in itertools.product((150, 300, 600, 1e4), (1, 3), (0.5, 1, 3)):
        with press("force", force, mass, count) as made:
            last = 0.0
            for k in range(360):
                made.step(share=1 - abs(k / 180 - 1))
                assert k < 10 or abs(made.sink - last) < 0.005, (force, count, mass, k)
                assert k < 10 or made.speed < 0.15, (force, count, mass, k)
                last = made.sink


@pytest.mark.parametrize("gravity", [0, 10])
@pytest.mark.parametrize("mass", [0.5, 1, 4])
def test_jaws_on_a_free_base_hold_a_box(gravity: float, mass: float) -> None:
    for force in (1e3, 1e4, 1e5):
        with b2.World(gravity=(0, -gravity), sleeping=False) as world:
            base = world.create_dynamic_body((0, 3))
            base.create_shape(b2.Box(2, 0.1))
            base.mass = 10
            if gravity > 0:
                world.create_weld_joint(world.create_static_body(), base, anchor=(0, 3))
            box = world.create_dynamic_body((0, 2))
            box.create_shape(b2.Box(0.5, 0.5))
            box.mass = 1
            jaws = []
            for side in (-1, 1):
                jaw = world.create_dynamic_body((0.7 * side, 2))
                jaw.create_shape(b2.Box(0.2, 0.6))
                jaw.mass = mass
                drive = {"motor_speed": 1, "max_motor_force": force}
                world.create_prismatic_joint(base, jaw, anchor=(0.7 * side, 2), axis=(-side, 0), **drive)
                jaws.append(jaw)
            for _ in range(120):
                world.step(1 / 60)
            assert jaws[1].position.x - jaws[0].position.x > 1.39, force
            assert abs(box.position.y - base.position.y + 1) < 0.005, force


def test_an_arm_presses_with_the_torque_of_its_motor() -> None:
    for torque in (300, 1e3, 1e4, 1e5):
        with b2.World(sleeping=False) as world:
            floor = world.create_static_body()
            floor.create_shape(b2.Box(20, 1, (0, -1)))
            box = world.create_dynamic_body((2, 0.5))
            box.create_shape(b2.Box(0.5, 0.5))
            box.mass = 1
            arm, hand = world.create_dynamic_body((1, 1.1)), world.create_dynamic_body((2, 1.1))
            arm.create_shape(b2.Box(1, 0.1))
            hand.create_shape(b2.Box(0.2, 0.1))
            arm.mass, hand.mass = 1, 0.5
            world.create_weld_joint(arm, hand, anchor=(2, 1.1))
            drive = {"motor_speed": -1, "max_motor_torque": torque}
            world.create_revolute_joint(floor, arm, anchor=(0, 1.1), **drive)
            for _ in range(120):
                world.step(1 / 60)
            assert hand.position.y > 1.09, torque
            assert abs(box.position.x - 2) < 0.01, torque


def test_a_kinematic_body_that_crushes_a_pressed_box_leaves_it_calm() -> None:
    for force in (0, 100, 1e3, 1e4):
        with b2.World(sleeping=False) as world:
            world.create_static_body().create_shape(b2.Box(20, 1, (0, -1)))
            box = world.create_dynamic_body((0, 0.5))
            box.create_shape(b2.Box(0.5, 0.5))
            box.mass = 1
            ram = world.create_kinematic_body((0, 1.2))
            ram.create_shape(b2.Box(0.6, 0.2))
            for k in range(180):
                ram.linear_velocity = (0, -0.05 if k < 60 else 0)
                box.apply_force((0, -force))
                world.step(1 / 60)
                assert abs(box.angular_velocity) < 0.01, (force, k)
                assert k < 120 or box.linear_velocity.length < 1e-3, (force, k)
            assert abs(box.position.x) < 1e-3, force


def test_presses_by_forces_give_one_hash_and_go_on_after_snapshots() -> None:
    hashes = set()
    for workers, simd in ((1, "auto"), (2, "auto"), (1, "scalar")):
        with press("motor", 2000, count=3, shape="rounded", workers=workers, simd=simd) as made:
            for k in range(120):
                made.plate.apply_force((0, -100 * (k % 7)))
                made.step()
            with b2.World.from_snapshot(made.world.snapshot()) as other:
                for _ in range(30):
                    made.world.step(1 / 60)
                    other.step(1 / 60)
                assert other.state_hash() == made.world.state_hash()
            hashes.add(made.world.state_hash())
    assert len(hashes) == 1
