"""Events: begins and ends balance, records stay valid, and lists can be read after later steps."""

from __future__ import annotations

import weakref
from collections import Counter
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws


def test_contact_begins_and_ends_balance_through_destroy_and_disable() -> None:
    draw = draws(7)
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(10, 1))
    bodies = []
    touching: set[tuple[b2.Shape, b2.Shape]] = set()
    for number in range(300):
        if number % 3 == 0:
            body = world.create_dynamic_body((draw.uniform(-3, 3), draw.uniform(1, 6)))
            body.create_shape(draw.choice([b2.Circle(0.3), b2.Box(0.3, 0.3), b2.Capsule((-0.3, 0), (0.3, 0), 0.2)]))
            bodies.append(body)
        if number > 60 and number % 4 == 0:
            bodies.pop(draw.randrange(len(bodies))).destroy()
        if number % 7 == 0:
            body = draw.choice(bodies)
            body.enabled = not body.enabled
        if number % 11 == 0:
            draw.choice(bodies).position = draw.uniform(-3, 3), 5
        world.step()
        for event in world.events.contact_end:
            touching.remove((event.shape_a, event.shape_b))
        for event in world.events.contact_begin:
            pair = event.shape_a, event.shape_b
            assert pair not in touching
            touching.add(pair)
        assert touching == {(c.shape_a, c.shape_b) for c in world.contacts if c.touching}
        world.validate()
    assert touching


def test_event_records_unpack_compare_and_have_a_repr() -> None:
    world = b2.World()
    floor = world.create_static_body().create_shape(b2.Box(5, 1))
    ball = world.create_dynamic_body((0, 1.45)).create_shape(b2.Circle(0.5))
    world.step()
    begins = world.events.contact_begin
    [event] = begins
    a, b, contact = event
    assert {a, b} == {floor, ball}
    assert contact in world.contacts
    assert event == world.events.contact_begin[0]
    assert hash(event) == hash(begins[0])
    assert event != "event"
    assert "ContactBegin(shape_a=<Shape" in repr(event)
    assert begins[:1] == [event]
    assert len(begins) == 1
    row = begins.as_array()[0]
    assert {int(row["shape_a"]), int(row["shape_b"])} == {floor.index, ball.index}
    world.step()
    assert len(world.events.contact_begin) == 0
    assert begins[0] == event, "an earlier list does not change"


def test_handles_of_destroyed_objects_in_events_compare_equal() -> None:
    world = b2.World()
    world.create_static_body().create_shape(b2.Box(5, 1))
    body = world.create_dynamic_body((0, 1.45))
    ball = body.create_shape(b2.Circle(0.5))
    world.step()
    body.destroy()
    assert not ball.alive
    world.step()
    [end] = world.events.contact_end
    assert ball in (end.shape_a, end.shape_b)
    dead = end.shape_a if end.shape_a == ball else end.shape_b
    assert not dead.alive
    assert "destroyed" in repr(dead)
    with pytest.raises(b2.DestroyedError):
        dead.friction
    assert {ball: "known"}[dead] == "known"


def test_body_move_events_name_bodies_that_moved_or_fell_asleep() -> None:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(5, 1))
    box = world.create_dynamic_body((0, 0.5))
    box.create_shape(b2.Box(0.5, 0.5))
    asleep, last = Counter[bool](), []
    for _ in range(120):
        awake = box.awake
        world.step()
        moved = world.events.body_move
        assert [event.body for event in moved] == ([box] if awake else [])
        asleep.update(event.fell_asleep for event in moved)
        last = list(moved) or last
    assert not box.awake
    assert asleep[True] == 1
    assert len(world.events.body_move) == 0
    [(body, fell)] = last
    assert (body, fell) == (box, True)


def test_shapes_without_contact_events_report_nothing() -> None:
    world = b2.World()
    world.create_static_body().create_shape(b2.Box(5, 1), contact_events=False)
    world.create_dynamic_body((0, 1.45)).create_shape(b2.Circle(0.5), contact_events=False)
    world.step()
    assert world.counters.touching == 1
    assert len(world.events.contact_begin) == 0


def test_a_new_world_has_no_events() -> None:
    events = b2.World().events
    for name in """
        contact_begin contact_end contact_hit joint_threshold sensor_begin sensor_end body_move body_invalid
    """.split():
        assert list(getattr(events, name)) == []
        assert getattr(events, name).as_array().shape == (0,)


def test_a_body_that_becomes_invalid_is_disabled_and_reported() -> None:
    world = b2.World(max_linear_speed=1e9)
    others = world.create_dynamic_body((50, 0))
    others.create_shape(b2.Circle(0.5))
    body = world.create_dynamic_body()
    body.create_shape(b2.Circle(0.5))
    invalid: list[b2.Body] = []
    for _ in range(30):
        for _ in range(200):
            if not body.enabled:
                break
            try:
                body.apply_force((3e38, 3e38))
            except ValueError:
                break
        world.step()
        invalid += [event.body for event in world.events.body_invalid]
        assert all(abs(x) < 1e300 for x in body.position)
        world.validate()
    assert invalid in ([], [body])
    assert body.enabled is (not invalid)
    assert others.position.y < -1


@pytest.mark.parametrize("destroy", ["body", "shape", "in a callback"])
@pytest.mark.parametrize("sensor", [False, True])
def test_end_events_have_the_data_of_what_has_gone(destroy: str, sensor: bool) -> None:
    with b2.World(gravity=(0, -1)) as world:
        floor = world.create_static_body((0, -1), data="floor").create_shape(
            b2.Box(9, 1.5 if sensor else 1), sensor=sensor
        )
        ball = world.create_dynamic_body((0, 0.45), data="ball")
        shape = ball.create_shape(b2.Circle(0.5), sensor_events=True)
        shape.data = "round"
        reported: list[Any] = []

        def note(event: Any) -> None:
            first, second = event
            reported.append({(each.body.data, each.data) for each in (first, second)})

        def note_contact(event: Any) -> None:
            note((event.shape_a, event.shape_b))

        if sensor:
            world.on_sensor_end = note
        else:
            world.on_contact_end = note_contact
        for _ in range(3):
            world.step()
        gone = {"body": ball.destroy, "shape": shape.destroy, "in a callback": ball.destroy}[destroy]
        if destroy == "in a callback":
            world.on_body_move = lambda _: gone()
            world.step()
            world.on_body_move = None
        else:
            gone()
        assert (shape.data, shape.body.data) == ("round", "ball")
        world.step()
        wanted = {("floor", None), ("ball", "round")}
        assert reported == [wanted]
        events = world.events.sensor_end if sensor else world.events.contact_end
        [event] = events
        first, second = (event.sensor, event.visitor) if sensor else (event.shape_a, event.shape_b)
        assert {(each.body.data, each.data) for each in (first, second)} == wanted
        assert shape.body == ball
        world.step()
        with pytest.raises(b2.DestroyedError):
            _ = shape.data
        with pytest.raises(b2.DestroyedError):
            _ = shape.body
        assert floor.body.data == "floor"


def test_data_of_what_has_gone_is_kept_for_one_step_only() -> None:
    class Thing:
        pass

    with b2.World() as world:
        seen = []
        for _ in range(6):
            body = world.create_dynamic_body(data=Thing())
            seen.append(weakref.ref(body.data))
            body.destroy()
            world.step()
        assert [each() is None for each in seen] == [True] * 5 + [False]
        world.clear()
        assert [each() for each in seen] == [None] * 6
