"""`JointMakers`: the part of `World` that creates joints, put together from the files of the types."""

from __future__ import annotations

from .._objects.collections import WorldObjects
from .connection import create_connection_joint
from .distance import create_distance_joint, create_rope_joint
from .filter import create_filter_joint
from .gear import create_gear_joint
from .groove import create_groove_joint
from .motor import create_motor_joint
from .mover import create_mover_joint
from .pogo import create_pogo_joint
from .prismatic import create_prismatic_joint
from .pulley import create_pulley_joint
from .ratchet import create_ratchet_joint
from .revolute import create_revolute_joint
from .rotary_spring import create_rotary_spring_joint
from .weld import create_weld_joint
from .wheel import create_wheel_joint


class JointMakers(WorldObjects):
    """The part of `World` that creates joints."""

    __slots__ = ()

    create_revolute_joint = create_revolute_joint
    create_distance_joint = create_distance_joint
    create_rope_joint = create_rope_joint
    create_prismatic_joint = create_prismatic_joint
    create_wheel_joint = create_wheel_joint
    create_weld_joint = create_weld_joint
    create_motor_joint = create_motor_joint
    create_filter_joint = create_filter_joint
    create_gear_joint = create_gear_joint
    create_pulley_joint = create_pulley_joint
    create_mover_joint = create_mover_joint
    create_pogo_joint = create_pogo_joint
    create_ratchet_joint = create_ratchet_joint
    create_groove_joint = create_groove_joint
    create_rotary_spring_joint = create_rotary_spring_joint
    create_connection_joint = create_connection_joint
    connect = create_connection_joint
