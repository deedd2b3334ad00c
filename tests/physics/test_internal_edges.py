"""Terrain of separate shapes: flush shapes form a smooth surface, all other edges and corners still block."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import box2dpy as b2

from ..stepping import advance
from .test_chains import DT, THINGS


def floor(
    world: b2.World, kind: str, count: int = 100, *, friction: float = 0.6, top: float = 0.0, **fields: object
) -> list[b2.Body]:
    """Tiles of 1 m, side by side from -count / 2 on, each a body of its own; lines in turn of both directions."""
    bodies = []
    for k in range(count):
        body = world.create_static_body((k + 0.5 - 0.5 * count, top))
        body.create_shape(tile(kind, k), friction=friction, **fields)  # type: ignore[arg-type]
        bodies.append(body)
    return bodies


def tile(kind: str, k: int = 0, x: float = 0.0) -> b2.Geometry:
    """One metre of floor at height 0; rounded shapes have flush cores."""
    end = 0.5 if k % 2 else -0.5
    match kind:
        case "boxes":
            return b2.Box(0.5, 0.5, center=(x, -0.5))
        case "rounded boxes":
            return b2.Box(0.5, 0.3, center=(x, -0.5), radius=0.2)
        case "capsules":
            return b2.Capsule((x - end, -0.1), (x + end, -0.1), 0.1)
        case _:
            return b2.Segment((x - end, 0), (x + end, 0))


def slide(body: b2.Body, height: float, speed: float, until: float, friction: float) -> tuple[float, float]:
    """The greatest vertical speed and the greatest loss of speed on the way. The loss by friction is compensated."""
    world = body.world
    advance(world, 30, DT)
    body.linear_velocity = speed, 0
    bump = loss = 0.0
    for number in range(5000):
        if body.position.x > until:
            break
        if friction:
            body.apply_force((10 * friction * body.mass, 0), (body.position.x, body.position.y - height))
        world.step(DT)
        if number > 3:
            bump = max(bump, abs(body.linear_velocity.y))
            loss = max(loss, 1 - body.linear_velocity.x / speed)
    return bump, loss


KINDS = ["boxes", "segments", "rounded boxes", "capsules"]


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_shapes_slide_over_internal_edges_without_bumps(name: str, kind: str, friction: float) -> None:
    geometry, height = THINGS[name]
    for speed, until in ((1, -35), (5, 45), (20, 45)):
        world = b2.World()
        floor(world, kind, friction=friction)
        body = world.create_dynamic_body((-45, height))
        body.create_shape(geometry, friction=friction)
        bump, loss = slide(body, height, speed, until, 0.0 if name == "circle" else friction)
        assert bump < 1e-3
        assert loss < (0.34 if name == "circle" and friction else 0.01)  # a ball begins to roll: a third of its speed
        world.validate()


@pytest.mark.parametrize("kind", KINDS)
def test_internal_edges_within_one_body_and_on_moving_platforms_are_smooth(kind: str) -> None:
    for platform in (False, True):
        world = b2.World()
        body = world.create_kinematic_body(linear_velocity=(-2, 1)) if platform else world.create_static_body()
        for k in range(40):
            body.create_shape(tile(kind, 0, k - 20), friction=0)
        box = world.create_dynamic_body((-15, 0.5), linear_velocity=body.linear_velocity)
        box.create_shape(b2.Box(0.5, 0.5), friction=0)
        advance(world, 60, DT)
        box.linear_velocity += b2.Vec2(3, 0)
        speed = box.linear_velocity.x
        for _ in range(300):
            world.step(DT)
            assert abs(box.linear_velocity.y - body.linear_velocity.y) < 1e-3
        assert box.linear_velocity.x == pytest.approx(speed, rel=2e-3)


def raft(world: b2.World, kind: str, count: int, **fields: object) -> b2.Body:
    """A dynamic platform of shapes from x = -count / 2 on, its top at height 0, on a floor."""
    world.create_static_body((0, -2)).create_shape(b2.Box(200, 1))
    body = world.create_dynamic_body()
    for k in range(count):
        body.create_shape(tile(kind, 0, k + 0.5 - 0.5 * count), density=40, **fields)  # type: ignore[arg-type]
    return body


@pytest.mark.parametrize("kind", ["boxes", "rounded boxes"])
@pytest.mark.parametrize("name", THINGS)
def test_shapes_slide_over_a_dynamic_platform_of_boxes_without_bumps(kind: str, name: str) -> None:
    """The platform lies on the ground, and is then pushed along it and carries the shape."""
    geometry, height = THINGS[name]
    world = b2.World()
    platform = raft(world, kind, 40, friction=0.0)
    body = world.create_dynamic_body((-17, height))
    body.create_shape(geometry, friction=0)
    for speed in (1, 10):
        bump, loss = slide(body, height + platform.position.y, speed, body.position.x + 12, 0.0)
        assert bump < 1e-3
        assert loss < 1e-3
    assert abs(platform.linear_velocity.x) < 1e-3
    platform.linear_velocity, body.linear_velocity = (3, 0), (1, 0)  # the platform passes under it
    for _ in range(120):
        platform.linear_velocity = 3, platform.linear_velocity.y
        world.step(DT)
        assert abs(body.linear_velocity.y) < 1e-3
        assert body.linear_velocity.x == pytest.approx(1, rel=1e-3)
    world.validate()


def test_a_floating_platform_of_boxes_moves_like_one_plank_under_a_slider() -> None:
    """Without gravity momentum is conserved, and a platform with internal edges moves like one without."""
    ends = []
    for count in (30, 1):
        world = b2.World(gravity=(0, 0))
        platform = world.create_dynamic_body()
        for k in range(count):
            half = 15 / count
            platform.create_shape(b2.Box(half, 0.5, center=((2 * k + 1) * half - 15, -0.5)), friction=0.3, density=2)
        box = world.create_dynamic_body((-3, 0.5), linear_velocity=(4, 0))
        box.create_shape(b2.Box(0.5, 0.5), friction=0.3)
        momentum = []
        for _ in range(90):
            box.apply_force((0, -10 * box.mass))
            platform.apply_force((0, 10 * box.mass), box.position)
            world.step(DT)
            momentum.append(box.mass * box.linear_velocity.x + platform.mass * platform.linear_velocity.x)
        assert momentum == pytest.approx([4 * box.mass] * 90, rel=1e-4)
        ends.append((*box.position, box.angle, *platform.position, platform.angle, box.linear_velocity.x))
    assert ends[0] == pytest.approx(ends[1], abs=5e-3)


def test_a_dynamic_platform_becomes_terrain_when_it_gets_more_shapes() -> None:
    world = b2.World()
    platform = raft(world, "boxes", 2, friction=0.0)
    box = world.create_dynamic_body((0, 0.5))
    box.create_shape(b2.Box(0.5, 0.5), friction=0)
    advance(world, 30, DT)
    more = [platform.create_shape(tile("boxes", 0, k + 1.5), friction=0, density=40) for k in range(16)]
    bump, loss = slide(box, 0.5, 4, 14, 0)
    assert bump < 1e-3
    assert loss < 1e-3
    for shape in more:
        shape.destroy()
    advance(world, 60, DT)
    world.validate()
    assert box.position.y < 0  # there is no shape below it any more


def test_boxes_of_equal_size_are_no_terrain_and_containers_hold_their_content() -> None:
    """The walls of a dynamic container hold the boxes in its corners."""
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
    tray = world.create_dynamic_body((0, 0))
    for geometry in (
        b2.Box(3, 0.2, center=(0, 0.2)),
        b2.Box(0.2, 1, center=(-2.8, 1.4)),
        b2.Box(0.2, 1, center=(2.8, 1.4)),
    ):
        tray.create_shape(geometry, density=20)
    boxes = [world.create_dynamic_body((-2.2 + 0.85 * (k % 6), 1 + 0.9 * (k // 6))) for k in range(18)]
    for box in boxes:
        box.create_shape(b2.Box(0.4, 0.4), friction=0.3)
    for number in range(240):
        tray.linear_velocity = 3 * math.sin(number / 20), 0
        world.step(DT)
        for box in boxes[:6]:
            assert box.position.y - tray.position.y > 0.3
            assert abs(box.position.x - tray.position.x) < 2.4
    world.validate()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("one_way", [False, True])
def test_presolve_gets_contacts_with_corrected_normals(kind: str, one_way: bool) -> None:
    """`on_presolve` gets no normal of an internal edge; a box that it refuses is a hole, the others stay smooth."""
    world = b2.World()
    tiles = floor(world, kind, 30, friction=0, presolve=True, one_way=(0, 1) if one_way else None)
    body = world.create_dynamic_body((-10, -2 if one_way else 0.5), linear_velocity=(0, 10) if one_way else (0, 0))
    body.create_shape(b2.Box(0.5, 0.5), friction=0)
    hole: list[b2.Body] = []
    seen = []

    def ask(contact: b2.Presolve) -> bool:
        side = 1 if contact.shape_b.body is body else -1
        seen.append((side * contact.normal.x, side * contact.normal.y, len(contact.points)))
        return (contact.shape_a.body if side == 1 else contact.shape_b.body) not in hole

    world.on_presolve = ask
    advance(world, 120, DT)
    assert body.position.y == pytest.approx(0.5, abs=0.01)
    seen.clear()
    body.linear_velocity, body.angular_velocity = (3, 0), 0
    for _ in range(200):
        world.step(DT)
        assert abs(body.linear_velocity.y) < 1e-3
    assert body.linear_velocity.x == pytest.approx(3, rel=1e-3)
    assert {(round(x, 4) + 0.0, round(y, 4), n > 0) for x, y, n in seen} == {(0, 1, True)}
    hole += [tile for tile in tiles if tile.position.x > body.position.x - 3]
    advance(world, 120, DT)
    assert body.position.y < -1
    world.validate()


@pytest.mark.parametrize("name", [name for name in THINGS if name != "circle"])
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_shapes_wider_than_a_groove_slide_over_it(name: str, friction: float) -> None:
    """Tiles rounded within their metre: grooves of 10 cm, and of 40 cm under what is long."""
    geometry, height = THINGS[name]
    for rounding in (0.05, 0.2) if name in ("box", "long box") else (0.05,):
        for speed, until in ((1, -36), (5, 20), (20, 20)):
            world = b2.World()
            for k in range(80):
                form = b2.Box(0.5 - rounding, 0.5 - rounding, center=(0, -0.5), radius=rounding)
                world.create_static_body((k - 39.5, 0)).create_shape(form, friction=friction)
            body = world.create_dynamic_body((-38.1, height))
            body.create_shape(geometry, friction=friction)
            bump, loss = slide(body, height, speed, until, friction)
            assert bump < 1e-3
            assert loss < 0.01
            world.validate()


def test_a_box_that_overhangs_a_groove_tips_into_it() -> None:
    """A body falls into a groove when it is narrower, and tips into it when its centre of mass is over it."""
    for x, width, middle in ((0, 0.1, 0.0), (-0.45, 0.3, 0.2)):  # the flat part ends at -0.4
        world = b2.World()
        for side in (-1, 1):
            world.create_static_body((side, -0.5)).create_shape(b2.Box(0.6, 0.1, radius=0.4), friction=0.5)
        body = world.create_dynamic_body((x, 0.6))
        body.create_shape(b2.Box(width, 0.6, center=(middle, 0)))
        advance(world, 40, DT)
        assert body.shapes[0].aabb.lower.y < -0.1
        world.validate()


def test_steps_between_differently_rounded_shapes_block_and_small_balls_hit_grooves() -> None:
    """Boxes with rounded corners leave grooves between them. A small ball hits each of them, as it would in reality."""
    world = b2.World()
    for k in range(40):
        world.create_static_body((k - 20, -0.5)).create_shape(b2.Box(0.4, 0.4, radius=0.1), friction=0)
    ball = world.create_dynamic_body((-10, 0.1))
    ball.create_shape(b2.Circle(0.1), friction=0)
    bump, _ = slide(ball, 0.1, 1, 0, 0)
    assert bump > 0.02
    world = b2.World()
    floor(world, "rounded boxes", 20, friction=0)
    world.create_static_body((3.5, 0.05)).create_shape(b2.Box(0.5, 0.5, radius=0.05), friction=0)  # a step of 10 cm
    box = world.create_dynamic_body((-3, 0.5), linear_velocity=(3, 0))
    box.create_shape(b2.Box(0.5, 0.5), friction=0)
    for _ in range(240):
        world.step(DT)
        assert box.position.x < 2.6


def test_a_long_box_over_very_many_shapes_slides_without_bumps() -> None:
    world = b2.World()
    floor(world, "boxes", friction=0.4)
    plank = world.create_dynamic_body((-20, 0.5))
    plank.create_shape(b2.Box(15, 0.5), friction=0.4)
    bump, loss = slide(plank, 0.5, 3, 20, 0.4)
    assert bump < 1e-3
    assert loss < 0.01


@pytest.mark.parametrize("geometry", [b2.Box(0.5, 0.5), b2.Circle(0.5), b2.Capsule((-0.2, 0), (0.2, 0), 0.3)])
@pytest.mark.parametrize("speed", [4, 60, 300])
def test_a_wall_of_boxes_on_a_floor_of_boxes_stops_a_slider(geometry: b2.Geometry, speed: float) -> None:
    world = b2.World()
    floor(world, "boxes", friction=0.2)
    for k in range(5):
        world.create_static_body((10.5, k + 0.5)).create_shape(b2.Box(0.5, 0.5), friction=0.2)
    body = world.create_dynamic_body((0, 0.5), linear_velocity=(speed, 0))
    body.create_shape(geometry, friction=0.2)
    for _ in range(240):
        world.step(DT)
        assert body.position.x < 9.8
        assert body.position.y < 1.5
    # It rests against the wall; no internal edge throws it up or back.
    assert body.position.x > (9.0 if speed > 4 else 3.0)
    assert body.position.y == pytest.approx(0.5 if not isinstance(geometry, b2.Capsule) else 0.3, abs=0.02)


def test_a_box_slides_down_a_wall_of_boxes_onto_a_floor_without_bumps() -> None:
    """A box pressed against a wall of flush boxes falls as freely as along a single wall, and stands on the floor
    below."""
    world = b2.World()
    world.create_static_body((0, -0.5)).create_shape(b2.Box(20, 0.5))
    for k in range(12):
        world.create_static_body((1, k + 0.5)).create_shape(b2.Box(0.5, 0.5), friction=0)
    box = world.create_dynamic_body((0, 10))
    box.create_shape(b2.Box(0.5, 0.5), friction=0)
    for number in range(1, 76):
        box.apply_force((30, 0))
        world.step(DT)
        assert box.linear_velocity.y == pytest.approx(-10 * number * DT, rel=1e-3)
        assert abs(box.linear_velocity.x) < 1e-3
    advance(world, 60, DT)
    assert box.position.y == pytest.approx(0.5, abs=0.02)


def test_the_side_of_the_last_box_and_higher_boxes_block() -> None:
    world = b2.World()
    floor(world, "boxes", 20, friction=0)
    world.create_static_body((5.5, -0.48)).create_shape(
        b2.Box(0.5, 0.5), friction=0
    )  # 2 cm higher, in the place of nothing else
    world.create_static_body((0, -2)).create_shape(b2.Box(40, 0.5), friction=0)
    on_top = world.create_dynamic_body((0, 0.5), linear_velocity=(3, 0))
    from_the_side = world.create_dynamic_body((-14, -1), linear_velocity=(5, 0))
    for body in (on_top, from_the_side):
        body.create_shape(b2.Box(0.5, 0.5), friction=0)
    for _ in range(180):
        world.step(DT)
        assert from_the_side.position.x < -10.49
    assert on_top.linear_velocity.x < 1  # caught by the step
    assert on_top.position.x < 5


def test_a_ball_catches_in_a_gap_wider_than_the_slop() -> None:
    for gap, smooth in ((0.004, True), (0.08, False)):
        world = b2.World()
        for k in range(40):
            world.create_static_body(((1 + gap) * (k - 20), -0.5)).create_shape(b2.Box(0.5, 0.5), friction=0)
        ball = world.create_dynamic_body((-10, 0.1))
        ball.create_shape(b2.Circle(0.1), friction=0)
        bump, _ = slide(ball, 0.1, 1, 5, 0)
        assert (bump < 1e-3) == smooth
        assert smooth or bump > 0.02


@pytest.mark.parametrize("kind", ["boxes", "segments"])
def test_bodies_rest_and_sleep_on_internal_edges_as_on_one_floor(kind: str) -> None:
    world = b2.World()
    tiles = floor(world, kind, 20)
    row = [world.create_dynamic_body((1.5 * k - 5, 0.5)) for k in range(7)]
    stack = [world.create_dynamic_body((8, 0.5 + k)) for k in range(6)]
    for body in row + stack:
        body.create_shape(b2.Box(0.5, 0.5))
    advance(world, 180, DT)
    assert world.counters.awake_bodies == 0
    for body in row:
        assert body.position.y == pytest.approx(0.5, abs=0.006)
    assert stack[-1].position == pytest.approx((8, 5.5), abs=0.03)
    world.validate()
    # A box sleeps across an internal edge. When the shape below its left half is moved away it wakes and tips into the
    # hole.
    half = world.create_dynamic_body((-8, 0.5))
    half.create_shape(b2.Box(0.6, 0.5, center=(-0.1, 0)))
    advance(world, 120, DT)
    assert not half.awake
    for tile in tiles[:2]:
        tile.destroy()
    assert half.awake
    advance(world, 60, DT)
    assert half.position.y < 0
    world.validate()


def test_moving_a_box_of_the_floor_away_opens_a_hole_and_moving_it_back_closes_it() -> None:
    world = b2.World()
    tiles = floor(world, "boxes", 20, friction=0)
    box = world.create_dynamic_body((0, 0.2))
    box.create_shape(b2.Box(0.2, 0.2), friction=0)
    advance(world, 30, DT)
    tiles[12].position = 2.5, -3
    box.linear_velocity = 1, 0
    for _ in range(60):
        world.step(DT)
        if box.position.x > 1.6:
            tiles[12].position = 2.5, 0  # just before the box comes
        assert abs(box.linear_velocity.y) < 1e-3
    for _ in range(60):
        world.step(DT)
        assert abs(box.linear_velocity.y) < 1e-3
    tiles[15].position = 5.5, -3
    advance(world, 300, DT)
    assert box.position.y < -0.5
    world.validate()


def test_neighbouring_boxes_keep_their_own_friction() -> None:
    """A box lies half on ice and half on rubber: friction comes from the half on rubber only."""
    world = b2.World()
    world.create_static_body((-10, -1)).create_shape(b2.Box(10, 1), friction=0)
    world.create_static_body((10, -1)).create_shape(b2.Box(10, 1), friction=1)
    box = world.create_dynamic_body((0, 0.1))
    box.create_shape(b2.Box(0.5, 0.1), friction=1)
    advance(world, 30, DT)
    force = 0.3 * 10 * box.mass
    for _ in range(30):
        box.apply_force((-force, 0), (box.position.x, 0))
        world.step(DT)
    assert box.position.x == pytest.approx(0, abs=0.005)  # less than the half weight on rubber
    for _ in range(30):
        box.apply_force((-0.7 * 10 * box.mass, 0), (box.position.x, 0))
        world.step(DT)
    assert box.position.x < -0.05


def test_a_sharp_ridge_between_two_shapes_is_still_a_corner() -> None:
    """Two slopes of 45 degrees meet in a ridge: a board balances on it."""
    world = b2.World()
    world.create_static_body().create_shape(b2.Polygon([(0, 0), (-4, -4), (0, -4)]))
    world.create_static_body().create_shape(b2.Polygon([(0, 0), (4, -4), (0, -4)]))
    board = world.create_dynamic_body((0, 0.1), lock_rotation=True)
    board.create_shape(b2.Box(2, 0.1))
    advance(world, 60, DT)
    assert board.position == pytest.approx((0, 0.1), abs=0.01)


def valley(width: float) -> Callable[[float], float]:
    return lambda x: 0.05 * x * x + 0.2 * math.sin(width * x)


def landscape(workers: int, simd: str, broadphase: str, narrowphase: str) -> int:
    """Curved and flat terrain shapes of all kinds, a moving platform, and a chain that continues where the shapes
    end."""
    world = b2.World(workers=workers, simd=simd, broadphase=broadphase, narrowphase=narrowphase)
    height = valley(1.3)
    for k in range(24):
        x0, x1 = k - 12.0, k - 11.0
        quad = b2.Polygon([(x0, height(x0)), (x1, height(x1)), (x1, -3), (x0, -3)])
        line = b2.Segment((x0, height(x0)), (x1, height(x1)))
        round_line = b2.Capsule((x0, height(x0) - 0.1), (x1, height(x1) - 0.1), 0.1)
        world.create_static_body().create_shape([line, quad, quad, round_line][k % 4])
    lift = world.create_kinematic_body((0, 6), linear_velocity=(0.5, 0), angular_velocity=0.05)
    for k in range(6):
        lift.create_shape(b2.Box(0.5, 0.1, center=(k - 2.5, 0)))
    plank = world.create_dynamic_body((-3, 9), angle=0.1)
    for k in range(8):
        plank.create_shape(b2.Box(0.4, 0.1, center=(0.8 * k - 2.8, 0), radius=0.02 * (k // 6)))
    world.create_static_body().create_chain([(14, 8), (12, height(12)), (11.5, height(12))])
    forms = [geometry for geometry, _ in THINGS.values()]
    for k in range(60):
        body = world.create_dynamic_body((-6 + 0.9 * (k % 14), 7 + 1.2 * (k // 14)), angle=0.3 * k)
        body.create_shape(forms[k % len(forms)], restitution=0.1 * (k % 3))
    advance(world, 200, DT)
    world.validate()
    return world.state_hash()


def test_internal_edges_give_one_hash_for_all_options() -> None:
    widths = b2.cpu_features()
    combinations = [(1, simd, "grid", "batched") for simd in widths]
    combinations += [(3, widths[-1], "tree", "batched"), (2, widths[-1], "brute", "per_pair")]
    hashes = {combination: landscape(*combination) for combination in combinations}
    assert len(set(hashes.values())) == 1, hashes


def landing(kind: str, name: str, speed: float, **options: float) -> tuple[float, float]:
    """The velocity of a thing that has landed on a floor of tiles without friction."""
    geometry, height = THINGS[name]
    with b2.World(gravity=(0, 0)) as world:
        floor(world, kind, 30, friction=0)
        body = world.create_dynamic_body((-6 + options["place"], height + 1.03), lock_rotation=True)
        body.linear_velocity = (8, -speed)
        body.create_shape(geometry, friction=0)
        advance(world, round(96 / speed) + 6, DT, int(options["substeps"]))
        return tuple(body.linear_velocity)


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("kind", ["boxes", "segments"])
def test_what_lands_on_tiles_keeps_its_speed_along_them(kind: str, name: str) -> None:
    # It gets up to half a half width deep in the step of the landing, and sides met there stopped it (10 of 40).
    for speed in (2, 4, 6, 10, 15):
        for substeps in (1, 4):
            for k in range(20):
                along, up = landing(kind, name, speed, place=k / 20 + 0.0003, substeps=substeps)
                assert along == pytest.approx(8, rel=0.01)
                assert abs(up) < 0.05
