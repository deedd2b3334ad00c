"""The staged step: a step in parts, which is a step to the bit unless the program edits something between them."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES

from ..patience import in_threads

DT = 1 / 60
SCALES = {
    "large_pyramid": 0.1,
    "mixed_pile": 0.2,
    "falling_hinges": 0.5,
    "cranes": 1.0,
    "menagerie": 1.0,
    "spinner": 0.03,
}


def heap(**options: Any) -> b2.World:
    world = b2.World(**options)
    world.create_static_body((0, -1)).create_shape(b2.Box(30, 1), restitution=0.2)
    for k in range(24):
        body = world.create_dynamic_body((k % 6 * 0.9 - 3, 1 + k // 6 * 1.1))
        geometry = b2.Box(0.4, 0.4) if k % 2 else b2.Circle(0.45)
        body.create_shape(geometry, restitution=0.7 if k % 5 == 0 else 0.0, hit_events=True, presolve=k % 3 == 0)
    return world


def ball_on_floor() -> tuple[b2.World, b2.Body]:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
    ball = world.create_dynamic_body((0, 0.5))
    ball.create_shape(b2.Circle(0.5))
    return world, ball


def step_through(step: b2.StagedStep, how: int) -> None:
    """Leaves the step in one of several states, and reads what can be read."""
    if how == 0:
        return
    step.collide()
    if how > 1:
        assert (step.contacts["enabled"]).all()
        step.prepare()
    for k in step.substeps() if how > 2 else ():
        step.linear_velocity, step.angular_velocity, step.world_center, step.rotation
        if how == 4 and k == 1:
            break
    if how == 5:
        step.finish()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", SCALES)
def test_a_staged_step_without_edits_is_a_step_to_the_bit(name: str, workers: int) -> None:
    scene = SCENES[name]
    worlds = [scene.world(workers=workers) for _ in range(2)]
    states = [scene.build(world, SCALES[name]) for world in worlds]
    for k in range(90):
        for world, state in zip(worlds, states, strict=True):
            scene.advance(world, state, k)
        worlds[0].step(DT, 4)
        with worlds[1].staged_step(DT, 4) as step:
            step_through(step, k % 6)
        assert worlds[0].state_hash() == worlds[1].state_hash(), k
    worlds[1].validate()
    counters = [world.counters._asdict() for world in worlds]
    for each in counters:
        for name in ("step_allocations", "bytes", "peak_bytes"):
            del each[name]
    assert counters[0] == counters[1]


@pytest.mark.parametrize(
    "options", [{}, {"warm_starting": False}, {"sleeping": False}, {"schedule": b2.lab.NAMES["schedule"][-1]}]
)
@pytest.mark.parametrize("lengths", [[(DT, 4)], [(0.0, 1), (DT, 4), (DT / 2, 1), (DT, 7)]])
def test_step_lengths_may_change_and_0_only_finds_contacts(options: Any, lengths: list[tuple[float, int]]) -> None:
    worlds = heap(**options), heap(**options)
    for k in range(60):
        dt, substeps = lengths[k % len(lengths)]
        worlds[0].step(dt, substeps)
        with worlds[1].staged_step(dt, substeps) as step:
            assert len(list(step.substeps())) == (substeps if dt else 0)
        assert worlds[0].state_hash() == worlds[1].state_hash(), k


def test_a_world_at_rest_stays_at_rest() -> None:
    worlds = ball_on_floor()[0], ball_on_floor()[0]
    for k in range(60):
        worlds[0].step()
        with worlds[1].staged_step() as step:
            step_through(step, k % 6)
        assert worlds[0].state_hash() == worlds[1].state_hash(), k
    assert worlds[1].counters.awake_bodies == 0


def record_calls(world: b2.World, log: list[Any]) -> None:
    for name in ("contact_begin", "contact_end", "contact_hit", "sensor_begin", "sensor_end", "body_move"):
        setattr(world, f"on_{name}", lambda event, name=name: log.append((name, tuple(map(repr, event)))))
    world.on_presolve = lambda contact: log.append(("presolve", repr(contact.shape_a), contact.normal))
    world.on_filter = lambda a, b: (a.index + b.index) % 7 != 0


def test_callbacks_events_and_sensors_are_those_of_a_step() -> None:
    worlds, logs = (heap(), heap()), ([], [])  # type: ignore[var-annotated]
    for world, log in zip(worlds, logs, strict=True):
        gate = world.create_static_body((0, 1)).create_shape(b2.Box(4, 1), sensor=True, sensor_events=True)
        for shape in world.shapes:
            shape.sensor_events = shape is not gate
        record_calls(world, log)
    for k in range(60):
        worlds[0].step()
        with worlds[1].staged_step() as step:
            step_through(step, k % 6)
        assert logs[0] == logs[1], k
        for name in ("contact_begin", "contact_end", "contact_hit", "sensor_begin", "sensor_end", "body_move"):
            rows = [getattr(world.events, name).as_array() for world in worlds]
            assert rows[0].tolist() == rows[1].tolist()
    assert {call[0] for call in logs[0]} >= {"contact_begin", "contact_hit", "presolve", "sensor_begin", "body_move"}


def test_an_exception_in_the_block_finishes_the_step_and_unlocks_the_world() -> None:
    for how in range(6):
        worlds = heap(), heap()
        for k in range(20):
            worlds[0].step()
            with pytest.raises(ZeroDivisionError), worlds[1].staged_step() as step:  # noqa: PT012
                step_through(step, how)
                1 / 0
            assert worlds[0].state_hash() == worlds[1].state_hash(), (how, k)
        worlds[1].create_dynamic_body()
        worlds[1].step()


def test_edits_before_an_exception_are_not_taken_over() -> None:
    worlds = heap(), heap()
    for k in range(20):
        worlds[0].step()
        with pytest.raises(ZeroDivisionError), worlds[1].staged_step() as step:  # noqa: PT012
            step.contacts["enabled"] = False
            if k % 2:
                step.contacts["enabled"] = True
                for _ in step.substeps():
                    step.linear_velocity += np.float32(1)
                    1 / 0
            1 / 0
        assert worlds[0].state_hash() == worlds[1].state_hash(), k


def test_the_exception_of_a_callback_is_raised_when_the_block_is_left() -> None:
    world, _ = ball_on_floor()
    world.on_contact_begin = lambda event: 1 / 0
    reached = False
    with pytest.raises(ZeroDivisionError), world.staged_step() as step:  # noqa: PT012
        step.collide()
        reached = True
    assert reached
    world.on_contact_begin = None
    world.step()


def test_the_exception_of_a_callback_is_not_raised_by_the_step_of_another_world() -> None:
    def fail(event: Any) -> None:
        raise RuntimeError("of the staged step")

    (world, _), (other, _) = ball_on_floor(), ball_on_floor()
    world.on_contact_begin = fail
    other.on_contact_begin = lambda event: None
    step = world.staged_step()
    with step:
        step.collide()
        other.step()
        with pytest.raises(RuntimeError, match="of the staged step"):
            step.finish()


def test_a_callback_at_the_end_of_the_step_cannot_finish_it_again() -> None:
    found: list[object] = []

    def move(event: Any) -> None:
        with pytest.raises(b2.WorldLockedError, match="runs around this call"):
            step.finish()
        found.append(event.body.position)

    world, _ = ball_on_floor()
    world.on_body_move = move
    with world.staged_step() as step:
        step.finish()
        assert len(found) == 1


def test_inside_the_block_reading_works_and_changes_wait_or_raise() -> None:
    world, ball = ball_on_floor()
    with world.staged_step() as step:
        step.collide()
        assert ball.position == (0, 0.5)
        assert len(world.contacts) == 1
        assert world.arrays.position.shape == (2, 2)
        assert world.ray_cast((0, 5), (0, -9)) is not None
        made = world.create_dynamic_body((5, 5))
        ball.shapes[0].destroy()
        assert len(world.bodies) == 2
        for change in (
            lambda: setattr(ball, "linear_velocity", (1, 0)),
            lambda: world.step(),
            lambda: world.close(),
            lambda: world.save(),
            lambda: world.clone(),
            lambda: world.staged_step().__enter__(),
            lambda: setattr(world, "gravity", (0, 0)),
        ):
            with pytest.raises(b2.WorldLockedError):
                change()  # type: ignore[no-untyped-call]
    assert made.alive
    assert made.position == (5, 5)
    assert len(ball.shapes) == 0
    world.validate()


def test_other_threads_are_refused_and_may_still_end_the_step() -> None:
    world, _ = ball_on_floor()
    errors: list[BaseException] = []

    def attempt(action: Callable[[], Any]) -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    def elsewhere(action: Callable[[], Any]) -> None:
        in_threads([partial(attempt, action)])

    step = world.staged_step()
    step.__enter__()
    for action in (world.step, step.collide, lambda: world.counters, world.staged_step().__enter__):
        elsewhere(action)
    assert [type(error) for error in errors] == [b2.WorldLockedError] * 4
    step.collide()
    elsewhere(lambda: step.__exit__(None, None, None))  # a generator may be closed by any thread
    step.__exit__(None, None, None)
    world.step()
    world.validate()


def test_a_step_that_is_never_left_ends_when_the_program_drops_it() -> None:
    world, _ = ball_on_floor()
    twin = world.clone()
    step = world.staged_step()
    step.__enter__()
    step.collide()
    with pytest.raises(b2.WorldLockedError, match="staged step that has not been left"):
        world.gravity = (0, 1)
    with pytest.warns(ResourceWarning, match="entered and never left"):
        del step
    twin.step()
    assert world.state_hash() == twin.state_hash()
    world.step()
    assert world.counters.steps == twin.counters.steps + 1
    world.validate()


def test_a_callback_cannot_run_a_part_of_the_step_that_calls_it() -> None:
    world, _ = ball_on_floor()
    seen: list[type[BaseException]] = []

    def attempt(event: b2.ContactBegin) -> None:
        for part in (step.collide, step.prepare, step.finish, lambda: step.__exit__(None, None, None)):
            try:
                part()
            except b2.Box2DError as error:
                seen.append(type(error))

    world.on_contact_begin = attempt
    with world.staged_step() as step:
        step.collide()
    assert seen == [b2.WorldLockedError] * 4
    world.step()


def test_a_second_loop_over_substeps_goes_on_where_the_first_one_is() -> None:
    with b2.World(gravity=(0, 0)) as world:
        ball = world.create_dynamic_body()
        ball.create_shape(b2.Circle(1))
        with world.staged_step(0.02, 4) as step:
            for k in step.substeps():
                step.linear_velocity[0] = (k + 1, 0)
                if k == 1:
                    break  # in the middle of the second substep
            assert list(step.substeps()) == [2, 3]
        assert ball.position.x == pytest.approx(0.02 / 4 * (1 + 2 + 2 + 2), rel=1e-5)
        with world.staged_step(0.02, 4) as step:
            for _ in step.substeps():
                step.linear_velocity[0] = (5, 0)
                assert list(step.substeps()) == [1, 2, 3]
                with pytest.raises(b2.Box2DError, match="in the loop over substeps"):
                    step.linear_velocity = (0, 0)
        assert ball.linear_velocity.x == pytest.approx(5)


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_staged_step_is_not_copied(function: Callable[[Any], Any]) -> None:
    """The copy would end the step of the original."""
    with b2.World() as world, world.staged_step() as step, pytest.raises(TypeError, match="cannot be copied"):
        function(step)


def test_velocities_take_numbers_only() -> None:
    with b2.World() as world:
        ball = world.create_dynamic_body()
        ball.create_shape(b2.Circle(1))
        with world.staged_step() as step:
            for _ in step.substeps():
                for wrong in (10**400, "5", None):
                    with pytest.raises(TypeError, match="real numbers"):
                        step.linear_velocity = wrong
                    with pytest.raises(TypeError, match="real numbers"):
                        step.angular_velocity = wrong


def test_parts_come_once_and_in_order() -> None:
    world, _ = ball_on_floor()
    step = world.staged_step()
    with pytest.raises(b2.Box2DError, match="context manager"):
        step.collide()
    with step:
        step.collide()
        with pytest.raises(b2.Box2DError, match="once"):
            step.collide()
        with pytest.raises(b2.Box2DError, match="in the loop"):
            step.linear_velocity
        contacts = step.contacts
        step.prepare()
        assert step.contacts is contacts
        with pytest.raises(ValueError, match="read-only"):
            contacts["friction"] = 1
        for call in (step.prepare, lambda: step.add_contacts(b2.new_contacts(1))):
            with pytest.raises(b2.Box2DError, match="before|once"):
                call()
        assert list(step.substeps()) == [0, 1, 2, 3]
        assert list(step.substeps()) == []
        step.finish()
        for call in (step.finish, step.prepare, lambda: step.world_center):
            with pytest.raises(b2.Box2DError):
                call()
    with pytest.raises(b2.Box2DError, match="once"), step:
        pass
    with world.staged_step() as other:
        other.prepare()
        with pytest.raises(b2.Box2DError, match="before prepare"):
            other.contacts


@pytest.mark.parametrize(("dt", "substeps"), [(-1, 4), (2, 4), (float("nan"), 4), (DT, 0), (DT, 65)])
def test_bad_lengths_raise_and_do_not_lock(dt: float, substeps: int) -> None:
    world, _ = ball_on_floor()
    before = world.state_hash()
    with pytest.raises(ValueError, match="dt|substeps"), world.staged_step(dt, substeps):
        pass
    with pytest.raises(TypeError, match="dt"):
        world.staged_step("x")  # type: ignore[arg-type]
    assert world.state_hash() == before
    world.step()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("friction", -1.0, "friction.*row 0"),
        ("friction", np.nan, "friction.*finite"),
        ("restitution", -0.1, "restitution"),
        ("tangent_speed", np.inf, "tangent_speed"),
        ("px", 5.0, "only friction"),
        ("contact", 7, "only friction"),
    ],
)
def test_bad_edits_of_contacts_change_nothing_and_can_be_mended(field: str, value: Any, message: str) -> None:
    worlds = ball_on_floor()[0], ball_on_floor()[0]
    for world in worlds:
        world.step()
    worlds[0].step()
    with worlds[1].staged_step() as step:
        right = step.contacts.copy()
        step.contacts[field] = value
        with pytest.raises(ValueError, match=message):
            step.prepare()
        step.contacts[:] = right
        step.prepare()
    assert worlds[0].state_hash() == worlds[1].state_hash()
    with pytest.raises(ValueError, match=message), worlds[1].staged_step() as step:
        step.contacts[field] = value
    worlds[0].step()
    assert worlds[0].state_hash() == worlds[1].state_hash()


@pytest.mark.parametrize("value", [np.nan, np.inf, 2e9])
def test_bad_velocities_change_nothing(value: float) -> None:
    worlds = heap(), heap()
    for k in range(10):
        worlds[0].step()
        with pytest.raises(ValueError, match=r"velocity.*body 3"), worlds[1].staged_step() as step:  # noqa: PT012
            for _ in step.substeps():
                step.linear_velocity[2] = (1, 1)
                (step.linear_velocity if k % 2 else step.angular_velocity)[3] = value
        assert worlds[0].state_hash() == worlds[1].state_hash(), k


def test_velocities_of_bodies_that_do_not_move_cannot_change() -> None:
    world, ball = ball_on_floor()
    ball.awake = False
    before = world.state_hash()
    for body in world.bodies:
        with pytest.raises(ValueError, match=f"body {body.index}"), world.staged_step() as step:  # noqa: PT012
            for _ in step.substeps():
                step.linear_velocity[body.index] = (1, 0)
    with world.staged_step() as step:
        for _ in step.substeps():
            step.linear_velocity += 0 * step.inverse_mass[:, None]
            assert not step.inverse_mass.any()
            assert not step.inverse_inertia.any()
    assert world.state_hash() == before


def test_a_recording_has_the_frames_of_staged_steps(tmp_path: Path) -> None:
    world, ball = ball_on_floor()
    heights = []
    with world.record(tmp_path / "staged.b2r"):
        for _ in range(20):
            with world.staged_step() as step:
                for _ in step.substeps():
                    step.linear_velocity[ball.index] = (0, 1)
            heights.append(ball.position.y)
    recording = b2.Recording(tmp_path / "staged.b2r")
    assert len(recording) == 21
    assert recording[20].position[ball.index, 1] == pytest.approx(heights[-1], abs=1e-3)


def test_a_changed_velocity_is_kept_and_not_repeated_by_the_warm_start() -> None:
    for substeps in (1, 4, 8):
        with b2.World(gravity=(0, 0)) as world:
            body = world.create_dynamic_body()
            body.create_shape(b2.Circle(0.5))
            turning = world.create_dynamic_body((5, 0))
            turning.create_shape(b2.Box(1, 0.1))
            with world.staged_step(DT, substeps) as step:
                for k in step.substeps():
                    if k == 0:
                        step.linear_velocity[body.index] += (3, 0)
                        step.angular_velocity[turning.index] = 2
            assert body.linear_velocity == (3, 0)
            assert turning.angular_velocity == 2
            assert body.position.x == pytest.approx(3 * DT)


def test_placement_follows_the_substeps() -> None:
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_dynamic_body((1, 2), angular_velocity=6, angle=0.5)
        body.create_shape(b2.Box(0.5, 0.5, center=(0.25, 0)))
        body.linear_velocity = (6, 0)
        start = body.world_center
        with world.staged_step(0.02, 2) as step:
            assert step.substep_dt == pytest.approx(0.01)
            for k in step.substeps():
                assert step.world_center[body.index] == pytest.approx((start.x + 0.06 * k, start.y), abs=1e-5)
                c, s = step.rotation[body.index]
                assert np.arctan2(s, c) == pytest.approx(0.5 + 0.06 * k, abs=1e-5)
        assert body.world_center.x == pytest.approx(start.x + 0.12, abs=1e-5)


def test_the_same_edits_give_the_same_bits_for_every_number_of_workers() -> None:
    hashes = set()
    for options in ({"workers": 1}, {"workers": 2}, {"workers": 3, "simd": "scalar"}, {"broadphase": "tree"}):
        with heap(**options) as world:
            for k in range(60):
                with world.staged_step() as step:
                    step.contacts["friction"] *= 0.5
                    step.contacts["enabled"] = step.contacts["contact"] % 9 != k % 9
                    for substep in step.substeps():
                        step.linear_velocity[1 + (k + substep) % 24] *= np.float32(0.9) * (step.inverse_mass[1] > 0)
            world.validate()
            hashes.add(world.state_hash())
    assert len(hashes) == 1


def test_a_connection_makes_bodies_sleep_and_wake_together() -> None:
    def islands_after(connect: bool) -> tuple[bool, bool, bool]:
        with b2.World() as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
            a, b = (world.create_dynamic_body((x, 0.5)) for x in (-5, 5))
            for body in (a, b):
                body.create_shape(b2.Box(0.5, 0.5))
            if connect:
                world.connect(a, b)
            for _ in range(200):
                b.apply_force((0, 1.0))  # wakes b
                world.step()
            a_was_awake = a.awake
            a.awake = b.awake = False
            a.awake = True
            world.validate()
            return a_was_awake, a.island == b.island, b.awake

    assert islands_after(connect=False) == (False, False, False)
    assert islands_after(connect=True) == (True, True, True)


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 0), (1 / 60, 65), (-1, 4), (math.nan, 4), (2, 4)])
def test_a_staged_step_checks_its_length_when_it_is_made(dt: float, substeps: int) -> None:
    with b2.World() as world:
        with pytest.raises(ValueError, match="out of range|finite"):
            world.staged_step(dt, substeps)
        world.step()


def test_a_staged_step_is_made_once() -> None:
    world, ball = ball_on_floor()
    with world, world.staged_step() as step:
        with pytest.raises(b2.Box2DError, match="once"):
            step.__init__(world, "x", 4)  # type: ignore[arg-type,misc]
        with pytest.raises(b2.Box2DError, match="once"):
            step.__init__(world, 0.1, 4)  # type: ignore[misc]
        step.finish()
        world.step()
        assert ball.position.y == pytest.approx(0.5, abs=0.01)


def test_a_staged_step_that_was_not_made_is_dropped_silently() -> None:
    errors: list[object] = []
    before, sys.unraisablehook = sys.unraisablehook, errors.append
    try:
        for make in (lambda: object.__new__(b2.StagedStep), lambda: b2.StagedStep.__new__(b2.StagedStep)):
            make()
            gc.collect()
    finally:
        sys.unraisablehook = before
    assert errors == []
