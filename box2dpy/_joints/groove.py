"""`GrooveJoint`: a pin in a groove."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .._bridge.arguments import finite_pair
from .._bridge.errors import short_repr
from .._bridge.handles import NUMBER, Property, ReadOnly
from .._bridge.signatures import refuse
from .._bridge.vectors import Vec2
from .._geometry.geometry import Frame
from .._objects.joint import Joint
from .creation import JOINT_DEFAULTS, JointCreator, JointOptions, with_options
from .drawing import draw_anchors, draw_arms, draw_axis

if TYPE_CHECKING:
    from collections.abc import Container

    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects


class GrooveJoint(Joint):
    """A pin in a groove: anchor B stays on a line of body A, between its ends, and turns freely.

    Source: the groove joint of Chipmunk, by its documentation.

    >>> with World(gravity=(0, -10)) as world:
    ...     rail, bead = world.create_static_body(), world.create_dynamic_body((0.5, 0))
    ...     shape = bead.create_shape(Circle(0.1))
    ...     groove = world.create_groove_joint(rail, bead, groove_start=(0, 0), groove_end=(3, -3))
    ...     for _ in range(180):
    ...         world.step()
    ...     round(bead.position.x, 2), round(bead.position.y, 2)
    (3.0, -3.0)
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_axis, draw_anchors)

    # generated: properties of groove joints, see tools/lists.py
    groove_length = Property(NUMBER)
    translation = ReadOnly(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    # end of generated

    @classmethod
    def _written_place(cls, definition: Any, options: Container[str]) -> dict[str, Any]:
        from .._bridge.decimals import short

        x, y, angle = short(definition.ax), short(definition.ay), definition.angle_a
        length = definition.value[cls.groove_length.number][0]
        return {
            "groove_start": [x, y],
            "groove_end": [x + length * math.cos(angle), y + length * math.sin(angle)],
            "local_anchor_b": [short(definition.bx), short(definition.by)],
        }

    @property
    def groove_start(self) -> Vec2:
        """One end of the groove, in coordinates of body A. Assigning leaves the other where it is.

        Raises:
            ValueError: not finite, or the other end.
            TypeError: not a pair of numbers.
        """
        return self.local_anchor_a

    @groove_start.setter
    def groove_start(self, value: Vec2Like) -> None:
        end = self.groove_end
        angle, length = _groove_of(value, end)
        self.local_anchor_a = value
        self.local_angle_a, self.groove_length = angle, length

    @property
    def groove_end(self) -> Vec2:
        """The other end of the groove, in coordinates of body A. Assigning leaves the first where it is.

        Raises:
            ValueError: not finite, or the first end.
            TypeError: not a pair of numbers.
        """
        (x, y), angle, length = self.local_anchor_a, self.local_angle_a, self.groove_length
        return Vec2(x + length * math.cos(angle), y + length * math.sin(angle))

    @groove_end.setter
    def groove_end(self, value: Vec2Like) -> None:
        self.local_angle_a, self.groove_length = _groove_of(self.groove_start, value)


@with_options(GrooveJoint, JointOptions)
def create_groove_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    groove_start: Vec2Like,
    groove_end: Vec2Like,
    local_anchor_b: Vec2Like = (0.0, 0.0),
    **options: Unpack[JointOptions],
) -> GrooveJoint:
    """A groove in body A that a pin of body B stays in.

    Args:
        body_a, body_b: the body with the groove, the body with the pin.
        groove_start, groove_end: ends of the groove in coordinates of body A, metres, 0.1 mm or more apart.
        local_anchor_b: the pin in coordinates of body B, metres.
    """
    refuse("create_groove_joint", options, JOINT_DEFAULTS)
    angle, length = _groove_of(groove_start, groove_end)
    pin = finite_pair(local_anchor_b, "local_anchor_b")
    given = {**options, "groove_length": length, "frame_a": Frame(groove_start, angle), "frame_b": Frame(pin, angle)}
    return _CREATOR.create(world, body_a, body_b, given)


def _groove_of(start: Vec2Like, end: Vec2Like) -> tuple[float, float]:
    """Direction and length of the groove between two points."""
    (x, y), (x2, y2) = finite_pair(start, "groove_start"), finite_pair(end, "groove_end")
    length = math.hypot(x2 - x, y2 - y)
    if not 1e-4 <= length <= 1e9:
        raise ValueError(
            f"groove_start={short_repr(start)} and groove_end={short_repr(end)} must be 0.1 mm or more apart"
        )
    return math.atan2(y2 - y, x2 - x), length


_CREATOR = JointCreator(
    GrooveJoint, "create_groove_joint", {"groove_length": 1.0, **JOINT_DEFAULTS}, {"frame_a", "frame_b"}
)
