"""Forces on many bodies at once: wind, buoyancy and explosions. They are the methods of `World` of the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.arguments import flag, number, pair
from .._bridge.errors import raise_error
from .._bridge.library import lib
from .._geometry.geometry import ORIGIN, as_geometry
from .._queries.keywords import filter_bits

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .._bridge.world_base import WorldBase
    from .._geometry.categories import Filter
    from .._geometry.geometry import Geometry


def apply_wind(
    world: WorldBase,
    wind: Vec2Like,
    *,
    drag: float = 1.0,
    lift: float = 0.0,
    density: float = 1.2,
    wake: bool = False,
    filter: Filter | None = None,
) -> None:
    """Applies the force of moving or still air to every dynamic shape for the next step. Call it before each step.

    Each edge that faces the flow gets `0.5 * density * speed**2 * width * (drag * along + lift * across)`: `speed` is
    that of the air relative to this part of the body, `width` the width of the edge across the flow, `along` the flow's
    direction and `across` the part of the edge's inward normal at right angles to it. So a shape of width `w` falls
    through still air (`wind=(0, 0)`) at a speed of at most `sqrt(2 * weight / (density * drag * w))`, and a slanted
    plate with lift glides. Roundings count by their width. Shapes do not shield each other from the wind. It skips
    sensors and shapes of disabled bodies. `Body.force` shows the force at the beginning of the step; within the step
    drag follows the velocity, so it never reverses a motion. Where it removes a third of the speed in a step, it is
    accurate to 3 %; a body so light that it should follow the wind at once needs a few steps.

    Args:
        wind: velocity of the air, m/s.
        drag, lift: coefficients; drag is 0 or more.
        density: of the air, kg/m^2.
        wake: whether sleeping bodies are woken and pushed too; otherwise they stay asleep.
        filter: which shapes it pushes, as in queries.

    Raises:
        ValueError: not finite, or a negative drag or density.
        TypeError: a wrong type.
        WorldLockedError: another thread uses the world.

    >>> with World() as world:
    ...     ball = world.create_dynamic_body((0, 0))
    ...     shape = ball.create_shape(Circle(0.5), density=1)
    ...     for _ in range(600):
    ...         world.apply_wind((0, 0))
    ...         world.step()
    ...     round(ball.linear_velocity.y, 2), round(-((2 * 10 * ball.mass / 1.2) ** 0.5), 2)
    (-3.62, -3.62)
    """
    x, y = pair(wind, "wind")
    numbers = number(density, "density"), number(drag, "drag"), number(lift, "lift")
    status = lib.b2d_world_apply_wind(world._ptr, x, y, *numbers, flag(wake, "wake"), *filter_bits(filter))
    if status:
        raise_error(status, world, wind=wind, density=density, drag=drag, lift=lift)


def apply_buoyancy(
    world: WorldBase,
    region: Geometry,
    position: Vec2Like = ORIGIN,
    angle: float = 0.0,
    *,
    density: float,
    drag: float = 1.0,
    flow: Vec2Like = ORIGIN,
    wake: bool = False,
    filter: Filter | None = None,
) -> None:
    """Applies the buoyancy and drag of water in a convex region to dynamic shapes for the next step. Call it before
    each step.

    The part of a shape inside the region is lifted at its centroid by the weight of the water that it displaces
    (Archimedes), against the gravity of the world. Its drag is `drag * density` times its area and its speed through
    the water, and brakes rotation, too. Roundings are cut as chords of the same area, accurate to 1e-3. Shapes without
    area get no force. Overlapping shapes of one body count twice, as their masses do. It skips sensors and shapes of
    disabled bodies. `Body.force` shows the force at the beginning of the step. The lift is computed again in every
    substep, also for shapes that fall in within the step, and the drag follows the velocity, so floating bodies gain no
    energy. Assigning the force of a body replaces both.

    Args:
        region: a `Polygon` or `Box` without rounding; its upper side is the surface.
        position, angle: where it is.
        density: of the water, kg/m^2: a body floats when its own is less.
        drag: 1/s, 0 or more; with 0 floating bodies never stop moving, and bob as high as they began.
        flow: velocity of the water, m/s.
        wake: whether sleeping bodies are woken and pushed too; otherwise they stay asleep.
        filter: which shapes it pushes, as in queries.

    Raises:
        ValueError: not finite, a negative density or drag, or a region that is no sharp polygon.
        TypeError: a wrong type.
        WorldLockedError: another thread uses the world.

    >>> with World() as world:
    ...     raft = world.create_dynamic_body((0, 0.5), can_sleep=False)
    ...     shape = raft.create_shape(Box(1, 0.5), density=600)
    ...     for _ in range(900):
    ...         world.apply_buoyancy(Box(50, 10), (0, -10), density=1000, drag=2)
    ...         world.step()
    ...     round(raft.position.y, 3)  # 0.6 of it under water
    -0.1
    """
    c, (x, y), turn = as_geometry(region, "region"), pair(position, "position"), number(angle, "angle")
    flow_x, flow_y = pair(flow, "flow")
    numbers = number(density, "density"), number(drag, "drag"), flow_x, flow_y
    status = lib.b2d_world_apply_buoyancy(world._ptr, c, x, y, turn, *numbers, flag(wake, "wake"), *filter_bits(filter))
    if status:
        given = {"position": position, "angle": angle, "density": density, "drag": drag, "flow": flow}
        raise_error(status, world, region=region, **given)


def explode(
    world: WorldBase,
    center: Vec2Like,
    radius: float,
    falloff: float = 0.0,
    impulse_per_length: float = 1.0,
    *,
    filter: Filter | None = None,
) -> None:
    """Pushes and wakes every dynamic body near a point away from it.

    Each shape gets `impulse_per_length` times its width as seen from the centre, at its point nearest to the centre:
    the whole impulse up to `radius`, then linearly less, nothing beyond `radius + falloff`. A shape that contains the
    centre is pushed through its centroid. Shapes do not shield each other. It skips sensors and shapes of disabled
    bodies.

    Args:
        center: metres.
        radius, falloff: metres, 0 or more.
        impulse_per_length: N s per metre; negative pulls.

    Raises:
        ValueError: not finite, or a negative length.
        TypeError: a wrong type.
        WorldLockedError: another thread uses the world.

    >>> with World(gravity=(0, 0)) as world:
    ...     body = world.create_dynamic_body((2, 0))
    ...     shape = body.create_shape(Box(0.5, 0.5))
    ...     world.explode((0, 0), radius=5, impulse_per_length=3)
    ...     body.linear_velocity
    Vec2(3.0, 0.0)
    """
    x, y = pair(center, "center")
    numbers = number(radius, "radius"), number(falloff, "falloff"), number(impulse_per_length, "impulse_per_length")
    status = lib.b2d_world_explode(world._ptr, x, y, *numbers, *filter_bits(filter))
    if status:
        given = {"radius": radius, "falloff": falloff, "impulse_per_length": impulse_per_length}
        raise_error(status, world, center=center, **given)
