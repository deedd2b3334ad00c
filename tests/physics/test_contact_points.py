"""The points of contacts: where the shapes are now, and how far apart they are there."""

import itertools
import math
from collections.abc import Sequence

import pytest

import box2dpy as b2

SHAPES = (
    b2.Box(0.5, 0.5),
    b2.Box(1, 0.2),
    b2.Box(2, 0.1),
    b2.Box(0.1, 0.1),
    b2.Capsule((-0.5, 0), (0.5, 0), 0.2),
    b2.Circle(0.4),
    b2.Polygon([(0, 0), (1, 0), (1.3, 0.7), (0.5, 1.2), (-0.2, 0.8)]),
)
DROPS = ((0.6, 0.0), (1.5, 0.0), (1.5, 0.1), (2.0, 0.4), (3.0, 1.0))


def true_points(contact: b2.Contact, length: float) -> Sequence[b2.ManifoldPoint]:
    a, b = contact.shape_a, contact.shape_b
    found = b2.collide(
        a.geometry, b.geometry, position_a=a.body.position, angle_a=a.body.angle, position_b=b.body.position,
        angle_b=b.body.angle, speculative_distance=0.1 * length,
    )  # fmt: skip
    return found.points


def true_separations(contact: b2.Contact, length: float) -> list[float]:
    return [point.separation for point in true_points(contact, length)]


def scaled(shape: b2.Geometry, scale: float) -> b2.Geometry:
    if isinstance(shape, b2.Circle):
        return b2.Circle(scale * shape.radius)
    if isinstance(shape, b2.Capsule):
        ends = [(scale * x, scale * y) for x, y in (shape.p1, shape.p2)]
        return b2.Capsule(ends[0], ends[1], scale * shape.radius)
    assert isinstance(shape, b2.Polygon)
    return b2.Polygon([(scale * x, scale * y) for x, y in shape.vertices])


@pytest.mark.parametrize("length", [1, 30])
@pytest.mark.parametrize("dt", [1 / 30, 1 / 60, 1 / 240])
def test_the_separation_at_rest_is_that_of_the_shapes_where_they_are(dt: float, length: float) -> None:
    """Manifolds that were kept for long once reported separations that were wrong by up to 4.5 cm."""
    worst = 0.0
    for shape, (height, angle) in itertools.product(SHAPES, DROPS):
        with b2.World(length_unit=length, gravity=(0, -10 * length)) as world:
            floor = b2.Box(20 * length, length)
            world.create_static_body((0, -length)).create_shape(floor)
            body = world.create_dynamic_body((0, height * length), angle)
            body.create_shape(scaled(shape, length))
            for _ in range(round(5 / dt)):
                world.step(dt)
            [contact] = body.contacts
            reported = [point.separation for point in contact.points]
            rows = world.arrays.contacts
            assert rows["separation"][0, : len(reported)].tolist() == reported
            worst = max(worst, abs(min(reported) - min(true_separations(contact, length))) / length)
            for point in contact.points:  # midway between the floor, which is at 0, and the lower side of the body
                worst = max(worst, abs(point.point.y - point.separation / 2) / length)
    assert worst < 1e-4


def test_the_separation_follows_the_shapes_when_the_user_moves_them() -> None:
    """Without a step in between, and in the presolve function, while contacts are kept for several steps."""
    worst = 0.0
    for shape, way in itertools.product(SHAPES, (-0.02, 0.003, 0.05)):
        with b2.World() as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(20, 1), presolve=True)
            body = world.create_dynamic_body((0, 2), 0.1)
            body.create_shape(shape)
            errors: list[float] = []

            def note(
                contact: b2.Presolve, shape: b2.Geometry = shape, body: b2.Body = body, errors: list[float] = errors
            ) -> None:
                reported = min(point.separation for point in contact.points)
                if not contact.fast:  # there the shapes have not met yet, and the separation is 0
                    errors.append(abs(reported - shape.aabb(body.position, body.angle).lower.y))

            world.on_presolve = note
            for _ in range(200):
                world.step()
            worst = max(worst, *errors)
            [contact] = body.contacts
            before = min(point.separation for point in contact.points)
            body.position = (body.position.x, body.position.y + way)
            after = min(point.separation for point in contact.points)
            worst = max(worst, abs(after - before - way))
    assert worst < 1e-4


def test_moving_shapes_tell_the_separation_at_the_end_of_the_step() -> None:
    """Bodies that slide, roll and tumble on a slope at up to 15 m/s: the nearest points of shapes that overlap."""
    worst, count = 0.0, 0
    for shape, speed, angle in itertools.product(SHAPES, (1, 5, 15), (0.0, 0.3)):
        with b2.World() as world:
            slope = b2.Box(200, 1)
            world.create_static_body((0, -1), -angle / 2).create_shape(slope)
            body = world.create_dynamic_body((0, 1.5), angle, linear_velocity=(speed, 0), angular_velocity=-speed)
            body.create_shape(shape)
            for _ in range(120):
                world.step()
                for contact in body.contacts:
                    true = true_points(contact, 1)
                    if not contact.points or not true or min(point.separation for point in true) > 0:
                        continue
                    reported = min(contact.points, key=lambda point: point.separation)
                    deepest = min(true, key=lambda point: point.separation)
                    if math.dist(reported.point, deepest.point) > 0.01:  # it turned to another corner in this step
                        continue
                    worst = max(worst, abs(reported.separation - deepest.separation))
                    count += 1
    assert count > 500 and worst < 1e-4
