"""Events of all kinds: their order by id, and events of objects that were destroyed or whose ids were reused."""

from __future__ import annotations

import gc
import os
import weakref
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws

DT = 1 / 60
KINDS = ("contact_begin", "contact_end", "contact_hit", "sensor_begin", "sensor_end", "joint_threshold", "body_move")
ORDER = {  # the fields by which the rows of each array ascend
    "contact_begin": ("contact",), "contact_end": ("contact",), "contact_hit": ("contact",),
    "sensor_begin": ("sensor", "visitor"),
    "sensor_end": ("sensor", "visitor"), "joint_threshold": ("joint",), "body_move": ("body",),
    "body_invalid": ("body",),
}  # fmt: skip


def party(**options: Any) -> b2.World:
    """A world in which every kind of event occurs."""
    world = b2.World(sleep_time=0.2, **options)
    floor = world.create_static_body((0, -1))
    floor.create_shape(b2.Box(30, 1))
    world.create_static_body((0, 3)).create_shape(b2.Box(9, 1), sensor=True)
    draw = draws(2)
    for k in range(40):
        body = world.create_dynamic_body(
            (draw.uniform(-8, 8), draw.uniform(1, 9)), linear_velocity=(0, draw.uniform(-9, 0))
        )
        body.create_shape(
            b2.Circle(0.3) if k % 2 else b2.Box(0.3, 0.2), sensor_events=True, hit_events=True, restitution=0.4
        )
        if k % 4 == 0:
            world.create_revolute_joint(floor, body, anchor=body.position + b2.Vec2(1, 1), force_threshold=0.1)
    return world


def assert_ordered(world: b2.World) -> None:
    for kind, fields in ORDER.items():
        rows = getattr(world.events, kind).as_array()
        keys = list(zip(*(rows[name].tolist() for name in fields), strict=True))
        assert keys == sorted(keys), kind
        if kind not in (
            "contact_end",
            "contact_hit",
        ):  # an id may end twice: its first contact was destroyed, its second contact separated
            assert len(set(keys)) == len(keys), kind


@pytest.mark.parametrize("workers", [1, 3])
def test_event_arrays_are_sorted_by_id_also_after_destructions(workers: int) -> None:
    with party(workers=workers) as world:
        draw = draws(workers)
        reported: list[Any] = []
        for kind in KINDS:
            setattr(world, f"on_{kind}", reported.append)
        seen = dict.fromkeys(ORDER, 0)
        for _ in range(150):
            for _ in range(draw.randrange(4)):
                if len(world.bodies) > 4:
                    draw.choice(list(world.bodies)[2:]).destroy()
            if draw.random() < 0.2:
                draw.choice(list(world.bodies)).enabled = draw.random() < 0.6
            for _ in range(draw.randrange(3)):
                body = world.create_dynamic_body((draw.uniform(-8, 8), draw.uniform(0, 6)))
                body.create_shape(b2.Circle(0.4), sensor_events=True, hit_events=True)
            reported.clear()
            world.step(DT)
            world.validate()
            assert_ordered(world)
            for kind in KINDS:
                listed = list(getattr(world.events, kind))
                seen[kind] += len(listed)
                assert [event for event in reported if type(event) is type(listed[0])] == listed if listed else True
        assert all(seen[kind] > 5 for kind in KINDS)


def objects(event: Any) -> list[Any]:
    """The handles that a record names."""
    return [part for part in event if isinstance(part, (b2.Shape, b2.Body, b2.Joint, b2.Contact))]


def read(part: b2.Shape | b2.Body | b2.Joint) -> Any:
    if isinstance(part, b2.Shape):
        return part.body
    return part.position if isinstance(part, b2.Body) else part.constraint_force


def step_until(world: b2.World, kind: str) -> Any:
    for _ in range(200):
        if len(getattr(world.events, kind)):
            return getattr(world.events, kind)
        world.step(DT)
    raise AssertionError(kind)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_events_name_objects_that_were_destroyed_after_the_step(kind: str, again: bool) -> None:
    with party() as world, party() as twin:
        expected = [[part.index for part in objects(event)] for event in step_until(twin, kind)]
        step_until(world, kind)
        handles = {(type(h).__name__, h.index): h for h in [*world.shapes, *world.bodies, *world.joints]}
        for body in list(world.bodies):
            body.destroy()
        if again:  # every id is reused by another object
            for _ in range(60):
                world.create_dynamic_body((50, 50)).create_shape(b2.Circle(0.1))
            for k in range(12):
                world.create_revolute_joint(world.body(k), world.body(k + 1), anchor=(50, 50))
        events = list(getattr(world.events, kind))
        assert [[part.index for part in objects(event)] for event in events] == expected
        for event in events:
            for part in objects(event):
                assert not part.alive
                assert "destroyed" in repr(part) or isinstance(part, b2.Contact)
                if isinstance(part, b2.Contact):
                    continue
                base = "Joint" if isinstance(part, b2.Joint) else type(part).__name__
                same = [h for (name, index), h in handles.items() if index == part.index and base in name]
                assert part == same[0] and hash(part) == hash(same[0]), "equal to the handle that was held"
                if again and not isinstance(part, b2.Joint):
                    living = (world.shape if isinstance(part, b2.Shape) else world.body)(part.index)
                    assert living.index == part.index and living != part and living.alive
                with pytest.raises(b2.DestroyedError):
                    read(part)
                part.destroy()  # harmless


@pytest.mark.parametrize("kind", KINDS)
def test_a_contact_destroyed_in_a_callback_is_named_there_and_ends_in_the_next_step(kind: str) -> None:
    with party() as world:
        doomed: list[Any] = []

        def kill(event: Any) -> None:
            for part in objects(event):
                body = part if isinstance(part, b2.Body) else part.body_b if isinstance(part, b2.Joint) else None
                if isinstance(part, b2.Shape) and part.alive and part.body.type == b2.BodyType.DYNAMIC:
                    body = part.body
                if body is not None and body.alive:
                    doomed.append(event)
                    body.destroy()

        open_pairs: dict[str, set[Any]] = {"contact": set(), "sensor": set()}
        setattr(world, f"on_{kind}", kill)
        for _ in range(120):
            doomed.clear()
            world.step(DT)
            world.validate()
            assert_ordered(world)
            listed = list(getattr(world.events, kind))
            for event in doomed:
                assert event in listed
                assert any(not part.alive for part in objects(event))
            for name, pairs in open_pairs.items():
                fields = ("generation_contact",) if name == "contact" else ("generation_sensor", "generation_visitor")
                for row in getattr(world.events, f"{name}_end").as_array():
                    pairs.remove(tuple(int(row[field]) for field in fields))
                for row in getattr(world.events, f"{name}_begin").as_array():
                    pairs.add(tuple(int(row[field]) for field in fields))
        for body in list(world.bodies):
            body.destroy()
        world.step(DT)
        for name, pairs in open_pairs.items():
            assert len(getattr(world.events, f"{name}_end")) == len(pairs)


def test_every_reported_begin_gets_an_end_when_flags_change_meanwhile() -> None:
    for first, second in ((True, False), (False, True)):
        for end in ("part", "destroy", "sleep and destroy"):
            with b2.World(sleep_time=0.1) as world:
                world.create_static_body((0, -1)).create_shape(b2.Box(5, 1), contact_events=False)
                ball = world.create_dynamic_body((0, 0.45))
                shape = ball.create_shape(b2.Circle(0.5), contact_events=first)
                world.step(DT)
                assert len(world.events.contact_begin) == first
                shape.contact_events = second
                for _ in range(60 if end == "sleep and destroy" else 3):
                    world.step(DT)
                    assert not world.events.contact_begin and not world.events.contact_end
                if end == "part":
                    ball.position = 0, 9
                else:
                    ball.destroy()
                world.step(DT)
                world.validate()
                assert len(world.events.contact_end) == first


def test_hit_and_threshold_events_of_destroyed_objects_keep_their_values() -> None:
    with party() as world:
        hits, loads = list(step_until(world, "contact_hit")), list(step_until(world, "joint_threshold"))
        values = (
            [(hit.point, hit.normal, hit.approach_speed, hit.impulse) for hit in hits],
            [(x.force, x.torque) for x in loads],
        )
        assert (
            values[0]
            and values[1]
            and all(speed > 1 for _, _, speed, _ in values[0])
            and all(f > 0.1 for f, _ in values[1])
        )
        for body in list(world.bodies):
            body.destroy()
        world.step(DT)
        assert (
            [(hit.point, hit.normal, hit.approach_speed, hit.impulse) for hit in hits],
            [(x.force, x.torque) for x in loads],
        ) == values
        assert not loads[0].joint.alive


def test_move_events_are_right_for_bodies_disabled_or_changed_after_the_step() -> None:
    with b2.World(gravity=(0, 0)) as world:
        bodies = [world.create_dynamic_body((k, 0), linear_velocity=(1, 0)) for k in range(6)]
        for body in bodies:
            body.create_shape(b2.Circle(0.1))
        world.step(DT)
        assert [event.body for event in world.events.body_move] == bodies
        bodies[1].enabled = False
        bodies[2].type = "static"
        bodies[3].awake = False
        bodies[4].destroy()
        new = world.create_kinematic_body((9, 0), linear_velocity=(0, 1))
        assert new.index == 4
        assert [event.body for event in world.events.body_move] == bodies, "the list of the last step"
        world.step(DT)
        assert [event.body for event in world.events.body_move] == [bodies[0], new, bodies[5]]


class Thing:
    """Data that a weak reference may refer to."""


@pytest.mark.parametrize("bodies", [0, 100])
@pytest.mark.parametrize("hooks", ["none", "removed", "recorded"])
def test_data_of_what_died_is_kept_for_its_end_event_and_no_longer(bodies: int, hooks: str) -> None:
    """In small worlds, whose steps are brief, and in others."""
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(90, 1))
        for k in range(bodies):
            world.create_dynamic_body((k - 50, 5)).create_shape(b2.Circle(0.3))
        ball = world.create_dynamic_body((0, 0.45))
        ball.create_shape(b2.Circle(0.5), contact_events=True).data = Thing()
        ball.data = Thing()
        kept = weakref.ref(ball.data), weakref.ref(ball.shapes[0].data)
        recorder = world.record(os.devnull) if hooks == "recorded" else None
        world.step()
        if hooks == "removed":
            world.on_contact_end = repr
        ball.destroy()
        if hooks == "removed":
            world.on_contact_end = None
        world.step()
        (event,) = world.events.contact_end
        if recorder is not None:
            recorder.close()
        shape = event.shape_a if isinstance(event.shape_a.data, Thing) else event.shape_b
        assert (shape.body.data, shape.data) == (kept[0](), kept[1]())
        del ball, event, shape
        for _ in range(2):
            world.step()
        gc.collect()
        assert (kept[0](), kept[1]()) == (None, None)
