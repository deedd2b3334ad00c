"""Every joint type of lists/joint_types.def through every table of the core, by the C API: a new type is covered by its
line in the list."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest

import box2dpy as b2
from box2dpy._bridge.handles import Property
from box2dpy._bridge.library import ffi, lib
from box2dpy._bridge.lists import shared_list
from box2dpy._objects.joint import JOINT_CLASSES

TYPES = tuple(row[1] for row in shared_list("joint_types"))
PROPERTIES = tuple((row[0], row[1]) for row in shared_list("joint_properties"))


class Rig:
    """Two bodies on hinges and a joint of the type between them, made by the C API with its defaults."""

    def __init__(self, name: str, flip: bool = False, **options: float) -> None:
        self.world = world = b2.World()
        base = world.create_static_body()
        self.a, self.b = world.create_dynamic_body((-1, 0)), world.create_dynamic_body((1, 0.25))
        for body in (self.a, self.b):
            body.create_shape(b2.Box(0.4, 0.3))
        hinges = [world.create_revolute_joint(base, body, anchor=(body.position[0], 1)) for body in (self.a, self.b)]
        if flip:  # the solver puts the moving body on side A
            self.a.type = b2.BodyType.STATIC if name != "gear" else b2.BodyType.DYNAMIC
        definition = ffi.new("b2d_joint_def *")
        lib.b2d_joint_def_init(definition, getattr(lib, f"B2D_{name.upper()}"))
        definition.ax, definition.by = 0.1, 0.2
        for hinge, driven in zip(hinges, definition.joint, strict=True):
            driven.index, driven.generation = hinge.index, hinge._generation
        for value in definition.value:  # those that must be given
            value[0], value[1] = (1.0 if math.isnan(number) else number for number in value)
        for option, value in options.items():
            definition.value[getattr(lib, f"B2D_JOINT_{option.upper()}")][0] = value
        self.handle = ffi.new("b2d_handle *")
        ends = [number for body in (self.a, self.b) for number in (body.index, body._generation)]
        self.status = lib.b2d_joint_create(world._ptr, *ends, definition, self.handle)

    def call(self, function: Any, name: str, values: Any) -> int:
        """The status, without the argument that it names."""
        number = getattr(lib, f"B2D_JOINT_{name}")
        status = function(self.world._ptr, self.handle.index, self.handle.generation, number, values)
        return int(status) & 0xFF

    def readable(self) -> dict[str, list[float]]:
        """What the core reads back, by the name of the property."""
        found = {}
        for name, _ in PROPERTIES:
            out = ffi.new("double[2]", [math.nan, math.nan])
            status = self.call(lib.b2d_joint_get, name, out)
            assert status in (lib.B2D_OK, lib.B2D_NOT_ALLOWED), name
            if status == lib.B2D_OK:
                found[name] = list(out)
        return found


@pytest.fixture(name="rig", params=[(name, flip) for name in TYPES for flip in (False, True)], ids=str)
def make_rig(request: pytest.FixtureRequest) -> Rig:
    rig = Rig(*request.param)
    assert rig.status == lib.B2D_OK
    return rig


def test_a_joint_of_each_type_lives_through_steps_drawing_hashing_and_validation(rig: Rig) -> None:
    for _ in range(20):
        rig.world.step()
        rig.world.validate()
    hashes = {rig.world.state_hash()}
    data = rig.world.arrays.joints[-1]
    assert data["joint"] == rig.handle.index
    assert all(math.isfinite(data[name]) for name in ("ax", "by", "ground_ax", "axis_x", "force_x", "torque"))
    draw = b2.DrawList()
    rig.world.debug_draw(draw, "joints", "joint_forces", "colors")
    rig.b.linear_velocity = 3, 1
    rig.world.step()
    hashes.add(rig.world.state_hash())
    assert len(hashes) == 2
    gears = ffi.new("int32_t *")
    assert (
        lib.b2d_joint_destroy(rig.world._ptr, rig.handle.index, rig.handle.generation, ffi.NULL, 0, gears) == lib.B2D_OK
    )
    rig.world.step()
    rig.world.validate()


def test_each_property_of_each_type_is_absent_read_only_or_settable(rig: Rig) -> None:
    """What is settable takes the value that it has; what is read-only or absent refuses to be set."""
    rig.world.step()
    found = rig.readable()
    assert {"CONSTRAINT_FORCE", "CONSTRAINT_TORQUE", "LINEAR_SEPARATION", "ANGULAR_SEPARATION"} <= set(found)
    settable = set()
    for name, _ in PROPERTIES:
        values = found.get(name, [0.0])
        assert not math.isnan(values[0]), name  # a force along a line has no second number
        status = rig.call(lib.b2d_joint_set, name, ffi.new("double[2]", values))
        assert status in (lib.B2D_OK, lib.B2D_NOT_ALLOWED), name
        if status == lib.B2D_OK:
            settable.add(name)
    assert settable <= set(found)
    assert not settable & {"ANGLE", "SPEED", "LINEAR_SEPARATION", "CONSTRAINT_FORCE"}
    rig.world.step()
    rig.world.validate()


@pytest.mark.parametrize("name", TYPES)
def test_no_settable_property_takes_nan(name: str) -> None:
    rig = Rig(name)
    found = rig.readable()
    for option in found:
        status = rig.call(lib.b2d_joint_set, option, ffi.new("double[2]", [math.nan, 0.0]))
        assert status in (lib.B2D_NOT_FINITE, lib.B2D_NOT_ALLOWED), option
        if status == lib.B2D_NOT_ALLOWED:
            continue
        if not option.startswith("LOCAL_"):  # the frames have members of their own
            assert Rig(name, **{option: math.nan}).status & 0xFF == lib.B2D_NOT_FINITE, option


@pytest.mark.parametrize("name", TYPES)
def test_the_class_of_each_type_has_the_properties_of_the_core(name: str) -> None:
    rig = Rig(name)
    cls = JOINT_CLASSES[getattr(lib, f"B2D_{name.upper()}")]
    joint = rig.world._joint(rig.handle.index, rig.handle.generation)
    assert type(joint) is cls
    found = set(rig.readable())
    names = {lower for upper, lower in PROPERTIES if upper in found}
    assert names == {lower for _, lower in PROPERTIES if hasattr(joint, lower)}


def test_the_lists_have_a_class_for_each_type_and_no_other() -> None:
    assert sorted(JOINT_CLASSES) == list(range(len(TYPES)))


@pytest.mark.parametrize("name", TYPES)
def test_defaults_of_the_core_are_those_of_the_keywords(name: str) -> None:
    """`None`, infinity and what must be given included."""
    number = getattr(lib, f"B2D_{name.upper()}")
    definition = ffi.new("b2d_joint_def *")
    lib.b2d_joint_def_init(definition, number)
    for option, parameter in inspect.signature(getattr(b2.World, f"create_{name}_joint")).parameters.items():
        made = getattr(JOINT_CLASSES[number], option, None)
        if not isinstance(made, Property) or option.startswith("local_anchor"):
            continue
        stored = list(definition.value[made.number])
        if parameter.default is inspect.Parameter.empty:
            assert math.isnan(stored[0]), option
        else:
            wanted = list(made.codec.encode(parameter.default, option))
            assert stored[: len(wanted)] == wanted, option
