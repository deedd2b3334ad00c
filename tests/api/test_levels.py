"""Levels: the round trip of every scene and sample that is one at its start, bit by bit; each key by itself; and what a
person gets wrong in a file.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import os
import pickle
import struct
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

STEPS = 30
BOX = {"type": "box", "hx": 0.5, "hy": 0.5}
CRATE = {"type": "dynamic", "shapes": [BOX]}


def again(world: b2.World, **options: Any) -> b2.World:
    """The world that comes back through the text of a file."""
    return b2.World.from_dict(json.loads(json.dumps(world.to_dict(**options), allow_nan=False)))


def check_round_trip(world: b2.World) -> None:
    level = world.to_dict(data=False)
    with again(world, data=False) as other, world.clone() as plain:
        assert other.state_hash() == plain.state_hash()
        assert other.to_dict() == level
        for step in range(STEPS):
            plain.step()
            other.step()
            assert other.state_hash() == plain.state_hash(), step


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
            car,
            wheel,
            anchor=wheel.position,
            axis=(0, 1),
            stiffness=300,
            damping=20,
            motor_speed=-8,
            max_motor_torque=9,
        )
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
            for _ in range(10):
                other.step()
            other.validate()


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
        for _ in range(100):
            world.step()
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
    yield body(shapes=BOX), r"bodies\[0\].shapes: .* must be a list"
    yield shape(frction=1), r"bodies\[1\].shapes\[1\]: there is no key 'frction'; did you mean 'friction'"
    yield shape(hx=-1), r"bodies\[1\].shapes\[1\]: hx=-1 is out of range"
    yield shape(type="square"), r"bodies\[1\].shapes\[1\]: type='square' is not known: circle"
    yield shape(type="circle", hx=None), r"bodies\[1\].shapes\[1\]: there is no key 'hx'"
    yield shape(filter={"category": ["x"]}), r"bodies\[1\].shapes\[1\]: 'x' is no category"
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


# -- R.U.B.E.

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
        for _ in range(100):
            world.step()
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
            for _ in range(180):
                world.step()
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
