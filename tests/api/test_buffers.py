"""`box2dpy.buffers`: collision and simulation on arrays of the caller's."""

from __future__ import annotations

import copy
import itertools
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers
from box2dpy._bridge.library import ffi

from ..patience import PATIENCE
from ..seeds import arrays

ROOT = Path(__file__).resolve().parents[2]


class Scene:
    """The arrays of one simulation, and nothing else."""

    def __init__(self, positions: Any, geometries: list[b2.Geometry], still: int = 1) -> None:
        n = len(geometries)
        self.bodies = buffers.new_bodies(n)
        self.colliders = buffers.new_colliders(n)
        self.bodies.poses["position"] = positions
        self.colliders["body"] = self.colliders["tag"] = np.arange(n)
        for k, geometry in enumerate(geometries):
            buffers.set_geometry(self.colliders[k : k + 1], geometry)
            if k >= still:
                mass = geometry.mass_data(1.0)
                self.bodies.masses[k] = (mass.mass, mass.inertia, 1, 0, 0)
                self.bodies.poses["local_center"][k] = mass.center
        self.cache = buffers.new_cache(8 * n + 16)
        self.connections: Any = None
        self.make_room(n)

    def make_room(self, n: int) -> None:
        self.contacts = np.zeros(8 * n + 16, buffers.CONTACT)
        self.sleeping = np.zeros(8 * n + 16, np.uint64)
        self.active = np.zeros(n + 16, np.int32)
        self.arena = np.zeros(6000 * n + 60000, np.uint8)

    def collide(self, **options: Any) -> buffers.Found:
        return buffers.collide(
            self.bodies, self.colliders, self.contacts, self.sleeping, self.active, self.arena,
            connections=self.connections, **options,
        )  # fmt: skip

    def step(self, count: int = 1, **options: Any) -> buffers.Found:
        for _ in range(count):
            found = self.collide()
            buffers.simulate(
                self.bodies, found.active, found.contacts, found.sleeping, self.cache, self.arena, **options
            )
        return found

    def state(self) -> dict[str, np.ndarray]:
        """Copies of all arrays that a later step depends on."""
        return {
            **{name: array.copy() for name, array in self.bodies._asdict().items()},
            "colliders": self.colliders.copy(), "tags": self.cache.tags.copy(), "impulses": self.cache.impulses.copy(),
        }  # fmt: skip

    def load(self, state: Any) -> None:
        self.bodies = buffers.Bodies(*(np.array(state[name]) for name in buffers.Bodies._fields))
        self.colliders = np.array(state["colliders"])
        self.cache = buffers.Cache(np.array(state["tags"]), np.array(state["impulses"]))


def pyramid(rows: int) -> Scene:
    places = [(0.0, -1.0)]
    places += [((k - (rows - row) / 2) * 1.05, 0.5 + row) for row in range(rows) for k in range(rows - row)]
    return Scene(places, [b2.Box(100, 1)] + [b2.Box(0.5, 0.5)] * (len(places) - 1))


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(a[name].view(np.uint8), b[name].view(np.uint8)) for name in a)


# -- the state is the arrays


def test_copies_of_the_arrays_continue_bit_equal() -> None:
    first, second = pyramid(8), pyramid(1)
    first.step(20)
    second.load(first.state())
    second.make_room(len(second.colliders))
    second.arena[:] = 0xAB  # what lies in the arena means nothing
    first.step(40)
    second.step(40)
    assert same(first.state(), second.state())


def test_a_new_process_continues_from_an_npz_bit_equal(tmp_path: Path) -> None:
    scene = pyramid(6)
    scene.step(25)
    np.savez(tmp_path / "state.npz", **scene.state())
    scene.step(30)
    program = (
        "import sys, numpy as np; sys.path.insert(0, sys.argv[1])\n"
        "from tests.api.test_buffers import pyramid\n"
        "scene = pyramid(6); scene.load(np.load('state.npz')); scene.step(30); np.savez('after.npz', **scene.state())"
    )
    subprocess.run([sys.executable, "-c", program, str(ROOT)], cwd=tmp_path, check=True, timeout=PATIENCE)
    with np.load(tmp_path / "after.npz") as after:
        assert same(scene.state(), dict(after))


@pytest.mark.parametrize(
    ("rows", "options", "apart"),
    [(10, {"contact_recycle": 0, "schedule": "slots"}, 1e-6), (5, {"contact_recycle": 0}, 1e-6), (5, {}, 1e-3)],
)
def test_a_pyramid_rests_where_that_of_a_world_does(rows: int, options: dict[str, Any], apart: float) -> None:
    """A world with the same order of contacts and without recycling does nearly the same. Other orders are further
    apart, as the orders of a world are from each other."""
    scene = pyramid(rows)
    with b2.World(gravity=(0, -10), sleeping=False, **options) as world:
        for k, place in enumerate(scene.bodies.poses["position"].tolist()):
            if k == 0:
                world.create_static_body(place).create_shape(b2.Box(100, 1))
            else:
                world.create_dynamic_body(place).create_shape(b2.Box(0.5, 0.5), density=1.0)
        scene.step(120, idle_speed=0)  # a world has other conditions for sleep
        for _ in range(120):
            world.step(1 / 60, substeps=4)
        poses = np.array([body.position for body in world.bodies])
        assert np.abs(poses - scene.bodies.poses["position"]).max() < apart
        world.sleeping = True
        scene.step(120)
        for _ in range(120):
            world.step(1 / 60, substeps=4)
        assert world.counters.awake_bodies == 0
        assert len(scene.collide().active) == 0


def test_a_body_falls_and_turns_as_by_newton() -> None:
    scene = Scene([(0, 0), (0, 500)], [b2.Circle(1), b2.Polygon([(0, 0), (1, 0), (0, 1)])])
    scene.bodies.velocities[1] = ((3, 0), 2)
    start = np.array((1 / 3, 1 / 3 + 500))
    scene.step(60, gravity=(0, -10))
    x, y = scene.bodies.poses["position"][1]
    c, s = scene.bodies.poses["rotation"][1]
    lx, ly = scene.bodies.poses["local_center"][1]
    assert (x + c * lx - s * ly, y + s * lx + c * ly) == pytest.approx(
        (start[0] + 3, start[1] - 0.5 * 10 * (1 + 1 / 240)), abs=1e-3
    )
    assert np.arctan2(s, c) == pytest.approx(2, abs=1e-3)


# -- the contacts


SHAPES = [b2.Circle(0.4), b2.Capsule((-0.3, 0), (0.3, 0.1), 0.2), b2.Box(0.4, 0.3), b2.Box(0.3, 0.3, radius=0.1),
          b2.Polygon([(0.5, 0), (0.25, 0.4), (-0.25, 0.4), (-0.5, 0), (-0.25, -0.4), (0.25, -0.4)])]  # fmt: skip


def test_contacts_are_those_of_all_pairs() -> None:
    rng = arrays(4)
    n = 150
    geometries = [b2.Box(30, 0.5)] + [SHAPES[k % len(SHAPES)] for k in range(n)]
    scene = Scene(np.vstack([(0, 0), rng.uniform(-4, 4, (n, 2))]), geometries)
    angles = rng.uniform(-3, 3, n + 1)
    scene.bodies.poses["rotation"] = np.stack([np.cos(angles), np.sin(angles)], 1)
    found = scene.collide()
    pairs = list(itertools.combinations(range(n + 1), 2))
    a, b = np.array(pairs).T
    poses = scene.bodies.poses["position"]
    turned = np.arctan2(scene.bodies.poses["rotation"][:, 1], scene.bodies.poses["rotation"][:, 0])
    reference = b2.manifolds(
        [geometries[k] for k in a], [geometries[k] for k in b], poses[b], turned[b], positions_a=poses[a],
        angles_a=turned[a], speculative_distance=0.02,
    )  # fmt: skip
    deepest = np.where(reference["count"] == 2, reference["separation"].min(1), reference["separation"][:, 0])
    touching = {
        (int(i) << 32 | int(j)): depth
        for i, j, count, depth in zip(a, b, reference["count"], deepest, strict=True)
        if count
    }
    rows = {int(row["tag"]): row for row in found.contacts}
    # A pair at the very limit of the speculative distance may differ by rounding
    differ = {tag for tag in rows.keys() ^ touching.keys() if abs(touching.get(tag, 0.02) - 0.02) > 1e-4}
    assert len(rows) > 200
    assert not differ
    for tag in rows.keys() & touching.keys():
        assert rows[tag]["separation"][rows[tag]["feature"] != 0xFFFF].min() == pytest.approx(touching[tag], abs=1e-4)


def test_results_do_not_depend_on_the_order_of_rows() -> None:
    first, second = pyramid(6), pyramid(6)
    rng = arrays(1)
    n = len(first.colliders)
    places, order = rng.permutation(n), rng.permutation(n)  # of the bodies, of the colliders
    for mine, theirs in zip(second.bodies, first.bodies, strict=True):
        mine[places] = theirs
    second.colliders["body"] = places
    second.colliders = second.colliders[order].copy()
    first.step(50)
    second.step(50)
    assert np.array_equal(first.bodies.poses, second.bodies.poses[places])
    assert np.array_equal(first.cache.tags, second.cache.tags)


def test_a_heavier_body_falls_on_a_lighter_one() -> None:
    """Impacts of 1.5 to 5 masses ask for the joints of the heavier body, and there are none here."""
    boxes = [b2.Box(10, 0.5), b2.Box(0.5, 0.5), b2.Box(0.8, 0.8), b2.Box(0.5, 0.5), b2.Box(0.9, 0.9)]
    scene = Scene([(0, -0.5), (0, 0.5), (0.3, 2.4), (4, 0.6), (3.5, 3.2)], boxes)
    scene.bodies.velocities["linear"][1:] = (0, -4)
    scene.step(240)
    assert np.isfinite(scene.bodies.poses["position"]).all()
    assert (np.abs(scene.bodies.velocities["linear"][1:]) < 0.1).all()


def test_contacts_can_be_left_out_and_added() -> None:
    scene = Scene([(0, -1), (-3, 0.5), (3, 0.5)], [b2.Box(20, 1), b2.Box(0.5, 0.5), b2.Box(0.5, 0.5)])
    mine = buffers.new_contacts(1)  # body 1 stands on a plane of the program's own, which the static body carries
    for _ in range(90):
        found = scene.collide()
        mine["body_a"], mine["body_b"], mine["normal"] = 0, 1, (0, 1)
        mine["lever"][0, 0] = (-3, 1)
        mine["separation"][0, 0] = scene.bodies.poses["position"][1, 1] - 0.5
        rows = np.concatenate([mine[: int(1 in found.active)], found.contacts[:0]])
        buffers.simulate(scene.bodies, found.active, rows, found.sleeping[:0], scene.cache, scene.arena)
    assert scene.bodies.poses["position"][1, 1] == pytest.approx(0.5, abs=0.01)
    assert scene.bodies.poses["position"][2, 1] < -5, "a contact that is left out holds nothing"


def test_a_contact_may_name_its_sides_in_any_order() -> None:
    ends = []
    for exchanged in (False, True):
        scene = pyramid(4)
        for _ in range(60):
            found = scene.collide()
            rows = found.contacts.copy()
            if exchanged:
                poses = scene.bodies.poses["position"]
                rows["body_a"], rows["body_b"] = found.contacts["body_b"], found.contacts["body_a"]
                rows["normal"] = -rows["normal"]
                rows["lever"] += (poses[rows["body_b"]] - poses[rows["body_a"]])[:, None]
            buffers.simulate(scene.bodies, found.active, rows, found.sleeping, scene.cache, scene.arena)
        ends.append(scene.bodies.poses["position"].copy())
    assert np.abs(ends[0] - ends[1]).max() < 1e-3


@pytest.mark.parametrize("restitution", [0.3, 0.5, 1.0])
def test_a_ball_bounces(restitution: float) -> None:
    scene = Scene([(0, -1), (0, 2.5)], [b2.Box(20, 1), b2.Circle(0.5)])
    scene.colliders["restitution"] = restitution
    heights, rising = [], False
    for _ in range(200):
        scene.step()
        rising = rising or scene.bodies.velocities["linear"][1, 1] > 0.1
        heights.append(scene.bodies.poses["position"][1, 1] - 0.5 if rising else 0.0)
    assert max(heights) == pytest.approx(2 * restitution**2, rel=0.1)


def test_conveyors_and_rolling_resistance_act() -> None:
    scene = Scene([(0, -1), (-5, 0.5), (5, 0.5)], [b2.Box(20, 1), b2.Box(0.5, 0.5), b2.Circle(0.5)])
    scene.colliders["tangent_speed"][1] = 2
    scene.colliders["rolling_resistance"][2] = 0.05
    scene.bodies.velocities["linear"][2, 0] = 3
    scene.step(120)
    assert abs(scene.bodies.velocities["linear"][1, 0]) == pytest.approx(2, abs=0.05)
    assert 0.2 < scene.bodies.velocities["linear"][2, 0] < 1.8


# -- rows as in C, appended and deleted by assignments


@pytest.mark.parametrize(
    ("struct", "dtype"),
    [
        ("b2d_buffer_pose", buffers.POSE), ("b2d_buffer_mass", buffers.MASS),
        ("b2d_buffer_velocity", buffers.VELOCITY), ("b2d_buffer_collider", buffers.COLLIDER),
        ("b2d_buffer_contact", buffers.CONTACT), ("b2d_buffer_impulse", buffers.IMPULSE),
    ],
)  # fmt: skip
def test_rows_lie_in_memory_as_in_c(struct: str, dtype: np.dtype[Any]) -> None:
    """Every byte belongs to a field that begins where one of C begins: numpy drops padding when it joins arrays."""
    kind = ffi.typeof(struct)
    starts = {info.offset for _, info in kind.fields}
    fields = sorted((offset, each.itemsize) for each, offset in (entry[:2] for entry in dtype.fields.values()))
    assert dtype.itemsize == ffi.sizeof(kind)
    assert {offset for offset, _ in fields} <= starts
    assert [start + size for start, size in fields[:-1]] == [start for start, _ in fields[1:]]
    assert sum(fields[-1]) == dtype.itemsize


def test_bodies_are_deleted_by_a_swap_and_appended_by_an_assignment() -> None:
    scene = pyramid(5)
    scene.step(30)
    last = len(scene.colliders) - 1
    for array in scene.bodies:
        array[1] = array[last]
    scene.colliders["tag"][1] = scene.colliders["tag"][last]  # the collider goes with its body
    scene.bodies = buffers.Bodies(*(array[:last] for array in scene.bodies))
    scene.colliders = scene.colliders[:last]
    scene.step(60)
    more = buffers.new_bodies(20)
    more.poses["position"] = np.stack([np.arange(20) * 1.1 - 40, np.full(20, 3.0)], 1)
    more.masses[:] = scene.bodies.masses[1]
    scene.bodies = buffers.Bodies(*(np.concatenate(pair) for pair in zip(scene.bodies, more, strict=True)))
    colliders = buffers.new_colliders(20)
    buffers.set_geometry(colliders, b2.Circle(0.5))
    colliders["body"], colliders["tag"] = last + np.arange(20), 1000 + np.arange(20)
    scene.colliders = np.concatenate([scene.colliders, colliders])
    scene.make_room(len(scene.colliders))
    scene.step(120)
    heights = scene.bodies.poses["position"][1:, 1]
    assert heights[-20:] == pytest.approx(0.5, abs=0.02)
    assert heights.min() > 0.45


# -- no memory but the caller's


def test_no_call_takes_memory() -> None:
    scene = pyramid(20)
    scene.step(2)
    tracemalloc.start()
    try:
        scene.step(20)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        scene.step(20)
        used = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert used < 20000, "numpy counts its arrays there; those of this scene have 100 kB and more"
    taking = re.compile(r"\b(malloc|calloc|realloc|b2d_allocate|b2d_grow|B2D_GROW|b2d_pool_take)\b")
    for path in (ROOT / "csrc" / "buffers").iterdir():
        assert not taking.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("call", ["collide", "simulate"])
def test_an_arena_that_is_too_small_says_what_is_needed(call: str) -> None:
    scene = pyramid(10)
    scene.step(5)
    found = scene.collide()
    lists = found.contacts.copy(), found.sleeping.copy()
    before, sizes = scene.state(), []
    scene.arena = np.zeros(0, np.uint8)
    while len(sizes) < 8:
        try:
            if call == "collide":
                scene.collide()
            else:
                buffers.simulate(scene.bodies, found.active, *lists, scene.cache, scene.arena)
            break
        except buffers.CapacityError as error:
            assert error.array == "arena"
            assert str(error.needed) in str(error)
            assert error.needed > len(scene.arena)
            assert same(before, scene.state())
            assert np.array_equal(lists[0], scene.contacts[: len(lists[0])])
            sizes.append(error.needed)
            scene.arena = np.zeros(error.needed, np.uint8)
    assert 2 <= len(sizes) <= 5, "each part of the call says once what it needs"


@pytest.mark.parametrize("name", ["contacts", "sleeping", "active"])
def test_lists_that_are_too_short_say_what_is_needed(name: str) -> None:
    scene = pyramid(6)
    scene.step(2)
    if name == "sleeping":
        scene.bodies.idle[:] = 255
    needed = len(getattr(scene.collide(), name))
    assert needed > 5
    setattr(scene, name, getattr(scene, name)[: needed - 1])
    before = scene.state()
    with pytest.raises(buffers.CapacityError, match=f"{name} has too little room: {needed} rows") as error:
        scene.collide()
    assert error.value.needed == needed
    assert same(before, scene.state())


def test_a_cache_that_is_too_short_says_what_is_needed() -> None:
    scene = pyramid(6)
    needed = len(scene.collide().contacts)
    scene.cache = buffers.new_cache(needed - 1)
    before = scene.state()
    with pytest.raises(buffers.CapacityError, match=f"cache.tags has too little room: {needed} rows"):
        scene.step()
    assert same(before, scene.state())
    scene.cache = buffers.new_cache(needed)
    scene.step()
    assert scene.cache.tags.max() < buffers.NO_TAG


# -- tags of the user


def test_a_new_tag_drops_warm_starting_for_that_collider_only() -> None:
    scene = pyramid(5)
    scene.step(25)
    tags = scene.cache.tags[scene.cache.tags != buffers.NO_TAG]
    scene.colliders["tag"][7] = 70000
    found = scene.collide()
    of_seven = (found.contacts["body_a"] == 7) | (found.contacts["body_b"] == 7)
    assert of_seven.sum() > 2
    assert np.array_equal(np.isin(found.contacts["tag"], tags), ~of_seven)
    quiet, jolted = scene.state(), pyramid(1)
    jolted.load(quiet)
    jolted.make_room(len(jolted.colliders))
    scene.colliders["tag"][7] = 7
    scene.step()
    jolted.step()
    calm, shaken = (np.abs(each.bodies.velocities["linear"]).sum(1) for each in (scene, jolted))
    assert calm.max() < 0.01
    assert shaken[7] > 3 * calm[7] + 1e-4


# -- rest


def test_a_pile_at_rest_costs_no_narrow_phase_and_keeps_its_impulses() -> None:
    scene = pyramid(8)
    scene.step(200)
    before = scene.state()
    found = scene.step()
    assert (len(found.active), len(found.contacts), found.narrow_pairs) == (0, 0, 0)
    assert found.broad_pairs > 60
    assert same(before, scene.state()), "nothing moves, and the cache keeps what it has"
    scene.step(100)
    assert same(before, scene.state())


def test_a_pile_that_wakes_continues_as_if_it_had_never_rested() -> None:
    rested, awake = pyramid(6), pyramid(6)
    while len((found := rested.collide()).active):
        rested.step()
        awake.step()
    assert len(found.sleeping) > 30
    rested.step(50)
    for scene in (rested, awake):
        scene.bodies.idle[:] = 0
        scene.step(20)
    assert same(rested.state(), awake.state())


def test_waking_restores_the_impulses() -> None:
    scene = pyramid(8)
    scene.step(200)
    before = scene.bodies.velocities["linear"].copy()
    scene.bodies.idle[3] = 0
    found = scene.step()
    assert len(found.active) == len(scene.colliders) - 1, "the whole island wakes"
    assert np.abs(scene.bodies.velocities["linear"] - before).max() < 1e-3


def test_a_cleared_counter_keeps_a_body_active() -> None:
    scene = Scene([(0, -1), (-5, 0.5), (5, 0.5)], [b2.Box(20, 1), b2.Box(0.5, 0.5), b2.Box(0.5, 0.5)])
    for _ in range(120):
        scene.bodies.idle[2] = 0
        found = scene.step()
    assert found.active.tolist() == [2]
    assert scene.bodies.idle[1] >= 30


def test_an_island_near_an_awake_one_rests_after_the_narrow_phase() -> None:
    """The boxes of the ball and of a turned box overlap, but they do not touch."""
    scene = Scene([(0, -1), (0, 0.5), (0.9, 1.2)], [b2.Box(20, 1), b2.Circle(0.5), b2.Box(0.3, 0.3)])
    scene.bodies.poses["rotation"][2] = (np.cos(np.pi / 4), np.sin(np.pi / 4))
    scene.bodies.idle[1] = 255
    found = scene.collide()
    assert found.active.tolist() == [2]
    assert found.narrow_pairs > 0
    assert len(found.contacts) == 0
    assert (0 << 32 | 1) in found.sleeping.tolist()


def test_a_moving_body_without_mass_carries_and_wakes() -> None:
    scene = Scene([(0, -1), (0, 0.5)], [b2.Box(20, 1), b2.Box(0.5, 0.5)])
    scene.step(120)
    assert len(scene.collide().active) == 0
    scene.bodies.velocities["linear"][0] = (1, 0)
    found = scene.step(60)
    assert found.active.tolist() == [0, 1]
    assert scene.bodies.poses["position"][0] == pytest.approx((1, -1), abs=1e-5)
    assert scene.bodies.poses["position"][1, 0] == pytest.approx(1, abs=0.1)


def test_connected_bodies_rest_together() -> None:
    for connected in (False, True):
        scene = Scene([(0, -1), (-5, 0.5), (5, 0.5)], [b2.Box(20, 1), b2.Box(0.5, 0.5), b2.Box(0.5, 0.5)])
        scene.connections = np.array([(1, 2)], np.int32) if connected else None
        scene.step(120)
        scene.bodies.idle[1] = 0
        assert scene.collide().active.tolist() == ([1, 2] if connected else [1])


# -- bad input


def edited(name: str, field: str, value: Any, row: int = 2) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        array = getattr(scene.bodies, name, None)
        if array is None:
            array = scene.colliders if name == "colliders" else getattr(scene, name)
        array[field][row] = value

    return edit


def replaced(name: str, change: Callable[[Any], Any]) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        if name in buffers.Bodies._fields:
            scene.bodies = scene.bodies._replace(**{name: change(getattr(scene.bodies, name))})
        else:
            setattr(scene, name, change(getattr(scene, name)))

    return edit


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def shared(scene: Scene) -> None:
    memory = np.zeros(4096, np.uint8)
    scene.sleeping, scene.active = memory[:800].view(np.uint64), memory[792:992].view(np.int32)


BAD_COLLIDE: list[tuple[str, Callable[[Scene], None], type[Exception], str]] = [
    ("position", edited("poses", "position", (np.nan, 0)), ValueError, r"poses\[2\]: the position must be finite"),
    ("rotation", edited("poses", "rotation", (1, 1)), ValueError, r"poses\[2\]: the rotation must be a cosine"),
    ("center", edited("poses", "local_center", (np.inf, 0)), ValueError, r"poses\[2\]: the local centre"),
    ("mass", edited("masses", "mass", -1), ValueError, r"masses\[2\]: the mass must be 0"),
    ("inertia", edited("masses", "inertia", np.nan), ValueError, r"masses\[2\]: the inertia"),
    ("scale", edited("masses", "gravity_scale", np.inf), ValueError, r"masses\[2\]: the gravity scale"),
    ("damping", edited("masses", "linear_damping", -1), ValueError, r"masses\[2\]: dampings"),
    ("velocity", edited("velocities", "angular", np.nan), ValueError, r"velocities\[2\]: the velocity"),
    ("body", edited("colliders", "body", 99), ValueError, r"colliders\[2\]: there is no such body"),
    ("tag", edited("colliders", "tag", 1), ValueError, r"colliders\[2\]: another collider has its tag"),
    ("count", edited("colliders", "count", 9), ValueError, r"colliders\[2\]: the count of vertices"),
    ("radius", edited("colliders", "radius", np.nan), ValueError, r"colliders\[2\]: the radius"),
    ("vertex", edited("colliders", "x", np.nan), ValueError, r"colliders\[2\]: vertices must be finite"),
    ("order", edited("colliders", "x", [1, -1, -1, 1, 0, 0, 0, 0]), ValueError, "vertices must be convex"),
    ("point", edited("colliders", "count", 1), ValueError, r"colliders\[2\]: circles and capsules need a radius"),
    ("friction", edited("colliders", "friction", -1), ValueError, r"colliders\[2\]: the friction"),
    ("bounce", edited("colliders", "restitution", np.nan), ValueError, r"colliders\[2\]: the restitution"),
    ("rolling", edited("colliders", "rolling_resistance", -1), ValueError, r"colliders\[2\]: the rolling"),
    ("belt", edited("colliders", "tangent_speed", np.inf), ValueError, r"colliders\[2\]: the tangent speed"),
    ("dtype", replaced("poses", lambda a: a["position"].copy()), TypeError, "poses must be an array of"),
    ("list", replaced("idle", lambda a: a.tolist()), TypeError, "idle=.* must be a numpy array"),
    ("rows", replaced("masses", lambda a: a[:-1]), ValueError, "masses has 10 rows, but poses has 11"),
    ("shape", replaced("idle", lambda a: a[:, None]), ValueError, r"idle must have shape \(n,\), not \(11, 1\)"),
    ("strides", replaced("colliders", lambda a: np.repeat(a, 2)[::2]), ValueError, "colliders must be contiguous"),
    ("locked", replaced("contacts", read_only), ValueError, "contacts is read-only, but the call writes it"),
    ("arena", replaced("arena", read_only), ValueError, "arena is read-only"),
    ("overlap", shared, ValueError, "(sleeping and active|active and sleeping) overlap in memory"),
    ("links", lambda s: setattr(s, "connections", np.array([(0, 99)], np.int32)), ValueError,
     r"connections\[0\]: there is no such body"),
    ("link shape", lambda s: setattr(s, "connections", np.zeros(4, np.int32)), ValueError, r"must have shape \(n, 2\)"),
]  # fmt: skip


def arrays_of(scene: Scene) -> list[bytes]:
    """All arrays but the arena, as bytes."""
    each = [*scene.bodies, scene.colliders, scene.contacts, scene.sleeping, scene.active, *scene.cache]
    return [np.asarray(array).tobytes() for array in each]


@pytest.mark.parametrize(
    ("edit", "error", "message"), [case[1:] for case in BAD_COLLIDE], ids=[c[0] for c in BAD_COLLIDE]
)
def test_bad_input_to_collide_raises_and_changes_nothing(
    edit: Callable[[Scene], None], error: type[Exception], message: str
) -> None:
    scene = pyramid(4)
    scene.step(3)
    edit(scene)
    before = arrays_of(scene)
    with pytest.raises(error, match=message):
        scene.collide()
    assert arrays_of(scene) == before


def contact(field: str, value: Any, row: int = 2) -> Callable[[dict[str, Any]], None]:
    def edit(given: dict[str, Any]) -> None:
        given["contacts"][field][row] = value

    return edit


def given_as(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda given: given.update({name: value})


BAD_SIMULATE: list[tuple[str, Callable[[dict[str, Any]], None], type[Exception], str]] = [
    ("normal", contact("normal", (np.nan, 0)), ValueError, r"contacts\[2\]: the normal must be a unit vector"),
    ("lever", contact("lever", np.inf), ValueError, r"contacts\[2\]: levers must be finite"),
    ("separation", contact("separation", np.nan), ValueError, r"contacts\[2\]: separations must be finite"),
    ("no point", contact("feature", 0xFFFF), ValueError, r"contacts\[2\]: it has no first point"),
    ("features", contact("feature", 3), ValueError, r"contacts\[2\]: its points must have different features"),
    ("body", contact("body_b", 99), ValueError, r"contacts\[2\]: it needs two bodies that exist"),
    ("friction", contact("friction", -1), ValueError, r"contacts\[2\]: the values of its material"),
    ("radius", contact("radius_a", -1), ValueError, r"contacts\[2\]: radii must be"),
    ("tag order", contact("tag", 2**50), ValueError, r"contacts\[3\]: contacts must ascend by tag"),
    ("tag", contact("tag", buffers.NO_TAG, -1), ValueError, "this tag stands for free rows"),
    ("active", lambda g: g.update(active=g["active"][1:]), ValueError, "a body of it is not active"),
    ("active twice", given_as("active", np.array([1, 1], np.int32)), ValueError, r"active\[1\]: indices"),
    ("active range", given_as("active", np.array([1, 99], np.int32)), ValueError, r"active\[1\]: indices"),
    ("sleeping", given_as("sleeping", np.array([9, 8], np.uint64)), ValueError, r"sleeping\[1\]: tags must be"),
    ("both", lambda g: g.update(sleeping=g["contacts"]["tag"][:1].copy()), ValueError,
     r"sleeping\[0\]: there is a contact with this tag"),
    ("cache order", lambda g: g["cache"].tags.__setitem__(1, 0), ValueError, r"cache.tags\[1\]: tags must be greater"),
    ("cache hole", lambda g: g["cache"].tags.__setitem__(2, buffers.NO_TAG), ValueError, r"no tag may follow"),
    ("cache nan", lambda g: g["cache"].impulses["normal"].__setitem__(1, np.nan), ValueError,
     r"cache.impulses\[1\]: impulses must be finite"),
    ("cache rows", lambda g: g.update(cache=buffers.Cache(g["cache"].tags, g["cache"].impulses[1:])), ValueError,
     "cache.impulses has"),
    ("cache type", given_as("cache", 3), TypeError, "cache=3 must be a Cache"),
    ("bodies type", given_as("bodies", 3), TypeError, "bodies=3 must be a Bodies"),
    ("locked", lambda g: g.update(bodies=g["bodies"]._replace(poses=read_only(g["bodies"].poses))), ValueError,
     "poses is read-only"),
    ("overlap", lambda g: g.update(arena=g["bodies"].poses.view(np.uint8)), ValueError, "overlap in memory"),
    ("dt", given_as("dt", np.nan), ValueError, "dt=nan must be finite and in range"),
    ("substeps", given_as("substeps", 0), ValueError, "substeps=0 must be finite and in range"),
    ("gravity", given_as("gravity", (0, np.inf)), ValueError, r"gravity=\(0, inf\) must be finite"),
    ("idle speed", given_as("idle_speed", -1), ValueError, "idle_speed=-1 must be finite"),
    ("infinite", lambda g: g["cache"].impulses["normal"].__setitem__(slice(0, 4), 9e29) or g["bodies"].masses["mass"].
     __setitem__(slice(1, None), 1e-12), ValueError, "the velocity of the body became infinite"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "error", "message"), [case[1:] for case in BAD_SIMULATE], ids=[case[0] for case in BAD_SIMULATE]
)
def test_bad_input_to_simulate_raises_and_changes_nothing(
    edit: Callable[[dict[str, Any]], None], error: type[Exception], message: str
) -> None:
    scene = pyramid(4)
    scene.step(3)
    found = scene.collide()
    given: dict[str, Any] = {
        "bodies": scene.bodies, "active": found.active, "contacts": found.contacts, "sleeping": found.sleeping,
        "cache": scene.cache, "arena": scene.arena,
    }  # fmt: skip
    edit(given)
    before = arrays_of(scene)
    with pytest.raises(error, match=message):
        buffers.simulate(**given)
    assert arrays_of(scene) == before


def test_arrays_may_be_aligned_as_numpy_aligns_them() -> None:
    """Rows are read by kernels that want 16 bytes; the caller's may lie at any multiple of 8."""
    scene, moved = pyramid(5), pyramid(5)
    memory = np.zeros(moved.bodies.poses.nbytes + 16, np.uint8)
    start = 8 - memory.ctypes.data % 16 % 8
    start += 8 * ((memory.ctypes.data + start) % 16 == 0)
    poses = memory[start : start + moved.bodies.poses.nbytes].view(buffers.POSE)
    poses[:] = moved.bodies.poses
    moved.bodies = moved.bodies._replace(poses=poses)
    moved.arena = np.zeros(len(moved.arena) + 1, np.uint8)[1:]
    scene.step(10)
    moved.step(10)
    assert same(scene.state(), moved.state())


def test_no_bodies_are_fine() -> None:
    scene = Scene(np.zeros((0, 2)), [])
    found = scene.step()
    assert (len(found.active), found.broad_pairs) == (0, 0)


def test_set_geometry_refuses_what_has_no_thickness() -> None:
    rows = buffers.new_colliders(1)
    with pytest.raises(ValueError, match="must be a Circle, Capsule, Polygon or Box"):
        buffers.set_geometry(rows, b2.Segment((0, 0), (1, 0)))
    with pytest.raises(TypeError, match="must be rows of COLLIDER"):
        buffers.set_geometry(np.zeros(1), b2.Circle(1))  # type: ignore[arg-type]


# -- a step in parts


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
