"""`box2dpy.compat`: bodies, fixtures and shapes of the Box2D 2.3 bindings."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

import box2dpy as b2
import box2dpy.compat

box2dpy.compat.install()

import Box2D  # noqa: E402
from Box2D.b2 import (  # noqa: E402
    bodyDef,
    chainShape,
    circleShape,
    destructionListener,
    dynamicBody,
    fixtureDef,
    loopShape,
    massData,
    polygonShape,
    rayCastCallback,
    rayCastInput,
    rayCastOutput,
    transform,
    world,
)

from .compat_help import DT, Log, ball, box, ground, steps  # noqa: E402

# -- shapes and fixtures


def test_polygons_are_hulls_with_the_order_of_the_bindings() -> None:
    shape = polygonShape(vertices=[(0, 0), (0, 1), (1, 1), (1, 0), (0.5, 0.5)])
    assert shape.vertices == [(1, 0), (1, 1), (0, 1), (0, 0)]
    assert shape.normals == [(1, 0), (0, 1), (-1, 0), (0, -1)]
    assert polygonShape(box=(1, 0.5)).vertices == [(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)]
    turned = polygonShape(box=(1, 2, (3, 4), math.pi / 2))
    assert turned.centroid == pytest.approx((3, 4), abs=1e-6)
    assert turned.vertices[0] == pytest.approx((5, 3))
    for wrong in ([(0, 0), (1, 0)], [(0, 0), (1, 0), (2, 0)], [(k, k * k) for k in range(17)], [(0, 1, 2), (1, 2)]):
        with pytest.raises(ValueError):
            polygonShape(vertices=wrong)


def test_polygons_of_up_to_16_corners_are_one_fixture() -> None:
    simulation = world(contactListener=Log())
    corners = [(math.cos(k * math.pi / 8), math.sin(k * math.pi / 8)) for k in range(16)]
    floor = ground(simulation)
    wheel = simulation.CreateDynamicBody(position=(0, 1.1))
    fixture = wheel.CreatePolygonFixture(vertices=corners, density=2, userData="wheel")
    floor.userData, wheel.userData = "floor", "wheel"
    assert wheel.mass == pytest.approx(2 * 8 * math.sin(math.pi / 8), rel=1e-5)
    assert fixture.shape.vertexCount == 16
    assert fixture.TestPoint((0.9, 1.1))
    steps(simulation, 60)
    assert simulation.contactListener.names() == ["begin"]
    wheel.DestroyFixture(fixture)
    assert simulation.contactListener.names() == ["begin", "end"]
    assert (wheel.fixtures, fixture.shape) == ([], None)


def test_a_definition_may_be_used_again_after_a_change_of_its_shape() -> None:
    simulation = world()
    definition = fixtureDef(shape=polygonShape(vertices=[(0, 0), (1, 0), (1, 1)]), density=1)
    first = simulation.CreateDynamicBody(fixtures=definition)
    definition.shape.vertices = [(0, 0), (2, 0), (2, 2)]
    second = simulation.CreateDynamicBody(fixtures=definition)
    assert (first.mass, second.mass) == pytest.approx((0.5, 2.0))
    assert first.fixtures[0].shape.vertices != second.fixtures[0].shape.vertices


def test_all_ways_to_create_fixtures() -> None:
    simulation = world()
    body = simulation.CreateBody(bodyDef(type=dynamicBody, position=(0, 4), fixtures=[]))
    assert body.type == Box2D.b2_dynamicBody
    made = [
        body.CreateFixture(fixtureDef(shape=circleShape(radius=1), density=1)),
        body.CreateFixture(shape=circleShape(pos=(0, 1), radius=1), friction=0.5),
        body.CreateCircleFixture(radius=0.2, pos=(0, 2), density=1, friction=0.2, isSensor=True, userData=4),
        body.CreatePolygonFixture(box=(1, 1), density=1, groupIndex=-2),
        body.CreateEdgeFixture(vertices=[None, (0, 0), (1, 0), (2, 0)]),
        body.CreateEdgeFixture(vertices=[(0, 0), (1, 0)], density=3),
        body.CreateChainFixture(vertices_chain=[(0, 0), (1, 0), (2, 1)]),
        body.CreateLoopFixture(vertices=[(0, 0), (1, 0), (2, 1)]),
        body.CreateFixturesFromShapes(circleShape(radius=1)),
        *body.CreateFixturesFromShapes([circleShape(radius=1)] * 2, fixtureDef(density=2)),
    ]
    assert body.fixtures == made
    assert [fixture.type for fixture in made] == [0, 0, 0, 2, 1, 1, 3, 3, 0, 0, 0]
    assert (made[2].sensor, made[2].userData, made[2].shape.pos) == (True, 4, (0, 2))
    assert made[3].filterData.groupIndex == -2
    assert made[6].shape.childCount == 2
    assert made[7].shape.vertices == [(0, 0), (1, 0), (2, 1), (0, 0)]
    assert made[-1].density == 2
    body.CreateEdgeChain([(0, 0), (1, 0), (2, 0)])
    assert len(body.fixtures) == len(made) + 2
    several = simulation.CreateStaticBody(
        fixtures=[fixtureDef(shape=circleShape(radius=1))],
        shapes=[circleShape(radius=1)] * 2,
        shapeFixture=fixtureDef(),
    )
    assert len(several.fixtures) == 3
    assert loopShape is chainShape


def test_fixtures_without_a_shape_and_unknown_keywords_raise_and_leave_nothing() -> None:
    simulation = world()
    body = simulation.CreateDynamicBody()
    for wrong in (
        lambda: body.CreateFixture(),
        lambda: body.CreateFixture(circleShape(radius=1)),
        lambda: body.CreateFixture(shape=5),
        lambda: body.CreateFixture(shape=circleShape()),
        lambda: body.CreateFixture(shape=circleShape(radius=1), frictoin=1),
        lambda: body.CreateFixture(shape=circleShape(radius=1), density=-1),
        lambda: body.CreateFixture(shape=circleShape(radius=1), maskBits=0x10000),
        lambda: body.CreateEdgeChain([]),
        lambda: simulation.CreateDynamicBody(colour=3),
        lambda: simulation.CreateDynamicBody(position=5),
        lambda: simulation.CreateDynamicBody(position=(math.nan, 0)),
        lambda: simulation.CreateDynamicBody(position=(1, 2, 3)),
        lambda: simulation.CreateDynamicBody(fixtures=circleShape(radius=1)),
        lambda: simulation.CreateBody(type=3),
        lambda: world(foo=3),
        lambda: simulation.Step(DT, 8.5, 3),
        lambda: simulation.Step(-DT, 8, 3),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    assert (simulation.bodies, body.fixtures) == ([body], [])
    simulation.box2dpy.validate()


def test_a_fixture_answers_points_rays_and_boxes() -> None:
    simulation = world()
    body = simulation.CreateStaticBody(position=(5, 0), shapes=polygonShape(box=(1, 1)))
    fixture = body.fixtures[0]
    output = rayCastOutput()
    assert fixture.RayCast(output, rayCastInput(p1=(0, 0), p2=(10, 0), maxFraction=1), 0)
    assert (output.fraction, output.normal) == (pytest.approx(0.4), (-1, 0))
    assert not fixture.RayCast(output, rayCastInput(p1=(0, 0), p2=(10, 0), maxFraction=0.3), 0)
    assert fixture.TestPoint((5.5, 0.5))
    assert not fixture.TestPoint((6.5, 0.5))
    assert (5.9, 0.9) in fixture.GetAABB(0)
    assert fixture.massData.mass == 0.0
    assert fixture.shape.getMass(2.0).mass == pytest.approx(8.0)
    assert fixture.shape.TestPoint(body.transform, (5.5, 0.5))
    assert Box2D.b2TestOverlap(fixture.shape, 0, circleShape(radius=1), 0, body.transform, transform((6.5, 0)))


def test_polygons_and_edges_are_rounded_in_collisions_only() -> None:
    simulation = world()
    floor = simulation.CreateStaticBody(position=(3, 1), angle=0.5 * math.pi)
    floor.CreateEdgeFixture(vertices=[(-1, -20), (-1, 20)])  # along y = 0
    slab = simulation.CreateDynamicBody(
        position=(0, 1), angle=0.1, fixtures=fixtureDef(shape=polygonShape(box=(1, 0.1, (0.5, 0), 0)), density=2.0)
    )
    roller = ball(simulation, (8, 0.5))
    data = slab.massData
    assert (data.mass, tuple(data.center)) == (pytest.approx(0.8), pytest.approx((0.5, 0)))
    assert data.I / data.mass == pytest.approx((4 + 0.04) / 12 + 0.25, rel=1e-5)
    assert slab.fixtures[0].GetAABB(0).upperBound.x > 1.5
    steps(simulation, 200)
    assert slab.position.y - 0.1 == pytest.approx(0.0175, abs=0.004)  # Box2D 2.3: 0.015
    assert roller.position.y - 0.5 == pytest.approx(0.0075, abs=0.004)  # 0.005
    assert not slab.fixtures[0].TestPoint((0.5, slab.position.y + 0.105))
    assert slab.fixtures[0].TestPoint((0.5, slab.position.y + 0.095))

    class Down(rayCastCallback):
        def ReportFixture(self, fixture: Any, point: Any, normal: Any, fraction: float) -> float:
            heights.append((point.y, tuple(normal)))
            return 1.0

    heights: list[Any] = []
    simulation.RayCast(Down(), (0.5, 2), (0.5, -1))
    assert heights[0] == (pytest.approx(slab.position.y + 0.1, abs=1e-5), pytest.approx((0, 1), abs=1e-3))
    assert heights[1] == (pytest.approx(0, abs=1e-6), pytest.approx((0, 1), abs=1e-6))


@pytest.mark.parametrize("height", [0.6 + k / 100 for k in range(21)])
def test_a_limb_that_a_motor_swings_stops_in_the_step_in_which_it_hits(height: float) -> None:
    log = Log()
    simulation = world(contactListener=log, gravity=(0, 0))
    ground(simulation)
    hip = simulation.CreateDynamicBody(
        position=(0, height), fixtures=fixtureDef(shape=polygonShape(box=(1, 0.2)), density=50)
    )
    leg = simulation.CreateDynamicBody(
        position=(0.5, height), fixtures=fixtureDef(shape=polygonShape(box=(0.5, 0.1)), density=1)
    )
    hip.fixtures[0].filterData.maskBits = 0
    simulation.CreateRevoluteJoint(
        bodyA=hip, bodyB=leg, anchor=(0, height), enableMotor=True, motorSpeed=-4.5, maxMotorTorque=200
    )
    path = [(leg.angle, 0.0)]
    while not log.names() and len(path) < 60:
        steps(simulation, 1)
        path.append((leg.angle, leg.angularVelocity))
    if path[-1][1] < -1:  # told of up to 2 cm before it touches
        assert leg.GetWorldPoint((0.5, -0.1)).y > 0
        steps(simulation, 1)
        path.append((leg.angle, leg.angularVelocity))
    assert path[-2][1] < -4
    assert path[-1][1] > -1
    # Until then it goes on. Continuous collision alone stops it one step before its speed changes and it is told of.
    for (before, _), (after, speed) in pairwise(path[1:-1]):
        assert after - before == pytest.approx(speed * DT, rel=0.05)


def test_changing_the_shape_of_a_fixture_changes_the_fixture() -> None:
    simulation = world(gravity=(0, 0))
    body = ball(simulation, (0, 0), radius=1)
    body.fixtures[0].shape.radius = 2
    assert body.mass == pytest.approx(math.pi)
    assert body.fixtures[0].TestPoint((1.5, 0))
    body.ResetMassData()
    assert body.mass == pytest.approx(4 * math.pi)
    body.fixtures[0].shape.pos.x = 1
    assert body.fixtures[0].TestPoint((2.9, 0))


# -- bodies


def test_properties_of_bodies() -> None:
    simulation = world()
    body = simulation.CreateDynamicBody(
        position=(0, 2), angle=7.0, linearVelocity=(1, 0), angularVelocity=0.5, linearDamping=0.1, angularDamping=0.2,
        gravityScale=0.5, bullet=True, fixedRotation=True, allowSleep=False, userData={"a": 1},
        fixtures=fixtureDef(shape=polygonShape(box=(1, 0.5, (1, 0), 0)), density=2),
    )  # fmt: skip
    assert body.angle == pytest.approx(7.0)  # whole turns count
    assert body.position == (0, 2)
    body.linearVelocity = 1, 0
    assert (body.linearDamping, body.angularDamping, body.gravityScale) == pytest.approx((0.1, 0.2, 0.5))
    assert (body.bullet, body.fixedRotation, body.sleepingAllowed, body.awake, body.active) == (True, True, False) + (
        True,
    ) * 2
    assert (body.mass, body.userData, body.localCenter) == (pytest.approx(4.0), {"a": 1}, (1, 0))
    assert tuple(body.worldCenter) == pytest.approx((math.cos(7), 2 + math.sin(7)))
    body.fixedRotation = False
    assert body.inertia == pytest.approx(4 * (4 + 1) / 12 + 4)  # about the origin
    body.position = (5, 5)
    body.position += (1, 1)
    assert body.position == (6, 6)
    body.position.x = 3  # a component writes through
    assert body.position == (3, 6)
    assert body.linearVelocity == (1, 0)
    body.linearVelocity.y = 2
    assert body.linearVelocity == (1, 2)
    body.transform = (1, 2), 0.25
    assert (body.position, body.angle) == ((1, 2), pytest.approx(0.25))
    body.massData = massData(mass=2, center=(0, 0), I=3)
    assert (body.mass, body.inertia, body.localCenter) == (2, 3, (0, 0))
    body.anything = 5
    assert simulation.bodies[-1].anything == 5
    assert simulation.bodies[-1] is body
    assert "anything" in body.__dict__
    body.type = Box2D.b2_staticBody
    assert body.mass == 0.0


def test_a_spinning_body_counts_its_turns() -> None:
    simulation = world(gravity=(0, 0))
    body = ball(simulation, (0, 0))
    body.angularVelocity = 10
    steps(simulation, 120)
    assert body.angle == pytest.approx(20, rel=1e-3)


def test_an_angle_that_was_read_follows_every_change() -> None:
    simulation = world(gravity=(0, 0))
    body = ball(simulation, (0, 0))
    assert (body.angle, body.angle) == (0, 0)
    body.angle = 2 * math.pi  # by whole turns, with the same rotation
    assert body.angle == pytest.approx(2 * math.pi)
    body.transform = (0, 0), 0
    assert body.angle == 0
    body.box2dpy.angle = 7  # behind the back of compat
    assert body.angle == pytest.approx(7)
    body.angularVelocity = 60
    simulation.Step(2 * math.pi / 60, 8, 3)  # a turn in one step
    assert body.angle == pytest.approx(7 + 2 * math.pi, abs=1e-4)
    simulation.DestroyBody(body)
    with pytest.raises(b2.DestroyedError):
        _ = body.angle


def test_an_inactive_body_that_moves_is_awake_as_in_the_bindings() -> None:
    simulation = world()
    body = box(simulation, (0, 5))
    body.linearVelocity = 1, 2
    body.active = False
    steps(simulation, 1)
    assert body.awake
    assert body.position == (0, 5)


def test_a_dynamic_body_without_density_weighs_one_kilogram() -> None:
    simulation = world()
    body = simulation.CreateDynamicBody(position=(0, 1))
    assert (body.mass, body.inertia) == (1, 0)
    fixture = body.CreateCircleFixture(radius=1)
    assert body.mass == 1
    body.CreateCircleFixture(radius=1, density=3)
    assert body.mass == pytest.approx(3 * math.pi)
    body.DestroyFixture(body.fixtures[1])
    assert (body.mass, body.fixtures) == (1, [fixture])
    steps(simulation, 1)
    assert body.linearVelocity.y == pytest.approx(-10 * DT)


def test_forces_impulses_and_torques() -> None:
    simulation = world(gravity=(0, 0))
    body = box(simulation, (0, 0))  # 1 kg
    body.ApplyForceToCenter((60, 0), True)
    body.ApplyForce((0, 60), (0, 0), wake=True)
    body.ApplyTorque(10, True)
    steps(simulation, 1)
    assert tuple(body.linearVelocity) == pytest.approx((1, 1))
    assert body.angularVelocity == pytest.approx(10 * DT / (1 / 6), rel=1e-4)
    body.ApplyLinearImpulse((1, 0), body.worldCenter, True)
    assert body.linearVelocity.x == pytest.approx(2)
    body.ApplyAngularImpulse(-body.angularVelocity / 6, True)
    assert body.angularVelocity == pytest.approx(0, abs=1e-6)
    body.ApplyForceToCenter((60, 0), True)
    simulation.ClearForces()
    steps(simulation, 1)
    assert body.linearVelocity.x == pytest.approx(2)
    for wrong in (
        lambda: body.ApplyLinearImpulse("ab", (0, 0), True),
        lambda: body.ApplyLinearImpulse({1, 2}, (0, 0), True),
        lambda: body.ApplyForceToCenter(5, True),
        lambda: body.ApplyForceToCenter((math.nan, 0), True),
        lambda: body.ApplyTorque("a", True),
        lambda: body.ApplyForceToCenter((1, 0), "yes"),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    assert body.linearVelocity.x == pytest.approx(2)


def test_pushing_a_body_that_is_awake_does_not_keep_it_awake() -> None:
    simulation = world()
    ground(simulation)
    body = box(simulation, (0, 0.5))
    for _ in range(120):
        body.ApplyLinearImpulse((1e-4, 0), body.worldCenter, True)
        body.awake = True
        simulation.Step(DT, 8, 3)
        if not body.awake:
            break
    assert not body.awake
    body.ApplyForceToCenter((5, 0), False)
    assert not body.awake
    body.ApplyForceToCenter((5, 0), True)
    assert body.awake


def test_an_angle_that_is_read_again_counts_turns_that_box2dpy_has_assigned() -> None:
    simulation = world()
    body = simulation.CreateDynamicBody(angle=0.3)
    state = simulation.box2dpy.save()
    for turns in (1, -2):
        assert body.angle == pytest.approx(0.3)
        body.box2dpy.angle = 0.3 + 2 * math.pi * turns
        assert body.angle == pytest.approx(0.3 + 2 * math.pi * turns)
        simulation.box2dpy.restore(state)


def test_points_and_vectors_of_a_body() -> None:
    simulation = world()
    body = simulation.CreateDynamicBody(position=(1, 2), angle=math.pi / 2, angularVelocity=1)
    assert tuple(body.GetWorldPoint((1, 0))) == pytest.approx((1, 3))
    assert tuple(body.GetLocalPoint((1, 3))) == pytest.approx((1, 0))
    assert tuple(body.GetWorldVector(localVector=(1, 0))) == pytest.approx((0, 1), abs=1e-6)
    assert tuple(body.GetLocalVector((0, 1))) == pytest.approx((1, 0), abs=1e-6)
    assert tuple(body.GetLinearVelocityFromWorldPoint((1, 3))) == pytest.approx((-1, 0), abs=1e-6)
    assert tuple(body.GetLinearVelocityFromLocalPoint((1, 0))) == pytest.approx((-1, 0), abs=1e-6)


def test_destroyed_bodies_take_their_joints_and_say_goodbye() -> None:
    class Farewell(destructionListener):
        said: list[Any] = []  # noqa: RUF012

        def SayGoodbye(self, item: Any) -> None:
            self.said.append(item)

    simulation = world(destructionListener=Farewell())
    a, b = ball(simulation, (0, 0)), ball(simulation, (2, 0))
    joint, fixture = simulation.CreateRevoluteJoint(bodyA=a, bodyB=b, anchor=(1, 0)), a.fixtures[0]
    assert (a.joints[0].joint, a.joints[0].other) == (joint, b)
    simulation.DestroyBody(a)
    simulation.DestroyBody(a)
    assert Farewell.said == [joint, fixture]
    assert (simulation.bodies, simulation.joints, b.joints, a.fixtures) == ([b], [], [], [])
    assert (simulation.bodyCount, simulation.jointCount) == (1, 0)
    with pytest.raises(b2.DestroyedError):
        a.position
    with pytest.raises(ValueError):
        simulation.DestroyBody(ball(world(), (0, 0)))
