"""Persistent islands against connected components, and what merging and splitting may cost."""

from __future__ import annotations

from typing import Any

import pytest

import box2dpy as b2
from box2dpy import scenes

from ..seeds import draws
from .lockstep import (
    DT,
    FASTEST,
    REFERENCE,
    Mob,
    assert_coarsening,
    assert_exact_after_splitting,
    components,
    islands_of,
    make_ground,
    run,
    run_until_asleep,
)


@pytest.mark.parametrize("seed", range(4))
def test_islands_contain_whole_components_and_equal_them_when_split(seed: int) -> None:
    mob = Mob(1000 + seed, [FASTEST], most_bodies=40, sleep_time=0.1)
    [world] = mob.worlds
    for number in range(100):
        if number % 2:
            mob.act()
        mob.step()
        world.validate()
        assert_coarsening(world)
        if number % 10 == 9:
            assert_exact_after_splitting(world)
            world.validate()
    mob.close()


@pytest.mark.parametrize("name", ["tumbler", "mixed_pile", "falling_hinges"])
def test_islands_of_a_scene_contain_whole_components(name: str) -> None:
    scene = scenes.get(name)
    with scene.world(**FASTEST) as world:
        state = scene.build(world, 0.15 if name != "falling_hinges" else 0.5)
        for number in range(120):
            scene.advance(world, state, number)
            world.step(DT, 4)
            if number % 6 == 0:
                assert_coarsening(world)
            if number % 40 == 39:
                assert_exact_after_splitting(world)


def test_networkx_agrees_on_the_components() -> None:
    networkx = pytest.importorskip("networkx")
    scene = scenes.get("mixed_pile")
    with scene.world() as world:
        scene.build(world, 0.2)
        run(world, 90, check=False)
        world.split_islands()
        moving = {body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
        graph = networkx.Graph()
        graph.add_nodes_from(moving)
        contacts = world.arrays.contacts
        pairs = zip(contacts["body_a"].tolist(), contacts["body_b"].tolist(), strict=True)
        graph.add_edges_from((a, b) for a, b in pairs if a in moving and b in moving)
        assert islands_of(world) == {frozenset(c) for c in networkx.connected_components(graph)} == components(world)


def test_statics_and_kinematics_never_merge_islands() -> None:
    with b2.World() as world:
        ground = make_ground(world)
        cart = world.create_kinematic_body((0, 2))
        cart.create_shape(b2.Box(20, 0.1))
        boxes = world.create_bodies([(2 * k - 10, 0.5) for k in range(10)], geometry=b2.Box(0.5, 0.5))
        riders = world.create_bodies([(2 * k - 10, 2.6) for k in range(10)], geometry=b2.Box(0.5, 0.5))
        for body in (*boxes[:3], *riders[:3]):
            world.create_revolute_joint(ground, body, anchor=body.position, collide_connected=True)
            world.create_revolute_joint(cart, body, anchor=body.position, collide_connected=True)
        run(world, 30)
        assert world.counters.touching >= 20
        assert islands_of(world) == {frozenset([b.index]) for b in (cart, *boxes, *riders)}


def test_merging_ten_thousand_islands_at_once_moves_each_member_once() -> None:
    # A row of boxes with gaps under the speculative margin begins all its links in one step.
    for order in ("ascending", "random"):
        with b2.World(gravity=(0, 0)) as world:
            n = 10_000
            places = list(range(n))
            if order == "random":
                draws(1).shuffle(places)
            world.create_bodies([(1.0 * k, 0) for k in places], geometry=b2.Box(0.5, 0.5))
            world.step(DT, 1)
            counters = world.counters
            assert counters.islands == 1
            assert counters.islands_merged == n - 1
            assert counters.contacts_begun == n - 1
            # n - 1 bodies leave their islands; a link was moved only if it began before its island merged
            assert counters.islands_relabeled <= 2 * n
            world.validate()


def test_a_pile_that_absorbs_boxes_one_by_one_moves_only_the_new_members() -> None:
    with b2.World(gravity=(0, 0)) as world:
        n = 400
        row = world.create_bodies([(3.0 * k, 0) for k in range(n)], geometry=b2.Circle(0.5))
        world.step(DT, 1)
        assert world.counters.islands == n
        moved = 0
        for k in range(1, n):  # the pile is body_a first, then body_b, then the one with the higher ids
            a, b = (row[k - 1], row[k]) if k % 2 else (row[k], row[k - 1])
            world.create_revolute_joint(a, b, anchor=a.position)
            if k % 50 == 0:
                world.step(DT, 1)
                moved += world.counters.islands_relabeled
        world.step(DT, 1)
        moved += world.counters.islands_relabeled
        assert world.counters.islands == 1
        assert moved == n - 1
        world.validate()


@pytest.mark.parametrize("cut", [1, 30, 79])
def test_the_largest_part_of_a_split_stays_the_island_that_it_was(cut: int) -> None:
    with b2.World(gravity=(0, 0)) as world:
        row = world.create_bodies([(3.0 * k, 0) for k in range(80)], geometry=b2.Circle(0.5))
        joints = [
            world.create_revolute_joint(row[k], row[k + 1], anchor=row[k].position, collide_connected=True)
            for k in range(79)
        ]
        world.step(DT, 1)
        [island] = world.islands
        joints[cut - 1].destroy()
        joints[39].destroy()
        assert world.split_islands() > 0
        world.validate()
        parts = [row[:cut], row[cut:40], row[40:]] if cut < 40 else [row[:40], row[40:cut], row[cut:]]
        for part in parts:
            assert {body.index for body in part[0].island.bodies} == {body.index for body in part}
        largest = max(parts, key=len)
        assert island == largest[0].island
        assert len(world.islands) == 3
        # joining them again moves no body of the largest part
        world.create_revolute_joint(row[cut - 1], row[cut], anchor=row[cut].position)
        world.create_revolute_joint(row[39], row[40], anchor=row[40].position)
        world.step(DT, 1)
        world.validate()
        assert [island] == list(world.islands)


def test_merging_two_piles_moves_the_members_of_the_smaller() -> None:
    with b2.World(gravity=(0, 0)) as world:
        small = world.create_bodies([(1.0 * k, 0) for k in range(50)], geometry=b2.Box(0.5, 0.5))
        large = world.create_bodies([(1.0 * k, 1.2) for k in range(200)], geometry=b2.Box(0.5, 0.5))
        world.step(DT, 1)
        assert world.counters.islands == 2
        small.linear_velocity = (0, 2.0)
        world.step(DT, 1)
        while world.counters.islands == 2:
            world.step(DT, 1)
        # 50 bodies and their 49 links (and a few that began in the same step)
        assert 99 <= world.counters.islands_relabeled <= 160
        assert large[0].island == small[0].island
        world.validate()


def test_splitting_a_long_chain_needs_no_recursion_and_separates_it() -> None:
    # The search is not recursive: 40,000 bodies in a line, cut in the middle.
    with b2.World(gravity=(0, 0)) as world:
        n = 40_000
        row = world.create_bodies([(1.0 * k, 0) for k in range(n)], geometry=b2.Box(0.5, 0.5))
        world.step(DT, 1)
        assert world.counters.islands == 1
        row[n // 2].destroy()
        assert world.split_islands() == 2
        assert sorted(len(island) for island in world.islands) == [n // 2 - 1, n // 2]
        world.step(DT, 1)
        assert world.counters.islands == 2


# -- splitting and sleep


def jointed_pairs(world: b2.World, n: int) -> list[tuple[b2.Body, b2.Body, b2.Joint]]:
    """Bodies at rest without gravity, two and two held by a joint: removing it leaves an island with a removal
    pending."""
    pairs = []
    for k in range(n):
        a, b = world.create_dynamic_body((10 * k, 0)), world.create_dynamic_body((10 * k, 3))
        for body in (a, b):
            body.create_shape(b2.Circle(0.5))
        pairs.append((a, b, world.create_revolute_joint(a, b, anchor=(10 * k, 0))))
    return pairs


def test_the_parts_of_a_split_stay_awake_when_they_have_the_highest_ids_so_far() -> None:
    """The workers' sets of islands that are awake had room for the islands before the split."""

    def hash_after_split(**options: Any) -> int:
        with b2.World(gravity=(0, 0), **options) as world:
            bodies: list[b2.Body] = []
            for k in range(200):  # one by one: there are never two islands more
                bodies.append(world.create_dynamic_body((3 * k, 0)))
                bodies[k].create_shape(b2.Circle(0.5))
                if k > 0:
                    world.create_weld_joint(bodies[k - 1], bodies[k], anchor=(3 * k, 0))
                world.step()
            assert world.counters.islands == 1
            for joint in list(world.joints):
                joint.destroy()
            for body in bodies[::2]:
                body.linear_velocity = (0, 1)
            for _ in range(60):
                world.step()
            world.validate()
            assert world.counters.islands == 200
            assert [body.awake for body in bodies] == [True, False] * 100
            return world.state_hash()

    ways: tuple[dict[str, Any], ...] = ({}, {"workers": 2}, {"workers": 4}, {"simd": "scalar"}, {"broadphase": "brute"})
    assert len({hash_after_split(**options) for options in ways}) == 1


def test_an_island_with_a_pending_removal_splits_before_it_sleeps() -> None:
    with b2.World(gravity=(0, 0)) as world:
        pairs = jointed_pairs(world, 20)
        run(world, 5)
        for _, _, joint in pairs:
            joint.destroy()
        for _ in range(120):
            run(world, 1)
            for a, b, _ in pairs:
                assert a.awake or a.island != b.island
        assert world.counters.awake_bodies == 0
        pairs[7][0].awake = True
        assert not pairs[7][1].awake


def test_one_island_is_split_per_step_that_closest_to_sleep_then_the_larger_id() -> None:
    with b2.World(gravity=(0, 0)) as world:
        pairs = jointed_pairs(world, 6)
        run(world, 5)
        for k in (1, 3, 5):
            pairs[k][2].destroy()
        world.step(DT, 4)
        for k in (0, 2, 4):
            pairs[k][2].destroy()
        islands = [a.island.index for a, _, _ in pairs]  # type: ignore[union-attr]
        order = []
        for _ in range(60):
            together = {k for k, (a, b, _) in enumerate(pairs) if a.island == b.island}
            world.step(DT, 4)
            assert world.counters.splits_tried <= 1
            order += [k for k in sorted(together) if pairs[k][0].island != pairs[k][1].island]
        assert world.counters.awake_bodies == 0
        sleepier, later = sorted((1, 3, 5), key=lambda k: -islands[k]), sorted((0, 2, 4), key=lambda k: -islands[k])
        assert order == sleepier + later


def test_contacts_that_come_and_go_on_a_bridge_cause_no_useless_splits() -> None:
    # Planks in a row; contacts that come and go while awake cost no search at all.
    with b2.World() as world:
        make_ground(world)
        planks = [world.create_dynamic_body((k - 5, 3)) for k in range(11)]
        for plank in planks:
            plank.create_shape(b2.Box(0.5, 0.125))
        ground = world.body(0)
        for left, right in zip([ground, *planks], [*planks, ground], strict=True):
            at = (right.position.x - 0.5 if right is not ground else 5.5, 3)
            world.create_revolute_joint(left, right, anchor=at)
        load = world.create_bodies(
            [(k - 4, 5 + k % 3) for k in range(9)], geometry=b2.Circle(0.3), rolling_resistance=0.1
        )
        tried = made = ended = 0
        for _ in range(3600):
            world.step(DT, 4)
            counters = world.counters
            tried, made, ended = (
                tried + counters.splits_tried,
                made + counters.islands_split,
                ended + counters.contacts_ended,
            )
            if not counters.awake_bodies:
                break
        assert world.counters.awake_bodies == 0
        assert ended > 0
        assert tried <= ended
        assert tried <= 40
        assert len(load) == 9
        assert_exact_after_splitting(world)


def test_a_split_candidate_that_merged_or_was_destroyed_is_dropped() -> None:
    with b2.World(gravity=(0, 0), sleep_time=0.1) as world:
        pairs = jointed_pairs(world, 3)
        run(world, 3)
        for _, _, joint in pairs:
            joint.destroy()
        while world.counters.splits_tried == 0:  # from now on there is a candidate for each coming step
            run(world, 1)
        for a, b, _ in pairs:
            if a.island == b.island:
                a.destroy()
        run(world, 10)
        assert islands_of(world) == components(world)


def test_a_split_candidate_is_forgotten_with_its_island() -> None:
    # The id of the destroyed candidate is reused by an island that is awake and has a pending removal.
    with b2.World(gravity=(0, 0), sleep_time=0.1) as world:
        [(a, b, joint)] = jointed_pairs(world, 1)
        run(world, 3)
        joint.destroy()
        while a.sleep_timer < 0.1:
            world.step(DT, 4)
        assert a.island == b.island, "chosen in this step, to be split in the next"
        island = a.island.index  # type: ignore[union-attr]
        a.destroy()
        b.destroy()
        [(c, d, second)] = jointed_pairs(world, 1)
        assert c.island.index == island  # type: ignore[union-attr]
        second.destroy()
        c.linear_velocity = d.linear_velocity = (5, 0)
        world.step(DT, 4)
        assert world.counters.splits_tried == 0
        world.validate()


def test_split_islands_does_not_change_results() -> None:
    # Islands decide sleep only: with sleep off, splitting at any time leaves the hash alone.
    hashes = []
    for eager in (False, True):
        with b2.World(sleeping=False, **REFERENCE) as world:
            make_ground(world)
            draw = draws(3)
            world.create_bodies(
                [(draw.uniform(-4, 4), draw.uniform(0.5, 6)) for _ in range(60)], geometry=b2.Box(0.3, 0.3)
            )
            for number in range(100):
                world.step(DT, 4)
                if eager and number % 7 == 0:
                    world.split_islands()
            hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_no_island_is_split_while_its_bodies_move() -> None:
    with b2.World() as world:
        make_ground(world)
        wheel = world.create_kinematic_body((0, 0.5), angular_velocity=2.0)
        wheel.create_shape(b2.Box(3, 0.2))
        world.create_bodies([(k % 7 - 3, 2 + 0.7 * (k // 7)) for k in range(40)], geometry=b2.Box(0.3, 0.3))
        searches = 0
        for _ in range(20):
            world.step(DT, 4)
            searches += world.counters.splits_tried
        assert searches == 0


def test_piles_fall_asleep_as_whole_islands_that_equal_their_components() -> None:
    with b2.World() as world:
        make_ground(world)
        draw = draws(5)
        world.create_bodies(
            [(3 * (k % 8) - 12 + draw.uniform(-0.2, 0.2), 0.5 + k // 8) for k in range(40)], geometry=b2.Box(0.4, 0.4)
        )
        run_until_asleep(world, 1800)  # a tower may stand for ten seconds before it topples
        assert islands_of(world) == components(world)
        assert world.counters.awake_islands == 0


@pytest.mark.parametrize("chaos", [None, "3", "11"])
def test_workers_that_split_islands_beside_the_solver_change_no_bit(
    chaos: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Islands of hundreds of bodies come apart, one in each step, while workers solve; delayed or not."""
    if chaos is not None:
        monkeypatch.setenv("B2D_CHAOS", chaos)
    found = []
    for workers in (1, 2, 3):
        with b2.World(workers=workers, sleep_time=0.1) as world:
            make_ground(world, 200)
            bridges = []
            for k in range(4):
                for row in range(12):
                    for column in range(20):
                        x, y = 40 * k - 80 + 0.99 * column, 0.5 + 0.99 * row
                        world.create_dynamic_body((x, y)).create_shape(b2.Box(0.5, 0.5))
                bridge = world.create_dynamic_body((40 * k - 60.3, 12.4))
                bridge.create_shape(b2.Box(21.5, 0.1))
                bridges.append(bridge)
            rows = []
            for step in range(90):
                if step % 12 == 11 and bridges:
                    bridges.pop().destroy()
                world.step(DT, 4)
                counters = world.counters
                rows.append((world.state_hash(), counters.splits_tried, counters.islands_split, len(world.islands)))
            world.validate()
            found.append(rows)
    assert found[1] == found[0]
    assert found[2] == found[0]
    assert sum(row[1] for row in found[0]) > 5
    assert sum(row[2] for row in found[0]) > 2
