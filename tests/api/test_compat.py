"""`box2dpy.compat`: the interface of the Box2D 2.3 bindings, as their documentation and tutorials use it."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest

import box2dpy as b2
import box2dpy.compat

box2dpy.compat.install()

import Box2D  # noqa: E402
from Box2D.b2 import (  # noqa: E402
    AABB,
    bodyDef,
    chainShape,
    circleShape,
    color,
    contactFilter,
    contactListener,
    destructionListener,
    draw,
    dynamicBody,
    edgeShape,
    filter,
    fixtureDef,
    getPointStates,
    loopShape,
    massData,
    polygonShape,
    queryCallback,
    rayCastCallback,
    rayCastInput,
    rayCastOutput,
    revoluteJoint,
    revoluteJointDef,
    rot,
    transform,
    vec2,
    weldJointDef,
    world,
)

from ..seeds import draws  # noqa: E402

DT = 1.0 / 60.0


def steps(simulation: Any, count: int) -> None:
    for _ in range(count):
        simulation.Step(DT, 8, 3)
        simulation.ClearForces()
    simulation.box2dpy.validate()


def ground(simulation: Any, half_width: float = 50.0) -> Any:
    return simulation.CreateStaticBody(position=(0, -1), shapes=polygonShape(box=(half_width, 1)))


def ball(simulation: Any, position: tuple[float, float], radius: float = 0.5, **options: Any) -> Any:
    options.setdefault("density", 1.0)
    return simulation.CreateDynamicBody(
        position=position, fixtures=fixtureDef(shape=circleShape(radius=radius), **options)
    )


def box(simulation: Any, position: tuple[float, float], half: float = 0.5, **options: Any) -> Any:
    options.setdefault("density", 1.0)
    return simulation.CreateDynamicBody(
        position=position, fixtures=fixtureDef(shape=polygonShape(box=(half, half)), **options)
    )


class Log(contactListener):
    """Notes all calls as (name, body A's data, body B's data)."""

    def __init__(self) -> None:
        contactListener.__init__(self)
        self.calls: list[tuple[str, Any]] = []

    def note(self, name: str, contact: Any) -> None:
        self.calls.append((name, {contact.fixtureA.body.userData, contact.fixtureB.body.userData}))

    def BeginContact(self, contact: Any) -> None:
        self.note("begin", contact)

    def EndContact(self, contact: Any) -> None:
        self.note("end", contact)

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


# -- modules


def test_all_modules_of_the_bindings_are_there_and_give_the_same_classes() -> None:
    from Box2D.Box2D import b2World

    assert Box2D.b2World is b2World is world
    assert Box2D.b2.vec2 is Box2D.b2Vec2
    assert Box2D.b2.pi == Box2D.b2_pi == math.pi
    box2dpy.compat.install()  # a second call does nothing


def test_names_that_are_not_supported_name_what_box2dpy_has() -> None:
    with pytest.raises(AttributeError, match=r"Box2D\.b2TimeOfImpact is not supported.*box2dpy\.time_of_impact"):
        Box2D.b2TimeOfImpact
    with pytest.raises(AttributeError, match=r"Box2D\.b2\.timeOfImpact is not supported.*box2dpy\.time_of_impact"):
        Box2D.b2.timeOfImpact
    with pytest.raises(ImportError):
        from Box2D.b2 import nothing_like_this  # noqa: F401
    simulation = world()
    with pytest.raises(NotImplementedError, match=r"World\.snapshot"):
        simulation.Dump()
    with pytest.raises(NotImplementedError, match="substeps"):
        simulation.subStepping = True
    with pytest.raises(NotImplementedError, match="apply forces again"):
        simulation.autoClearForces = False


def test_bindings_that_are_already_imported_are_not_replaced() -> None:
    program = (
        "import sys, types, importlib.machinery\n"
        "module = types.ModuleType('Box2D')\n"
        "module.__spec__ = importlib.machinery.ModuleSpec('Box2D', None)\n"
        "sys.modules['Box2D'] = module\n"
        "import box2dpy.compat\n"
        "box2dpy.compat.install()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "already imported" in done.stderr


# -- vectors


def test_vectors_have_the_arithmetic_of_the_bindings() -> None:
    v = vec2(3, 4)
    assert (v.length, v.lengthSquared, v.tuple, list(v), len(v), v[1]) == (5.0, 25.0, (3.0, 4.0), [3.0, 4.0], 2, 4.0)
    assert v + (1, 1) == (4, 5)  # noqa: RUF005
    assert (1, 1) + v == (4, 5)  # noqa: RUF005
    assert (1, 1) - v == (-2, -3)
    assert 2 * v == v * 2 == (6, 8)
    assert v / 2 == (1.5, 2)
    assert -v == (-3, -4)
    assert abs(vec2(-3, 4)) == v
    assert v.skew == (-4, 3)
    assert (v.dot((1, 1)), v.cross((1, 1))) == (7.0, -1.0)
    assert v.cross(2.0) == (8, -6)
    assert Box2D.b2Cross(1.0, v) == (-4, 3)
    assert Box2D.b2Dot(v, (1, 2)) == 11.0
    assert vec2((1, 2)) == (1, 2)
    assert vec2() == (0, 0)
    assert bool(vec2())
    assert v != (3, 5)
    assert v != "ab"
    same = v
    same += (1, 0)
    same *= 2
    assert v == (8, 8)
    assert v.Normalize() == pytest.approx(math.hypot(8, 8))
    assert v.length == pytest.approx(1.0)
    v.x, v[1] = 7, 9
    assert v == (7, 9)
    assert v.copy() is not v


def test_wrong_vectors_raise() -> None:
    for make in (
        lambda: vec2("a", 1),
        lambda: vec2((1, 2, 3)),
        lambda: vec2(1, 2) + 3,
        lambda: vec2(1, 2) * (1, 2),
        lambda: vec2(1, 2) * vec2(1, 2),
        lambda: {vec2(): 1},
        lambda: vec2(1, 2)[2],
        lambda: vec2(1, 2) < vec2(2, 3),
    ):
        with pytest.raises((TypeError, ValueError, IndexError)):
            make()


def test_transforms_take_points_of_a_body_to_the_world_and_back() -> None:
    simulation = world()
    body = simulation.CreateDynamicBody(position=(1, 2), angle=0.5)
    place = body.transform
    assert tuple(place * (1, 2)) == pytest.approx(tuple(body.GetWorldPoint((1, 2))))
    assert tuple(place.R * (1, 0)) == pytest.approx((math.cos(0.5), math.sin(0.5)))
    assert tuple(Box2D.b2MulT(place, place * (3, 4))) == pytest.approx((3, 4))
    assert place.angle == pytest.approx(0.5)
    other = transform()
    other.Set((1, 2), 0.5)
    assert tuple(Box2D.b2Mul(other, (1, 2))) == pytest.approx(tuple(place * (1, 2)))
    assert tuple(rot(math.pi / 2) * (1, 0)) == pytest.approx((0, 1))
    matrix = Box2D.b2Mat22((1, 2), (3, 4))
    assert tuple(matrix * matrix.inverse * (5, 6)) == pytest.approx((5, 6))
    assert color(0.5, 1, 0).bytes == [127, 255, 0]


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
        position=(0, 2),
        angle=7.0,
        linearVelocity=(1, 0),
        angularVelocity=0.5,
        linearDamping=0.1,
        angularDamping=0.2,
        gravityScale=0.5,
        bullet=True,
        fixedRotation=True,
        allowSleep=False,
        userData={"a": 1},
        fixtures=fixtureDef(shape=polygonShape(box=(1, 0.5, (1, 0), 0)), density=2),
    )
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
    assert set(simulation._reports.told.values()) == {1}


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
    assert scale.peak == pytest.approx(body.mass * math.sqrt(2 * 10 * 2.5), rel=0.25)  # of the impact


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


# -- joints


def test_a_revolute_joint_of_keywords_takes_the_present_angle_as_zero() -> None:
    simulation = world(gravity=(0, 0))
    a = box(simulation, (0, 0))
    b = simulation.CreateDynamicBody(
        position=(2, 0), angle=0.4, fixtures=fixtureDef(shape=polygonShape(box=(0.5, 0.1)), density=1)
    )
    joint = simulation.CreateRevoluteJoint(bodyA=a, bodyB=b, anchor=(1, 0), enableMotor=True, maxMotorTorque=100)
    assert (joint.angle, joint.GetReferenceAngle()) == pytest.approx((0, 0.4))
    assert tuple(joint.anchorA) == pytest.approx(tuple(joint.anchorB))
    joint.motorSpeed = 1.0
    steps(simulation, 60)
    assert (joint.angle, joint.speed) == pytest.approx((1, 1), rel=0.02)
    plain = revoluteJointDef()
    plain.bodyA, plain.bodyB = a, b
    assert plain.referenceAngle == 0
    plain.Initialize(a, b, (1, 0))
    assert plain.referenceAngle == pytest.approx(b.angle - a.angle)


def test_limits_of_a_revolute_joint() -> None:
    simulation = world()
    base = simulation.CreateStaticBody()
    arm = simulation.CreateDynamicBody(
        position=(1, 0), fixtures=fixtureDef(shape=polygonShape(box=(1, 0.1)), density=1)
    )
    joint = simulation.CreateJoint(
        revoluteJointDef(
            bodyA=base, bodyB=arm, anchor=(0, 0), enableLimit=True, lowerAngle=-0.25 * math.pi, upperAngle=0.1
        )
    )
    assert joint.limits == pytest.approx((-0.25 * math.pi, 0.1))
    steps(simulation, 240)
    assert joint.angle == pytest.approx(-0.25 * math.pi, abs=0.01)
    joint.SetLimits(-1.2, -1.0)
    joint.upperLimit = -0.9
    assert (joint.lowerLimit, joint.upperLimit) == pytest.approx((-1.2, -0.9))
    joint.limitEnabled = False
    steps(simulation, 60)
    assert joint.angle < -1.25
    joint.limitEnabled = True
    joint.limits = (-9, 9)
    assert joint.limits == (-9, 9)


JOINTS: dict[str, dict[str, Any]] = {
    "Revolute": {"anchor": (1, 3)},
    "Prismatic": {"anchor": (1, 3), "axis": (0, 1), "enableMotor": True, "motorSpeed": 1, "maxMotorForce": 99},
    "Distance": {"anchorA": (0, 3), "anchorB": (2, 3), "frequencyHz": 4, "dampingRatio": 0.5},
    "Weld": {"anchor": (1, 3)},
    "Rope": {"localAnchorA": (0, 0), "localAnchorB": (0, 0), "maxLength": 2.5},
    "Wheel": {"anchor": (2, 3), "axis": (0, 1), "enableMotor": True, "motorSpeed": 3, "maxMotorTorque": 50},
    "Mouse": {"target": (2, 3), "maxForce": 500},
    "Pulley": {"anchorA": (0, 3), "anchorB": (2, 3), "groundAnchorA": (0, 9), "groundAnchorB": (2, 9), "ratio": 1.5},
    "Friction": {"maxForce": 5, "maxTorque": 5},
    "Motor": {"maxForce": 50, "maxTorque": 50},
}


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_is_made_from_keywords_and_from_a_definition(name: str) -> None:
    simulation = world()
    ground(simulation)
    a, b = box(simulation, (0, 3)), box(simulation, (2, 3))
    given = {"bodyA": a, "bodyB": b, "userData": "mine", **JOINTS[name]}
    definition = getattr(Box2D, f"b2{name}JointDef")(**given)
    made = [
        getattr(simulation, f"Create{name}Joint")(**given),
        simulation.CreateJoint(definition),
        simulation.CreateJoint(
            type=getattr(Box2D, f"b2{name}Joint"), bodyA=a, bodyB=b, userData="mine", **JOINTS[name]
        ),
    ]
    for joint in made:
        assert type(joint) is getattr(Box2D, f"b2{name}Joint")
        assert (joint.bodyA, joint.bodyB, joint.userData, joint.active) == (a, b, "mine", True)
        assert joint.type == definition.type
        joint.foobar = 2
    assert definition.to_kwargs()["bodyA"] is a
    steps(simulation, 30)
    for joint in made:
        assert joint.GetReactionForce(60).valid
        assert math.isfinite(joint.GetReactionTorque(60))
        simulation.DestroyJoint(joint)
        simulation.DestroyJoint(joint)
    assert (simulation.joints, a.joints) == ([], [])
    with pytest.raises(TypeError, match="frobnicate"):
        getattr(simulation, f"Create{name}Joint")(bodyA=a, bodyB=b, frobnicate=1)
    with pytest.raises(ValueError, match="must be a b2Body"):
        simulation.CreateJoint(getattr(Box2D, f"b2{name}JointDef")())


def test_joints_do_what_they_are_for() -> None:
    simulation = world()
    base = simulation.CreateStaticBody()
    slide = box(simulation, (0, 0))
    slider = simulation.CreatePrismaticJoint(
        bodyA=base, bodyB=slide, anchor=(0, 0), axis=(0, 2), enableLimit=True, lowerTranslation=-1, upperTranslation=2
    )
    hung = ball(simulation, (10, -3))
    rope = simulation.CreateRopeJoint(bodyA=base, bodyB=hung, localAnchorA=(10, 0), localAnchorB=(0, 0), maxLength=4)
    rod = simulation.CreateDistanceJoint(
        bodyA=base, bodyB=ball(simulation, (20, -2)), anchorA=(20, 0), anchorB=(20, -2)
    )
    welded = box(simulation, (31, 0))
    simulation.CreateJoint(weldJointDef(bodyA=base, bodyB=welded, anchor=(30, 0)))
    pulled = ball(simulation, (40, 0))
    mouse = simulation.CreateMouseJoint(bodyA=base, bodyB=pulled, target=(40, 0), maxForce=1000 * pulled.mass)
    mouse.target = 42, 3
    left, right = ball(simulation, (50, 0)), ball(simulation, (54, 0), density=2)
    pulley = simulation.CreatePulleyJoint(
        bodyA=left, bodyB=right, anchorA=(50, 0), anchorB=(54, 0), groundAnchorA=(50, 9), groundAnchorB=(54, 9)
    )
    steps(simulation, 180)
    assert slider.translation == pytest.approx(-1, abs=0.01)
    assert slide.position.y == pytest.approx(-1, abs=0.01)
    assert hung.position.y == pytest.approx(-4, abs=0.02)
    assert rope.limitState == 2
    assert (rod.length, rod.bodyB.position.y) == pytest.approx((2, -2), abs=0.01)
    assert tuple(welded.position) == pytest.approx((31, 0), abs=0.01)
    assert tuple(pulled.position) == pytest.approx((42, 3), abs=0.05)
    assert mouse.target == (42, 3)
    assert right.position.y < -1
    assert pulley.length1 + pulley.length2 == pytest.approx(18, abs=0.02)
    assert rod.GetReactionForce(60).y == pytest.approx(rod.bodyB.mass * 10, rel=0.02)
    assert rod.GetReactionForce(30).y == pytest.approx(rod.bodyB.mass * 5, rel=0.02)


def test_gears_couple_joints_and_die_with_them() -> None:
    simulation = world(gravity=(0, 0))
    base = simulation.CreateStaticBody()
    a, b = ball(simulation, (0, 0), radius=1), ball(simulation, (3, 0), radius=2)
    joints = [
        simulation.CreateRevoluteJoint(bodyA=base, bodyB=body, anchor=body.position, enableMotor=body is a)
        for body in (a, b)
    ]
    joints[0].maxMotorTorque, joints[0].motorSpeed = 1000, 2
    gear = simulation.CreateGearJoint(bodyA=a, bodyB=b, joint1=joints[0], joint2=joints[1], ratio=2)
    steps(simulation, 60)
    assert b.angularVelocity == pytest.approx(-1, rel=0.02)
    assert (gear.GetJoint1(), gear.GetJoint2()) == tuple(joints)
    simulation.DestroyJoint(joints[0])
    assert simulation.joints == joints[1:]
    with pytest.raises(ValueError):
        simulation.CreateGearJoint(joint1=joints[1], joint2=None)


def test_friction_and_motor_joints_brake_and_drive() -> None:
    simulation = world(gravity=(0, 0))
    base = simulation.CreateStaticBody()
    braked, driven = box(simulation, (0, 0)), box(simulation, (5, 0))
    braked.linearVelocity, braked.angularVelocity = (3, 0), 3
    simulation.CreateFrictionJoint(bodyA=base, bodyB=braked, localAnchorA=(0, 0), maxForce=2, maxTorque=2)
    motor = simulation.CreateMotorJoint(bodyA=base, bodyB=driven, maxForce=1000, maxTorque=1000)
    motor.linearOffset, motor.angularOffset = (6, 2), 0.5
    steps(simulation, 60)
    assert braked.linearVelocity.x == pytest.approx(1, abs=0.05)
    steps(simulation, 120)
    assert tuple(braked.linearVelocity) == pytest.approx((0, 0), abs=1e-3)
    assert tuple(driven.position) == pytest.approx((6, 2), abs=0.02)
    assert driven.angle == pytest.approx(0.5, abs=0.02)


# -- the world


def test_joints_are_iterated_only_while_bodies_with_joints_fly_freely() -> None:
    world = Box2D.b2World(gravity=(0, -10))
    world.CreateStaticBody(position=(0, -1), fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(50, 1))))
    left, right = (
        world.CreateDynamicBody(
            position=(x, 12), fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(0.5, 0.2)), density=1)
        )
        for x in (-0.5, 0.5)
    )
    joint = world.CreateRevoluteJoint(bodyA=left, bodyB=right, anchor=(0, 12))
    solvers, heights = [], []
    for _ in range(200):
        world.Step(1 / 60, 8, 3)
        solvers.append(world.box2dpy.joint_solver)
        heights.append(left.position.y)
    assert solvers[0] == solvers[-1] == "direct"
    assert solvers[20] == "iterative"
    assert heights[solvers.index("direct", 20)] > 0.5  # before it touches the ground
    assert 0.15 < left.position.y < 0.3
    assert (left.worldCenter - right.worldCenter).length == pytest.approx(1.0, abs=0.01)
    world.DestroyJoint(joint)
    anchored = world.CreateDynamicBody(
        position=(0, 30), fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(0.5, 0.2)), density=1)
    )
    world.CreateRevoluteJoint(bodyA=world.CreateStaticBody(position=(0, 30)), bodyB=anchored, anchor=(0, 30))
    for _ in range(40):
        world.Step(1 / 60, 8, 3)
        assert world.box2dpy.joint_solver == "direct"  # a joint with a static body carries a load in the air, too


def test_bodies_that_are_created_apart_from_their_joint_are_put_together_without_speed() -> None:
    simulation = world(gravity=(0, 0))
    ground(simulation)
    hull = box(simulation, (0, 6), half=1)
    leg = box(simulation, (0, 3.5), half=0.25, maskBits=0)
    simulation.CreateJoint(revoluteJointDef(bodyA=hull, bodyB=leg, localAnchorA=(0, -1), localAnchorB=(0, 1)))
    passer = ball(simulation, (20, 5))
    passer.linearVelocity = 1, 0
    steps(simulation, 1)
    assert (leg.GetWorldPoint((0, 1)) - hull.GetWorldPoint((0, -1))).length < 0.02
    assert max(hull.linearVelocity.length, leg.linearVelocity.length) < 0.1
    assert passer.position.x == pytest.approx(20 + DT, abs=1e-3)
    assert simulation.gravity == (0, 0)
    assert simulation.warmStarting


def test_a_force_that_is_applied_to_a_new_body_acts_in_the_first_step() -> None:
    simulation = world(gravity=(0, 0))
    body = box(simulation, (0, 0))
    body.ApplyForceToCenter((60, 0), True)
    body.ApplyTorque(1, True)
    steps(simulation, 1)
    assert body.linearVelocity.x == pytest.approx(1)
    assert body.angularVelocity == pytest.approx(6 * DT, rel=1e-3)


def test_options_of_a_world() -> None:
    simulation = world((0, -5), True, warmStarting=False, continuousPhysics=False)
    assert (simulation.gravity, simulation.GetAllowSleeping()) == ((0, -5), True)
    assert (simulation.warmStarting, simulation.continuousPhysics, simulation.autoClearForces) == (False, False, True)
    simulation.gravity = vec2(1, 2)
    assert simulation.box2dpy.gravity == (1, 2)
    fast = ball(simulation, (0, 0))
    fast.linearVelocity = 500, 0
    steps(simulation, 1)
    assert fast.position.x == pytest.approx(2, abs=0.02)  # the most that a body of Box2D 2.3 moves in a step
    simulation.SetAllowSleeping(False)
    assert not simulation.box2dpy.sleeping
    assert simulation.proxyCount == 1


def test_a_stack_comes_to_rest_and_sleeps() -> None:
    simulation = world()
    ground(simulation)
    boxes = [box(simulation, (0, 0.5 + k)) for k in range(5)]
    steps(simulation, 180)
    # Polygons keep 15 to 20 mm of distance.
    assert [body.position.y for body in boxes] == pytest.approx([0.5175 + 1.0175 * k for k in range(5)], abs=0.01)
    assert not any(body.awake for body in boxes)


def test_debug_drawing_calls_the_methods_of_the_renderer() -> None:
    class Pen(draw):
        def __init__(self) -> None:
            draw.__init__(self, drawShapes=True, drawJoints=True, drawAABBs=True, drawCOMs=True, drawPairs=True)
            self.calls: list[str] = []

        def DrawSolidPolygon(self, vertices: Any, color: Any) -> None:
            self.calls.append(f"solid {len(vertices)}")

        def DrawPolygon(self, vertices: Any, color: Any) -> None:
            self.calls.append("box")

        def DrawSolidCircle(self, center: Any, radius: float, axis: Any, color: Any) -> None:
            self.calls.append(f"disc {radius}")

        def DrawSegment(self, p1: Any, p2: Any, color: Any) -> None:
            self.calls.append("line")

        def DrawTransform(self, xf: Any) -> None:
            self.calls.append("axes")

    simulation = world(renderer=Pen())
    floor, body = ground(simulation), ball(simulation, (0, 0.5))
    floor.CreateEdgeFixture(vertices=[(0, 0), (1, 0)])
    simulation.CreateJoint(type=revoluteJoint, bodyA=floor, bodyB=body, anchor=(0, 1))
    steps(simulation, 1)
    simulation.DrawDebugData()
    calls = simulation.renderer.calls
    assert {name: calls.count(name) for name in ("solid 4", "disc 0.5", "box", "axes")} == {
        "solid 4": 1,
        "disc 0.5": 1,
        "box": 3,
        "axes": 2,
    }
    assert calls.count("line") >= 4
    simulation.renderer.flags = {"drawShapes": False}
    assert not any(simulation.renderer.flags.values())
    with pytest.raises(ValueError):
        simulation.renderer.flags = {"drawEverything": True}


@pytest.mark.parametrize("kind", ["CreateStaticBody", "CreateKinematicBody"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ApplyForce", ((1, 0), (0, 0), True)), ("ApplyForceToCenter", ((1, 0), True)), ("ApplyTorque", (1, True)),
        ("ApplyLinearImpulse", ((1, 0), (0, 0), True)), ("ApplyAngularImpulse", (1, True)),
    ],
)  # fmt: skip
def test_forces_on_bodies_that_are_not_dynamic_do_nothing(kind: str, name: str, arguments: tuple[Any, ...]) -> None:
    """As in Box2D 2.3: programs push all bodies of a world. Wrong numbers are still refused for dynamic bodies."""
    here = Box2D.b2World()
    getattr(getattr(here, kind)(position=(1, 2)), name)(*arguments)
    here.Step(1 / 60, 6, 2)
    wrong = (math.nan, *arguments[1:]) if "Torque" in name or "Angular" in name else ((math.nan, 0), *arguments[1:])
    with pytest.raises(ValueError, match="nan"):
        getattr(here.CreateDynamicBody(), name)(*wrong)
