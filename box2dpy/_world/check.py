"""`World.check`: probable mistakes, as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .._bridge.body_type import BodyType
from .._bridge.errors import raise_if
from .._bridge.library import ffi, lib
from .._geometry.shapes import ChainSegment
from .._joints.creation import SWITCHED_ON
from .._joints.wheel import WheelJoint
from .._objects.shape import Shape
from .._queries.overlaps import overlap_shape
from .._queries.planes import length_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._objects.chain import Chain
    from .._objects.collections import WorldObjects

_LONGEST_DT = 0.25  # s
# What a joint strives for, and the option that bounds its force: 0 unless it is given
_BOUNDS = (
    ("linear_velocity", "max_velocity_force"),
    ("angular_velocity", "max_velocity_torque"),
    ("linear_hertz", "max_spring_force"),  # which a stiffness in N/m has as well
    ("angular_hertz", "max_spring_torque"),
)
_NOTHING = (0, float("inf"), -float("inf"))  # values of joints that mean that there is no limit, motor or spring


def check(world: WorldObjects) -> list[str]:
    """Probable mistakes in the world, as sentences; an empty list if nothing was found.

    Finds dynamic bodies without mass, chains whose solid side faces away from all dynamic bodies, sensors that no shape
    can enter, steps over 0.25 s, motors without strength, motors, limits and springs of joints that have a value but
    are switched off, and static shapes in which sleeping bodies rest. It looks at every object, so it is for
    development, not for every frame.

    Raises:
        WorldLockedError: another thread is stepping the world.

    >>> with World() as world:
    ...     body = world.create_dynamic_body((0, 1))
    ...     world.check()
    ['<Body 0 dynamic at (0, 1)> is dynamic and has no mass: give it a shape with a density, or Body.mass']
    """
    finders = (_massless, _chains, _sensors, _steps, _motors, _switched_off, _buried)
    return [sentence for find in finders for sentence in find(world)]


def _massless(world: WorldObjects) -> Iterator[str]:
    for body in world.bodies:
        if body.type is BodyType.DYNAMIC and body.mass == 0:
            yield f"{body!r} is dynamic and has no mass: give it a shape with a density, or Body.mass"


def _faces_away(chain: Chain, centers: NDArray[np.float64]) -> bool:
    """Whether every point is behind the segment that is nearest to it."""
    body = chain.body
    ends = []
    for shape in chain.shapes:
        geometry = shape.geometry
        assert isinstance(geometry, ChainSegment)
        ends.append((*body.world_point(geometry.p1), *body.world_point(geometry.p2)))
    rows = np.array(ends)
    start, way = rows[:, :2], rows[:, 2:] - rows[:, :2]
    off = centers[:, None] - start
    along = np.clip((off * way).sum(axis=2) / (way * way).sum(axis=1), 0.0, 1.0)
    nearest = ((off - along[..., None] * way) ** 2).sum(axis=2).argmin(axis=1)
    each = np.arange(len(centers))
    side = off[each, nearest, 0] * way[nearest, 1] - off[each, nearest, 1] * way[nearest, 0]
    return bool((side < 0).all())


def _chains(world: WorldObjects) -> Iterator[str]:
    centers = np.array([body.world_center for body in world.bodies if body.type is BodyType.DYNAMIC])
    for chain in world.chains if len(centers) else ():
        if _faces_away(chain, centers):
            yield (
                f"{chain!r} turns its back to every dynamic body: a chain is solid on the right of its direction, so "
                "reverse its points"
            )


def _sensors(world: WorldObjects) -> Iterator[str]:
    shapes = list(world.shapes)
    visitors = [shape for shape in shapes if shape.sensor_events and not shape.sensor]
    for sensor in shapes:
        if sensor.sensor and not any(_may_report(sensor, visitor) for visitor in visitors):
            yield f"{sensor!r} is a sensor that no shape can enter: visitors need sensor_events=True and a filter"


def _may_report(sensor: Shape, visitor: Shape) -> bool:
    a, b = sensor.filter, visitor.filter
    if a.group == b.group != 0:
        return a.group > 0 and sensor.body is not visitor.body
    return bool(a.mask & b.category) and bool(b.mask & a.category) and sensor.body is not visitor.body


def _steps(world: WorldObjects) -> Iterator[str]:
    out = ffi.new("double *")
    raise_if(lib.b2d_world_last_dt(world._ptr, out), world)
    dt = out[0]
    if dt > _LONGEST_DT:
        yield f"the last step was {dt:g} s: take several of 1/60 s, FixedStepper does it"


def _motors(world: WorldObjects) -> Iterator[str]:
    for joint in world.joints:
        cap = getattr(joint, "max_motor_torque", getattr(joint, "max_motor_force", None))
        if cap == 0 and getattr(joint, "enable_motor", False):
            name = "max_motor_torque" if hasattr(joint, "max_motor_torque") else "max_motor_force"
            yield f"{joint!r} has a motor without strength: give it {name}"
        for name, cap_name in _BOUNDS:
            value, cap = getattr(joint, name, None), getattr(joint, cap_name, None)
            if value not in (None, 0, (0, 0)) and cap in (0, (0, 0)):
                what = f"the spring of {name}" if name.endswith("hertz") else f"a wanted {name}"
                yield f"{joint!r} has {what} without strength: give it {cap_name}"
                break


def _switched_off(world: WorldObjects) -> Iterator[str]:
    for joint in world.joints:
        for flag, options in SWITCHED_ON.items():
            if getattr(joint, flag, True) or (flag == "enable_spring" and isinstance(joint, WheelJoint)):
                continue  # the spring of a wheel has a stiffness by default
            name = next((name for name in options if getattr(joint, name, 0) not in _NOTHING), None)
            if name is not None:
                yield f"{joint!r} has {name}={getattr(joint, name):g}, which {flag}=False switches off"


def _buried(world: WorldObjects) -> Iterator[str]:
    for shape in world.shapes:
        body = shape.body
        if body.type is not BodyType.DYNAMIC or body.awake or shape.sensor or not body.enabled:
            continue
        for other in overlap_shape(world, shape.geometry, body.position, body.angle):
            if other.body.type is BodyType.STATIC and _depth(shape, other) > 0.05 * length_unit(world):
                yield f"{other!r} is in the sleeping {body!r}: wake it with body.awake = True"


def _depth(a: Shape, b: Shape) -> float:
    from .._geometry.collision import collide

    manifold = collide(
        a.geometry, b.geometry, position_a=a.body.position, angle_a=a.body.angle, position_b=b.body.position,
        angle_b=b.body.angle,
    )  # fmt: skip
    return -min((point.separation for point in manifold.points), default=0.0)
