"""`DistanceJoint`: a rod, a spring or a rope between two anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._bridge.arguments import number
from .._bridge.errors import short_repr
from .._bridge.handles import CONSTANT, FLAG, NUMBER, Codec, Property, ReadOnly
from .._bridge.signatures import refuse
from .._objects.joint import Joint
from .creation import INFINITY, JOINT_DEFAULTS, JointOptions, joint_maker, with_options
from .drawing import between_anchors, draw_anchors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


def _encode_length(value: float | None, name: str) -> tuple[float]:
    length = -1.0 if value is None else number(value, name)
    if value is not None and length < 0:
        raise ValueError(f"{name}={short_repr(value)} is out of range")
    return (length,)


# None stands for the present distance; in C it is -1. Reading gives the length in effect.
LENGTH: Codec[float, float | None] = Codec(lambda out: out[0], _encode_length)


class DistanceJoint(Joint):
    """A rod, spring or rope between two anchors: keeps, or softly seeks, their distance.

    Without `enable_spring` the length is rigid. With it the length is free but for the spring (where `hertz` is not 0),
    the motor and the limits, so `enable_spring=True, hertz=0, enable_limit=True` is a rope.

    >>> with World(gravity=(0, 0)) as world:
    ...     wall, ball = world.create_static_body(), world.create_dynamic_body((2, 0))
    ...     shape = ball.create_shape(Circle(0.1))
    ...     rod = world.create_distance_joint(wall, ball, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
    ...     rod.length, rod.current_length
    (2.0, 2.0)
    """

    __slots__ = ()
    _DRAWN = (between_anchors("cyan"), draw_anchors)

    # generated: properties of distance joints, see tools/lists.py
    length = Property(LENGTH)
    enable_spring = Property(FLAG)
    hertz = Property(NUMBER)
    damping_ratio = Property(NUMBER)
    stiffness = Property(CONSTANT)
    damping = Property(CONSTANT)
    lower_spring_force = Property(NUMBER)
    upper_spring_force = Property(NUMBER)
    enable_limit = Property(FLAG)
    min_length = Property(NUMBER)
    max_length = Property(NUMBER)
    enable_motor = Property(FLAG)
    motor_speed = Property(NUMBER)
    max_motor_force = Property(NUMBER)
    current_length = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    motor_force = ReadOnly(NUMBER)
    spring_force = ReadOnly(NUMBER)
    # end of generated


@joint_maker(DistanceJoint)
def create_distance_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of distance joints, see tools/lists.py
    length: float | None = None,
    enable_spring: bool = False,
    hertz: float = 0.0,
    damping_ratio: float = 0.0,
    stiffness: float | None = None,
    damping: float | None = None,
    lower_spring_force: float = -INFINITY,
    upper_spring_force: float = INFINITY,
    enable_limit: bool = False,
    min_length: float = 0.0,
    max_length: float = INFINITY,
    enable_motor: bool = False,
    motor_speed: float = 0.0,
    max_motor_force: float = 0.0,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> DistanceJoint:
    """A rod, spring or rope between two anchors; see `DistanceJoint`.

    A `hertz`, a limit or a value of the motor switches the spring, limit or motor on, unless its `enable_...` is given;
    a limit or a motor makes the length soft. It is mostly created with `local_anchor_a` and `local_anchor_b`, because
    with `anchor` both ends are at one point. `length=None` takes the present distance of the anchors.
    """
    raise NotImplementedError


@with_options(DistanceJoint, JointOptions)
def create_rope_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    local_anchor_a: Vec2Like = (0.0, 0.0),
    local_anchor_b: Vec2Like = (0.0, 0.0),
    max_length: float | None = None,
    **options: Unpack[JointOptions],
) -> DistanceJoint:
    """A rope: a distance joint that only keeps its anchors from being farther apart than `max_length`, in metres.

    None takes their present distance.
    """
    refuse("create_rope_joint", options, JOINT_DEFAULTS)
    given: dict[str, Any] = {"local_anchor_a": local_anchor_a, "local_anchor_b": local_anchor_b, **options}
    if max_length is None and world._in_callback():
        return world._deferred_handle(DistanceJoint, lambda: create_rope_joint(world, body_a, body_b, **given))
    longest = INFINITY if max_length is None else max_length
    rope = create_distance_joint(
        world, body_a, body_b, enable_spring=True, enable_limit=True, max_length=longest, **given
    )
    if max_length is None:
        rope.max_length = rope.length
    return rope
