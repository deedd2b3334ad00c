"""`WheelJoint`: a wheel on a suspension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, FLAG, NUMBER, Property, ReadOnly
from .._bridge.library import lib
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import draw_anchors, draw_arms, draw_axis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .._objects.joint import Pen
    from .creation import PlacedJointOptions


class WheelJoint(Joint):
    """A wheel on a suspension: body B turns freely and moves along an axis of body A, on a spring; with a motor that
    turns it.

    The axis is the x axis of `frame_a`; with `anchor` or local anchors it is given as `axis` in world coordinates. With
    `enable_spring=False` it is a pin in a groove.

    >>> with World() as world:
    ...     frame, wheel = world.create_static_body(), world.create_dynamic_body()
    ...     shape = wheel.create_shape(Circle(0.5))
    ...     joint = world.create_wheel_joint(frame, wheel, anchor=(0, 0), axis=(0, 1), hertz=4, damping_ratio=0.7)
    ...     for _ in range(120):
    ...         world.step()
    ...     round(joint.translation, 3)
    -0.016
    """

    __slots__ = ()
    _TYPE_NAME = "WheelJoint"
    _TYPE = lib.B2D_WHEEL

    enable_spring = Property(FLAG, "Whether a spring pulls the translation to 0.")
    hertz = Property(NUMBER, "Stiffness of the suspension, Hz; 0 is no force.")
    damping_ratio = Property(NUMBER, "Damping of the suspension: 1 is critical.")
    stiffness = Property(
        CONSTANT, "Stiffness of the spring, N/m, in place of `hertz`. Assigning it keeps the damping in N s/m."
    )
    damping = Property(
        CONSTANT, "Damping of the spring, N s/m, in place of `damping_ratio`. Assigning it keeps the stiffness in N/m."
    )
    enable_limit = Property(FLAG, "Whether the translation stays in [lower_translation, upper_translation].")
    lower_translation = Property(NUMBER, "Lower limit, metres, at most `upper_translation`.")
    upper_translation = Property(NUMBER, "Upper limit, metres, at least `lower_translation`.")
    enable_motor = Property(FLAG, "Whether a motor turns body B at `motor_speed`.")
    motor_speed = Property(NUMBER, "Wanted speed of body B against body A, rad/s.")
    max_motor_torque = Property(NUMBER, "The most that the motor may use, N m, 0 or more.")
    translation = ReadOnly(NUMBER, "Where anchor B is along the axis, metres from anchor A.")
    angle = ReadOnly(NUMBER, "Angle of frame B against frame A, radians.")
    translation_speed = ReadOnly(NUMBER, "Rate of the translation, m/s.")
    speed = ReadOnly(NUMBER, "Rate of the angle, rad/s.")
    motor_torque = ReadOnly(NUMBER, "Torque that the motor used in the last step, N m.")
    spring_force = ReadOnly(NUMBER, "Force of the suspension along the axis on body B in the last step, N.")

    @classmethod
    def _draw(cls, pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
        draw_arms(pen, rows, moving)
        draw_axis(pen, rows)
        draw_anchors(pen, rows)


@joint_maker(WheelJoint, axis="axis")
def create_wheel_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    axis: Vec2Like | None = None,
    enable_spring: bool = True,
    hertz: float = 1.0,
    damping_ratio: float = 0.7,
    stiffness: float | None = None,
    damping: float | None = None,
    enable_limit: bool = False,
    lower_translation: float = 0.0,
    upper_translation: float = 0.0,
    enable_motor: bool = False,
    motor_speed: float = 0.0,
    max_motor_torque: float = 0.0,
    **options: Unpack[PlacedJointOptions],
) -> WheelJoint:
    """A wheel, body B, on a suspension along `axis` of body A; see `WheelJoint`.

    A `hertz`, a limit or a value of the motor switches the spring, limit or motor on, unless its `enable_...` is given.
    The axis is in world coordinates and (1, 0) by default. With frames it is the x axis of `frame_a`.
    """
    raise NotImplementedError
