"""`GearJoint`: couples the coordinates of two revolute or prismatic joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import HANDLE_POOL, NUMBER, TOTAL, Property, ReadOnly
from .._bridge.library import lib
from .._bridge.signatures import refuse
from .._objects.joint import Joint
from .creation import JOINT_BUFFERS, JOINT_DEFAULTS, JointCreator, JointOptions, check_belongs, options_of, with_options
from .drawing import between_centers
from .prismatic import PrismaticJoint
from .revolute import RevoluteJoint

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._objects.collections import WorldObjects


class GearJoint(Joint):
    """Couples two revolute or prismatic joints: coordinate a + ratio * coordinate b stays constant. It is
    destroyed with either joint.

    It drives the dynamic body of each joint, `body_b` of a joint between two dynamic bodies. The bases may move: they
    receive the reaction, as the chassis does whose wheels are geared.

    >>> with World(gravity=(0, 0)) as world:
    ...     base = world.create_static_body()
    ...     big, small = world.create_dynamic_body(), world.create_dynamic_body((3, 0))
    ...     shapes = big.create_shape(Circle(2)), small.create_shape(Circle(1))
    ...     a = world.create_revolute_joint(base, big, anchor=(0, 0))
    ...     b = world.create_revolute_joint(base, small, anchor=(3, 0))
    ...     gear = world.create_gear_joint(a, b, ratio=0.5)
    ...     big.angular_velocity = 1
    ...     world.step()
    ...     round(small.angular_velocity / big.angular_velocity, 3)
    -2.0
    """

    __slots__ = ()
    _DRAWN = (between_centers("violet"),)

    # generated: properties of gear joints, see tools/lists.py
    ratio = Property(NUMBER)
    total = Property(TOTAL)
    coordinate_a = ReadOnly(NUMBER)
    coordinate_b = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    # end of generated


@with_options(GearJoint, JointOptions)
def create_gear_joint(
    world: WorldObjects,
    joint_a: RevoluteJoint | PrismaticJoint,
    joint_b: RevoluteJoint | PrismaticJoint,
    *,
    # generated: keywords of gear joints, see tools/lists.py
    ratio: float = 1.0,
    total: float | None = None,
    # end of generated
    **options: Unpack[JointOptions],
) -> GearJoint:
    """Couples two joints; see `GearJoint`.

    Raises:
        ValueError: another type of joint; a joint without a dynamic body; two joints that drive the same body; a joint
            of another world; not finite; out of range.
        TypeError: a wrong type.
        DestroyedError: a joint is gone.
    """
    refuse("create_gear_joint", options, JOINT_DEFAULTS)
    for name, joint in (("joint_a", joint_a), ("joint_b", joint_b)):
        if not isinstance(joint, (RevoluteJoint, PrismaticJoint)):
            raise TypeError(f"{name}={short_repr(joint)} must be a RevoluteJoint or a PrismaticJoint")
        check_belongs(world, joint, name)
    if world._in_callback():
        return world._deferred_handle(
            GearJoint, lambda: create_gear_joint(world, joint_a, joint_b, ratio=ratio, total=total, **options)
        )
    given: dict[str, Any] = {"ratio": ratio, "total": total, **options}
    buffer, others = _CREATOR.writer().write(given)
    data = others.pop("data", None)
    for k, joint in enumerate((joint_a, joint_b)):
        coupled = buffer.struct.joint[k]
        coupled.index, coupled.generation = joint._index, joint._generation
    out = HANDLE_POOL.take()
    status = lib.b2d_joint_create(world._ptr, 0, 0, 0, 0, buffer.struct, out)
    if status:
        raise_error(status, world, joint_a=joint_a, joint_b=joint_b, **given)
    JOINT_BUFFERS.give_back(buffer)
    gear = world._new_handle(GearJoint, out.index, out.generation, world._destroyed_count)
    HANDLE_POOL.give_back(out)
    if data is not None:
        gear.data = data
    return gear


_CREATOR = JointCreator(GearJoint, "create_gear_joint", options_of(create_gear_joint, JointOptions), set())
