"""Boxes of 2 mm: they are accepted, stand as houses of cards, and neither fall nor fly through what is solid."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

HALF, LENGTH, LEAN = 0.001, 0.2, math.radians(25)


def house_of_cards(world: b2.World, rows: int) -> list[b2.Body]:
    """Tents of two leaning cards, `rows` of them on the ground; flat cards carry the row above, one tent shorter."""
    world.create_static_body().create_shape(b2.Box(40, 1, center=(0, -1)), friction=0.7)
    cards = []

    def put(x: float, y: float, angle: float) -> None:
        card = world.create_dynamic_body((x, y), angle=angle)
        card.create_shape(b2.Box(HALF, LENGTH), friction=0.7)
        cards.append(card)

    height = LENGTH * math.cos(LEAN) + HALF * math.sin(LEAN)
    width = LENGTH * math.sin(LEAN) + HALF * math.cos(LEAN)
    level = 0.0
    for row in range(rows):
        for k in range(rows - row):
            middle = 4 * width * (k - (rows - row - 1) / 2)
            put(middle - width, level + height, -LEAN)
            put(middle + width, level + height, LEAN)
        level += 2 * height
        for k in range(rows - row - 1):
            put(4 * width * (k - (rows - row - 2) / 2), level + HALF, math.pi / 2)
        level += 2 * HALF
    return cards


@pytest.mark.parametrize("sleeping", [True, False])
def test_a_house_of_forty_cards_stands_for_ten_seconds(sleeping: bool) -> None:
    with b2.World(sleeping=sleeping) as world:
        cards = house_of_cards(world, 5)
        assert len(cards) == 40
        before = [card.position for card in cards]
        advance(world, 600)
        assert all((card.position - place).length < 0.02 for card, place in zip(cards, before, strict=True))
        assert all(card.linear_velocity.length < 1e-4 for card in cards)
        assert sleeping == (not any(card.awake for card in cards))


def test_houses_of_cards_do_not_creep() -> None:
    """Half of these houses leaned over by up to 1.9 mm in five seconds, in which nothing slipped by a slop."""
    chance, half, length = draws(1), 0.003, 0.05
    for _ in range(24):
        lean, gap, friction = chance.uniform(0.28, 0.42), chance.uniform(0, 2e-4), chance.uniform(0.6, 0.9)
        density, substeps = chance.choice((1, 100)), chance.choice((4, 8))
        height = length * math.cos(lean) + half * math.sin(lean)
        width = length * math.sin(lean) + half * math.cos(lean)
        with b2.World(sleeping=False) as world:
            world.create_static_body().create_shape(b2.Box(40, 1, center=(0, -1)), friction=friction)
            cards = []
            for middle, level in ((-2 * width, 0.0), (2 * width, 0.0), (0.0, 2 * (height + half))):
                if level > 0:
                    cards.append(world.create_dynamic_body((0, 2 * height + half)))
                    cards[-1].create_shape(b2.Box(2 * width - 0.001, half), friction=friction, density=density)
                for side in (-1, 1):
                    card = world.create_dynamic_body((middle + side * (width + gap), level + height), side * lean)
                    card.create_shape(b2.Box(half, length), friction=friction, density=density)
                    cards.append(card)
            advance(world, 120, 1 / 60, substeps)
            before = [card.position for card in cards]
            advance(world, 300, 1 / 60, substeps)
            crept = max((card.position - place).length for card, place in zip(cards, before, strict=True))
            assert crept < 1e-4, (lean, gap, friction, density, substeps)


def test_thin_boxes_have_the_mass_of_their_area() -> None:
    box = b2.Box(0.001, 0.2)
    data = box.mass_data(density=1000)
    assert data.mass == pytest.approx(0.8, rel=1e-5)
    assert b2.Polygon(box.vertices) == box


def test_geometry_thinner_than_the_welding_distance_is_refused() -> None:
    for half in (0.0002, 0.00025):
        with pytest.raises(ValueError, match=f"hx={half} is degenerate"):
            b2.Box(half, 0.2)
        with pytest.raises(ValueError, match="vertices"):
            b2.Polygon([(0, 0), (2 * half, 0), (2 * half, 1), (0, 1)])
    with pytest.raises(ValueError, match="hx"):
        b2.Box(0, 0.2)
    with pytest.raises(ValueError, match="p2"):
        b2.Segment((0, 0), (0.004, 0))  # lines still have a least length of 5 mm


def test_thin_cards_that_fall_in_a_heap_come_to_rest_on_the_ground() -> None:
    chance = draws(2)
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)))
        cards = []
        for k in range(60):
            card = world.create_dynamic_body(
                (chance.uniform(-3, 3), 1 + 0.3 * k),
                angle=chance.uniform(0, 6),
                linear_velocity=(0, -chance.uniform(0, 30)),
                angular_velocity=chance.uniform(-20, 20),
            )
            card.create_shape(b2.Box(HALF, LENGTH))
            cards.append(card)
        advance(world, 900)
        assert min(card.position.y for card in cards) > -0.005
        assert max(card.linear_velocity.length for card in cards) < 0.05


@pytest.mark.parametrize("half", [0.001, 0.005])
def test_a_card_that_slides_with_one_end_in_the_ground_gets_out_and_stops(half: float) -> None:
    # Gravity takes its centroid into the ground, so the sweep ends each step. Before, that stopped its turning and
    # sliding too: it hung at one place with its speed. Friction of 0.6 stops 7 m/s in 1.2 s.
    for tilt in (0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3):
        for spin in (0.5, 2.0):
            with b2.World() as world:
                world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)))
                card = world.create_dynamic_body(
                    (0, 0.0002), angle=tilt, linear_velocity=(6.8, 0), angular_velocity=-spin
                )
                card.create_shape(b2.Box(0.2, half))
                advance(world, 120)
                assert card.linear_velocity.length < 0.01
                assert card.angle == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("half", [0.001, 0.003, 0.01])
def test_spinning_plates_do_not_fly_through_a_wall(half: float) -> None:
    # Before, 13 of 120 plates of 2 mm passed, after they had come to lie along the wall.
    chance, passed = draws(3), 0
    for _ in range(120):
        with b2.World(gravity=(0, 0)) as world:
            world.create_static_body().create_shape(b2.Box(0.02, 100))  # no plate comes to its end in a second
            plate = world.create_dynamic_body(
                (-2, chance.uniform(-0.5, 0.5)),
                angle=chance.uniform(0, 3),
                angular_velocity=chance.uniform(-10, 10),
                linear_velocity=(chance.uniform(5, 60), 0),
            )
            plate.create_shape(b2.Box(half, 0.2))
            advance(world, 60)
            passed += plate.position.x > 0
    assert passed == 0


@pytest.mark.parametrize("thickness", [0.002, 0.005, 0.01, 0.0101, 0.02])
@pytest.mark.parametrize("separate", [False, True])
def test_needles_do_not_fall_through_the_joint_of_two_tiles(thickness: float, separate: bool) -> None:
    """Up to 2 cm thick they slid along the sides of both tiles, at any speed."""
    passed = []
    cases = itertools.product((0, 0.3, 0.9), (0, 7, 40, 98), (0, 1.2, 4), ("capsule", "box"), (1 / 60, 1 / 30, 1 / 120))
    for beside, speed, turn, kind, dt in cases:
        c, s = math.cos(turn), math.sin(turn)
        with b2.World(gravity=(10 * s, -10 * c)) as world:
            floor = world.create_static_body(angle=turn)
            for k in range(-3, 3):
                body = world.create_static_body(angle=turn) if separate else floor
                body.create_shape(b2.Box(0.5, 0.5, center=(k + 0.5, -0.5)))
            x = beside * thickness
            place, velocity = (c * x - s * 1.5, s * x + c * 1.5), (s * speed, -c * speed)
            needle = world.create_dynamic_body(place, turn, linear_velocity=velocity)
            capsule = b2.Capsule((0, -0.2), (0, 0.2), thickness)
            needle.create_shape(capsule if kind == "capsule" else b2.Box(thickness, 0.2))
            advance(world, round(1 / dt), dt)
            if c * needle.position.y - s * needle.position.x < -0.05:
                passed.append((beside, speed, turn, kind, dt))
    assert not passed
