"""What newcomers trip over: values without their flag, names of other engines, bounds in the wrong order."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import math
import pkgutil
import pydoc
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._bridge.other_names import MODULE_NAMES

from ..patience import finished
from ..seeds import arrays, draws
from ..stepping import advance


def make_pair() -> tuple[b2.World, b2.Body, b2.Body]:
    world = b2.World()
    base, body = world.create_static_body(), world.create_dynamic_body((0, 1))
    body.create_shape(b2.Circle(0.5))
    return world, base, body


ANCHORS = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}


@pytest.mark.parametrize(
    ("maker", "options", "flags"),
    [
        ("revolute", {"hertz": 2}, {"enable_spring"}),
        ("revolute", {"upper_angle": 1}, {"enable_limit"}),
        ("revolute", {"lower_angle": 0.0}, {"enable_limit"}),
        ("revolute", {"motor_speed": 1, "max_motor_torque": 2}, {"enable_motor"}),
        ("revolute", {"hertz": 2, "enable_spring": False}, set()),
        ("revolute", {"motor_speed": 1, "enable_motor": False}, set()),
        ("revolute", {}, set()),
        ("prismatic", {"lower_translation": -1, "max_motor_force": 1}, {"enable_limit", "enable_motor"}),
        ("wheel", {"upper_translation": 1, "motor_speed": 1}, {"enable_spring", "enable_limit", "enable_motor"}),
        ("distance", {"hertz": 3}, {"enable_spring"}),
        ("distance", {"hertz": 0.0}, set()),
        ("distance", {"max_length": 3}, {"enable_spring", "enable_limit"}),
        ("distance", {"enable_motor": True, "motor_speed": 1}, {"enable_spring", "enable_motor"}),
        ("distance", {"max_length": 3, "enable_spring": False}, {"enable_limit"}),
    ],
)
def test_a_value_switches_its_flag_on(maker: str, options: dict[str, Any], flags: set[str]) -> None:
    world, base, body = make_pair()
    joint = getattr(world, f"create_{maker}_joint")(base, body, **ANCHORS, **options)
    assert {flag for flag in ("enable_spring", "enable_limit", "enable_motor") if getattr(joint, flag)} == flags


def test_bounds_in_the_wrong_order_are_said_to_be() -> None:
    world, base, body = make_pair()
    with pytest.raises(ValueError, match=r"lower_angle=1 is out of range: greater than upper_angle=-1"):
        world.create_revolute_joint(base, body, anchor=(0, 0), lower_angle=1, upper_angle=-1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w, b: b.create_shape(b2.Circle(1), density=-1), r"density=-1 is out of range: 0 to 1e\+30"),
        (lambda w, b: b2.Circle(0), r"radius=0 is out of range: more than 0, at most 1e\+06"),
        (lambda w, b: w.step(2), r"dt=2.0 is out of range: 0 to 1"),
        (lambda w, b: w.step(1 / 60, 0), r"substeps=0 is out of range: 1 to 64"),
        (lambda w, b: setattr(w, "workers", 99), r"workers=99 is out of range: 1 to 64"),
        (lambda w, b: setattr(b, "mass", -2), r"mass=-2 is out of range: "),
        (lambda w, b: w.create_static_body().apply_force((1, 0)), r"not allowed here: forces move only dynamic bodies"),
        (lambda w, b: setattr(w, "length_unit", 3), r"not allowed here: it is fixed once there are shapes"),
    ],
)
def test_errors_tell_the_allowed_range_or_the_reason(call: Any, message: str) -> None:
    world, _, body = make_pair()
    before = world.state_hash()
    with pytest.raises(ValueError, match=message):
        call(world, body)
    assert world.state_hash() == before or "apply" in inspect.getsource(call)


def test_a_range_is_not_told_for_another_error() -> None:
    world, _, body = make_pair()
    with pytest.raises(ValueError, match=r"0 to 1 seconds; step\(1 / 60\) is usual"):
        world.step(60)
    with pytest.raises(ValueError, match="finite$"):
        body.linear_damping = float("nan")


@pytest.mark.parametrize(
    ("use", "ours"),
    [
        (lambda w, b: b.velocity, "linear_velocity"),
        (lambda w, b: setattr(b, "velocity", (1, 0)), "linear_velocity"),
        (lambda w, b: setattr(b, "fixedRotation", True), "lock_rotation"),
        (lambda w, b: b.shapes[0].elasticity, "restitution"),
        (lambda w, b: w.add(b), "create_dynamic_body"),
        (lambda w, b: w.CreateDynamicBody((0, 0)), "create_dynamic_body"),
        (lambda w, b: b.create_box(1, 1), r"create_shape\(Box\("),
        (lambda w, b: w.create_spring_joint(b, b), "create_distance_joint"),
        (lambda w, b: b2.Rectangle(1, 1), r"Box\(half_width, half_height\)"),
    ],
)
def test_names_of_other_engines_lead_to_ours(use: Any, ours: str) -> None:
    world, _, body = make_pair()
    with pytest.raises(AttributeError, match=ours):
        use(world, body)
    assert not hasattr(body, "velocity")
    assert "velocity" not in dir(body)
    assert "add" not in dir(world)
    assert "position" in dir(body)


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda w, a, b: b.create_shape(b2.Circle(1), frictoin=1), "friction"),
        (lambda w, a, b: b.create_shape(b2.Circle(1), elasticity=1), "restitution"),
        (lambda w, a, b: w.create_dynamic_body(bulet=True), "bullet"),
        (lambda w, a, b: w.create_revolute_joint(a, b, anchor=(0, 0), lower_angel=1), "lower_angle"),
        (lambda w, a, b: w.create_bodies([(0, 0)], geometry=b2.Circle(1), densty=2), "density"),
        (lambda w, a, b: w.create_bodies([(0, 0)], geometry=b2.Circle(1), angle=2), "angles"),
    ],
)
def test_an_unknown_option_names_the_one_that_is_meant(call: Any, meant: str) -> None:
    with pytest.raises(TypeError, match=rf"unexpected keyword argument .*did you mean '{meant}'"):
        call(*make_pair())


def test_a_field_of_the_filter_leads_to_the_filter() -> None:
    _, _, body = make_pair()
    with pytest.raises(TypeError, match=r"argument 'mask': use filter=Filter\(category, mask, group\)"):
        body.create_shape(b2.Circle(1), mask=1)
    with pytest.raises(TypeError, match=r"argument 'mass': the mass follows from the density"):
        body.create_shape(b2.Circle(1), mass=1)


def test_methods_are_named_after_the_world() -> None:
    world, _, _ = make_pair()
    for name in dir(world):
        function = getattr(type(world), name, None)
        if not name.startswith("_") and inspect.isfunction(function):
            assert function.__qualname__.startswith("World.") or function.__qualname__ == name, name


def test_a_callback_may_remove_itself() -> None:
    world, base, body = make_pair()
    base.create_shape(b2.Box(5, 0.5))
    body.create_shape(b2.Circle(0.5, (3, 0)))
    calls: list[object] = []

    def once(event: object) -> None:
        calls.append(event)
        world.on_contact_begin = None

    world.on_contact_begin = once
    advance(world, 60)
    assert len(calls) == 1
    assert world.on_contact_begin is None
    assert world.counters.contacts >= 2


def test_an_error_after_a_callback_removed_itself_is_raised() -> None:
    world, base, _ = make_pair()
    base.create_shape(b2.Box(5, 0.5))

    def fail(event: object) -> None:
        world.on_contact_begin = None
        raise RuntimeError("from the callback")

    world.on_contact_begin = fail

    def run() -> None:
        advance(world, 60)

    with pytest.raises(RuntimeError, match="from the callback"):
        run()
    world.step()


def test_bodies_with_options_and_columns() -> None:
    with b2.World(gravity=(0, 0)) as world:
        row = world.create_bodies(
            [(0, 0), (5, 0), (10, 0)], geometry=b2.Circle(1), linear_damping=0.5, gravity_scale=0, bullet=True,
            lock_rotation=True, friction=[0.1, 0.2, 0.3], density=np.array([1, 2, 3]), color=[1, 2, 3],
        )  # fmt: skip
        np.testing.assert_allclose(row.friction, [0.1, 0.2, 0.3], rtol=1e-6)
        np.testing.assert_allclose(row.mass, np.pi * np.array([1, 2, 3]), rtol=1e-5)
        assert row.linear_damping.tolist() == [0.5] * 3
        assert all(body.bullet and body.lock_rotation for body in row)
        assert [body.shapes[0].color for body in row] == [1, 2, 3]
        row.friction = 0.7
        row[1].create_shape(b2.Circle(1, (3, 0)))
        row.restitution = [0, 0.5, 1]
        assert {round(shape.restitution, 3) for shape in row[1].shapes} == {0.5}
        before = world.state_hash()
        for name, bad in (("friction", [0.1, -1, 0]), ("density", [1, 2]), ("friction", [0, 0, np.nan])):
            with pytest.raises(ValueError, match=name):
                world.create_bodies([(0, 0)] * 3, geometry=b2.Circle(1), **{name: bad})
            with pytest.raises(ValueError, match=name):
                setattr(row, name, bad)
        assert world.state_hash() == before
        assert len(world.bodies) == 3
        world.validate()


def test_a_body_without_shapes_has_no_friction() -> None:
    with b2.World() as world:
        row = world.create_bodies([(0, 0)], geometry=b2.Circle(1))
        row[0].shapes[0].destroy()
        assert np.isnan(row.friction).all()
        row.friction = 0.5  # there is nothing to set


SHAPES = [
    b2.Circle(0.5, (0.2, 0.1)),
    b2.Capsule((-1, 0), (1, 0.5), 0.3),
    b2.Box(1, 0.5),
    b2.Polygon([(0, 0), (2, 0), (1, 1.5)], radius=0.2),
    b2.Segment((-1, -1), (1, 0)),
]


@pytest.mark.parametrize("geometry", SHAPES, ids=lambda g: type(g).__name__)
def test_closest_points_are_on_the_shape_and_as_near_as_distance_says(geometry: b2.Geometry) -> None:
    points = arrays(3).uniform(-3, 3, (200, 2))
    nearest = geometry.closest_points(points)
    inside = geometry.contains_points(points)
    np.testing.assert_array_equal(nearest[inside], points[inside])
    for point, found in zip(points[~inside][:60], nearest[~inside][:60], strict=True):
        tiny = b2.Circle(1e-3, point)
        assert np.hypot(*(point - found)) == pytest.approx(b2.distance(geometry, tiny).distance + 1e-3, abs=2e-5)
        assert geometry.closest_point(point) == pytest.approx(tuple(found))


def test_a_shape_answers_in_world_coordinates() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body((5, 2), np.pi / 2)
        shape = body.create_shape(b2.Box(2, 0.5), density=3)
        assert shape.contains((5.2, 3.8))
        assert not shape.contains((6.8, 2))
        assert shape.closest_point((8, 2)) == pytest.approx((5.5, 2), abs=1e-6)
        hit = shape.ray_cast((0, 2), (10, 0))
        assert hit is not None
        assert hit.point == pytest.approx((4.5, 2), abs=1e-6)
        assert hit.normal == pytest.approx((-1, 0), abs=1e-6)
        assert shape.ray_cast((0, 9), (10, 0)) is None
        assert shape.mass_data == shape.geometry.mass_data(3)
        assert shape.mass_data.mass == pytest.approx(body.mass)


def test_an_aabb_is_a_box_of_a_query() -> None:
    world, _, body = make_pair()
    shape = body.shapes[0]
    assert world.overlap_aabb(body.aabb) == [shape] == world.overlap_aabb(*body.aabb)
    with pytest.raises(TypeError, match="upper=None"):
        world.overlap_aabb((0, 0))


def test_a_mover_joint_may_have_anchors_and_a_wheel_tells_its_translation_speed() -> None:
    with b2.World(gravity=(0, -10)) as world:
        base, body = world.create_static_body(), world.create_dynamic_body((0, 0))
        body.create_shape(b2.Circle(0.5))
        mover = world.create_mover_joint(
            base, body, anchor=(0, 0.5), linear_velocity=(2, 0), max_velocity_force=(500, 0)
        )
        assert mover.local_anchor_b == (0, 0.5)
        wheel = world.create_wheel_joint(
            base, world.create_dynamic_body((9, 0), gravity_scale=1), anchor=(9, 0), axis=(0, 1), enable_spring=False
        )
        wheel.body_b.create_shape(b2.Circle(0.5))
        advance(world, 30)
        assert mover.relative_velocity.x == pytest.approx(2, abs=0.02)
        assert wheel.translation_speed == pytest.approx(-5, rel=1e-3)


def test_names_of_other_engines_in_joints_and_in_the_module_lead_to_ours() -> None:
    with b2.World() as world:
        wall, door = world.create_static_body(), world.create_dynamic_body((1, 0))
        hinge = world.create_revolute_joint(wall, door, anchor=(0, 0))
        for name, ours in (
            ("motorSpeed", "motor_speed"),
            ("bodyA", "body_a"),
            ("GetReactionForce", "constraint_force"),
        ):
            with pytest.raises(AttributeError, match=f"'{name}': use {ours}"):
                getattr(hinge, name)
        with pytest.raises(AttributeError, match="use motor_speed"):
            hinge.rate = 3
        assert "motorSpeed" not in dir(hinge)
        with pytest.raises(TypeError, match="did you mean 'max_motor_torque'"):
            world.create_revolute_joint(wall, door, anchor=(0, 0), maxMotorTorque=3)
    for name, ours in (("Space", "World"), ("b2MouseJoint", "MouseDrag"), ("Vec2d", "Vec2")):
        with pytest.raises(AttributeError, match=f"'{name}': use {ours}"):
            getattr(b2, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'$"):
        b2.nothing  # type: ignore[attr-defined]


def test_the_names_that_messages_propose_exist() -> None:
    """Of the module: names before a bracket, a dot path or a comma."""
    for proposed in MODULE_NAMES.values():
        if proposed.startswith(("nothing", "the ")):
            continue
        first = re.match(r"[\w.]+", proposed)
        assert first is not None
        found: Any = b2
        for part in first[0].split("."):
            found = getattr(found, part)


def test_a_misspelled_attribute_cannot_be_assigned() -> None:
    """Objects of public classes have no room for others; only exceptions and enumerations are as Python makes them."""
    open_ended = {
        name
        for name in b2.__all__
        if isinstance(kind := getattr(b2, name), type)
        and not issubclass(kind, (BaseException, int))
        and kind.__dictoffset__
    }
    assert not open_ended
    world, _, body = make_pair()
    stepper = b2.FixedStepper(world)
    many = world.create_bodies([(9, 9)], geometry=b2.Circle(1))
    targets: list[tuple[Any, str, str]] = [
        (world, "gravty", "gravity"), (body, "linear_velocty", "linear_velocity"), (many, "awkae", "awake"),
        (body.shapes[0], "fricton", "friction"), (stepper, "substep", "substeps"),
        (world.arrays, "positon", "position"), (world.counters, "bodys", "bodies"), (b2.DrawList(), "label", "labels"),
    ]  # fmt: skip
    for target, wrong, right in targets:
        assert hasattr(target, right)
        with pytest.raises(AttributeError, match=f"no attribute '{wrong}'"):
            setattr(target, wrong, 3)


def test_a_subclass_of_world_has_attributes_of_its_own() -> None:
    class Game(b2.World):
        pass

    with Game() as game:
        game.score = 3  # type: ignore[attr-defined]
        assert "score" in dir(game)
        with game.clone() as other:
            assert vars(other) == {"score": 3}
    assert game.closed
    assert vars(game) == {"score": 3}


def test_a_set_of_objects_says_how_to_get_one() -> None:
    with b2.World() as world:
        one = r"world.{0}\(index\) gives the {0} of an index, and list\(world.{1}\) gives a list"
        for name, plural in (("body", "bodies"), ("shape", "shapes"), ("joint", "joints"), ("chain", "chains")):
            with pytest.raises(TypeError, match=rf"world.{plural} is a set without places: {one.format(name, plural)}"):
                getattr(world, plural)[0]
        with pytest.raises(TypeError, match=r"world.contacts is a set without places: list\(world.contacts\)"):
            world.contacts[0]


def test_each_set_of_a_world_names_itself() -> None:
    with b2.World() as world:
        for name in ("bodies", "shapes", "joints", "contacts", "islands", "chains"):
            with pytest.raises(TypeError, match=rf"world\.{name} is a set .*list\(world\.{name}\)") as caught:
                getattr(world, name)[0]
            assert all(hasattr(world, word) for word in re.findall(r"world\.(\w+)", str(caught.value)))


def test_a_component_of_a_vector_says_what_to_assign() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body((1, 2))
        with pytest.raises(AttributeError, match=r"as in body.position = \(3, y\) or world.gravity = \(3, y\)"):
            body.position.x = 3  # type: ignore[misc]
        with pytest.raises(AttributeError, match=r"as in body.position = \(x, -5\) or world.gravity = \(x, -5\)"):
            world.gravity.y = -5  # type: ignore[misc]
        with pytest.raises(AttributeError, match=r"'Vec2' object has no attribute 'z'"):
            body.position.z = 3  # type: ignore[attr-defined]
        assert (body.position, world.gravity) == ((1, 2), (0, -10))
        body.position = 3, body.position.y
        assert body.position == (3, 2)


def test_the_constructor_of_a_world_names_the_option_that_is_meant() -> None:
    for wrong, ours in (
        ("threads", "workers"),
        ("doSleep", "sleeping"),
        ("gravitiy", "gravity"),
        ("worker", "workers"),
    ):
        with pytest.raises(TypeError, match=rf"World\(\) got an unexpected keyword argument '{wrong}'; did.*'{ours}'"):
            b2.World(**{wrong: 1})
    with pytest.raises(TypeError, match=r"'threads'; did you mean 'workers'"):
        b2.World(sleeping=False, threads=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        b2.World((0, -10), 4)  # type: ignore[misc]
    assert "unknown" not in inspect.signature(b2.World).parameters


def test_makers_of_other_engines_lead_to_ours() -> None:
    with b2.World() as world:
        for wrong, ours in (
            ("create_pivot_joint", "create_revolute_joint"),
            ("create_hinge_joint", "create_revolute_joint"),
            ("create_pin_joint", "create_distance_joint"),
            ("create_slide_joint", "create_rope_joint"),
            ("create_damped_spring", "stiffness"),
            ("create_box", "create_dynamic_body"),
            ("threads", "workers"),
        ):
            with pytest.raises(AttributeError, match=rf"no attribute '{wrong}': use .*{ours}"):
                getattr(world, wrong)
            assert wrong not in dir(world)


def test_a_mass_at_creation_says_where_the_mass_comes_from() -> None:
    with b2.World() as world:
        for maker in (world.create_dynamic_body, world.create_kinematic_body, world.create_static_body):
            with pytest.raises(TypeError, match=rf"{maker.__name__}\(\) .*'mass': the mass follows.*assign body.mass"):
                maker(mass=3)
        with pytest.raises(TypeError, match=r"create_body\(\) .*'moment': the mass follows.*assign body.inertia"):
            world.create_body("dynamic", moment=3)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"create_bodies\(\) got an unexpected keyword argument 'mass'"):
            world.create_bodies([(0, 0)], geometry=b2.Circle(1), mass=2)  # type: ignore[call-arg]


def test_the_type_of_a_body_comes_back_from_json() -> None:
    with b2.World() as world:
        for kind in b2.BodyType:
            body = world.create_body(json.loads(json.dumps(kind)), (1, 2))
            assert body.type is kind
            body.type = json.loads(json.dumps({"type": kind.name.lower()}))["type"]
            assert body.type is kind
        with pytest.raises(ValueError, match="type=3 is not known: 0 static, 1 kinematic, 2 dynamic"):
            world.create_body(3)  # type: ignore[arg-type]


def test_any_body_takes_every_option() -> None:
    options = {"linear_velocity": (1, 2), "angular_velocity": 3.0, "linear_damping": 0.5, "angular_damping": 0.25,
               "gravity_scale": 2.0, "sleep_threshold": 0.5, "can_sleep": False, "awake": True, "enabled": True,
               "bullet": True, "allow_fast_rotation": True, "safety_factor": 0.25, "lock_x": True, "lock_y": True,
               "lock_rotation": True, "name": "it", "data": [1]}  # fmt: skip
    parameters = inspect.signature(b2.World.create_body).parameters
    assert list(parameters)[:4] == ["self", "type", "position", "angle"]
    assert set(list(parameters)[4:]) == set(options)
    with b2.World() as world:
        for kind in ("static", "kinematic", "dynamic", b2.BodyType.STATIC):
            body = world.create_body(kind, (1, 2), 0.5, **options)  # type: ignore[arg-type]
            for name, value in options.items():
                found = getattr(body, name)
                if name.endswith("velocity"):  # a static body has none, and the motion of the others is locked
                    assert found in (0.0, (0.0, 0.0))
                elif name != "awake" or body.type != b2.BodyType.STATIC:
                    assert found == value, (kind, name)
        static = world.create_body("static", linear_velocity=(1, 0), gravity_scale=3.0)
        static.type = "dynamic"
        assert (static.linear_velocity, static.gravity_scale) == ((0, 0), 3.0)
        with pytest.raises(
            TypeError, match=r"create_body\(\) got an unexpected keyword argument 'bulet'; did.*'bullet'"
        ):
            world.create_body("static", bulet=True)  # type: ignore[call-arg]
        with pytest.raises(ValueError, match="linear_velocity="):
            world.create_body("static", linear_velocity=(float("nan"), 0))


def test_energies_of_bodies_and_worlds() -> None:
    with b2.World(gravity=(3, -10), sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        body = world.create_dynamic_body((2, 30), linear_velocity=(3, 4), angular_velocity=2, gravity_scale=0.5)
        body.create_shape(b2.Box(1, 0.5, center=(0.5, 0)), density=2)
        spinner = world.create_kinematic_body((5, 40), angular_velocity=3)
        spinner.create_shape(b2.Circle(1))
        v, x = body.linear_velocity, body.world_center
        assert body.kinetic_energy == pytest.approx(0.5 * body.mass * v.dot(v) + 0.5 * body.inertia * 4)
        assert body.potential_energy == pytest.approx(-body.mass * 0.5 * (3 * x.x - 10 * x.y))
        assert (spinner.kinetic_energy, spinner.potential_energy) == (0, 0)
        assert world.kinetic_energy == pytest.approx(sum(each.kinetic_energy for each in world.bodies))
        assert world.potential_energy == pytest.approx(sum(each.potential_energy for each in world.bodies))
        spinner.destroy()  # a row without a body
        before = world.kinetic_energy + world.potential_energy
        advance(world, 60)
        assert world.kinetic_energy + world.potential_energy == pytest.approx(before, rel=0.01)
    assert b2.World().kinetic_energy == b2.World().potential_energy == 0.0


@pytest.mark.parametrize("color", ["red", "#e5534b", 0xE5534B, (0xE5, 0x53, 0x4B), np.uint32(0xE5534B)])
def test_shapes_take_the_colours_of_draw_lists(color: Any) -> None:
    with b2.World() as world:
        body = world.create_static_body()
        shape, chain = body.create_shape(b2.Circle(1), color=color), body.create_chain([(0, 0), (1, 0)], color=color)
        assert shape.color == chain.color == 0xE5534B
        if not isinstance(color, tuple):  # which would be one number for each of three bodies
            made = world.create_bodies([(0, 0)], geometry=b2.Circle(1), color=color)
            assert world.body(int(made.indices[0])).shapes[0].color == 0xE5534B
        shape.color = chain.color = 0
        shape.color = chain.color = color
        assert shape.color == chain.color == 0xE5534B
        draw = b2.DrawList()
        draw.line((0, 0), (1, 1), color)
        assert draw.line_colors.tolist() == [0xE5534B]
        with pytest.raises(ValueError, match=r'color=.rde. is no colour: "#rrggbb" or one of white'):
            shape.color = "rde"


def test_create_bodies_takes_a_colour_for_each_body() -> None:
    with b2.World() as world:
        world.create_bodies([(0, 0), (3, 0)], geometry=b2.Circle(1), color=["red", 0x123456])
        assert [shape.color for shape in world.shapes] == [0xE5534B, 0x123456]


def test_the_shape_of_a_draw_list_is_filled() -> None:
    for geometry in (b2.Circle(1), b2.Box(1, 2), b2.Capsule((0, 0), (1, 0), 0.2)):
        draw = b2.DrawList()
        draw.shape(geometry, (3, 4), 0.5, "red", alpha=0.4)
        (fill,) = draw.fills
        assert (fill.color, fill.alpha, len(fill.points)) == (0xE5534B, 0.4, len(draw.line_ends))
        draw.shape(geometry)
        assert len(draw.fills) == 1
    draw = b2.DrawList()
    draw.shape(b2.Segment((0, 0), (1, 0)), alpha=0.4)
    assert not draw.fills


def test_a_concave_outline_leads_to_convex_pieces() -> None:
    arrow = [(0, 0), (2, 1), (0, 2), (0.5, 1)]
    for outline in (arrow, arrow[::-1], [(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]):
        for scale in (0.02, 1, 1000):
            with pytest.warns(UserWarning, match=r"concave outline.*convex_pieces\(outline\) divides it"):
                b2.Polygon([(scale * x, scale * y) for x, y in outline])
    with pytest.raises(ValueError, match=r"3 to 8 points, not 9; convex_pieces\(outline\) divides larger ones"):
        b2.Polygon([(np.cos(k), np.sin(k)) for k in range(9)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        b2.Polygon([(0, 0), (1, 0), (2, 0), (1, 2)])  # a corner on a side
        b2.Polygon([(0, 0), (2, 2), (2, 0), (0, 2), (1, 1)])  # a cloud, not an outline
        b2.Polygon([(0, 0), (1, 0), (1, 1e-4), (1, 1), (0, 1)])  # nearly the same corner twice
        draw = arrays(5)
        for _ in range(200):
            angles = np.sort(draw.uniform(0, 2 * np.pi, 6))
            if np.diff(angles).min() > 0.1 and np.diff(angles).max() < 2:
                b2.Polygon(np.column_stack([np.cos(angles), np.sin(angles)]))


def test_a_degenerate_geometry_names_its_points() -> None:
    draw = draws(7)
    number = r"-?[\d.e+-]+"
    for _ in range(300):
        count, far = draw.randint(3, 8), draw.choice((0.0, 50.0))
        points = [(far + draw.uniform(-3, 3), draw.uniform(-3, 3)) for _ in range(count)]
        kind = draw.choice(("line", "same", "wild"))
        if kind == "line":
            dx, dy = draw.uniform(-1, 1), draw.uniform(0.1, 1)
            points = [(far + dx * k + draw.uniform(0, 1e-4), dy * k) for k in range(count)]
            draw.shuffle(points)
        elif kind == "same":  # two places
            ends = points[:2]
            points = [*ends, *(draw.choice(ends) for _ in range(count - 2))]
            points[2:] = [(x + draw.uniform(-1e-4, 1e-4), y) for x, y in points[2:]]
        else:
            points[draw.randrange(count)] = (draw.choice((math.nan, math.inf, 1e7)), 0.5)
        with pytest.raises(ValueError, match="vertices") as caught:
            b2.Polygon(points)
        text = str(caught.value)
        named = re.findall(rf"(?:point|to) (\d) (?:is )?\((nan|inf|{number}), ({number})\)", text)
        assert named, text
        for k, x, y in named:
            assert (float(x), float(y)) == pytest.approx(points[int(k)], rel=1e-5, abs=1e-5, nan_ok=True), text
        if kind == "same":
            near = re.findall(r"point (\d) \S+ \S+ is [\d.e-]+ mm from point (\d)", text)
            assert near
            assert all(math.dist(points[int(a)], points[int(b)]) <= 5e-4 for a, b in near)
    for call, wanted in (
        (
            lambda: b2.Segment((1, 2), (1, 2.001)),
            r"p2 \(1.0, 2.001\) is 1 mm from p1 \(1.0, 2.0\), which must exceed 5 mm",
        ),
        (lambda: b2.Capsule((1, 2), (1, 2), 0.3), r"p2 \(1.0, 2.0\) is 0 mm from p1"),
        (lambda: b2.ChainSegment((0, 0), (1, 0), (0, 0.001)), r"ghost1 \(0.0, 0.001\) is 1 mm from p1 \(0.0, 0.0\)"),
        (lambda: b2.ChainSegment((0, 0), (1, 0), None, (1, 0)), r"ghost2 \(1.0, 0.0\) is 0 mm from p2"),
        (lambda: b2.Box(1e-4, 1), r"hx=0.0001 is degenerate: a box must be more than 0.5 mm wide"),
        (lambda: b2.Box(0.01, 1, (1e6, 0)), r"in float32, 1e\+06 m away"),
    ):
        with pytest.raises(ValueError, match=wanted):
            call()


def test_vertices_of_all_shapes_are_one_array() -> None:
    draw = arrays(6)
    with b2.World() as world:
        for k in range(40):
            body = world.create_dynamic_body(draw.uniform(-9, 9, 2), draw.uniform(-3, 3))
            body.create_shape(b2.Circle(0.3, (k, 1)))
            body.create_shape(
                b2.Polygon(draw.uniform(-1, 1, (5, 2)) + np.array([(0, 0), (9, 0), (9, 9), (0, 9), (4, 12)]))
            )
            body.create_shape(b2.Capsule((0, 0), (1, 2), 0.2))
        world.create_static_body((1, 1), 0.3).create_chain([(0, 0), (1, 0), (2, 1)])
        world.body(7).destroy()
        rows = world.shapes.world_vertices
        assert rows.shape == (len(world.shapes), 8, 2)
        assert rows.dtype == np.float64
        for row, shape in zip(rows, world.shapes, strict=True):
            vertices = np.array(shape.world_vertices)
            np.testing.assert_allclose(row[: len(vertices)], vertices, atol=1e-12)
            assert (row[len(vertices) :] == row[len(vertices) - 1]).all()
    assert b2.World().shapes.world_vertices.shape == (0, 8, 2)


def test_dir_and_help_of_a_world_have_no_experiments() -> None:
    hidden = {*b2.lab.NAMES, "lab", "shape_version", "spans", "trace"} - {"islands"}  # `islands` are those of the world
    with b2.World() as world:
        for listed in (dir(b2.World), dir(world)):
            assert not hidden & set(listed)
            assert {"step", "create_body", "joint_solver", "to_dict"} <= set(listed)
        assert not any(hasattr(world, name) for name in hidden)
    needs = {".envs": "gymnasium", ".pygame": "pygame"}
    for name in (
        "",
        ".arguments",
        ".buffers",
        ".compat",
        ".envs",
        ".lab",
        ".pygame",
        ".rows",
        ".scenes",
    ):  # nothing imported
        if name in needs and importlib.util.find_spec(needs[name]) is None:
            continue  # it belongs to an extra
        module = importlib.import_module("box2dpy" + name)
        parts = {child.name for child in pkgutil.iter_modules(getattr(module, "__path__", []))}
        parts |= {each.rpartition(".")[2] for each in sys.modules if each.startswith(f"{module.__name__}.")}
        assert {each for each in dir(module) if each[0] != "_"} <= {*module.__all__, *parts}, name
    text = pydoc.plain(pydoc.render_doc(b2.World))
    assert not re.findall(rf"^ \|  ({'|'.join(hidden)})\b", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--version"], rf"^box2dpy {re.escape(b2.__version__)}$"),
        (["bench", "--help"], r"usage: box2dpy bench[\s\S]*\n    box2dpy bench quality  "),
        (["render", "--help"], r"usage: box2dpy render[\s\S]*\.mp4"),
    ],
)
def test_the_command_line_names_itself(words: list[str], wanted: str) -> None:
    root = Path(b2.__file__).resolve().parent.parent
    done = finished([sys.executable, "-m", "box2dpy", *words], cwd=root, check=True)
    assert re.search(wanted, done.stdout.strip())
    assert "python -m" not in done.stdout
