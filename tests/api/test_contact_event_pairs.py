"""`World.contact_events`: with "bodies", two bodies begin and end once, however many of their shapes touch."""

from __future__ import annotations

from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws


def tiles(world: b2.World, count: int = 20) -> b2.Body:
    floor = world.create_static_body()
    for k in range(count):
        floor.create_shape(b2.Box(0.5, 0.5, center=(k, -0.5)))
    return floor


def roll(world: b2.World, speed: float, steps: int) -> tuple[list[Any], list[Any]]:
    """A ball rolls over the tiles and falls off the last; the begins and ends that were reported."""
    tiles(world)
    ball = world.create_dynamic_body((0.2, 0.25), linear_velocity=(speed, 0))
    ball.create_shape(b2.Circle(0.25), friction=0)
    begins, ends = [], []
    for _ in range(steps):
        world.step()
        begins += world.events.contact_begin
        ends += world.events.contact_end
    assert ball.position.y < -1
    return begins, ends


@pytest.mark.parametrize("speed", [4.0, 20.0, 60.0])
def test_a_ball_that_rolls_over_tiles_begins_once_and_ends_once(speed: float) -> None:
    with b2.World() as world:
        begins, ends = roll(world, speed, int(60 * 25 / speed) + 60)
        assert len(begins) == len(ends) > 15  # of each tile, as before
    with b2.World(contact_events="bodies") as world:
        begins, ends = roll(world, speed, int(60 * 25 / speed) + 60)
        assert [(e.shape_a.body.index, e.shape_b.body.index) for e in (*begins, *ends)] in ([(0, 1)] * 2, [(1, 0)] * 2)
        last = {e.shape_a for e in ends} | {e.shape_b for e in ends}
        assert next(iter(world.bodies)).shapes[19] in last


@pytest.mark.parametrize("seed", range(3))
def test_begins_and_ends_of_two_bodies_alternate_and_agree_with_what_touches(seed: int) -> None:
    """Compound bodies in a heap on tiles; some shapes and a body are destroyed on the way, and islands sleep."""
    chance = draws(seed)
    with b2.World(contact_events="bodies") as world:
        tiles(world, 8)
        for k in range(14):
            body = world.create_dynamic_body((chance.uniform(1, 6), 0.5 + 0.5 * k), angle=chance.uniform(0, 6))
            for x in (-0.3, 0.0, 0.3):
                body.create_shape(b2.Box(0.2, 0.15, center=(x, 0)) if k % 2 else b2.Circle(0.2, (x, 0)))
        owners = {shape: shape.body.index for shape in world.shapes}  # the ends of destroyed shapes name them

        def pairs(events: list[Any]) -> list[list[int]]:
            return [sorted((owners[event.shape_a], owners[event.shape_b])) for event in events]

        touching: list[list[int]] = []
        ends = 0
        for step in range(400):
            moving = [body for body in world.bodies if body.type is b2.BodyType.DYNAMIC]
            if step % 60 == 59:
                chance.choice([shape for body in moving for shape in body.shapes]).destroy()
            if step == 150:
                chance.choice(moving).destroy()
            world.step()
            for pair in pairs(world.events.contact_end):
                touching.remove(pair)  # raises if it has not begun
                ends += 1
            for pair in pairs(world.events.contact_begin):
                assert pair not in touching
                touching.append(pair)
            now = {tuple(pair) for pair in pairs([contact for contact in world.contacts if contact.touching])}
            assert {tuple(pair) for pair in touching} == now, step
        assert ends > 10


def test_shapes_that_report_nothing_do_not_hold_back_an_end() -> None:
    with b2.World(contact_events="bodies", gravity=(0, 0)) as world:
        wall = world.create_static_body()
        told_shape = wall.create_shape(b2.Box(0.5, 0.5, center=(0, 0)))
        wall.create_shape(b2.Box(0.5, 0.5, center=(1, 0)), contact_events=False)
        body = world.create_dynamic_body((0.5, 0.99))
        body.create_shape(b2.Box(1, 0.5), contact_events=False)
        world.step()
        assert len(world.events.contact_begin) == 1
        told_shape.destroy()
        world.step()
        assert len(world.events.contact_end) == 1


def test_callbacks_are_called_once_a_pair_of_bodies_too() -> None:
    calls = []
    with b2.World(contact_events="bodies") as world:
        world.on_contact_begin = lambda *_: calls.append("begin")
        world.on_contact_end = lambda *_: calls.append("end")
        roll(world, 5.0, 360)
    assert calls == ["begin", "end"]


def test_a_change_of_the_option_holds_from_then_on() -> None:
    with b2.World() as world:
        assert world.contact_events == "shapes"
        floor = tiles(world, 3)
        box = world.create_dynamic_body((1, 0.5))
        box.create_shape(b2.Box(1.2, 0.5))
        world.step()
        assert len(world.events.contact_begin) == 3
        world.contact_events = "bodies"
        floor.shapes[0].destroy()
        world.step()
        assert not world.events.contact_end
        box.position = (1, 9)
        world.step()
        assert len(world.events.contact_end) == 1
