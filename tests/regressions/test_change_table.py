"""A table of live changes: each is made under bodies that rest, sleep or have just begun to touch.

For each change the test checks which bodies are awake right after it, its effect on the motion, that unrelated bodies
keep sleeping, that events balance and the world is valid after every step, and that all engine options give the same
bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import box2dpy as b2

from ..oracle.lockstep import DT, FASTEST, REFERENCE, make_ground
from ..oracle.test_balance import Ledger

STATES = ("resting", "asleep", "touching")
G = 10.0


class Scene:
    """A box on a box on the ground, a bob on a pivot, a beam welded to a wall; and a bystander on a ground of its
    own."""

    def __init__(self, state: str, options: dict[str, Any]) -> None:
        self.world = world = b2.World(gravity=(0, -G), **options)
        self.ground = make_ground(world, 10)
        island = world.create_static_body((100, -1))
        island.create_shape(b2.Box(5, 1))
        push = (0.5, -0.5) if state == "touching" else (0, 0)
        self.lower = world.create_dynamic_body((0, 0.505), linear_velocity=push)
        self.upper = world.create_dynamic_body((0, 1.515), linear_velocity=push)
        self.bystander = world.create_dynamic_body((100, 0.5))
        for body in (self.lower, self.upper, self.bystander):
            body.create_shape(b2.Box(0.5, 0.5), restitution=0.0)
        self.wall = world.create_static_body((20, 5))
        self.wall.create_shape(b2.Circle(0.1), filter=b2.Filter(mask=0))
        self.bob = world.create_dynamic_body((20, 3))
        self.bob.create_shape(b2.Circle(0.3))
        self.pivot = world.create_revolute_joint(self.wall, self.bob, anchor=(20, 5))
        self.beam = world.create_dynamic_body((31, 5))
        self.beam.create_shape(b2.Box(1, 0.1))
        self.post = world.create_static_body((30, 5))
        self.weld = world.create_weld_joint(self.post, self.beam, anchor=(30, 5))
        self.ledger = Ledger(world)
        self.run({"resting": 20, "asleep": 120, "touching": 2}[state])
        assert world.counters.awake_bodies == (0 if state == "asleep" else 5)
        assert world.counters.touching == 3
        self.start = {body: (body.position, body.angle) for body in world.bodies}

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step(DT, 4)
            self.world.validate()
            self.ledger.book()

    def load(self, body: b2.Body) -> float:
        """Force with which the ground carries: N."""
        touching = [c for c in self.ground.contacts if body in (c.body_a, c.body_b)]
        return sum(point.normal_impulse for contact in touching for point in contact.points) / (DT / 4)

    def fallen(self, body: b2.Body) -> float:
        return self.start[body][0].y - body.position.y


Act = Callable[[Scene], Any]


@dataclass
class Row:
    name: str
    act: Act  # the change
    effect: Act  # its effect, `steps` later
    awake: str = ""  # which of the sleeping bodies are awake right after it
    steps: int = 60
    sleeps: bool = True  # whether unrelated bodies keep sleeping
    then: Act = field(default=lambda s: None)  # before the steps


def assign(of: Callable[[Scene], Any], **values: Any) -> Act:
    def act(s: Scene) -> None:
        for name, value in values.items():
            setattr(of(s), name, value)

    return act


def near(value: float, wanted: float, tolerance: float) -> None:
    assert value == pytest.approx(wanted, abs=tolerance)


def falls(*names: str) -> Act:
    """In free fall since the change: half g t^2, with the steps' error of first order."""

    def effect(s: Scene) -> None:
        for name in names:
            body = getattr(s, name)
            assert body.linear_velocity.y == pytest.approx(-G * 12 * DT, abs=0.6)  # what it had when it just touched
            assert s.fallen(body) == pytest.approx(0.5 * G * (12 * DT) ** 2, abs=0.11)

    return effect


def fixed(s: Scene) -> None:
    assert tuple(s.lower.position) == tuple(s.start[s.lower][0]) and s.lower.linear_velocity == (0, 0)
    near(s.upper.position.y - s.lower.position.y, 1.0, 0.02)
    near(s.load(s.lower), 0, 0)


def slides_freely(s: Scene) -> None:
    """Pushed to 2 m/s before 60 steps: without friction it keeps that."""
    near(s.lower.linear_velocity.x, 2.0, 0.02)


def push(s: Scene) -> None:
    s.upper.linear_velocity = s.lower.linear_velocity = (2, 0)
    s.upper.angular_velocity = s.lower.angular_velocity = 0


def lower_shape(s: Scene) -> b2.Shape:
    return s.lower.shapes[0]


def upper_shape(s: Scene) -> b2.Shape:
    return s.upper.shapes[0]


def ground_shape(s: Scene) -> b2.Shape:
    return s.ground.shapes[0]


def carries(newtons: float) -> Act:
    return lambda s: near(s.load(s.lower), newtons, 0.03 * newtons + 0.05)


def pair_table(s: Scene) -> None:
    s.world.set_material_pair(3, 0, friction=0.0)
    ground_shape(s).material = 3


def hold_by_lock(s: Scene) -> None:
    s.lower.enabled = False


def rewire(s: Scene) -> None:
    s.pivot.frame_a = b2.Frame((1, 0.5))


def moved(body: str, dx: float, dy: float) -> Act:
    def effect(s: Scene) -> None:
        at = getattr(s, body)
        near(at.position.x - s.start[at][0].x, dx, 0.03)
        near(at.position.y - s.start[at][0].y, dy, 0.03)

    return effect


def tips(s: Scene) -> None:
    assert s.upper.angle < s.start[s.upper][1] - 0.1


def reseat(s: Scene) -> None:
    s.lower.type = "static"  # type: ignore[assignment]
    s.lower.type = "dynamic"  # type: ignore[assignment]


def off_and_on(s: Scene) -> None:
    s.lower.enabled = False
    s.lower.enabled = True


def settled(s: Scene) -> None:
    near(s.lower.position.y, 0.5, 0.01)
    near(s.upper.position.y, 1.5, 0.01)
    near(s.load(s.lower), 20, 0.6)


BOTH = "lower upper"
ROWS = [
    Row("type to static", assign(lambda s: s.lower, type="static"), fixed, "upper"),
    Row("type to kinematic", assign(lambda s: s.lower, type="kinematic", linear_velocity=(0, 0)), fixed, BOTH),
    Row("type there and back", reseat, settled, BOTH),
    Row("ground to dynamic", assign(lambda s: s.ground, type="dynamic"), falls("ground", "lower", "upper"),
        "lower upper ground", 12),
    Row("disable the support", assign(lambda s: s.lower, enabled=False), falls("upper"), "upper", 12),
    Row("disable the load", assign(lambda s: s.upper, enabled=False), carries(10), "lower"),
    Row("disable and enable", off_and_on, settled, BOTH),
    Row("disable the ground", assign(lambda s: s.ground, enabled=False), falls("lower", "upper"), BOTH, 12),
    Row("filter of the box", assign(lower_shape, filter=b2.Filter(mask=0)), falls("lower", "upper"), BOTH, 12),
    Row("filter of the ground", assign(ground_shape, filter=b2.Filter(mask=0)), falls("lower", "upper"), BOTH, 12),
    Row("filter that still allows", assign(lower_shape, filter=b2.Filter(category=3)), settled, BOTH),
    Row("group that refuses", lambda s: [setattr(x, "filter", b2.Filter(group=-1)) for x in (upper_shape(s),
        lower_shape(s))],
        lambda s: near(s.upper.position.y, 0.5, 0.05), BOTH, 90),
    Row("sensor", assign(lower_shape, sensor=True), falls("lower", "upper"), BOTH, 12),
    Row("ground a sensor", assign(ground_shape, sensor=True), falls("lower", "upper"), BOTH, 12),
    Row("friction of the ground", assign(ground_shape, friction=0.0), slides_freely, BOTH, then=push),
    Row("friction of the box", assign(lower_shape, friction=0.0), slides_freely, BOTH, then=push),
    Row("mixing rule", lambda s: [setattr(s.world, "friction_mixing", "multiply"),
        setattr(lower_shape(s), "friction", 0.0)],
        slides_freely, "lower upper bystander", sleeps=False, then=push),
    Row("material pair", pair_table, slides_freely, BOTH, then=push),
    Row("belt", assign(ground_shape, tangent_speed=1.5), lambda s: near(abs(s.lower.linear_velocity.x), 1.5, 0.02),
        BOTH, 120),
    Row("restitution", assign(lower_shape, restitution=0.5), settled, BOTH, 90),
    Row("rolling resistance of corners", assign(lower_shape, rolling_resistance=0.5), settled, "", 90),
    Row("density", assign(upper_shape, density=4.0), carries(50), BOTH),
    Row("mass", assign(lambda s: s.upper, mass=3.0), carries(40), BOTH),
    Row("inertia", assign(lambda s: s.upper, inertia=5.0), settled, BOTH, 120),
    Row("centre of mass", assign(lambda s: s.upper, local_center=(0.6, 0)), tips, BOTH),
    Row("mass from shapes", lambda s: [setattr(s.upper, "mass", 9.0), s.upper.update_mass()], settled, BOTH, 90),
    Row("smaller geometry", assign(lower_shape, geometry=b2.Box(0.5, 0.2)),
        lambda s: near(s.upper.position.y, 0.9, 0.02), BOTH, 90),
    Row("ground's geometry", assign(ground_shape, geometry=b2.Box(10, 0.5)),
        lambda s: near(s.lower.position.y, 0.0, 0.02), BOTH, 90),
    Row("lock y", assign(lambda s: s.upper, lock_y=True), lambda s: near(s.fallen(s.upper), 0, 1e-6), BOTH,
        then=hold_by_lock),
    Row("lock x", assign(lambda s: s.lower, lock_x=True), lambda s: near(s.lower.position.x, s.start[s.lower][0].x, 0),
        BOTH, then=push),
    Row("lock rotation", lambda s: [setattr(s.upper, "lock_rotation", True),
        setattr(s.upper, "local_center", (0.6, 0))],
        lambda s: near(s.upper.angle, s.start[s.upper][1], 0), BOTH),
    Row("gravity scale 0", assign(lambda s: s.upper, gravity_scale=0.0), carries(10), BOTH, 120),
    Row("gravity scale up", assign(lambda s: s.upper, gravity_scale=-1.0), lambda s: near(s.fallen(s.upper), -5, 0.6),
        BOTH),
    Row("damping", assign(lambda s: s.lower, linear_damping=0.5, angular_damping=0.5), settled, BOTH, 90),
    Row("may not sleep", assign(lambda s: s.lower, can_sleep=False),
        lambda s: [settled(s), near(s.upper.awake, True, 0)], BOTH, 120),
    Row("gravity", assign(lambda s: s.world, gravity=(0, G)), lambda s: near(s.fallen(s.upper), -5, 0.6),
        "lower upper bob beam bystander", sleeps=False),
    Row("teleport the load", assign(lambda s: s.upper, position=(5, 0.5)), carries(10), BOTH),
    Row("teleport the support", assign(lambda s: s.lower, position=(5, 0.5)),
        lambda s: near(s.upper.position.y, 0.5, 0.05), BOTH, 90),
    Row("anchor on the wall", assign(lambda s: s.pivot, local_anchor_a=(0, 0.5)), moved("bob", 0, 0.5), "bob", 200),
    Row("anchor on the bob", assign(lambda s: s.pivot, local_anchor_b=(0, 1)), moved("bob", 0, 1.0), "bob", 200),
    Row("frame on the wall", rewire, lambda s: near(s.pivot.linear_separation, 0, 0.005), "bob"),
    Row("angle of the weld", assign(lambda s: s.weld, local_angle_a=0.4), lambda s: near(s.beam.angle, 0.4, 0.02),
        "beam"),
    Row("angle on the beam", assign(lambda s: s.weld, local_angle_b=0.4), lambda s: near(s.beam.angle, -0.4, 0.02),
        "beam"),
    Row("frame of the weld", assign(lambda s: s.weld, frame_a=b2.Frame((0, 1), 0.4)),
        lambda s: [near(s.beam.angle, 0.4, 0.02), near(s.weld.linear_separation, 0, 0.01)], "beam"),
    Row("joint's bodies may touch", assign(lambda s: s.weld, collide_connected=True), moved("beam", 0, 0), "beam"),
    Row("joint softened", assign(lambda s: s.weld, linear_hertz=1.0, linear_damping_ratio=1.0),
        lambda s: near(s.weld.linear_separation, G / (2 * math.pi) ** 2 * (1 + 12 / 4.04), 0.03), "beam", 240),
    Row("joint gone", lambda s: s.weld.destroy(), falls("beam"), "beam", 12),
    Row("wall disabled", assign(lambda s: s.wall, enabled=False), falls("bob"), "bob", 12),
    Row("wall to dynamic", assign(lambda s: s.wall, type="dynamic"), falls("bob"), "wall bob", 12),
]  # fmt: skip
NO_EFFECT = {
    "bullet": lambda s: setattr(s.lower, "bullet", True),
    "fast rotation": lambda s: setattr(s.lower, "allow_fast_rotation", True),
    "same friction": lambda s: setattr(lower_shape(s), "friction", 0.6),
    "same filter": lambda s: setattr(lower_shape(s), "filter", b2.Filter()),
    "same type": lambda s: setattr(s.lower, "type", "dynamic"),
    "same enabled": lambda s: setattr(s.lower, "enabled", True),
    "same lock": lambda s: setattr(s.lower, "lock_x", False),
    "same gravity scale": lambda s: setattr(s.lower, "gravity_scale", 1.0),
    "same gravity": lambda s: setattr(s.world, "gravity", (0, -G)),
    "material without a rule": lambda s: setattr(lower_shape(s), "material", 7),
    "colour": lambda s: setattr(lower_shape(s), "color", 0xFF0000FF),
    "events": lambda s: [setattr(lower_shape(s), name, True) for name in ("hit_events", "sensor_events")],
    "data": lambda s: [setattr(s.lower, "data", 5), setattr(s.lower, "name", "n")],
    "thresholds": lambda s: [setattr(s.weld, "force_threshold", 5.0), setattr(s.weld, "torque_threshold", 5.0)],
    "density of the ground": lambda s: setattr(ground_shape(s), "density", 9.0),
    "restitution threshold": lambda s: setattr(s.world, "restitution_threshold", 2.0),
    "pair of others": lambda s: s.world.set_material_pair(8, 9, friction=0.0),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace(" ", "-"))
def test_a_change_of_a_property_acts_in_the_next_step(row: Row, state: str) -> None:
    hashes = []
    for options in (REFERENCE, FASTEST):
        scene = Scene(state, options)
        world = scene.world
        with world:
            row.act(scene)
            world.validate()
            if state == "asleep":
                awake = {
                    name
                    for name in ("lower", "upper", "bob", "beam", "bystander", "ground", "wall")
                    if getattr(scene, name).awake
                }
                assert awake == set(row.awake.split()), "right after the change"
            row.then(scene)
            world.step(DT, 4)
            world.validate()
            scene.ledger.book()
            if state == "asleep":
                assert scene.bystander.awake is not row.sleeps
            scene.run(row.steps - 1)
            row.effect(scene)
            hashes.append(world.state_hash())
            for body in list(world.bodies):
                body.destroy()
            scene.run(1)
            assert scene.ledger.open == {"contact": set(), "sensor": set()}
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("name", NO_EFFECT)
def test_a_change_without_effect_on_motion_wakes_no_body_and_keeps_the_hash(name: str) -> None:
    for state in STATES:
        one, two = Scene(state, FASTEST), Scene(state, FASTEST)
        with one.world, two.world:
            NO_EFFECT[name](one)
            assert state != "asleep" or one.world.counters.awake_bodies == 0
            one.run(30)
            two.run(30)
            for part in ("position", "rotation", "linear_velocity", "angular_velocity", "awake"):
                assert getattr(one.world.arrays, part).tobytes() == getattr(two.world.arrays, part).tobytes()
            impulses = [
                world.arrays.contacts[["normal_impulse", "tangent_impulse"]].tobytes()
                for world in (one.world, two.world)
            ]
            assert impulses[0] == impulses[1]
