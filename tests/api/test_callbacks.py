"""Callbacks: when they run, what they decide, which calls they may make, and where their exceptions are raised."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import box2dpy as b2

from ..patience import in_threads

DT = 1 / 60
OPTIONS: list[dict[str, Any]] = [
    {"simd": "scalar", "broadphase": "brute", "narrowphase": "per_pair"}, {"workers": 3},
    {"workers": 2, "broadphase": "tree"},
]  # fmt: skip
EVENTS = {
    "contact_begin": "contact_begin", "contact_end": "contact_end", "contact_hit": "contact_hit",
    "sensor_begin": "sensor_begin",
    "sensor_end": "sensor_end", "joint_threshold": "joint_threshold", "body_move": "body_move",
}  # fmt: skip


def drop(world: b2.World, height: float = 1.0, speed: float = 0.0, **shape: Any) -> b2.Body:
    """A floor whose top is y = 0, and a ball over it."""
    world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
    ball = world.create_dynamic_body((0, height), linear_velocity=(0, speed))
    ball.create_shape(b2.Circle(0.5), **shape)
    return ball


def run(world: b2.World, steps: int) -> None:
    for _ in range(steps):
        world.step(DT)
        world.validate()


def rain(world: b2.World) -> None:
    """Balls, boxes, a sensor and a loaded joint, all with events."""
    floor = world.create_static_body((0, -1))
    floor.create_shape(b2.Box(20, 1))
    world.create_static_body((0, 2)).create_shape(b2.Box(3, 0.5), sensor=True)
    for k in range(24):
        body = world.create_dynamic_body((-4 + 0.37 * k, 1 + 0.41 * k), angle=k, linear_velocity=(0, -3))
        shape = b2.Circle(0.3) if k % 2 else b2.Box(0.3, 0.3)
        body.create_shape(shape, hit_events=True, sensor_events=True, restitution=0.3, presolve=k % 3 == 0)
    weight = world.create_dynamic_body((9, 5))
    weight.create_shape(b2.Circle(0.5))
    world.create_revolute_joint(floor, weight, anchor=(9, 7), force_threshold=1.0)


def test_event_callbacks_are_called_in_the_order_of_the_events() -> None:
    with b2.World(sleep_time=0.2) as world:
        rain(world)
        reported: dict[str, list[Any]] = {name: [] for name in EVENTS}
        for name in EVENTS:
            setattr(world, f"on_{name}", reported[name].append)
        seen = 0
        for _ in range(240):
            for each in reported.values():
                each.clear()
            world.step(DT)
            for name, each in reported.items():
                assert each == list(getattr(world.events, name)), name
                seen |= (len(each) > 0) << list(EVENTS).index(name)
        assert seen == 2 ** len(EVENTS) - 1


def test_contact_callbacks_run_before_the_impact_and_hit_callbacks_after_it() -> None:
    with b2.World() as world:
        ball = drop(world, 1.0, -6.0, hit_events=True)
        speeds: dict[str, float] = {}
        world.on_contact_begin = lambda event: speeds.setdefault("begin", ball.linear_velocity.y)
        world.on_contact_hit = lambda event: speeds.setdefault("hit", ball.linear_velocity.y)
        run(world, 30)
        assert speeds["begin"] < -6.0 and abs(speeds["hit"]) < 0.5


def test_event_callbacks_do_not_change_results() -> None:
    hashes = set()
    for listening in (False, True):
        with b2.World() as world:
            rain(world)
            if listening:
                for name in EVENTS:
                    setattr(world, f"on_{name}", lambda event: None)
                world.on_filter = lambda a, b: True
                world.on_presolve = lambda contact: None
            for _ in range(150):
                world.step(DT)
            hashes.add(world.state_hash())
    assert len(hashes) == 1


# -- the filter


def test_a_filtered_pair_passes_and_is_filtered_again_only_after_its_boxes_parted() -> None:
    with b2.World(gravity=(0, 0)) as world:
        wall = world.create_static_body().create_shape(b2.Box(0.5, 5))
        ball = world.create_dynamic_body((-3, 0), linear_velocity=(5, 0))
        shape = ball.create_shape(b2.Circle(0.5))
        asked: list[tuple[b2.Shape, b2.Shape]] = []
        world.on_filter = lambda a, b: bool(asked.append((a, b)))
        run(world, 90)
        assert asked == [(wall, shape)] and ball.position.x == pytest.approx(4.5, abs=1e-3)
        ball.linear_velocity = -5, 0
        run(world, 90)
        assert len(asked) == 2 and ball.position.x == pytest.approx(-3, abs=1e-3)
        assert world.counters.contacts == 0


def test_a_new_filter_callback_is_called_for_pairs_that_the_old_one_refused() -> None:
    with b2.World(gravity=(0, 0)) as world:
        world.create_static_body().create_shape(b2.Box(0.5, 5))
        ball = world.create_dynamic_body((-0.9, 0))
        shape = ball.create_shape(b2.Circle(0.5))
        world.on_filter = lambda a, b: False
        run(world, 5)
        assert world.counters.contacts == 0 and ball.position == (-0.9, 0)
        asked: list[Any] = []
        world.on_filter = lambda a, b: bool(asked.append(a))
        run(world, 5)
        assert len(asked) == 1 and world.counters.contacts == 0
        shape.filter = b2.Filter(category=2)  # the contact was created again, so the filter is called again
        run(world, 5)
        assert len(asked) == 2
        world.on_filter = None
        run(world, 30)
        assert world.counters.touching == 1 and ball.position.x < -0.98


def test_a_new_filter_callback_wakes_bodies_that_sleep_inside_a_refused_shape() -> None:
    with b2.World(gravity=(0, 0), sleep_time=0.1) as world:
        world.create_static_body().create_shape(b2.Box(0.5, 5))
        ball, other = world.create_dynamic_body((-0.9, 0)), world.create_dynamic_body((9, 0))
        ball.create_shape(b2.Circle(0.5))
        other.create_shape(b2.Circle(0.5))
        world.on_filter = lambda a, b: False
        run(world, 30)
        assert world.counters.awake_bodies == 0
        world.on_filter = None
        assert ball.awake and not other.awake
        run(world, 30)
        assert ball.position.x < -0.98


def test_the_filter_callback_is_called_only_for_pairs_that_categories_and_types_allow() -> None:
    with b2.World(gravity=(0, 0)) as world:
        asked: list[tuple[int, int]] = []
        world.on_filter = lambda a, b: asked.append((a.index, b.index))  # None allows
        body = world.create_dynamic_body()
        one, two = body.create_shape(b2.Circle(1)), body.create_shape(b2.Circle(2))
        world.create_dynamic_body().create_shape(b2.Circle(1), filter=b2.Filter(mask=0))
        world.create_static_body().create_shape(b2.Circle(1), sensor=True)
        last = world.create_static_body().create_shape(b2.Circle(1))
        run(world, 3)
        assert asked == [(one.index, last.index), (two.index, last.index)] and world.counters.contacts == 2


@pytest.mark.parametrize("speed", [4.0, 100.0, 300.0])
@pytest.mark.parametrize("allowed", [False, True])
def test_the_filter_callback_is_called_before_a_fast_body_is_stopped(speed: float, allowed: bool) -> None:
    with b2.World(gravity=(0, 0)) as world:
        world.create_static_body().create_shape(b2.Box(0.05, 5))
        ball = world.create_dynamic_body((-3, 0), linear_velocity=(speed, 0))
        ball.create_shape(b2.Circle(0.1))
        world.on_filter = lambda a, b: allowed
        steps = int(6 / speed / DT) + 2
        run(world, steps)
        if allowed:
            assert ball.position.x < 0
        else:
            assert ball.position.x == pytest.approx(-3 + speed * steps * DT, rel=1e-4)


def test_filter_and_presolve_calls_are_the_same_for_all_engine_options() -> None:
    runs = []
    for options in OPTIONS:
        with b2.World(**options) as world:
            rain(world)
            bullet = world.create_dynamic_body((-30, 0.6), linear_velocity=(300, 0), bullet=True)
            bullet.create_shape(b2.Circle(0.1), presolve=True)
            asked: list[Any] = []

            def allow(a: b2.Shape, b: b2.Shape, asked: list[Any] = asked) -> bool:
                asked.append((a.index, b.index))
                return (3 * a.index + b.index) % 4 != 0

            def keep(contact: b2.Presolve, asked: list[Any] = asked) -> bool:
                row = (contact.shape_a.index, contact.shape_b.index, contact.fast, contact.normal, contact.points)
                asked.append(row)
                return contact.normal.y > 0.3 or contact.normal.y < -0.3

            world.on_filter, world.on_presolve = allow, keep
            run(world, 120)
            runs.append((asked, world.state_hash()))
    assert len(runs[0][0]) > 200
    assert runs[1:] == runs[:-1]


# -- presolve


def test_presolve_gets_the_contact_and_can_disable_it_for_single_steps() -> None:
    with b2.World() as world:
        ball = drop(world, 0.6, presolve=True)
        holds, seen = True, []

        def decide(contact: b2.Presolve) -> bool:
            assert {contact.shape_a.body, contact.shape_b.body} == set(world.bodies) and not contact.fast
            up = contact.normal if contact.shape_b.body is ball else -contact.normal
            assert up.y == pytest.approx(1) and len(contact.points) == 1
            seen.append(contact.persisted)
            return holds

        world.on_presolve = decide
        run(world, 60)
        assert ball.position.y == pytest.approx(0.5, abs=0.01)
        assert seen[:3] == [False, True, True]
        begins = ends = 0
        holds = False
        ball.awake = True
        world.step(DT)
        ends += len(world.events.contact_end)
        run(world, 20)
        assert ends == 1 and begins == 0 and ball.position.y < 0.2 and world.counters.touching == 0


def test_presolve_is_not_called_for_shapes_without_the_flag() -> None:
    with b2.World() as world:
        drop(world, 0.6)
        world.on_presolve = lambda contact: False
        run(world, 30)
        assert world.counters.touching == 1
        world.shape(1).presolve = True
        run(world, 3)
        assert world.counters.touching == 0


@pytest.mark.parametrize("bullet", [False, True])
def test_presolve_is_called_along_the_sweep_of_a_fast_body_in_order(bullet: bool) -> None:
    with b2.World(gravity=(0, 0)) as world:
        paper = [
            world.create_static_body((x, 0)).create_shape(b2.Box(0.05, 5), presolve=True) for x in (2.0, -1.0, 0.5)
        ]
        ball = world.create_dynamic_body((-3, 0), linear_velocity=(350, 0), bullet=bullet)
        shape = ball.create_shape(b2.Circle(0.1))
        met: list[b2.Shape] = []

        def decide(contact: b2.Presolve) -> bool:
            if contact.fast:
                assert (
                    contact.shape_b is shape
                    and contact.contact is None
                    and contact.normal.x == pytest.approx(-1, abs=1e-3)
                )
                assert contact.points[0].point.x == pytest.approx(contact.shape_a.body.position.x - 0.05, abs=0.02)
                assert contact.points[0].relative_velocity.x == pytest.approx(350)
                met.append(contact.shape_a)
            return contact.shape_a is paper[0] or contact.shape_b is paper[0]  # only the last call counts

        world.on_presolve = decide
        run(world, 3)
        assert met == [paper[1], paper[2], paper[0]]
        assert 0.6 < ball.position.x < 1.96


def test_presolve_is_called_for_awake_contacts_only() -> None:
    with b2.World(sleep_time=0.1) as world:
        for k in range(100):  # shelves of 100 sleeping boxes each
            world.create_static_body((0, 3 * k - 0.5)).create_shape(b2.Box(200, 0.5))
        grid = [(2 * (k % 100) - 100, 3 * (k // 100) + 0.5) for k in range(10_000)]
        world.create_bodies(grid, geometry=b2.Box(0.5, 0.5), presolve=True)
        while world.counters.awake_bodies:
            world.step(DT)
            assert world.counters.presolve_looks == 0, "no callback is set"
        assert world.counters.touching == 10_000
        for k in range(10):
            world.create_dynamic_body((2 * k + 110, 0.51), can_sleep=False).create_shape(
                b2.Box(0.5, 0.5), presolve=True
            )
        asked: list[int] = []
        world.on_presolve = lambda contact: asked.append(1)
        for _ in range(20):
            asked.clear()
            world.step(DT)
            assert world.counters.presolve_looks == len(asked) <= 10
        assert len(asked) == 10 and world.counters.awake_bodies == 10
        world.body(500).awake = True
        asked.clear()
        world.step(DT)
        assert world.counters.presolve_looks == len(asked) == 11


@pytest.mark.parametrize("options", OPTIONS)
def test_presolve_sets_the_material_of_a_contact_for_one_step(options: dict[str, Any]) -> None:
    with b2.World(**options) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(200, 1))
        icy, driven, plain = (world.create_dynamic_body((40.0 * k, 0.5), linear_velocity=(3, 0)) for k in range(3))
        for body in (icy, driven, plain):
            body.create_shape(b2.Box(0.5, 0.5), presolve=True)
        on = True

        def decide(contact: b2.Presolve) -> None:
            assert contact.friction == pytest.approx(0.6) and contact.tangent_speed == contact.restitution == 0
            if on and icy in (contact.body_a, contact.body_b):
                contact.friction = 0.0
            if on and driven in (contact.body_a, contact.body_b):
                contact.tangent_speed, contact.friction = 2.0, 5.0
                assert contact.tangent_speed == 2.0 and contact.friction == 5.0

        world.on_presolve = decide
        run(world, 60)  # the validator finds the mixed values after every step
        assert icy.linear_velocity.x == pytest.approx(3, abs=1e-3)
        assert driven.linear_velocity.x == pytest.approx(2, abs=0.01)
        assert plain.linear_velocity.x == pytest.approx(0, abs=0.01)
        assert all(contact.friction == pytest.approx(0.6) for contact in world.contacts)
        on = False
        run(world, 90)
        assert world.counters.awake_bodies == 0, "it held for those steps alone"


def test_presolve_sets_restitution_where_a_ball_lands() -> None:
    with b2.World(gravity=(0, 0)) as world:
        ball = drop(world, 1.0, -6.0, presolve=True)
        world.on_presolve = lambda contact: setattr(contact, "restitution", 0.75)
        run(world, 20)
        assert ball.linear_velocity.y == pytest.approx(4.5, rel=0.02)


@pytest.mark.parametrize("name", ["friction", "restitution", "tangent_speed"])
def test_bad_materials_in_presolve_raise_from_the_step(name: str) -> None:
    for bad, error in (
        (math.nan, ValueError),
        (math.inf, ValueError),
        ("x", TypeError),
        (None, TypeError),
        (1e30, None),
        (-1.0, None),
    ):
        with b2.World() as world:
            drop(world, 0.5, presolve=True)
            world.on_presolve = lambda contact, bad=bad: setattr(contact, name, bad)  # type: ignore[misc]
            allowed = (name == "friction" and bad == 1e30) or (name == "tangent_speed" and bad == -1.0)
            if error or not allowed:
                with pytest.raises(error or ValueError, match=name):
                    world.step(DT)
                world.on_presolve = None
            run(world, 2)


def test_contact_points_persist_individually() -> None:
    # A box lands on a corner and topples onto its side: the corner stays, the second point is new.
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        box = world.create_dynamic_body((0, 0.75), angle=0.5)
        box.create_shape(b2.Box(0.5, 0.5), presolve=True)
        reported: list[list[tuple[int, bool]]] = []
        world.on_presolve = lambda contact: reported.append(
            [(point.feature, point.persisted) for point in contact.points]
        )
        known: set[int] = set()
        kinds = set()
        for _ in range(150):
            reported.clear()
            world.step(DT)
            [contact] = box.contacts
            features = {point.feature for point in contact.points}
            assert {point.feature for point in contact.points if point.persisted} == features & known
            assert contact.persisted == (bool(known) and bool(features))
            if contact.touching and reported:
                assert reported == [[(point.feature, point.persisted) for point in contact.points]]
                kinds.add(tuple(point.persisted for point in contact.points))
            row = world.contacts.as_array()[0]
            assert row["persisted_point"][: len(contact.points)].tolist() == [
                point.persisted for point in contact.points
            ]
            known = features
        assert not box.awake and len(contact.points) == 2 and all(point.persisted for point in contact.points)
        assert {(False,), (True,), (True, True)} <= kinds and kinds & {(True, False), (False, True)}


# -- making and destroying inside


def test_objects_created_in_a_callback_exist_after_the_step() -> None:
    with b2.World() as world:
        ball = drop(world, 0.6)
        made: list[Any] = []

        def spawn(event: b2.ContactBegin) -> None:
            body = world.create_dynamic_body((5, 5), name="spark", data="x")
            shape = body.create_shape(b2.Circle(0.2), density=3.0)
            joint = world.create_distance_joint(ball, body, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
            chain = world.body(0).create_chain([(3, 3), (2, 3), (1, 3)])
            crowd = world.create_bodies([(9, 9), (9, 12)], geometry=b2.Box(0.1, 0.1))
            world.create_rope_joint(ball, body)
            hinge, slider = world.create_dynamic_body((-5, 9)), world.create_dynamic_body((-7, 9))
            hinge.create_shape(b2.Circle(0.1))
            slider.create_shape(b2.Circle(0.1))
            one = world.create_revolute_joint(world.body(0), hinge, local_anchor_a=(-5, 10), local_anchor_b=(0, 0))
            two = world.create_prismatic_joint(world.body(0), slider, local_anchor_a=(-7, 10), local_anchor_b=(0, 0))
            world.create_gear_joint(one, two)
            made.extend((body, shape, joint, chain, crowd))
            assert not body.alive and "to come" in repr(body) and len(world.bodies) == 2
            with pytest.raises(b2.WorldLockedError):
                body.position
            with pytest.raises(b2.WorldLockedError):
                body.position = 1, 1
            with pytest.raises(b2.WorldLockedError):
                body.data = 5
            assert len({body, shape, joint, chain}) == 4
            made.append(dict.fromkeys((body, shape, joint, chain)))

        world.on_contact_begin = spawn
        run(world, 10)
        world.on_contact_begin = None
        body, shape, joint, chain, crowd, table = made
        assert body.alive and body.name == "spark" and body.data == "x" and world.body(body.index) is body
        assert shape.body is body and body.shapes == [shape] and shape.density == 3
        assert joint.body_b is body and world.joint(0) is joint and isinstance(joint, b2.DistanceJoint)
        assert len(chain.shapes) == 2 and crowd.position.shape == (2, 2) and len(world.joints) == 5
        assert all(each in table for each in (body, shape, joint, chain)), "hashes stay"
        body.destroy()
        assert not body.alive and not shape.alive and not joint.alive
        run(world, 10)


def test_objects_destroyed_in_a_callback_die_at_the_end_of_the_step() -> None:
    with b2.World() as world:
        ball = drop(world, 0.6)
        floor = world.shape(0)

        def pop(event: b2.ContactBegin) -> None:
            ball.destroy()
            ball.destroy()
            floor.destroy()
            gone = world.create_dynamic_body((7, 7))
            gone.create_shape(b2.Circle(1))
            gone.destroy()
            assert ball.alive and floor.alive

        world.on_contact_begin = pop
        while ball.alive:
            world.step(DT)
            world.validate()
        assert not floor.alive and len(world.bodies) == 1 and len(world.shapes) == 0
        world.step(DT)
        assert len(world.events.contact_end) == 1


def test_bad_arguments_in_a_callback_are_refused_at_once() -> None:
    with b2.World() as world:
        drop(world, 0.6)
        body = world.body(1)

        def bad(event: b2.ContactBegin) -> None:
            for call in (
                lambda: world.create_dynamic_body((float("nan"), 0)),
                lambda: body.create_shape(b2.Circle(1), friction=-1),
                lambda: body.create_shape(b2.Circle(1), density=float("inf")),
                lambda: body.create_chain([(0, 0)]),
                lambda: world.create_revolute_joint(body, body, anchor=(0, 0)),
            ):
                with pytest.raises(ValueError, match="."):
                    call()

        world.on_contact_begin = bad
        run(world, 10)
        assert len(world.bodies) == 2 and len(world.shapes) == 2 and len(world.joints) == 0


CHANGES: dict[str, Callable[[b2.World], Any]] = {
    "position": lambda w: setattr(w.body(1), "position", (1, 1)),
    "linear_velocity": lambda w: setattr(w.body(1), "linear_velocity", (1, 1)),
    "type": lambda w: setattr(w.body(1), "type", "static"),
    "enabled": lambda w: setattr(w.body(1), "enabled", False),
    "force": lambda w: w.body(1).apply_force((1, 1)),
    "impulse": lambda w: w.body(1).apply_impulse((1, 1)),
    "friction": lambda w: setattr(w.shape(1), "friction", 0.5),
    "filter": lambda w: setattr(w.shape(1), "filter", b2.Filter(mask=3)),
    "geometry": lambda w: setattr(w.shape(1), "geometry", b2.Circle(1)),
    "one_way": lambda w: setattr(w.shape(1), "one_way", (0, 1)),
    "gravity": lambda w: setattr(w, "gravity", (0, 0)),
    "workers": lambda w: setattr(w, "workers", 2),
    "mixing": lambda w: setattr(w, "friction_mixing", "min"),
    "pair": lambda w: w.set_material_pair(1, 2, friction=1),
    "on_filter": lambda w: setattr(w, "on_filter", lambda a, b: True),
    "step": lambda w: w.step(),
    "validate": lambda w: w.validate(),
    "reserve": lambda w: w.reserve(bodies=1000),
    "resolve_overlaps": lambda w: w.resolve_overlaps(),
    "explode": lambda w: w.explode((0, 0), 1, impulse_per_length=1.0),
    "close": lambda w: w.close(),
}


@pytest.mark.parametrize("where", ["on_filter", "on_presolve", "on_contact_begin", "on_contact_hit", "on_body_move"])
@pytest.mark.parametrize("change", CHANGES)
def test_other_changes_in_a_callback_raise_world_locked(where: str, change: str) -> None:
    with b2.World() as world:
        drop(world, 0.51, -3.0, presolve=True, hit_events=True)
        tried = []

        def attempt(*_: Any) -> None:
            before = world.state_hash()
            with pytest.raises(b2.WorldLockedError):
                CHANGES[change](world)
            assert world.state_hash() == before
            tried.append(1)

        setattr(world, where, attempt)
        run(world, 3)
        assert tried


def test_a_callback_can_read_the_world() -> None:
    with b2.World() as world:
        ball = drop(world, 0.51, -3.0, presolve=True, hit_events=True)
        read: dict[str, list[Any]] = {}

        def look(where: str) -> Callable[..., None]:
            def f(*_: Any) -> None:
                hit = world.ray_cast((-15, 0.4), (30, 0))
                values = (
                    ball.position, ball.linear_velocity, ball.awake, ball.mass, ball.shapes, len(world.contacts),
                    world.arrays.position.shape,
                    list(world.arrays.contacts), world.counters.bodies, world.state_hash() != 0,
                    hit and hit.shape.body is ball,
                    world.overlap_aabb((-1, -1), (1, 1)), list(world.events.contact_begin),
                    world.ray_casts([(0, 5)], [(0, -9)])["shape"].tolist(),
                    world.bounds, [c.points for c in world.contacts],
                )  # fmt: skip
                read.setdefault(where, []).append(values)

            return f

        for name in ("filter", "presolve", "contact_begin", "contact_hit", "body_move"):
            setattr(world, f"on_{name}", look(name))
        run(world, 3)
        assert set(read) == {"filter", "presolve", "contact_begin", "contact_hit", "body_move"}
        assert all(values[10] is True for each in read.values() for values in each)
        assert read["contact_begin"][0][12]


# -- exceptions


@pytest.mark.parametrize("where", ["on_filter", "on_presolve", "on_contact_begin", "on_contact_hit", "on_body_move"])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_exception_in_a_callback_is_raised_when_the_step_is_complete(where: str, error: type[BaseException]) -> None:
    with b2.World() as world, b2.World() as twin:
        for each in (world, twin):
            drop(each, 0.51, -3.0, presolve=True, hit_events=True)
        calls = []

        def fail(*_: Any) -> bool:
            calls.append(1)
            raise error("mine")

        setattr(world, where, fail)
        world.on_body_move = world.on_body_move or calls.append
        with pytest.raises(error, match="mine"):
            world.step(DT)
        assert len(calls) == 1, "nobody is called after the exception"
        twin.step(DT)
        assert world.state_hash() == twin.state_hash(), "the step ran to its end, with everything allowed"
        setattr(world, where, None)
        world.step(DT)
        world.validate()


def test_creations_before_an_exception_in_a_callback_are_carried_out() -> None:
    with b2.World() as world:
        drop(world, 0.51)
        made = []

        def make(event: Any) -> None:
            made.append(world.create_static_body((3, 3)))
            raise RuntimeError("after")

        world.on_contact_begin = make
        with pytest.raises(RuntimeError, match="after"):
            run(world, 9)
        assert made[0].alive and made[0].position == (3, 3)


def test_the_step_raises_when_a_creation_from_a_callback_fails() -> None:
    with b2.World() as world:
        ball = drop(world, 0.51)

        def make(event: Any) -> None:
            ball.destroy()
            ball.create_shape(b2.Circle(0.1))  # of a body that is gone by then

        world.on_contact_begin = make
        with pytest.raises(b2.DestroyedError):
            run(world, 9)
        world.on_contact_begin = None
        run(world, 3)


def test_a_callback_result_without_a_truth_value_raises() -> None:
    import numpy as np

    with b2.World() as world:
        drop(world, 0.51)
        world.on_filter = lambda a, b: np.zeros(2)  # type: ignore[assignment, return-value]
        with pytest.raises(ValueError, match="ambiguous"):
            world.step(DT)
        world.on_filter = lambda a, b: np.bool_(False)  # type: ignore[assignment, return-value]
        run(world, 60)
        assert world.counters.contacts <= 1


# -- threads and lifetime


def test_other_threads_get_world_locked_during_a_callback() -> None:
    with b2.World() as world:
        ball = drop(world, 0.51)
        found: list[Any] = []

        def elsewhere() -> None:
            for call in (lambda: world.state_hash(), lambda: ball.mass, lambda: setattr(ball, "mass", 2),
                lambda: world.create_static_body(),
                         lambda: ball.destroy(), lambda: world.events.contact_begin,
                         lambda: world.ray_cast((0, 9), (0, -9))):  # fmt: skip
                try:
                    found.append(call())
                except b2.WorldLockedError:
                    found.append("locked")

        def wait(event: Any) -> None:
            in_threads([elsewhere])

        world.on_contact_begin = wait
        run(world, 5)
        assert found == 7 * ["locked"]


def test_a_world_with_callbacks_is_freed_with_its_last_reference() -> None:
    world = b2.World()
    world.on_contact_begin = lambda event, world=world: None  # type: ignore[misc]
    drop(world, 0.51)
    run(world, 5)
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("name", ["filter", "presolve", *EVENTS])
def test_callbacks_can_be_read_back_and_must_be_callable(name: str) -> None:
    with b2.World() as world:
        assert getattr(world, f"on_{name}") is None
        setattr(world, f"on_{name}", print)
        assert getattr(world, f"on_{name}") is print
        for bad in (1, "f", []):
            with pytest.raises(TypeError, match=f"on_{name}"):
                setattr(world, f"on_{name}", bad)
        setattr(world, f"on_{name}", None)
        assert getattr(world, f"on_{name}") is None
