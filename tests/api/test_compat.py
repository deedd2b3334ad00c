"""`box2dpy.compat`: modules, vectors, worlds and drawing of the Box2D 2.3 bindings, as their documentation has them."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

import box2dpy.compat

box2dpy.compat.install()

import Box2D  # noqa: E402
from Box2D.b2 import color, draw, revoluteJoint, revoluteJointDef, rot, transform, vec2, world  # noqa: E402

from ..patience import finished  # noqa: E402
from .compat_help import DT, ball, box, ground, steps  # noqa: E402

# -- modules


def test_all_modules_of_the_bindings_are_there_and_give_the_same_classes() -> None:
    from Box2D.Box2D import b2World

    assert Box2D.b2World is b2World is world
    assert Box2D.b2.vec2 is Box2D.b2Vec2
    assert Box2D.b2.pi == Box2D.b2_pi == math.pi
    assert Path(str(Box2D.__file__)).is_file()
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
    done = finished([sys.executable, "-c", program])
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


# -- the world


def test_joints_are_iterated_for_some_steps_after_a_hard_impact() -> None:
    world = Box2D.b2World(gravity=(0, -10))
    world.CreateStaticBody(position=(0, -1), fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(50, 1))))
    left, right = (
        world.CreateDynamicBody(
            position=(x, 12), fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(0.5, 0.2)), density=1)
        )
        for x in (-0.5, 0.5)
    )
    world.CreateRevoluteJoint(bodyA=left, bodyB=right, anchor=(0, 12))
    solvers, heights = [], []
    for _ in range(200):
        world.Step(1 / 60, 8, 3)
        solvers.append(world.box2dpy.joint_solver)
        heights.append(left.position.y)
    first = solvers.index("iterative")
    assert heights[first - 1] < 1.2  # it hits the ground in the next step
    assert 0 < solvers.count("iterative") < 2 * world.yieldSteps
    assert solvers[-1] == "direct"
    assert 0.15 < left.position.y < 0.3
    assert (left.worldCenter - right.worldCenter).length == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("ratio", "speed", "yields"), [(10, 3, False), (40, 3, True), (40, 1, False), (10, 6, True)])
def test_joints_of_a_heavy_body_on_light_feet_yield_sooner(ratio: float, speed: float, yields: bool) -> None:
    world = Box2D.b2World(gravity=(0, 0))
    world.CreateStaticBody(position=(0, -1), fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(50, 1))))
    parts = [
        world.CreateDynamicBody(
            position=(0, y),
            linearVelocity=(0, -speed),
            fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(0.5, 0.2)), density=density),
        )
        for y, density in ((0.8, ratio), (0.3, 1.0))
    ]
    world.CreateRevoluteJoint(bodyA=parts[0], bodyB=parts[1], anchor=(0, 0.55))
    solvers = set()
    for _ in range(8):
        world.Step(1 / 60, 8, 3)
        solvers.add(world.box2dpy.joint_solver)
    assert ("iterative" in solvers) == yields
    world.yieldSpeed = None
    world.Step(1 / 60, 8, 3)


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
    assert [body.position.y for body in boxes] == pytest.approx([0.5195 + 1.0195 * k for k in range(5)], abs=0.01)
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
