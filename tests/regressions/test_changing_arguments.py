"""Arguments that change while a call reads them: what is checked must be what is used."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers


def row_of_balls(world: b2.World, n: int) -> None:
    for k in range(n):
        world.create_dynamic_body((3 * k, 9)).create_shape(b2.Circle(0.4))


class Grows:
    """An index that lengthens a list when it is read."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __index__(self) -> int:
        self.items.extend(range(1, 300))
        return 0


class Lies(Sequence[Any]):
    """A sequence whose length is wrong."""

    def __init__(self, items: Sequence[Any], length: int) -> None:
        self.items, self.length = items, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, key: Any) -> Any:
        return self.items[key]


@pytest.fixture
def batch() -> Iterator[b2.WorldBatch]:
    with b2.World() as world:
        row_of_balls(world, 300)
        batch = b2.WorldBatch(world, 500)
    with batch:
        yield batch


def test_a_list_of_bodies_that_grows_while_it_is_read(batch: b2.WorldBatch) -> None:
    bodies: list[Any] = []
    bodies.append(Grows(bodies))
    batch.set(bodies, position=(1, 2))  # read beyond the values
    assert (batch.position[:, 0] == (1, 2)).all() and (batch.position[:, 1:, 1] == 9).all()


def test_sequences_whose_length_is_wrong(batch: b2.WorldBatch) -> None:
    batch.set(Lies(list(range(300)), 1), position=(0, 5))
    assert (batch.position == (0, 5)).all()
    states = batch.save(np.arange(500) < 2)
    with pytest.raises(ValueError, match="must have 500 states, not 2"):
        batch.restore(Lies(states, 500))
    with batch.extract(0) as world:
        assert len(b2.WorldBatch(Lies([world], 0), 3)) == 3
        with pytest.raises(ValueError, match="at least one world"):
            b2.WorldBatch(Lies([], 3), 3)
        bodies = list(world.bodies)
        assert not world.are_touching(Lies(bodies[:2], 1), Lies(bodies[2:4], 5)).any()


class Shifts:
    """A number that is another one each time it is read."""

    def __init__(self) -> None:
        self.reads = 0

    def __index__(self) -> int:
        self.reads += 1
        return 0 if self.reads == 1 else 50


def test_a_slice_of_bodies_whose_bounds_change() -> None:
    with b2.World() as world:
        bodies = world.create_bodies([(k, 0) for k in range(50)], geometry=b2.Circle(0.3))
        part = bodies[slice(Shifts(), None)]  # type: ignore[misc]
        assert len(part) == len(part.position) == len(part._generations)


@pytest.mark.parametrize("key", [np.array([[0, 1], [2, 3]]), None, np.zeros((2, 2), bool), np.zeros((4, 1), int)])
def test_an_index_with_two_dimensions_is_refused(key: Any) -> None:
    with b2.World() as world:
        bodies = world.create_bodies([(k, 0) for k in range(4)], geometry=b2.Circle(0.3))
        with pytest.raises(IndexError):
            bodies[key].position = (7, 7)
        assert bodies.position[:, 0].tolist() == [0, 1, 2, 3]
        assert bodies[..., 2].position == (2, 0)  # type: ignore[index]
        assert bodies[[1, 3]].position.tolist() == bodies[np.array([False, True, False, True])].position.tolist()


class Reshapes:
    """An array that has another shape each time it is asked for."""

    def __init__(self, *shapes: tuple[int, ...]) -> None:
        self.shapes = list(shapes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        shape = self.shapes.pop(0) if len(self.shapes) > 1 else self.shapes[0]
        return np.zeros(shape)


def test_rays_from_an_array_that_changes_its_shape() -> None:
    with b2.World() as world:
        row_of_balls(world, 2)
        with b2.WorldBatch(world, 1) as batch:
            with pytest.raises(ValueError, match="must have one shape"):
                batch.ray_casts(Reshapes((1, 0, 2), (1, 1, 2)), [(0, 20)] * 4)  # type: ignore[arg-type]
            assert batch.ray_casts([(0, 0)], [(0, 20)]).shape.tolist() == [[0]]


@pytest.mark.parametrize("name", ["force", "torque"])
def test_the_memory_that_a_batch_reads_cannot_be_freed(batch: b2.WorldBatch, name: str) -> None:
    array = getattr(batch, name)
    for each in (array, array.base):
        if isinstance(each, np.ndarray):
            with pytest.raises(ValueError, match="resize"):
                each.resize((1,), refcheck=False)
    batch.step()


def test_a_watch_cannot_be_freed_while_steps_write_it() -> None:
    with b2.World() as world:
        row_of_balls(world, 2)
        with b2.WorldBatch(world, 100) as batch:
            touching = batch.watch_touching([tuple(world.bodies)])
            with pytest.raises(ValueError, match="resize"):
                touching.resize((1,), refcheck=False)
            batch.step()


# ---- other threads

ROUNDS = 150


@contextmanager
def meanwhile(action: Callable[[], None]) -> Iterator[None]:
    """Another thread repeats an action. C runs without the GIL, so it goes on during a call."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            action()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def flips(column: Any, bad: Any) -> Callable[[], None]:
    good = column.copy()

    def flip() -> None:
        for _ in range(3):
            column[...] = bad
        column[...] = good
        for _ in range(100):  # so that many calls find nothing wrong when they look first
            time.sleep(0)

    return flip


class Pile:
    """3,000 balls side by side, and the arrays of a step."""

    def __init__(self) -> None:
        n = 3000
        self.bodies, self.colliders = buffers.new_bodies(n), buffers.new_colliders(n)
        self.bodies.masses["mass"] = 1
        self.bodies.poses["position"] = [(0.9 * (k % 60), 0.9 * (k // 60)) for k in range(n)]
        self.colliders["body"] = self.colliders["tag"] = np.arange(n)
        buffers.set_geometry(self.colliders, b2.Circle(0.5))
        self.lists = np.zeros(8 * n, buffers.CONTACT), np.zeros(8 * n, np.uint64), np.zeros(n, np.int32)
        self.arena = np.zeros(30_000_000, np.uint8)

    def collide(self) -> buffers.Found:
        return buffers.collide(self.bodies, self.colliders, *self.lists, self.arena)


@pytest.mark.parametrize(("name", "bad"), [("body", 2**30), ("count", 8), ("tag", 7), ("x", np.nan)])
def test_colliders_that_another_thread_changes(name: str, bad: float) -> None:
    pile = Pile()
    with meanwhile(flips(pile.colliders[name], bad)):
        for _ in range(ROUNDS):
            try:
                found = pile.collide()
            except ValueError:
                continue
            assert ((found.contacts["body_a"] >= 0) & (found.contacts["body_b"] < 3000)).all()
            assert np.isfinite(found.contacts["separation"][:, 0]).all()


@pytest.mark.parametrize(
    ("array", "name", "bad"),
    [("contacts", "body_a", 2**30), ("contacts", "tag", 1), ("contacts", "normal", np.nan), ("active", "", 2**30),
     ("masses", "mass", 0), ("tags", "", 1)],
)  # fmt: skip
def test_rows_of_a_simulation_that_another_thread_changes(array: str, name: str, bad: float) -> None:
    pile = Pile()
    found, cache = pile.collide(), buffers.new_cache(24_000)
    buffers.simulate(pile.bodies, found.active, found.contacts, found.sleeping, cache, pile.arena)
    rows = {"contacts": found.contacts, "active": found.active, "masses": pile.bodies.masses, "tags": cache.tags}[array]
    with meanwhile(flips(rows[name] if name else rows, bad)):
        for _ in range(ROUNDS):
            try:
                buffers.simulate(pile.bodies, found.active, found.contacts, found.sleeping, cache, pile.arena, dt=1e-6)
            except ValueError:
                continue
            assert np.isfinite(pile.bodies.poses["position"]).all()


def test_velocities_of_a_staged_step_that_another_thread_changes() -> None:
    rows = [np.zeros(2, np.float32)]

    def flip() -> None:
        row = rows[0]
        row[...] = np.nan
        row[...] = 0

    with b2.World(gravity=(0, 0)) as world:
        world.create_bodies([(2 * k, 0) for k in range(3000)], geometry=b2.Circle(0.5))
        with meanwhile(flip):
            for _ in range(ROUNDS):
                with world.staged_step(1e-4, 8) as step, suppress(ValueError):
                    for _ in step.substeps():
                        rows[0] = step.linear_velocity[-1]
        world.validate()


def test_forces_of_a_batch_that_another_thread_changes(batch: b2.WorldBatch) -> None:
    with meanwhile(flips(batch.force[-1, -1], np.nan)):
        for _ in range(ROUNDS // 5):  # each takes as long as many changes
            with suppress(ValueError):
                batch.step()
    assert not batch.invalid.any()
