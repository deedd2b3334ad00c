"""One-way shapes: bodies pass from behind and collide from the front; slow, fast, on moving and on turning
platforms."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2

from ..golden.matrix import some_options
from ..stepping import advance

DT = 1 / 60
MOVERS = {
    "circle": b2.Circle(0.25),
    "box": b2.Box(0.25, 0.25),
    "capsule": b2.Capsule((-0.2, 0), (0.2, 0), 0.25),
    "rounded": b2.Box(0.2, 0.2, radius=0.05),
    "octagon": b2.Polygon([(0.27 * math.cos(math.tau * (k + 0.5) / 8),
        0.27 * math.sin(math.tau * (k + 0.5) / 8)) for k in range(8)]),
}  # fmt: skip
PLATFORMS = {"segment": (b2.Segment((-3, 0), (3, 0)), 0.0), "box": (b2.Box(3, 0.1), 0.1),
    "capsule": (b2.Capsule((-3, 0), (3, 0), 0.1), 0.1)}  # fmt: skip
SLOP = 0.005


def make(
    world: b2.World, platform: str = "box", mover: str = "box", y: float = 2.0, speed: float = 0.0, **body: object
) -> b2.Body:
    geometry, _ = PLATFORMS[platform]
    world.create_static_body().create_shape(geometry, one_way=(0, 1))
    thing = world.create_dynamic_body(
        (0, y), linear_velocity=(0, speed), lock_rotation=mover in ("box", "rounded"), **body
    )  # type: ignore[arg-type]
    thing.create_shape(MOVERS[mover])
    return thing


def run(world: b2.World, steps: int, dt: float = DT) -> None:
    for _ in range(steps):
        world.step(dt)
        world.validate()


def bottom(mover: str) -> float:
    return 0.27 * math.cos(math.pi / 8) if mover == "octagon" else 0.25


@pytest.mark.parametrize("mover", MOVERS)
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("continuous", [True, False])
def test_a_body_that_jumps_from_below_passes_and_then_stands(platform: str, mover: str, continuous: bool) -> None:
    with b2.World(continuous=continuous) as world:
        thing = make(world, platform, mover, y=-2.0, speed=9.0)
        highest = -2.0
        for _ in range(200):
            world.step(DT)
            highest = max(highest, thing.position.y)
        # Nothing slows it on the way up: y = -2 + v^2 / 2g, less what symplectic steps of g h / 2 take away.
        assert highest == pytest.approx(-2 + 81 / 20, abs=0.04)
        assert thing.position.y == pytest.approx(PLATFORMS[platform][1] + bottom(mover), abs=2 * SLOP)
        assert abs(thing.linear_velocity.y) < 0.01


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("speed", [1.0, 5.0, 12.0, 30.0, 200.0])
@pytest.mark.parametrize("bullet", [False, True])
def test_a_body_that_falls_from_above_lands_at_every_speed(platform: str, speed: float, bullet: bool) -> None:
    for part in range(7):  # wherever in its step it meets the surface
        with b2.World() as world:
            thing = make(world, platform, y=1.0 + part * speed * DT / 7, speed=-speed, bullet=bullet)
            run(world, 150)
            assert thing.position.y == pytest.approx(PLATFORMS[platform][1] + 0.25, abs=2 * SLOP), (part, thing)


@pytest.mark.parametrize("speed", [12.0, 60.0, 300.0])
def test_fast_bodies_from_below_pass_without_loss_of_time(speed: float) -> None:
    with b2.World(gravity=(0, 0)) as world:
        thing = make(world, "box", y=-1.0, speed=speed)
        for number in range(1, 11):
            world.step(DT)
            assert thing.position.y == pytest.approx(-1 + number * speed * DT, rel=1e-5, abs=1e-5)


def test_a_fall_of_many_centimetres_per_step_lands_without_continuous_collision() -> None:
    with b2.World(continuous=False) as world:
        thing = make(world, "segment", "box", y=0.31, speed=-10.0)  # 17 cm a step: first seen 11 cm deep
        run(world, 120)
        assert thing.position.y == pytest.approx(0.25, abs=2 * SLOP)


def test_a_slowly_rising_body_passes_and_stands_as_soon_as_it_is_out() -> None:
    with b2.World(gravity=(0, 0)) as world:
        thing = make(world, "box", y=-0.6, speed=0.2)
        touched_below = False
        while thing.position.y < 0.37:
            world.step(DT)
            touched_below |= thing.position.y < 0.33 and any(c.touching for c in thing.contacts)
            assert thing.linear_velocity.y == pytest.approx(0.2, abs=0.06)
        assert not touched_below
        world.gravity = 0, -10
        run(world, 60)
        assert thing.position.y == pytest.approx(0.35, abs=2 * SLOP)


def test_a_body_that_turns_back_inside_falls_out_again_at_any_speed() -> None:
    for push in (0.0, -5.0, -20.0):
        with b2.World(continuous=False) as world:
            thing = make(world, "box", y=-1.0, speed=5.0)  # apex 0.25: 20 cm deep in the platform
            while thing.linear_velocity.y > 0:
                world.step(DT)
            assert 0.1 < thing.position.y < 0.3
            thing.linear_velocity = 0, push
            run(world, 60)
            assert thing.position.y < -2


def test_a_body_created_inside_falls_through() -> None:
    with b2.World() as world:
        thing = make(world, "box", y=0.1)
        run(world, 60)
        assert thing.position.y < -3


def test_contact_events_begin_only_when_the_platform_is_solid_and_balance() -> None:
    with b2.World() as world:
        thing = make(world, "box", y=-1.0, speed=9.0)
        begins = ends = 0
        for _ in range(200):
            world.step(DT)
            begins, ends = begins + len(world.events.contact_begin), ends + len(world.events.contact_end)
            assert begins == 0 or thing.position.y > 0.3
        assert (begins, ends) in {(1, 0), (2, 1)}  # leaving upwards it may touch for a moment


def test_a_resting_or_sleeping_body_falls_when_the_platform_flips() -> None:
    for how in ("angle", "direction"):
        with b2.World(sleep_time=0.2) as world:
            thing = make(world, "box", y=0.4)
            platform = world.shape(0)
            run(world, 120)
            assert not thing.awake
            if how == "angle":
                platform.body.angle = math.pi
            else:
                platform.one_way = 0, -1
            assert thing.awake
            run(world, 60)
            assert thing.position.y < -2, how


def test_a_platform_that_turns_over_drops_its_load() -> None:
    with b2.World() as world:
        wheel = world.create_kinematic_body(angular_velocity=1.0)
        wheel.create_shape(b2.Box(3, 0.1), one_way=(0, 1), friction=2.0)
        thing = world.create_dynamic_body((0, 0.4))
        thing.create_shape(b2.Box(0.25, 0.25), friction=2.0)
        run(world, 40)
        local = thing.position.rotated(-wheel.angle)
        assert local.y == pytest.approx(0.35, abs=0.02)  # it rides along, 38 degrees by now
        run(world, 260)
        assert thing.position.y < -3


def test_the_one_way_direction_turns_with_the_body() -> None:
    with b2.World(gravity=(10, 0)) as world:
        wall = world.create_static_body((2, 0), angle=math.pi / 2)  # body y is world -x
        wall.create_shape(b2.Box(3, 0.1), one_way=(0, 5))
        thing = world.create_dynamic_body((0, 0))
        thing.create_shape(b2.Circle(0.25))
        back = world.create_dynamic_body((4, 1.5), linear_velocity=(-12, 0), gravity_scale=0.0)
        back.create_shape(b2.Circle(0.25))
        run(world, 120)
        assert thing.position.x == pytest.approx(2 - 0.35, abs=2 * SLOP)
        assert back.position.x < -10


def test_moving_one_way_platforms_lift_catch_and_let_pass() -> None:
    with b2.World() as world:
        lift = world.create_kinematic_body((0, -3), linear_velocity=(0, 4.0))
        lift.create_shape(b2.Box(5, 0.1), one_way=(0, 1))
        rider = world.create_dynamic_body((-2, 0))
        rider.create_shape(b2.Box(0.25, 0.25))
        run(world, 120)
        assert rider.position.y - lift.position.y == pytest.approx(0.35, abs=0.02)
    with b2.World(gravity=(0, 0)) as world:
        press = world.create_kinematic_body((0, 3), linear_velocity=(0, -4.0))  # hits the floating platform from behind
        press.create_shape(b2.Box(5, 0.1), one_way=(0, 1))
        floater = world.create_dynamic_body()
        floater.create_shape(b2.Circle(0.25))
        run(world, 120)
        assert floater.position == (0, 0)


def test_a_dynamic_one_way_platform_is_pushed_from_above_only() -> None:
    with b2.World(gravity=(0, 0)) as world:
        plate = world.create_dynamic_body()
        plate.create_shape(b2.Box(2, 0.1), one_way=(0, 1), density=1.0)
        below = world.create_dynamic_body((0, -2), linear_velocity=(0, 5))
        below.create_shape(b2.Circle(0.25))
        run(world, 90)
        assert plate.linear_velocity == (0, 0) and below.position.y > 4
        above = world.create_dynamic_body((0, 2), linear_velocity=(0, -5))
        above.create_shape(b2.Circle(0.25))
        run(world, 60)
        momentum = plate.mass * plate.linear_velocity.y + above.mass * above.linear_velocity.y
        assert plate.linear_velocity.y < -0.5 and momentum == pytest.approx(-5 * above.mass, rel=1e-3)


def test_a_one_way_shape_can_be_a_conveyor() -> None:
    with b2.World() as world:
        thing = make(world, "box", y=-1.0, speed=8.0)
        world.shape(0).tangent_speed = 1.0
        run(world, 200)
        assert thing.position.y == pytest.approx(0.35, abs=2 * SLOP)
        assert thing.linear_velocity.x == pytest.approx(1.0, abs=0.02)


def test_two_one_way_shapes_collide_only_face_to_face() -> None:
    for upper, meets in (((0, -1), True), ((0, 1), False)):
        with b2.World() as world:
            world.create_static_body().create_shape(b2.Box(3, 0.1), one_way=(0, 1))
            thing = world.create_dynamic_body((0, 1), lock_rotation=True)
            thing.create_shape(b2.Box(0.25, 0.25), one_way=upper)
            run(world, 90)
            assert (thing.position.y > 0) is meets


def test_switching_one_way_off_blocks_from_below_and_on_again_drops_nothing() -> None:
    with b2.World(gravity=(0, 0)) as world:
        platform = world.create_static_body().create_shape(b2.Box(3, 0.1), one_way=(0, 1))
        thing = world.create_dynamic_body((0, -1), linear_velocity=(0, 3))
        thing.create_shape(b2.Box(0.25, 0.25))
        platform.one_way = None
        assert platform.one_way is None
        run(world, 60)
        assert thing.position.y < -0.3
    with b2.World(sleep_time=0.2) as world:
        thing = make(world, "box", y=0.4)
        world.shape(0).one_way = None
        run(world, 120)
        assert not thing.awake
        world.shape(0).one_way = 0, 3
        assert world.shape(0).one_way == (0, 1) and thing.awake
        run(world, 60)
        assert thing.position.y == pytest.approx(0.35, abs=2 * SLOP)


def test_a_pile_on_a_one_way_shelf_stays_and_sleeps() -> None:
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Segment((-5, 0), (5, 0)), one_way=(0, 1))
        boxes = world.create_bodies(
            [(x, 0.5 + 1.01 * y) for x in range(-2, 3) for y in range(8)], geometry=b2.Box(0.45, 0.5)
        )
        run(world, 400)
        assert boxes.position[:, 1].min() > 0.45 and world.counters.awake_bodies == 0


def test_a_body_that_slides_onto_a_shelf_at_its_level_stands_on_it() -> None:
    with b2.World() as world:
        world.create_static_body((-3, 0)).create_shape(b2.Box(3, 0.1))
        world.create_static_body((3, 0)).create_shape(b2.Box(3, 0.1), one_way=(0, 1))
        walker = world.create_dynamic_body((-1, 0.35), linear_velocity=(3, 0), lock_rotation=True)
        walker.create_shape(b2.Box(0.25, 0.25), friction=0.0)
        run(world, 60)
        assert walker.position.x > 1 and walker.position.y == pytest.approx(0.35, abs=2 * SLOP)


def test_one_way_shelves_give_one_hash_for_all_workers_and_widths() -> None:
    hashes = set()
    for options in (
        {"simd": "scalar", "broadphase": "brute"},
        {"workers": 3},
        {"narrowphase": "per_pair", "broadphase": "tree"},
    ):
        with b2.World(**options) as world:  # type: ignore[arg-type]
            for level in range(5):
                shelf = world.create_static_body((0, 2 * level), angle=0.1 * (level - 2))
                shelf.create_shape(b2.Box(6, 0.1), one_way=(0, 1))
            for k in range(60):
                body = world.create_dynamic_body(
                    (-5 + 0.17 * k, 11.0 - 0.2 * k), linear_velocity=(0, 9 - 0.5 * k), angle=k
                )
                body.create_shape(list(MOVERS.values())[k % 5], restitution=0.2)
            for _ in range(150):
                world.step(DT)
            world.validate()
            hashes.add(world.state_hash())
    assert len(hashes) == 1


STEPS = ((1 / 60, 1), (1 / 60, 4), (1 / 120, 4), (1 / 30, 8))


def test_landings_on_the_joints_of_pieces_have_one_hash() -> None:
    hashes = set()
    for options in some_options():
        with b2.World(**options) as world:
            world.create_static_body().create_chain([(k, 0) for k in range(60, -1, -1)], one_way=(0, 1))
            for k in range(120):
                body = world.create_dynamic_body((0.5 * k, 1 + 0.05 * k), 0.3, linear_velocity=(0, -0.15 * k))
                body.create_shape(b2.Circle(0.2) if k % 2 else b2.Box(0.2, 0.2))
            advance(world, 120)
            hashes.add(world.state_hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("pieces", ["chain", "tiles", "bodies"])
@pytest.mark.parametrize("from_below", [False, True])
def test_a_body_that_lands_on_the_joint_of_two_pieces_stays_on_them(pieces: str, from_below: bool) -> None:
    """While it is pushed out of the platform, its contact goes over to the next piece, where it is as deep: up to 9 %
    of the speeds let it through."""
    triangle, passed = b2.Polygon([(-0.4, -0.3), (0.4, -0.3), (0, 0.5)]), []
    speeds = [6.5 + 0.1 * k for k in range(30)] if from_below else [1 + 0.5 * k for k in range(30)]
    cases = itertools.product((b2.Circle(0.4), b2.Box(0.3, 0.3), triangle), (0, 0.01), (0, 0.3), STEPS, speeds)
    for geometry, x, angle, (dt, substeps), speed in cases:
        with b2.World() as world:
            platform = world.create_static_body()
            if pieces == "chain":
                platform.create_chain([(k, 0) for k in range(5, -6, -1)], one_way=(0, 1))
            else:
                for at in range(-5, 5):
                    body = platform if pieces == "tiles" else world.create_static_body()
                    body.create_shape(b2.Box(0.5, 0.1, center=(at + 0.5, -0.1)), one_way=(0, 1))
            velocity, y = ((0, speed), -0.7) if from_below else ((0, -speed), 1.5)
            body = world.create_dynamic_body((x, y), angle, linear_velocity=velocity)
            body.create_shape(geometry)
            advance(world, round(2.5 / dt), dt, substeps)
            if body.position.y < 0:
                passed.append((geometry, x, angle, dt, substeps, speed))
    assert not passed
