"""`box2dpy.compat`: contacts, filters and queries of the Box2D 2.3 bindings."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy as b2
import box2dpy.compat

box2dpy.compat.install()

import Box2D  # noqa: E402
from Box2D.b2 import (  # noqa: E402
    AABB,
    chainShape,
    circleShape,
    contactFilter,
    contactListener,
    edgeShape,
    filter,
    fixtureDef,
    getPointStates,
    polygonShape,
    queryCallback,
    rayCastCallback,
    rayCastInput,
    rayCastOutput,
    world,
)

from ..seeds import draws  # noqa: E402
from .compat_help import DT, Log, ball, box, ground, steps  # noqa: E402

# -- contacts


def test_a_listener_is_told_of_begin_and_end() -> None:
    log = Log()
    simulation = world(contactListener=log)
    floor, body = ground(simulation), box(simulation, (0, 0.6))
    floor.userData, body.userData = "floor", "box"
    steps(simulation, 60)
    assert log.calls == [("begin", {"floor", "box"})]
    [edge] = body.contacts
    assert (edge.other, edge.contact.touching, edge.contact.manifold.pointCount) == (floor, True, 2)
    assert abs(edge.contact.worldManifold.normal.y) == pytest.approx(1)
    assert simulation.contactCount == len(simulation.contacts) == 1
    body.linearVelocity = 0, 8
    steps(simulation, 10)
    assert log.names() == ["begin", "end"]
    simulation.contactListener = None
    steps(simulation, 120)
    assert log.names() == ["begin", "end"]


def test_velocities_in_begin_contact_are_those_before_the_impact() -> None:
    class Speed(contactListener):
        seen = 0.0

        def BeginContact(self, contact: Any) -> None:
            self.seen = min(contact.fixtureA.body.linearVelocity.y, contact.fixtureB.body.linearVelocity.y)

    listener = Speed()
    simulation = world(contactListener=listener)
    ground(simulation)
    body = box(simulation, (0, 3))
    steps(simulation, 90)
    assert listener.seen < -6
    assert body.linearVelocity.y == pytest.approx(0, abs=0.01)


def test_a_listener_may_push_bodies_and_not_create_or_destroy_them() -> None:
    class Jump(contactListener):
        errors = 0

        def BeginContact(self, contact: Any) -> None:
            body = max(contact.fixtureA.body, contact.fixtureB.body, key=lambda each: each.type)
            body.linearVelocity = 0, 5
            body.ApplyLinearImpulse((0, 1), body.worldCenter, True)
            body.fixtures[0].friction = 0.7
            for change in (
                lambda: body.world.DestroyBody(body),
                lambda: body.world.CreateStaticBody(),
                lambda: body.CreateCircleFixture(radius=1),
                lambda: setattr(body, "position", (0, 0)),
                lambda: body.world.Step(DT, 8, 3),
            ):
                with pytest.raises(b2.WorldLockedError):
                    change()
                self.errors += 1

    listener = Jump()
    simulation = world(contactListener=listener)
    ground(simulation)
    body = box(simulation, (0, 0.6))
    while not listener.errors:
        simulation.Step(DT, 8, 3)
    assert tuple(body.linearVelocity) == pytest.approx((0, 6))
    assert body.fixtures[0].friction == pytest.approx(0.7)
    assert (listener.errors, simulation.bodyCount, simulation.locked) == (5, 2, False)


def test_an_exception_of_a_listener_leaves_step() -> None:
    class Wrong(contactListener):
        def BeginContact(self, contact: Any) -> None:
            raise KeyError("mine")

    simulation = world(contactListener=Wrong())
    ground(simulation)
    box(simulation, (0, 0.5))
    with pytest.raises(KeyError, match="mine"):
        steps(simulation, 2)
    simulation.contactListener = None
    steps(simulation, 2)


def test_destroying_a_touching_body_or_fixture_ends_its_contacts_at_once() -> None:
    log = Log()
    simulation = world(contactListener=log)
    floor = ground(simulation)
    first, second = box(simulation, (0, 0.5)), box(simulation, (3, 0.5))
    floor.userData, first.userData, second.userData = "floor", "first", "second"
    steps(simulation, 2)
    assert log.names() == ["begin", "begin"]
    simulation.DestroyBody(first)
    assert log.calls[2:] == [("end", {"floor", "first"})]
    floor.DestroyFixture(floor.fixtures[0])
    assert log.calls[3:] == [("end", {"floor", "second"})]
    steps(simulation, 2)
    assert len(log.calls) == 4


def test_an_edge_that_its_neighbour_hides_ends_when_the_shapes_part() -> None:
    log = Log()
    simulation = world(gravity=(0, -10), contactListener=log)
    floor = simulation.CreateStaticBody()
    for k in range(-3, 3):
        floor.CreateEdgeFixture(vertices=[(k, 0), (k + 1, 0)], friction=0)
    body = box(simulation, (-1.5, 0.5), half=0.25, friction=0)
    body.linearVelocity = 2, 0
    steps(simulation, 60)
    names = log.names()
    assert body.position.x > 0
    assert names[0] == "begin"
    assert names.count("begin") - names.count("end") >= 1  # it touches all the time
    assert set(simulation._reports.reported.values()) == {1}


def test_sensors_are_told_like_other_contacts_one_step_after_they_are_reached() -> None:
    class Where(Log):
        def note(self, name: str, contact: Any) -> None:
            assert contact.fixtureA.sensor != contact.fixtureB.sensor
            assert contact.manifold.pointCount == 0
            self.calls.append((name, visitor.position.x))

    log = Where()
    simulation = world(gravity=(0, 0), contactListener=log)
    gate = simulation.CreateStaticBody(fixtures=fixtureDef(shape=polygonShape(box=(0.5, 5)), isSensor=True))
    simulation.CreateStaticBody(shapes=polygonShape(box=(1, 1)))  # static bodies do not visit
    visitor = ball(simulation, (-3, 4), radius=0.5)
    visitor.linearVelocity = 6, 0
    steps(simulation, 60)
    assert log.names() == ["begin", "end"]
    assert log.calls[0][1] == pytest.approx(-1, abs=0.11)
    assert log.calls[1][1] == pytest.approx(1, abs=0.11)
    visitor.position = 0, 4
    visitor.linearVelocity = 0, 0
    simulation.Step(DT, 8, 3)
    assert log.names() == ["begin", "end", "begin"]  # a body that was moved by hand is found in the next step
    simulation.DestroyBody(gate)
    assert log.names() == ["begin", "end", "begin", "end"]


def test_a_fixture_may_become_a_sensor() -> None:
    simulation = world()
    floor, body = ground(simulation), box(simulation, (0, 0.5))
    floor.fixtures[0].sensor = True
    steps(simulation, 30)
    assert body.position.y < 0


def test_pre_solve_may_disable_a_contact_and_still_hears_its_begin_and_end() -> None:
    class Platform(Log):
        def PreSolve(self, contact: Any, oldManifold: Any) -> None:
            assert self.names()[-1:] == ["begin"]
            state1, state2 = getPointStates(oldManifold, contact.manifold)
            self.states = state1[: oldManifold.pointCount] + state2[: contact.manifold.pointCount]
            contact.enabled = False

    log = Platform()
    simulation = world(contactListener=log)
    ground(simulation)
    body = box(simulation, (0, 2))
    steps(simulation, 120)
    assert body.position.y < -2.6
    assert log.names() == ["begin", "end"]
    assert set(log.states) <= {Box2D.b2_persistState, Box2D.b2_addState, Box2D.b2_removeState}


def test_pre_solve_may_change_friction_and_belt_speed() -> None:
    class Belt(contactListener):
        def PreSolve(self, contact: Any, oldManifold: Any) -> None:
            contact.friction = 1.0
            contact.tangentSpeed = 2.0

    simulation = world(contactListener=Belt())
    ground(simulation)
    body = box(simulation, (0, 0.5), friction=0.0)
    steps(simulation, 60)
    assert abs(body.linearVelocity.x) == pytest.approx(2, rel=0.02)


def test_post_solve_gives_the_impulses_of_a_step() -> None:
    class Weigh(contactListener):
        total = peak = 0.0

        def PostSolve(self, contact: Any, impulse: Any) -> None:
            assert impulse.count == len(impulse.normalImpulses) == contact.manifold.pointCount
            self.total = sum(impulse.normalImpulses)
            self.peak = max(self.peak, self.total)

    scale = Weigh()
    simulation = world(contactListener=scale, doSleep=False)
    ground(simulation)
    body = box(simulation, (0, 3))
    steps(simulation, 120)
    assert scale.total == pytest.approx(body.mass * 10 * DT, rel=0.02)
    assert scale.peak == pytest.approx(body.mass * math.sqrt(2 * 10 * 2.5), rel=0.3)  # of the impact


def test_filters_groups_and_a_filter_of_the_user() -> None:
    simulation = world()
    ground(simulation)
    ghost = box(simulation, (0, 0.5), categoryBits=2, maskBits=2)
    friend = box(simulation, (3, 0.5))
    refused = box(simulation, (6, 0.5))

    class Mine(contactFilter):
        def ShouldCollide(self, fixtureA: Any, fixtureB: Any) -> bool:
            return refused not in (fixtureA.body, fixtureB.body) and contactFilter.ShouldCollide(
                self, fixtureA, fixtureB
            )

    simulation.contactFilter = Mine()
    steps(simulation, 30)
    assert ghost.position.y < 0
    assert refused.position.y < 0
    assert friend.position.y == pytest.approx(0.5, abs=0.02)
    friend.fixtures[0].filterData.maskBits = 2  # one bit of a filter that is in use
    assert friend.fixtures[0].filterData.maskBits == 2
    friend.awake = True
    steps(simulation, 30)
    assert friend.position.y < 0
    a, b = (box(simulation, (20, y), half=0.4, filter=filter(groupIndex=-3)) for y in (5, 5.2))
    simulation.contactFilter = None
    steps(simulation, 1)
    assert a.contacts == b.contacts == []


# -- queries


class Ray(rayCastCallback):
    def __init__(self, answer: Any) -> None:
        rayCastCallback.__init__(self)
        self.answer, self.seen = answer, []

    def ReportFixture(self, fixture: Any, point: Any, normal: Any, fraction: float) -> Any:
        self.seen.append((fixture.body.userData, round(fraction, 3)))
        self.last = point, normal
        return fraction if self.answer == "closest" else self.answer


@pytest.mark.parametrize("sensors", [False, True])
def test_rays_follow_the_answers_of_the_callback(sensors: bool) -> None:
    simulation = world()
    for name, x in (("c", 6), ("a", 2), ("b", 4)):
        simulation.CreateStaticBody(position=(x, 0), shapes=polygonShape(box=(0.5, 0.5)), userData=name)
    if sensors:
        simulation.CreateStaticBody(
            position=(2, 5), userData="zone", fixtures=fixtureDef(shape=circleShape(radius=5), isSensor=True)
        )
    every = [("a", 0.15), ("b", 0.35), ("c", 0.55)]
    for answer, seen in (("closest", every[:1]), (0.0, every[:1]), (1.0, every), (-1.0, every), (0.4, every[:2])):
        callback = Ray(answer)
        simulation.RayCast(callback, (0, 0.2), (10, 0.2))
        assert [row for row in callback.seen if row[0] != "zone"] == seen or answer in ("closest", 0.0)
        assert callback.seen[0] == (("zone", 0.06) if sensors else every[0])
    callback = Ray("closest")
    simulation.RayCast(callback, point1=(0, 0.2), point2=(1, 0.2))
    assert [row for row in callback.seen if row[0] != "zone"] == []
    with pytest.raises(TypeError):
        simulation.RayCast(Ray(None), (0, 0), (10, 0))
    with pytest.raises(TypeError):
        simulation.RayCast(print, (0, 0), (10, 0))


def test_rays_enter_what_each_fixture_alone_says() -> None:
    r = draws(41)

    def point(far: float) -> tuple[float, float]:
        return r.uniform(-far, far), r.uniform(-far, far)

    for _ in range(25):
        simulation, many = world(), r.choice((3, 12, 40))
        for _ in range(many):
            shape = r.choice(
                (
                    lambda: circleShape(pos=point(0.5), radius=r.uniform(0.1, 1)),
                    lambda: polygonShape(box=(r.uniform(0.1, 1), r.uniform(0.1, 1), point(0.5), r.random())),
                    lambda: polygonShape(vertices=[(math.cos(k), math.sin(k)) for k in range(r.randint(3, 13))]),
                    lambda: edgeShape(vertices=[point(2), point(2)]),
                    lambda: chainShape(vertices_chain=[(k, r.random()) for k in range(5)]),
                )
            )()
            fixture = fixtureDef(shape=shape, isSensor=r.random() < 0.3, maskBits=r.choice((0, 0xFFFF)))
            create = r.choice((simulation.CreateStaticBody, simulation.CreateDynamicBody))
            create(position=point(6), angle=r.uniform(-3, 3), fixtures=fixture, active=r.random() < 0.9)
        for _ in range(20):
            a, b = point(12), point(12)
            wanted = []
            for body in simulation.bodies:
                for fixture in body.fixtures if body.active else ():
                    for child in range(fixture.shape.childCount):
                        output = rayCastOutput()
                        if fixture.RayCast(output, rayCastInput(p1=a, p2=b, maxFraction=1), child):
                            wanted.append(output.fraction)
            wanted.sort()
            seen: list[float] = []

            class All(rayCastCallback):
                def ReportFixture(self, fixture: Any, at: Any, normal: Any, fraction: float) -> float:
                    seen.append(fraction)
                    along = (b[0] - a[0]) * normal.x + (b[1] - a[1]) * normal.y
                    assert along <= 0
                    assert at.x == pytest.approx(a[0] + fraction * (b[0] - a[0]), abs=1e-6)
                    return self.answer

            callback = All()
            callback.answer = 1.0
            simulation.RayCast(callback, a, b)
            assert seen == pytest.approx(wanted, abs=1e-5)
            seen.clear()
            callback.answer = 0.0
            simulation.RayCast(callback, a, b)
            assert seen == pytest.approx(wanted[:1], abs=1e-5)


def test_a_ray_in_a_callback_and_a_bad_point() -> None:
    simulation = world()
    for x in range(4):
        simulation.CreateStaticBody(position=(x, 0), shapes=polygonShape(box=(0.2, 0.2)))
    depth: list[int] = []

    class Nested(rayCastCallback):
        def ReportFixture(self, fixture: Any, point: Any, normal: Any, fraction: float) -> float:
            depth.append(len(depth))
            if len(depth) < 4:
                simulation.RayCast(Nested(), (point.x + 0.1, 0), (10, 0))
            return fraction

    simulation.RayCast(Nested(), (-5, 0), (10, 0))
    assert depth == [0, 1, 2, 3]
    for bad, error in ((("a", 0), TypeError), ((math.nan, 0), ValueError), (3, TypeError)):
        with pytest.raises(error):
            simulation.RayCast(Nested(), bad, (1, 0))


@pytest.mark.parametrize("length", [0.0, 1e-6, 0.004, 0.0051])
def test_edges_of_any_length_are_taken(length: float) -> None:
    for angle in (0.0, 1.0, 2.5):
        simulation = world(gravity=(0, -10))
        end = 1 + length * math.cos(angle), 2 + length * math.sin(angle)
        edge = edgeShape(vertices=[(1, 2), end])
        simulation.CreateStaticBody(fixtures=fixtureDef(shape=edge, friction=2.5))
        assert edge.vertices == [(1, 2), end]
        assert edge.vertexCount == 2
        ball = simulation.CreateDynamicBody(
            position=(1.0, 3), fixtures=fixtureDef(shape=circleShape(radius=0.2), density=1)
        )
        moving = simulation.CreateDynamicBody(position=(9, 9), fixtures=fixtureDef(shape=edge, density=3))
        assert moving.mass == 1  # as a body without mass in Box2D
        low = 9.0
        for _ in range(90):
            simulation.Step(1 / 60, 8, 3)
            low = min(low, ball.position.y) if abs(ball.position.x - 1) < 0.1 else low
        assert low == pytest.approx(2.21, abs=0.03)


def test_boxes_find_fixtures_until_the_callback_has_enough() -> None:
    simulation = world()
    bodies = [
        simulation.CreateStaticBody(
            position=(x, 0), fixtures=fixtureDef(shape=circleShape(radius=0.4), isSensor=x == 2)
        )
        for x in range(4)
    ]

    class Query(queryCallback):
        def __init__(self, more: bool) -> None:
            queryCallback.__init__(self)
            self.more, self.found = more, []

        def ReportFixture(self, fixture: Any) -> bool:
            self.found.append(fixture.body)
            return self.more

    query, first = Query(True), Query(False)
    simulation.QueryAABB(query, AABB(lowerBound=(-1, -1), upperBound=(2.2, 1)))
    simulation.QueryAABB(first, AABB(lowerBound=(-1, -1), upperBound=(2.2, 1)))
    assert set(query.found) == set(bodies[:3])
    assert len(first.found) == 1
