"""`create_..._body` and `create_shape` encode only the given options; the result must be the same as with all
options."""

from __future__ import annotations

import gc
import inspect
import pydoc
import re
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..patience import in_threads

MAKERS = ["create_static_body", "create_kinematic_body", "create_dynamic_body"]
OPTIONS = {
    "linear_velocity": (0.5, 0.25), "angular_velocity": 0.5, "linear_damping": 0.25, "angular_damping": 0.5,
    "gravity_scale": 2.0, "sleep_threshold": 0.5, "can_sleep": False, "awake": True, "enabled": True, "bullet": True,
    "allow_fast_rotation": True, "safety_factor": 0.25, "lock_x": True, "lock_y": True, "lock_rotation": True,
    "name": "it", "data": "anything",
}  # fmt: skip


STATIC_OPTIONS = ("enabled", "name", "data")  # of a body that never moves


def options_of(name: str) -> list[str]:
    return [option for option in OPTIONS if name != "create_static_body" or option in STATIC_OPTIONS]


def test_create_methods_have_the_documented_signatures() -> None:
    for name in MAKERS:
        parameters = inspect.signature(getattr(b2.World, name)).parameters
        assert list(parameters)[:3] == ["self", "position", "angle"]
        assert set(list(parameters)[3:]) == set(options_of(name))
        assert all(parameters[option].kind is inspect.Parameter.KEYWORD_ONLY for option in options_of(name))
        assert parameters["enabled"].default is True
        described = set(re.findall(r"^    (\w+): \S", getattr(b2.World, name).__doc__, re.MULTILINE))
        assert {*options_of(name), "position", "angle"} <= described
    assert inspect.signature(b2.World.create_dynamic_body).parameters["gravity_scale"].default == 1.0
    assert str(inspect.signature(b2.World.create_static_body)) == (
        "(self, position: 'Vec2Like' = (0.0, 0.0), angle: 'float' = 0.0, *, enabled: 'bool' = True, "
        "name: 'str' = '', data: 'Any' = None) -> 'Body'"
    )
    for maker in (b2.Body.create_shape, b2.Body.create_shapes, b2.Body.create_chain, b2.World.create_bodies):
        parameters = inspect.signature(maker).parameters
        assert {"friction", "filter", "color"} <= set(parameters)
        assert all(each.kind is not each.VAR_KEYWORD for each in parameters.values())
        assert parameters["friction"].default == 0.6
        assert "friction" in pydoc.render_doc(maker)


def test_a_static_body_takes_no_option_of_motion() -> None:
    with b2.World() as world:
        for option in set(OPTIONS) - set(STATIC_OPTIONS):
            with pytest.raises(
                TypeError, match=rf"create_static_body\(\) got an unexpected keyword argument '{option}'"
            ):
                world.create_static_body((0, 0), **{option: OPTIONS[option]})
        assert len(world.bodies) == 0
        body = world.create_static_body(enabled=False, name="floor", data=3)
        assert (body.enabled, body.name, body.data) == (False, "floor", 3)


def test_defaults_in_the_signature_are_the_defaults_of_the_objects() -> None:
    world = b2.World()
    for name in MAKERS:
        parameters = inspect.signature(getattr(b2.World, name)).parameters
        given = {option: parameters[option].default for option in options_of(name)}
        short, long = getattr(world, name)((1, 2)), getattr(world, name)((1, 2), 0.0, **given)
        for option in options_of(name):
            assert getattr(short, option) == getattr(long, option), option
            rounded = pytest.approx(given[option]) if isinstance(given[option], float) else given[option]
            assert getattr(short, option) == rounded, option
    parameters = inspect.signature(b2.Body.create_shape).parameters
    given = {name: p.default for name, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
    body = world.create_dynamic_body()
    plain, explicit = body.create_shape(b2.Circle(1)), body.create_shape(b2.Circle(1), **given)
    for option in set(given) - {"update_mass"}:
        assert getattr(plain, option) == getattr(explicit, option), option
        assert getattr(plain, option) == (
            pytest.approx(given[option]) if isinstance(given[option], float) else given[option]
        )


def test_every_option_reaches_the_created_object() -> None:
    locks = {"lock_x": True, "lock_y": True, "lock_rotation": True}
    body = b2.World().create_dynamic_body((1, 2), 0.5, **{**OPTIONS, **dict.fromkeys(locks, False)})
    for option, value in OPTIONS.items():
        assert getattr(body, option) == (value if option not in locks else False), option
    locked = b2.World().create_dynamic_body(**OPTIONS)
    assert all(getattr(locked, option) for option in locks)
    assert (locked.linear_velocity, locked.angular_velocity) == ((0, 0), 0)  # as after assigning
    assert (body.position, round(body.angle, 6)) == ((1, 2), 0.5)
    assert b2.World().create_static_body(angle=0.5, position=[1, 2]).position == (1, 2)


@pytest.mark.parametrize(
    "position", [(3, 4), [3.0, 4], b2.Vec2(3, 4), np.array([3, 4]), np.array([3.0, 4.0], np.float32), iter((3, 4))]
)
@pytest.mark.parametrize("options", [{}, {"gravity_scale": 1.0}])
def test_a_position_can_be_any_pair_of_numbers(position: Any, options: dict[str, Any]) -> None:
    if iter(position) is position:
        position = iter([3, 4])  # of its own for each test
    assert b2.World().create_dynamic_body(position, np.float64(0.0), **options).position == (3, 4)


@pytest.mark.parametrize("name", MAKERS)
def test_bad_calls_of_create_body_are_refused_and_change_nothing(name: str) -> None:
    world = b2.World()
    make = getattr(world, name)
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'gravity'"):
        make((0, 0), gravity=1)
    with pytest.raises(TypeError, match=name):
        make((0, 0), 0.0, (1, 0))
    for position in ("ab", b"ab", None, 5, (1,), (1, 2, 3), {1: 2}, ("1", "2"), (1j, 0), [[1, 2], [3, 4]]):
        with pytest.raises((TypeError, ValueError), match="position="):
            make(position)
    for position in ((float("nan"), 0), (0, float("inf")), (1e300, 0)):
        with pytest.raises(ValueError, match="position="):
            make(position)
    for angle in ("1", None, [1.0], 1j, np.zeros(2)):
        with pytest.raises(TypeError, match="angle="):
            make((0, 0), angle)
    with pytest.raises(ValueError, match="angle=nan"):
        make((0, 0), float("nan"))
    with pytest.raises(TypeError, match="enabled="):
        make(enabled="yes")
    if name != "create_static_body":
        with pytest.raises(TypeError, match="bullet="):
            make(bullet="yes")
        with pytest.raises(ValueError, match="linear_damping=-1"):
            make(linear_damping=-1)
    assert len(world.bodies) == 0
    world.close()
    with pytest.raises(b2.DestroyedError, match="closed"):
        make((0, 0))
    with pytest.raises(b2.DestroyedError, match="closed"):
        make((0, 0), enabled=True)


def test_bad_calls_of_create_shape_are_refused_and_change_nothing() -> None:
    world = b2.World()
    body = world.create_dynamic_body()
    with pytest.raises(TypeError, match=r"create_shape\(\) got an unexpected keyword argument 'mass'"):
        body.create_shape(b2.Circle(1), mass=2)
    with pytest.raises(TypeError, match="geometry="):
        body.create_shape(world)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="create_shape"):
        body.create_shape()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="density=-1"):
        body.create_shape(b2.Circle(1), density=-1)
    assert len(world.shapes) == 0
    body.destroy()
    for options in ({}, {"density": 2.0}):
        with pytest.raises(b2.DestroyedError, match="destroyed"):
            body.create_shape(b2.Circle(1), **options)  # type: ignore[arg-type]


def test_a_held_handle_is_unique_and_nothing_is_kept_of_destroyed_objects() -> None:
    world = b2.World()
    bodies = [world.create_dynamic_body((k, 0)) for k in range(20)]
    shapes = [body.create_shape(b2.Circle(0.1)) for body in bodies]
    assert [a is b for a, b in zip(world.bodies, bodies, strict=True)] == [True] * 20
    assert [a is b for a, b in zip(world.shapes, shapes, strict=True)] == [True] * 20
    gone = weakref.ref(bodies[3])
    generation = bodies[3]._generation
    bodies[3] = shapes[3] = None  # type: ignore[call-overload]
    gc.collect()
    assert gone() is None
    again = world.body(3)
    assert again._generation == generation
    again.destroy()
    assert not again.alive
    new = world.create_dynamic_body()
    assert (new.index, new == again, new.alive, again.alive) == (3, False, True, False)
    for body in world.bodies:
        body.destroy()
    assert world._handles == {}


def test_bodies_created_by_several_threads_are_all_different() -> None:
    world = b2.World()
    made: list[list[b2.Body]] = [[], []]

    def make(mine: list[b2.Body]) -> None:
        while len(mine) < 500:
            try:
                mine.append(world.create_dynamic_body((len(mine), 0)))
            except b2.WorldLockedError:
                continue

    in_threads([partial(make, mine) for mine in made])
    assert len({body.index for mine in made for body in mine}) == 1000
    for mine in made:
        for k, body in enumerate(mine):
            assert body.position == (k, 0)
            assert world.body(body.index) is body or k % 50
    world.validate()
