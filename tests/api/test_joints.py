"""Every joint type: values read back as set, bad values are refused and change nothing, measured values are finite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import box2dpy as b2
from box2dpy._bridge.handles import FLAG, NUMBER, PAIR, WORLD_PAIR, Property, ReadOnly
from box2dpy._objects.joint import JOINT_CLASSES

from ..stepping import advance

ANCHORED = ("revolute", "distance", "prismatic", "wheel", "weld", "motor", "pulley", "pogo")
UNANCHORED = ("filter", "gear", "mover", "ratchet", "groove", "rotary_spring")
KINDS = (*ANCHORED, *UNANCHORED)
OPEN = {"upper_angle", "upper_translation",
    "force_threshold", "torque_threshold", "lower_spring_force", "upper_spring_force", "max_length",
    "max_velocity_force",
        "max_velocity_torque", "max_spring_force", "max_spring_torque", "max_tension_force",
        "max_compression_force"}  # fmt: skip
FRAMES = {
    *("local_anchor_a", "local_anchor_b", "local_angle_a", "local_angle_b", "frame_a", "frame_b"),
    *("relative_position", "relative_velocity"),
}
SOFTNESS = {"joint_hertz", "joint_damping_ratio", "joint_solver", "force_threshold", "torque_threshold"}
ABSENT = {"filter": FRAMES | SOFTNESS, "gear": FRAMES}  # raise AttributeError
LIMITS: dict[str, Any] = {
    "joint_solver": "direct",
    "axes": "b",
    "lower_angle": -0.5,
    "lower_translation": -0.5,
    "lower_spring_force": -2.0,
    "upper_spring_force": 3.0,
    "max_length": 9.0,
}


class Rig:
    """Two bodies and a joint of a kind between them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        # The joint contradicts the hinges, which the direct solver gives up slowly
        self.world = world = b2.World(joint_solver="iterative")
        self.base = world.create_static_body((0, 1))
        self.a, self.b = world.create_dynamic_body((-1, 0)), world.create_dynamic_body((1, 0))
        for body in (self.a, self.b):
            body.create_shape(b2.Box(0.4, 0.4))
        self.hinges = [world.create_revolute_joint(self.base, body, anchor=body.position) for body in (self.a, self.b)]
        self.joint: Any = self.make()
        world.step()

    def read_everything(self) -> dict[str, Any]:
        """Every public attribute of the joint, without those that its type does not have."""
        values, missing = {}, set()
        for name in dir(type(self.joint)):
            if not name.startswith("_") and not callable(getattr(self.joint, name, None)):
                try:
                    values[name] = getattr(self.joint, name)
                except AttributeError as error:
                    assert name in str(error) or name.startswith("frame_"), error
                    missing.add(name)
        assert missing == ABSENT.get(self.kind, set()), self.kind
        return values

    def make(self, **fields: Any) -> Any:
        make = getattr(self.world, f"create_{self.kind}_joint")
        if self.kind == "gear":
            return make(*self.hinges, **fields)
        if self.kind in ANCHORED and not {"anchor", "frame_a", "frame_b", "local_anchor_a", "local_anchor_b"} & set(
            fields
        ):
            fields |= {"local_anchor_a": (0.1, 0), "local_anchor_b": (0, 0.1)}
        if self.kind == "ratchet":
            fields = {"ratchet": 0.5, **fields}
        if self.kind == "groove":
            length = fields.pop("groove_length", 1.5)  # kept as start, direction and length
            fields = {"groove_start": (0.25, 0), "groove_end": (0.25, length), "local_anchor_b": (0, 0.1), **fields}
        if self.kind == "pulley":
            fields = {"ground_anchor_a": (-1, 5), "ground_anchor_b": (1, 5), **fields}
        return make(self.a, self.b, **fields)


@pytest.fixture(name="rig", params=KINDS)
def make_rig(request: pytest.FixtureRequest) -> Rig:
    return Rig(request.param)


def properties(kind: type[Any], writable: bool) -> Iterator[tuple[str, Any]]:
    absent = ABSENT.get(kind.__name__.removesuffix("Joint").lower(), set())
    if kind is b2.FilterJoint:
        absent = absent | {"collide_connected"}  # reads False
    for cls in kind.__mro__:
        for name, value in vars(cls).items():
            if name not in absent and (isinstance(value, Property) if writable else type(value) is ReadOnly):
                yield name, value


def test_every_joint_type_has_a_class_and_a_create_method() -> None:
    names = {kind: kind.title().replace("_", "") + "Joint" for kind in KINDS}
    assert {cls.__name__ for cls in JOINT_CLASSES.values()} - {"ConnectionJoint"} == set(names.values())
    for kind, name in names.items():
        rig = Rig(kind)
        assert type(rig.joint).__name__ == name
        assert rig.joint in rig.world.joints
        assert name in repr(rig.joint)
        assert type(rig.world._joint(rig.joint.index, rig.joint._generation)) is getattr(b2, name)


def test_joint_properties_read_back_as_set_and_can_be_given_at_creation(rig: Rig) -> None:
    for name, attribute in properties(type(rig.joint), True):
        if attribute.codec is FLAG:
            value: Any = not getattr(rig.joint, name)
        elif attribute.codec in (PAIR, WORLD_PAIR):
            value = (0.25, 0.5)
        else:
            value = LIMITS.get(name, 0.75)
        before = getattr(rig.joint, name)
        assert before != value, name
        setattr(rig.joint, name, value)
        assert getattr(rig.joint, name) == (value if isinstance(value, str) else pytest.approx(value)), name
        rig.world.step()
        rig.world.validate()
        if not name.startswith("local"):
            upper: dict[str, Any] = {
                "lower_angle": {"upper_angle": 0.5},
                "lower_translation": {"upper_translation": 0.5},
                "min_length": {"max_length": 5},
            }
            made = rig.make(**{name: value, **upper.get(name, {})})
            assert getattr(made, name) == (value if isinstance(value, str) else pytest.approx(value)), name
            made.destroy()


def test_bad_joint_values_are_refused_and_change_nothing(rig: Rig) -> None:
    for name, attribute in properties(type(rig.joint), True):
        bad: list[tuple[Any, type[Exception]]]
        if attribute.codec is FLAG:
            bad = [(None, TypeError), (2, TypeError), ("yes", TypeError)]
        elif name in ("joint_solver", "axes"):
            bad = [("gauss", ValueError), ("Direct", ValueError), (1, TypeError), (None, TypeError), (True, TypeError)]
        elif attribute.codec in (PAIR, WORLD_PAIR):
            bad = [((math.nan, 0), ValueError), ((0, math.inf), ValueError), (5, TypeError), ((1,), ValueError)]
            if name == "max_velocity_force":
                bad += [((-1, 0), ValueError), ((0, -1), ValueError)]
        else:
            bad = [(math.nan, ValueError), ("1", TypeError), ([1.0], TypeError), (10**400, ValueError)]
            if name not in OPEN:
                bad.append((math.inf, ValueError))
            if name in ("ratchet",):
                bad += [(0.0, ValueError), (1e-4, ValueError)]
            if attribute.codec is NUMBER and name.startswith(
                ("max_", "min_", "hertz", "damping", "linear_", "force_t", "torque_t", "rest_", "groove_")
            ):
                bad.append((-1.0, ValueError))
        if name == "ratio":
            bad.append((0.0, ValueError))
        if name == "length":
            bad += [(0.0, ValueError), (-1.0, ValueError)]
        for value, error in bad:
            before = rig.world.state_hash(), len(rig.world.joints), getattr(rig.joint, name)
            with pytest.raises(error, match=name):
                setattr(rig.joint, name, value)
            if not name.startswith(("local_angle", "groove_length")) and (
                not name.startswith("local") or rig.kind in ANCHORED
            ):
                with pytest.raises(error, match=name):
                    rig.make(
                        **(
                            {name: value, "local_anchor_a": (0, 0), "local_anchor_b": (0, 0)} | {name: value}
                            if name.startswith("local")
                            else {name: value}
                        )
                    )
            assert (rig.world.state_hash(), len(rig.world.joints), getattr(rig.joint, name)) == before, name


def test_measured_joint_values_are_finite_and_read_only(rig: Rig) -> None:
    advance(rig.world, 10)
    names = [name for name, _ in properties(type(rig.joint), False)]
    assert {"constraint_force", "constraint_torque", "linear_separation", "angular_separation"} <= set(names)
    for name in names:
        value = getattr(rig.joint, name)
        assert all(math.isfinite(x) for x in (value if isinstance(value, tuple) else (value,))), name
        with pytest.raises(AttributeError):
            setattr(rig.joint, name, 1.0)


def assert_numbers(rig: Rig, when: str) -> None:
    for name, value in rig.read_everything().items():
        if name in ("body_a", "body_b"):
            assert value in (rig.a, rig.b)
        elif name in ("world", "data"):
            assert value is (rig.world if name == "world" else None)
        elif name in ("joint_solver", "axes"):
            assert value in ("auto", "world")
        elif isinstance(value, b2.Frame):
            assert all(math.isfinite(x) for x in (*value.point, value.angle)), (when, name)
        else:
            for x in value if isinstance(value, tuple) else (value,):
                assert math.isfinite(x) or (name in OPEN and not math.isnan(x)), (when, name, value)


def test_every_joint_property_is_finite_in_every_state_of_the_bodies(rig: Rig) -> None:
    """States: new, moving, at its limits, disabled bodies, bodies at rest, asleep, before the first step, after a step
    of 0 s."""
    world, joint = rig.world, rig.joint
    assert_numbers(rig, "stepped once")
    fresh = Rig.__new__(Rig)
    fresh.__dict__.update(rig.__dict__)
    fresh.joint = rig.make()
    assert_numbers(fresh, "new")
    fresh.joint.destroy()
    for name in ("enable_limit", "enable_spring", "enable_motor"):
        if hasattr(joint, name):
            setattr(joint, name, True)
    for name, value in (("lower_angle", -0.1), ("upper_angle", 0.1), ("lower_translation", -0.1),
        ("upper_translation", 0.1),
                        ("min_length", 0.5), ("max_length", 1.0), ("max_motor_force", 9.0), ("max_motor_torque", 9.0),
                        ("motor_speed", 2.0), ("hertz", 3.0)):  # fmt: skip
        if hasattr(joint, name):
            setattr(joint, name, value)
    for _ in range(30):
        world.step()
        assert_numbers(rig, "at its limits")
    world.step(0.0)
    assert_numbers(rig, "dt = 0")
    rig.b.enabled = False
    world.step()
    assert_numbers(rig, "body B disabled")
    rig.a.enabled = False
    world.step()
    assert_numbers(rig, "both disabled")
    rig.a.enabled = rig.b.enabled = True
    rig.a.type = b2.BodyType.KINEMATIC
    world.step()
    assert_numbers(rig, "body A kinematic")
    rig.b.type = b2.BodyType.STATIC
    world.step()
    assert_numbers(rig, "neither dynamic")
    rig.a.type = rig.b.type = b2.BodyType.DYNAMIC
    world.gravity = 0, 0
    if hasattr(joint, "enable_motor"):
        joint.enable_motor = False
    rig.a.linear_damping = rig.b.linear_damping = rig.a.angular_damping = rig.b.angular_damping = 30.0
    for _ in range(600):
        world.step()
        if not rig.a.awake and not rig.b.awake:
            break
    assert not rig.a.awake
    assert not rig.b.awake
    assert_numbers(rig, "asleep")
    joint.destroy()
    for name, _ in properties(type(joint), True):
        with pytest.raises(b2.DestroyedError):
            getattr(joint, name)
    world.close()


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "weld", "ratchet", "pogo"])
def test_joint_frames_can_be_changed_while_the_joint_exists(kind: str) -> None:
    rig = Rig(kind)
    for name in ("frame_a", "frame_b"):
        setattr(rig.joint, name, b2.Frame((0.25, -0.5), 0.75))
        assert getattr(rig.joint, name) == ((0.25, -0.5), 0.75)
        assert getattr(rig.joint, name.replace("frame", "local_anchor")) == (0.25, -0.5)
        for bad, error in (
            (b2.Frame((math.nan, 0)), ValueError),
            (b2.Frame((1, 1), math.inf), ValueError),
            ((0, 0), TypeError),
        ):
            with pytest.raises(error):
                setattr(rig.joint, name, bad)
            assert getattr(rig.joint, name) == ((0.25, -0.5), 0.75)
    rig.world.step()
    rig.world.validate()
    for name in ("frame_a", "frame_b"):
        with pytest.raises(AttributeError):
            setattr(Rig("gear").joint, name, b2.Frame())


def test_an_attribute_that_a_joint_type_lacks_raises_attribute_error() -> None:
    joint = Rig("filter").joint
    assert joint.collide_connected is False
    assert not hasattr(joint, "force_threshold")
    with pytest.raises(AttributeError, match="a FilterJoint has no local_anchor_a"):
        _ = joint.local_anchor_a
    for name, value in (("collide_connected", True), ("joint_hertz", 3.0)):
        with pytest.raises(AttributeError, match=f"no {name} to set"):
            setattr(joint, name, value)


@pytest.mark.parametrize("kind", ANCHORED)
def test_anchor_local_anchors_and_frames_exclude_each_other(kind: str) -> None:
    rig = Rig(kind)
    for place in (
        {"anchor": (0, 0), "local_anchor_a": (0, 0), "local_anchor_b": (0, 0)},
        {"anchor": (0, 0), "frame_a": b2.Frame(), "frame_b": b2.Frame()},
        {"frame_a": b2.Frame()},
        {"anchor": None, "frame_a": None},
    ):
        with pytest.raises(ValueError, match="anchor|frame"):
            rig.make(**place)
    assert rig.make(frame_a=b2.Frame((0, 1), 0.5), frame_b=b2.Frame((0, 0), 0.25)).frame_a == ((0, 1), 0.5)
    count = len(rig.world.joints)
    with pytest.raises(ValueError, match="body_b"):
        getattr(rig.world, f"create_{kind}_joint")(
            rig.a,
            rig.a,
            anchor=(0, 0),
            **({"ground_anchor_a": (0, 1), "ground_anchor_b": (0, 2)} if kind == "pulley" else {}),
        )
    assert len(rig.world.joints) == count


@pytest.mark.parametrize("kind", ["prismatic", "wheel"])
def test_a_joint_axis_is_given_in_world_coordinates_and_must_be_a_direction(kind: str) -> None:
    rig = Rig(kind)
    joint = rig.make(anchor=(0, 0), axis=(0, 2))
    assert joint.local_angle_a == pytest.approx(math.pi / 2 - rig.a.angle, abs=1e-6)
    rig.b.position = rig.b.position.x, rig.b.position.y + 0.5
    assert joint.translation == pytest.approx(0.5, abs=1e-5)
    for axis, error in (((0, 0), ValueError), ((math.nan, 1), ValueError), (3, TypeError)):
        with pytest.raises(error, match="axis"):
            rig.make(anchor=(0, 0), axis=axis)
    with pytest.raises(ValueError, match="axis"):
        rig.make(frame_a=b2.Frame(), frame_b=b2.Frame(), axis=(1, 0))


def test_joint_limits_must_stay_in_order() -> None:
    for kind, lower, upper in (
        ("prismatic", "lower_translation", "upper_translation"),
        ("distance", "min_length", "max_length"),
        ("distance", "lower_spring_force", "upper_spring_force"),
    ):
        rig = Rig(kind)
        setattr(rig.joint, upper, 2.0)
        setattr(rig.joint, lower, 1.0)
        with pytest.raises(ValueError, match=upper):
            setattr(rig.joint, upper, 0.5)
        with pytest.raises(ValueError, match=lower):
            setattr(rig.joint, lower, 3.0)
        with pytest.raises(ValueError, match=lower):
            rig.make(**{lower: 2.0, upper: 1.0})


def test_gears_need_two_joints_that_move_two_bodies() -> None:
    rig = Rig("gear")
    world, (a, b) = rig.world, rig.hinges
    loose = world.create_revolute_joint(rig.a, rig.b, anchor=(0, 0))
    weld = world.create_weld_joint(rig.base, rig.a, anchor=(0, 0))
    again = world.create_prismatic_joint(rig.a, rig.base, anchor=(0, 0))
    fixed = world.create_revolute_joint(rig.base, world.create_static_body((9, 9)), anchor=(0, 0))
    other = Rig("gear")
    for pair, error, name in (((a, fixed), ValueError, "joint_b"), ((fixed, a), ValueError, "joint_a"),
                              ((weld, a), TypeError, "joint_a"), ((a, None), TypeError, "joint_b"),
                              ((a, again), ValueError, "joint_b"),
                              ((a, other.hinges[0]), ValueError, "joint_b")):  # fmt: skip
        with pytest.raises(error, match=name):
            world.create_gear_joint(*pair)
    assert world.create_gear_joint(again, b).body_b is rig.b
    for pair in (a, loose), (loose, a), (loose, world.create_revolute_joint(rig.a, rig.b, anchor=(0, 1))):
        gear = world.create_gear_joint(*pair)
        assert {gear.body_a, gear.body_b} == {rig.a, rig.b}
    b.destroy()
    with pytest.raises(b2.DestroyedError, match="joint_b"):
        world.create_gear_joint(a, b)
    assert not rig.joint.alive
    world.step()
    world.validate()


def test_destroying_a_joint_destroys_the_gears_that_use_it() -> None:
    rig = Rig("gear")
    rig.joint.data = "mine"
    rig.base.destroy()
    assert not rig.joint.alive
    assert len(rig.world.joints) == 0
    with pytest.raises(b2.DestroyedError):
        rig.joint.data = "other"
    assert "mine" not in rig.world._data.values()


def test_joint_changes_wake_the_bodies_and_threshold_changes_do_not() -> None:
    rig = Rig("weld")
    rig.world.gravity = 0, 0
    advance(rig.world, 240)
    assert not rig.a.awake
    rig.joint.force_threshold = 1.0
    assert not rig.a.awake
    rig.joint.angular_hertz = 3.0
    assert rig.a.awake
    assert rig.b.awake


def test_joint_threshold_events_come_in_every_step_with_force_and_torque() -> None:
    world = b2.World(sleeping=False)
    hook, lamp = world.create_static_body(), world.create_dynamic_body((0, -1))
    lamp.create_shape(b2.Box(0.5, 0.5))
    joint = world.create_weld_joint(hook, lamp, anchor=(0, 0), force_threshold=5, torque_threshold=1)
    advance(world, 60)
    [event] = world.events.joint_threshold
    assert event.joint is joint
    assert event.force == pytest.approx(10, rel=0.01)
    assert event.force == pytest.approx(math.hypot(*joint.constraint_force))
    assert event.torque == pytest.approx(joint.constraint_torque)
    assert world.events.joint_threshold.as_array()["joint"].tolist() == [joint.index]
    joint.force_threshold = 20
    world.step()
    assert not world.events.joint_threshold
    lamp.apply_torque(50)
    world.step()
    assert abs(world.events.joint_threshold[0].torque) > 1
    joint.torque_threshold = math.inf
    joint.force_threshold = 1
    world.step()
    assert len(world.events.joint_threshold) == 1
    joint.destroy()
    world.step()
    assert not world.events.joint_threshold
