"""`save`, `restore`, `clone`, `clear` and the copies of Python: handles, data of the user, options, wrong use."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest

import box2dpy as b2

from ..patience import in_threads
from ..stepping import advance

DT = 1 / 60


@pytest.fixture
def world() -> Any:
    with b2.World() as world:
        ground = world.create_static_body((0, -1), name="ground")
        ground.create_shape(b2.Box(20, 1))
        for k in range(4):
            world.create_dynamic_body((0, 0.5 + k), name=f"box {k}").create_shape(b2.Box(0.5, 0.5))
        world.create_revolute_joint(world.body(0), world.body(4), anchor=(0, 5))
        world.step(DT)
        yield world


def test_handles_of_later_objects_die_and_those_of_destroyed_objects_live_again(world: b2.World) -> None:
    body, joint = world.body(2), world.joint(0)
    shape = body.shapes[0]
    state = world.save()
    body.destroy()
    world.body(4).destroy()
    later = world.create_dynamic_body((9, 9))
    later_shape = later.create_shape(b2.Circle(1))
    assert later.index == 2
    assert not body.alive
    assert not joint.alive
    world.restore(state)
    assert body.alive
    assert shape.alive
    assert joint.alive
    assert not later.alive
    assert not later_shape.alive
    assert world.body(2) is body
    assert body.shapes[0] is shape
    assert world.joint(0) is joint
    assert joint.body_b.index == 4
    for use in (lambda: later.position, lambda: later.mass, lambda: later.apply_force((1, 0))):
        with pytest.raises(b2.DestroyedError):
            use()
    # An object that is created now has another generation, also if it takes the same index
    again = world.create_dynamic_body((9, 9))
    assert again != later
    with pytest.raises(b2.DestroyedError):
        later.linear_velocity = (1, 0)


def test_a_handle_that_was_made_after_the_saved_moment_lives_again_too(world: b2.World) -> None:
    gc.collect()
    state = world.save()
    body = world.body(3)
    body.destroy()
    world.restore(state)
    assert body.alive
    assert world.body(3) is body
    for _ in range(3):  # states may be restored in any order
        later = world.create_dynamic_body((5, 5))
        second = world.save()
        world.restore(state)
        assert not later.alive
        world.restore(second)
        assert later.alive
        assert later.position == (5, 5)
        later.destroy()


def test_data_names_and_categories_return_to_the_saved_moment(world: b2.World) -> None:
    body = world.body(1)
    kept: list[int] = []
    body.data = kept
    before = world.categories
    state = world.save()
    body.data, body.name = "other", "other"
    world.body(2).data = 7
    world.categories = b2.Categories("ghost")
    kept.append(1)
    world.restore(state)
    assert body.data is kept
    assert body.name == "box 0"
    assert world.body(2).data is None
    assert world.categories is before


def test_arrays_and_options_return_to_the_saved_moment(world: b2.World) -> None:
    view = world.arrays.position
    before = view.copy()
    world.gravity = (0, 5)
    state = world.save()
    world.gravity, world.sleep_time = (3, 3), 9.0
    advance(world, 30, DT)
    assert not np.array_equal(view, before)
    world.restore(state)
    assert np.array_equal(view, before), "a view shows the restored state"
    assert (world.gravity, world.sleep_time) == ((0, 5), 0.5)


def test_events_and_contacts_are_those_of_the_saved_moment() -> None:
    with b2.World() as world:
        ground = world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        ball = world.create_dynamic_body((0, 0.5)).create_shape(b2.Circle(0.5))
        world.step(DT)
        assert len(world.events.contact_begin) == 1
        state = world.save()
        contact = next(iter(world.contacts))
        ball.destroy()
        world.step(DT)
        assert len(world.events.contact_end) == 1
        world.restore(state)
        assert [(event.shape_a, event.shape_b) for event in world.events.contact_begin] == [(ground, ball)]
        assert contact.alive
        assert contact.touching
        ball.destroy()  # its end is pending
        pending = world.save()
        with world.clone() as other:
            other.step(DT)
            assert len(other.events.contact_end) == 1
        world.clear()
        world.restore(pending)
        world.step(DT)
        assert len(world.events.contact_end) == 1


def test_refused_pairs_and_callbacks() -> None:
    asked: list[str] = []

    def refuse(a: b2.Shape, b: b2.Shape) -> bool:
        asked.append("asked")
        return False

    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        ball = world.create_dynamic_body((0, 0.2), can_sleep=False)
        ball.create_shape(b2.Circle(0.5))
        world.on_filter = refuse
        world.step(DT)
        assert len(asked) == 1
        state = world.save()
        with world.clone() as plain, world.clone(callbacks=True) as full:
            assert plain.on_filter is None
            assert full.on_filter is refuse
            for each in (plain, full):
                each.step(DT)
                assert not any(contact.touching for contact in each.contacts)
            assert len(asked) == 1, "the pair stays refused in both, and nobody is asked again"
        advance(world, 3, DT)
        world.restore(state)
        world.step(DT)
        assert len(asked) == 1
        assert world.on_filter is refuse


def test_a_clone_shares_data_and_finds_counterparts(world: b2.World) -> None:
    marker = object()
    world.body(1).data = marker
    world.body(1).shapes[0].data = marker
    with world.clone() as other:
        assert other.state_hash() == world.state_hash()
        assert other.body(1).data is marker
        assert other.body(1).shapes[0].data is marker
        assert other.body(1).name == "box 0"
        assert other.categories is world.categories
        assert other.body(1) != world.body(1)
        assert other.body(1).world is other
        assert other.joint(0).body_b is other.body(4)
        other.body(1).data = None
        other.body(1).destroy()
        world.step(DT)
        assert world.body(1).data is marker
        other.validate()
        world.validate()


def test_a_clone_takes_options_and_refuses_wrong_ones(world: b2.World) -> None:
    pool = b2.Scheduler(2)
    with world.clone(gravity=(1, 2), workers=pool, broadphase="tree", simd="scalar", sleeping=False) as other:
        assert other.gravity == (1, 2)
        assert other.workers == 2
        assert (other.strategies, other.simd) == (b2.lab.Strategies(broadphase="tree"), "scalar")
        assert not other.sleeping
        with other.clone(narrowphase="per_pair") as third:
            assert third.workers == 2, "a shared scheduler is shared"
            assert third.strategies == b2.lab.Strategies(broadphase="tree", narrowphase="per_pair")
    for wrong, error in (
        ({"gravity": (0, float("nan"))}, ValueError),
        ({"workers": 0}, ValueError),
        ({"workers": 2.5}, TypeError),
        ({"broadphase": "fast"}, ValueError),
        ({"simd": "mmx"}, ValueError),
        ({"callbacks": 3}, TypeError),
        ({"colour": 1}, TypeError),
        ({"sleep_time": -1.0}, ValueError),
    ):
        before = world.state_hash()
        with pytest.raises(error):
            world.clone(**wrong)  # type: ignore[arg-type]
        assert world.state_hash() == before


class Game(b2.World):
    """A subclass with attributes of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.hero = self.create_dynamic_body((0, 3))
        self.score = [1]


def test_copies_of_python() -> None:
    with Game() as game:
        friend = game.create_dynamic_body((2, 2))
        game.hero.data = {"friend": friend, "items": []}
        shallow, deep = copy.copy(game), copy.deepcopy(game)
        assert type(shallow) is type(deep) is Game
        assert shallow.score is game.score
        assert shallow.hero is game.hero, "a shallow copy shares what it finds"
        assert shallow.body(0).data is game.hero.data
        assert deep.score == [1]
        assert deep.score is not game.score
        assert deep.hero is deep.body(0)
        assert deep.hero.data["friend"] is deep.body(1)
        assert deep.hero.data["items"] is not game.hero.data["items"]
        assert deep.categories is not game.categories
        holder = copy.deepcopy({"body": friend, "world": game})
        assert holder["body"].world is holder["world"]
        with pytest.raises(TypeError, match="Body"):
            copy.copy(friend)
        for each in (shallow, deep, holder["world"]):
            each.step(DT)
            each.validate()
            each.close()


def test_clear_keeps_what_is_not_an_object() -> None:
    with b2.World(gravity=(0, -3), sleep_time=1.5) as world, b2.World(gravity=(0, -3), sleep_time=1.5) as fresh:
        world.set_material_pair(1, 2, friction=0.1)
        world.on_contact_begin = repr
        for k in range(50):
            world.create_dynamic_body((0, 0.4 * k)).create_shape(b2.Circle(0.5))
        advance(world, 20, DT)
        bytes_before, bodies = world.counters.bytes, list(world.bodies)
        bodies[3].data = 3
        world.clear()
        world.validate()
        assert not any(body.alive for body in bodies)
        assert (len(world.bodies), len(world.shapes), len(world.contacts), len(world.islands)) == (0, 0, 0, 0)
        assert not world.events.contact_begin
        assert world.gravity == (0, -3)
        assert world.material_pairs[1, 2].friction == pytest.approx(0.1)
        assert world.on_contact_begin is repr
        assert world.counters.bytes > 0.95 * bytes_before, "the memory is kept"
        world.on_contact_begin = None
        for each in (world, fresh):
            each.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
            for k in range(20):
                each.create_dynamic_body((0.1 * k, 1.1 * k + 1)).create_shape(b2.Box(0.5, 0.5))
        for _ in range(60):
            world.step(DT)
            fresh.step(DT)
            assert world.state_hash() == fresh.state_hash()
        world.validate()


def test_states_outlive_worlds_and_go_to_other_ones(world: b2.World) -> None:
    state, wanted = world.save(), world.state_hash()
    assert state.nbytes > 1000
    world.close()
    with b2.World(broadphase="brute") as other:
        old = other.create_dynamic_body((3, 3))
        other.restore(state)
        assert other.state_hash() == wanted
        assert other.body(1).name == "box 0"
        assert not old.alive or old.index < 5
        other.validate()


def test_wrong_use_is_refused(world: b2.World) -> None:
    state = world.save()
    for wrong in (None, "text", world, object()):
        with pytest.raises(TypeError, match="state"):
            world.restore(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="save"):
        b2.State()
    raised: list[type] = []

    def meddle(_: object) -> None:
        for call in (world.save, world.clone, world.clear, lambda: world.restore(state)):
            with pytest.raises(b2.WorldLockedError):
                call()
            raised.append(b2.WorldLockedError)

    world.body(1).position = (5, 5)
    world.on_body_move = meddle
    world.step(DT)
    assert len(raised) >= 4
    world.close()
    for call in (world.save, world.clone, world.clear, lambda: world.restore(state), lambda: copy.copy(world)):
        with pytest.raises(b2.DestroyedError):
            call()


def test_threads_restore_one_state_into_their_own_worlds(world: b2.World) -> None:
    state = world.save()
    found: list[int] = []

    def work() -> None:
        with b2.World() as mine:
            for _ in range(20):
                mine.restore(state)
                mine.step(DT)
            found.append(mine.state_hash())

    in_threads([work] * 4)
    world.step(DT)
    assert found == [world.state_hash()] * 4


@pytest.mark.parametrize("speed", [1e9, -1e9])
def test_a_body_that_has_made_the_most_turns_can_be_restored(speed: float) -> None:
    with b2.World(gravity=(0, 0)) as world:
        wheels = [
            world.create_dynamic_body((3 * k, 0), allow_fast_rotation=True, angular_velocity=w)
            for k, w in enumerate((speed, -speed))
        ]
        for wheel in wheels:
            wheel.create_shape(b2.Box(0.5, 0.5))
        advance(world, 9, 1.0, 1)
        assert abs(wheels[0].turns) == abs(wheels[1].turns) == 1_000_000_000
        world.restore(world.snapshot())
        assert pickle.loads(pickle.dumps(world)).state_hash() == world.state_hash()


@pytest.mark.parametrize("random", [(1,), (1, 2, 3, 4), (1, 2, -1), (1, 2, 2**64), (1, 2, 0.5), "abc"])
def test_the_random_stream_of_a_forged_pickle_is_checked(random: Any) -> None:
    with b2.World() as world:
        world.create_dynamic_body()
        batch = b2.WorldBatch(world, 2)
        make, (data, categories, stream), own = batch.save()[0].__reduce__()
        state = make(data, categories, stream)
        batch.restore(state, random=True)
        with pytest.raises((ValueError, TypeError), match="random"):
            make(data, categories, random)
        wrong = "must be a dictionary, and"
        for forged in (lambda: make(data, "all", stream), lambda: state.__setstate__([]),
                       lambda: world.__setstate__(([], categories, {})),
                       lambda: world.__setstate__((own, "all", {}))):  # fmt: skip
            with pytest.raises(TypeError, match=wrong):
                forged()


def test_the_masks_of_a_forged_batch_are_those_of_its_worlds() -> None:
    with b2.World() as world:
        world.create_dynamic_body()
        batch = b2.WorldBatch(world, 2)
        make, arguments, contents = batch.__reduce__()
        for name, wrong in (("invalid", np.zeros(3, bool)), ("random", np.zeros(5)), ("force", np.zeros((2, 7, 2)))):
            with pytest.raises(ValueError, match="broadcast"):
                make(*arguments).__setstate__({**contents, name: wrong})


def test_the_handles_of_a_world_never_stand_for_another_kind_of_object_of_a_foreign_state() -> None:
    """The numbers of the objects of two worlds are the same, and their kinds, indices and types of joints are not."""
    with b2.World() as first, b2.World() as second:
        a = [first.create_dynamic_body((k, 2)) for k in range(2)]
        shapes = [body.create_shape(b2.Circle(0.2)) for body in a]
        joint = first.create_revolute_joint(*a, anchor=(0, 2))
        hit = first.ray_cast((0, 5), (0, -9))
        own = first.save()
        b = [second.create_dynamic_body((k, 5)) for k in range(3)]
        shape = b[0].create_shape(b2.Box(0.4, 0.4))
        second.create_weld_joint(b[0], b[1], anchor=(0, 5))
        for state in (second.save(), second.snapshot()):
            first.restore(state)
            assert {type(each) for each in first.bodies} == {b2.Body}
            assert [each.position.y for each in first.bodies] == [5, 5, 5]
            assert [type(each) for each in first.body(0).shapes] == [b2.Shape]
            assert [type(each) for each in first.joints] == [b2.WeldJoint]
            assert all(each.alive for each in (*first.bodies, *first.joints, *first.body(0).shapes))
            assert (a[0].alive, a[0].position.y, shapes[1].alive, joint.alive) == (True, 5, False, False)
            assert hit is not None and isinstance(hit.shape, b2.Shape) and not hit.shape.alive
            first.restore(own)
            assert all(each.alive for each in (*a, *shapes, joint))
            assert [*first.joints] == [joint] and first.joint(0) is joint and a[0].shapes[0] is shapes[0]
        assert shape.alive


def test_a_joint_of_another_type_has_a_handle_of_another_class() -> None:
    """Everything else of the two worlds is the same."""
    worlds = b2.World(), b2.World()
    pairs = [[world.create_dynamic_body((k, 2)) for k in range(2)] for world in worlds]
    hinge = worlds[0].create_revolute_joint(*pairs[0], anchor=(0, 2))
    worlds[1].create_weld_joint(*pairs[1], anchor=(0, 2))
    own = worlds[0].save()
    worlds[0].restore(worlds[1].save())
    assert not hinge.alive and type(worlds[0].joint(0)) is b2.WeldJoint
    worlds[0].restore(own)
    assert hinge.alive and worlds[0].joint(0) is hinge
    for world in worlds:
        world.close()
