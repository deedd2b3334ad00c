"""`length_unit`: the same scene in other units moves the same way, for pixel games as for kilometres.

In units that are a power of two of metres every number of a scene is scaled without rounding, so a world whose
tolerances all scale gives the same bits, scaled: a tolerance that does not scale is found. Other units round
differently.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2

DT = 1 / 60
POWERS = [2.0**-2, 2.0**7]


class Scaled:
    """A world in which `unit` units are a metre; lengths, speeds and so on are given in metres."""

    def __init__(self, unit: float, **options: Any) -> None:
        self.unit = unit
        self.world = b2.World(gravity=(0, -10 * unit), length_unit=unit, **options)

    def by(self, value: Any) -> Any:
        return tuple(map(self.by, value)) if isinstance(value, (tuple, list)) else self.unit * value

    def body(self, kind: str, position: tuple[float, float], geometry: Any = None, **fields: Any) -> b2.Body:
        if "linear_velocity" in fields:
            fields["linear_velocity"] = self.by(fields["linear_velocity"])
        own = {name: fields.pop(name) for name in list(fields) if name in ("linear_velocity", "angle", "bullet")}
        body: b2.Body = getattr(self.world, f"create_{kind}_body")(self.by(position), **own)
        for each in geometry if isinstance(geometry, list) else [geometry] if geometry else []:
            body.create_shape(each, **fields)
        return body

    def circle(self, radius: float) -> b2.Geometry:
        return b2.Circle(self.by(radius))

    def box(self, hx: float, hy: float, center: tuple[float, float] = (0, 0), radius: float = 0.0) -> b2.Geometry:
        return b2.Box(self.by(hx), self.by(hy), center=self.by(center), radius=self.by(radius))

    def capsule(self, half: float, radius: float) -> b2.Geometry:
        return b2.Capsule(self.by((-half, 0)), self.by((half, 0)), self.by(radius))

    def polygon(self, corners: int, radius: float) -> b2.Geometry:
        turns = [math.tau * (k + 0.25) / corners for k in range(corners)]
        return b2.Polygon([self.by((radius * math.cos(t), radius * math.sin(t))) for t in turns])

    def state(self) -> list[tuple[float, ...]]:
        """Of all bodies what moves, in metres, without rounding."""
        unit = self.unit
        return [
            (
                *(x / unit for x in (*body.position, *body.linear_velocity)),
                *body.rotation,
                body.angular_velocity,
                body.awake,
            )
            for body in self.world.bodies
        ]


def terrain(s: Scaled) -> None:
    """Piles of all forms on boxes, segments and a chain; a thin wall and what is shot at it; belts, lifts and one-way
    shelves."""
    for k in range(12):
        s.body("static", (k - 5.5, -0.5), s.box(0.5, 0.5), friction=0.5)
    s.body("static", (0, 0)).create_chain([s.by((x, 0.05 * x * x - 1.8)) for x in (20, 16, 12, 9, 6)], friction=0.3)
    s.body("static", (-8, 0), b2.Segment(s.by((-4, 1)), s.by((2, 0))), tangent_speed=s.by(0.5), restitution=0.3)
    s.body("static", (3, 2), s.box(1, 0.05), one_way=(0, 1))
    s.body("kinematic", (-2, 2.5), [s.box(0.4, 0.1, (k - 0.5, 0)) for k in range(2)], linear_velocity=(0.25, 0.125))
    s.body("static", (12, 3), s.box(0.02, 2))
    forms = [
        s.circle(0.25),
        s.box(0.3, 0.2),
        s.capsule(0.2, 0.15),
        s.polygon(5, 0.3),
        s.polygon(8, 0.3),
        s.box(0.2, 0.2, radius=0.1),
    ]
    for k in range(48):
        place = (0.75 * (k % 16) - 6 + 0.05 * (k % 3), 0.6 + 0.8 * (k // 16) + 0.03 * (k % 5))
        s.body(
            "dynamic", place, forms[k % 6], angle=0.4 * k, hit_events=True, restitution=0.2 * (k % 3 == 1),
            rolling_resistance=0.05 * (k % 2),
        )  # fmt: skip
    s.body("dynamic", (2, 3.5), s.box(0.2, 0.2), linear_velocity=(300, 0))
    s.body("dynamic", (-12, 2), s.circle(0.1), linear_velocity=(90, 10), bullet=True, restitution=0.5)
    s.body("dynamic", (3, 0.5), s.circle(0.2), linear_velocity=(0, 8))


def machines(s: Scaled) -> None:
    """A joint of every kind with springs, limits and motors; forces go with the cube of the unit, torques with its
    fourth power."""
    world, force, torque = s.world, s.unit**3, s.unit**4
    ground = s.body("static", (0, -3), s.box(30, 1))

    def part(x: float, y: float) -> b2.Body:
        return s.body("dynamic", (x, y), s.box(0.3, 0.15), friction=0.4)

    a, b = part(-10, 2), part(-9, 2)
    world.create_revolute_joint(
        ground, a, anchor=s.by((-10.5, 2)), enable_limit=True, lower_angle=-0.5, upper_angle=0.25
    )
    world.create_revolute_joint(a, b, anchor=s.by((-9.5, 2)), enable_spring=True, hertz=2, damping_ratio=0.3)
    c, d = part(-7, 2), part(-6, 2.5)
    world.create_distance_joint(ground, c, frame_a=b2.Frame(s.by((-7, 6))), frame_b=b2.Frame(), length=s.by(1))
    world.create_distance_joint(
        c, d, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=s.by(1), enable_spring=True, hertz=1,
        damping_ratio=0.2,
        enable_limit=True, min_length=s.by(0.5), max_length=s.by(1.25),
    )  # fmt: skip
    e = part(-4, 2)
    world.create_prismatic_joint(
        ground, e, anchor=s.by((-4, 2)), axis=(1, 0.5), enable_limit=True, lower_translation=s.by(-0.5),
        upper_translation=s.by(0.75), enable_motor=True, motor_speed=s.by(1), max_motor_force=5 * force,
    )  # fmt: skip
    chassis = s.body("dynamic", (0, -1), s.box(0.8, 0.2))
    for x in (-0.6, 0.6):
        wheel = s.body("dynamic", (x, -1.4), s.circle(0.3), friction=0.9)
        world.create_wheel_joint(
            chassis, wheel, anchor=s.by((x, -1.4)), axis=(0, 1), hertz=3, damping_ratio=0.5, enable_spring=True,
            enable_motor=True, motor_speed=-4, max_motor_torque=2 * torque, enable_limit=True,
            lower_translation=s.by(-0.2), upper_translation=s.by(0.2),
        )  # fmt: skip
    f, g = part(3, 2), part(3.6, 2)
    world.create_weld_joint(ground, f, anchor=s.by((2.7, 2)))
    world.create_weld_joint(f, g, anchor=s.by((3.3, 2)), angular_hertz=2, angular_damping_ratio=0.5, linear_hertz=4)
    h = part(6, 1)
    world.create_motor_joint(
        ground, h, anchor=s.by((6, 1)), linear_velocity=s.by((0.5, 0.25)), max_velocity_force=8 * force,
        angular_velocity=1,
        max_velocity_torque=torque,
    )  # fmt: skip
    i, j = part(8, 2), part(10, 2)
    world.create_pulley_joint(
        i, j, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=s.by((8, 5)), ground_anchor_b=s.by((10, 5)),
        ratio=2,
    )  # fmt: skip
    world.create_rope_joint(
        ground, part(12, 3), local_anchor_a=s.by((12, 6)), local_anchor_b=(0, 0), max_length=s.by(2)
    )


SCENES = {"terrain": (terrain, 450), "machines": (machines, 300)}


def questions(s: Scaled) -> list[Any]:
    """What queries answer, lengths in metres."""
    starts = [s.by((0.7 * k - 9, 4 - 0.1 * k)) for k in range(24)]
    ways = [s.by((0.5 * (k % 5) - 1, -5)) for k in range(24)]
    casts = s.world.shape_casts(s.circle(0.2), starts, None, ways)
    nearest, rays = s.world.nearests(starts, s.by(5)), s.world.ray_casts(starts, ways)
    hero = b2.Mover(s.world, s.capsule(0.2, 0.2), s.by((4.5, 1)), velocity=s.by((1, -3)))
    for _ in range(10):
        hero.move(DT)
    found = [
        (hits["shape"].tolist(), (hits["point"] / s.unit).tolist(), hits["normal"].tolist())
        for hits in (casts, nearest, rays)
    ]
    place = [x / s.unit for x in hero.position]
    return [found, casts["fraction"].tolist(), (nearest["distance"] / s.unit).tolist(), place]


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("unit", POWERS)
def test_length_units_that_are_powers_of_two_give_the_same_bits(scene: str, unit: float) -> None:
    make, steps = SCENES[scene]
    ours, metres = Scaled(unit), Scaled(1.0)
    most = [0] * 4
    for s in (ours, metres):
        make(s)
    for number in range(steps):
        counts = []
        for s in (ours, metres):
            s.world.step(DT)
            c, events = s.world.counters, s.world.events
            counts.append(
                (c.touching, c.contacts, len(events.contact_hit), sum(move.fell_asleep for move in events.body_move))
            )
        assert counts[0] == counts[1], number
        most = [max(pair) for pair in zip(most, counts[0], strict=True)]
        if number % 10 == 9:
            for body, (mine, theirs) in enumerate(zip(ours.state(), metres.state(), strict=True)):
                assert mine == theirs, (number, body)
    assert questions(ours) == questions(metres)
    assert min(most) > 0 or scene == "machines"  # contacts, hits and bodies that fall asleep have been seen
    ours.world.validate()


def quiet(s: Scaled) -> list[b2.Body]:
    """Motions that do not amplify rounding errors: a stack, a sliding box that stops, a bouncing ball, a shot at a thin
    wall."""
    s.body("static", (0, -1), s.box(40, 1))
    s.body("static", (20, 1), s.box(0.02, 1))
    bodies = [s.body("dynamic", (0, 0.5 + k), s.box(0.5, 0.5)) for k in range(6)]
    bodies.append(s.body("dynamic", (3, 0.25), s.box(0.5, 0.25), linear_velocity=(6, 0), friction=0.4))
    bodies.append(s.body("dynamic", (-5, 3), s.circle(0.4), restitution=0.6, rolling_resistance=0.1))
    bodies.append(s.body("dynamic", (12, 1), s.box(0.2, 0.2), linear_velocity=(300, 0)))
    return bodies


@pytest.mark.parametrize("unit", [100.0, 32.0, 0.3, 3000.0])
def test_other_length_units_give_the_same_motion(unit: float) -> None:
    ours, metres = Scaled(unit), Scaled(1.0)
    pairs = list(zip(quiet(ours), quiet(metres), strict=True))
    asleep: dict[b2.Body, int] = {}
    for number in range(300):
        for s in (ours, metres):
            s.world.step(DT)
        assert ours.world.counters.touching == pytest.approx(metres.world.counters.touching, abs=1), number
        if number < 100:
            assert ours.world.counters.contacts == metres.world.counters.contacts, number
        for mine, theirs in pairs:
            assert [x / unit for x in mine.position] == pytest.approx(theirs.position, abs=1e-3), number
            for body in (mine, theirs):
                if not body.awake:
                    asleep.setdefault(body, number)
    for mine, theirs in pairs:
        assert abs(asleep[mine] - asleep[theirs]) <= 5


def test_boxes_measured_in_pixels_rest_at_the_right_height() -> None:
    """Boxes of 32 pixels at 32 pixels a metre: they sink by no more than half a pixel, and sleep."""
    world = b2.World(gravity=(0, -320), length_unit=32)
    world.create_static_body((0, -32)).create_shape(b2.Box(640, 32))
    boxes = [world.create_dynamic_body((0, 16 + 32 * k)) for k in range(5)]
    for box in boxes:
        box.create_shape(b2.Box(16, 16), density=0.001)
    for _ in range(180):
        world.step(DT)
    for k, box in enumerate(boxes):
        assert box.position.y == pytest.approx(16 + 32 * k, abs=0.5)
        assert not box.awake


def test_the_length_unit_cannot_change_while_there_are_shapes() -> None:
    world = b2.World(length_unit=2)
    body = world.create_static_body()
    shape = body.create_shape(b2.Circle(1))
    with pytest.raises(ValueError, match="length_unit"):
        world.length_unit = 3
    shape.destroy()
    world.length_unit = 3
    assert world.length_unit == 3
    for bad in (0, -1, math.nan, math.inf, 1e7):
        with pytest.raises(ValueError, match="length_unit"):
            b2.World(length_unit=bad)
