"""Bad input raises the right exception with the name and the value of the argument, and leaves the world unchanged."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

NAN, INF, NEGATIVE = math.nan, math.inf, -math.inf
HUGE = 10**400


class Rig:
    """A small world with one of everything."""

    def __init__(self) -> None:
        self.world = world = b2.World()
        self.ground = world.create_static_body((0, -1))
        self.floor = self.ground.create_shape(b2.Box(20, 1))
        self.chain = self.ground.create_chain([(1, -9), (0, -9), (-1, -9)])
        self.body = world.create_dynamic_body((0, 0.5))
        self.shape = self.body.create_shape(b2.Box(0.5, 0.5))
        self.other = world.create_dynamic_body((2, 0.5))
        self.other.create_shape(b2.Circle(0.5))
        self.driver = world.create_kinematic_body((0, 9))
        self.joint = world.create_revolute_joint(self.body, self.other, anchor=(1, 0.5))
        self.array = world.create_bodies([(5, 1), (7, 1)], geometry=b2.Box(0.5, 0.5))
        for _ in range(3):
            world.step()


@pytest.fixture(name="rig")
def make_rig() -> Rig:
    return Rig()


NUMBERS = [(NAN, ValueError), (INF, ValueError), (NEGATIVE, ValueError), (HUGE, ValueError), ("1", TypeError),
    ([1.0], TypeError),
           (1j, TypeError), (b"1", TypeError), (np.zeros(2), TypeError), (object(), TypeError)]  # fmt: skip
PAIRS = [((NAN, 0), ValueError), ((0, INF), ValueError), ((-INF, 0), ValueError), ((HUGE, 0), ValueError),
    ((1,), ValueError),
         ((1, 2, 3), ValueError), ((), ValueError), (5, TypeError), ("ab", TypeError), (("1", "2"), TypeError),
         ((None, 0), TypeError), ({1, 2}, TypeError), (np.zeros(3), ValueError), (np.zeros((2, 2)), TypeError),
         (object(), TypeError)]  # fmt: skip
FLAGS = [(None, TypeError), ("yes", TypeError), (2, TypeError), (NAN, TypeError), (1.0, TypeError), ([], TypeError)]
INTEGERS = [
    (NAN, TypeError),
    (1.5, TypeError),
    ("1", TypeError),
    (None, TypeError),
    (2**70, ValueError),
    (-(2**70), ValueError),
]
COLORS = [(bad, ValueError if bad == "1" else error) for bad, error in INTEGERS]
FILTERS = [(None, TypeError), (1, TypeError), ((1, 1, 0), TypeError)]
GEOMETRIES = [(None, TypeError), ("box", TypeError), (b2.Circle, TypeError)]
BODIES = [(None, TypeError), (0, TypeError), ("body", TypeError)]
FRAMES = [((0, 0), TypeError), (5, TypeError), (b2.Frame((NAN, 0)), ValueError), (b2.Frame((0, 0), INF), ValueError)]
CHOICES = [("mean", ValueError), ("", ValueError), (None, TypeError), (1, TypeError), (b"min", TypeError)]
DIRECTIONS = [pair for pair in PAIRS if pair[0] is not None] + [((0, 0), ValueError), ((1e300, 0), ValueError)]
CONTINUOUS = [(None, TypeError), (2, TypeError), ("yes", ValueError), ("", ValueError), (NAN, TypeError)]
POINTS = [([(0, 0), (NAN, 1)], ValueError), ([(0, INF)], ValueError), ([0, 1], ValueError), ([(0, 1, 2)], ValueError),
          ([(0, 1), (2,)], ValueError), ("text", TypeError), ([("a", "b")], TypeError),
          ([(1j, 0)], TypeError)]  # fmt: skip
VALUES: dict[str, list[tuple[Any, type[Exception]]]] = {
    "number": NUMBERS, "pair": PAIRS, "flag": FLAGS, "integer": INTEGERS, "color": COLORS, "filter": FILTERS,
    "geometry": GEOMETRIES,
    "body": BODIES, "continuous": CONTINUOUS, "frame": FRAMES, "points": POINTS, "direction": DIRECTIONS,
    "choice": CHOICES,
    "lower limit": [item for item in NUMBERS if item[0] is not NEGATIVE],
    "upper limit": [item for item in NUMBERS if item[0] is not INF],
    "column": [(bad, error) for bad, error in NUMBERS if np.ndim(bad) == 0],
}  # fmt: skip

Call = Callable[[Rig, Any], Any]
CALLS: list[tuple[str, str, str, Call]] = []  # (id, kind, argument, call)


def add(kind: str, argument: str, call: Call, where: str) -> None:
    CALLS.append((f"{where}-{argument}", kind, argument, call))


def sweep_setters(where: str, kind: str, target: str, names: str) -> None:
    for name in names.split():
        add(kind, name, lambda rig, value, name=name: setattr(getattr(rig, target), name, value), where)


def sweep_keywords(where: str, kind: str, names: str, call: Callable[..., Any]) -> None:
    for name in names.split():
        add(kind, name, lambda rig, value, name=name: call(rig, **{name: value}), where)


BODY_NUMBERS = "angular_velocity linear_damping angular_damping gravity_scale sleep_threshold safety_factor"
BODY_FLAGS = "can_sleep awake enabled bullet allow_fast_rotation lock_x lock_y lock_rotation"
SHAPE_NUMBERS = "density friction restitution rolling_resistance tangent_speed"
SHAPE_FLAGS = "sensor contact_events hit_events sensor_events presolve"
WORLD_NUMBERS = (
    "contact_recycle restitution_threshold hit_threshold contact_hertz contact_damping_ratio contact_push_speed "
    "joint_hertz joint_damping_ratio max_linear_speed sleep_time length_unit"
)
WORLD_FLAGS = "sleeping warm_starting"
JOINT_NUMBERS = "hertz damping_ratio target_angle motor_speed max_motor_torque"
JOINT_FLAGS = "enable_spring enable_limit enable_motor collide_connected"

# worlds
sweep_keywords("World", "pair", "gravity", lambda rig, **k: b2.World(**k))
sweep_keywords("World", "number", WORLD_NUMBERS, lambda rig, **k: b2.World(**k))
sweep_keywords("World", "flag", WORLD_FLAGS, lambda rig, **k: b2.World(**k))
sweep_keywords("World", "continuous", "continuous", lambda rig, **k: b2.World(**k))
sweep_setters("world", "continuous", "world", "continuous")
sweep_keywords("World", "integer", "workers", lambda rig, **k: b2.World(**k))
sweep_keywords("Scheduler", "integer", "workers", lambda rig, **k: b2.Scheduler(**k))
sweep_setters("world", "pair", "world", "gravity")
sweep_setters("world", "number", "world", WORLD_NUMBERS)
sweep_setters("world", "flag", "world", WORLD_FLAGS)
sweep_setters("world", "integer", "world", "workers")
MIXED = "friction restitution rolling_resistance tangent_speed"
sweep_keywords("set_material_pair", "number", MIXED, lambda rig, **k: rig.world.set_material_pair(0, 0, **k))
sweep_keywords(
    "set_material_pair", "integer", "a b", lambda rig, **k: rig.world.set_material_pair(**{"a": 0, "b": 0, **k})
)
sweep_keywords(
    "remove_material_pair", "integer", "a b", lambda rig, **k: rig.world.remove_material_pair(**{"a": 0, "b": 0, **k})
)
sweep_setters("world", "choice", "world", "friction_mixing restitution_mixing contact_events")
sweep_keywords("World", "choice", "friction_mixing restitution_mixing contact_events", lambda rig, **k: b2.World(**k))
sweep_keywords("step", "number", "dt", lambda rig, **k: rig.world.step(**k))
sweep_keywords("step", "integer", "substeps", lambda rig, **k: rig.world.step(**k))
sweep_keywords("reserve", "integer", "bodies shapes contacts", lambda rig, **k: rig.world.reserve(**k))

# bodies
for maker in ("create_static_body", "create_kinematic_body", "create_dynamic_body"):

    def create(rig: Rig, maker: str = maker, **k: Any) -> Any:
        return getattr(rig.world, maker)(**k)

    moving = maker != "create_static_body"
    sweep_keywords(maker, "pair", "position linear_velocity" if moving else "position", create)
    sweep_keywords(maker, "number", "angle " + BODY_NUMBERS if moving else "angle", create)
    sweep_keywords(maker, "flag", BODY_FLAGS if moving else "enabled", create)
sweep_setters("body", "pair", "body", "position rotation linear_velocity local_center")
sweep_setters("body", "number", "body", "angle mass inertia " + BODY_NUMBERS)
sweep_setters("body", "flag", "body", BODY_FLAGS)
sweep_keywords("apply_force", "pair", "force", lambda rig, **k: rig.body.apply_force(**k))
sweep_keywords("apply_force", "pair", "point", lambda rig, **k: rig.body.apply_force((0, 1), **k))
sweep_keywords("apply_force", "flag", "wake", lambda rig, **k: rig.body.apply_force((0, 1), **k))
sweep_keywords("apply_torque", "number", "torque", lambda rig, **k: rig.body.apply_torque(**k))
sweep_keywords("apply_torque", "flag", "wake", lambda rig, **k: rig.body.apply_torque(1, **k))
sweep_keywords("apply_impulse", "pair", "impulse", lambda rig, **k: rig.body.apply_impulse(**k))
sweep_keywords("apply_impulse", "pair", "point", lambda rig, **k: rig.body.apply_impulse((0, 1), **k))
sweep_keywords("apply_impulse", "flag", "wake", lambda rig, **k: rig.body.apply_impulse((0, 1), **k))
sweep_keywords("apply_angular_impulse", "number", "impulse", lambda rig, **k: rig.body.apply_angular_impulse(**k))
sweep_keywords("apply_angular_impulse", "flag", "wake", lambda rig, **k: rig.body.apply_angular_impulse(1, **k))
TARGET = {"position": (0, 9), "angle": 0.0, "dt": 0.1}
sweep_keywords("set_target", "pair", "position", lambda rig, **k: rig.driver.set_target(**{**TARGET, **k}))
sweep_keywords("set_target", "number", "angle dt", lambda rig, **k: rig.driver.set_target(**{**TARGET, **k}))

# many bodies
BULK = {"positions": [(30, 0), (40, 0)], "geometry": b2.Circle(1)}
sweep_keywords("create_bodies", "points", "positions", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords(
    "create_bodies", "points", "linear_velocities", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k})
)
sweep_keywords("create_bodies", "geometry", "geometry", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_bodies", "filter", "filter", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_bodies", "column", SHAPE_NUMBERS, lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_bodies", "flag", SHAPE_FLAGS, lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_bodies", "integer", "material", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_bodies", "color", "color", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_shape", "color", "color", lambda rig, **k: rig.body.create_shape(b2.Circle(1), **k))
sweep_keywords("create_chain", "color", "color", lambda rig, **k: rig.body.create_chain(LINE, **k))
sweep_setters("chain", "color", "chain", "color")
sweep_setters("shape", "color", "shape", "color")

# shapes
sweep_keywords("create_shape", "direction", "one_way", lambda rig, **k: rig.body.create_shape(b2.Circle(1), **k))
sweep_keywords("create_bodies", "direction", "one_way", lambda rig, **k: rig.world.create_bodies(**{**BULK, **k}))
sweep_keywords("create_shape", "geometry", "geometry", lambda rig, **k: rig.body.create_shape(**k))
sweep_keywords("create_shape", "number", SHAPE_NUMBERS, lambda rig, **k: rig.body.create_shape(b2.Circle(1), **k))
sweep_keywords(
    "create_shape", "flag", SHAPE_FLAGS + " update_mass", lambda rig, **k: rig.body.create_shape(b2.Circle(1), **k)
)
sweep_keywords("create_shape", "integer", "material", lambda rig, **k: rig.body.create_shape(b2.Circle(1), **k))
sweep_keywords("create_shape", "filter", "filter", lambda rig, **k: rig.body.create_shape(b2.Circle(1), **k))
LINE = [(1, 0), (0, 0), (-1, 0)]
CHAIN_NUMBERS = "friction restitution rolling_resistance tangent_speed"
sweep_keywords("create_chain", "points", "points", lambda rig, **k: rig.body.create_chain(**k))
sweep_keywords("create_chain", "number", CHAIN_NUMBERS, lambda rig, **k: rig.body.create_chain(LINE, **k))
sweep_keywords(
    "create_chain",
    "flag",
    "loop contact_events hit_events sensor_events",
    lambda rig, **k: rig.body.create_chain(LINE, **k),
)
sweep_keywords("create_chain", "integer", "material", lambda rig, **k: rig.body.create_chain(LINE, **k))
sweep_keywords("create_chain", "filter", "filter", lambda rig, **k: rig.body.create_chain(LINE, **k))
sweep_setters("chain", "number", "chain", CHAIN_NUMBERS)
sweep_setters("chain", "flag", "chain", "contact_events hit_events sensor_events")
sweep_setters("chain", "integer", "chain", "material")
sweep_setters("chain", "filter", "chain", "filter")
sweep_setters("shape", "number", "shape", SHAPE_NUMBERS)
sweep_setters("shape", "flag", "shape", SHAPE_FLAGS)
sweep_setters("shape", "integer", "shape", "material")
sweep_setters("shape", "filter", "shape", "filter")
sweep_setters("shape", "geometry", "shape", "geometry")
sweep_setters("shape", "direction", "shape", "one_way")
sweep_keywords("shape.destroy", "flag", "update_mass", lambda rig, **k: rig.shape.destroy(**k))

# joints


def hinge(rig: Rig, **k: Any) -> Any:
    return rig.world.create_revolute_joint(**{"body_a": rig.ground, "body_b": rig.body, "anchor": (0, 0), **k})


sweep_keywords("create_revolute_joint", "body", "body_a body_b", hinge)
sweep_keywords("create_revolute_joint", "pair", "anchor", hinge)
sweep_keywords(
    "create_revolute_joint", "pair", "local_anchor_a", lambda r, **k: hinge(r, anchor=None, local_anchor_b=(0, 0), **k)
)
sweep_keywords(
    "create_revolute_joint", "pair", "local_anchor_b", lambda r, **k: hinge(r, anchor=None, local_anchor_a=(0, 0), **k)
)
sweep_keywords(
    "create_revolute_joint", "frame", "frame_a", lambda rig, **k: hinge(rig, anchor=None, frame_b=b2.Frame(), **k)
)
sweep_keywords(
    "create_revolute_joint", "frame", "frame_b", lambda rig, **k: hinge(rig, anchor=None, frame_a=b2.Frame(), **k)
)
sweep_keywords("create_revolute_joint", "number", JOINT_NUMBERS + " joint_hertz joint_damping_ratio", hinge)
for side in ("lower", "upper"):
    sweep_keywords("create_revolute_joint", f"{side} limit", f"{side}_angle", hinge)
    sweep_setters("joint", f"{side} limit", "joint", f"{side}_angle")
sweep_keywords("create_revolute_joint", "flag", JOINT_FLAGS, hinge)
sweep_setters("joint", "pair", "joint", "local_anchor_a local_anchor_b")
sweep_setters(
    "joint", "number", "joint", JOINT_NUMBERS + " joint_hertz joint_damping_ratio local_angle_a local_angle_b"
)
sweep_setters("joint", "flag", "joint", JOINT_FLAGS)

# geometry
sweep_keywords("Circle", "number", "radius", lambda rig, **k: b2.Circle(**k))
sweep_keywords("Circle", "pair", "center", lambda rig, **k: b2.Circle(1, **k))
CAPSULE = {"p1": (0, 0), "p2": (1, 0), "radius": 0.5}
sweep_keywords("Capsule", "pair", "p1 p2", lambda rig, **k: b2.Capsule(**{**CAPSULE, **k}))
sweep_keywords("Capsule", "number", "radius", lambda rig, **k: b2.Capsule(**{**CAPSULE, **k}))
sweep_keywords(
    "ChainSegment",
    "pair",
    "p1 p2 ghost1 ghost2",
    lambda rig, **k: b2.ChainSegment(**{"p1": (0, 0), "p2": (1, 0), "ghost1": (-1, 0), "ghost2": (2, 0), **k}),
)
sweep_keywords("Segment", "pair", "p1 p2", lambda rig, **k: b2.Segment(**{"p1": (0, 0), "p2": (1, 0), **k}))
TRIANGLE = [(0, 0), (1, 0), (0, 1)]
sweep_keywords("Polygon", "points", "vertices", lambda rig, **k: b2.Polygon(**k))
sweep_keywords("Polygon", "number", "radius", lambda rig, **k: b2.Polygon(TRIANGLE, **k))
sweep_keywords("Box", "number", "hx hy angle radius", lambda rig, **k: b2.Box(**{"hx": 1, "hy": 1, **k}))
sweep_keywords("Box", "pair", "center", lambda rig, **k: b2.Box(1, 1, **k))

CASES = [
    pytest.param(call, value, error, argument, id=f"{name}-{number}")
    for name, kind, argument, call in CALLS
    for number, (value, error) in enumerate(VALUES[kind])
]


def expect(error: type[Exception], argument: str, value: object, action: Callable[[], Any]) -> None:
    with pytest.raises(error) as caught:
        action()
    assert type(caught.value) is error
    message = str(caught.value)
    assert argument in message
    shown = repr(value)
    assert (shown if len(shown) <= 200 else shown[:100]) in message, message


@pytest.mark.parametrize(("call", "value", "error", "argument"), CASES)
def test_a_bad_value_is_named_in_the_error_and_changes_nothing(
    call: Call, value: Any, error: type[Exception], argument: str
) -> None:
    rig = Rig()
    before = rig.world.state_hash(), len(rig.world.bodies), len(rig.world.shapes), len(rig.world.joints)
    expect(error, argument, value, lambda: call(rig, value))
    assert (rig.world.state_hash(), len(rig.world.bodies), len(rig.world.shapes), len(rig.world.joints)) == before
    rig.world.step()
    rig.world.validate()


RANGES: list[tuple[str, Any, Call]] = [
    ("dt", -0.1, lambda rig, v: rig.world.step(v)),
    ("substeps", 0, lambda rig, v: rig.world.step(0.1, v)),
    ("substeps", -4, lambda rig, v: rig.world.step(0.1, v)),
    ("workers", 0, lambda rig, v: b2.World(workers=v)),
    ("workers", 65, lambda rig, v: b2.World(workers=v)),
    ("workers", 0, lambda rig, v: b2.Scheduler(v)),
    ("workers", -1, lambda rig, v: setattr(rig.world, "workers", v)),
    ("contact_hertz", -1.0, lambda rig, v: b2.World(contact_hertz=v)),
    ("sleep_time", -1.0, lambda rig, v: setattr(rig.world, "sleep_time", v)),
    ("bodies", -1, lambda rig, v: rig.world.reserve(bodies=v)),
    ("linear_damping", -1.0, lambda rig, v: setattr(rig.body, "linear_damping", v)),
    ("linear_damping", -1.0, lambda rig, v: rig.world.create_dynamic_body(linear_damping=v)),
    ("angular_damping", -1.0, lambda rig, v: rig.world.create_dynamic_body(angular_damping=v)),
    ("mass", -1.0, lambda rig, v: setattr(rig.body, "mass", v)),
    ("inertia", -1.0, lambda rig, v: setattr(rig.body, "inertia", v)),
    ("rotation", (0, 0), lambda rig, v: setattr(rig.body, "rotation", v)),
    ("dt", 0.0, lambda rig, v: rig.driver.set_target((0, 0), 0, v)),
    ("dt", -1.0, lambda rig, v: rig.driver.set_target((0, 0), 0, v)),
    ("density", -1.0, lambda rig, v: rig.body.create_shape(b2.Circle(1), density=v)),
    ("friction", -1.0, lambda rig, v: rig.body.create_shape(b2.Circle(1), friction=v)),
    ("restitution", -1.0, lambda rig, v: setattr(rig.shape, "restitution", v)),
    ("rolling_resistance", -1.0, lambda rig, v: setattr(rig.shape, "rolling_resistance", v)),
    ("color", -1, lambda rig, v: setattr(rig.shape, "color", v)),
    ("color", 2**32, lambda rig, v: rig.body.create_shape(b2.Circle(1), color=v)),
    ("max_motor_torque", -1.0, lambda rig, v: setattr(rig.joint, "max_motor_torque", v)),
    ("hertz", -1.0, lambda rig, v: hinge(rig, hertz=v)),
    ("radius", 0.0, lambda rig, v: b2.Circle(v)),
    ("radius", -1.0, lambda rig, v: b2.Circle(v)),
    ("radius", -1.0, lambda rig, v: b2.Capsule((0, 0), (1, 0), v)),
    ("radius", -1.0, lambda rig, v: b2.Polygon(TRIANGLE, v)),
    ("hx", 0.0, lambda rig, v: b2.Box(v, 1)),
    ("hx", -1.0, lambda rig, v: b2.Box(v, 1)),
    ("hy", -1.0, lambda rig, v: b2.Box(1, v)),
    ("vertices", [], lambda rig, v: b2.Polygon(v)),
    ("vertices", [(0, 0), (1, 0)], lambda rig, v: b2.Polygon(v)),
    ("vertices", [(0, 0), (1, 0), (2, 0)], lambda rig, v: b2.Polygon(v)),
    ("vertices", [(0, 0)] * 3, lambda rig, v: b2.Polygon(v)),
    ("vertices", [(0, 0), (1, 0), (1, 0.0001)], lambda rig, v: b2.Polygon(v)),
    ("vertices", [(k, k * k) for k in range(9)], lambda rig, v: b2.Polygon(v)),
    ("p2", (0, 0), lambda rig, v: b2.Segment((0, 0), v)),
    ("category", -1, lambda rig, v: b2.Filter(category=v)),
    ("mask", 2**64, lambda rig, v: b2.Filter(mask=v)),
    ("group", 2**31, lambda rig, v: b2.Filter(group=v)),
    ("angles", [0.0], lambda rig, v: rig.world.create_bodies([(0, 0), (1, 1)], geometry=b2.Circle(1), angles=v)),
    ("angles", [0.0, NAN], lambda rig, v: rig.world.create_bodies([(0, 0), (1, 1)], geometry=b2.Circle(1), angles=v)),
    ("linear_velocities", [(0, 0)], lambda rig, v: rig.world.create_bodies([(0, 0), (1, 1)], geometry=b2.Circle(1),
        linear_velocities=v)),
    ("force", [(0, 0)] * 3, lambda rig, v: rig.array.apply_force(v)),
    ("force", [(0, NAN)] * 2, lambda rig, v: rig.array.apply_force(v)),
    ("position", [(0, NAN)] * 2, lambda rig, v: setattr(rig.array, "position", v)),
    ("angular_velocity", [1.0, 2.0, 3.0], lambda rig, v: setattr(rig.array, "angular_velocity", v)),
    ("simd", "mmx", lambda rig, v: b2.World(simd=v)),
    ("broadphase", "quadtree", lambda rig, v: b2.World(broadphase=v)),
    ("narrowphase", "none", lambda rig, v: b2.World(narrowphase=v)),
    ("islands", "blobs", lambda rig, v: b2.World(islands=v)),
    ("schedule", "clusters", lambda rig, v: b2.World(schedule=v)),
    ("type", "solid", lambda rig, v: setattr(rig.body, "type", v)),
    ("type", "solid", lambda rig, v: rig.world.create_bodies([(0, 0)], geometry=b2.Circle(1), type=v)),
]  # fmt: skip


@pytest.mark.parametrize(("argument", "value", "call"), RANGES)
def test_a_value_out_of_range_is_named_in_the_error_and_changes_nothing(argument: str, value: Any, call: Call) -> None:
    rig = Rig()
    before = rig.world.state_hash()
    expect(ValueError, argument, value, lambda: call(rig, value))
    assert rig.world.state_hash() == before
    rig.world.step()
    rig.world.validate()


@pytest.mark.parametrize("option", ["simd", "broadphase", "narrowphase", "islands", "schedule"])
def test_option_name_must_be_a_string(option: str) -> None:
    expect(TypeError, option, 3, lambda: b2.World(**{option: 3}))


def test_simd_that_this_cpu_lacks_is_refused() -> None:
    lacking = {"scalar", "sse2", "avx2", "avx512", "neon", "wasm"} - set(b2.cpu_features())
    assert lacking
    for name in lacking:
        expect(ValueError, "simd", name, lambda name=name: b2.World(simd=name))


def test_body_type_must_be_a_type_or_name(rig: Rig) -> None:
    for value in (None, True, 1.5):
        expect(TypeError, "type", value, lambda value=value: setattr(rig.body, "type", value))
    expect(ValueError, "type", 7, lambda: setattr(rig.body, "type", 7))
    rig.body.type = b2.BodyType.STATIC
    assert rig.body.type is b2.BodyType.STATIC


def test_name_must_be_text(rig: Rig) -> None:
    expect(TypeError, "name", 5, lambda: setattr(rig.body, "name", 5))
    expect(TypeError, "name", 5, lambda: rig.world.create_static_body(name=5))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "place",
    [
        {},
        {"local_anchor_a": (0, 0)},
        {"local_anchor_b": (0, 0)},
        {"frame_a": b2.Frame()},
        {"frame_b": b2.Frame()},
        {"anchor": (0, 0), "frame_a": b2.Frame(), "frame_b": b2.Frame()},
        {"anchor": (0, 0), "local_anchor_a": (0, 0), "local_anchor_b": (0, 0)},
        {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0), "frame_a": b2.Frame(), "frame_b": b2.Frame()},
    ],
)
def test_a_joint_needs_exactly_one_description_of_its_place(rig: Rig, place: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="anchor|frame"):
        rig.world.create_revolute_joint(rig.ground, rig.body, **place)
    assert len(rig.world.joints) == 1


def test_joint_of_a_body_with_itself_is_refused(rig: Rig) -> None:
    expect(ValueError, "body_b", rig.body, lambda: rig.world.create_revolute_joint(rig.body, rig.body, anchor=(0, 0)))


def test_joint_across_worlds_is_refused(rig: Rig) -> None:
    stranger = b2.World().create_dynamic_body()
    for pair in ((stranger, rig.body), (rig.body, stranger)):
        expect(ValueError, "body_", stranger, lambda pair=pair: rig.world.create_revolute_joint(*pair, anchor=(0, 0)))
    rig.world.step()
    rig.world.validate()


def test_joint_limits_must_be_in_order(rig: Rig) -> None:
    with pytest.raises(ValueError, match="lower_angle|upper_angle"):
        hinge(rig, lower_angle=1.0, upper_angle=-1.0)


def attributes_of(kind: type) -> list[str]:
    skipped = {"alive", "world", "index", "from_snapshot", "from_dict", "load_level"}
    return [name for name in dir(kind) if not name.startswith("_") and name not in skipped]


def use(target: Any, name: str) -> None:
    """Reads an attribute, or calls a method with something sensible."""
    arguments: dict[str, tuple[Any, ...]] = {
        "apply_force": ((0, 1),), "apply_torque": (1,), "apply_impulse": ((0, 1),), "apply_angular_impulse": (1,),
        "set_target": ((0, 0), 0, 1), "create_shape": (b2.Circle(1),), "create_chain": ([(0, 0), (1, 0)],),
        "set_geometry": (b2.Circle(1),),
        "world_point": ((0, 0),), "local_point": ((0, 0),), "world_vector": ((0, 0),), "local_vector": ((0, 0),),
        "velocity_at": ((0, 0),), "create_bodies": ([(0, 0)],), "reserve": (1,), "explode": ((0, 0), 1),
        "create_many": (b2.Template([b2.World().create_dynamic_body()]), [(0, 0)]),
        "ray_cast": ((0, 0), (1, 0)), "ray_cast_all": ((0, 0), (1, 0)), "ray_cast_any": ((0, 0), (1, 0)),
        "ray_casts": ([(0, 0)], [(1, 0)]), "shape_cast": (b2.Circle(1),), "shape_cast_all": (b2.Circle(1),),
        "shape_cast_any": (b2.Circle(1),), "shape_casts": (b2.Circle(1), [(0, 0)], None, [(1, 0)]),
        "overlap_aabb": ((0, 0), (1, 1)), "overlap_aabbs": ([(0, 0)], [(1, 1)]), "overlap_shape": (b2.Circle(1),),
        "overlap_shapes": (b2.Circle(1), [(0, 0)]), "point_query": ((0, 0),), "point_queries": ([(0, 0)],),
        "create_shapes": ([b2.Circle(1)],), "apply_wind": ((1, 0),), "closest_point": ((0, 0),),
        "contains": ((0, 0),), "record": ("never.b2r",),
        "save_gif": ("never.gif",), "save_picture": ("never.png",),
        "cast_mover": (b2.Circle(1), (0, 0), (1, 0)), "collide_mover": (b2.Circle(1), (0, 0)),
        "nearest": ((0, 0), 1), "nearests": ([(0, 0)], 1), "set_material_pair": (1, 2), "remove_material_pair": (1, 2),
        "are_touching": ([0], [1]),
        "create_body": ("static",), "add_dict": ({},), "save_level": ("never.json",), "save_html": ("never.html",),
        "body": (0,), "shape": (0,), "joint": (0,), "chain": (0,), "restore": (b"",),
    }  # fmt: skip
    value = getattr(target, name)
    if name == "create_bodies":
        value([(0, 0)], geometry=b2.Circle(1))
    elif name == "staged_step":
        with value(1 / 60):
            pass
    elif name == "contact_between":
        value(*(target.create_static_body().create_shape(b2.Circle(1)) for _ in range(2)))
    elif name in ("connect", "create_connection_joint"):
        value(*(target.create_dynamic_body() for _ in range(2)))
    elif name == "apply_buoyancy":
        value(b2.Box(1, 1), density=1)
    elif callable(value):
        value(*arguments.get(name, ()))
    elif isinstance(value, b2.Objects):
        len(value)


@pytest.mark.parametrize(("target", "kind"), [("body", b2.Body), ("shape", b2.Shape), ("joint", b2.RevoluteJoint)])
def test_every_use_of_a_destroyed_object_raises_destroyed_error(rig: Rig, target: str, kind: type) -> None:
    thing = getattr(rig, target)
    index = thing.index
    thing.destroy()
    for name in attributes_of(kind):
        if name == "destroy":
            continue
        with pytest.raises(b2.DestroyedError, match=rf"{index}.*has been destroyed"):
            use(thing, name)
    assert not thing.alive
    assert "destroyed" in repr(thing)
    assert thing == thing and hash(thing) == hash(thing)
    thing.destroy()
    rig.world.step()
    rig.world.validate()


def test_a_stale_handle_stays_invalid_when_its_index_is_reused(rig: Rig) -> None:
    old = rig.body
    old.destroy()
    new = rig.world.create_dynamic_body((3, 3))
    assert new.index == old.index
    assert new != old
    assert not old.alive
    with pytest.raises(b2.DestroyedError):
        old.position
    with pytest.raises(b2.DestroyedError):
        old.linear_velocity = 1, 1
    assert new.position == (3, 3)


def test_destroying_a_body_destroys_its_shapes_joints_and_data(rig: Rig) -> None:
    rig.shape.data = rig.joint.data = rig.body.data = "mine"
    rig.body.destroy()
    for thing in (rig.shape, rig.joint, rig.body):
        assert not thing.alive
        assert thing.data == "mine"  # for its end events
        with pytest.raises(b2.DestroyedError):
            thing.data = "other"
    assert not rig.world._data
    rig.world.step()
    rig.world.validate()
    rig.world.step()
    for thing in (rig.shape, rig.joint, rig.body):
        with pytest.raises(b2.DestroyedError):
            thing.data


def test_joint_with_a_destroyed_body_is_refused(rig: Rig) -> None:
    rig.other.destroy()
    with pytest.raises(b2.DestroyedError, match="body_b"):
        rig.world.create_revolute_joint(rig.ground, rig.other, anchor=(0, 0))


def test_every_use_of_a_closed_world_raises_destroyed_error(rig: Rig) -> None:
    rig.world.close()
    rig.world.close()
    assert rig.world.closed
    assert repr(rig.world) == "<World closed>"
    for name in attributes_of(b2.World):
        if name in ("close", "closed") or name.endswith("_joint"):
            continue
        if name in ("save_gif", "save_picture") and find_spec("PIL") is None:
            continue
        with pytest.raises(b2.DestroyedError, match="closed"):
            use(rig.world, name)
    with pytest.raises(b2.DestroyedError):
        hinge(rig)
    with pytest.raises(b2.DestroyedError), rig.world:
        pass
    for thing in (rig.body, rig.shape, rig.joint, rig.chain):
        for name in attributes_of(type(thing)):
            if name != "destroy":
                with pytest.raises(b2.DestroyedError):
                    use(thing, name)
        assert not thing.alive
        assert "destroyed" in repr(thing)
        thing.destroy()


def test_stale_contacts_and_islands_raise_destroyed_error() -> None:
    world = b2.World()
    world.create_static_body().create_shape(b2.Box(5, 1))
    ball = world.create_dynamic_body((0, 1.5))
    ball.create_shape(b2.Circle(0.5))
    world.step()
    [contact], [island] = world.contacts, world.islands
    ball.destroy()
    for thing in (contact, island):
        assert not thing.alive
        for name in attributes_of(type(thing)):
            if name not in ("data",):
                with pytest.raises(b2.DestroyedError):
                    use(thing, name)


def test_read_only_attributes_cannot_be_set(rig: Rig) -> None:
    for thing, names in ((rig.body, "index world_center aabb turns shapes alive nonsense"),
        (rig.shape, "index body aabb"),
                         (rig.joint, "index body_a angle speed constraint_force"),
                         (rig.world, "counters profile bodies events")):  # fmt: skip
        for name in names.split():
            with pytest.raises(AttributeError):
                setattr(thing, name, 1)


def test_a_failed_allocation_leaves_the_world_unchanged(rig: Rig) -> None:
    from box2dpy._core import lib

    world = rig.world
    hit = 0
    for after in range(40):
        before = world.state_hash(), len(world.bodies), len(world.shapes)
        lib.b2d_world_fail_allocation(world._ptr, after)
        try:
            world.create_bodies([(100 + 3 * after, 3 * k) for k in range(200)], geometry=b2.Circle(1))
        except MemoryError:
            hit += 1
            assert (world.state_hash(), len(world.bodies), len(world.shapes)) == before
        finally:
            lib.b2d_world_fail_allocation(world._ptr, -1)
        world.validate()
    assert hit
    world.step()
    world.validate()
