"""Every property of worlds, bodies, shapes and joints reads back as set; the value types behave as documented."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import box2dpy as b2
from box2dpy._bridge.lists import shared_list


@pytest.fixture(name="world")
def make_world() -> b2.World:
    return b2.World()


@pytest.fixture(name="body")
def make_body(world: b2.World) -> b2.Body:
    body = world.create_dynamic_body((1, 2))
    body.create_shape(b2.Box(0.5, 0.25))
    return body


WORLD = {
    "gravity": (1.0, -2.0), "sleeping": False, "continuous": False, "warm_starting": False, "contact_recycle": 0.0,
    "restitution_threshold": 2.0, "hit_threshold": 3.0, "contact_hertz": 20.0, "contact_damping_ratio": 5.0,
    "contact_push_speed": 4.0, "joint_hertz": 50.0, "joint_damping_ratio": 1.0, "joint_solver": "iterative",
    "max_linear_speed": 100.0,
    "sleep_time": 1.0, "length_unit": 2.0, "friction_mixing": "min",
    "restitution_mixing": "multiply", "contact_events": "bodies",
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WORLD.items())
def test_a_world_option_reads_back_as_set(world: b2.World, name: str, value: Any) -> None:
    assert getattr(b2.World(**{name: value}), name) == value
    assert getattr(world, name) != value
    setattr(world, name, value)
    assert getattr(world, name) == value
    world.step()


BODY = {
    "position": (3.0, -4.5), "angle": 0.5, "linear_velocity": (1.0, 2.0), "angular_velocity": 3.0,
    "linear_damping": 0.25,
    "angular_damping": 0.5, "gravity_scale": 0.5, "sleep_threshold": 0.25, "can_sleep": False, "awake": False,
    "enabled": False, "bullet": True, "allow_fast_rotation": True, "safety_factor": 0.25, "lock_x": True,
    "lock_y": True,
    "lock_rotation": True, "name": "crate",
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BODY.items())
def test_a_body_property_reads_back_as_set(world: b2.World, body: b2.Body, name: str, value: Any) -> None:
    made = world.create_dynamic_body(**{name: value})
    assert getattr(made, name) == pytest.approx(value)
    assert getattr(body, name) != value
    setattr(body, name, value)
    assert getattr(body, name) == pytest.approx(value)
    world.step()
    world.validate()


@pytest.mark.parametrize(("name", "value"), [("mass", 3.0), ("inertia", 2.0), ("local_center", (0.25, 0.5))])
def test_a_mass_that_was_set_stays_until_it_is_computed_from_the_shapes(body: b2.Body, name: str, value: Any) -> None:
    before = getattr(body, name)
    setattr(body, name, value)
    assert getattr(body, name) == pytest.approx(value)
    body.update_mass()
    assert getattr(body, name) == before


def test_the_mass_of_a_box_follows_from_its_density(body: b2.Body) -> None:
    assert body.mass == pytest.approx(1.0 * 0.5)
    assert body.inertia == pytest.approx(0.5 * (1.0 + 0.25) / 12)
    assert body.world_center == (1, 2)


def test_a_body_type_reads_back_as_set(body: b2.Body) -> None:
    for kind in ("static", "kinematic", "dynamic", *b2.BodyType):
        body.type = kind
        assert body.type is (b2.BodyType[kind.upper()] if isinstance(kind, str) else kind)


def test_rotation_is_cosine_and_sine(body: b2.Body) -> None:
    body.rotation = (0, 2)
    assert body.rotation == pytest.approx((0, 1))
    assert body.angle == pytest.approx(math.pi / 2)
    body.angle = -math.pi
    assert body.angle == pytest.approx(math.pi)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_position_is_stored_without_rounding(x: float, y: float) -> None:
    assert b2.World().create_static_body((x, y)).position == (x, y)


@pytest.mark.parametrize("make", [tuple, list, np.array, lambda p: np.array(p, np.float32), lambda p: b2.Vec2(*p),
                                  lambda p: np.array(p, int), lambda p: np.array([p, p])[1], iter])  # fmt: skip
def test_any_pair_of_numbers_is_accepted_as_a_vector(body: b2.Body, make: Any) -> None:
    body.position = make((3, 4))
    assert body.position == (3, 4)
    assert type(body.position) is b2.Vec2
    assert type(body.position.x) is float


SHAPE = {
    "density": 2.0, "friction": 0.25, "restitution": 0.5, "rolling_resistance": 0.125, "tangent_speed": 1.0,
    "sensor": True,
    "contact_events": False, "hit_events": True, "sensor_events": True, "material": -7, "color": 0xFF8800,
    "filter": b2.Filter(2, 5, -3),
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SHAPE.items())
def test_a_shape_property_reads_back_as_set(world: b2.World, body: b2.Body, name: str, value: Any) -> None:
    made = body.create_shape(b2.Circle(0.5), **{name: value})
    assert getattr(made, name) == value
    shape = body.shapes[0]
    assert getattr(shape, name) != value
    setattr(shape, name, value)
    assert getattr(shape, name) == value
    world.step()
    world.validate()


GEOMETRIES = [
    b2.Circle(0.5, (1, 2)),
    b2.Capsule((0, 0), (1, 1), 0.25),
    b2.Segment((0, 0), (2, 0)),
    b2.ChainSegment((0, 0), (2, 0)),
    b2.ChainSegment((0, 0), (2, 0), ghost1=(-1, 2)),
    b2.ChainSegment((0, 0), (2, 0), ghost1=(-1, 2), ghost2=(3, 3)),
    b2.Polygon([(0, 0), (2, 0), (1, 1)]),
    b2.Polygon([(0, 0), (2, 0), (1, 1)], radius=0.5),
    b2.Box(1, 2),
    b2.Box(1, 2, (3, 4), 0.5, 0.25),
]


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=repr)
def test_a_geometry_reads_back_as_set_and_can_be_copied(world: b2.World, geometry: b2.Geometry) -> None:
    shape = world.create_static_body().create_shape(geometry)
    assert shape.geometry == geometry
    assert hash(shape.geometry) == hash(geometry)
    for twin in (pickle.loads(pickle.dumps(geometry)), copy.copy(geometry), copy.deepcopy(geometry)):
        assert twin == geometry
        assert repr(twin) == repr(geometry)
    names = {name: getattr(b2, name) for name in ("Circle", "Capsule", "Segment", "ChainSegment", "Polygon", "Box")}
    assert eval(repr(geometry), names) == geometry
    other = world.create_static_body().create_shape(b2.Circle(9))
    other.geometry = geometry
    assert other.geometry == geometry
    world.validate()


def test_different_geometries_are_unequal() -> None:
    for k, a in enumerate(GEOMETRIES):
        assert [a == b for b in GEOMETRIES].index(True) == k
        assert a != "box"


@given(st.permutations([(0.0, 0.0), (2.0, 0.0), (3.0, 1.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0)]))
def test_a_polygon_is_the_hull_of_its_points_in_any_order(vertices: list[tuple[float, float]]) -> None:
    hull = b2.Polygon(vertices).vertices
    assert set(hull) == {(0, 0), (2, 0), (3, 1), (2, 2), (0, 2)}
    edges = [b - a for a, b in zip(hull, hull[1:] + hull[:1], strict=True)]
    assert all(a.cross(b) > 0 for a, b in zip(edges, edges[1:] + edges[:1], strict=True))


JOINT = {
    "local_anchor_a": (0.25, 0.5), "local_anchor_b": (-0.25, 0.5), "local_angle_a": 0.25, "local_angle_b": 0.5,
    "collide_connected": True, "joint_hertz": 30.0, "joint_damping_ratio": 1.0, "force_threshold": 10.0,
    "torque_threshold": 20.0, "enable_spring": True, "hertz": 2.0, "damping_ratio": 0.5, "target_angle": 0.25,
    "enable_limit": True, "lower_angle": -0.5, "upper_angle": 0.5, "enable_motor": True, "motor_speed": 2.0,
    "max_motor_torque": 5.0,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), JOINT.items())
def test_a_joint_property_reads_back_as_set(world: b2.World, body: b2.Body, name: str, value: Any) -> None:
    other = world.create_dynamic_body((2, 2))
    other.create_shape(b2.Circle(0.5))
    joint = world.create_revolute_joint(body, other, anchor=(1.5, 2))
    assert getattr(joint, name) != value
    setattr(joint, name, value)
    assert getattr(joint, name) == pytest.approx(value)
    if not name.startswith("local"):
        made = world.create_revolute_joint(body, other, anchor=(1.5, 2), **{name: value})
        assert getattr(made, name) == pytest.approx(value)
    world.step()
    world.validate()


def test_a_joint_without_its_own_softness_uses_that_of_the_world(world: b2.World, body: b2.Body) -> None:
    joint = world.create_revolute_joint(world.create_static_body(), body, anchor=(0, 0))
    assert joint.joint_hertz == world.joint_hertz == 60
    joint.joint_hertz = 30
    assert joint.joint_hertz == 30
    joint.joint_hertz = joint.joint_damping_ratio = None
    world.joint_hertz, world.joint_damping_ratio = 40, 3
    assert (joint.joint_hertz, joint.joint_damping_ratio) == (40, 3)


def test_joint_anchors_and_frames_agree(world: b2.World) -> None:
    a, b = world.create_static_body((1, 0), angle=math.pi / 2), world.create_dynamic_body((3, 0))
    at = world.create_revolute_joint(a, b, anchor=(2, 0))
    assert at.local_anchor_a == pytest.approx((0, -1), abs=1e-6)
    assert at.local_anchor_b == (-1, 0)
    assert at.angle == pytest.approx(0, abs=1e-6)
    local = world.create_revolute_joint(a, b, local_anchor_a=(0, -1), local_anchor_b=(-1, 0))
    assert local.angle == pytest.approx(-math.pi / 2, abs=1e-6)
    framed = world.create_revolute_joint(a, b, frame_a=b2.Frame((0, -1), 0.25), frame_b=b2.Frame((-1, 0), 0.5))
    assert framed.frame_a == ((0, -1), 0.25)
    assert framed.frame_b.angle == 0.5
    assert (framed.body_a, framed.body_b) == (a, b)
    assert type(framed) is b2.RevoluteJoint


def test_local_and_world_coordinates_are_inverse(world: b2.World) -> None:
    body = world.create_dynamic_body((3, -2), angle=1.0)
    body.create_shape(b2.Circle(1))
    body.angular_velocity = 2
    for point in ((0, 0), (1, 2), (-5, 0.5)):
        assert body.local_point(body.world_point(point)) == pytest.approx(point)
        assert body.local_vector(body.world_vector(point)) == pytest.approx(point)
    assert body.velocity_at(body.world_point((1, 0))) == pytest.approx(body.world_vector((0, 2)))


def test_forces_impulses_and_targets_change_the_velocity_as_expected(world: b2.World) -> None:
    world.gravity = 0, 0
    body = world.create_dynamic_body()
    body.create_shape(b2.Circle(1))
    mass, inertia = body.mass, body.inertia
    body.apply_impulse((mass, 0))
    assert body.linear_velocity == pytest.approx((1, 0))
    body.apply_angular_impulse(inertia)
    assert body.angular_velocity == pytest.approx(1)
    body.apply_impulse((0, inertia), (2, 0))
    assert body.angular_velocity == pytest.approx(3)
    body.linear_velocity, body.angular_velocity = (0, 0), 0
    body.apply_force((mass * 60, 0))
    assert body.force == pytest.approx((mass * 60, 0))
    body.apply_torque(inertia * 60)
    assert body.torque == pytest.approx(inertia * 60)
    world.step(1 / 60)
    assert body.force == (0, 0)
    assert body.linear_velocity == pytest.approx((1, 0), rel=1e-5)
    assert body.angular_velocity == pytest.approx(1, rel=1e-5)
    driver = world.create_kinematic_body()
    driver.set_target((1, 2), 0.5, 0.1)
    world.step(0.1)
    assert driver.position == pytest.approx((1, 2), abs=1e-5)
    assert driver.angle == pytest.approx(0.5, abs=1e-4)


def test_a_sleeping_body_ignores_a_force_that_may_not_wake(world: b2.World) -> None:
    body = world.create_dynamic_body(awake=False)
    body.create_shape(b2.Circle(1))
    body.apply_force((100, 0), wake=False)
    world.step()
    assert not body.awake
    assert body.linear_velocity == (0, 0)
    body.apply_force((100, 0))
    assert body.awake


def test_a_handle_is_the_same_object_while_it_is_held(world: b2.World, body: b2.Body) -> None:
    shape = body.shapes[0]
    assert shape.body is body
    assert body.shapes[0] is shape
    assert world.body(0) is body
    joint = world.create_revolute_joint(world.create_static_body(), body, anchor=(0, 0))
    assert world.joint(0) is joint
    assert joint.body_b is body
    assert body.joints == [joint]
    assert body in world.bodies
    assert b2.World().create_static_body() not in world.bodies
    assert len({body, shape, joint}) == 3


def test_data_and_name_are_kept_when_no_handle_is_held(world: b2.World) -> None:
    marker = object()
    body = world.create_static_body(data=marker, name="wall")
    body.create_shape(b2.Circle(1), data=[1])
    watch = weakref.ref(body)
    del body
    gc.collect()
    assert watch() is None
    [again] = world.bodies
    assert again.data is marker
    assert again.name == "wall"
    assert "wall" in repr(again)
    assert again.shapes[0].data == [1]
    assert world.create_static_body().data is None


def test_a_world_is_freed_with_its_last_reference(world: b2.World) -> None:
    watch = weakref.ref(world)
    body = world.create_dynamic_body()
    arrays, events = world.arrays, world.events
    del arrays, events
    other = b2.World()
    other.step()
    assert watch() is world
    assert body.world is world


def test_a_world_without_reference_cycles_is_freed_at_once() -> None:
    world = b2.World()
    world.create_dynamic_body().create_shape(b2.Circle(1))
    world.step()
    list(world.events.body_move), list(world.bodies), world.arrays.position
    watch = weakref.ref(world)
    gc.disable()
    try:
        del world
        assert watch() is None
    finally:
        gc.enable()


def test_handles_are_pickled_with_their_world(body: b2.Body) -> None:
    assert pickle.loads(pickle.dumps(body)).index == body.index
    with pytest.raises(TypeError, match="Body"):
        copy.copy(body)


def test_values_are_immutable_and_can_be_pickled() -> None:
    for value in (b2.Vec2(1, 2), b2.Filter(2, 3, 4), b2.Frame((1, 2), 3)):
        assert pickle.loads(pickle.dumps(value)) == value
        assert type(pickle.loads(pickle.dumps(value))) is type(value)
        assert copy.deepcopy(value) == value
        with pytest.raises(AttributeError):
            value.x = 1  # type: ignore[union-attr,misc]


def test_vec2_refuses_values_that_are_not_numbers() -> None:
    for bad in (("a", 1), (1, "2"), (None, 0), ([], 0)):
        with pytest.raises(TypeError):
            b2.Vec2(*bad)  # type: ignore[arg-type]


def test_counters_and_profile_have_the_documented_fields(world: b2.World, body: b2.Body) -> None:
    world.step()
    counters, profile = world.counters, world.profile
    assert (counters.bodies, counters.shapes, counters.joints, counters.steps) == (1, 1, 0, 1)
    assert counters.bytes > 0
    assert profile.step >= 0
    assert set(counters.as_dict()) == set(b2.Counters.meanings)
    assert b2.Counters._fields == tuple(name for name, _ in shared_list("counters"))
    assert b2.Profile._fields == tuple(name for (name,) in shared_list("profile"))
    for name, meaning in shared_list("counters"):
        assert getattr(b2.Counters, name).__doc__ == meaning
    with pytest.raises(AttributeError):
        counters.bodeis  # type: ignore[attr-defined]
    assert "bodies=1" in repr(counters)
    with pytest.raises(AttributeError, match="nothing"):
        counters.nothing


def test_options_can_be_read_back() -> None:
    for broadphase in ("grid", "tree", "brute"):
        assert b2.World(broadphase=broadphase).strategies.broadphase == broadphase
    assert b2.World().strategies.broadphase != "auto"
    for simd in b2.cpu_features():
        assert b2.World(simd=simd).simd == simd
    assert b2.World().simd in b2.cpu_features()
    assert b2.World(narrowphase="per_pair").strategies.narrowphase == "per_pair"
    world = b2.World(workers=2)
    assert world.workers == 2
    world.workers = 1
    assert world.workers == 1
    world.step()
    pool = b2.Scheduler(2)
    shared = b2.World(workers=pool)
    assert shared.workers == 2
    del pool
    shared.step()


def test_bounds_contain_the_shapes(world: b2.World, body: b2.Body) -> None:
    box = body.aabb
    assert box.lower == pytest.approx((0.5, 1.75), abs=1e-6)
    assert box.upper == pytest.approx((1.5, 2.25), abs=1e-6)
    assert body.shapes[0].aabb == box
    fat = body.shapes[0].fat_aabb
    assert fat.lower.x <= box.lower.x
    assert fat.upper.y >= box.upper.y
    assert world.bounds.lower.x <= 0.5
    assert b2.World().bounds == ((0, 0), (0, 0))


def test_a_push_with_wake_false_does_not_keep_a_body_awake() -> None:
    for wake in (True, False):
        with b2.World() as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
            box = world.create_dynamic_body((0, 0.5))
            box.create_shape(b2.Box(0.5, 0.5))
            for _ in range(120):
                box.apply_force((0.01, 0), wake=wake)
                box.apply_impulse((1e-4, 0), wake=wake)
                box.apply_angular_impulse(1e-5, wake=wake)
                world.step()
            assert box.awake is wake
            world.validate()
