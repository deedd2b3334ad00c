"""R.U.B.E.: every key of a scene, and what a person gets wrong in one."""

from __future__ import annotations

import functools
import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance
from .round_trip import check_round_trip

LEVELS = Path(__file__).resolve().parents[2] / "docs" / "programs" / "levels"


def rube_world(scene: Any) -> b2.World:
    return b2.World.from_dict(json.loads(json.dumps(b2.rube_level(scene))))


def rube_scene(*, joint: dict[str, Any] | None = None, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """A body of 1 m^2 at (1, 2) on a ground without shapes."""
    square = {"density": 1, "polygon": {"vertices": {"x": [-0.5, 0.5, 0.5, -0.5], "y": [-0.5, -0.5, 0.5, 0.5]}}}
    free = {"name": "box", "type": 2, "position": {"x": 1, "y": 2}, "fixture": [square], **(body or {})}
    joints = [] if joint is None else [{"bodyA": 0, "bodyB": 1, "anchorA": 0, "anchorB": 0, **joint}]
    return {"gravity": 0, "body": [{"type": 0, "position": 0}, free], "joint": joints}


def test_a_scene_of_rube_drives() -> None:
    with rube_world(LEVELS / "rube.json") as world:
        bodies = {body.name: body for body in world.bodies}
        assert (bodies["chassis"].mass, bodies["chassis"].local_center.y) == (4.0, pytest.approx(-0.2))
        assert bodies["chassis"].inertia == pytest.approx(3 - 4 * 0.04)
        joints = {joint.data["name"]: joint for joint in world.joints}
        gate = next(shape for shape in world.shapes if shape.sensor)
        assert gate.data == {"name": "gate", "properties": {"goal": True}}
        entered = 0
        for _ in range(300):
            world.step()
            entered += len(world.events.sensor_begin)
        turning = bodies["rear wheel"].angular_velocity - bodies["chassis"].angular_velocity
        assert turning == pytest.approx(-12, abs=0.5)  # rad/s
        assert bodies["chassis"].position.x > 0
        assert entered > 0
        assert bodies["lift"].position.y == pytest.approx(3, abs=0.01)
        hinge: Any = joints["hinge"]
        assert hinge.angle == pytest.approx(-0.3, abs=0.01)
        assert not world.check()
        check_round_trip(b2.World.from_dict(b2.rube_level(LEVELS / "rube.json")))


@pytest.mark.parametrize("kind", ["chain", "loop", "edge"])
@pytest.mark.parametrize("side", [1, -1])
def test_chains_of_rube_collide_from_both_sides(kind: str, side: int) -> None:
    points = {"x": [-9, -3, 3, 9], "y": [0, 0, 0, 0]}
    fixture: dict[str, Any] = {kind: {"vertices": points}}
    if kind == "loop":
        fixture = {kind: {"x": [-9, 9, 9, -9], "y": [0, 0, -0.001 * side, -0.001 * side]}}
    elif kind == "edge":
        fixture = {kind: {"vertex1": {"x": -9, "y": 0}, "vertex2": {"x": 9, "y": 0}}}
    scene = rube_scene(body={"position": {"x": -3, "y": 2 * side}, "linearVelocity": {"x": 4, "y": 0}})
    scene["body"][0]["fixture"] = [{"friction": 0, **fixture}]
    scene["gravity"] = {"x": 0, "y": -10 * side}
    with rube_world(scene) as world:
        advance(world, 100)
        assert side * world.body(1).position.y == pytest.approx(0.5, abs=0.02)
        assert world.body(1).linear_velocity.x == pytest.approx(4, abs=0.02)  # over the joints of the segments


def full_rube_scene() -> dict[str, Any]:
    """A scene with every documented key, with numbers that float32 has."""
    properties = [
        {"name": "lives", "int": 3},
        {"name": "glow", "float": 0.625},
        {"name": "at", "vec2": {"x": 1.5, "y": -2.25}},
        {"name": "tint", "color": [255, 128, 0, 255]},
        {"name": "note", "string": "3F000000"},
        {"name": "solid", "bool": True},
    ]
    material = {"density": 1.5, "friction": 0.25, "restitution": 0.125, "name": "part", "customProperties": properties}
    line = {"x": [-9.5, -3.25, 3.5], "y": [0, 0.125, 0]}
    ground = {
        "name": "ground", "type": 0, "angle": 0, "position": {"x": 0, "y": -1.5}, "awake": True, "active": True,
        "angularVelocity": 0, "linearVelocity": 0, "fixture": [
            {**material, "chain": {"vertices": line, "hasNextVertex": True, "nextVertex": {"x": 9.5, "y": 0},
                                   "hasPrevVertex": True, "prevVertex": {"x": -12.5, "y": 0}}},
            {**material, "loop": {"x": [0, 1.5, 1.5], "y": [0, 0, 1.5]}, "filter-categoryBits": 4},
            {**material, "sensor": True, "polygon": {"vertices": {"x": [0, 1.5, 1.5], "y": [0, 0, 1.5]}}},
        ],
    }  # fmt: skip
    box = {
        "type": 2, "position": {"x": 1.5, "y": 2.5}, "angle": 0.5, "angularVelocity": 0.25, "angularDamping": 0.125,
        "linearDamping": 0.0625, "linearVelocity": {"x": 0.5, "y": 0}, "bullet": True, "fixedRotation": False,
        "awake": True, "massData-mass": 2.5, "massData-I": 1.75, "massData-center": {"x": 0.125, "y": 0},
        "customProperties": properties, "fixture": [
            {**material, "circle": {"radius": 0.75, "center": {"x": 0, "y": 0.25}}, "filter-maskBits": 65533},
            {**material, "polygon": {"vertices": {"x": [-0.5, 0.5, 0.5, -0.5], "y": [-0.5, -0.5, 0.5, 0.5]}}},
        ],
    }  # fmt: skip
    joint = {
        "bodyA": 0, "bodyB": 1, "anchorA": {"x": 1.5, "y": 4.5}, "anchorB": 0, "localAxisA": {"x": 0, "y": 1.5},
        "refAngle": 0.25, "length": 1.5, "maxLength": 2.5, "frequency": 4.5, "dampingRatio": 0.5,
        "springFrequency": 3.5, "springDampingRatio": 0.75, "maxForce": 3.5, "maxTorque": 2.5,
        "correctionFactor": 0.375,
        "target": {"x": 1.5, "y": 1.5}, "groundAnchorA": {"x": 0, "y": 5.5}, "groundAnchorB": {"x": 1.5, "y": 5.5},
        "lengthA": 3.5, "lengthB": 2.5, "ratio": 1.5, "enableLimit": True, "lowerLimit": -1.5, "upperLimit": 1.5,
        "enableMotor": True, "motorSpeed": 1.5, "jointSpeed": 0.5, "maxMotorTorque": 3.5, "maxMotorForce": 2.5,
        "collideConnected": True, "name": "it", "customProperties": properties,
    }  # fmt: skip
    kinds = ("revolute", "prismatic", "wheel", "distance", "rope", "weld", "friction", "motor", "mouse", "pulley")
    return {
        "gravity": {"x": 0, "y": -10.5}, "allowSleep": True, "autoClearForces": True, "continuousPhysics": True,
        "subStepping": False, "warmStarting": True, "stepsPerSecond": 60, "positionIterations": 3,
        "velocityIterations": 8, "image": [{"name": "picture", "file": "a.png", "center": {"x": 0.5, "y": 0.5},
                                           "corners": {"x": [0, 1], "y": [0, 1]}, "body": 1, "scale": 1.5}],
        "customProperties": properties, "body": [ground, {**box, "type": 1}, {**box, "name": "box"}],
        "joint": [{"type": kind, **joint, "bodyB": 2} for kind in kinds],
    }  # fmt: skip


def test_every_documented_key_of_rube_is_read_from_decimal_and_hexadecimal_numbers() -> None:
    def hexadecimal(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: hexadecimal(each) for key, each in value.items()}
        if isinstance(value, list):
            return [hexadecimal(each) for each in value]
        return struct.pack(">f", value).hex().upper() if type(value) is float else value

    scene = full_rube_scene()
    level = b2.rube_level(scene)
    assert b2.rube_level(hexadecimal(scene)) == level
    with rube_world(scene) as world:
        assert len(world.joints) == 10
        ground, mid, box = world.bodies
        assert (ground.type, mid.type, box.type) == (b2.BodyType.STATIC, b2.BodyType.KINEMATIC, b2.BodyType.DYNAMIC)
        assert len(ground.shapes) == 2 + 3 + 1
        assert (box.mass, box.local_center, box.name) == (2.5, (0.125, 0), "box")
        assert box.inertia == pytest.approx(1.75 - 2.5 * 0.125**2)
        kept = {"lives": 3, "glow": 0.625, "at": {"x": 1.5, "y": -2.25}, "tint": [255, 128, 0, 255],
                "note": "3F000000", "solid": True}  # fmt: skip
        assert box.data == {"properties": kept}
        assert {json.dumps(shape.data) for shape in world.shapes} == {json.dumps({"name": "part", "properties": kept})}
        assert {json.dumps(joint.data) for joint in world.joints} == {json.dumps({"name": "it", "properties": kept})}
        world.step()


def nested(depth: int) -> list[Any]:
    return functools.reduce(lambda inner, _: [inner], range(depth), [])


def test_wrong_levels_and_scenes_raise_level_errors_alone() -> None:
    draw = draws(46)
    junk = [None, True, -1, 0, 1e300, math.nan, "x", "3F000000", [], {}, [1], {"x": 1}, {"x": 1, "y": None}, "", -5.5,
            10**40, [[]], {"x": [1, 2], "y": [3]}, 10**400, math.inf, "inf", 1e200, -1e-39, "\ud800", nested(600),
            [{"segment": 0, "_index": 7}]]  # fmt: skip

    def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        if path:
            yield path
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            yield from places(value[key], (*path, key))

    kept = json.loads((Path(__file__).parent / "level.json").read_text(encoding="utf-8"))
    refused = 0
    for _ in range(1000):
        scene = draw.random() < 0.5
        changed = json.loads(json.dumps(full_rube_scene() if scene else kept))
        path = draw.choice(list(places(changed)))
        place = changed
        for key in path[:-1]:
            place = place[key]
        if draw.random() < 0.2:
            del place[path[-1]]
        else:
            place[path[-1]] = draw.choice(junk)
        try:
            world = b2.World.from_dict(b2.rube_level(changed) if scene else changed)
        except b2.LevelError as error:
            refused += 1
            assert str(error)
            continue
        with world, b2.World.from_snapshot(world.snapshot()), b2.World.from_dict(world.to_dict(data=False)) as again:
            assert again.state_hash() == world.state_hash()
            world.step()
            world.validate()
    assert refused > 250


def test_numbers_of_rube_may_be_hexadecimal() -> None:
    with rube_world(rube_scene(body={"angle": "3F000000", "position": {"x": "C0A00000", "y": "0"}})) as world:
        assert (world.body(1).angle, world.body(1).position) == (pytest.approx(0.5), (-5, 0))


def test_each_joint_of_rube_does_what_it_does_there() -> None:
    for joint, look in (
        ({"type": "revolute", "anchorA": {"x": 1, "y": 2}, "motorSpeed": 2, "maxMotorTorque": 99, "enableMotor": True},
         lambda j, b: b.angular_velocity == pytest.approx(2, abs=1e-3)),
        ({"type": "prismatic", "anchorA": {"x": 1, "y": 2}, "localAxisA": {"x": 0, "y": 1}, "motorSpeed": 0.5,
          "maxMotorForce": 99, "enableMotor": True}, lambda j, b: b.linear_velocity.y == pytest.approx(0.5, abs=1e-3)),
        ({"type": "wheel", "anchorA": {"x": 1, "y": 2}, "localAxisA": {"x": 0, "y": 1}, "springFrequency": 3,
          "springDampingRatio": 0.5}, lambda j, b: (j.hertz, j.damping_ratio, j.enable_spring) == (3, 0.5, True)),
        ({"type": "wheel", "anchorA": {"x": 1, "y": 2}, "localAxisA": {"x": 0, "y": 1}},
         lambda j, b: not j.enable_spring),
        ({"type": "distance", "length": 1.5},
         lambda j, b: (b.position.length, j.hertz) == (pytest.approx(1.5, abs=0.01), 0)),
        ({"type": "distance", "length": 1.5, "frequency": 4, "dampingRatio": 1}, lambda j, b: j.hertz == 4),
        ({"type": "rope", "maxLength": 1.5}, lambda j, b: b.position.length < 1.51),
        ({"type": "weld", "anchorA": {"x": 1, "y": 2}, "refAngle": 0.4},
         lambda j, b: b.angle == pytest.approx(0.4, abs=0.01)),
        ({"type": "weld", "anchorA": {"x": 1, "y": 2}, "frequency": 5, "dampingRatio": 0.2},
         lambda j, b: (j.angular_hertz, j.linear_hertz) == (5, 0)),
        ({"type": "friction", "anchorA": {"x": 1, "y": 2}, "maxForce": 3, "maxTorque": 2},
         lambda j, b: (j.max_velocity_force, j.max_velocity_torque) == (3, 2)),
        ({"type": "motor", "anchorA": {"x": 3, "y": 1}, "refAngle": 0.3, "maxForce": 900, "maxTorque": 900,
          "correctionFactor": 0.3},
         lambda j, b: (b.position, b.angle) == (pytest.approx((3, 1), abs=0.01), pytest.approx(0.3, abs=0.01))),
        ({"type": "mouse", "target": {"x": 4, "y": 2}, "maxForce": 900, "frequency": 5, "dampingRatio": 1},
         lambda j, b: b.position == pytest.approx((4, 2), abs=0.02)),
        ({"type": "pulley", "groundAnchorA": {"x": 0, "y": 5}, "groundAnchorB": {"x": 1, "y": 5}, "ratio": 2},
         lambda j, b: (j.ratio, j.ground_anchor_b) == (2, (1, 5))),
        ({"type": "revolute", "anchorA": {"x": 1, "y": 2}, "enableLimit": True, "lowerLimit": -9, "upperLimit": 9},
         lambda j, b: not j.enable_limit),
    ):  # fmt: skip
        with rube_world(rube_scene(joint={"name": "it", "collideConnected": True, **joint})) as world:
            advance(world, 180)
            (made,) = world.joints
            assert made.data == {"name": "it"}
            assert made.collide_connected
            assert look(made, world.body(1)), joint


def test_a_gear_of_rube_follows_the_joints_that_it_couples() -> None:
    scene = rube_scene(joint={"type": "gear", "joint1": 1, "joint2": 2, "ratio": 3})
    scene["body"].append({**scene["body"][1], "position": {"x": 4, "y": 2}})
    scene["joint"] += [
        {"type": "revolute", "bodyA": 0, "bodyB": k, "anchorA": {"x": 3 * k - 2, "y": 2}, "anchorB": 0} for k in (1, 2)
    ]
    with rube_world(scene) as world:
        assert [type(joint).__name__ for joint in world.joints] == ["RevoluteJoint", "RevoluteJoint", "GearJoint"]
        gear: Any = world.joint(2)
        assert gear.ratio == 3
        world.body(2).angular_velocity = 1
        world.step()
        assert world.body(1).angular_velocity / world.body(2).angular_velocity == pytest.approx(-3, abs=1e-3)


def test_filters_sensors_and_flags_of_rube_arrive() -> None:
    fixture = {"circle": {"radius": 0.5, "center": {"x": 1, "y": 0}}, "density": 2, "friction": 0.1, "restitution": 0.3,
               "filter-categoryBits": 4, "filter-maskBits": 65533, "filter-groupIndex": -2}  # fmt: skip
    sensor = {"circle": {"radius": 1}, "sensor": True}
    body = {"fixture": [fixture, sensor], "bullet": True, "fixedRotation": True, "linearDamping": 0.5,
            "gravityScale": 2, "awake": False, "customProperties": [{"name": "lives", "int": 3}]}  # fmt: skip
    with rube_world(rube_scene(body=body)) as world:
        it, (shape, detector) = world.body(1), world.shapes
        assert (it.bullet, it.lock_rotation, it.linear_damping, it.gravity_scale, it.awake) == (
            True,
            True,
            0.5,
            2,
            False,
        )
        assert it.data == {"properties": {"lives": 3}}
        assert shape.filter == b2.Filter(4, 65533, -2)
        assert detector.filter == b2.Filter()
        assert (shape.sensor_events, detector.sensor, detector.sensor_events) == (True, True, False)
    with rube_world({**rube_scene(), "allowSleep": False, "continuousPhysics": False, "warmStarting": False}) as world:
        assert (world.sleeping, world.continuous, world.warm_starting) == (False, False, False)


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        ([], "the scene: .* must be a dictionary"),
        ({"body": 3}, "the scene.body: 3 must be a list"),
        ({"body": [3]}, r"the scene.body\[0\]: 3 must be a dictionary"),
        ({"body": [{"type": 5}]}, r"body\[0\].type: 5 must be 0, 1 or 2"),
        (rube_scene(body={"position": 7}), r"body\[1\].position: 7 must be {x, y} or 0"),
        (rube_scene(body={"angle": "x"}), r"body\[1\].angle: 'x' must be a number"),
        (rube_scene(body={"fixture": [{}]}), r"body\[1\].fixture\[0\] has no circle"),
        (rube_scene(body={"fixture": [{"chain": {"vertices": {"x": [1], "y": [2]}}}]}), "two different points"),
        (rube_scene(body={"fixture": [{"polygon": {"vertices": {"x": [1], "y": []}}}]}), "as many x as y"),
        (rube_scene(joint={"type": "rubber"}), r"joint\[0\].type: 'rubber' must be one of revolute"),
        (rube_scene(joint={"type": "weld", "bodyB": 9}), r"joint\[0\].bodyB: 9 must be 0 to 1"),
        (rube_scene(joint={"type": "gear", "joint1": 4}), r"joint\[0\].joint1: 4 must be the place of another joint"),
    ],
)
def test_a_mistake_in_a_scene_of_rube_is_named_with_its_place(scene: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    with pytest.raises(b2.LevelError, match=message):
        b2.rube_level(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(b2.LevelError, match="scene.json is no JSON"):
        b2.rube_level(path)
