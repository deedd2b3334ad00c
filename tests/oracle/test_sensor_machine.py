"""A Hypothesis state machine compares sensors with plain geometry after every kind of change that a user may make.

After each step it checks: a shape that ended its visit had begun it, and one that begins was not inside;
`Shape.overlaps` agrees with the events; every visitor that overlaps the sensor at the final poses is inside; a visitor
that is inside without overlapping passed through the sensor during that step. The calls are the same in every run;
`make fuzz` makes other ones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import box2dpy as b2

DT = 1 / 60
SLOP = 0.005
SAMPLES = 400
Pair = tuple[b2.Shape, b2.Shape]

# Irregular numbers: no two shapes are exactly flush, because rounding would decide then.
grid = st.integers(-9, 9).map(lambda k: 0.37 * k + 0.0137)
near = st.integers(-2, 2).map(lambda k: 0.31 * k + 0.0137)
place = st.one_of(st.tuples(near, near), st.tuples(grid, grid))
angle = st.integers(-6, 6).map(lambda k: 0.51 * k)
kinds = st.sampled_from(["static", "kinematic", "dynamic"])
sizes = st.sampled_from([0.1037, 0.41, 0.913])
geometries = st.one_of(
    sizes.map(b2.Circle),
    sizes.map(lambda s: b2.Box(s, 0.207)),
    sizes.map(lambda s: b2.Capsule((-s, 0), (s, 0.1), 0.053)),
    sizes.map(lambda s: b2.Segment((0.03, -s), (0, s))),
)
speeds = st.one_of(
    st.just((0.0, 0.0)), st.tuples(st.integers(-3, 3), st.integers(-3, 3)),
    st.tuples(st.sampled_from([-390, -170, 60, 250]), st.sampled_from([-210, 0, 0, 90])),
)  # fmt: skip
filters = st.builds(b2.Filter, st.integers(1, 3), st.integers(1, 3), st.sampled_from([0, 0, 0, -1, 2]))
which = st.integers(0, 99)


def half_width(geometry: b2.Geometry) -> float:
    """The extent in its narrowest direction, by which the engine calls a motion fast."""
    if isinstance(geometry, b2.Segment):
        return 0.0
    return geometry.radius if isinstance(geometry, (b2.Circle, b2.Capsule)) else 0.103


def missed_depth(sensor: b2.Shape, visitor: b2.Shape) -> float:
    """How deep a fast visitor may graze a sensor without an event, in metres.

    The time of impact of rounded shapes is that at which they overlap by half the linear slop, and it is found up to a
    quarter slop earlier. Shapes without rounding meet when they are still apart.
    """
    radius = sum(getattr(shape.geometry, "radius", 0.0) for shape in (sensor, visitor))
    return 0.5 * SLOP + 1e-6 if radius > SLOP else 0.0


def filters_meet(a: b2.Filter, b: b2.Filter) -> bool:
    if a.group == b.group != 0:
        return a.group > 0
    return bool(a.mask & b.category and b.mask & a.category)


class Sensors(RuleBasedStateMachine):
    @initialize(
        workers=st.integers(1, 3), broadphase=st.sampled_from(b2.lab.NAMES["broadphase"][1:]), wall=st.booleans()
    )
    def start(self, workers: int, broadphase: str, wall: bool) -> None:
        self.world = b2.World(gravity=(0, -1), workers=workers, broadphase=broadphase, sleep_time=0.05)
        self.inside: set[Pair] = set()
        self.swept: set[Pair] = set()  # those of `inside` that only passed through
        self.salt: int | None = None
        if wall:  # it stops dynamic bodies
            self.world.create_static_body((1.5, 0)).create_shape(b2.Box(0.1, 4), sensor_events=True)
        self.create("static", (0.0137, 0.0137), 0.0, (0, 0), b2.Box(0.913, 0.913), True, False, True)
        for kind, x in (
            ("static", 0.7),
            ("kinematic", 0.3),
            ("dynamic", -0.2),
            ("dynamic", 2.3),
        ):  # some sleep inside the sensor, one outside
            self.create(kind, (x, 0.4), 0.0, (0, 0), b2.Circle(0.1037), False, True, False)
        self.create("kinematic", (-3.1, 0.0137), 0.0, (250, 0), b2.Circle(0.1037), False, True, True)

    # what a user may do between steps

    @rule(
        kind=kinds, at=place, angle=angle, speed=speeds, geometry=geometries, sensor=st.booleans(),
        visits=st.booleans(),
        awake=st.booleans(),
    )  # fmt: skip
    def create(
        self, kind: str, at: tuple[float, float], angle: float, speed: Any, geometry: b2.Geometry, sensor: bool,
        visits: bool, awake: bool
    ) -> None:  # fmt: skip
        if len(self.world.bodies) > 9:
            return
        moving = {} if kind == "static" else {"linear_velocity": speed, "awake": awake}
        body = getattr(self.world, f"create_{kind}_body")(at, angle, **moving)
        body.create_shape(geometry, sensor=sensor, sensor_events=visits)

    def body(self, k: int) -> b2.Body:
        return list(self.world.bodies)[k % len(self.world.bodies)]

    def shape(self, k: int) -> b2.Shape:
        return list(self.world.shapes)[k % len(self.world.shapes)]

    @precondition(lambda self: len(self.world.bodies) > 2)
    @rule(k=which)
    def destroy_body(self, k: int) -> None:
        self.body(k).destroy()

    @precondition(lambda self: len(self.world.shapes) > 1)
    @rule(k=which)
    def destroy_shape(self, k: int) -> None:
        self.shape(k).destroy()

    @rule(k=which, geometry=geometries, sensor=st.booleans())
    def add_shape(self, k: int, geometry: b2.Geometry, sensor: bool) -> None:
        if len(self.body(k).shapes) < 3:
            self.body(k).create_shape(geometry, sensor=sensor, sensor_events=not sensor)

    @rule(k=which, on=st.booleans())
    def enable(self, k: int, on: bool) -> None:
        self.body(k).enabled = on

    @rule(k=which, kind=kinds)
    def change_type(self, k: int, kind: str) -> None:
        self.body(k).type = kind  # type: ignore[assignment]

    @rule(k=which, at=place, angle=angle)
    def teleport(self, k: int, at: tuple[float, float], angle: float) -> None:
        self.body(k).position, self.body(k).angle = at, angle  # type: ignore[assignment]

    @rule(k=which, speed=speeds)
    def throw(self, k: int, speed: tuple[float, float]) -> None:
        if self.body(k).type != b2.BodyType.STATIC:
            self.body(k).linear_velocity = speed  # type: ignore[assignment]

    @rule(k=which, awake=st.booleans())
    def sleep_or_wake(self, k: int, awake: bool) -> None:
        self.body(k).awake = awake

    @rule(k=which, value=filters)
    def filter(self, k: int, value: b2.Filter) -> None:
        if len(self.world.shapes):
            self.shape(k).filter = value

    @rule(k=which, geometry=geometries)
    def geometry(self, k: int, geometry: b2.Geometry) -> None:
        if len(self.world.shapes):
            self.shape(k).geometry = geometry

    @rule(k=which, on=st.booleans())
    def sensor(self, k: int, on: bool) -> None:
        if len(self.world.shapes):
            self.shape(k).sensor = on

    @rule(k=which, on=st.booleans())
    def sensor_events(self, k: int, on: bool) -> None:
        if len(self.world.shapes):
            self.shape(k).sensor_events = on

    @rule(salt=st.one_of(st.none(), st.integers(0, 5)))
    def user_filter(self, salt: int | None) -> None:
        self.salt = salt
        self.world.on_filter = None if salt is None else self.allows

    def allows(self, a: b2.Shape, b: b2.Shape) -> bool:
        return self.salt is None or (a.index + 2 * b.index + self.salt) % 3 != 0

    @rule()
    def empty_step(self) -> None:
        self.step(0.0)

    @rule()
    def one_step(self) -> None:
        self.step(DT)

    @rule(count=st.integers(1, 6))
    def steps(self, count: int) -> None:
        for _ in range(count):
            self.step(DT)

    # what must hold

    def may_see(self, sensor: b2.Shape, visitor: b2.Shape) -> bool:
        if visitor.sensor or not visitor.sensor_events or sensor.body is visitor.body:
            return False
        if not (sensor.body.enabled and visitor.body.enabled and filters_meet(sensor.filter, visitor.filter)):
            return False
        return self.allows(sensor, visitor)

    def step(self, dt: float) -> None:
        world = self.world
        before = {body: (body.position, body.angle) for body in world.bodies}
        past = self.inside - self.swept
        world.step(dt)
        world.validate()
        for end in world.events.sensor_end:
            self.inside.remove((end.sensor, end.visitor))
        for begin in world.events.sensor_begin:
            assert (begin.sensor, begin.visitor) not in self.inside
            self.inside.add((begin.sensor, begin.visitor))
        self.swept = set()
        for sensor in world.shapes:
            if not sensor.sensor:
                assert sensor.overlaps == []
                continue
            for visitor in world.shapes:
                self.check(sensor, visitor, before, past, dt)

    def check(
        self, sensor: b2.Shape, visitor: b2.Shape, before: dict[b2.Body, Any], past: set[Pair], dt: float
    ) -> None:
        pair = sensor, visitor
        inside = pair in self.inside
        if not self.may_see(*pair):
            assert not inside, pair
            return
        a, b = sensor.body, visitor.body
        gap = b2.distance(
            sensor.geometry, visitor.geometry, position_a=a.position, angle_a=a.angle, position_b=b.position,
            angle_b=b.angle,
        ).distance  # fmt: skip
        if gap <= 0:
            assert inside, f"{pair} overlap and no event says so"
            return
        if gap < 1e-5:
            return
        turned = any(abs(math.remainder(body.angle - before[body][1], math.tau)) > 1e-3 for body in (a, b))
        if turned:  # it did not move along a straight line, so its sweep is not known here
            if inside:
                self.swept.add(pair)
            return
        fast = [self.is_fast(body, before[body][0]) for body in (a, b)]
        if not inside and (True not in fast or pair in past or dt == 0):
            return
        assert not (inside and (dt == 0 or fast == [False, False])), f"{pair} lie apart and are inside"
        start = np.subtract(before[b][0], before[a][0])
        end = np.subtract(b.position, a.position)
        way = start + np.linspace(0, 1, SAMPLES + 1)[:, None] * (end - start)
        least = b2.distances(sensor.geometry, visitor.geometry, way, np.full(len(way), b.angle), angles_a=a.angle)[
            "distance"
        ].min()
        if inside:
            assert pair not in past, f"{pair} has left"
            assert least <= SLOP + np.linalg.norm(end - start) / SAMPLES, f"{pair} did not come near each other"
            self.swept.add(pair)
        else:
            assert least > -missed_depth(*pair), f"{pair} passed through each other unseen"

    @staticmethod
    def is_fast(body: b2.Body, start: Any) -> bool | None:
        """None when the speed is too close to the limit to decide."""
        if body.type == b2.BodyType.STATIC:
            return False
        travel = math.dist(start, body.position)
        width = min((half_width(shape.geometry) for shape in body.shapes), default=0.0)
        return True if travel > 0.75 * width + 1e-3 else None if travel > 0.25 * width else False

    @invariant()
    def lists_are_what_the_events_say(self) -> None:
        if not hasattr(self, "inside"):
            return
        listed = {(shape, other) for shape in self.world.shapes if shape.sensor for other in shape.overlaps}
        assert listed == {pair for pair in self.inside if pair[0].alive and pair[0].sensor and pair[1].alive}

    def teardown(self) -> None:
        if not hasattr(self, "inside"):
            return
        for body in list(self.world.bodies):
            body.destroy()
        self.world.step(DT)
        for end in self.world.events.sensor_end:
            self.inside.remove((end.sensor, end.visitor))
        assert not self.inside and not self.world.events.sensor_begin
        self.world.close()


Sensors.TestCase.settings = settings(max_examples=150, stateful_step_count=40, report_multiple_bugs=False)
TestSensors = Sensors.TestCase
