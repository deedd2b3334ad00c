"""`WorldBatch`: many worlds that are stepped together, as arrays.

The worlds are the cells of one packed world of the core (csrc/graph/cell.h), so one call steps all of them, and the
wide kernels work on different worlds at once. Nothing passes from one world to another.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

import numpy as np

from .._bridge.arguments import choice, flag, floats, integer, masked, number, pinned, spread
from .._bridge.arguments import finite as check_finite
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import struct_dtype
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.made_by_world import MadeByWorld
from .._bridge.owned import owned
from .._geometry.shapes import Geometry
from .._objects.body import Body
from .._objects.body_array import BODY_PROPERTIES
from .._objects.joint import Joint
from .._objects.shape import Shape
from .._queries.hits import query_filter
from .._world.options import Options
from .._world.scheduler import SIMD_NAMES, Scheduler, pool_of
from .._world.state import State, bytes_of, state_of
from .._world.world import World
from .cells import KINDS, MESSAGE, Cells, mask_pointer
from .columns import BatchJoints, Column
from .entities import Entities, entities_of
from .random import mixed, uniform

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import ArrayLike, NDArray

    from .._bridge.choices import Profiling
    from .._geometry.shapes import Filter
    from .._world.counters import Profile
    from .._world.options import Simd

_HANDLES = {"body": Body, "shape": Shape, "joint": Joint}
_MOST_SEED = 2**64 - 1
_BYTES = (bytes, bytearray, memoryview)
_NO_GENERATIONS = np.zeros(0, np.uint64)
GEOMETRY_DTYPE = struct_dtype("b2d_geometry")


class BatchRayHits(NamedTuple):
    """What `WorldBatch.ray_casts` found, for k rays in each of n worlds.

    Attributes:
        fraction: of the translation, shape (n, k); infinity where nothing was hit.
        normal: outward unit normals of what was hit, shape (n, k, 2), float32; zero where nothing was hit.
        shape: indices of the shapes, shape (n, k), int32; -1 where nothing was hit.
    """

    fraction: NDArray[np.float64]
    normal: NDArray[np.float32]
    shape: NDArray[np.int32]


class BatchWorld(MadeByWorld):
    """One world of a batch, made by `WorldBatch.world`: views of its rows, and copies of it."""

    __slots__ = ("_batch", "_index")

    def _set(self, batch: WorldBatch, index: int) -> None:
        self._batch, self._index = batch, index

    @property
    def index(self) -> int:
        """Its number in the batch."""
        return self._index

    @property
    def position(self) -> NDArray[np.float64]:
        """Origins of the bodies, metres: read-only view, shape (bodies, 2)."""
        return self._batch.position[self._index]  # type: ignore[no-any-return]

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles: read-only view, shape (bodies, 2)."""
        return self._batch.rotation[self._index]  # type: ignore[no-any-return]

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """m/s: read-only view, shape (bodies, 2)."""
        return self._batch.linear_velocity[self._index]  # type: ignore[no-any-return]

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """rad/s: read-only view, shape (bodies,)."""
        return self._batch.angular_velocity[self._index]  # type: ignore[no-any-return]

    @property
    def gravity(self) -> tuple[float, float]:
        """m/s^2."""
        x, y = self._batch.gravity[self._index].tolist()
        return x, y

    @property
    def invalid(self) -> bool:
        """Whether a body was no longer finite since the world was made or restored."""
        return bool(self._batch.invalid[self._index])

    def state_hash(self) -> int:
        """As `World.state_hash`."""
        return int(self._batch.state_hash()[self._index])

    def save(self) -> State:
        """The state of this world."""
        return self._batch._save(self.index)

    def restore(self, state: State) -> None:
        """Returns this world to a state; see `WorldBatch.restore`."""
        mask = np.zeros(len(self._batch), bool)
        mask[self._index] = True
        self._batch.restore(state, mask)

    def extract(self) -> World:
        """A `World` of its own in the same state; see `WorldBatch.extract`."""
        return self._batch.extract(self.index)

    def __repr__(self) -> str:
        return f"<world {self.index} of {self._batch!r}>"


class WorldBatch:
    """Many independent worlds with the same kinds of bodies, stepped together by one call.

    Every world begins as a copy of a template, and `restore(replace=True)` gives it that of any world. Its
    steps give the same bits as those of that world alone, for every number of worlds and workers and every instruction
    set; sleeping included. Bodies, shapes and joints cannot be created or destroyed one by one: disable a body instead
    (`set(body, enabled=False)`). Callbacks are not supported; results are in arrays.

    Worlds may differ in their objects. Arrays have rows for the most that a world has room for; `body_mask`,
    `shape_mask` and `joint_mask` tell which exist. Rows of others are zero, in columns NaN, and cannot be written.

    `position`, `rotation`, `linear_velocity` and `angular_velocity` are read-only views of the memory of the engine,
    shape (n, bodies, 2) and (n, bodies). They follow the simulation and never move. `force` and `torque` are arrays of
    the user, which the next step consumes. Where a method takes a body, shape or joint, it is a handle of a template or
    its index.

    A body whose motion is no longer finite is disabled, as in a `World`, and `invalid` is set for its world; other
    worlds are unaffected. Restore the world to go on.

    Args:
        template: a `World`, or a sequence of worlds that the batch takes in turn. They must agree in all options but
            gravity, and use the default islands, schedule and lab switches. They are copied and may be closed.
        n: how many worlds, at least 1.
        workers: 1 to 64 threads, the calling one included, or a `Scheduler` to share.
        dt, substeps: length of every step, seconds, and its equal parts; as in `World.step`. A template that has been
            stepped was stepped by parts of the same length.
        simd: "auto" or an instruction set of `cpu_features()`.
        seed: of `random`; world i has seed + i.
        profiling: what `profile` measures: "full", "step" or "off".
        room: for how many "bodies", "shapes", "joints" and "chains" each world has room at least, for
            `restore(replace=True)`. It always has room for those of every template.

    Raises:
        ValueError: a value is out of range, or a template holds what a batch cannot: callbacks, other strategies,
            options that differ, steps of another length. The message names it.
        TypeError: a wrong type.
        DestroyedError: a template is closed. After `close`, every call raises it.
        WorldLockedError: another thread is stepping a template, or the batch.
        MemoryError: no memory.

    >>> with World() as template:
    ...     ground = template.create_static_body((0, -1))
    ...     floor = ground.create_shape(Box(50, 1))
    ...     ball = template.create_dynamic_body((0, 4))
    ...     shape = ball.create_shape(Circle(0.5))
    ...     batch = WorldBatch(template, 3)
    >>> batch.gravity = [(0, -10), (0, -1), (0, 0)]
    >>> for _ in range(30):
    ...     batch.step()
    >>> batch.position[:, ball.index, 1].round(2).tolist()
    [2.74, 3.87, 4.0]
    >>> batch.close()
    """

    __slots__ = (
        "__weakref__", "_angular_velocity", "_cells", "_dt", "_first_bodies", "_force", "_known", "_linear_velocity",
        "_lock",
        "_position", "_pushed", "_random", "_rotation", "_states", "_substeps", "_templates", "_torque", "_was_invalid",
        "_watches", "_which",
    )  # fmt: skip

    def __init__(
        self,
        template: World | Sequence[World],
        n: int,
        *,
        workers: int | Scheduler = 1,
        dt: float = 1 / 60,
        substeps: int = 4,
        simd: Simd | Literal["auto"] = "auto",
        seed: int = 0,
        profiling: Profiling = "step",
        room: Mapping[str, int] | None = None,
    ) -> None:
        count = integer(n, "n", 1, 2**26)
        templates = [template] if isinstance(template, World) else _worlds(template)
        for world in templates:
            _refuse_strategies(world)
        dt, substeps, seed = number(dt, "dt"), integer(substeps, "substeps"), integer(seed, "seed", 0, _MOST_SEED)
        definition = ffi.new("b2d_world_def *")
        lib.b2d_world_def_init(definition)
        definition.options[lib.B2D_OPTION_PROFILING] = Options.profiling.encode(profiling)
        if isinstance(workers, Scheduler):
            definition.scheduler = pool_of(workers)
        else:
            definition.workers = integer(workers, "workers", 1, 64)
        least = ffi.new("b2d_cells_size *", _room(room))
        definition.simd = -1 if simd == "auto" else SIMD_NAMES[choice(simd, "simd", ("auto", *SIMD_NAMES))]
        self._templates, self._lock = len(templates), RLock()
        self._states = [world.save() for world in templates]  # templates, then others whose objects worlds have
        self._known = [_generations(state) for state in self._states]
        self._which = np.arange(count, dtype=np.int32) % len(templates)
        states = ffi.new("b2d_state *[]", [state._ptr for state in self._states])
        out, message = ffi.new("b2d_world **"), ffi.new("char[]", MESSAGE)
        status = lib.b2d_cells_create(
            definition, count, least, states, len(templates), ffi.from_buffer("int32_t[]", self._which), dt, substeps,
            out, message, MESSAGE,
        )  # fmt: skip
        if status:
            reason = ffi.string(message).decode()
            if reason:
                raise ValueError(f"template={short_repr(template)} cannot be in the batch: {reason}")
            raise_error(status, None, n=n, dt=dt, substeps=substeps, workers=workers, simd=simd)
        self._cells = Cells(out[0])
        self._dt, self._substeps = dt, substeps
        bodies = self._cells.objects["body"]
        self._force, self._torque = pinned((count, bodies, 2), np.float64), pinned((count, bodies), np.float64)
        self._first_bodies = np.arange(count, dtype=np.int32) * np.int32(bodies)
        self._pushed = False  # whether the user has seen these arrays, so that a step must look at them
        pose, state = lib.B2D_TABLE_POSE, lib.B2D_TABLE_STATE
        self._position = self._cells.view(pose, np.float64, 0, 2)
        self._rotation = self._cells.view(pose, np.float32, 16, 2)
        self._linear_velocity = self._cells.view(state, np.float32, 0, 2)
        self._angular_velocity = self._cells.view(state, np.float32, 8, 1)
        self._watches: list[tuple[weakref.ref[NDArray[np.bool_]], bool, NDArray[np.int32]]] = []
        self._was_invalid = np.zeros(count, bool)  # when it was pickled
        self._random = np.zeros((count, 3), np.uint64)  # seed, episode, numbers drawn
        self._random[:, 0] = _seeds(seed, count)

    def __len__(self) -> int:
        return self._cells.count

    def __repr__(self) -> str:
        if not hasattr(self, "_cells"):
            return "<WorldBatch>"
        if self._cells.world.closed:
            return "<closed WorldBatch>"
        return f"<WorldBatch of {len(self)} worlds with {self._cells.objects['body']} bodies each>"

    def __reduce__(self) -> Any:
        """Pickled by value, in portable bytes: templates, states, random streams, forces. The copy has workers of its
        own and the best instruction set; watches are to be made again."""
        self._cells.pointer  # noqa: B018  raises when closed
        world = self._cells.world
        templates = [bytes_of(each) for each in self._states[: self._templates]]  # their data may lead to the batch
        made = len(self), templates, world.workers, self._dt, self._substeps, world.profiling, self.room
        return _unpickle, (type(self), *made), self._contents()

    def __setstate__(self, contents: dict[str, Any]) -> None:
        self._take_contents(contents)

    def _contents(self) -> dict[str, Any]:
        """What changes in the life of a batch."""
        return {
            "data": [dict(each._data) for each in self._states[: self._templates]], "states": self.save(),
            "random": self._random.copy(), "force": self._force.copy(), "torque": self._torque.copy(),
            "pushed": self._pushed, "invalid": self.invalid,
        }  # fmt: skip

    def _take_contents(self, contents: dict[str, Any]) -> None:
        for template, own in zip(self._states[: self._templates], contents["data"], strict=True):
            template.__setstate__(own)
        self.restore(contents["states"], random=None, replace=True)
        self._random[:], self._force[:], self._torque[:] = (contents[name] for name in ("random", "force", "torque"))
        self._pushed, self._was_invalid[:] = contents["pushed"], contents["invalid"]

    # ---- life

    @property
    def closed(self) -> bool:
        """Whether the batch has been closed; never raises."""
        return self._cells.world.closed

    def close(self) -> None:
        """Frees the worlds. Closing again does nothing; arrays taken from the batch stay valid and do not change.

        Raises:
            WorldLockedError: another thread is stepping the batch.
        """
        self._cells.world.close()

    def __enter__(self) -> WorldBatch:
        self._cells.pointer  # noqa: B018  raises when closed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def step(self) -> None:
        """Steps every world by `dt` seconds, with the forces and torques in the arrays, which become zero. Releases
        the GIL. A force that is not zero wakes its body.

        Raises:
            ValueError: a force or torque is not finite, too large, or on a body that is not dynamic; the message names
                world and body, and nothing has changed.
            WorldLockedError: another thread is stepping the batch.
            DestroyedError: the batch is closed.
            MemoryError: there is too little memory, as for `World.step`.
        """
        row, force, torque = ffi.new("int32_t *", -1), ffi.NULL, ffi.NULL
        if self._pushed:
            force = ffi.from_buffer("double[]", self._force, require_writable=True)
            torque = ffi.from_buffer("double[]", self._torque, require_writable=True)
        status = lib.b2d_cells_step(self._cells.pointer, force, torque, self._dt, self._substeps, row)
        if status:
            self._fail_push(status, row[0])
        self._look()
        if INTERRUPTS:  # of the executor
            raise_interrupt()

    def _fail_push(self, status: int, row: int) -> NoReturn:
        bodies = self._cells.objects["body"]
        if not 0 <= row < len(self) * bodies or status & 0xFF in (lib.B2D_NO_MEMORY, lib.B2D_LOCKED):
            self._cells.fail(status)
        force = self._force[row // bodies, row % bodies].tolist()
        named = status >> 8 == lib.B2D_ARG_TORQUE or force == [0.0, 0.0]
        name, value = ("torque", self._torque[row // bodies, row % bodies].item()) if named else ("force", force)
        self._cells.fail(status, "body", row, name, value)

    # ---- arrays

    @property
    def dt(self) -> float:
        """Length of a step, seconds."""
        return self._dt

    @property
    def substeps(self) -> int:
        """Equal parts of a step."""
        return self._substeps

    @property
    def room(self) -> dict[str, int]:
        """How many "bodies", "shapes", "joints" and "chains" each world has room for."""
        objects = self._cells.objects
        rows = objects["body"], objects["shape"], objects["joint"], self._cells.chains
        return dict(zip(("bodies", "shapes", "joints", "chains"), rows, strict=True))

    @property
    def body_mask(self) -> NDArray[np.bool_]:
        """Which bodies exist: copy, shape (n, bodies)."""
        return self._cells.exist("body")

    @property
    def shape_mask(self) -> NDArray[np.bool_]:
        """Which shapes exist: copy, shape (n, shapes)."""
        return self._cells.exist("shape")

    @property
    def joint_mask(self) -> NDArray[np.bool_]:
        """Which joints exist: copy, shape (n, joints)."""
        return self._cells.exist("joint")

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

    @property
    def gravity(self) -> NDArray[np.float64]:
        """Gravity of each world, m/s^2, kept as float32: copy, shape (n, 2). Assigned, it is one value for all or one
        for each world, and wakes the worlds that it changes."""
        out = np.zeros((len(self), 2))
        status = lib.b2d_cells_get_gravity(self._cells.pointer, ffi.from_buffer("double[]", out, require_writable=True))
        if status:
            self._cells.fail(status)
        return out

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        given, cell = spread(value, "gravity", (len(self), 2), floats), ffi.new("int32_t *")
        status = lib.b2d_cells_set_gravity(self._cells.pointer, ffi.from_buffer("double[]", given), cell)
        if status:
            try:
                raise_error(status, self._cells.world, gravity=given[cell[0]].tolist())
            except ValueError as error:
                raise ValueError(f"{error} (world {cell[0]})") from None

    # generated: columns of batches, see tools/lists.py
    gravity_scale = Column["WorldBatch"]("body")
    linear_damping = Column["WorldBatch"]("body")
    angular_damping = Column["WorldBatch"]("body")
    sleep_threshold = Column["WorldBatch"]("body")
    safety_factor = Column["WorldBatch"]("body")
    awake = Column["WorldBatch"]("body")
    enabled = Column["WorldBatch"]("body")
    can_sleep = Column["WorldBatch"]("body")
    bullet = Column["WorldBatch"]("body")
    allow_fast_rotation = Column["WorldBatch"]("body")
    lock_x = Column["WorldBatch"]("body")
    lock_y = Column["WorldBatch"]("body")
    lock_rotation = Column["WorldBatch"]("body")
    mass = Column["WorldBatch"]("body")
    inertia = Column["WorldBatch"]("body")
    density = Column["WorldBatch"]("shape")
    friction = Column["WorldBatch"]("shape")
    restitution = Column["WorldBatch"]("shape")
    rolling_resistance = Column["WorldBatch"]("shape")
    tangent_speed = Column["WorldBatch"]("shape")
    # end of generated

    @property
    def joints(self) -> BatchJoints:
        """The properties of all joints, as columns of shape (n, joints)."""
        return BatchJoints._made(self)

    @property
    def invalid(self) -> NDArray[np.bool_]:
        """Which worlds had a body that was no longer finite since they were made or restored: copy, shape (n,)."""
        out = np.zeros(len(self), bool)
        status = lib.b2d_cells_invalid(self._cells.pointer, ffi.from_buffer("bool[]", out, require_writable=True))
        if status:
            self._cells.fail(status)
        return out | self._was_invalid

    @property
    def profile(self) -> Profile:
        """Milliseconds that the stages of the last step took, for all worlds together."""
        self._cells.pointer  # noqa: B018  raises when closed
        return self._cells.world.profile

    @property
    def nbytes(self) -> int:
        """Bytes of memory in the core, for all worlds together."""
        self._cells.pointer  # noqa: B018  raises when closed
        return self._cells.world.counters.bytes

    def entities(self, contacts: int | None = 16) -> Entities:
        """Everything in the worlds as padded arrays with masks: bodies, shapes, joints and touching contacts.

        Args:
            contacts: for how many contacts of each world there are rows, 0 to 65536; those of the lowest indices come
                first, and the others are left out. None: as many as the world with the most of them has.

        >>> with World() as template:
        ...     ball = template.create_dynamic_body((0, 4))
        ...     shape = ball.create_shape(Circle(0.5))
        ...     batch = WorldBatch([template, World()], 2)
        >>> seen = batch.entities()
        >>> seen.body_mask.tolist(), seen.shapes[0, 0].tolist(), seen.contact_mask.any()
        ([[True], [False]], [0.0, 0.5, 0.6000000238418579, 0.0], np.False_)
        >>> batch.close()
        """
        return entities_of(self._cells, self, None if contacts is None else integer(contacts, "contacts", 0, 65536))

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
                prop, width, _, _ = BODY_PROPERTIES[name]
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
            shape: no segment of a chain; or k of them, or an array of k indices, which become geometries with the same
                number of vertices.
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

    # ---- states

    def save(self, mask: ArrayLike | None = None) -> list[State]:
        """The states of the worlds of a mask (bool, shape (n,); None: all), in their order. They are as those of
        `World.save`: `restore` takes them here, in other batches of the template and in a `World`."""
        chosen = masked(mask, len(self))
        return [self._save(k) for k in (range(len(self)) if chosen is None else np.flatnonzero(chosen).tolist())]

    def _save(self, index: int) -> State:
        out = ffi.new("b2d_state **")
        with self._lock:
            names = self._states[self._which[index]]
            status = lib.b2d_cells_save(self._cells.pointer, index, names._ptr, out)
        if status:
            self._cells.fail(status)
        state = object.__new__(State)
        state._ptr, state._keeper = owned(out[0], lib.b2d_state_free)
        state._data, state._names = dict(names._data), dict(names._names)
        state._categories = names._categories
        state._random = tuple(self._random[index].tolist())
        return state

    def restore(
        self,
        state: State | bytes | bytearray | memoryview | Sequence[State | bytes | bytearray | memoryview],
        mask: ArrayLike | None = None,
        *,
        random: bool | None = False,
        replace: bool = False,
    ) -> None:
        """Gives the worlds of a mask a state, or each of them its own; `invalid` becomes false for them.

        Args:
            state: a state for all, or a sequence with one for each world of the mask, in their order. Bytes of
                `World.snapshot` are taken as well.
            mask: bool, shape (n,); None: all worlds.
            random: what becomes of the streams of random numbers. False: each world begins the next episode of its
                stream, so the numbers that it draws are new ones. True: the stream returns as well, which a state of
                `WorldBatch.save` has. None: the stream goes on where it is.
            replace: whether a state may have other bodies, shapes, joints or chains than its world, within `room`. It
                replaces all objects of the world then; indices, and handles of the world that was saved, refer to them.

        Raises:
            ValueError: a state does not fit: it has other objects than a world, more than there is room for, or other
                options than the batch; or a wrong number of states. Nothing has changed.
            TypeError: a wrong type.
            MemoryError: too little memory; worlds before that one have been restored, and that one must be restored
                again.
        """
        chosen = masked(mask, len(self))
        random, replace = None if random is None else flag(random, "random"), flag(replace, "replace")
        worlds = np.arange(len(self)) if chosen is None else np.flatnonzero(chosen)
        which = np.full(len(self), -1, np.int32)
        if isinstance(state, (State, *_BYTES)):
            states, which[worlds] = [_as_state(state)], 0
        elif isinstance(state, str) or not isinstance(state, Sequence):
            raise TypeError(f"state={short_repr(state)} must be a State or a sequence of states")
        else:
            states = [_as_state(each) for each in state]
            if len(states) != len(worlds):
                raise ValueError(f"state={short_repr(state)} must have {len(worlds)} states, not {len(states)}")
            which[worlds] = np.arange(len(states))
        for each in states if random else ():
            if getattr(each, "_random", None) is None:
                raise ValueError(f"random=True: {each!r} has no random stream, because no batch has saved it")
        message, renewed = ffi.new("char[]", MESSAGE), np.zeros(len(self), bool)
        pointers, out = ffi.new("b2d_state *[]", [each._ptr for each in states]), ffi.from_buffer("bool[]", renewed)
        places = ffi.from_buffer("int32_t[]", which)
        with self._lock:  # other threads find objects and names that belong together
            try:
                status = lib.b2d_cells_restore(
                    self._cells.pointer, pointers, len(states), places, replace, out, message, MESSAGE
                )
            finally:  # also when a signal handler raises
                if renewed.any():
                    self._take_names(states, which, renewed)
        if status:
            reason = ffi.string(message).decode()
            self._cells.fail(status, text=f"state={short_repr(state)} does not fit: {reason}" if reason else "")
        self._was_invalid[worlds] = False
        if random:
            self._random[worlds] = np.array([each._random for each in states], np.uint64).reshape(-1, 3)
        elif random is not None:
            self.next_episode(chosen)
        self._look(mask=chosen)

    def _take_names(self, states: list[State], which: NDArray[np.int32], renewed: NDArray[np.bool_]) -> None:
        """Remembers the states whose objects worlds have now, in the places of those whose objects none has."""
        used = np.bincount(self._which[~renewed], minlength=len(self._states))
        free = [place for place in range(self._templates, len(self._states)) if not used[place]]
        places: dict[int, int] = {}
        for world in np.flatnonzero(renewed).tolist():
            state = states[which[world]]
            place = places.get(id(state))
            if place is None:
                if not free:
                    free.append(len(self._states))
                    self._states.append(state)
                    self._known.append({})
                place = places[id(state)] = free.pop()
                self._states[place], self._known[place] = state, _generations(state)
            self._which[world] = place

    def extract(self, index: int) -> World:
        """A `World` of its own, with one worker, in the state of world `index`; it goes on with the same bits, when it
        is stepped by `dt` and `substeps` of the batch. `data`, names and handles by index are those of the template.
        """
        state = self._save(integer(index, "index", 0, len(self) - 1))
        world = World()
        world.restore(state)
        return world

    def world(self, index: int) -> BatchWorld:
        """World `index` of the batch: views of its rows, its hash, and copies of it."""
        self._cells.pointer  # noqa: B018  raises when closed
        return BatchWorld._made(self, integer(index, "index", 0, len(self) - 1))

    def state_hash(self) -> NDArray[np.uint64]:
        """`World.state_hash` of each world: shape (n,), uint64."""
        out = np.zeros(len(self), np.uint64)
        status = lib.b2d_cells_hash(self._cells.pointer, ffi.from_buffer("uint64_t[]", out, require_writable=True))
        if status:
            self._cells.fail(status)
        return out

    # ---- what happens

    def watch_touching(self, pairs: Sequence[tuple[Body | Shape | int, Body | Shape | int]]) -> NDArray[np.bool_]:
        """Whether pairs of bodies or shapes touch, as an array that each `step` and `restore` brings up to date.

        Args:
            pairs: k pairs of bodies, or their indices, or shapes; a body stands for any of its shapes. Sensors touch
                nothing.

        Returns:
            bool, shape (n, k), read-only. It is up to date as long as the program holds it.
        """
        return self._watch(pairs, False)

    def watch_sensor(self, pairs: Sequence[tuple[Body | Shape | int, Body | Shape | int]]) -> NDArray[np.bool_]:
        """Whether sensors overlap bodies or shapes, at the end of each step: as `watch_touching`. The first of a pair
        is the sensor, or a body that has sensors; only shapes with `sensor_events` are sensed."""
        return self._watch(pairs, True)

    def _watch(self, pairs: Sequence[tuple[Body | Shape | int, Body | Shape | int]], sensor: bool) -> NDArray[np.bool_]:
        rows = []
        try:
            for first, second in pairs:
                rows.append((self._object(first), self._object(second)))
        except TypeError as error:
            raise TypeError(f"pairs={short_repr(pairs)} must be pairs of bodies or shapes: {error}") from None
        except ValueError as error:
            raise ValueError(f"pairs={short_repr(pairs)}: {error}") from None
        numbers = np.array(rows, np.int32).reshape(-1, 2)
        out = pinned((len(self), len(rows)), np.bool_)
        self._watches.append((weakref.ref(out), sensor, numbers))
        self._look(self._watches[-1:])
        shown = out[:]
        shown.flags.writeable = False
        return shown

    def _object(self, value: object) -> int:
        """As C names it: a shape, or ~body."""
        return self._number(value, "shape") if isinstance(value, Shape) else ~self._number(value, "body")

    def _look(self, watches: list[Any] | None = None, mask: NDArray[np.bool_] | None = None) -> None:
        """Brings the watches of the worlds of a mask up to date, and drops unreferenced ones."""
        gone = False
        for reference, sensor, pairs in self._watches if watches is None else watches:
            out = reference()
            if out is None:
                gone = True
                continue
            status = lib.b2d_cells_watch(
                self._cells.pointer, sensor, len(pairs), ffi.from_buffer("int32_t[]", pairs),
                mask_pointer(mask), ffi.from_buffer("bool[]", out, require_writable=True),
            )  # fmt: skip
            if status:
                self._cells.fail(status)
        if gone:
            self._watches = [each for each in self._watches if each[0]() is not None]

    def ray_casts(
        self, origins: ArrayLike, translations: ArrayLike, filter: Filter | None = None, *, sensors: bool = False
    ) -> BatchRayHits:
        """The first shape that each ray meets: k rays in every world, on all workers. It skips what `World.ray_casts`
        skips: sensors unless `sensors=True`, shapes of disabled bodies.

        Args:
            origins, translations: metres, shape (n, k, 2), or (k, 2) for the same in all worlds. Origins of shape
                (n, 1, 2) are those of all k rays of their world.
            filter, sensors: as in `World.ray_casts`.

        Raises:
            ValueError: not finite, or a wrong shape.
            TypeError: a wrong type.
        """
        starts, ways = self._rays(origins, "origins"), self._rays(translations, "translations")
        count = ways.shape[1]
        if starts.shape[1] != count and starts.shape != (len(self), 1, 2):
            raise ValueError(
                f"origins and translations must have one shape, not {np.shape(origins)} and {np.shape(translations)}"
            )
        hits = BatchRayHits(
            np.empty((len(self), count)), np.empty((len(self), count, 2), np.float32),
            np.empty((len(self), count), np.int32),
        )  # fmt: skip
        kinds = ("double[]", "float[]", "int32_t[]")
        wanted = query_filter("ray_casts", {"filter": filter, "sensors": sensors})
        status = lib.b2d_cells_ray_casts(
            self._cells.pointer, count, ffi.from_buffer("double[]", starts), _steps(starts, count),
            ffi.from_buffer("double[]", ways), _steps(ways, count), wanted,
            *(ffi.from_buffer(kind, out, require_writable=True) for kind, out in zip(kinds, hits, strict=True)),
        ) if count else 0  # fmt: skip
        if INTERRUPTS:
            raise_interrupt()
        if status:
            self._cells.fail(status)
        return hits

    def _rays(self, value: ArrayLike, name: str) -> NDArray[np.float64]:
        """Shape (n, k, 2), or (1, k, 2) for the same in all worlds."""
        rows = floats(value, name)
        if rows.ndim not in (2, 3) or rows.shape[-1] != 2 or (rows.ndim == 3 and len(rows) != len(self)):
            raise ValueError(
                f"{name}={short_repr(value)} must have shape ({len(self)}, k, 2) or (k, 2), not {np.shape(value)}"
            )
        check_finite(rows, value, name)
        return np.ascontiguousarray(rows if rows.ndim == 3 else rows[None])

    # ---- random numbers

    def random(self, k: int, mask: ArrayLike | None = None) -> NDArray[np.float64]:
        """k numbers in [0, 1) for each world of a mask: shape (worlds of the mask, k).

        They are a function of the seed of the world, its episode and how many it has drawn in it, so they depend on
        no other world. `restore` begins the next episode, or returns to the stream of a saved state (`random=True`).
        """
        count = integer(k, "k", 0, 2**24)
        self._cells.pointer  # noqa: B018  raises when closed
        rows = self._streams(mask)
        out = uniform(self._random[rows], count)
        self._random[:, 2][rows] += np.uint64(count)
        return out

    def _streams(self, mask: ArrayLike | None) -> slice | NDArray[np.intp]:
        """The rows of the worlds of a mask in `_random`."""
        chosen = masked(mask, len(self))
        return slice(None) if chosen is None else np.flatnonzero(chosen)

    def next_episode(self, mask: ArrayLike | None = None) -> None:
        """Begins the next episode of the streams of the worlds of a mask (bool, shape (n,); None: all). `restore` does
        it as well; here a program can draw numbers of the new episode before it chooses the state."""
        rows = self._streams(mask)
        self._random[:, 1][rows] += np.uint64(1)
        self._random[:, 2][rows] = 0

    def seed(self, seed: int | ArrayLike, mask: ArrayLike | None = None) -> None:
        """Begins the streams of the worlds of a mask anew: with seed + i for world i, or with a seed for each of n
        worlds, shape (n,), unsigned integers."""
        rows = self._streams(mask)
        self._random[rows] = np.stack([_seeds(seed, len(self)), *np.zeros((2, len(self)), np.uint64)], axis=1)[rows]

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


def _steps(rows: NDArray[np.float64], count: int) -> Any:
    """How many rows it is from the vector of a world, and of a ray, to the next; 0: they are the same."""
    return ffi.new("int64_t[2]", [rows.shape[1] if len(rows) > 1 else 0, 1 if rows.shape[1] == count else 0])


def _points(row: NDArray[np.void]) -> list[list[float]]:
    count = int(row["count"])
    return [[float(x), float(y)] for x, y in zip(row["x"][:count], row["y"][:count], strict=True)]


def _numbers(value: ArrayLike) -> ArrayLike:
    given = np.asarray(value)
    return given.astype(np.float64) if given.dtype == np.bool_ else value


def _as_state(value: object) -> State:
    if isinstance(value, _BYTES):
        return state_of(value)
    if not isinstance(value, State):
        raise TypeError(f"state={short_repr(value)} must be a State, or bytes of World.snapshot")
    return value


def _unpickle(
    cls: type[WorldBatch], n: int, templates: list[bytes], workers: int, dt: float, substeps: int, profiling: Profiling,
    room: dict[str, int],
) -> WorldBatch:  # fmt: skip
    worlds = [World() for _ in templates]
    try:
        for world, template in zip(worlds, templates, strict=True):
            world.restore(template)
        return cls(worlds, n, workers=workers, dt=dt, substeps=substeps, profiling=profiling, room=room)
    finally:
        for world in worlds:
            world.close()


def _worlds(value: object) -> list[World]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError(f"template={short_repr(value)} must be a World or a sequence of worlds")
    worlds = list(value)
    for each in worlds:
        if not isinstance(each, World):
            raise TypeError(f"template={short_repr(each)} must be a World")
    if not worlds:
        raise ValueError("template=[] must have at least one world")
    return worlds


def _refuse_strategies(world: World) -> None:
    """A batch has no experiments and no callbacks."""
    for name, now in world.strategies.changes_of_results().items():
        raise ValueError(f"template={short_repr(world)} cannot be in the batch: its strategies have {name}={now!r}")
    if world._functions:
        raise ValueError(f"template={short_repr(world)} cannot be in the batch: it has callbacks")


def _generations(state: State) -> dict[str, NDArray[np.uint64]]:
    """Of the objects of each kind, by index; 0: it does not exist."""
    count, world, found = ffi.new("int32_t *"), ffi.cast("b2d_world *", state._ptr), {}
    for kind, number_of in KINDS.items():
        data = lib.b2d_world_generations(world, number_of, count)
        found[kind] = np.frombuffer(ffi.buffer(data, 8 * count[0]), np.uint64).copy() if count[0] else _NO_GENERATIONS
    return found


def _room(room: Mapping[str, int] | None) -> dict[str, int]:
    """As C has it."""
    if room is not None and not isinstance(room, Mapping):
        raise TypeError(f"room={short_repr(room)} must be a mapping, such as {{'bodies': 40}}")
    names = ("bodies", "shapes", "joints", "chains")
    for name in room or ():
        choice(name, "room", names)
    return {name: integer(value, f"room[{name!r}]", 0, 2**26) for name, value in (room or {}).items()}


def _seeds(seed: int | ArrayLike, count: int) -> NDArray[np.uint64]:
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
        given = np.asarray(seed)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise TypeError(f"seed={short_repr(seed)} must be an integer or an array of integers")
        if given.shape != (count,) or (given.size and given.min() < 0):
            raise ValueError(f"seed={short_repr(seed)} must have shape ({count},) and no negative values")
        return mixed(given.astype(np.uint64))
    first = integer(seed, "seed", 0, _MOST_SEED)
    return mixed(np.array([(first + k) & _MOST_SEED for k in range(count)], np.uint64))
