"""The ways of csrc/lab to find islands and to solve: equal partitions, equal bits, sleep, and worlds without memory."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import scenes
from box2dpy._bridge.library import ffi, lib

from ..seeds import arrays
from ..stepping import advance
from .lockstep import DT, Mob, components, islands_of, make_ground, run_until_asleep
from .test_memory_failures import CHANGES, MOST, case_id, failing, go_on

SCALES = {"menagerie": 1.0}  # it cannot be built smaller
FINDERS = ("dfs", "union_find", "parallel_union_find")
LAB: list[dict[str, Any]] = [
    *({"islands": name} for name in b2.lab.NAMES["islands"][1:]),
    *({"schedule": name} for name in b2.lab.NAMES["schedule"][1:]),
]


def label(options: Any) -> str:
    return next(iter(options.values()))


def partition_of(world: b2.World, kind: int) -> Any:
    out = ffi.new("b2d_lab_partition_result *")
    assert lib.b2d_lab_partition(world._ptr, kind, 1, out) == 0
    return out


@pytest.mark.parametrize("name", ["tumbler", "mixed_pile", "falling_hinges", "menagerie"])
def test_all_finders_label_the_same_parts_in_every_step(name: str) -> None:
    scene = scenes.get(name)
    with scene.world(workers=2) as world:
        state = scene.build(world, SCALES.get(name, 0.3))
        for number in range(60):
            scene.advance(world, state, number)
            world.step(DT, 4)
            found = [partition_of(world, kind) for kind in range(lib.B2D_LAB_PARTITION_COUNT)]
            assert len({(each.parts, each.digest) for each in found}) == 1
            world.split_islands()
            moving = [island for island in world.islands
                      if island.bodies[0].awake and island.bodies[0].type == b2.BodyType.DYNAMIC]  # fmt: skip
            assert found[0].parts == len(moving)


def test_stamps_that_wrap_around_and_all_marks_and_seeds_label_the_same_parts() -> None:
    scene = scenes.get("mixed_pile")
    with scene.world() as world:
        scene.build(world, 0.3)
        advance(world, 40, DT, 4)
        wanted = partition_of(world, lib.B2D_LAB_SEARCH)
        out = ffi.new("b2d_lab_partition_result *")
        for marks in range(3):
            for every in (False, True):  # five searches from 2^32 - 2 on: the stamp passes 0
                assert lib.b2d_lab_marks(world._ptr, marks, every, 2**32 - 3, 5, out) == 0
                assert (out.parts, out.digest) == (wanted.parts, wanted.digest)


@pytest.mark.parametrize("name", FINDERS)
def test_islands_found_from_nothing_are_the_connected_components(name: str) -> None:
    scene = scenes.get("mixed_pile")
    with scene.world(islands=name, workers=2) as world:
        scene.build(world, 0.3)
        for number in range(120):
            world.step(DT, 4)
            if number % 10 == 0:
                world.validate()
                assert islands_of(world) == components(world)


@pytest.mark.parametrize("name", ["mixed_pile", "menagerie"])
def test_finders_put_the_same_bodies_to_sleep(name: str) -> None:
    """Persistent islands that are split before each step sleep a step later where an edge ends in the step itself."""

    def final(islands: str, steps: int = 200) -> tuple[int, list[int]]:
        scene = scenes.get(name)
        with scene.world(islands=islands, workers=2) as world:
            state = scene.build(world, SCALES.get(name, 0.3))
            for number in range(steps):
                scene.advance(world, state, number)
                if islands == "persistent":
                    world.split_islands()
                world.step(DT, 4)
            return world.state_hash(), [body.index for body in world.bodies if not body.awake]

    found = [final(islands) for islands in FINDERS]
    assert found[1:] == found[:-1]
    assert found[0][1] in (final("persistent")[1], final("persistent", 201)[1])


@pytest.mark.parametrize("seed", range(3))
def test_random_calls_leave_worlds_of_all_finders_valid_and_equal(seed: int) -> None:
    mob = Mob(seed, [{"islands": name, "workers": 2} for name in FINDERS], sleep_time=0.2)
    mob.play(60)


@pytest.mark.parametrize("options", [{"islands": "incremental"}, {"schedule": "slots"}], ids=label)
def test_random_calls_leave_a_world_of_the_lab_valid(options: dict[str, Any]) -> None:
    mob = Mob(7, [options, {**options, "workers": 2, "simd": "scalar"}], sleep_time=0.2)
    mob.play(60)


def test_random_calls_leave_serial_and_parallel_islands_with_one_hash() -> None:
    mob = Mob(8, [{"schedule": "serial"}, {"schedule": "islands", "workers": 3}], sleep_time=0.2)
    mob.play(60)


def wake_by_links(world: b2.World, seeds: list[int], passes: int = 1) -> tuple[list[int], Any]:
    root, out = ffi.new("int32_t[]", 1 + max(body.index for body in world.bodies)), ffi.new("b2d_lab_waking *")
    assert lib.b2d_lab_wake_by_links(world._ptr, seeds, len(seeds), passes, root, out) == 0
    return list(root), out


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_union_find_inside_the_narrow_phase_wakes_a_row_in_rounds_and_nothing_beyond_a_gap(workers: int) -> None:
    with b2.World(gravity=(0, 0), workers=workers) as world:
        row = [world.create_dynamic_body((k, 0)) for k in range(50)]
        apart = [world.create_dynamic_body((k + 0.5, 1.2)) for k in range(0, 49, 7)]  # boxes within the fat boxes
        hung = world.create_dynamic_body((49, 5))
        for body in (*row, *apart, hung):
            body.create_shape(b2.Box(0.5, 0.5))
        world.create_revolute_joint(row[-1], hung, anchor=(49, 2))
        world.step(DT, 1)
        for seed, rounds in ((row[20], 31), (row[0], 51)):  # to the hung body, and a round that wakes nobody
            root, out = wake_by_links(world, [seed.index], 20)
            assert [root[body.index] for body in row] == [row[0].index] * 50
            assert root[hung.index] == row[0].index
            assert [root[body.index] for body in apart] == [-1] * len(apart)
            assert (out.rounds, out.woken) == (rounds, 50)


@pytest.mark.parametrize("name", ["mixed_pile", "pyramids"])
def test_union_find_inside_the_narrow_phase_finds_the_islands_of_its_seeds(name: str) -> None:
    scene = scenes.get(name)
    with scene.world(workers=2, sleeping=False) as world:
        scene.build(world, 0.2)
        advance(world, 200, DT, 4)
        world.split_islands()
        world.step(DT, 4)
        islands = [[body.index for body in island.bodies] for island in world.islands
                   if island.bodies[0].type == b2.BodyType.DYNAMIC]  # fmt: skip
        root, _ = wake_by_links(world, [island[-1] for island in islands[::2]], 10)
        for number, island in enumerate(islands):
            assert {root[index] for index in island} == ({min(island)} if number % 2 == 0 else {-1})


@pytest.mark.parametrize(("count", "cut"), [(2, 1), (10, 3), (1000, 7), (1000, 5000)])
def test_islands_in_lists_and_in_arrays_split_into_the_same_parts(count: int, cut: int) -> None:
    ms, parts = ffi.new("double[4]"), ffi.new("int32_t *")
    for lists in (False, True):
        assert lib.b2d_lab_island_storage(lists, count, cut, ms, parts) == 0
        assert parts[0] == 1 + (2 * count - 1) // cut


@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])  # of boxes in a square of 20
def test_open_intervals_and_every_axis_find_the_pairs_of_a_batch(size: float) -> None:
    draw = arrays(3)
    corner = draw.uniform(-10, 10, (300, 2))
    boxes = np.concatenate([corner, corner + draw.uniform(0, size, (300, 2))], axis=1).astype(np.float32)
    boxes[100:110] = boxes[90:100]  # equal ones, and borders that touch
    boxes[110] = np.concatenate([boxes[111, 2:], boxes[111, 2:] + np.float32(size)])
    low, high = boxes[:, :2], boxes[:, 2:]
    meets = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    out = ffi.new("b2d_lab_sweep_result *")
    for fresh in (0, 1, 120, 300):
        new = np.arange(300) >= 300 - fresh
        wanted = int(np.triu(meets & (new[:, None] | new[None]), 1).sum())
        found = set()
        for open_intervals, angle in [(True, 0.0), *((False, 0.37 * k) for k in range(12))]:
            assert lib.b2d_lab_sweep(open_intervals, ffi.from_buffer("float[]", boxes), 300, fresh, angle, out) == 0
            found.add((out.pairs, out.hash))
        assert {pairs for pairs, _ in found} == {wanted}
        assert len(found) == 1


def chain(world: b2.World, count: int, y: float) -> tuple[list[b2.Body], list[b2.Joint]]:
    bodies = [world.create_dynamic_body((2.0 * k, y)) for k in range(count)]
    for body in bodies:
        body.create_shape(b2.Circle(0.5))
    joints: list[b2.Joint] = [world.create_revolute_joint(a, b, anchor=(a.position + b.position) * 0.5)
                              for a, b in pairwise(bodies)]  # fmt: skip
    return bodies, joints


@pytest.mark.parametrize(("islands", "first"), [("split_largest", 0), ("split_most_removed", 1)])
@pytest.mark.parametrize("turned", [False, True])  # ids do not decide
def test_the_island_that_is_split_first_is_the_largest_or_the_one_with_the_most_removals(
    islands: str, first: int, turned: bool
) -> None:
    with b2.World(gravity=(0, 0), islands=islands, sleep_time=1000.0) as world:  # type: ignore[arg-type]
        sizes = ((1, 5, 20.0), (0, 10, 0.0)) if turned else ((0, 10, 0.0), (1, 5, 20.0))
        chains = {number: chain(world, count, y) for number, count, y in sizes}
        world.step(DT, 4)
        (long, long_joints), (short, short_joints) = chains[0], chains[1]
        for joint in (long_joints[4], *short_joints[1:3]):
            joint.destroy()
        apart: list[int] = []
        for _ in range(4):
            world.step(DT, 4)
            world.validate()
            for number, bodies in ((0, long), (1, short)):
                if number not in apart and bodies[0].island != bodies[-1].island:
                    apart.append(number)
        assert apart == [first, 1 - first]
        assert islands_of(world) == components(world)


def build_pyramids(world: b2.World, count: int) -> None:
    make_ground(world)
    for k in range(count):
        world.create_bodies(
            [(6 * k - 3 * count + 0.52 * i - 0.26 * j, 0.25 + 0.5 * j) for j in range(8) for i in range(j, 8)],
            geometry=b2.Box(0.25, 0.25),
        )


def test_the_incremental_search_sleeps_the_bodies_of_dfs_within_100_steps_and_its_budget() -> None:
    steps = {}
    for islands in ("dfs", "incremental"):
        with b2.World(islands=islands) as world:
            build_pyramids(world, 6)
            for number in range(1500):
                world.step(DT, 4)
                if islands == "incremental":  # the budget, and the island with which it was exceeded
                    assert world.counters.bodies_traversed <= 64 + 36
                if world.counters.awake_bodies == 0:
                    steps[islands] = number
                    break
            world.validate()
            assert islands_of(world) == components(world)
    assert steps["dfs"] <= steps["incremental"] <= steps["dfs"] + 100


def test_an_incremental_world_wakes_whole_islands_and_makes_their_bodies_single_again() -> None:
    with b2.World(islands="incremental") as world:
        build_pyramids(world, 2)
        run_until_asleep(world, 1500)
        assert sorted(len(island) for island in world.islands) == [36, 36]
        first = world.body(1)
        first.awake = True
        assert world.counters.awake_bodies == 36
        world.step(DT, 4)
        world.validate()
        assert sorted(len(island) for island in world.islands) == [1] * 36 + [36]
        first.awake = False  # the whole component falls asleep, although no island keeps it
        world.validate()
        assert world.counters.awake_bodies == 0


@pytest.mark.parametrize("islands", [*FINDERS, "incremental"])
def test_a_state_goes_on_in_a_world_with_another_way_to_find_islands(islands: str) -> None:
    with b2.World(islands=islands, sleeping=False) as world, b2.World(sleeping=False) as other:
        build_pyramids(world, 2)
        advance(world, 30, DT, 4)
        other.restore(world.save())
        with world.clone(islands="persistent") as clone, b2.World.from_snapshot(world.snapshot(compress=False)) as copy:
            for each in (world, other, clone, copy):
                for _ in range(10):
                    each.step(DT, 4)
                    each.validate()
            assert len({each.state_hash() for each in (world, other, clone, copy)}) == 1
            other.restore(clone.save())
        world.restore(other.save())
        world.step(DT, 4)
        world.validate()


@pytest.mark.parametrize("options", LAB, ids=label)
@pytest.mark.parametrize(("situation", "call"), CHANGES[2:13:2], ids=case_id)
def test_a_world_of_the_lab_without_memory_stays_valid(situation: Any, call: Any, options: dict[str, Any]) -> None:
    for after in range(MOST):
        with b2.World(**options, workers=2) as world:
            situation(world)
            failed = True
            with failing(world, after), suppress(MemoryError):
                call(world)
                failed = False
            go_on(world)
            with failing(world, 0), suppress(MemoryError):
                world.step(DT, 4)
            go_on(world)
            if not failed:
                break
    else:
        raise AssertionError("the call never succeeded")


STRATEGIES: list[dict[str, Any]] = [
    {},
    *LAB,
    *({"broadphase": name} for name in b2.lab.NAMES["broadphase"][2:]),
    *({"strategies": b2.lab.Strategies(warm_start="tags")} for _ in b2.lab.NAMES["warm_start"][1:]),
]


def hashes(world: b2.World, scene: scenes.Scene, state: Any, steps: range) -> list[int]:
    found = []
    for number in steps:
        scene.advance(world, state, number)
        world.step(DT, 4)
        found.append(world.state_hash())
    return found


@pytest.mark.parametrize("options", STRATEGIES, ids=lambda options: label(options) if options else "default")
def test_a_cleared_world_repeats_a_scene_bit_by_bit_with_every_strategy(options: dict[str, Any]) -> None:
    scene = scenes.get("mixed_pile")
    with scene.world(**options) as world:
        first = hashes(world, scene, scene.build(world, 0.1), range(60))
        world.clear()
        assert hashes(world, scene, scene.build(world, 0.1), range(60)) == first


@pytest.mark.parametrize("options", STRATEGIES, ids=lambda options: label(options) if options else "default")
def test_bytes_continue_with_the_same_bits_with_every_strategy(options: dict[str, Any]) -> None:
    scene = scenes.get("mixed_pile")
    with scene.world(sleep_time=0.2, **options) as world:
        state = scene.build(world, 0.1)
        for moment in (range(25), range(25, 90)):
            hashes(world, scene, state, moment)
            data = world.snapshot(compress=False)
            wanted = hashes(world, scene, None, range(20))
            with b2.World.from_snapshot(data, workers=2, **options) as other:
                assert hashes(other, scene, None, range(20)) == wanted
                other.validate()
            world.restore(data)


@pytest.mark.parametrize("name", ["tumbler", "falling_hinges", "washer", "joint_grid", "cranes", "spinner"])
def test_a_cleared_world_repeats_other_scenes_bit_by_bit(name: str) -> None:
    scene = scenes.get(name)
    with scene.world() as world:
        first = hashes(world, scene, scene.build(world, 0.1), range(60))
        world.clear()
        assert hashes(world, scene, scene.build(world, 0.1), range(60)) == first
