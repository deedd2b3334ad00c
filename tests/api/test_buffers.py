"""`box2dpy.buffers`: collision and simulation on arrays of the caller's."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers
from box2dpy._bridge.library import ffi

from ..patience import PATIENCE
from ..seeds import arrays
from .buffer_scene import Scene, pyramid, same

ROOT = Path(__file__).resolve().parents[2]


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
        "from tests.api.buffer_scene import pyramid\n"
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
