"""Arguments that were accepted without a check, or refused with an exception that names nothing."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays

HUGE = 10**400  # an integer beyond the range of a float


class Unmade(b2.Circle):
    """A geometry whose `__init__` forgets that of its base."""

    def __init__(self) -> None: ...


def with_stepper(name: str, value: Any) -> Callable[[b2.World], object]:
    return lambda world: setattr(b2.FixedStepper(world), name, value)


NAN = math.nan
BALL = b2.Circle(1)


def nobody(world: b2.World) -> b2.BodyArray:
    return world.create_bodies([], geometry=BALL)


# Values that no row takes, because there are no rows; and other arguments that had no effect.
OF_NOTHING: dict[str, tuple[str, Callable[[b2.World], object]]] = {
    "boxes of no poses": ("angles", lambda w: BALL.aabbs([], NAN)),
    "no bodies of no density": ("density", lambda w: w.create_bodies([], geometry=BALL, density=NAN)),
    "no bodies at NaN": ("position", lambda w: w.arrays.set([], position=(NAN, 0))),
    "rows of no bodies at NaN": ("position", lambda w: setattr(nobody(w), "position", (NAN, 0))),
    "mass of no bodies": ("mass", lambda w: setattr(nobody(w), "mass", NAN)),
    "force on no bodies": ("force", lambda w: nobody(w).apply_force((NAN, 0))),
    "force on no bodies at NaN": ("point", lambda w: nobody(w).apply_force((0, 0), (NAN, 0))),
    "torque on no bodies": ("torque", lambda w: nobody(w).apply_torque(NAN)),
    "distances of none": ("positions_a", lambda w: b2.distances(BALL, BALL, [], positions_a=(NAN, 0))),
    "distances of none, turned": ("angles_a", lambda w: b2.distances(BALL, BALL, [], angles_a=NAN)),
    "casts of none": ("translations", lambda w: b2.shape_casts(BALL, BALL, (NAN, 0), [])),
    "impacts of none": ("rotations_b", lambda w: b2.times_of_impact(BALL, BALL, [], rotations_b=NAN)),
    "planes within NaN": ("within", lambda w: b2.clip_vector((1, 0), [], within=NAN)),
    "planes solved -1 times": ("iterations", lambda w: b2.solve_planes((1, 0), [], iterations=-1)),
    "text at NaN": ("where", lambda w: b2.DrawList().text((NAN, 0), "a")),
    "picture moved by NaN": ("offset", lambda w: w.debug_draw(offset=(NAN, 0))),
}


BODY_METHODS = ("world_point", "local_point", "world_vector", "local_vector", "velocity_at")
CALLS: dict[str, tuple[type[Exception], str, Callable[[b2.World], object]]] = {
    "Vec2 of a huge integer": (ValueError, "Vec2", lambda w: b2.Vec2(HUGE, 0)),
    "camera at a dict": (TypeError, "poses", lambda w: b2.FollowCamera(w.body(0)).at({})),  # type: ignore[arg-type]
    "Vec2 of text": (TypeError, "Vec2", lambda w: b2.Vec2("1", 0)),  # type: ignore[arg-type]
    **{
        f"Vec2 {name}": (TypeError, "must be a pair of numbers", call)
        for name, call in {
            "plus a set": lambda w: b2.Vec2(1, 2) + {1.0, 2.0},
            "minus a dict": lambda w: b2.Vec2(1, 2) - {1.0: 0, 2.0: 0},
            "from text": lambda w: "ab" - b2.Vec2(1, 2),
            "dot a set": lambda w: b2.Vec2(1, 2).dot({1.0, 2.0}),
            "cross text": lambda w: b2.Vec2(1, 2).cross("ab"),
            "distance to a set": lambda w: b2.Vec2(1, 2).distance({1.0, 2.0}),
            "lerp to a set": lambda w: b2.Vec2(1, 2).lerp({1.0, 2.0}, 0.5),
        }.items()
    },
    **{
        f"Vec2 {name} a huge integer": (ValueError, "out of range", call)
        for name, call in {
            "minus": lambda w: b2.Vec2(1, 2) - (HUGE, 0),
            "times": lambda w: HUGE * b2.Vec2(1, 2),
            "divided by": lambda w: b2.Vec2(1, 2) / HUGE,
            "rotated by": lambda w: b2.Vec2(1, 2).rotated(HUGE),
            "lerp by": lambda w: b2.Vec2(1, 2).lerp((0, 0), HUGE),
        }.items()
    },
    "Vec2 times text": (TypeError, "factor", lambda w: b2.Vec2(1, 2) * "2"),  # type: ignore[operator]
    "Vec2 rotated by NaN": (ValueError, "angle", lambda w: b2.Vec2(1, 2).rotated(math.nan)),
    **{
        f"a {kind.__name__} by its class": (TypeError, "is made by a world", lambda w, k=kind: k(w, 1))
        for kind in (
            b2.Body, b2.Shape, b2.Chain, b2.Joint, b2.RevoluteJoint, b2.Contact, b2.Island, b2.Presolve, b2.RayHit,
            b2.NearestHit, b2.ContactBegin, b2.EventList, b2.Events, b2.Objects, b2.Contacts, b2.Arrays, b2.BodyArray,
        )
    },
    "ray from a huge integer": (ValueError, "origin", lambda w: w.ray_cast((HUGE, 0), (1, 0))),
    "ray along a huge integer": (ValueError, "translation", lambda w: w.ray_cast((0, 0), (HUGE, 0))),
    "ray from a set": (TypeError, "origin", lambda w: w.ray_cast({1.0, 2.0}, (1.0, 0.0))),  # type: ignore[arg-type]
    "lines with a huge integer": (TypeError, "ends", lambda w: b2.DrawList().lines([(HUGE, 0, 1, 1)])),
    "lines of different lengths": (ValueError, "ends", lambda w: b2.DrawList().lines([(1, 0, 1, 1), (1,)])),
    "dt of a stepper": (ValueError, "dt", with_stepper("dt", 0)),
    "dt of a stepper as text": (TypeError, "dt", with_stepper("dt", "1")),
    "substeps of a stepper": (ValueError, "substeps", with_stepper("substeps", 0)),
    "max_steps of a stepper": (ValueError, "max_steps", with_stepper("max_steps", 0)),
    "max_steps of a stepper as None": (TypeError, "max_steps", with_stepper("max_steps", None)),
    "view as a dict": (TypeError, "view", lambda w: w.debug_draw(view={})),  # type: ignore[arg-type]
    "view of three": (ValueError, "view", lambda w: w.debug_draw(view=(0, 0, 1))),  # type: ignore[arg-type]
    "view with NaN": (ValueError, "view", lambda w: w.debug_draw(view=(0, 0, 1, math.nan))),
    "no draw list": (TypeError, "draw", lambda w: w.debug_draw(7)),  # type: ignore[arg-type]
    "body at a set": (TypeError, "position", lambda w: w.create_dynamic_body({1.0, 2.0})),  # type: ignore[arg-type]
    "body at dict": (TypeError, "position", lambda w: w.create_static_body({1.0: 0, 2.0: 0})),  # type: ignore[arg-type]
    "force as a set": (TypeError, "force", lambda w: w.body(0).apply_force({1.0, 2.0})),  # type: ignore[arg-type]
    "mover without a world": (TypeError, "world", lambda w: b2.Mover(None, b2.Circle(1))),  # type: ignore[arg-type]
    "stepper without a world": (TypeError, "world", lambda w: b2.FixedStepper(None)),  # type: ignore[arg-type]
    "geometry that was never made": (TypeError, "super", lambda w: w.body(0).create_shape(Unmade())),
    "mass of a geometry that was never made": (TypeError, "super", lambda w: Unmade().mass_data()),
    **{name: (ValueError, words, call) for name, (words, call) in OF_NOTHING.items()},
    **{
        f"{name} of {value}": (ValueError, "must be finite", lambda w, n=name, v=value: getattr(w.body(0), n)((v, 0.0)))
        for name in BODY_METHODS
        for value in (math.nan, math.inf)
    },
}  # fmt: skip


@contextmanager
def changing(row: Any, *values: float) -> Iterator[None]:
    """Another thread writes these values into the row of an array again and again."""
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for value in values:
                row[:] = value

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_refused_with_its_name(name: str) -> None:
    kind, words, call = CALLS[name]
    with b2.World() as world:
        world.create_dynamic_body()
        with pytest.raises(kind, match=words):
            call(world)
        assert len(world.bodies) == 1
        world.validate()


@pytest.mark.parametrize("tolerance", [math.nan, -1.0, math.inf])
def test_the_tolerance_of_outlines_is_checked(tolerance: float) -> None:
    pytest.importorskip("contourpy")
    with pytest.raises(ValueError, match="tolerance"):
        b2.bitmap_outlines([[0, 0], [0, 1]], tolerance=tolerance)


def test_arrays_that_another_thread_changes_are_copied_before_they_are_checked() -> None:
    """C reads arrays without the GIL, so the numbers that were checked have to be the numbers that are used."""
    positions = np.zeros((20_000, 2))
    with changing(positions[-1], math.nan, 0.0):
        for _ in range(20):
            with b2.World() as world:
                try:
                    bodies = world.create_bodies(positions, geometry=b2.Circle(1), type="static")
                except ValueError:
                    continue
                assert np.isfinite(bodies.position).all()


def test_indices_that_another_thread_changes_are_copied_before_they_are_checked() -> None:
    with b2.World() as world:
        world.create_bodies(np.zeros((20_000, 2)), geometry=b2.Circle(1), type="static")
        ids = np.arange(20_000, dtype=np.int32)
        with changing(ids[-1:], 2_000_000_000, 19_999):
            for _ in range(50):
                with suppress(b2.DestroyedError):
                    world.arrays.set(ids, position=(1, 1), angle=0.5)
        world.validate()


def test_arrays_of_no_bodies_may_be_set_to_nothing() -> None:
    with b2.World() as world:
        world.arrays.set([], position=[], awake=True)
        world.on_body_move = lambda event: world.arrays.set([], position=[], awake=True)
        world.create_dynamic_body()
        with pytest.raises(b2.WorldLockedError):
            world.step()


@pytest.mark.parametrize("seed", range(20))
def test_a_refused_write_to_many_bodies_changes_none_of_them(seed: int) -> None:
    draw = arrays(seed)
    with b2.World() as world:
        row = world.create_bodies(draw.uniform(-50, 50, (12, 2)), geometry=b2.Box(0.5, 0.5))
        for name in ("position", "linear_velocity", "angular_velocity", "linear_damping", "gravity_scale", "mass"):
            before, values = getattr(row, name), np.array(getattr(row, name), float) + 1.0
            flat = values.reshape(-1)
            flat[draw.integers(len(flat))] = draw.choice([math.nan, math.inf, -math.inf, 1e300])
            state = world.state_hash()
            with pytest.raises(ValueError, match=name):
                setattr(row, name, values)
            assert np.array_equal(getattr(row, name), before)
            assert world.state_hash() == state
        for push in (row.apply_force, row.apply_impulse):
            values = draw.uniform(-1, 1, (12, 2))
            values[draw.integers(12), draw.integers(2)] = draw.choice([math.nan, 1e40])
            state = world.state_hash()
            with pytest.raises(ValueError, match=r"force|impulse"):
                push(values)
            assert world.state_hash() == state
            assert not row.force.any()
        world.validate()


def test_the_place_from_which_a_sequence_is_searched_is_a_whole_number() -> None:
    with b2.World() as world:
        bodies = world.create_bodies([(0, 0), (2, 0)], geometry=b2.Circle(0.5))
        assert (bodies.index(bodies[1], 1), bodies.index(bodies[0], 0, 10**400)) == (1, 0)
        for place in (np.float64(1.0), np.ones(3)):
            with pytest.raises(TypeError, match="integer"):
                bodies.index(bodies[0], 10**400, place)  # type: ignore[arg-type]
