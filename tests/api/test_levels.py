"""Levels: the round trip of every scene and sample that is one at its start, bit by bit; each key by itself; and what a
person gets wrong in a file."""

from __future__ import annotations

import inspect
import json
import math
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
import samples
from box2dpy import scenes
from box2dpy._bridge.decimals import direction_angle, float32, short
from box2dpy._world.level_text import level_text

from ..seeds import draws
from ..stepping import advance
from .round_trip import again, check_round_trip

BOX = {"type": "box", "hx": 0.5, "hy": 0.5}
CRATE = {"type": "dynamic", "shapes": [BOX]}


@pytest.mark.parametrize("name", scenes.SCENES)
def test_scenes_come_back_to_the_hash(name: str) -> None:
    scene = scenes.SCENES[name]
    with scene.world() as world:
        scene.build(world, 0.05)
        check_round_trip(world)


@pytest.mark.parametrize("name", samples.load())
def test_samples_come_back_to_the_hash(name: str) -> None:
    kind = samples.SAMPLES[name]
    with samples.Run(kind, scale=0.1 if kind.category == "Benchmark" else 0.3) as run:
        for world in run.worlds()[:2]:
            check_round_trip(world)


def test_a_level_is_the_same_in_a_file(tmp_path: Path) -> None:
    with b2.World() as world:
        scenes.get("menagerie").build(world, 0.05)
        world.save_level(tmp_path / "level.json")
        text = (tmp_path / "level.json").read_text(encoding="utf-8")
        assert json.loads(text) == world.to_dict()
        assert max(map(len, text.splitlines())) <= 160
        with b2.World.load_level(tmp_path / "level.json", workers=2) as other:
            assert other.state_hash() == world.state_hash()
            assert other.workers == 2


def kept_scene() -> b2.World:
    """A scene with each kind of entry, whose file is kept."""
    world = b2.World(gravity=(0, -9.81), joint_solver="direct")
    world.categories.add("player")
    world.categories.add("enemy")
    world.set_material_pair(1, 2, friction=0.05)
    ground = world.create_static_body(name="ground")
    ground.create_chain([(20, 0), (5, 0), (0, 0.5), (-20, 0)], friction=0.9, material=1)
    lift = world.create_kinematic_body((8, 1), name="lift", linear_velocity=(0, 0.5))
    lift.create_shape(b2.Box(1, 0.1), tangent_speed=2.0)
    car = world.create_dynamic_body((-5, 1.2), 0.1, name="car", data={"wheels": 2}, bullet=True)
    filter = world.categories.filter("player", but=["enemy"], group=-1)
    car.create_shape(b2.Polygon([(-1, -0.2), (1, -0.2), (0.6, 0.3), (-0.8, 0.3)]), filter=filter, color="red")
    for x in (-0.7, 0.7):
        wheel = world.create_dynamic_body(car.world_point((x, -0.3)), linear_damping=0.1)
        wheel.create_shape(b2.Circle(0.35), density=2, friction=1.1, filter=filter, material=2)
        world.create_wheel_joint(
            car, wheel, anchor=wheel.position, axis=(0, 1), stiffness=300, damping=20, motor_speed=-8,
            max_motor_torque=9,
        )  # fmt: skip
    weight = world.create_dynamic_body((2, 5))
    weight.create_shape(b2.Capsule((-0.4, 0), (0.4, 0), 0.2), restitution=0.3)
    weight.mass = 3
    world.create_rope_joint(ground, weight, local_anchor_a=(0, 8), local_anchor_b=(0, 0.1), max_length=4)
    world.create_static_body((9, 3)).create_shape(b2.Box(1, 1), sensor=True, one_way=None)
    return world


def test_the_format_of_levels_stays() -> None:
    """A change of the file is a change of the format: files of users must be read as before, with the same result."""
    kept = Path(__file__).with_name("level.json")
    with kept_scene() as world:
        text = level_text(world.to_dict()) + "\n"
        assert text == kept.read_text(encoding="utf-8")
        with b2.World.load_level(kept) as loaded:
            assert loaded.state_hash() == world.state_hash()
        check_round_trip(world)


def test_a_world_where_something_was_destroyed_comes_back_with_other_places() -> None:
    with b2.World() as world:
        scenes.get("menagerie").build(world, 0.1)
        for number in (3, 17, 30, 31):
            world.body(number).destroy()
        with again(world) as other:
            assert (len(other.bodies), len(other.shapes), len(other.joints)) == (
                *(len(world.bodies), len(world.shapes), len(world.joints)),
            )
            assert [body.position for body in other.bodies] == [body.position for body in world.bodies]
            advance(other, 10)
            other.validate()


def test_an_error_names_the_file_that_was_given(tmp_path: Path) -> None:
    """Not the one beside it that would have replaced it."""
    name = str(tmp_path / "missing" / "level.json")
    with b2.World() as world, pytest.raises(FileNotFoundError) as caught:
        world.save_level(name)
    assert caught.value.filename == name and repr(name) in str(caught.value)


def kind_and_bodies(joint: b2.Joint) -> tuple[Any, ...]:
    return type(joint).__name__, tuple(joint.body_a.position), tuple(joint.body_b.position)


def test_games_that_destroy_and_create_leave_levels_that_can_be_loaded() -> None:
    """Where places are used again, a joint may be before the body or the gear before the joint that it needs."""
    for seed in range(300):
        chance = draws(seed)
        with b2.World() as world:
            for k in range(40):
                bodies, joints = list(world.bodies), list(world.joints)
                hinges = [joint for joint in joints if isinstance(joint, b2.RevoluteJoint)]
                match chance.randrange(10):
                    case 0 | 1 | 2:
                        world.create_dynamic_body((k, 1)).create_shape(b2.Circle(0.1))
                    case 3 if len(bodies) > 2:
                        chance.choice(bodies).destroy()
                    case 4 | 5 if joints:
                        chance.choice(joints).destroy()
                    case 6 if len(hinges) > 1:
                        pair = chance.sample(hinges, 2)
                        if len({body for joint in pair for body in (joint.body_a, joint.body_b)}) > 2:
                            world.create_gear_joint(*pair)
                    case _ if len(bodies) > 1:
                        world.create_revolute_joint(*chance.sample(bodies, 2), anchor=(0, 0))
            with again(world) as other:
                assert [body.position for body in other.bodies] == [body.position for body in world.bodies]
                assert sorted(map(kind_and_bodies, other.joints)) == sorted(map(kind_and_bodies, world.joints))


@pytest.mark.parametrize("kind", ["pulley", "gear"])
def test_a_rope_and_a_gear_keep_their_sum_when_bodies_were_moved(kind: str) -> None:
    with b2.World() as world:
        base = world.create_static_body()
        a, b = (world.create_dynamic_body((x, 0)) for x in (-2, 2))
        for body in (a, b):
            body.create_shape(b2.Circle(0.5))
        joint: Any
        if kind == "pulley":
            joint = world.create_pulley_joint(
                a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=(-2, 4), ground_anchor_b=(2, 4),
                ratio=2.0,
            )  # fmt: skip
            assert joint.total == 12
            b.position = 2, 1
        else:
            hinges = [world.create_revolute_joint(base, body, anchor=body.position) for body in (a, b)]
            joint = world.create_gear_joint(*hinges, ratio=2.0)
            assert joint.total == 0
            b.angle = 0.5
        kept = joint.total
        check_round_trip(world)
        joint.ratio = 1.5  # keeps the present sum
        assert joint.total != kept
        joint.total = kept + 1
        assert joint.total == pytest.approx(kept + 1)
        joint.total = None
        assert joint.total == pytest.approx(4 + 1.5 * 3 if kind == "pulley" else 1.5 * 0.5)
        with pytest.raises(ValueError, match="total="):
            joint.total = 1e10


def test_islands_that_sleep_and_bodies_that_are_pushed_come_back() -> None:
    with b2.World() as world:
        bodies = [world.create_dynamic_body((2.0 * k, 5)) for k in range(6)]
        for body in bodies:
            body.create_shape(b2.Box(0.5, 0.5))
        for a, b in ((0, 1), (1, 2), (3, 4)):
            world.create_weld_joint(bodies[a], bodies[b], anchor=bodies[b].position)
        bodies[1].apply_force((3, 4), (2, 5.5))
        bodies[2].awake = False
        bodies[4].linear_velocity = 1, 2
        bodies[5].enabled = False
        bodies[5].angular_velocity = 3
        assert [body.awake for body in bodies] == [False, False, False, True, True, False]
        check_round_trip(world)


# -- each key


def other_value(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    return value + 0.3 if isinstance(value, float) else value


def options_of(method: Any) -> dict[str, Any]:
    parameters = inspect.signature(method).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}


def test_every_option_of_a_body_comes_back() -> None:
    own = {"name": "it", "data": {"a": [1, None]}, "linear_velocity": (0.5, -0.3)}
    options = {name: own.get(name, other_value(value)) for name, value in options_of(b2.World.create_body).items()}
    for kind in ("static", "kinematic", "dynamic"):
        for name, value in options.items():
            with b2.World() as world:
                body = world.create_body(kind, (1, 2), **{name: value})
                body.create_shape(b2.Circle(0.5))
                with again(world) as other:
                    assert getattr(other.body(0), name) == getattr(body, name), (kind, name)
                    assert other.state_hash() == world.state_hash()


def test_every_option_of_a_shape_and_chain_comes_back() -> None:
    own = {
        "one_way": (1, 3), "filter": b2.Filter(6, 2**64 - 5, -3), "material": -7, "color": "red", "data": [1, {"b": 2}],
    }  # fmt: skip
    options = {name: own.get(name, other_value(value)) for name, value in options_of(b2.Body.create_shape).items()}
    del options["update_mass"]
    with b2.World() as world:
        world.categories.add("player")
        body = world.create_dynamic_body()
        for name, value in options.items():
            body.create_shape(b2.Circle(0.5), **{name: value})
            if name not in ("density", "sensor"):
                body.create_chain([(0, 0), (1, 0), (2, 1)], **{name: value})
        chain = world.create_static_body().create_chain([(0, 0), (1, 0), (2, 1), (0, 3)], loop=True, friction=0.2)
        chain.shapes[2].friction = 0.9
        chain.shapes[1].filter = b2.Filter(2)
        with again(world) as other:
            for ours, theirs in zip(world.shapes, other.shapes, strict=True):
                assert all(getattr(ours, name) == getattr(theirs, name) for name in options)
            for mine, its in zip(world.chains, other.chains, strict=True):
                assert (mine.data, mine.points, mine.loop) == (its.data, its.points, its.loop)
            assert other.to_dict() == world.to_dict()


def test_every_option_of_every_joint_comes_back() -> None:
    """With random values of all options, which their ranges allow, at random frames."""
    draw = draws(4)
    kinds = {each.__name__: each for each in b2.Joint.__subclasses__()}
    makers = [name for name in dir(b2.World) if name.startswith("create_") and name.endswith("_joint")]
    seen = set()
    for maker in makers:
        method = getattr(b2.World, maker)
        seen.add(method.__annotations__["return"])
        if maker == "create_gear_joint":
            continue  # see below
        for _ in range(20):
            with b2.World() as world:
                a = world.create_dynamic_body((draw.uniform(-9, 9), 1), draw.uniform(-7, 7))
                b = world.create_dynamic_body((0, draw.uniform(-9, 9)), draw.uniform(-7, 7))
                for body in (a, b):
                    body.create_shape(b2.Box(0.5, 0.4, (draw.random(), 0)))
                options: dict[str, Any] = {}
                for name, value in options_of(method).items():
                    if name in ("ground_anchor_a", "ground_anchor_b", "groove_start", "groove_end"):
                        options[name] = draw.uniform(-5, 5), draw.uniform(6, 9)
                    elif name in ("ratchet", "ratio"):
                        options[name] = draw.uniform(0.2, 2)
                    elif isinstance(value, bool):
                        options[name] = draw.random() < 0.5
                    elif isinstance(value, float) and value == 0.0 and not name.startswith("lower"):
                        options[name] = draw.uniform(0, 2) if draw.random() < 0.5 else value
                if "lower_angle" in options_of(method) and draw.random() < 0.5:
                    options["lower_angle"] = -draw.random()
                if "frame_a" in options_of(method):
                    for name in ("frame_a", "frame_b"):
                        options[name] = b2.Frame((draw.uniform(-1, 1), draw.uniform(-1, 1)), draw.uniform(-7, 7))
                joint = getattr(world, maker)(a, b, **options)
                joint.data = {"k": maker}
                if hasattr(joint, "joint_solver"):
                    joint.joint_solver = draw.choice(["auto", "direct", "iterative"])
                with again(world) as other:
                    assert other.to_dict() == world.to_dict()
                    its = other.joint(0)
                    assert type(its) is type(joint)
                    for name in dir(kinds[type(joint).__name__]):
                        attribute = getattr(type(joint), name)
                        if hasattr(attribute, "codec") and hasattr(joint, name):
                            assert getattr(its, name) == getattr(joint, name), (maker, name)
                    for _ in range(20):
                        world.step()
                        other.step()
                    assert other.state_hash() == world.state_hash(), maker
    assert seen == set(kinds)


def test_gears_name_their_joints_and_joints_their_bodies() -> None:
    with b2.World() as world:
        base = world.create_static_body(name="base")
        twins = [world.create_dynamic_body((k, 0), name="twin") for k in range(2)]
        for body in twins:
            body.create_shape(b2.Circle(0.4))
        hinges = [world.create_revolute_joint(base, body, anchor=body.position) for body in twins]
        world.create_gear_joint(*hinges, ratio=-2.0)
        joints = world.to_dict()["joints"]
        assert joints[0]["body_a"] == "base"
        assert [joint.get("body_b") for joint in joints] == [1, 2, None]  # two bodies have the same name
        assert (joints[2]["joint_a"], joints[2]["joint_b"], joints[2]["ratio"]) == (0, 1, -2.0)
        check_round_trip(world)


def test_options_categories_and_material_pairs_of_the_world_come_back() -> None:
    changed = {
        "gravity": (1.5, -3), "sleeping": False, "continuous": "all", "contact_recycle": 0.1,
        "restitution_threshold": 0.3, "hit_threshold": 2.0, "contact_hertz": 20.0, "contact_damping_ratio": 5.0,
        "contact_push_speed": 2.0, "joint_hertz": 50.0, "joint_damping_ratio": 1.0, "joint_solver": "direct",
        "max_linear_speed": 100.0, "sleep_time": 0.25, "length_unit": 2.0, "friction_mixing": "min",
        "restitution_mixing": "multiply", "contact_events": "bodies", "warm_starting": False,
        "strategies": b2.lab.Strategies(schedule="serial", order="tag"),
    }  # fmt: skip
    for name, value in changed.items():
        with b2.World(**{name: value}) as world, again(world) as other:
            assert world.to_dict()["world"].keys() == {"gravity", name}
            assert getattr(other, name) == getattr(world, name), name
    with b2.World(gravity=(0, 0)) as world, again(world) as other:
        assert world.to_dict()["world"] == {"gravity": [0.0, 0.0]}
        assert other.restitution_threshold == world.restitution_threshold == 0.0
    with b2.World(gravity=(0, 0), restitution_threshold=1.0) as world, again(world) as other:
        assert other.restitution_threshold == 1.0
    with b2.World() as world:
        world.categories.add("player")
        world.set_material_pair(3, 4, friction=0.1)
        world.set_material_pair(3, 3, restitution=1 / 3, tangent_speed=2)
        with again(world) as other:
            assert list(other.categories) == ["default", "player"]
            assert other.material_pairs == world.material_pairs


def test_masses_forces_and_sleep_come_back() -> None:
    with b2.World() as world:
        for k in range(4):
            body = world.create_dynamic_body((3 * k, 0.3), 0.4, linear_velocity=(1, 2), angular_velocity=3)
            body.create_shapes([b2.Box(0.5, 0.5, (k, 0)), b2.Circle(0.3)])
        world.body(1).mass = 7
        world.body(1).local_center = 0.3, 0.1
        world.body(2).inertia = 0.01
        world.body(2).apply_force((3, 4), (1, 1))
        world.body(3).awake = False
        check_round_trip(world)


def test_a_running_world_keeps_its_places_and_speeds() -> None:
    """Contacts are not part of a level, so only what it says is compared, at a moment in the middle."""
    with b2.World() as world:
        scenes.get("menagerie").build(world, 0.05)
        advance(world, 100)
        with again(world) as other:
            for name in ("position", "linear_velocity", "angular_velocity"):
                assert np.array_equal(getattr(world.arrays, name), getattr(other.arrays, name)), name
            # Rotations that a step has computed need not be the nearest float32 to a unit vector
            assert np.abs(world.arrays.rotation - other.arrays.rotation).max() < 2e-7
            assert [body.turns for body in world.bodies] == [body.turns for body in other.bodies]
            angles = [
                (joint.angle, other.joint(joint.index).angle) for joint in world.joints if hasattr(joint, "angle")
            ]
            assert angles
            assert all(abs(mine - its) < 1e-6 for mine, its in angles)
            other.step()


@pytest.mark.parametrize("seed", range(6))
def test_the_decimals_of_angles_give_the_same_bits(seed: int) -> None:
    draw = draws(seed)
    with b2.World() as world:
        body = world.create_static_body()
        for _ in range(500):
            body.angle = [
                draw.uniform(-4, 4),
                round(draw.uniform(-10, 10), draw.randint(0, 6)),
                math.pi * draw.randint(-40, 40) / draw.choice((1, 2, 3, 4, 6, 8, 12, 180)),
                math.radians(draw.uniform(-720, 720)),
                10 ** draw.uniform(-9, 0),
                draw.randint(-3, 3) * math.pi / 2 + 10 ** draw.uniform(-12, 0),
            ][seed]
            rotation = body.rotation
            angle = direction_angle(*rotation)
            if angle is None:
                body.rotation = rotation
            else:
                body.angle = angle
            assert body.rotation == rotation
    for _ in range(1000):
        number = draw.uniform(-1, 1) * 10 ** draw.uniform(-30, 30)
        assert float32(short(float32(number))) == float32(number)
    assert short(float32(0.1)) == 0.1


def test_data_of_a_level_is_json() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body(data={"sprite": "crate.png", "lives": (1, 2)})
        assert world.to_dict()["bodies"][0]["data"] == {"sprite": "crate.png", "lives": [1, 2]}
        assert again(world).body(0).data == {"sprite": "crate.png", "lives": [1, 2]}
        for bad in (object(), {1: 2}, math.nan, {"a": [b"x"]}):
            body.data = bad
            with pytest.raises(TypeError, match=r"data of <Body 0 .*is no JSON"):
                world.to_dict()
            assert "data" not in world.to_dict(data=False)["bodies"][0]


def test_add_dict_adds_to_a_world_all_or_nothing() -> None:
    level = {"bodies": [CRATE, {**CRATE, "position": [2, 0]}],
             "joints": [{"type": "rope", "body_a": 0, "body_b": 1}]}  # fmt: skip
    with b2.World(gravity=(0, -3)) as world:
        world.create_static_body()
        found = world.add_dict(level)
        assert [body.index for body in found["bodies"]] == [1, 2]
        assert found["joints"][0].body_a.index == 1
        assert world.gravity == (0, -3)
        with pytest.raises(b2.LevelError, match=r"joints\[0\]: there is no key 'max_len'"):
            world.add_dict({**level, "joints": [{"type": "rope", "body_a": 0, "body_b": 1, "max_len": 3}]})
        assert len(world.bodies) == 3
        world.set_material_pair(1, 2, friction=0.5)
        pairs = world.material_pairs
        with pytest.raises(b2.LevelError, match="type"):
            world.add_dict({"bodies": [{}], "material_pairs": [{"a": 2, "b": 1}, {"a": 3, "b": 3, "restitution": 1}]})
        assert world.material_pairs == pairs


# -- what a person gets wrong


def wrong_levels() -> Iterator[tuple[dict[str, Any], str]]:
    def body(**keys: Any) -> dict[str, Any]:
        return {"bodies": [{**CRATE, **keys}]}

    def shape(**keys: Any) -> dict[str, Any]:
        return {"bodies": [CRATE, {"type": "static", "shapes": [BOX, {**BOX, **keys}]}]}

    def joint(**keys: Any) -> dict[str, Any]:
        hinge = {"type": "revolute", "body_a": "a", "body_b": "b", "anchor": [0, 0], **keys}
        named = [{**CRATE, "name": name} for name in ("a", "b", "twin", "twin")]
        return {"bodies": named, "joints": [{key: value for key, value in hinge.items() if value is not None}]}

    yield {"bodies": 3}, "bodies: 3 must be a list"
    yield {"bodies": [3]}, r"bodies\[0\]: 3 must be a dictionary"
    yield {"bodes": []}, "there is no key 'bodes'; did you mean 'bodies'"
    yield {"version": 2}, "version.* is 2; this box2dpy reads version 1"
    yield {"format": "tiled"}, "format.* is 'tiled'"
    yield {"world": {"graviti": [0, 1]}}, "world: there is no key 'graviti'; did you mean 'gravity'"
    yield {"world": {"gravity": 1}}, "world: gravity=1 must be a pair"
    yield {"world": {"workers": 2}}, "world: there is no key 'workers'"
    yield {"material_pairs": [{"a": 1}]}, r"material_pairs\[0\]: it has no 'b'"
    yield {"bodies": [{"shapes": []}]}, r"bodies\[0\]: it has no 'type'"
    yield body(type="dinamic"), r"bodies\[0\]: type='dinamic' is not known"
    yield body(positon=[1, 2]), r"bodies\[0\]: there is no key 'positon'; did you mean 'position'"
    yield body(position=[1]), r"bodies\[0\]: position=\[1\] must have exactly two"
    yield body(mass=-1), r"bodies\[0\]: mass=-1 is out of range"
    yield body(angle=1, rotation=[0, 1]), r"bodies\[0\]: rotation=\[0, 1\] stands in place of angle"
    yield body(shapes=BOX), r"bodies\[0\].shapes: .* must be a list"
    yield shape(frction=1), r"bodies\[1\].shapes\[1\]: there is no key 'frction'; did you mean 'friction'"
    yield shape(hx=-1), r"bodies\[1\].shapes\[1\]: hx=-1 is out of range"
    yield shape(type="square"), r"bodies\[1\].shapes\[1\]: type='square' is not known: circle"
    yield shape(type="circle", hx=None), r"bodies\[1\].shapes\[1\]: there is no key 'hx'"
    yield shape(filter={"category": ["x"]}), r"bodies\[1\].shapes\[1\]: 'x' is no category"
    yield shape(filter={"mask": 1, "but": 2}), r"bodies\[1\].shapes\[1\]: but=2 stands in place of mask"
    yield shape(filter=3), r"bodies\[1\].shapes\[1\]: 3 must be a dictionary"
    yield shape(color="rde"), r"bodies\[1\].shapes\[1\]: color='rde' is no colour"
    yield joint(body_a=None), r"joints\[0\]: it has no \"body_a\": the place of a body in its list or its name"
    yield joint(body_a=7), r"joints\[0\]: body_a=7: there is no such body"
    yield joint(body_a="c"), r"joints\[0\]: body_a='c': no body has this name"
    yield joint(body_a="twin"), r"joints\[0\]: body_a='twin': 2 bodies have this name"
    yield joint(type="hinge"), r"joints\[0\]: type='hinge' is not known: revolute"
    yield joint(uper_angle=1), r"joints\[0\]: there is no key 'uper_angle'; did you mean 'upper_angle'"
    yield joint(anchor=None), r"joints\[0\]: give exactly one of anchor"
    yield joint(type="gear", anchor=None), r"joints\[0\]: it has no \"joint_a\": the place of a joint"
    chain = {"type": "static", "chains": [{"points": [[0, 0], [1, 0]], "segments": [{"segment": 3}]}]}
    yield {"bodies": [chain]}, r"bodies\[0\].chains\[0\].segments\[0\]: segment=3 is out of range"


@pytest.mark.parametrize(("level", "message"), [*wrong_levels()])
def test_a_mistake_in_a_level_is_named_with_its_place(level: dict[str, Any], message: str) -> None:
    before = json.dumps(level)
    with pytest.raises(b2.LevelError, match=message):
        b2.World.from_dict(level)
    assert json.dumps(level) == before


def test_a_file_that_is_no_level_says_so(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    path.write_text('{"bodies": [', encoding="utf-8")
    with pytest.raises(b2.LevelError, match=r"level\.json is no JSON: .*line 1"):
        b2.World.load_level(path)
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(b2.LevelError, match="the level: .* must be a dictionary"):
        b2.World.load_level(path)


def test_a_person_may_write_short_levels() -> None:
    level = {
        "comment": "a seesaw",
        "bodies": [
            {"type": "static", "name": "ground", "shapes": [{"type": "box", "hx": 10, "hy": 1, "center": [0, -1]}]},
            {"type": "dynamic", "name": "plank", "position": [0, 1], "comment": "2 m",
             "shapes": [{"type": "box", "hx": 2, "hy": 0.1, "color": "brown"}]},
        ],
        "joints": [{"type": "revolute", "body_a": "ground", "body_b": "plank", "anchor": [0, 1],
                    "lower_angle": -0.4, "upper_angle": 0.4}],
    }  # fmt: skip
    with b2.World.from_dict(level) as world:
        (hinge,) = world.joints
        assert isinstance(hinge, b2.RevoluteJoint)
        assert hinge.enable_limit
        assert world.body(1).name == "plank"
        check_round_trip(world)


@pytest.mark.parametrize("key", ["_index", "world", "geometry", "data", "sensor"])
def test_a_segment_of_a_chain_has_the_keys_of_surfaces_alone(key: str) -> None:
    """Any attribute of the handle could be assigned, also the place in the tables that it reads."""
    chain = {"points": [(k, 0) for k in range(5)], "segments": [{"segment": 0, key: 1}]}
    with pytest.raises(b2.LevelError, match=rf"bodies\[0\]\.chains\[0\]\.segments\[0\]: there is no key '{key}'"):
        b2.World.from_dict({"bodies": [{"type": "static", "chains": [chain]}]})


def test_a_text_that_utf_8_has_no_bytes_for_comes_back(tmp_path: Path) -> None:
    """JSON writes a lone surrogate as an escape."""
    with b2.World() as world:
        world.categories = b2.Categories("\udfff\n")
        world.create_dynamic_body(name="\ud800 \u00e9", data=["\udc80"])
        world.save_level(tmp_path / "level.json")
        for again in (
            b2.World.load_level(tmp_path / "level.json"), b2.World.from_snapshot(world.snapshot(data=True)),
            pickle.loads(pickle.dumps(world)),
        ):  # fmt: skip
            with again:
                assert again.body(0).name == "\ud800 \u00e9"
                assert again.body(0).data == ["\udc80"]
                assert list(again.categories)[1:] == ["\udfff\n"]


def test_a_level_that_cannot_be_written_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "level.json"
    path.write_text("old")

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with b2.World() as world, pytest.raises(OSError, match="no space"):
        world.save_level(path)
    assert [each.name for each in tmp_path.iterdir()] == ["level.json"]
    assert path.read_text() == "old"
