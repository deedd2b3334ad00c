"""Falling asleep and waking: one test for each known failure of physics engines.

The numbers in brackets are those of the list "Islands, sleeping, waking" that this engine was designed against.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest

import box2dpy as b2

from ..oracle.lockstep import DT, assert_coarsening, components, islands_of, make_ground, run, run_until_asleep


def tower(world: b2.World, x: float, n: int = 4) -> list[b2.Body]:
    """Unit boxes on the ground, one on the other."""
    bodies = [world.create_dynamic_body((x, 0.5 + k)) for k in range(n)]
    for body in bodies:
        body.create_shape(b2.Box(0.5, 0.5))
    return bodies


def awake_of(bodies: list[b2.Body]) -> list[bool]:
    return [body.awake for body in bodies]


# -- 1, 2: what joins islands, and what keeps awake


def test_static_bodies_and_joints_to_them_never_merge_islands() -> None:  # [1]
    with b2.World() as world:
        ground = make_ground(world)
        towers = [tower(world, 2.0 * k) for k in range(5)]
        hung = [world.create_dynamic_body((20 + k, 5)) for k in range(5)]
        for body in hung:
            body.create_shape(b2.Circle(0.2))
            world.create_revolute_joint(ground, body, anchor=(body.position.x, 5.5))
        run(world, 10)
        assert islands_of(world) == {frozenset(b.index for b in t) for t in towers} | {
            frozenset([b.index]) for b in hung
        }


def test_kinematic_bodies_do_not_merge_islands_and_sleep_when_they_stand() -> None:  # [2]
    with b2.World() as world:
        plate = world.create_kinematic_body((0, -1))
        plate.create_shape(b2.Box(20, 1))
        towers = [tower(world, 3.0 * k) for k in range(3)]
        run(world, 10)
        assert islands_of(world) == {frozenset([plate.index])} | {frozenset(b.index for b in t) for t in towers}
        run_until_asleep(world)
        assert not plate.awake


@pytest.mark.parametrize("motion", ["along", "up", "turning", "creeping"])
def test_a_moving_kinematic_body_keeps_the_bodies_that_it_touches_awake(motion: str) -> None:  # [2]
    with b2.World() as world:
        plate = world.create_kinematic_body((0, -1))
        plate.create_shape(b2.Box(20, 1))
        on_it = tower(world, 0, 2)
        floor = world.create_static_body((100, -1))
        floor.create_shape(b2.Box(20, 1))
        beside = tower(world, 100, 2)
        if motion == "along":
            plate.linear_velocity = (0.01, 0)
        elif motion == "up":
            plate.linear_velocity = (0, 0.02)
        elif motion == "turning":
            plate.angular_velocity = 0.001
        else:
            plate.linear_velocity = (1e-4, 0)
        run(world, 120)
        assert all(awake_of(on_it))
        assert not any(awake_of(beside))
        plate.linear_velocity, plate.angular_velocity = (0, 0), 0
        run_until_asleep(world)


def test_changing_velocity_or_pose_of_a_kinematic_body_wakes_the_bodies_that_touch_it() -> None:  # [2]
    changes: list[Callable[[b2.Body], None]] = [
        lambda plate: setattr(plate, "linear_velocity", (0.1, 0)),
        lambda plate: setattr(plate, "angular_velocity", 0.1),
        lambda plate: plate.set_target((1, -1), 0.0, 1.0),
        lambda plate: setattr(plate, "position", (0.5, -1)),
        lambda plate: setattr(plate, "angle", 0.01),
        lambda plate: setattr(plate, "rotation", (1, 0.01)),
    ]
    for change in changes:
        with b2.World() as world:
            plate = world.create_kinematic_body((0, -1))
            plate.create_shape(b2.Box(20, 1))
            floor = world.create_static_body((100, -1))
            floor.create_shape(b2.Box(20, 1))
            on_it, beside = tower(world, 0, 2), tower(world, 100, 2)
            run_until_asleep(world)
            change(plate)
            world.validate()
            assert all(awake_of(on_it))
            assert not any(awake_of(beside))
            run(world, 2)


def test_a_moving_kinematic_body_wakes_a_body_that_was_put_to_sleep_on_it() -> None:  # [2]
    with b2.World() as world:
        plate = world.create_kinematic_body((0, -1), linear_velocity=(0.5, 0))
        plate.create_shape(b2.Box(20, 1))
        on_it = tower(world, 0, 2)
        run(world, 10)
        on_it[0].awake = False
        world.validate()
        assert not any(awake_of(on_it))
        run(world, 1)
        assert all(awake_of(on_it))
        x = on_it[1].position.x
        run(world, 60)
        assert on_it[1].position.x > x + 0.3


def test_a_conveyor_keeps_its_load_awake_and_lets_it_sleep_when_it_stops() -> None:
    with b2.World() as world:
        belt = world.create_static_body((0, -1))
        shape = belt.create_shape(b2.Box(20, 1), tangent_speed=2.0)
        [box] = tower(world, 0, 1)
        run(world, 120)
        assert box.awake
        assert abs(box.linear_velocity.x) > 1
        shape.tangent_speed = 0.0
        run_until_asleep(world)


# -- 3, 4: waking is transitive, at once, and complete


def test_waking_one_of_a_row_of_200_wakes_all_of_it_in_one_step_and_not_the_next_pile() -> None:  # [3]
    with b2.World() as world:
        make_ground(world, 300)
        row = world.create_bodies([(1.0 * k, 0.5) for k in range(200)], geometry=b2.Box(0.5, 0.5))
        pile = world.create_bodies([(199.5 + 0.1 + 0.5, 0.5 + k) for k in range(3)], geometry=b2.Box(0.5, 0.5))
        run_until_asleep(world)
        assert world.counters.islands == 2
        missile = world.create_dynamic_body((-2.0, 0.6), linear_velocity=(60, 0))
        missile.create_shape(b2.Box(0.5, 0.5))
        for _ in range(10):
            run(world, 1)
            if world.counters.bodies_woken:
                break
        assert world.counters.bodies_woken == 200
        assert row.awake.all()
        assert not pile.awake.any()


def test_a_woken_island_is_solved_in_the_step_that_wakes_it() -> None:  # [3]
    # The middle of a sleeping row is hit from above: no box sinks, and the contacts at both ends act at once.
    with b2.World() as world:
        make_ground(world, 50)
        row = world.create_bodies([(1.0 * k, 0.5) for k in range(21)], geometry=b2.Box(0.5, 0.5))
        run_until_asleep(world)
        before = row.position
        hammer = world.create_dynamic_body((10, 1.6), linear_velocity=(0, -5))
        hammer.create_shape(b2.Box(0.5, 0.5))
        for _ in range(5):
            run(world, 1)
        assert row.awake.all()
        assert abs(row.position - before).max() < 0.02


def test_contacts_within_the_fat_boxes_of_sleeping_bodies_return_when_one_wakes() -> None:  # [4]
    for who in (0, 1):
        with b2.World() as world:
            make_ground(world)
            left, right = tower(world, 0, 2), tower(world, 1.06, 2)  # 6 cm: inside the fat boxes, outside the margin
            run_until_asleep(world)
            assert world.counters.islands == 2
            between = [c for c in left[0].contacts if right[0] in (c.body_a, c.body_b)]
            assert len(between) == 1
            assert not between[0].touching
            assert not between[0].awake
            (left, right)[who][0].awake = True
            world.validate()
            assert between[0].awake
            assert awake_of(left) == [who == 0] * 2
            assert awake_of(right) == [who == 1] * 2
            # and it is updated again: the woken tower pushes into the other
            pushed, pusher = (right, left) if who == 0 else (left, right)
            pusher[0].linear_velocity = (3.0 if who == 0 else -3.0, 0)
            touched = False
            for _ in range(10):
                run(world, 1)
                touched = touched or between[0].touching
            assert all(awake_of(pushed))
            assert touched


def test_two_sleeping_piles_wake_only_when_they_are_touched() -> None:
    with b2.World() as world:
        make_ground(world)
        left, right = tower(world, -5), tower(world, 5)
        run_until_asleep(world)
        ball = world.create_dynamic_body((-5, 6))
        ball.create_shape(b2.Circle(0.3))
        while not left[0].awake:
            assert not any(awake_of(left + right))
            run(world, 1)
        assert all(awake_of(left))
        assert not any(awake_of(right))
        run_until_asleep(world)
        assert not any(awake_of(right))


def test_a_sensor_or_a_filtered_shape_that_flies_through_wakes_no_body() -> None:
    with b2.World() as world:
        make_ground(world)
        boxes = tower(world, 0)
        run_until_asleep(world)
        for fields in ({"sensor": True}, {"filter": b2.Filter(1, 0)}):
            ghost = world.create_dynamic_body((-3, 1), linear_velocity=(10, 2))
            ghost.create_shape(b2.Circle(0.3), **fields)
            run(world, 40)
            assert not any(awake_of(boxes))
            ghost.destroy()


# -- 5, 6, 7: pending removals


def test_two_piles_that_separate_sleep_as_two_islands() -> None:  # [5]
    with b2.World() as world:
        make_ground(world)
        left, right = tower(world, 0, 2), tower(world, 3, 2)
        bridge = world.create_dynamic_body((1.5, 2.1))
        bridge.create_shape(b2.Box(2.2, 0.1))
        run_until_asleep(world)
        assert left[0].island == right[0].island
        bridge.destroy()
        world.validate()
        run_until_asleep(world)
        assert left[0].island != right[0].island
        left[1].awake = True
        assert not any(awake_of(right))


def test_putting_a_body_to_sleep_splits_its_island_first() -> None:  # [5]
    with b2.World(gravity=(0, 0)) as world:
        a, b = world.create_dynamic_body((0, 0)), world.create_dynamic_body((5, 0))
        joint = world.create_revolute_joint(a, b, anchor=(0, 0))
        assert a.island == b.island
        joint.destroy()
        assert a.island == b.island  # pending
        a.awake = False
        world.validate()
        assert awake_of([a, b]) == [False, True]


def test_many_islands_with_pending_removals_all_sleep_soon() -> None:  # [5]
    # One split a step: 60 islands with a removal pending are asleep at most 60 steps after the first could be.
    with b2.World() as world:
        make_ground(world, 300)
        piles = [tower(world, 4 * k - 120, 2) for k in range(60)]
        tops = [pile[1] for pile in piles]
        run(world, 10)
        for top in tops:
            top.destroy()
        steps = run_until_asleep(world)
        assert steps <= 30 + 60 + 40
        assert islands_of(world) == components(world)


def test_pending_removals_survive_a_merge_of_islands() -> None:  # [7]
    with b2.World(gravity=(0, 0)) as world:
        bodies = [world.create_dynamic_body((3 * k, 0)) for k in range(6)]
        for body in bodies:
            body.create_shape(b2.Circle(0.5))
        joints = [world.create_revolute_joint(a, b, anchor=a.position) for a, b in itertools.pairwise(bodies)]
        run(world, 2)
        joints[1].destroy()  # pending in the island of all six
        big = [world.create_dynamic_body((3 * k, 10)) for k in range(10)]
        for a, b in itertools.pairwise(big):
            world.create_revolute_joint(a, b, anchor=a.position)
        world.create_revolute_joint(
            bodies[5], big[0], anchor=(0, 10)
        )  # the smaller island, with its removal, goes into the larger
        world.validate()
        run_until_asleep(world)
        assert islands_of(world) == components(world)
        assert world.counters.islands == 2


def test_removing_a_link_right_after_adding_it_keeps_the_lists_valid() -> None:  # [7]
    with b2.World(gravity=(0, 0)) as world:
        bodies = [world.create_dynamic_body((3 * k, 0)) for k in range(8)]
        for round_ in range(5):
            joints = [
                world.create_revolute_joint(a, b, anchor=a.position) for a, b in zip(bodies, bodies[1 + round_ % 3 :])
            ]
            for joint in joints[:: 1 + round_ % 2]:
                joint.destroy()
                world.validate()
            world.step(DT, 1)
            world.validate()
            assert_coarsening(world)


# -- 10: taking support away


def remove_body(body: b2.Body) -> None:
    body.destroy()


def remove_shape(body: b2.Body) -> None:
    body.shapes[0].destroy()


def teleport(body: b2.Body) -> None:
    body.position = (50, 50)


def turn(body: b2.Body) -> None:
    body.angle = 1.0


def disable(body: b2.Body) -> None:
    body.enabled = False


def refuse(body: b2.Body) -> None:
    body.shapes[0].filter = b2.Filter(1, 0)


def make_sensor(body: b2.Body) -> None:
    body.shapes[0].sensor = True


def shrink(body: b2.Body) -> None:
    body.shapes[0].geometry = b2.Box(0.1, 0.1)


def change_type(body: b2.Body) -> None:
    body.type = "dynamic" if body.type != b2.BodyType.DYNAMIC else "kinematic"


REMOVALS = [remove_body, remove_shape, teleport, turn, disable, refuse, make_sensor, shrink, change_type]


@pytest.mark.parametrize("remove", REMOVALS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", ["static", "kinematic", "dynamic"])
def test_removing_a_support_wakes_the_bodies_that_rested_on_it(
    kind: str, remove: Callable[[b2.Body], None]
) -> None:  # [10]
    with b2.World() as world:
        world.create_static_body((0, -20)).create_shape(b2.Box(50, 1))
        support = getattr(world, f"create_{kind}_body")((0, -0.5))
        support.create_shape(b2.Box(1, 0.5))
        if kind == "dynamic":
            world.create_static_body((0, -2)).create_shape(b2.Box(5, 1))
        boxes = tower(world, 0, 3)
        far = world.create_static_body((20, -1))
        far.create_shape(b2.Box(5, 1))
        others = tower(world, 20, 2)
        run_until_asleep(world)
        remove(support)
        world.validate()
        assert all(awake_of(boxes)), "woken before the next step"
        assert not any(awake_of(others))
        run(world, 30)
        assert not any(awake_of(others))
        if remove not in (change_type, turn) and kind != "dynamic":
            assert boxes[0].position.y < 0.3, "and it falls"


def test_removing_the_middle_of_a_sleeping_stack_lets_the_upper_part_fall() -> None:  # [10]
    with b2.World() as world:
        make_ground(world)
        boxes = tower(world, 0, 5)
        run_until_asleep(world)
        boxes[2].destroy()
        assert awake_of(boxes[:2] + boxes[3:]) == [True] * 4
        run_until_asleep(world)
        assert boxes[4].position.y == pytest.approx(3.5, abs=0.05)


def test_destroying_a_joint_wakes_both_bodies() -> None:  # [10]
    with b2.World() as world:
        ceiling = world.create_static_body((0, 10))
        lamp, bulb = world.create_dynamic_body((0, 9)), world.create_dynamic_body((0, 8))
        for body in (lamp, bulb):
            body.create_shape(b2.Circle(0.2))
        upper = world.create_revolute_joint(ceiling, lamp, anchor=(0, 10))
        lower = world.create_revolute_joint(lamp, bulb, anchor=(0, 9))
        run_until_asleep(world)
        lower.destroy()
        world.validate()
        assert lamp.awake
        assert bulb.awake
        run_until_asleep_of(world, lamp)
        upper.destroy()
        assert lamp.awake
        run(world, 30)
        assert lamp.position.y < 8


def run_until_asleep_of(world: b2.World, body: b2.Body) -> None:
    for _ in range(300):
        run(world, 1)
        if not body.awake:
            return
    raise AssertionError(f"{body} does not sleep")


def test_teleporting_a_body_wakes_its_old_and_its_new_neighbours() -> None:
    with b2.World() as world:
        make_ground(world)
        left, right = tower(world, -5, 3), tower(world, 5, 2)
        run_until_asleep(world)
        top = left[2]
        top.position = (5, 2.5)
        assert all(awake_of(left)), "what it left"
        run(world, 2)
        assert all(awake_of(right)), "what it met"
        run_until_asleep(world)
        assert top.position.y == pytest.approx(2.5, abs=0.05)


# -- 11 and numbers: what sleep may look like


def test_a_sinking_pile_does_not_sleep_inside_the_floor() -> None:  # [11]
    with b2.World() as world:
        make_ground(world)
        deep = world.create_dynamic_body((0, 0.2))  # 30 cm of overlap: pushed out at a limited speed
        deep.create_shape(b2.Box(0.5, 0.5))
        run_until_asleep(world)
        assert deep.position.y > 0.48


def test_slow_correction_counts_as_motion() -> None:  # [11]
    # Velocities are relaxed to zero while the pose still creeps out of an overlap.
    with b2.World(contact_push_speed=0.2) as world:
        make_ground(world)
        deep = world.create_dynamic_body((0, 0.1))
        deep.create_shape(b2.Box(0.5, 0.5))
        creeping = 0
        for _ in range(300):
            y = deep.position.y
            world.step(DT, 4)
            if not deep.awake:
                break
            moved = abs(deep.position.y - y) / DT
            creeping += moved > 0.1
            assert deep.sleep_timer == 0 or moved < 0.11
        assert creeping > 30
        assert deep.position.y > 0.45


def test_sleeping_bodies_read_zero_velocity_and_no_motion() -> None:
    with b2.World() as world:
        make_ground(world)
        boxes = tower(world, 0, 6)
        ball = world.create_dynamic_body((5, 3))
        ball.create_shape(b2.Circle(0.5), rolling_resistance=0.05)
        run_until_asleep(world)
        for body in (*boxes, ball):
            assert tuple(body.linear_velocity) == (0, 0)
            assert body.angular_velocity == 0
        assert (world.arrays.linear_velocity == 0).all()
        before = world.state_hash()
        run(world, 20)
        assert world.state_hash() == before
        assert len(world.events.body_move) == 0


def test_each_body_reports_falling_asleep_exactly_once() -> None:
    with b2.World() as world:
        make_ground(world)
        bodies = tower(world, 0, 5) + tower(world, 4, 2)
        for _ in range(3):
            reported: dict[int, int] = {}
            for _ in range(600):
                awake_before = {body.index for body in bodies if body.awake}
                world.step(DT, 4)
                moves = world.events.body_move
                assert {event.body.index for event in moves} == awake_before
                for event in moves:
                    if event.fell_asleep:
                        reported[event.body.index] = reported.get(event.body.index, 0) + 1
                        assert not event.body.awake
                if world.counters.awake_bodies == 0:
                    break
            assert reported == {body.index: 1 for body in bodies}
            for body in bodies:
                body.awake = True


def test_waking_restores_impulses_and_bodies_do_not_jump() -> None:
    with b2.World() as world:
        make_ground(world)
        boxes = tower(world, 0, 8)
        run_until_asleep(world)
        poses = [(tuple(body.position), body.angle) for body in boxes]
        impulses = world.arrays.contacts["normal_impulse"].copy()
        assert impulses.max() > 0
        boxes[3].awake = True
        assert (world.arrays.contacts["normal_impulse"] == impulses).all()
        world.step(DT, 4)
        for (position, angle), body in zip(poses, boxes, strict=True):
            assert math.dist(position, body.position) < 2e-4
            assert abs(angle - body.angle) < 2e-4
            assert math.hypot(*body.linear_velocity) < 0.02
        # the lowest contact carries all eight
        assert world.arrays.contacts["normal_impulse"].sum(axis=1).max() == pytest.approx(8 * 10 * DT / 4, rel=0.1)


def test_sleeping_contacts_keep_their_points_and_begin_only_once() -> None:
    with b2.World() as world:
        make_ground(world)
        boxes = tower(world, 0, 3)
        run_until_asleep(world)
        touching = world.counters.touching
        assert touching == 3
        for _ in range(3):
            boxes[0].awake = True
            world.step(DT, 4)
            assert len(world.events.contact_begin) == 0
            assert len(world.events.contact_end) == 0
            assert world.counters.touching == touching
            run_until_asleep(world)
            assert len(world.arrays.contacts) == touching


def test_a_body_that_may_not_sleep_keeps_its_island_awake() -> None:
    with b2.World() as world:
        make_ground(world)
        boxes, others = tower(world, 0, 3), tower(world, 5, 3)
        boxes[1].can_sleep = False
        run(world, 120)
        assert all(awake_of(boxes))
        assert not any(awake_of(others))
        boxes[1].can_sleep = True
        run_until_asleep(world)
        boxes[1].can_sleep = False
        assert all(awake_of(boxes))


def test_switching_sleep_off_wakes_all_bodies_and_keeps_them_awake() -> None:
    with b2.World() as world:
        make_ground(world)
        tower(world, 0)
        tower(world, 5)
        run_until_asleep(world)
        world.sleeping = False
        world.validate()
        assert world.counters.awake_bodies == 8
        run(world, 90)
        assert world.counters.awake_bodies == 8
        world.sleeping = True
        run_until_asleep(world)


def test_bodies_created_asleep_sleep_until_touched() -> None:
    with b2.World() as world:
        make_ground(world)
        bodies = [world.create_dynamic_body((0, 0.5 + 1.0 * k), awake=False, linear_velocity=(1, 0)) for k in range(3)]
        for body in bodies:
            body.create_shape(b2.Box(0.5, 0.5))
        floating = world.create_dynamic_body((9, 9), awake=False)
        floating.create_shape(b2.Circle(0.5))
        run(world, 30)
        assert not any(awake_of([*bodies, floating]))
        assert tuple(floating.position) == (9, 9)
        bodies[2].apply_impulse((0, -0.1))
        run(world, 2)
        assert all(awake_of(bodies))
        assert not floating.awake
        run_until_asleep(world)


def test_forces_without_wake_do_not_move_sleeping_bodies() -> None:
    with b2.World() as world:
        make_ground(world)
        boxes = tower(world, 0, 2)
        run_until_asleep(world)
        before = world.state_hash()
        boxes[0].apply_force((100, 0), wake=False)
        boxes[0].apply_torque(100, wake=False)
        boxes[0].apply_impulse((100, 0), wake=False)
        boxes[0].apply_angular_impulse(100, wake=False)
        run(world, 5)
        assert world.state_hash() == before
        for push in (lambda b: b.apply_force((1, 0)), lambda b: b.apply_torque(1.0)):
            push(boxes[0])
            assert all(awake_of(boxes))
            run_until_asleep(world)


def test_sleep_time_counts_seconds_for_any_step_size() -> None:
    for dt in (1 / 30, 1 / 60, 1 / 240):
        with b2.World(gravity=(0, 0)) as world:
            body = world.create_dynamic_body()
            body.create_shape(b2.Circle(0.5))
            seconds = 0.0
            while body.awake:
                world.step(dt, 4)
                seconds += dt
            assert seconds == pytest.approx(0.5, abs=1.5 * dt)
