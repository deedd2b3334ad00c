"""`PogoJoint`: a spring leg that pushes a body off what it stands on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, NUMBER, Property, ReadOnly
from .._objects.joint import Joint
from .creation import INFINITY, joint_maker
from .drawing import between_anchors, draw_anchors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


class PogoJoint(Joint):
    """A spring leg: pushes body B away from body A, on which it stands, along a normal to a rest length, with bounded
    force.

    Only the distance along the normal counts; body B slides freely across it and turns freely. The normal is the x axis
    of `frame_a` and turns with body A. A walking character stands at another place in each step: destroy the leg and
    create another one. Nothing is lost, because the spring has no state. `max_tension_force=0` never pulls down.

    Source: the pogo joint of Box2D 3.2, by its documentation.

    >>> with World(gravity=(0, -10)) as world:
    ...     ground, hero = world.create_static_body(), world.create_dynamic_body((0, 1), lock_rotation=True)
    ...     shape = hero.create_shape(Box(0.5, 0.5))
    ...     leg = world.create_pogo_joint(
    ...         ground, hero, local_anchor_a=(0, 0), local_anchor_b=(0, 0), rest_length=1, hertz=5, damping_ratio=0.7
    ...     )
    ...     for _ in range(120):
    ...         world.step()
    ...     round(leg.current_length, 2), round(leg.spring_force, 2)
    (0.99, 10.0)
    """

    __slots__ = ()
    _DRAWN = (between_anchors("orange"), draw_anchors)

    # generated: properties of pogo joints, see tools/lists.py
    rest_length = Property(NUMBER)
    hertz = Property(NUMBER)
    damping_ratio = Property(NUMBER)
    stiffness = Property(CONSTANT)
    damping = Property(CONSTANT)
    max_tension_force = Property(NUMBER)
    max_compression_force = Property(NUMBER)
    current_length = ReadOnly(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    spring_force = ReadOnly(NUMBER)
    # end of generated


@joint_maker(PogoJoint, axis="normal", axis_angle=0.5 * math.pi)
def create_pogo_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    normal: Vec2Like | None = None,
    # generated: keywords of pogo joints, see tools/lists.py
    rest_length: float = 1.0,
    hertz: float = 5.0,
    damping_ratio: float = 0.7,
    stiffness: float | None = None,
    damping: float | None = None,
    max_tension_force: float = INFINITY,
    max_compression_force: float = INFINITY,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> PogoJoint:
    """A spring leg that pushes body B off body A along a normal; see `PogoJoint`.

    Anchor A is where the leg stands, anchor B where it is fixed. `normal` is in world coordinates and (0, 1) by
    default; with frames it is the x axis of `frame_a`.
    """
    raise NotImplementedError
