"""`Joint`: the base of all joints. The types are in the folder `_joints`, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, get_args

from .._bridge.arguments import choice
from .._bridge.choices import JointSolver
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import FLAG, INHERITED, NUMBER, PAIR, Codec, Handle, Property, ReadOnly
from .._bridge.library import ffi, lib
from .._bridge.lists import JOINT_NAMES
from .._bridge.other_names import add_other_names
from .._geometry.geometry import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    import numpy as np
    from numpy.typing import NDArray

    from .body import Body
    from .world_handles import WorldHandles

JOINT_SOLVERS = get_args(JointSolver)
SOLVER: Codec[JointSolver, JointSolver] = Codec(
    lambda out: JOINT_SOLVERS[int(out[0])],
    lambda value, name: (float(JOINT_SOLVERS.index(choice(value, name, JOINT_SOLVERS))),),
)
JOINT_CLASSES: dict[int, type[Joint]] = {}  # by the number of the type: each class adds itself


class Pen(Protocol):
    """Draws many lines and dots in world coordinates: arguments are arrays, a row for each, and one colour for all."""

    def lines(self, ax: Any, ay: Any, bx: Any, by: Any, color: Any) -> None: ...
    def dots(self, x: Any, y: Any, color: Any, size: float = 5.0) -> None: ...


DrawnPart: TypeAlias = "Callable[[Pen, NDArray[np.void], NDArray[np.bool_]], None]"


class Joint(Handle):
    """Base of all joints: what every type has.

    Attributes raise `DestroyedError` when the joint is gone, `WorldLockedError` while another thread steps the world,
    `ValueError` for values that are not finite or out of range and `TypeError` for wrong types. Assigning wakes the
    bodies. An attribute that a type does not have raises `AttributeError`: a gear has no frames, a filter joint has
    neither frames nor softness nor thresholds.
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_JOINT
    _world: WorldHandles
    _C_PREFIX = "JOINT"
    _C_GET = lib.b2d_joint_get
    _C_SET = lib.b2d_joint_set
    _TYPE: ClassVar[int] = -1
    _DRAWN: ClassVar[tuple[DrawnPart, ...]] = ()  # what debug drawing shows: see `_joints/drawing.py`

    def __init_subclass__(cls) -> None:
        cls._TYPE = [*JOINT_NAMES].index(cls.__name__)
        JOINT_CLASSES[cls._TYPE] = cls

    @classmethod
    def _written_place(cls, definition: Any, options: Container[str]) -> dict[str, Any]:
        """Where a joint is, as options of the method that creates it: from a `b2d_joint_def`, for a level."""
        from .._bridge.decimals import short

        if "frame_a" not in options:
            return {}
        d = definition
        frames = [[*map(short, frame)] for frame in ((d.ax, d.ay, d.angle_a), (d.bx, d.by, d.angle_b))]
        if "axis" not in options and "normal" not in options and not frames[0][2] and not frames[1][2]:
            return {"local_anchor_a": frames[0][:2], "local_anchor_b": frames[1][:2]}
        return {"frame_a": frames[0], "frame_b": frames[1]}

    # generated: properties of all joints, see tools/lists.py
    local_anchor_a = Property(PAIR)
    local_anchor_b = Property(PAIR)
    local_angle_a = Property(NUMBER)
    local_angle_b = Property(NUMBER)
    relative_position = ReadOnly(PAIR)
    relative_velocity = ReadOnly(PAIR)
    collide_connected = Property(FLAG)
    joint_hertz = Property(INHERITED)
    joint_damping_ratio = Property(INHERITED)
    joint_solver = Property(SOLVER)
    force_threshold = Property(NUMBER)
    torque_threshold = Property(NUMBER)
    constraint_force = ReadOnly(PAIR)
    constraint_torque = ReadOnly(NUMBER)
    linear_separation = ReadOnly(NUMBER)
    angular_separation = ReadOnly(NUMBER)
    # end of generated

    def _bodies(self) -> tuple[Any, Any, int]:
        a, b, kind = ffi.new("b2d_handle *"), ffi.new("b2d_handle *"), ffi.new("int32_t *")
        status = lib.b2d_joint_bodies(self._world._ptr, self._index, self._generation, a, b, kind)
        if status:
            raise_error(status, self)
        return a, b, kind[0]

    @property
    def body_a(self) -> Body:
        """The first body."""
        a, _, _ = self._bodies()
        return self._world._body(a.index, a.generation)

    @property
    def body_b(self) -> Body:
        """The second body."""
        _, b, _ = self._bodies()
        return self._world._body(b.index, b.generation)

    @property
    def frame_a(self) -> Frame:
        """Anchor and direction on body A. Assigning changes both at once, or neither.

        >>> with World(gravity=(0, 0)) as world:
        ...     wall, door = world.create_static_body(), world.create_dynamic_body((1, 0))
        ...     shape = door.create_shape(Box(1, 0.1))
        ...     hinge = world.create_revolute_joint(wall, door, anchor=(0, 0))
        ...     hinge.frame_a = Frame((0, 2), 0.5)
        ...     hinge.local_anchor_a, hinge.local_angle_a
        (Vec2(0.0, 2.0), 0.5)
        """
        return Frame(self.local_anchor_a, self.local_angle_a)

    @frame_a.setter
    def frame_a(self, value: Frame) -> None:
        frame, before = as_frame(value, "frame_a"), self.local_anchor_a
        self.local_anchor_a = frame.point
        try:
            self.local_angle_a = frame.angle
        except ValueError:
            self.local_anchor_a = before
            raise

    @property
    def frame_b(self) -> Frame:
        """Anchor and direction on body B. Assigning changes both at once, or neither."""
        return Frame(self.local_anchor_b, self.local_angle_b)

    @frame_b.setter
    def frame_b(self, value: Frame) -> None:
        frame, before = as_frame(value, "frame_b"), self.local_anchor_b
        self.local_anchor_b = frame.point
        try:
            self.local_angle_b = frame.angle
        except ValueError:
            self.local_anchor_b = before
            raise

    def destroy(self) -> None:
        """Removes the joint and wakes its bodies. A second call, or one after a body was destroyed, does nothing."""
        self._world._destroy(self, lib.b2d_joint_destroy)

    def _describe(self) -> str:
        a, b, _ = self._bodies()
        return f" of bodies {a.index} and {b.index}"


add_other_names(Joint)


def as_frame(value: object, name: str) -> Frame:
    if isinstance(value, Frame):
        return value
    raise TypeError(f"{name}={short_repr(value)} must be a Frame")
