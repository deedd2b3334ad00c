"""Columns of a batch: one property of every body, shape or joint of every world."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

import numpy as np

from .._bridge.arguments import flags, floats
from .._bridge.errors import short_repr
from .._bridge.handles import PROPERTY_TEXTS
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.made_by_world import MadeByWorld
from .._objects.body_array import BODY_PROPERTIES, SHAPE_PROPERTIES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .cells import Cells

JOINT_PROPERTIES = {row[1]: number for number, row in enumerate(shared_list("joint_properties")) if row[2] == "1"}
NUMBERS = {
    "body": {name: found[0] for name, found in BODY_PROPERTIES.items()},
    "shape": SHAPE_PROPERTIES,
    "joint": JOINT_PROPERTIES,
}
FLAGS = {
    *(row[1] for name in ("body_properties", "shape_properties") for row in shared_list(name) if row[2] == "bool"),
    *(name for name in JOINT_PROPERTIES if name.startswith("enable_")),
}
Owner = TypeVar("Owner")


class HasCells(Protocol):
    """A batch, or the joints of one."""

    @property
    def _cells(self) -> Cells: ...


class BatchColumn(MadeByWorld):
    """A property of every body, shape or joint of every world of a batch, shape (n, objects), float64.

    Indexing reads a fresh array; `column[:] = values`, or any other index, writes. Objects and properties that a world
    does not have are NaN, and writing skips them. All values are checked before the first one changes; rows with the
    present value are left alone, so they wake nothing.

    Raises:
        ValueError: a value is not finite, out of range, not allowed for its object, or has a wrong shape; the message
            names the world and the object.
        TypeError: a wrong type.
        DestroyedError: the batch is closed.
        WorldLockedError: another thread steps the batch.
    """

    __slots__ = ("_kind", "_name", "_owner")

    def _set(self, owner: HasCells, kind: str, name: str) -> None:
        self._owner, self._kind, self._name = owner, kind, name

    @property
    def _cells(self) -> Cells:
        return self._owner._cells

    @property
    def shape(self) -> tuple[int, int]:
        """(worlds, objects of each)."""
        return self._cells.count, self._cells.objects[self._kind]

    def __len__(self) -> int:
        return self._cells.count

    def read(self) -> NDArray[np.float64]:
        """The values: a fresh array."""
        out = np.zeros(self.shape)
        values = ffi.from_buffer("double[]", out, require_writable=True)
        pointer = self._cells.pointer
        if self._kind == "body":
            status = lib.b2d_world_gather(pointer, self._number, values, out.size, ffi.new("int32_t *"))
        else:
            get = lib.b2d_cells_get_shapes if self._kind == "shape" else lib.b2d_cells_get_joints
            status = get(pointer, self._number, values)
        if status:
            self._cells.fail(status)
        return out

    @property
    def _number(self) -> int:
        return NUMBERS[self._kind][self._name]

    def _given(self, value: ArrayLike) -> NDArray[np.float64]:
        given = flags(value, self._name, as_read=True) if self._name in FLAGS else floats(value, self._name)
        return given.reshape(np.shape(value))  # a number has become a row of one

    def write(self, value: ArrayLike) -> None:
        """Assigns an array of the shape of the column, or what numpy broadcasts to it."""
        rows = given = self._given(value)
        try:
            if given.shape != self.shape:
                rows = np.ascontiguousarray(np.broadcast_to(given, self.shape))
        except ValueError:
            raise ValueError(
                f"{self._name}={short_repr(value)} must have shape {self.shape} or broadcast to it, not {given.shape}"
            ) from None
        self._store(rows)

    def _store(self, rows: NDArray[np.float64]) -> None:
        row, values, pointer = ffi.new("int32_t *"), ffi.from_buffer("double[]", rows), self._cells.pointer
        if self._kind == "body":
            status = lib.b2d_world_set_bodies(pointer, self._number, rows.size, values, row)
        elif self._kind == "shape":
            status = lib.b2d_cells_set_shapes(pointer, self._number, values, row)
        else:
            status = lib.b2d_cells_set_joints(pointer, self._number, values, row)
        if status:
            self._cells.fail(status, self._kind, row[0], self._name, rows.flat[row[0]] if rows.size else None)

    def __getitem__(self, key: Any) -> Any:
        rows = self.read()
        with _whole_index(key):
            return rows[key]

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        if key is Ellipsis or (isinstance(key, slice) and key == slice(None)):
            self.write(value)
            return
        rows = self.read()
        given = self._given(value)
        try:
            with _whole_index(key):
                rows[key] = given
        except ValueError:
            raise ValueError(
                f"{self._name}={short_repr(value)} has shape {given.shape}, which does not fit index {short_repr(key)}"
            ) from None
        self._store(rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.read().astype(dtype or np.float64, copy=False)

    def __repr__(self) -> str:
        return f"<column {self._name} of {self.shape[0]} x {self.shape[1]} {self._kind} values>"


@contextmanager
def _whole_index(key: object) -> Iterator[None]:
    try:
        yield
    except OverflowError:  # numpy raises it from 2^63 to 2^64
        raise IndexError(f"index {short_repr(key)} is out of bounds") from None


class Column(Generic[Owner]):
    """The attribute of a batch, or of its joints, that is a column."""

    def __init__(self, kind: str, doc: str = "") -> None:
        self.kind = kind
        self.__doc__ = doc

    def __set_name__(self, owner: type[Owner], name: str) -> None:
        self.name = name
        self.__doc__ = self.__doc__ or PROPERTY_TEXTS[self.kind.title(), name]

    @overload
    def __get__(self, owner: None, kind: Any = None) -> Column[Owner]: ...
    @overload
    def __get__(self, owner: Owner, kind: Any = None) -> BatchColumn: ...
    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else BatchColumn._made(owner, self.kind, self.name)

    def __set__(self, owner: Any, value: ArrayLike | BatchColumn) -> None:
        BatchColumn._made(owner, self.kind, self.name).write(np.asarray(value))


class BatchJoints(MadeByWorld):
    """The joints of all worlds of a batch: `batch.joints.motor_speed[:] = speeds`, shape (n, joints).

    A joint that has no such property is NaN in the column, for example the motor of a weld joint.
    """

    __slots__ = ("_batch",)

    def _set(self, batch: HasCells) -> None:
        self._batch = batch

    @property
    def _cells(self) -> Cells:
        return self._batch._cells

    def __len__(self) -> int:
        return self._cells.objects["joint"]

    # generated: columns of joints, see tools/lists.py
    local_angle_a = Column["BatchJoints"]("joint", "radians.")
    local_angle_b = Column["BatchJoints"]("joint", "radians.")
    collide_connected = Column["BatchJoints"]("joint", "1 or 0.")
    joint_hertz = Column["BatchJoints"]("joint", "Softness of the rigid rows.")
    joint_damping_ratio = Column["BatchJoints"]("joint", "Softness of the rigid rows.")
    force_threshold = Column["BatchJoints"]("joint", "N.")
    torque_threshold = Column["BatchJoints"]("joint", "N m.")
    enable_spring = Column["BatchJoints"]("joint", "1 or 0.")
    hertz = Column["BatchJoints"]("joint", "Of the spring.")
    damping_ratio = Column["BatchJoints"]("joint", "Of the spring.")
    target_angle = Column["BatchJoints"]("joint", "Of the spring: radians.")
    enable_limit = Column["BatchJoints"]("joint", "1 or 0.")
    lower_angle = Column["BatchJoints"]("joint", "radians.")
    upper_angle = Column["BatchJoints"]("joint", "radians.")
    enable_motor = Column["BatchJoints"]("joint", "1 or 0.")
    motor_speed = Column["BatchJoints"]("joint", "rad/s or m/s.")
    max_motor_torque = Column["BatchJoints"]("joint", "N m.")
    target_translation = Column["BatchJoints"]("joint", "Of the spring: metres.")
    lower_translation = Column["BatchJoints"]("joint", "metres.")
    upper_translation = Column["BatchJoints"]("joint", "metres.")
    max_motor_force = Column["BatchJoints"]("joint", "N.")
    groove_length = Column["BatchJoints"]("joint", "metres.")
    length = Column["BatchJoints"]("joint", "metres.")
    min_length = Column["BatchJoints"]("joint", "metres.")
    max_length = Column["BatchJoints"]("joint", "metres.")
    lower_spring_force = Column["BatchJoints"]("joint", "N.")
    upper_spring_force = Column["BatchJoints"]("joint", "N.")
    linear_hertz = Column["BatchJoints"]("joint", "Of the spring of the anchors.")
    linear_damping_ratio = Column["BatchJoints"]("joint", "Of the spring of the anchors.")
    angular_hertz = Column["BatchJoints"]("joint", "Of the spring of the angle.")
    angular_damping_ratio = Column["BatchJoints"]("joint", "Of the spring of the angle.")
    angular_velocity = Column["BatchJoints"]("joint", "rad/s.")
    max_velocity_force = Column["BatchJoints"]("joint", "Of a motor joint: N.")
    max_velocity_torque = Column["BatchJoints"]("joint", "Of a motor joint: N m.")
    max_spring_force = Column["BatchJoints"]("joint", "N.")
    max_spring_torque = Column["BatchJoints"]("joint", "N m.")
    ratio = Column["BatchJoints"]("joint", "Of a gear or pulley.")
    rest_length = Column["BatchJoints"]("joint", "metres.")
    max_tension_force = Column["BatchJoints"]("joint", "N.")
    max_compression_force = Column["BatchJoints"]("joint", "N.")
    phase = Column["BatchJoints"]("joint", "radians.")
    ratchet = Column["BatchJoints"]("joint", "radians.")
    total = Column["BatchJoints"]("joint", "metres or radians.")
    stiffness = Column["BatchJoints"]("joint", "Of the spring: N/m or N m/rad.")
    damping = Column["BatchJoints"]("joint", "Of the spring: N s/m or N m s/rad.")
    linear_stiffness = Column["BatchJoints"]("joint", "Of the spring of the anchors: N/m.")
    angular_stiffness = Column["BatchJoints"]("joint", "Of the spring of the angle: N m/rad.")
    linear_damping = Column["BatchJoints"]("joint", "Of the spring of the anchors: N s/m.")
    angular_damping = Column["BatchJoints"]("joint", "Of the spring of the angle: N m s/rad.")
    angle = Column["BatchJoints"]("joint", "radians; read-only.")
    speed = Column["BatchJoints"]("joint", "rad/s or m/s; read-only.")
    motor_torque = Column["BatchJoints"]("joint", "N m, of the last step; read-only.")
    constraint_torque = Column["BatchJoints"]("joint", "N m, mean over the last step; read-only.")
    linear_separation = Column["BatchJoints"]("joint", "metres; read-only.")
    angular_separation = Column["BatchJoints"]("joint", "radians; read-only.")
    translation = Column["BatchJoints"]("joint", "metres; read-only.")
    current_length = Column["BatchJoints"]("joint", "metres; read-only.")
    length_a = Column["BatchJoints"]("joint", "metres; read-only.")
    length_b = Column["BatchJoints"]("joint", "metres; read-only.")
    motor_force = Column["BatchJoints"]("joint", "N, of the last step; read-only.")
    held_angle = Column["BatchJoints"]("joint", "radians; read-only.")
    spring_torque = Column["BatchJoints"]("joint", "N m, of the last step; read-only.")
    coordinate_a = Column["BatchJoints"]("joint", "radians or metres; read-only.")
    coordinate_b = Column["BatchJoints"]("joint", "radians or metres; read-only.")
    translation_speed = Column["BatchJoints"]("joint", "m/s; read-only.")
    # end of generated
