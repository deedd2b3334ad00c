"""`box2dpy.compat`: joints of the Box2D 2.3 bindings."""

from __future__ import annotations

import math
from typing import Any

import pytest

import box2dpy.compat

box2dpy.compat.install()

import Box2D  # noqa: E402
from Box2D.b2 import fixtureDef, polygonShape, revoluteJointDef, weldJointDef, world  # noqa: E402

from .compat_help import ball, box, ground, steps  # noqa: E402


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


@pytest.mark.parametrize("gravity", [0, -10, -40])
@pytest.mark.parametrize("factor", [0.1, 0.3, 1.0])
def test_a_motor_joint_takes_a_part_of_the_error_away_in_each_step_whatever_the_load(
    gravity: float, factor: float
) -> None:
    simulation = world(gravity=(0, gravity))
    base, driven = simulation.CreateStaticBody(position=(2, 1), angle=0.5), ball(simulation, (0, 3))
    offset = base.GetLocalPoint((1, 4))
    motor = simulation.CreateMotorJoint(
        bodyA=base, bodyB=driven, maxForce=1e7, maxTorque=1e7, linearOffset=offset, angularOffset=0.5,
        correctionFactor=factor,
    )  # fmt: skip
    for step in range(1, 11):
        steps(simulation, 1)
        left = (1 - factor) ** step
        assert tuple(driven.position) == pytest.approx((1 - left, 4 - left), abs=2e-3), step
        assert driven.angle == pytest.approx(1 - left, abs=2e-3)
    steps(simulation, 300)
    assert tuple(driven.position) == pytest.approx((1, 4), abs=1e-4) and not driven.awake
    simulation.DestroyJoint(motor)
    steps(simulation, 60)
    assert (driven.position.y < 3) == (gravity < 0)
