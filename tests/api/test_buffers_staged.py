"""`box2dpy.buffers` in parts, with constraints of the program's own, and in threads."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers

from .buffer_scene import Scene, pyramid, same


def staged(scene: Scene, **options: Any) -> buffers.StagedSimulation:
    found = scene.collide()
    return buffers.StagedSimulation(
        scene.bodies, found.active, found.contacts, found.sleeping, scene.cache, **options
    )  # fmt: skip


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_step_in_parts_without_edits_is_simulate_to_the_bit(substeps: int) -> None:
    whole, parts = pyramid(6), pyramid(6)
    for scene in (whole, parts):
        scene.colliders["restitution"][5:9] = 0.6
        scene.colliders["rolling_resistance"][3] = 0.1
        scene.bodies.velocities["linear"][1:] = (0.3, -0.0)
    for number in range(60):
        whole.step(substeps=substeps)
        step = staged(parts, substeps=substeps)
        done = 0
        for substep in step.substeps():
            assert substep == done
            done += 1
            if number % 2:
                assert step.linear_velocity.shape == step.world_center.shape == step.rotation.shape
        assert done == substeps
        step.finish()
        assert same(whole.state(), parts.state())


def test_finish_does_the_rest_and_an_unfinished_step_changes_nothing() -> None:
    whole, parts = pyramid(4), pyramid(4)
    before = parts.state()
    step = staged(parts)
    for _ in step.substeps():
        step.linear_velocity = (9, 9)
    assert same(before, parts.state())
    del step
    for _ in range(20):
        whole.step()
        staged(parts).finish()
        step = staged(parts)
        for _ in step.substeps():
            break
        step.finish()
        whole.step()
    assert same(whole.state(), parts.state())
    with pytest.raises(RuntimeError, match="over"):
        step.finish()
    for read in ("linear_velocity", "angular_velocity", "world_center", "rotation"):
        with pytest.raises(RuntimeError, match="over"):
            getattr(step, read)
    with pytest.raises(RuntimeError, match="in the loop"):
        _ = staged(parts).linear_velocity


def test_a_rope_of_ones_own_in_buffers_swings_as_a_pendulum() -> None:
    """Less than 1 % off the length and the period of a mathematical pendulum."""
    length, angle = 2.0, 0.1
    scene = Scene([(50, 50), (length * np.sin(angle), -length * np.cos(angle))], [b2.Box(1, 1), b2.Circle(0.01)])
    h, crossings, before = 1 / 60 / 8, [], 1.0
    for number in range(600):
        scene.bodies.idle[:] = 0
        step = staged(scene, substeps=8)
        for _ in step.substeps():
            offset = step.world_center[0]
            distance = np.hypot(*offset)
            direction = offset / distance
            speed = step.linear_velocity[0] @ direction
            step.linear_velocity[0] -= (speed + 0.2 * (distance - length) / h) * direction
        step.finish()
        x, y = scene.bodies.poses["position"][1]
        assert np.hypot(x, y) == pytest.approx(length, rel=0.01)
        if before < 0 <= x:
            crossings.append(number - x / (x - before))
        before = x
    assert np.diff(crossings).mean() / 60 == pytest.approx(2 * np.pi * np.sqrt(length / 10), rel=0.01)


def test_bad_velocities_in_a_step_are_refused_and_its_lists_are_its_own() -> None:
    scene, calm = pyramid(4), pyramid(4)
    found = scene.collide()
    lists = [found.active.copy(), found.contacts.copy(), found.sleeping.copy()]
    step = buffers.StagedSimulation(scene.bodies, *lists, scene.cache)
    for array in lists:
        array.view(np.uint8)[:] = 0x7F
    substeps = step.substeps()
    assert next(substeps) == 0
    for name in ("linear_velocity", "angular_velocity"):
        with pytest.raises(TypeError, match="real numbers"):
            setattr(step, name, 10**400)
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(step)
    step.linear_velocity[3, 0] = np.nan
    with pytest.raises(ValueError, match=r"linear_velocities\[3\].*not finite"):
        next(substeps)
    step.finish()
    calm.step()
    assert same(scene.state(), calm.state())
    with pytest.raises(ValueError, match="substeps"):
        staged(scene, substeps=0)
    found = scene.collide()
    with pytest.raises(buffers.CapacityError, match=r"cache\.tags"):
        buffers.StagedSimulation(scene.bodies, found.active, found.contacts, found.sleeping, buffers.new_cache(1))
    wrong: Any = [0]
    with pytest.raises(TypeError, match="active"):
        buffers.StagedSimulation(scene.bodies, wrong, found.contacts, found.sleeping, scene.cache)


def written_arrays(scene: Scene) -> dict[str, np.ndarray]:
    bodies, cache = scene.bodies, scene.cache
    return {**bodies._asdict(), "cache.tags": cache.tags, "cache.impulses": cache.impulses}


@pytest.mark.parametrize("moment", [0, 3, 8])
@pytest.mark.parametrize("name", ["poses", "masses", "velocities", "idle", "cache.tags", "cache.impulses"])
def test_arrays_that_change_their_size_during_a_step_are_refused(name: str, moment: int) -> None:
    """The memory of the array at the beginning of the step may have been freed."""
    scene, whole = pyramid(4), pyramid(4)
    step, count, substeps = staged(scene), moment, None
    array = written_arrays(scene)[name]
    kept = array.copy()
    for rows in (1, 50 * len(array)):
        array.resize(rows, refcheck=False)
        substeps = substeps or step.substeps()
        for _ in itertools.islice(substeps, count):
            assert len(step.world_center) == len(scene.bodies.poses) - 1 or name == "poses"
        count = 0
        before = scene.state()
        with pytest.raises(ValueError, match="rows"):
            step.finish()
        assert same(before, scene.state())
    array.resize(len(kept), refcheck=False)
    array[:] = kept
    if name != "masses":
        array.setflags(write=False)
        with pytest.raises(ValueError, match="read-only"):
            step.finish()
        array.setflags(write=True)
    step.finish()
    whole.step()
    assert same(scene.state(), whole.state())


def test_a_step_takes_no_notice_of_what_is_written_into_its_arrays() -> None:
    scene, whole = pyramid(4), pyramid(4)
    for part in (scene, whole):
        part.step(10)
    step, before = staged(scene), scene.state()
    for _ in step.substeps():
        for name, array in written_arrays(scene).items():
            array.view(np.uint8)[:] = 0x7F if name != "idle" else before["idle"]
    step.finish()
    whole.step()
    assert np.array_equal(scene.bodies.poses[1:], whole.bodies.poses[1:])  # that of the ground is not written
    assert np.array_equal(scene.bodies.velocities[1:], whole.bodies.velocities[1:])
    assert np.array_equal(scene.bodies.idle, whole.bodies.idle)


class Shrinking:
    """A number, or a pair of them, that shortens arrays when it is read."""

    def __init__(self, arrays: list[np.ndarray], value: float) -> None:
        self.arrays, self.value = arrays, value

    def shrink(self) -> None:
        for array in self.arrays:
            array.resize(1, refcheck=False)

    def __float__(self) -> float:
        self.shrink()
        return self.value

    def __index__(self) -> int:
        self.shrink()
        return int(self.value)

    def __iter__(self) -> Any:
        self.shrink()
        return iter((0.0, self.value))


@pytest.mark.parametrize("name", ["dt", "substeps", "gravity", "idle_speed", "idle_limit"])
def test_arguments_that_resize_arrays_when_they_are_read_do_no_harm(name: str) -> None:
    """All arrays become short together, so their lengths agree; indices of bodies are then out of range."""
    scene = pyramid(40)
    found = scene.collide()
    lists = [np.array(each) for each in (found.active, found.contacts, found.sleeping)]
    arrays_of_bodies = list(scene.bodies)
    option = {name: Shrinking(arrays_of_bodies, 0.1 if name in ("dt", "idle_speed") else 9)}
    calls = {
        "idle_limit": scene.collide,
        "": partial(buffers.simulate, scene.bodies, lists[0], lists[1], lists[2], scene.cache, scene.arena),
    }
    call: Callable[..., object] = calls.get(name, calls[""])
    with pytest.raises(ValueError, match="must exist|no such body|of no body"):
        call(**option)


class Boastful(np.ndarray):
    """It says that it has more rows than there are."""

    def __len__(self) -> int:
        return 10**6


def test_a_subclass_of_arrays_counts_by_its_memory() -> None:
    scene, plain = pyramid(4), pyramid(4)
    for _ in range(3):
        plain.step()
        found = scene.collide()
        lists = [each.view(Boastful) for each in (found.active, found.contacts, found.sleeping)]
        boastful = buffers.Bodies(*(each.view(Boastful) for each in scene.bodies))
        buffers.simulate(boastful, lists[0], lists[1], lists[2], scene.cache, scene.arena.view(Boastful))
    assert same(scene.state(), plain.state())


def test_independent_subsets_are_simulated_apart_and_by_threads_with_the_same_bits() -> None:
    """Piles that share no moving body, all in one call, and each by a call of its own in some thread."""

    def pile(x: float, height: int) -> tuple[list[tuple[float, float]], list[b2.Geometry]]:
        boxes: list[b2.Geometry] = [b2.Box(4, 1), *(b2.Box(0.5, 0.5) for _ in range(height))]
        return [(x, -1.0), *((x + 0.05 * k, 0.5 + 1.02 * k) for k in range(height))], boxes

    parts = [pile(20.0 * k, 3 + k) for k in range(6)]
    apart = [Scene(at, boxes) for at, boxes in parts]
    heights = [len(boxes) for _, boxes in parts]
    together = Scene([each for at, _ in parts for each in at], [each for _, boxes in parts for each in boxes], still=0)
    together.bodies.masses[np.cumsum([0, *heights[:-1]])] = 0  # the floors
    with ThreadPoolExecutor(3) as threads:
        for _ in range(40):
            together.step()
            list(threads.map(Scene.step, apart))
    for name in ("poses", "velocities"):
        whole = np.concatenate([getattr(each.bodies, name) for each in apart])
        assert getattr(together.bodies, name).tobytes() == whole.tobytes(), name
    assert np.abs(whole["linear"]).max() > 0
