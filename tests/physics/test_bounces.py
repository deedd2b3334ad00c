"""Bounces over whole ranges: height, friction and energy of rebounds, and boxes in boxes that spin."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import box2dpy as b2

from ..seeds import draws
from ..stepping import advance

DT = 1 / 60
RESTITUTIONS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.49, 0.5, 0.6, 0.8, 0.9, 1.0)
SHAPES = {
    "circle": lambda r: b2.Circle(r),
    "box": lambda r: b2.Box(r, r),
    "plank": lambda r: b2.Box(4 * r, r),
    "capsule": lambda r: b2.Capsule((-2 * r, 0), (2 * r, 0), r),
}
FLOORS = ("box", "segment", "chain", "kinematic")


class Turned:
    """A world in which everything, gravity too, is turned by an angle about the origin, with a floor at height 0."""

    def __init__(self, angle: float, gravity: float, floor: str, friction: float, **options: Any) -> None:
        self.cos, self.sin, self.angle = math.cos(angle), math.sin(angle), angle
        self.world = b2.World(self.out(0, -gravity), sleeping=False, max_linear_speed=4000, **options)
        kind = "kinematic" if floor == "kinematic" else "static"
        body = getattr(self.world, f"create_{kind}_body")((0, 0), angle)
        if floor == "segment":
            body.create_shape(b2.Segment((-300, 0), (300, 0)), friction=friction)
        elif floor == "chain":  # with a joint of two segments under the body
            body.create_chain([(300, 0), (10, 0), (0.3, 0), (-10, 0), (-300, 0)], friction=friction)
        else:
            body.create_shape(b2.Box(300, 1, center=(0, -1)), friction=friction)

    def out(self, x: float, y: float) -> tuple[float, float]:
        return self.cos * x - self.sin * y, self.sin * x + self.cos * y

    def inside(self, v: b2.Vec2) -> tuple[float, float]:
        return self.cos * v.x + self.sin * v.y, -self.sin * v.x + self.cos * v.y


def height_of(y: float, speed: float, gravity: float, substep: float) -> float:
    """The top of the parabola on which a body moves; its exact velocity is half a substep ahead."""
    return y + max(speed - 0.5 * gravity * substep, 0.0) ** 2 / (2 * gravity)


def rebound(
    restitution: float,
    height: float,
    radius: float,
    shape: str = "circle",
    floor: str = "box",
    gravity: float = 10.0,
    angle: float = 0.0,
    dt: float = 1 / 60,
    substeps: int = 4,
    continuous: bool | str = True,
) -> float:
    """The height of the first rebound over the height that restitution gives."""
    turned = Turned(angle, gravity, floor, 0.0, continuous=continuous)
    with turned.world as world:
        body = world.create_dynamic_body(turned.out(0, radius + height), angle)
        body.create_shape(SHAPES[shape](radius), restitution=restitution, friction=0)
        top, risen = 0.0, False
        substep = dt / substeps / max(1, round(60 * dt))  # a longer step has the substeps of its frames
        for _ in range(round(30 / dt)):
            world.step(dt, substeps)
            speed, y = turned.inside(body.linear_velocity)[1], turned.inside(body.position)[1] - radius
            risen = risen or speed > 0
            if risen:
                top = max(top, height_of(y, speed, gravity, substep))
                if speed <= 0:
                    break
        return top / (restitution**2 * height)


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_every_restitution_gives_the_height_of_its_square(restitution: float) -> None:
    # Small and fast bodies are swept, large and slow ones meet the floor up to 20 cm within
    found = {
        (height, radius, shape, floor): rebound(restitution, height, radius, shape, floor)
        for height, radius in itertools.product((0.3, 1.0, 4.0, 15.0), (0.05, 0.2, 0.5))
        for shape, floor in (("circle", "box"), ("circle", "kinematic"), ("box", "chain"), ("plank", "segment"))
    }
    worst = max(found, key=lambda case: abs(found[case] - 1))
    assert found[worst] == pytest.approx(1, abs=0.01), worst


@pytest.mark.parametrize("seed", range(4))
def test_rebounds_do_not_depend_on_step_gravity_direction_or_sweep(seed: int) -> None:
    chance, worst, where = draws(seed), 0.0, None
    for _ in range(60):
        case = {
            "restitution": chance.choice(RESTITUTIONS),
            "height": math.exp(chance.uniform(math.log(0.3), math.log(20))),
            "radius": math.exp(chance.uniform(math.log(0.05), math.log(0.5))),
            "shape": chance.choice(sorted(SHAPES)),
            "floor": chance.choice(("box", "kinematic")),
            "gravity": chance.choice((5.0, 9.81, 10.0, 30.0)),
            "angle": chance.choice((0.0, 0.3, 1.2, 3.0)),
            "dt": chance.choice((1 / 30, 1 / 60, 1 / 120, 1 / 240)),
            "substeps": chance.choice((2, 4, 8)),
            "continuous": chance.choice((True, False, "all")),
        }
        off = abs(rebound(**case) - 1)  # type: ignore[arg-type]
        if off > worst:
            worst, where = off, case
    assert worst < 0.02, where


def height_on_crates(restitution: float, ratio: float, crates: int = 1, fall: float = 2.0, box: bool = False) -> float:
    """The height to which a body rebounds from a stack of crates, over that which restitution gives."""
    with b2.World(sleeping=False) as world:
        world.create_static_body().create_shape(b2.Box(50, 1, center=(0, -1)))
        stack = [world.create_dynamic_body((0, 0.5 + k)) for k in range(crates)]
        for crate in stack:
            crate.create_shape(b2.Box(0.5, 0.5))
        advance(world, 60)
        rest = stack[-1].position.y + 1.0
        ball = world.create_dynamic_body((0, rest + fall))
        shape: Any = b2.Box(0.5, 0.5) if box else b2.Circle(0.5)
        ball.create_shape(shape, restitution=restitution, density=ratio / shape.mass_data(1).mass)
        before = 0.0
        for _ in range(300):
            world.step()
            if before > 0 >= ball.linear_velocity.y:
                break
            before = ball.linear_velocity.y
        return (ball.position.y - rest + ball.linear_velocity.y**2 / 20) / (restitution**2 * fall)


@pytest.mark.parametrize("ratio", [0.1, 1, 4, 10, 30, 100, 1000])
@pytest.mark.parametrize("restitution", [0.2, 0.3, 0.4, 0.49, 0.5, 0.7, 1.0])
def test_a_body_of_any_mass_rebounds_from_a_crate_as_from_the_floor(restitution: float, ratio: float) -> None:
    heights = [height_on_crates(restitution, ratio, fall=fall, box=box) for fall in (2.0, 8.0) for box in (False, True)]
    assert max(abs(height - 1) for height in heights) < 0.02


@pytest.mark.parametrize("crates", [2, 3, 5])
@pytest.mark.parametrize("restitution", [0.2, 0.3, 0.4, 0.49, 0.5, 0.8, 1.0])
def test_a_body_of_any_mass_rebounds_from_a_stack_as_from_the_floor(restitution: float, crates: int) -> None:
    cases = [(ratio, fall, box) for ratio in (0.1, 1, 10, 100, 1000) for fall in (2.0, 8.0) for box in (False, True)]
    heights = [height_on_crates(restitution, ratio, crates, fall, box) for ratio, fall, box in cases]
    assert max(abs(height - 1) for height in heights) < 0.02


def corner_error(half: float, angle: float, turn: float, speed: float, restitution: float, late: float) -> float:
    """How far a spinning box is from theory after its corner struck the floor; -1 if two corners hit."""
    spin, moment = turn / DT, 2 * half * half / 3  # for a mass of 1
    corners = [(half * math.sqrt(2), angle + math.tau * (k + 0.5) / 4) for k in range(4)]
    (y, x), (second, _) = sorted((r * math.sin(a), r * math.cos(a)) for r, a in corners)[:2]
    approach = -speed + spin * x
    push = -(1 + restitution) * approach / (1 + x * x / moment)
    up, turning = -speed + push, spin + x * push / moment
    if approach > -0.3 * speed or second - y < 5 * DT * (abs(up) + 3 * abs(turning) * half):
        return -1.0
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        world.create_static_body((0, -5)).create_shape(b2.Box(500, 5), friction=0)
        time = (6 + late) * DT
        box = world.create_dynamic_body(
            (0, speed * time - y), angle - spin * time, linear_velocity=(0, -speed), angular_velocity=spin
        )
        box.create_shape(b2.Box(half, half), density=1 / (4 * half * half), restitution=restitution, friction=0)
        advance(world, 9, DT)
        return max(abs(box.linear_velocity.y - up), abs(box.angular_velocity - turning) * half) / speed


@pytest.mark.parametrize(("turn", "most"), [(0.005, 0.01), (0.02, 0.03), (0.05, 0.08), (0.1, 0.1)])
def test_a_box_that_turns_while_its_corner_hits_has_the_levers_of_the_impact(turn: float, most: float) -> None:
    chance, errors = draws(9), []
    while len(errors) < 100:
        half = 10 ** chance.uniform(-1, 0.7)
        error = corner_error(
            half,
            chance.uniform(-3, 3),
            chance.choice((-turn, turn)),
            60 * half * chance.uniform(0.03, 0.25),
            chance.choice((0.5, 0.8, 1.0)),
            chance.random(),
        )
        if error >= 0:
            errors.append(error)
    assert sorted(errors)[90] < most


def slide(
    restitution: float,
    friction: float,
    vx: float,
    vy: float,
    radius: float,
    shape: str,
    floor: str = "box",
    spin: float = 0.0,
    angle: float = 0.0,
    dt: float = 1 / 60,
    substeps: int = 4,
) -> float:
    """By how much the speed along the floor after a bounce, or that of a disc's rim, differs from Coulomb's law."""
    turned = Turned(angle, 0.0, floor, friction, restitution_threshold=0.1)
    with turned.world as world:
        body = world.create_dynamic_body(
            turned.out(-0.3 * vx, radius + 0.3 * vy),
            angle,
            linear_velocity=turned.out(vx, -vy),
            angular_velocity=spin,
            allow_fast_rotation=True,
        )
        body.create_shape(SHAPES[shape](radius), restitution=restitution, friction=friction)
        share = 1.0  # of the slip that the impulse which stops it takes from the speed
        slip = vx
        if shape == "circle":
            share, slip = 1 / (1 + body.mass * radius**2 / body.inertia), vx + spin * radius
        for _ in range(round(0.6 / dt)):
            world.step(dt, substeps)
            if turned.inside(body.linear_velocity)[1] > 0:
                break
        impulse = min(friction * (1 + restitution) * vy, abs(slip) * share)
        error = abs(turned.inside(body.linear_velocity)[0] - (vx - math.copysign(impulse, slip)))
        if shape != "circle":
            return error
        turn = math.copysign(impulse * body.mass * radius / body.inertia, slip)
        return max(error, radius * abs(body.angular_velocity - (spin - turn)))


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_the_friction_of_a_bounce_is_that_of_its_whole_impulse(restitution: float) -> None:
    chance, worst, where = draws(int(100 * restitution)), 0.0, None
    for _ in range(60):
        shape = chance.choice(("circle", "circle", "box", "plank", "capsule"))
        case = {
            "friction": chance.choice((0.05, 0.1, 0.3, 0.5, 0.75)),  # under those at which a box tips over
            "vx": chance.uniform(0, 12),
            "vy": chance.choice((chance.uniform(1, 8), chance.uniform(1, 60))),
            "radius": chance.choice((0.05, 0.1, 0.2, 0.5)),
            "shape": shape,
            "floor": chance.choice(("box", "segment", "chain")),
            "spin": chance.uniform(-40, 40) if shape == "circle" else 0.0,
            "angle": chance.choice((0.0, 0.4, 2.0)),
            "dt": chance.choice((1 / 30, 1 / 60, 1 / 120)),
            "substeps": chance.choice((1, 2, 4, 8)),
        }
        off = slide(restitution, **case)
        if off > worst:
            worst, where = off, case
    assert worst < 0.01, where


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_a_disc_that_bounces_without_friction_keeps_its_spin(restitution: float) -> None:
    """Impacts that are found up to 2 cm early changed the spin of small discs by up to 43 rad/s."""
    chance = draws(8)
    for _ in range(60):
        floor, angle = chance.choice(FLOORS), chance.choice((0.0, 0.4, 2.0))
        dt, substeps = chance.choice((1 / 30, 1 / 60, 1 / 120)), chance.choice((1, 2, 4, 8))
        radius, speed, spin = chance.choice((0.05, 0.1, 0.2, 0.5)), chance.uniform(0.5, 20), chance.uniform(-20, 20)
        turned = Turned(angle, 0.0, floor, 0.0, restitution_threshold=0.1)
        with turned.world as world:
            start = turned.out(0, radius + 3 * speed * dt + chance.uniform(0, 0.1))
            velocity = turned.out(chance.uniform(-10, 10), -speed)
            disc = world.create_dynamic_body(
                start, linear_velocity=velocity, angular_velocity=spin, allow_fast_rotation=True
            )
            disc.create_shape(b2.Circle(radius), restitution=restitution)
            advance(world, 30, dt, substeps)
            # The impulse per inertia, 2 (1 + e) v / r^2, times an arm that is rounded by some 2^-24 of r; and sums
            kick = 2 * (1 + restitution) * speed / radius
            assert abs(disc.angular_velocity - spin) < 2**-21 * kick + 2**-19 * abs(spin)
            if restitution > 0:
                assert turned.inside(disc.linear_velocity)[1] == pytest.approx(restitution * speed, rel=1e-5)


def elastic_energy(radius: float, height: float, shape: str, floor: str, seconds: float, dt: float = 1 / 60) -> float:
    """The energy that an elastic body has left, as a share of what it had."""
    turned = Turned(0.0, 10.0, floor, 0.0)
    with turned.world as world:
        body = world.create_dynamic_body((0, radius + height))
        body.create_shape(SHAPES[shape](radius), restitution=1.0, friction=0)
        advance(world, round(seconds / dt), dt)
        speed = body.linear_velocity.y - 0.5 * 10 * dt / 4
        return (body.position.y - radius + speed**2 / 20) / height


@pytest.mark.parametrize("radius", [0.05, 0.1, 0.2, 0.5])
def test_an_elastic_ball_has_its_energy_after_five_minutes(radius: float) -> None:
    found = {
        (height, floor): elastic_energy(radius, height, "circle", floor, 300)
        for height, floor in ((0.3, "box"), (0.7, "segment"), (2, "box"), (6, "chain"), (20, "kinematic"))
    }
    assert found == pytest.approx(dict.fromkeys(found, 1.0), abs=0.01)


def room_energy(count: int, radius: float, speed: float, angle: float, friction: float, **options: Any) -> list[float]:
    """The energy of elastic discs in a room with gravity, once a second for half a minute, as shares of the first."""
    world, chance = b2.World(sleeping=False, **options), draws(1)
    room = world.create_static_body((0, 0), angle)
    for x, y, width, height in ((0, -6, 7, 1), (0, 6, 7, 1), (-6, 0, 1, 7), (6, 0, 1, 7)):
        room.create_shape(b2.Box(width, height, center=(x, y)), friction=friction)
    discs, side = [], math.ceil(math.sqrt(count))
    for k in range(count):
        turn = chance.uniform(0, math.tau)
        disc = world.create_dynamic_body(
            (k % side - (side - 1) / 2, k // side - (side - 1) / 2),
            linear_velocity=(speed * math.cos(turn), speed * math.sin(turn)),
        )
        disc.create_shape(b2.Circle(radius), restitution=1.0, friction=friction)
        discs.append(disc)

    def energy() -> float:
        half = 0.5 * 10 / 240
        return sum(
            disc.mass * ((disc.linear_velocity - b2.Vec2(0, half)).length_squared / 2 + 10 * (disc.position.y + 8))
            + disc.inertia * disc.angular_velocity**2 / 2
            for disc in discs
        )

    with world:
        first, found = energy(), []
        for _ in range(30):
            advance(world, 60, 1 / 60)
            found.append(energy() / first)
    return found


@pytest.mark.parametrize("angle", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(("count", "radius", "speed"), [(1, 0.3, 3), (1, 0.05, 20), (1, 0.2, 8), (20, 0.2, 8)])
def test_a_room_with_gravity_gains_no_energy(count: int, radius: float, speed: float, angle: float) -> None:
    found = room_energy(count, radius, speed, angle, 0.0)
    assert max(found) < (1.0005 if count == 1 else 1.002)
    if count == 1:
        assert min(found) > 0.99  # a corner takes what comes in under the threshold


def test_friction_only_takes_energy_from_a_room_with_gravity() -> None:
    found = room_energy(20, 0.2, 8, 0.3, 0.5)
    assert all(later < 1.001 * earlier for earlier, later in itertools.pairwise(found))


def test_a_force_like_gravity_gains_no_energy_either() -> None:
    # The sweep takes back what gravity and the forces of the step have added since the impact
    with b2.World((0, 0)) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1), friction=0)
        ball = world.create_dynamic_body((0, 2.05))
        ball.create_shape(b2.Circle(0.05), restitution=1.0, friction=0)
        for _ in range(3600):
            ball.apply_force((0, -10 * ball.mass))
            world.step(1 / 60)
        assert ball.position.y - 0.05 + (ball.linear_velocity.y - 10 / 480) ** 2 / 20 == pytest.approx(2, rel=0.01)


def test_a_body_that_is_stopped_on_a_floor_does_not_hop() -> None:
    # It slides against a wall and is swept; gravity has not moved it, so its speed must not lose any
    with b2.World() as world:
        floor = world.create_static_body()
        floor.create_shape(b2.Box(50, 1, center=(0, -1)), friction=0)
        floor.create_shape(b2.Box(1, 5, center=(11, 5)), friction=0)
        box = world.create_dynamic_body((0, 0.2), linear_velocity=(40, 0))
        box.create_shape(b2.Box(0.2, 0.2), friction=0)
        top = 0.0
        for _ in range(60):
            world.step(1 / 60)
            top = max(top, box.position.y - 0.2)
        assert box.position.x == pytest.approx(9.8, abs=0.01)
        assert top < 0.0005


@pytest.mark.parametrize("restitution", [0.1, 0.3, 0.5, 0.8])
def test_two_discs_bounce_by_the_laws_of_newton_and_coulomb(restitution: float) -> None:
    chance, along, across = draws(3), 0.0, 0.0
    for _ in range(40):
        friction, speed, spin = chance.choice((0.1, 0.3, 0.8)), chance.uniform(1, 5), chance.uniform(-5, 5)
        density = chance.choice((1.0, 10.0))
        with b2.World((0, 0), restitution_threshold=0.1) as world:
            low = world.create_dynamic_body((0, 0), allow_fast_rotation=True)
            high = world.create_dynamic_body((0, 2), linear_velocity=(0, -speed), angular_velocity=spin)
            low.create_shape(b2.Circle(0.5), friction=friction, restitution=restitution)
            high.create_shape(b2.Circle(0.5), friction=friction, restitution=restitution, density=density)
            both = 1 / low.mass + 1 / high.mass
            normal = (1 + restitution) * speed / both
            tangent = min(friction * normal, abs(spin) * 0.5 / (3 * both))  # discs: both + 2 both
            for _ in range(90):
                world.step(1 / 60)
                if high.linear_velocity.y > low.linear_velocity.y:
                    break
            along = max(along, abs(low.linear_velocity.y + normal / low.mass))
            # The point of a contact lies midway in the gap, which a step may close: friction turns by half of it more
            arm = 1 + (0.0 if restitution >= 0.5 else speed / 60 / 2 / 0.5)
            error = max(
                abs(low.linear_velocity.x - math.copysign(tangent / low.mass, spin)),
                abs(high.linear_velocity.x + math.copysign(tangent / high.mass, spin)),
            )
            across = max(across, error - (arm - 1) * tangent / low.mass)
    assert along < 1e-5
    assert across < 1e-5


def parting_gain(body: b2.Body, corners: list[tuple[float, float]]) -> float:
    """Twice the energy that a corner may give to a box which leaves the ground again in the step after its impact.

    The step begins with the friction of the last substep, t. It turns the corner into the ground, and the normal row
    answers it by j = t k_nt / k_nn, k being the coupling of the rows. Then friction gives t up, since the contact
    presses no more, but j has been spent: it changes the energy by j (v + v') / 2, with v' = v + k_nn j.
    """
    friction = max((abs(p.tangent_impulse) for c in body.contacts for p in c.points), default=0.0)
    most = 0.0
    for x, y in (body.world_vector(corner) for corner in corners):
        if body.position.y + y < 0.05:
            direct, coupling = 1 / body.mass + x * x / body.inertia, abs(x * y) / body.inertia
            j = friction * coupling / direct
            most = max(most, j * (2 * max(0.0, body.linear_velocity.y + body.angular_velocity * x) + direct * j))
    return most


@pytest.mark.parametrize("restitution", [0.2, 0.4])
def test_bouncing_boxes_with_friction_never_gain_energy(restitution: float) -> None:
    # Newton's law of restitution with friction can add energy; then friction comes second
    chance = draws(7)
    for _ in range(40):
        with b2.World((0, 0), restitution_threshold=0.1) as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(50, 1), friction=0.8)
            body = world.create_dynamic_body(
                (0, 2.5),
                chance.uniform(0, 3),
                linear_velocity=(chance.uniform(-10, 10), chance.uniform(-10, -2)),
                angular_velocity=chance.uniform(-10, 10),
            )
            body.create_shape(b2.Box(1.0, 0.1), friction=0.8, restitution=restitution)
            first = last = body.mass * body.linear_velocity.length_squared + body.inertia * body.angular_velocity**2
            for _ in range(60):
                gain = parting_gain(body, [(-1, -0.1), (1, -0.1), (1, 0.1), (-1, 0.1)])
                world.step(1 / 60)
                now = body.mass * body.linear_velocity.length_squared + body.inertia * body.angular_velocity**2
                assert now < last + gain + 2e-6 * first  # and what rounding does to the impact
                last = now


def spinning_box(
    spin: float,
    size: float,
    half: float = 2.0,
    count: int = 1,
    friction: float = 0.6,
    kind: str = "box",
    restitution: float = 0.0,
    gravity: float = 10.0,
    ramp: float = 0.0,
    dt: float = 1 / 60,
    seconds: float = 3.0,
    **options: Any,
) -> tuple[float, float, int]:
    """Contents of a kinematic box with walls of 0.2 m that spins: how deep a centre and a corner were in a wall, and
    the hash of the world."""
    world = b2.World((0, -gravity), sleeping=False, **options)
    drum = world.create_kinematic_body()
    for x, y in ((0, half + 0.1), (0, -half - 0.1), (half + 0.1, 0), (-half - 0.1, 0)):
        wall = b2.Box(half + 0.2, 0.1, center=(x, y)) if x == 0 else b2.Box(0.1, half + 0.2, center=(x, y))
        drum.create_shape(wall, friction=friction, restitution=restitution)
    side, contents = math.ceil(math.sqrt(count)), []
    for k in range(count):
        place = (1.2 * size * (k % side - (side - 1) / 2), 1.2 * size * (k // side - (side - 1) / 2))
        body = world.create_dynamic_body(place, 0.3 if count == 1 else 0.0)
        shape = b2.Box(size / 2, size / 2) if kind == "box" else b2.Circle(size / 2)
        body.create_shape(shape, friction=friction, restitution=restitution)
        contents.append(body)
    corners = [(x, y) for x in (-1, 1) for y in (-1, 1)] if kind == "box" else [(0, 0)]
    center = corner = -1.0
    with world:
        for step in range(round(seconds / dt)):
            drum.angular_velocity = spin * (min(1.0, step * dt / ramp) if ramp > 0 else 1.0)
            world.step(dt)
            for body in contents:
                local = drum.local_point(body.position)
                center = max(center, abs(local.x) - half, abs(local.y) - half)
                for x, y in corners:
                    at = drum.local_point(body.world_point((x * size / 2, y * size / 2)))
                    extra = size / 2 if kind == "disc" else 0.0
                    corner = max(corner, abs(at.x) - half + extra, abs(at.y) - half + extra)
        return center, corner, world.state_hash()


@pytest.mark.parametrize("spin", [4, 8, -12, 16, 20, -25, 30, 35, 40])
@pytest.mark.parametrize("size", [0.2, 0.5, 1.0])
def test_what_is_in_a_spinning_box_stays_in_it(size: float, spin: float) -> None:
    for kind, friction, ramp in (("box", 0.6, 0.0), ("box", 0.0, 0.0), ("box", 0.6, 1.0), ("disc", 0.6, 0.0)):
        center, corner, _ = spinning_box(spin, size, kind=kind, friction=friction, ramp=ramp)
        assert center < 0, (kind, friction, ramp)
        # What moves less than half its extent in a step is stopped in the next one
        assert corner < (0.15 * size if kind == "disc" else 0.3 * size + 0.05), (kind, friction, ramp)


@pytest.mark.parametrize("seed", range(3))
def test_contents_of_many_kinds_stay_in_a_spinning_box(seed: int) -> None:
    chance = draws(seed)
    for _ in range(12):
        case: dict[str, Any] = {
            "spin": chance.choice((-1, 1)) * chance.choice((8, 12, 20, 30, 40)),
            "size": chance.choice((0.2, 0.3, 0.7)),
            "half": chance.choice((1.5, 2.0, 4.0)),
            "count": chance.choice((1, 2, 4, 9)),
            "friction": chance.choice((0.0, 0.3, 1.0)),
            "kind": chance.choice(("box", "disc")),
            "restitution": chance.choice((0.0, 0.3, 0.8)),
            "gravity": chance.choice((0.0, 10.0, 30.0)),
            "ramp": chance.choice((0.0, 1.0)),
            "dt": chance.choice((1 / 60, 1 / 120)),
        }
        if case["count"] == 9 and case["size"] > 0.5:
            case["half"] = 4.0
        assert spinning_box(**case)[0] < 0, case


def test_a_box_comes_to_turn_with_the_spinning_box_around_it() -> None:
    with b2.World(sleeping=False) as world:
        drum = world.create_kinematic_body(angular_velocity=20)
        for x, y in ((0, 2.1), (0, -2.1), (2.1, 0), (-2.1, 0)):
            drum.create_shape(b2.Box(2.2, 0.1, center=(x, y)) if x == 0 else b2.Box(0.1, 2.2, center=(x, y)))
        box = world.create_dynamic_body((0, 0), 0.3)
        box.create_shape(b2.Box(0.5, 0.5))
        advance(world, 300, 1 / 60)
        place = drum.local_point(box.position)
        advance(world, 60, 1 / 60)
        assert drum.local_point(box.position).distance(place) < 0.01  # in a corner, at rest in the box
        assert box.angular_velocity == pytest.approx(20, rel=0.01)


def test_a_copy_goes_on_with_the_same_bits_through_bounces_and_sweeps() -> None:
    with b2.World(sleeping=False) as world:
        floor = world.create_static_body()
        floor.create_shape(b2.Box(50, 1, center=(0, -1)), restitution=0.3)
        mill = world.create_kinematic_body((0, 2), angular_velocity=25)
        mill.create_shape(b2.Box(1.5, 0.05))
        chance = draws(4)
        for k in range(60):
            body = world.create_dynamic_body((chance.uniform(-3, 3), 4 + 0.2 * k), bullet=k % 7 == 0)
            body.create_shape(b2.Circle(0.1) if k % 2 else b2.Box(0.1, 0.2), restitution=0.1 * (k % 9))
        for _ in range(4):
            advance(world, 45)
            with world.clone() as copy, b2.World.from_snapshot(world.snapshot()) as read:
                for _ in range(30):
                    for each in (world, copy, read):
                        each.step()
                assert world.state_hash() == copy.state_hash() == read.state_hash()


@pytest.mark.parametrize("options", [{"workers": 3}, {"simd": "scalar"}, {"broadphase": "tree"}], ids=str)
def test_a_spinning_box_gives_the_same_bits_in_every_configuration(options: dict[str, Any]) -> None:
    case: dict[str, Any] = {"spin": 30, "size": 0.3, "count": 9, "restitution": 0.3, "seconds": 2.0}
    assert spinning_box(**case) == spinning_box(**case, **options)
