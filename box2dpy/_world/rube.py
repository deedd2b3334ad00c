"""Levels from R.U.B.E. files: `rube_level` turns the JSON that the editor exports into a level for `World.from_dict`.

Source: the JSON structure of R.U.B.E. and b2dJson (C. Campbell), by its documentation. Numbers may be hexadecimal texts
of float32, a zero vector may be the number 0, and what is 0 may be left out.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any

from .._bridge.arguments import file_path
from .._bridge.errors import LevelError, short_repr
from .level_writer import FORMAT, VERSION

Entry = dict[str, Any]
_TYPES = ("static", "kinematic", "dynamic")
_ALL_BITS = 0xFFFF  # the default mask of Box2D 2, which means everything
_NEAREST = 0.005  # points of a chain that are nearer than this are one, m
_MOST_ANGLE = 0.98 * math.pi  # of a limit; beyond it on both sides there is no limit
_STEPS = 60  # a second, for the correction factor of a motor joint


def rube_level(source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """The level of a scene that R.U.B.E. has exported as JSON: `World.from_dict(rube_level("scene.json"))`.

    Bodies, fixtures and joints keep their order and names. Chains and loops collide from both sides, as they do there,
    so they become segments. Motors have the units of the file, which are ours: rad/s, m/s, N and N m. Names of
    fixtures and joints and custom properties become `data`: `{"name": ..., "properties": {...}}`. Images, and what
    Box2D 2 had of steps and iterations, are left out.

    Args:
        source: the file, or its content as a dictionary.

    Raises:
        LevelError: it is no JSON, or something in it is wrong; the message says where.
        OSError: the file cannot be read.
        TypeError: neither a path nor a dictionary.

    >>> ball = {"type": 2, "position": {"x": 1, "y": 2}, "fixture": [{"density": 1, "circle": {"radius": 0.5}}]}
    >>> rube_level({"gravity": {"x": 0, "y": -10}, "body": [ball]})["bodies"]
    [{'type': 'dynamic', 'position': [1.0, 2.0], 'shapes': [{'type': 'circle', 'radius': 0.5, 'friction': 0.0, \
'restitution': 0.0, 'density': 1.0}]}]
    """
    if isinstance(source, Mapping):
        scene: Any = source
    else:
        name = file_path(source, "source")
        with open(name, encoding="utf-8") as file:
            try:
                scene = json.load(file)
            except (ValueError, RecursionError) as error:
                raise LevelError(f"{name} is no JSON: {error}") from None
    _expect(isinstance(scene, Mapping), "the scene", scene, "a dictionary")
    world: Entry = {"gravity": _vector(scene, "gravity", "the scene")}
    flags = {
        "allowSleep": ("sleeping", False),
        "continuousPhysics": ("continuous", False),
        "warmStarting": ("warm_starting", False),
    }
    world.update(flags[key] for key in flags if scene.get(key) is False)
    bodies = [_body(each, f"body[{k}]") for k, each in enumerate(_items(scene, "body", "the scene"))]
    listed = _items(scene, "joint", "the scene")
    joints = [_joint(k, each, len(listed), bodies) for k, each in enumerate(listed)]
    shapes = [shape for body in bodies for shape in body.get("shapes", ())]
    if any(shape.get("sensor") for shape in shapes):  # there a sensor detects every fixture
        for shape in shapes:
            if not shape.get("sensor"):
                shape["sensor_events"] = True
    gears = [joint for joint in joints if joint["type"] == "gear"]
    order = [*(joint for joint in joints if joint["type"] != "gear"), *gears]  # a gear follows what it couples
    for gear in gears:
        for end in ("joint_a", "joint_b"):
            gear[end] = next(k for k, joint in enumerate(order) if joint is joints[gear[end]])
    return {"format": FORMAT, "version": VERSION, "world": world, "bodies": bodies, "joints": order}


def _expect(right: bool, place: str, value: object, what: str) -> None:
    if not right:
        raise LevelError(f"{place}: {short_repr(value)} must be {what}")


def _items(entry: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    items = entry.get(key, [])
    _expect(isinstance(items, list), f"{place}.{key}", items, "a list")
    for k, each in enumerate(items):
        _expect(isinstance(each, Mapping), f"{place}.{key}[{k}]", each, "a dictionary")
    return list(items)


def _as_number(value: Any, place: str) -> float:
    """A number, or the hexadecimal digits of a float32."""
    if isinstance(value, str):
        try:
            value = struct.unpack(">f", bytes.fromhex(value.zfill(8)))[0]
        except (ValueError, struct.error):
            raise LevelError(f"{place}: {short_repr(value)} must be a number") from None
    _expect(isinstance(value, (int, float)) and not isinstance(value, bool), place, value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise LevelError(f"{place}: {short_repr(value)} is too large") from None


def _number(entry: Mapping[str, Any], key: str, place: str, default: float = 0.0) -> float:
    return _as_number(entry[key], f"{place}.{key}") if key in entry else default


def _vector(entry: Mapping[str, Any], key: str, place: str) -> list[float]:
    value = entry.get(key, 0)
    if isinstance(value, Mapping):
        return [_number(value, axis, f"{place}.{key}") for axis in "xy"]
    _expect(value == 0 and not isinstance(value, bool), f"{place}.{key}", value, "{x, y} or 0")
    return [0.0, 0.0]


def _points(shape: Mapping[str, Any], place: str) -> list[list[float]]:
    vertices = shape.get("vertices", shape)
    _expect(isinstance(vertices, Mapping), f"{place}.vertices", vertices, "{x, y}")
    columns = [vertices.get(axis, []) for axis in "xy"]
    _expect(all(isinstance(each, list) for each in columns), f"{place}.vertices", vertices, "lists of x and y")
    _expect(len(columns[0]) == len(columns[1]), f"{place}.vertices", vertices, "as many x as y")
    return [
        [_as_number(part, f"{place}.vertices[{k}]") for part in pair]
        for k, pair in enumerate(zip(*columns, strict=True))
    ]


def _whole(entry: Mapping[str, Any], key: str, place: str, default: int = 0) -> int:
    value = _number(entry, key, place, default)
    _expect(value % 1.0 == 0.0, f"{place}.{key}", entry.get(key), "a whole number")
    return int(value)


def _property(entry: Mapping[str, Any], place: str) -> Any:
    if "float" in entry:
        return _number(entry, "float", place)
    if "vec2" in entry:
        x, y = _vector(entry, "vec2", place)
        return {"x": x, "y": y}
    return next((entry[kind] for kind in ("int", "string", "bool", "color") if kind in entry), None)


def _data(entry: Mapping[str, Any], place: str, *, named: bool) -> Entry:
    """What the level keeps of names and custom properties, as its key `data`."""
    data: Entry = {}
    if named and entry.get("name"):
        data["name"] = str(entry["name"])
    listed = enumerate(_items(entry, "customProperties", place))
    properties = {str(each.get("name")): _property(each, f"{place}.customProperties[{k}]") for k, each in listed}
    if properties:
        data["properties"] = properties
    return {"data": data} if data else {}


# -- bodies


def _body(entry: Mapping[str, Any], place: str) -> Entry:
    kind = entry.get("type", 0)
    _expect(kind in (0, 1, 2), f"{place}.type", kind, "0, 1 or 2")
    body: Entry = {"type": _TYPES[int(kind)]}
    if entry.get("name"):
        body["name"] = str(entry["name"])
    body["position"] = _vector(entry, "position", place)
    numbers = {"angle": "angle", "angularVelocity": "angular_velocity", "linearDamping": "linear_damping",
               "angularDamping": "angular_damping", "gravityScale": "gravity_scale"}  # fmt: skip
    for theirs, ours in numbers.items():
        if theirs in entry:
            body[ours] = _number(entry, theirs, place)
    if kind and "linearVelocity" in entry:
        body["linear_velocity"] = _vector(entry, "linearVelocity", place)
    flags = {"bullet": "bullet", "fixedRotation": "lock_rotation", "allowSleep": "can_sleep", "awake": "awake",
             "active": "enabled"}  # fmt: skip
    for theirs, ours in flags.items():
        if theirs in entry and (ours != "awake" or kind == 2):
            body[ours] = bool(entry[theirs])
    mass = _number(entry, "massData-mass", place)
    if kind == 2 and mass > 0.0:
        center = _vector(entry, "massData-center", place)
        body["mass"], body["local_center"] = mass, center
        about_origin = _number(entry, "massData-I", place)
        body["inertia"] = max(about_origin - mass * (center[0] * center[0] + center[1] * center[1]), 0.0)
    shapes: list[Entry] = []
    for k, fixture in enumerate(_items(entry, "fixture", place)):
        shapes += _fixture(fixture, f"{place}.fixture[{k}]")
    if shapes:
        body["shapes"] = shapes
    return {**body, **_data(entry, place, named=False)}


def _fixture(entry: Mapping[str, Any], place: str) -> list[Entry]:
    options: Entry = {key: _number(entry, key, place) for key in ("friction", "restitution", "density")}
    if entry.get("sensor"):
        options["sensor"] = True
    category = _whole(entry, "filter-categoryBits", place, 1)
    mask, group = _whole(entry, "filter-maskBits", place, _ALL_BITS), _whole(entry, "filter-groupIndex", place)
    kept = {"category": (category & _ALL_BITS, 1), "mask": (mask & _ALL_BITS, _ALL_BITS), "group": (group, 0)}
    filter_ = {key: value for key, (value, usual) in kept.items() if value != usual}
    if filter_:
        options["filter"] = filter_
    options.update(_data(entry, place, named=True))
    return [{**geometry, **options} for geometry in _geometries(entry, place)]


def _geometries(entry: Mapping[str, Any], place: str) -> list[Entry]:
    found = next((kind for kind in ("circle", "polygon", "chain", "loop", "edge") if kind in entry), None)
    if found is None:
        raise LevelError(f"{place} has no circle, polygon, chain, loop or edge")
    shape, where = entry[found], f"{place}.{found}"
    _expect(isinstance(shape, Mapping), where, shape, "a dictionary")
    if found == "circle":
        center = _vector(shape, "center", where)
        circle: Entry = {"type": "circle", "radius": _number(shape, "radius", where)}
        return [{**circle, "center": center} if any(center) else circle]
    if found == "polygon":
        return [{"type": "polygon", "vertices": _points(shape, where)}]
    if found == "edge":
        points = [_vector(shape, "vertex1", where), _vector(shape, "vertex2", where)]
    else:
        points = _points(shape, where)
        if found == "loop" and points:
            points.append(points[0])
    kept = points[:1]
    for point in points[1:]:
        if math.dist(point, kept[-1]) > _NEAREST:
            kept.append(point)
    _expect(len(kept) > 1, where, points, "two different points or more")
    return [{"type": "segment", "p1": p1, "p2": p2} for p1, p2 in itertools.pairwise(kept)]


# -- joints


class _Joint:
    """Reads the values of a joint."""

    def __init__(self, entry: Mapping[str, Any], place: str, bodies: list[Entry]) -> None:
        self.entry, self.place, self.bodies = entry, place, bodies

    def number(self, key: str, default: float = 0.0) -> float:
        return _number(self.entry, key, self.place, default)

    def vector(self, key: str) -> list[float]:
        return _vector(self.entry, key, self.place)

    def ends(self) -> Entry:
        found = {}
        for theirs, ours in (("bodyA", "body_a"), ("bodyB", "body_b")):
            index = self.entry.get(theirs, 0)
            known = isinstance(index, int) and 0 <= index < len(self.bodies)
            _expect(known, f"{self.place}.{theirs}", index, f"0 to {len(self.bodies) - 1}")
            found[ours] = index
        return found

    def frames(self, angle_a: float = 0.0, angle_b: float = 0.0) -> Entry:
        return {"frame_a": [*self.vector("anchorA"), angle_a], "frame_b": [*self.vector("anchorB"), angle_b]}

    def anchors(self) -> Entry:
        return {"local_anchor_a": self.vector("anchorA"), "local_anchor_b": self.vector("anchorB")}

    def axis(self) -> float:
        x, y = self.vector("localAxisA" if "localAxisA" in self.entry else "localAxis1")
        return math.atan2(y, x)

    def spring(self, hertz: str, ratio: str, prefix: str = "") -> Entry:
        value = self.number(hertz)
        return {f"{prefix}hertz": value, f"{prefix}damping_ratio": self.number(ratio)} if value > 0.0 else {}

    def motor_and_limits(self, most: str, ours: str, unit: str) -> Entry:
        found: Entry = {}
        most_turn = _MOST_ANGLE if unit == "angle" else math.inf
        lower, upper = self.number("lowerLimit"), self.number("upperLimit")
        if self.entry.get("enableLimit") and (lower >= -most_turn or upper <= most_turn):
            found[f"lower_{unit}"], found[f"upper_{unit}"] = max(lower, -most_turn), min(upper, most_turn)
        if self.number("motorSpeed") or self.number(most):
            found["enable_motor"] = bool(self.entry.get("enableMotor"))
            found["motor_speed"], found[ours] = self.number("motorSpeed"), self.number(most)
        return found


def _revolute(j: _Joint) -> Entry:
    return {
        "type": "revolute",
        **j.frames(j.number("refAngle")),
        **j.motor_and_limits("maxMotorTorque", "max_motor_torque", "angle"),
    }


def _prismatic(j: _Joint) -> Entry:
    axis, most = j.axis(), j.motor_and_limits("maxMotorForce", "max_motor_force", "translation")
    return {"type": "prismatic", **j.frames(axis, axis - j.number("refAngle")), **most}


def _wheel(j: _Joint) -> Entry:
    axis, spring = j.axis(), j.spring("springFrequency", "springDampingRatio")
    off = {} if spring else {"enable_spring": False}
    return {
        "type": "wheel",
        **j.frames(axis, axis),
        **spring,
        **off,
        **j.motor_and_limits("maxMotorTorque", "max_motor_torque", "translation"),
    }


def _distance(j: _Joint) -> Entry:
    return {"type": "distance", **j.anchors(), "length": j.number("length"), **j.spring("frequency", "dampingRatio")}


def _rope(j: _Joint) -> Entry:
    return {"type": "rope", **j.anchors(), "max_length": j.number("maxLength")}


def _weld(j: _Joint) -> Entry:
    return {"type": "weld", **j.frames(j.number("refAngle")), **j.spring("frequency", "dampingRatio", "angular_")}


def _friction(j: _Joint) -> Entry:
    most = {"max_velocity_force": j.number("maxForce"), "max_velocity_torque": j.number("maxTorque")}
    return {"type": "motor", **j.anchors(), **most}


def _motor(j: _Joint) -> Entry:
    """It corrects a part of the error in each step, so it pulls as a spring of critical damping that is as fast."""
    hertz = j.number("correctionFactor", 0.3) * _STEPS / math.tau
    offset = j.vector("linearOffset" if "linearOffset" in j.entry else "anchorA")
    spring = {
        f"{prefix}_{key}": value
        for prefix in ("linear", "angular")
        for key, value in (("hertz", hertz), ("damping_ratio", 1.0))
    }
    most = {"max_spring_force": j.number("maxForce"), "max_spring_torque": j.number("maxTorque")}
    return {"type": "motor", "frame_a": [*offset, j.number("refAngle")], "frame_b": [0.0, 0.0, 0.0], **spring, **most}


def _mouse(j: _Joint) -> Entry:
    """A spring from where the mouse was to a point of body B."""
    body = j.bodies[j.ends()["body_a"]]
    (x, y), (px, py), angle = j.vector("target"), body["position"], body.get("angle", 0.0)
    _expect(math.isfinite(angle), f"{j.place}.bodyA.angle", angle, "finite")
    c, s = math.cos(angle), math.sin(angle)
    at = [c * (x - px) + s * (y - py), c * (y - py) - s * (x - px)]
    spring = j.spring("frequency", "dampingRatio", "linear_")
    return {
        "type": "motor",
        "local_anchor_a": at,
        "local_anchor_b": j.vector("anchorB"),
        **spring,
        "max_spring_force": j.number("maxForce"),
    }


def _pulley(j: _Joint) -> Entry:
    ground = {"ground_anchor_a": j.vector("groundAnchorA"), "ground_anchor_b": j.vector("groundAnchorB")}
    ratio, made = j.number("ratio", 1.0), {"type": "pulley", **j.anchors(), **ground}
    if "lengthA" in j.entry and "lengthB" in j.entry:
        made["total"] = j.number("lengthA") + ratio * j.number("lengthB")
    return {**made, "ratio": ratio}


_JOINTS: dict[str, Callable[[_Joint], Entry]] = {
    "revolute": _revolute,
    "prismatic": _prismatic,
    "wheel": _wheel,
    "distance": _distance,
    "rope": _rope,
    "weld": _weld,
    "friction": _friction,
    "motor": _motor,
    "mouse": _mouse,
    "pulley": _pulley,
}


def _joint(k: int, entry: Mapping[str, Any], count: int, bodies: list[Entry]) -> Entry:
    place = f"joint[{k}]"
    kind, joint = entry.get("type"), _Joint(entry, place, bodies)
    if kind == "gear":
        made: Entry = {"type": "gear", "ratio": joint.number("ratio", 1.0)}
        for theirs, ours in (("joint1", "joint_a"), ("joint2", "joint_b")):
            made[ours] = _whole(entry, theirs, place)
            known = 0 <= made[ours] < count and made[ours] != k
            _expect(known, f"{place}.{theirs}", made[ours], "the place of another joint")
    else:
        known = isinstance(kind, str) and kind in _JOINTS
        _expect(known, f"{place}.type", kind, f"one of {', '.join([*_JOINTS, 'gear'])}")
        made = _JOINTS[str(kind)](joint)
        made = {"type": made.pop("type"), **joint.ends(), **made}
    if entry.get("collideConnected"):
        made["collide_connected"] = True
    return {**made, **_data(entry, place, named=True)}
