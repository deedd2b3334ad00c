"""`world.arrays`: the tables of the engine as numpy arrays, without a copy where possible.

A view holds a reference to its block of C memory. When the tables grow, the block is retired, not freed: the view then
shows old numbers, never freed memory, and a `StaleViewWarning` says so once.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeAlias, TypeVar, overload

import numpy as np

from .._bridge.arguments import choice, flags, floats, spread
from .._bridge.errors import DestroyedError, raise_error, short_repr
from .._bridge.handles import PROPERTY_TEXTS, records
from .._bridge.library import ffi, lib
from .._bridge.made_by_world import MadeByWorld
from .._bridge.world_base import NO_VERSION, TABLE_ROW, TableView
from .body_array import BODY_PROPERTIES

Boxes: TypeAlias = Literal["tight", "fat", "nodes"]
BOXES: dict[Boxes, int] = {"tight": lib.B2D_BOXES_TIGHT, "fat": lib.B2D_BOXES_FAT, "nodes": lib.B2D_BOXES_NODES}

# Parts of the rows of tables that views show: table, type, first byte, numbers
Column: TypeAlias = Literal["position", "rotation", "local_center", "linear_velocity", "angular_velocity"]
COLUMNS: dict[Column, tuple[int, Any, int, int]] = {
    "position": (lib.B2D_TABLE_POSE, np.float64, 0, 2),
    "rotation": (lib.B2D_TABLE_POSE, np.float32, 16, 2),
    "local_center": (lib.B2D_TABLE_POSE, np.float32, 24, 2),
    "linear_velocity": (lib.B2D_TABLE_STATE, np.float32, 0, 2),
    "angular_velocity": (lib.B2D_TABLE_STATE, np.float32, 8, 1),
}

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .world_handles import WorldHandles

S = TypeVar("S", bound=np.generic)
Self = TypeVar("Self")


class ReadOnlyArray(Generic[S]):
    """A property of all bodies, as a fresh array."""

    def __init__(self, kind: type[S]) -> None:
        self.kind = kind

    def __set_name__(self, owner: type[Arrays], name: str) -> None:
        self.name = name
        self.number, self.width = BODY_PROPERTIES[name]
        rows, kind = f"(n, {self.width})" if self.width > 1 else "(n,)", np.dtype(self.kind).name
        self.__doc__ = f"{PROPERTY_TEXTS['Body', name]} A copy, {kind}, shape {rows}."

    @overload
    def __get__(self: Self, arrays: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, arrays: Arrays, owner: Any = None) -> NDArray[S]: ...
    def __get__(self, arrays: Arrays | None, owner: Any = None) -> Any:
        return self if arrays is None else arrays._gather(self.number, self.width).astype(self.kind, copy=False)


class Array(ReadOnlyArray[S]):
    """A property of all bodies that may be assigned."""

    def __set__(self, arrays: Arrays, value: ArrayLike) -> None:
        arrays._assign(self.name, value)


class Arrays(MadeByWorld):
    """The state of all bodies as arrays with one row for each index: body `b` is in row `b.index`.

    The content of rows without a living body is undefined; n is one more than the largest index that has been in
    use, and the same for all of these arrays. `position`, `rotation`, `linear_velocity` and `angular_velocity` are
    read-only views of the engine's memory, made on each access: they follow the simulation without a copy until the
    tables grow. They are not synchronised with a step that another thread runs. Everything else is a fresh copy.
    So take a view before a loop, not in it, and take it again after creating bodies.

    The properties that have a setter may be assigned: an array of the same shape, or one value for all bodies. Each
    assignment is one call of the core. Rows without a body are ignored, and a body whose row holds its present value
    is left as it is, so it is not woken and its contacts remain. `set` writes some rows. All values are checked
    before the first body changes.

    Raises:
        DestroyedError: the world is closed.
        WorldLockedError: another thread is stepping the world, for all but the views.
        ValueError: an assigned value is not finite, out of range, not allowed for its body, or has a wrong shape.
        TypeError: an assigned value has a wrong type.

    >>> with World() as world:
    ...     ball = world.create_dynamic_body((1, 2))
    ...     positions = world.arrays.position  # one view for the whole loop
    ...     for _ in range(60):
    ...         world.step()
    ...     positions.shape, tuple(positions[ball.index]) == ball.position
    ((1, 2), True)
    """

    __slots__ = ("_world",)

    def _set(self, world: WorldHandles) -> None:
        self._world = world

    def _view(self, column: Column) -> Any:
        world = self._world
        state = world._tables_state[0]
        shown_state, kept = world._shown
        if state == shown_state:
            shown = kept.get(column)
            if shown is not None:
                return shown.view()
        else:
            if state & NO_VERSION != world._version or not world._table_rows:
                world._refresh()  # so that it notices when the tables move
            kept = {}
            world._shown = state, kept
        table, kind, first, width = COLUMNS[column]
        rows, _, block, offset = world._acquire(table)
        dtype = np.dtype(kind)
        shape, strides = ((rows, width), (TABLE_ROW, dtype.itemsize)) if width > 1 else ((rows,), (TABLE_ROW,))
        if not rows:
            return np.asarray(np.broadcast_to(dtype.type(0), shape))  # read-only too
        address = int(ffi.cast("intptr_t", block)) + offset + first
        window = TableView(
            block, {"data": (address, True), "shape": shape, "strides": strides, "typestr": dtype.str, "version": 3}
        )
        world._views.add(weakref.ref(window, world._views.discard))
        shown = np.asarray(window)
        if state == world._tables_state[0]:
            kept[column] = shown
        return shown.view()

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins in world coordinates, metres: view, float64, shape (n, 2)."""
        return self._view("position")  # type: ignore[no-any-return]

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._assign("position", value)

    @property
    def world_center(self) -> NDArray[np.float64]:
        """Centres of mass in world coordinates, metres: copy, float64, shape (n, 2)."""
        cosine, sine = self.rotation.astype(np.float64).T
        x, y = self._view("local_center").astype(np.float64).T
        centers: NDArray[np.float64] = self.position + np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)
        return centers

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles: view, float32, shape (n, 2)."""
        return self._view("rotation")  # type: ignore[no-any-return]

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self._assign("rotation", value)

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """Velocities of the centres of mass, m/s, zero while asleep: view, float32, shape (n, 2)."""
        return self._view("linear_velocity")  # type: ignore[no-any-return]

    @linear_velocity.setter
    def linear_velocity(self, value: ArrayLike) -> None:
        self._assign("linear_velocity", value)

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """Rates of rotation, rad/s, zero while asleep: view, float32, shape (n,)."""
        return self._view("angular_velocity")  # type: ignore[no-any-return]

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self._assign("angular_velocity", value)

    @property
    def angle(self) -> NDArray[np.float64]:
        """Angles in (-pi, pi], radians: copy, float64, shape (n,)."""
        rows = self.rotation.astype(np.float64)
        angles: NDArray[np.float64] = np.arctan2(rows[:, 1], rows[:, 0])
        angles[angles <= -np.pi] = np.pi
        return angles

    @angle.setter
    def angle(self, value: ArrayLike) -> None:
        self._assign("angle", value)

    def _gather(self, prop: int, width: int = 1) -> NDArray[np.float64]:
        world = self._world
        count = ffi.new("int32_t *")
        room = 0
        while True:
            values = np.zeros((room, width) if width > 1 else room)
            out = ffi.from_buffer("double[]", values) if room else ffi.NULL
            status = lib.b2d_world_gather(world._ptr, prop, out, room, count)
            if status:
                raise_error(status, world)
            if count[0] <= room:
                return values[: count[0]]
            room = count[0]

    def _assign(self, name: str, value: ArrayLike) -> None:
        world, (number, width) = self._world, BODY_PROPERTIES[name]
        count, row = ffi.new("int32_t *"), ffi.new("int32_t *")
        lib.b2d_world_generations(world._ptr, lib.B2D_KIND_BODY, count)
        n = count[0]
        given = spread(value, name, (n, width) if width > 1 else (n,), _converter(name))
        status = lib.b2d_world_set_bodies(world._ptr, number, n, ffi.from_buffer("double[]", given), row)
        if status:
            self._fail(status, name, value, given, row[0])

    def _fail(self, status: int, name: str, value: object, given: Any, row: int) -> NoReturn:
        try:
            raise_error(status, self._world, **{name: value})
        except ValueError as error:
            raise ValueError(f"{error}; row {row} is {short_repr(given[row].tolist())}") from None

    def set(
        self,
        ids: ArrayLike,
        *,
        # generated: keywords of arrays, see tools/lists.py
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        angle: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        force: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        gravity_scale: ArrayLike | None = None,
        linear_damping: ArrayLike | None = None,
        angular_damping: ArrayLike | None = None,
        sleep_threshold: ArrayLike | None = None,
        safety_factor: ArrayLike | None = None,
        awake: ArrayLike | None = None,
        enabled: ArrayLike | None = None,
        can_sleep: ArrayLike | None = None,
        bullet: ArrayLike | None = None,
        allow_fast_rotation: ArrayLike | None = None,
        lock_x: ArrayLike | None = None,
        lock_y: ArrayLike | None = None,
        lock_rotation: ArrayLike | None = None,
        mass: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        # end of generated
    ) -> None:
        """Assigns properties of the bodies with these indices: arrays with one row for each, or one value for all.

        Every body and every value is checked before the first body changes. The result is that of the assignments to
        single bodies, property by property in the order above, row by row. `BodyArray` does the same for bodies whose
        handles are known, and has forces and impulses that add up.

        Args:
            ids: indices of bodies, shape (n,).

        Raises:
            DestroyedError: there is no body with one of these indices, or the world is closed.
            ValueError: a value is not finite, out of range, not allowed for its body, or has a wrong shape.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> with World(gravity=(0, 0)) as world:
        ...     bodies = world.create_bodies([(0, 0), (2, 0), (4, 0)], geometry=Circle(0.5))
        ...     world.arrays.set([0, 2], position=[(1, 1), (3, 3)], linear_velocity=(0, 5))
        ...     world.arrays.position.tolist(), world.arrays.linear_velocity[:, 1].tolist()
        ([[1.0, 1.0], [2.0, 0.0], [3.0, 3.0]], [5.0, 0.0, 5.0])
        """
        given = locals()
        rows = np.array(ids)  # a copy: see `floats`
        if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
            raise TypeError(f"ids={short_repr(ids)} must be an array of body indices")
        n = len(rows)
        if n and not (rows.min() >= 0 and rows.max() < 2**31):
            raise DestroyedError(f"ids={short_repr(ids)}: there are no such bodies")
        indices = rows.astype(np.int32)
        pointer, row, calls = self._world._ptr, ffi.new("int32_t *"), []
        for name in _KEYWORDS:
            if (value := given[name]) is not None:
                number, width = BODY_PROPERTIES[name]
                array = spread(value, name, (n, width) if width > 1 else (n,), _converter(name))
                arguments = ffi.from_buffer("int32_t[]", indices), ffi.NULL, number, ffi.from_buffer("double[]", array)
                calls.append((arguments, name, value, array))
        checks = [lib.b2d_bodies_check] if len(calls) > 1 else []  # one call checks its values itself
        for function in (*checks, lib.b2d_bodies_set):
            for arguments, name, value, array in calls:
                status = function(pointer, n, *arguments, row)
                if status & 0xFF == lib.B2D_STALE_HANDLE:
                    raise DestroyedError(f"ids: there is no body {indices[row[0]]}, in row {row[0]}")
                if status:
                    self._fail(status, name, value, array, row[0])

    # generated: arrays of bodies, see tools/lists.py
    gravity_scale = Array(np.float64)
    linear_damping = Array(np.float64)
    angular_damping = Array(np.float64)
    sleep_threshold = Array(np.float64)
    safety_factor = Array(np.float64)
    awake = Array(np.bool_)
    enabled = Array(np.bool_)
    can_sleep = Array(np.bool_)
    bullet = Array(np.bool_)
    allow_fast_rotation = Array(np.bool_)
    lock_x = Array(np.bool_)
    lock_y = Array(np.bool_)
    lock_rotation = Array(np.bool_)
    mass = Array(np.float64)
    inertia = Array(np.float64)
    sleep_timer = ReadOnlyArray(np.float64)
    # end of generated

    @property
    def force(self) -> NDArray[np.float64]:
        """Sums of the forces for the next step, N: copy, float64, shape (n, 2). Assigning replaces them."""
        return self._gather(lib.B2D_BODY_FORCE, 2)

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self._assign("force", value)

    @property
    def torque(self) -> NDArray[np.float64]:
        """Sums of the torques for the next step, N m: copy, float64, shape (n,). Assigning replaces them."""
        return self._gather(lib.B2D_BODY_TORQUE)

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        self._assign("torque", value)

    @property
    def contact_force(self) -> NDArray[np.float64]:
        """Sums of the forces of all contacts over the last step, N, as `Body.contact_force`: copy, float64,
        shape (n, 2).

        >>> with World(gravity=(0, -10)) as world:
        ...     floor = world.create_static_body((0, -1)).create_shape(Box(50, 1))
        ...     boxes = world.create_bodies([(2.0 * k, 0.5) for k in range(3)], geometry=Box(0.5, 0.5))
        ...     for _ in range(60):
        ...         world.step()
        ...     world.arrays.contact_force[boxes.indices].round(1).tolist()
        [[0.0, 10.0], [0.0, 10.0], [0.0, 10.0]]
        """
        return self._gather(lib.B2D_BODY_CONTACT_FORCE, 2)

    @property
    def type(self) -> NDArray[np.int8]:
        """The values of `BodyType`: copy, int8, shape (n,)."""
        return self._gather(lib.B2D_BODY_TYPE).astype(np.int8)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows belong to a living body: copy, bool, shape (n,)."""
        result = np.zeros(len(self._gather(lib.B2D_BODY_TYPE)), np.bool_)
        generations = self._world._live_generations(lib.B2D_KIND_BODY)
        result[: len(generations)] = generations != 0
        return result

    @property
    def contacts(self) -> NDArray[np.void]:
        """All touching contacts in the order of their indices: a copy as a record array.

        Fields: `shape_a`, `shape_b`, `body_a`, `body_b`, `contact` (indices), `point_count`, `normal_x`, `normal_y`,
        `force_x`, `force_y` (on B, as `Contact.force`), `friction`, `restitution`, `color`, `awake`, `persisted`, the
        generations, and with one element for each of two points: `px`, `py`, `separation`, `normal_impulse`,
        `tangent_impulse`, `feature`, `velocity_x`, `velocity_y` (of B relative to A), `persisted_point`.
        """
        return records(
            self._world, "b2d_contact_data", lambda *out: lib.b2d_world_contacts(self._world._ptr, True, *out)
        )

    @property
    def bodies(self) -> NDArray[np.void]:
        """All bodies by index, including rows without a living body: a copy as a record array.

        Fields: `type` (of `BodyType`, -1 in rows without a body), `island` (index, -1 for none), `awake`, `enabled`,
        `bullet`, `fast` (swept by the continuous stage of the last step), `sleep_timer` (s).

        >>> with World() as world:
        ...     _ = world.create_dynamic_body()
        ...     world.arrays.bodies["island"].tolist()
        [0]
        """
        return records(self._world, "b2d_body_data", lambda *out: lib.b2d_world_bodies(self._world._ptr, *out))

    @property
    def shapes(self) -> NDArray[np.void]:
        """All shapes in the order of their indices with their geometry: a copy as a record array.

        Except for `enabled` it changes only when `box2dpy.lab.shape_version` does.

        Fields: `shape`, `body` (indices), `generation`, `type` (0 circle, 1 capsule, 2 segment, 3 polygon, 4 chain
        segment), `count` of vertices, `x` and `y` (eight in each row, body coordinates; the two ghost points of a chain
        segment follow its end points), `radius`, `color`, `material`, `sensor`, `enabled`.
        """
        return records(self._world, "b2d_shape_data", lambda *out: lib.b2d_world_shapes(self._world._ptr, *out))

    @property
    def joints(self) -> NDArray[np.void]:
        """All joints in the order of their indices, in world coordinates: a copy as a record array.

        Fields: `joint`, `body_a`, `body_b` (indices), `generation`, `type` (in the order of lists/joint_types.def),
        anchors `ax`, `ay`, `bx`, `by`, centres of mass `center_ax` to `center_by`, ground anchors of a pulley
        `ground_ax` to `ground_by`, `force_x`, `force_y` and `torque` on body B, `axis_x`, `axis_y`, the angles
        `angle_a` and `angle_b` of the frames, `lower`, `upper`, `limited`, `motor`, `spring`, `color`, `awake`.
        """
        return records(self._world, "b2d_joint_data", lambda *out: lib.b2d_world_joints(self._world._ptr, *out))

    def boxes(self, what: Boxes = "tight") -> NDArray[np.void]:
        """Boxes in world coordinates: a copy as a record array.

        Fields: `lower_x`, `lower_y`, `upper_x`, `upper_y`, `shape`, `level`.

        Args:
            what: "tight", the smallest box of each shape; "fat", the enlarged box of each shape that the broad phase
                works with; or "nodes", the bounds in the search structure, with their height as `level` and -1 as
                `shape`.

        Raises:
            ValueError: another value of `what`.
        """
        number = BOXES[choice(what, "what", BOXES)]
        return records(self._world, "b2d_box_data", lambda *out: lib.b2d_world_boxes(self._world._ptr, number, *out))

    def __repr__(self) -> str:
        return f"<Arrays of {self._world!r}>"


def _converter(name: str) -> Any:
    return flags if isinstance(array := vars(Arrays).get(name), ReadOnlyArray) and array.kind is np.bool_ else floats


_KEYWORDS = list(Arrays.set.__kwdefaults__ or {})
