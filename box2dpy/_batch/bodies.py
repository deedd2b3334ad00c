"""`BatchBodies`: the bodies of a batch, as arrays and columns, and what is done to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._bridge.arguments import flag, floats, integer, masked, spread
from .._bridge.errors import short_repr
from .._bridge.handles import struct_dtype
from .._bridge.library import ffi, lib
from .._geometry.geometry import Geometry
from .._objects.body import Body
from .._objects.body_array import BODY_PROPERTIES
from .._objects.joint import Joint
from .._objects.shape import Shape
from .cells import mask_pointer
from .columns import BatchJoints, Column

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .cells import Cells

_HANDLES = {"body": Body, "shape": Shape, "joint": Joint}
GEOMETRY_DTYPE = struct_dtype("b2d_geometry")


class BatchBodies:
    """The part of `WorldBatch` that shows and changes bodies, shapes and joints."""

    __slots__ = (
        "_angular_velocity", "_cells", "_first_bodies", "_force", "_known", "_linear_velocity", "_position", "_pushed",
        "_rotation", "_torque",
    )  # fmt: skip
    _cells: Cells
    _first_bodies: NDArray[np.int32]
    _known: list[dict[str, NDArray[np.uint64]]]  # generations of the objects of each state
    _force: NDArray[np.float64]
    _torque: NDArray[np.float64]
    _position: NDArray[np.float64]
    _rotation: NDArray[np.float32]
    _linear_velocity: NDArray[np.float32]
    _angular_velocity: NDArray[np.float32]
    _pushed: bool  # whether the user has seen these arrays, so that a step must look at them

    def __len__(self) -> int:
        return self._cells.count

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins of the bodies, metres: read-only view, float64, shape (n, bodies, 2)."""
        return self._position[:]

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles: read-only view, float32, shape (n, bodies, 2)."""
        return self._rotation[:]

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """Velocities of the centres of mass, m/s: read-only view, float32, shape (n, bodies, 2)."""
        return self._linear_velocity[:]

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """Rates of rotation, rad/s: read-only view, float32, shape (n, bodies)."""
        return self._angular_velocity[:]

    @property
    def angle(self) -> NDArray[np.float64]:
        """Angles in (-pi, pi], radians: copy, float64, shape (n, bodies)."""
        cosine, sine = self._rotation[..., 0].astype(np.float64), self._rotation[..., 1].astype(np.float64)
        angles: NDArray[np.float64] = np.arctan2(sine, cosine)
        angles[angles <= -np.pi] = np.pi
        return angles

    @property
    def force(self) -> NDArray[np.float64]:
        """Forces at the centres of mass in the next step, N: write into it; float64, shape (n, bodies, 2)."""
        self._pushed = True
        return self._force[:]

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self._pushed = True
        self._force[:] = spread(value, "force", self._force.shape, floats)

    @property
    def torque(self) -> NDArray[np.float64]:
        """Torques in the next step, N m: write into it; float64, shape (n, bodies)."""
        self._pushed = True
        return self._torque[:]

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        self._pushed = True
        self._torque[:] = spread(value, "torque", self._torque.shape, floats)

    @property
    def contact_force(self) -> NDArray[np.float64]:
        """Sums of the forces of all contacts over the last step, N, as `Body.contact_force`: copy, float64,
        shape (n, bodies, 2)."""
        rows = self._cells.world.arrays._gather(lib.B2D_BODY_CONTACT_FORCE, 2)
        return rows.reshape(self._force.shape)

    # generated: columns of batches, see tools/lists.py
    gravity_scale = Column["BatchBodies"]("body")
    linear_damping = Column["BatchBodies"]("body")
    angular_damping = Column["BatchBodies"]("body")
    sleep_threshold = Column["BatchBodies"]("body")
    safety_factor = Column["BatchBodies"]("body")
    awake = Column["BatchBodies"]("body")
    enabled = Column["BatchBodies"]("body")
    can_sleep = Column["BatchBodies"]("body")
    bullet = Column["BatchBodies"]("body")
    allow_fast_rotation = Column["BatchBodies"]("body")
    lock_x = Column["BatchBodies"]("body")
    lock_y = Column["BatchBodies"]("body")
    lock_rotation = Column["BatchBodies"]("body")
    mass = Column["BatchBodies"]("body")
    inertia = Column["BatchBodies"]("body")
    density = Column["BatchBodies"]("shape")
    friction = Column["BatchBodies"]("shape")
    restitution = Column["BatchBodies"]("shape")
    rolling_resistance = Column["BatchBodies"]("shape")
    tangent_speed = Column["BatchBodies"]("shape")
    # end of generated

    @property
    def joints(self) -> BatchJoints:
        """The properties of all joints, as columns of shape (n, joints)."""
        return BatchJoints._made(self)

    # ---- what is done to bodies

    def apply_impulse(
        self,
        body: Body | int,
        impulse: ArrayLike,
        points: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        *,
        wake: bool = True,
    ) -> None:
        """Changes the velocity of one body of each world at once.

        Args:
            body: a dynamic body.
            impulse: N s, one for all or one for each world, shape (n, 2). Instead of n rows it may have one for each
                world of the mask, in their order.
            points: where it acts, world coordinates, shaped likewise; None: at the centre of mass.
            mask: the worlds, bool, shape (n,); None: all. Rows of other worlds are not looked at.
            wake: whether sleeping bodies wake. False: they ignore the impulse, and bodies that are at rest otherwise
                fall asleep in spite of it.

        Raises:
            ValueError: not finite, too large, not a dynamic body, or a wrong shape. Nothing has changed.
            TypeError: a wrong type.
        """
        if isinstance(body, Sequence):
            raise TypeError(f"body={short_repr(body)} must be a Body or an index")
        rows, indices = self._rows(body, mask)
        values = self._chosen(impulse, "impulse", rows)
        places = None if points is None else self._chosen(points, "points", rows)
        row, awake = ffi.new("int32_t *"), flag(wake, "wake")
        status = lib.b2d_bodies_push(
            self._cells.pointer, len(indices), ffi.from_buffer("int32_t[]", indices), ffi.NULL, False, True,
            ffi.from_buffer("double[]", values), ffi.NULL if places is None else ffi.from_buffer("double[]", places),
            awake, row,
        )  # fmt: skip
        if status:
            at = status >> 8 == lib.B2D_ARG_POINT and places is not None
            shown = places if at and places is not None else values
            self._cells.fail(status, "body", int(indices[row[0]]), "point" if at else "impulse", shown[row[0]].tolist())

    def set(
        self,
        body: Body | int | Sequence[Body | int],
        mask: ArrayLike | None = None,
        *,
        position: ArrayLike | None = None,
        angle: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        enabled: ArrayLike | None = None,
        awake: ArrayLike | None = None,
    ) -> None:
        """Assigns properties of one body in the worlds of a mask: one value for all, or one for each of n worlds.

        They are assigned in the order above, as to a single `Body`; all are checked before the first one. An interrupt
        (Ctrl-C) may come between two properties.

        Args:
            body: or k bodies; values are then one for all, or shaped (n, k, 2) and (n, k). Instead of n rows, values
                may have one for each world of the mask, in their order.
            mask: bool, shape (n,); None: all worlds. Rows of other worlds are not looked at.
            position: of the origin, metres, shape (2,) or (n, 2).
            angle: radians, a number or shape (n,).
            linear_velocity: m/s, shape (2,) or (n, 2).
            angular_velocity: rad/s, a number or shape (n,).
            enabled, awake: flags.

        Raises:
            ValueError: a value is not finite, out of range, or has a wrong shape.
            TypeError: a wrong type.
        """
        given = {
            "position": position, "angle": angle, "linear_velocity": linear_velocity,
            "angular_velocity": angular_velocity, "enabled": enabled, "awake": awake,
        }  # fmt: skip
        if isinstance(body, Sequence):
            body = list(body)  # reading a value may run code that changes the sequence of the caller
        many = len(body) if isinstance(body, list) else None
        rows, indices = self._rows(body, mask)
        row, calls = ffi.new("int32_t *"), []
        for name, value in given.items():
            if value is not None:
                prop, width = BODY_PROPERTIES[name]
                values = self._chosen(_numbers(value), name, rows, width, many)
                calls.append((prop, name, values))
        pointer, ids = self._cells.pointer, ffi.from_buffer("int32_t[]", indices)
        for function in (lib.b2d_bodies_check, lib.b2d_bodies_set):
            for prop, name, values in calls:
                status = function(pointer, len(indices), ids, ffi.NULL, prop, ffi.from_buffer("double[]", values), row)
                if status:
                    self._cells.fail(status, "body", int(indices[row[0]]), name, values[row[0]].tolist())

    def set_geometry(
        self,
        shape: Shape | int | Sequence[Shape | int] | NDArray[np.integer],
        vertices: ArrayLike | Geometry,
        mask: ArrayLike | None = None,
    ) -> None:
        """Gives one shape of the worlds of a mask another geometry, as `Shape.set_geometry` does: its contacts end, and
        the mass of its body is computed anew.

        Args:
            shape: a shape that is no segment of a chain; or k of them, or an array of k indices, for geometries with
                the same number of vertices.
            vertices: of convex polygons, or two for segments; body coordinates, shape (v, 2) for all worlds or
                (n, v, 2), for k shapes (k, v, 2) or (n, k, v, 2). Instead of n rows it may have one for each world of
                the mask, in their order. Or a geometry for all.
            mask: bool, shape (n,); None: all worlds.

        Raises:
            ValueError: no convex polygon, or a wrong shape. Nothing has changed.
            TypeError: a wrong type.
        """
        many = isinstance(shape, (Sequence, np.ndarray)) and not isinstance(shape, str)
        shapes = self._shapes(shape if many else [shape])  # type: ignore[list-item, arg-type]
        chosen = masked(mask, len(self))
        worlds = np.arange(len(self)) if chosen is None else np.flatnonzero(chosen)
        if isinstance(vertices, Geometry):
            rows = np.zeros((1, len(shapes)), GEOMETRY_DTYPE)
            rows[:] = np.frombuffer(ffi.buffer(vertices._c), GEOMETRY_DTYPE)
        else:
            rows = _geometries(vertices, (len(shapes),) if many else (), len(self), worlds)
        row, each = ffi.new("int32_t *"), len(rows) > 1 or len(worlds) == 1
        status = lib.b2d_cells_set_geometry(
            self._cells.pointer, len(shapes), ffi.from_buffer("int32_t[]", shapes),
            ffi.from_buffer("b2d_geometry[]", rows), each, mask_pointer(chosen), row,
        ) if rows.size and len(worlds) else 0  # fmt: skip
        if status:
            world, number_of = divmod(row[0], len(shapes))
            refused = vertices if isinstance(vertices, Geometry) else _points(rows[world if each else 0, number_of])
            self._cells.fail(
                status, "shape", int(worlds[world] * self._cells.objects["shape"] + shapes[number_of]),
                "vertices", refused,
            )  # fmt: skip

    # ---- arguments

    def _number(self, value: object, kind: str) -> int:
        """The index of a body, shape or joint that a template has."""
        handle = _HANDLES[kind]
        if isinstance(value, handle):
            index, generation = value._index, value._generation
            if not any(index < len(known[kind]) and known[kind][index] == generation for known in self._known):
                raise ValueError(f"{kind}={short_repr(value)} is of none of the templates")
            return int(index)
        try:
            return integer(value, kind, 0, self._cells.objects[kind] - 1)
        except TypeError:
            raise TypeError(f"{kind}={short_repr(value)} must be a {handle.__name__} or an index") from None

    def _shapes(self, shapes: Sequence[Shape | int] | NDArray[np.integer]) -> NDArray[np.int32]:
        most = self._cells.objects["shape"]
        if isinstance(shapes, np.ndarray) and shapes.ndim == 1 and shapes.dtype.kind in "iu":
            own = np.array(shapes)  # no subclass, and no other thread changes it
            if own.size and not (own.min() >= 0 and own.max() < most):
                raise ValueError(f"shape={short_repr(shapes)} is out of range: 0 to {most - 1}")
            return own.astype(np.int32)
        return np.array([self._number(each, "shape") for each in shapes], np.int32)

    def _rows(
        self, body: Body | int | Sequence[Body | int], mask: ArrayLike | None
    ) -> tuple[NDArray[np.intp] | None, NDArray[np.int32]]:
        """The worlds of a mask, None for all of them, and their bodies as the core numbers them."""
        chosen, bodies = masked(mask, len(self)), self._cells.objects["body"]
        rows = None if chosen is None else np.flatnonzero(chosen)
        first = self._first_bodies if rows is None else (rows * bodies).astype(np.int32)
        if not isinstance(body, Sequence):
            return rows, first + np.int32(self._number(body, "body"))
        numbers = [self._number(each, "body") for each in body]
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"body={short_repr(body)} has a body twice")
        return rows, (first[:, None] + np.array(numbers, np.int32)).ravel()

    def _chosen(
        self, value: ArrayLike, name: str, rows: NDArray[np.intp] | None, width: int = 2, many: int | None = None
    ) -> NDArray[np.float64]:
        """One value for each body of the rows, from one for all, or one for each body of each world or of the rows."""
        shape = (*(() if many is None else (many,)), *((width,) if width > 1 else ()))
        given = floats(value, name)
        if rows is None or given.shape != (len(rows), *shape):
            given = spread(value, name, (len(self), *shape), lambda *_: given)
            given = np.ascontiguousarray(given if rows is None else given[rows])
        return given.reshape(-1, *shape[1:]) if many is not None else given


def _geometries(vertices: ArrayLike, each: tuple[int, ...], count: int, worlds: NDArray[np.intp]) -> NDArray[np.void]:
    """Polygons or segments from vertices: one row for all worlds, or a row for each of `worlds`."""
    points = floats(vertices, "vertices")
    dimensions = len(each) + 2
    shape = points.shape[-dimensions:]
    least, most = 2, int(lib.B2D_MAX_VERTICES)
    good = points.ndim in (dimensions, dimensions + 1) and shape[:-2] == each and shape[-1] == 2
    if points.ndim == dimensions + 1:
        good = good and len(points) in (count, len(worlds))
    if not good or not least <= shape[-2] <= most:
        one = ", ".join(map(str, (*each, "v", 2)))
        raise ValueError(
            f"vertices={short_repr(vertices)} must have shape ({one}) or ({count}, {one}) with {least} to {most} "
            f"vertices, not {points.shape}"
        )
    if points.ndim == dimensions:
        points = points[None]
    elif len(points) != len(worlds):
        points = points[worlds]
    points = points.reshape(len(points), -1, *shape[-2:])
    rows = np.zeros(points.shape[:2], GEOMETRY_DTYPE)
    rows["type"], rows["count"] = lib.B2D_SEGMENT if shape[-2] == 2 else lib.B2D_POLYGON, shape[-2]
    with np.errstate(over="ignore"):  # infinite vertices are refused
        rows["x"][..., : shape[-2]], rows["y"][..., : shape[-2]] = points[..., 0], points[..., 1]
    return rows


def _points(row: NDArray[np.void]) -> list[list[float]]:
    count = int(row["count"])
    return [[float(x), float(y)] for x, y in zip(row["x"][:count], row["y"][:count], strict=True)]


def _numbers(value: ArrayLike) -> ArrayLike:
    given = np.asarray(value)
    return given.astype(np.float64) if given.dtype == np.bool_ else value
