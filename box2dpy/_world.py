"""`World`: the container that everything else lives in, and its step.

Threads: a step releases the GIL. Meanwhile any call on that world from another thread raises `WorldLockedError`; so do the
fast reads of bodies, because the step takes the tables out of their reach (`_pose`, `_pose32`, `_state`) until it is over.
The C world is freed when it is closed and the last call on it has returned: each call holds a reference to `_ptr`.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from ._arrays import TABLE_ROW, Arrays, Window
from ._body import Body, BodyArray, BodyType, as_body_type
from ._chain import Chain
from ._contact import Contact
from ._core import ffi, lib
from ._errors import DestroyedError, InvariantError, StaleViewWarning, WorldLockedError, fail, shown
from ._events import Events
from ._geometry import ORIGIN, Filter, Geometry, as_geometry
from ._handle import DOUBLES, HANDLE_DTYPE, HANDLES, INT_POINTER, Handle, list_handles
from ._island import Island
from ._joint import JOINT_CLASSES, Joint
from ._lists import rows
from ._make_joint import JointMakers
from ._queries import Queries
from ._scheduler import SIMD_NAMES, SIMD_NUMBERS, Scheduler
from ._shape import DEFAULT_FILTER, Shape, shape_def
from ._values import bounded, choice, finite, flag, floats, integer, number, pair, points, text
from ._vec2 import AABB, Vec2

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from ._vec2 import Vec2Like

BODY_DEF = ffi.typeof("b2d_body_def *")
_DEFAULT_BODY = ffi.new(BODY_DEF)
lib.b2d_body_def_init(_DEFAULT_BODY)

# Numbers of a world: name -> (index, default, lower, upper).
_OPTIONS = {name: (k, float(d), float(lo), float(hi)) for k, (_, name, d, lo, hi) in enumerate(rows("options"))}
_BROADPHASES = {"auto": lib.B2D_BROADPHASE_AUTO, "grid": lib.B2D_BROADPHASE_GRID, "tree": lib.B2D_BROADPHASE_TREE}
_BROADPHASES["brute"] = lib.B2D_BROADPHASE_BRUTE
_NARROWPHASES = {"batched": lib.B2D_NARROWPHASE_BATCHED, "per_pair": lib.B2D_NARROWPHASE_PER_PAIR}
_NO_DOUBLES = memoryview(b"").cast("d")
_NO_FLOATS = memoryview(b"").cast("f")
_NO_TABLES = (_NO_DOUBLES, _NO_FLOATS, _NO_FLOATS)

# Defaults are compared by identity: what is the very default object was not given, whatever else it may be.
_ZERO, _ONE, _SLEEP_SPEED, _SAFETY, _NO_NAME, _INFINITY = 0.0, 1.0, 0.05, 0.5, "", float("inf")


class _Numbers(tuple[Any, ...]):
    """Base of `Counters` and `Profile`: an immutable record whose fields come from a list of the C core."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[self._fields.index(name)]
        except ValueError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; there are {', '.join(self._fields)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def as_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self.as_dict().items())})"


class Counters(_Numbers):
    """Exact counts of a world; `Counters.meanings` explains each."""

    __slots__ = ()
    meanings = {row[0]: row[1] for row in rows("counters")}  # noqa: RUF012
    _fields = tuple(meanings)
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


class Profile(_Numbers):
    """Milliseconds of the stages of the last step; `step` is the whole."""

    __slots__ = ()
    _fields = tuple(name for (name,) in rows("profile"))
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> float: ...


H = TypeVar("H", bound=Handle)


class Objects(Sequence[H], Generic[H]):
    """The living objects of one kind in a world, by index: sized, iterable, indexable.

    Iterating takes the list of that moment, so objects may be created and destroyed meanwhile.
    """

    __slots__ = ("_kind", "_make", "_world")

    def __init__(self, world: World, kind: int, make: Callable[[int, int], H]) -> None:
        self._world = world
        self._kind = kind
        self._make = make

    def _list(self) -> list[tuple[int, int]]:
        def fetch(out: Any, room: int, count: Any) -> int:
            return lib.b2d_world_list(self._world._ptr, self._kind, out, room, count)  # type: ignore[no-any-return]

        return list_handles(fetch, self._world)

    def __len__(self) -> int:
        count = ffi.new(INT_POINTER)
        status = lib.b2d_world_list(self._world._ptr, self._kind, ffi.NULL, 0, count)
        if status:
            fail(status, self._world)
        return int(count[0])

    def __iter__(self) -> Iterator[H]:
        for row in self._list():
            yield self._make(*row)

    def __contains__(self, item: object) -> bool:
        return isinstance(item, Handle) and self._kind == item._KIND and item._world is self._world and item.alive

    @overload
    def __getitem__(self, key: int) -> H: ...
    @overload
    def __getitem__(self, key: slice) -> list[H]: ...
    def __getitem__(self, key: int | slice) -> H | list[H]:
        if isinstance(key, slice):
            return [self._make(*row) for row in self._list()[key]]
        return self._make(*self._list()[key])

    def __repr__(self) -> str:
        return repr(list(self))


class _Number:
    """A number of the world, readable and settable; its range is in the list of options."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type[World], name: str) -> None:
        self.name = name
        self.index = _OPTIONS[name][0]

    @overload
    def __get__(self, world: None, owner: Any = None) -> _Number: ...
    @overload
    def __get__(self, world: World, owner: Any = None) -> float: ...
    def __get__(self, world: World | None, owner: Any = None) -> Any:
        return self if world is None else world._option(self.index)

    def __set__(self, world: World, value: float) -> None:
        world._set_option(self.index, bounded(value, self.name, *_OPTIONS[self.name][2:]), value, self.name)


class _Flag:
    """A switch of the world, readable and settable."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type[World], name: str) -> None:
        self.name = name
        self.index = _OPTIONS[name][0]

    @overload
    def __get__(self, world: None, owner: Any = None) -> _Flag: ...
    @overload
    def __get__(self, world: World, owner: Any = None) -> bool: ...
    def __get__(self, world: World | None, owner: Any = None) -> Any:
        return self if world is None else world._option(self.index) != 0.0

    def __set__(self, world: World, value: bool) -> None:
        world._set_option(self.index, float(flag(value, self.name)), value, self.name)


class World(JointMakers, Queries):
    """A simulation: bodies with shapes, joints, contacts, and the step that moves them.

    Everything random is absent: the same calls give the same bits, for every number of workers, instruction set and
    broad phase. Any number of worlds may exist, each used from one thread at a time.

    Args:
        gravity: m/s^2.
        workers: 1 to 64 threads, the calling one included, or a `Scheduler` to share.
        simd: "auto" or an instruction set of `cpu_features()`.
        broadphase: "auto", "grid", "tree" or "brute"; decides speed only.
        narrowphase: "batched" or "per_pair"; decides speed only.
        islands: "persistent".
        schedule: "colors".
        sleeping: whether islands at rest fall asleep.
        continuous: whether fast bodies are kept from passing through static ones.
        warm_starting: whether the solver starts from the last step's impulses.
        contact_recycle: metres that a pair may move before its points are computed afresh; 0 computes always.
        restitution_threshold: speed in m/s under which nothing bounces.
        hit_threshold: speed in m/s above which hits are reported.
        contact_hertz, contact_damping_ratio, contact_push_speed: softness of contacts, and the most that overlap is
            pushed apart, m/s.
        joint_hertz, joint_damping_ratio: softness of joints that do not say their own.
        max_linear_speed: m/s.
        sleep_time: seconds of rest before sleep.
        length_unit: how many units of yours make a metre; scales the tolerances.

    Raises:
        ValueError: not finite, out of range, an unknown name, or instructions that this processor lacks.
        TypeError: a wrong type.
        MemoryError: no memory.

    >>> with World(gravity=(0, -10)) as world:
    ...     ground = world.create_static_body((0, -1))
    ...     shape = ground.create_shape(Box(50, 1))
    ...     box = world.create_dynamic_body((0, 4))
    ...     shape = box.create_shape(Box(0.5, 0.5))
    ...     for _ in range(120):
    ...         world.step(1 / 60, 4)
    ...     abs(box.position.y - 0.5) < 0.01
    True
    """

    if TYPE_CHECKING:
        _ptr: Any
    else:

        def __getattr__(self, name: str) -> Any:  # only reached for what is missing: `_ptr` of a closed world
            if name == "_ptr":
                raise DestroyedError("the world has been closed")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __init__(
        self,
        gravity: Vec2Like = (0.0, -10.0),
        *,
        workers: int | Scheduler = 1,
        simd: str = "auto",
        broadphase: str = "auto",
        narrowphase: str = "batched",
        islands: str = "persistent",
        schedule: str = "colors",
        sleeping: bool = True,
        continuous: bool = True,
        warm_starting: bool = True,
        contact_recycle: float = 0.05,
        restitution_threshold: float = 1.0,
        hit_threshold: float = 1.0,
        contact_hertz: float = 30.0,
        contact_damping_ratio: float = 10.0,
        contact_push_speed: float = 3.0,
        joint_hertz: float = 60.0,
        joint_damping_ratio: float = 2.0,
        max_linear_speed: float = 400.0,
        sleep_time: float = 0.5,
        length_unit: float = 1.0,
    ) -> None:
        definition = ffi.new("b2d_world_def *")
        lib.b2d_world_def_init(definition)
        options = definition.options
        x, y = pair(gravity, "gravity")
        options[lib.B2D_OPTION_GRAVITY_X] = _gravity_component(x, gravity, "gravity_x")
        options[lib.B2D_OPTION_GRAVITY_Y] = _gravity_component(y, gravity, "gravity_y")
        options[lib.B2D_OPTION_SLEEPING] = flag(sleeping, "sleeping")
        options[lib.B2D_OPTION_CONTINUOUS] = flag(continuous, "continuous")
        options[lib.B2D_OPTION_WARM_STARTING] = flag(warm_starting, "warm_starting")
        for name, value in (
            ("contact_recycle", contact_recycle),
            ("restitution_threshold", restitution_threshold),
            ("hit_threshold", hit_threshold),
            ("contact_hertz", contact_hertz),
            ("contact_damping_ratio", contact_damping_ratio),
            ("contact_push_speed", contact_push_speed),
            ("joint_hertz", joint_hertz),
            ("joint_damping_ratio", joint_damping_ratio),
            ("max_linear_speed", max_linear_speed),
            ("sleep_time", sleep_time),
            ("length_unit", length_unit),
        ):
            index, default, lower, upper = _OPTIONS[name]
            if type(value) is not float or value != default:
                options[index] = bounded(value, name, lower, upper)
        pool = None
        if isinstance(workers, Scheduler):
            pool = definition.scheduler = workers._ptr
        else:
            definition.workers = integer(workers, "workers", 1, 64)
        definition.simd = -1 if simd == "auto" else SIMD_NAMES[choice(simd, "simd", ("auto", *SIMD_NAMES))]
        definition.broadphase = _BROADPHASES[choice(broadphase, "broadphase", _BROADPHASES)]
        definition.narrowphase = _NARROWPHASES[choice(narrowphase, "narrowphase", _NARROWPHASES)]
        choice(islands, "islands", ("persistent",))
        choice(schedule, "schedule", ("colors",))
        out = ffi.new("b2d_world **")
        status = lib.b2d_world_create(definition, out)
        if status:
            fail(status, self, workers=workers, simd=simd, broadphase=broadphase, narrowphase=narrowphase)

        self._scheduler = workers if pool is not None else None
        self._narrowphase = narrowphase
        self._lock = threading.RLock()  # held for moments only: the tables of the fast reads, and copying events
        self._stepping = False
        self._handles: tuple[dict[int, weakref.ref[Any]], ...] = tuple({} for _ in range(lib.B2D_KIND_COUNT))  # by kind
        self._data: dict[tuple[int, int, int], Any] = {}
        self._names: dict[tuple[int, int], str] = {}
        self._gears: set[tuple[int, int]] = set()
        self._pose, self._pose32, self._state = self._tables = _NO_TABLES
        self._version = -1  # of the tables above: none yet
        self._windows: set[weakref.ref[Window]] = set()  # what living views have as their base
        self._warned = False
        # A shared scheduler must outlive the world in C: the destructor holds it.
        destroy = lib.b2d_world_destroy if pool is None else (lambda pointer, pool=pool: lib.b2d_world_destroy(pointer))
        self._ptr = ffi.gc(out[0], destroy)

    # -- life and step

    def step(self, dt: float = 1 / 60, substeps: int = 4) -> None:
        """Moves everything on by `dt` seconds, in `substeps` equal parts. Releases the GIL.

        `dt=0` only finds contacts. More substeps make stacks and joints stiffer.

        Raises:
            ValueError: dt is negative or not finite, or substeps is not 1 or more.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping this world.
            DestroyedError: the world is closed.
            MemoryError: no memory for new contacts.
        """
        if type(dt) is not float:
            dt = number(dt, "dt")
        if type(substeps) is not int or not -(2**31) <= substeps < 2**31:
            substeps = integer(substeps, "substeps")
        pointer = self._ptr
        with self._lock:
            if self._stepping:
                raise WorldLockedError("the world is being stepped by another thread")
            self._stepping = True
            self._pose, self._pose32, self._state = _NO_TABLES
        try:
            status = lib.b2d_world_step(pointer, dt, substeps)
        finally:
            with self._lock:
                self._stepping = False
                self._pose, self._pose32, self._state = self._tables
                if lib.b2d_world_tables_version(pointer) != self._version:
                    self._refresh()
        if status:
            fail(status, self, dt=dt, substeps=substeps)

    def close(self) -> None:
        """Destroys the world with all that is in it. Closing again does nothing; arrays taken from it stay valid.

        Raises:
            WorldLockedError: another thread is stepping the world.
        """
        with self._lock:
            if self.closed:
                return
            if self._stepping:
                raise WorldLockedError("the world is being stepped by another thread")
            self._pose, self._pose32, self._state = self._tables = _NO_TABLES
            del self._ptr
        self._data.clear()
        self._names.clear()

    @property
    def closed(self) -> bool:
        """Whether the world has been closed; never raises."""
        return "_ptr" not in self.__dict__

    def __enter__(self) -> World:
        self._ptr  # noqa: B018  raises when closed
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def validate(self) -> None:
        """Checks every invariant of the engine; slow, for tests.

        Raises:
            InvariantError: one is broken, which is a bug of box2dpy.
        """
        message = ffi.new("char[]", 512)
        status = lib.b2d_world_validate(self._ptr, message, 512)
        if status & 0xFF == lib.B2D_INVARIANT:
            raise InvariantError(ffi.string(message).decode(errors="replace"))
        if status:
            fail(status, self)

    def state_hash(self) -> int:
        """A 64-bit hash over poses, velocities, sleep, contact and joint impulses, bit by bit: equal runs have equal hashes.

        >>> World().state_hash() == World().state_hash()
        True
        """
        out = ffi.new("uint64_t *")
        status = lib.b2d_world_hash(self._ptr, out)
        if status:
            fail(status, self)
        return int(out[0])

    def reserve(self, bodies: int = 0, shapes: int = 0, contacts: int = 0) -> None:
        """Makes room beforehand, so that creating that many allocates nothing and moves no table."""
        numbers = (integer(bodies, "bodies"), integer(shapes, "shapes"), integer(contacts, "contacts"))
        for name, value in zip(("bodies", "shapes", "contacts"), numbers, strict=True):
            if value < 0:
                raise ValueError(f"{name}={value} is out of range: 0 or more")
        status = lib.b2d_world_reserve(self._ptr, *numbers)
        if status:
            fail(status, self, bodies=bodies, shapes=shapes, contacts=contacts)
        self._refresh()

    def split_islands(self) -> int:
        """Splits every island that lost a contact or joint, at once instead of one a step; how many were made."""
        made = ffi.new(INT_POINTER)
        status = lib.b2d_world_split_islands(self._ptr, made)
        if status:
            fail(status, self)
        return int(made[0])

    # -- numbers

    sleeping = _Flag("Whether islands at rest fall asleep; False wakes everything.")
    continuous = _Flag("Whether fast bodies are kept from passing through static ones.")
    warm_starting = _Flag("Whether the solver starts from the last step's impulses.")
    contact_recycle = _Number("Metres that a pair may move before its points are computed afresh.")
    restitution_threshold = _Number("Speed under which nothing bounces, m/s.")
    hit_threshold = _Number("Speed above which hits are reported, m/s.")
    contact_hertz = _Number("Stiffness of contacts, cycles a second; at most an eighth of the substep rate counts.")
    contact_damping_ratio = _Number("Damping of contacts.")
    contact_push_speed = _Number("The most that overlapping shapes are pushed apart, m/s.")
    joint_hertz = _Number("Stiffness of the rigid part of joints that do not say their own.")
    joint_damping_ratio = _Number("Damping of the same.")
    max_linear_speed = _Number("No body gets faster, m/s.")
    sleep_time = _Number("Seconds of rest before sleep.")
    length_unit = _Number("How many units of yours make a metre.")

    @property
    def gravity(self) -> Vec2:
        """Acceleration of every dynamic body, m/s^2. Assigning wakes nobody.

        >>> with World() as world:
        ...     world.gravity = 0, -9.81
        ...     world.gravity
        Vec2(0.0, -9.81)
        """
        return Vec2(self._option(lib.B2D_OPTION_GRAVITY_X), self._option(lib.B2D_OPTION_GRAVITY_Y))

    @gravity.setter
    def gravity(self, value: Vec2Like) -> None:
        x, y = pair(value, "gravity")
        x, y = _gravity_component(x, value, "gravity_x"), _gravity_component(y, value, "gravity_y")
        self._set_option(lib.B2D_OPTION_GRAVITY_X, x, value, "gravity")
        self._set_option(lib.B2D_OPTION_GRAVITY_Y, y, value, "gravity")

    @property
    def workers(self) -> int:
        """How many threads step the world. Assigning gives it a pool of its own."""
        return int(lib.b2d_world_workers(self._ptr))

    @workers.setter
    def workers(self, value: int) -> None:
        count = integer(value, "workers", 1, 64)
        status = lib.b2d_world_set_workers(self._ptr, count)
        if status:
            fail(status, self, workers=value)
        self._scheduler = None

    @property
    def simd(self) -> str:
        """The instruction set of its kernels."""
        return SIMD_NUMBERS[lib.b2d_world_simd(self._ptr)]

    @property
    def broadphase(self) -> str:
        """The broad phase in use; never "auto"."""
        used = lib.b2d_world_broadphase(self._ptr)
        return next(name for name, kind in _BROADPHASES.items() if kind == used)

    @property
    def narrowphase(self) -> str:
        """The narrow phase in use."""
        self._ptr  # noqa: B018  raises when closed
        return self._narrowphase

    def _option(self, index: int) -> float:
        out = ffi.new(DOUBLES)
        status = lib.b2d_world_get_option(self._ptr, index, out)
        if status:
            fail(status, self)
        return out[0]  # type: ignore[no-any-return]

    def _set_option(self, index: int, number: float, value: object, name: str) -> None:
        status = lib.b2d_world_set_option(self._ptr, index, number)
        if status:
            fail(status, self, **{name: value})

    @property
    def counters(self) -> Counters:
        """Exact counts: bodies, contacts, islands, bytes and more, of now or of the last step.

        >>> World().counters.bodies
        0
        """
        out = ffi.new("b2d_counters *")
        status = lib.b2d_world_counters(self._ptr, out)
        if status:
            fail(status, self)
        return Counters(ffi.unpack(ffi.cast("int64_t *", out), len(Counters._fields)))

    @property
    def profile(self) -> Profile:
        """Milliseconds that the stages of the last step took: `world.profile.step` is the whole."""
        out = ffi.new("b2d_profile *")
        status = lib.b2d_world_profile(self._ptr, out)
        if status:
            fail(status, self)
        return Profile(ffi.unpack(ffi.cast("double *", out), len(Profile._fields)))

    @property
    def bounds(self) -> AABB:
        """The box around all shapes; zeros when there is none."""
        out = ffi.new(DOUBLES)
        status = lib.b2d_world_bounds(self._ptr, out)
        if status:
            fail(status, self)
        return AABB(Vec2(out[0], out[1]), Vec2(out[2], out[3]))

    # -- what is in it

    @property
    def bodies(self) -> Objects[Body]:
        """All bodies by index.

        >>> with World() as world:
        ...     body = world.create_static_body()
        ...     len(world.bodies), world.bodies[0] is body, list(world.bodies)
        (1, True, [<Body 0 static at (0, 0)>])
        """
        return Objects(self, lib.B2D_KIND_BODY, self._body)

    @property
    def shapes(self) -> Objects[Shape]:
        """All shapes by index."""
        return Objects(self, lib.B2D_KIND_SHAPE, self._shape)

    @property
    def joints(self) -> Objects[Joint]:
        """All joints by index."""
        return Objects(self, lib.B2D_KIND_JOINT, self._joint)

    @property
    def chains(self) -> Objects[Chain]:
        """All chains by index."""
        return Objects(self, lib.B2D_KIND_CHAIN, self._chain)

    @property
    def contacts(self) -> Objects[Contact]:
        """All contacts by index: pairs whose fat boxes overlap, touching or not."""
        return Objects(self, lib.B2D_KIND_CONTACT, self._contact)

    @property
    def islands(self) -> Objects[Island]:
        """All islands by index, awake or asleep."""
        return Objects(self, lib.B2D_KIND_ISLAND, self._island)

    @property
    def arrays(self) -> Arrays:
        """The state of all bodies as numpy arrays, see `Arrays`."""
        self._ptr  # noqa: B018  raises when closed
        return Arrays(self)

    @property
    def events(self) -> Events:
        """What happened in the last step, see `Events`."""
        self._ptr  # noqa: B018  raises when closed
        return Events(self)

    # -- making bodies

    def create_static_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = _ZERO,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = _ZERO,
        linear_damping: float = _ZERO,
        angular_damping: float = _ZERO,
        gravity_scale: float = _ONE,
        sleep_threshold: float = _SLEEP_SPEED,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = _SAFETY,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = _NO_NAME,
        data: Any = None,
    ) -> Body:
        """A body that never moves. For the options see the properties of `Body`.

        Args:
            position: metres, world coordinates.
            angle: radians, counter-clockwise.
            name: shown by `repr`.
            data: any object of yours.

        Raises:
            ValueError: not finite or out of range.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping the world.

        >>> World().create_static_body((1, 2), name="floor")
        <Body 0 'floor' static at (1, 2)>
        """
        return self._create_body(
            lib.B2D_STATIC, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping,
            gravity_scale, sleep_threshold, can_sleep, awake, enabled, bullet, allow_fast_rotation, safety_factor,
            lock_x, lock_y, lock_rotation, name, data,
        )  # fmt: skip

    def create_kinematic_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = _ZERO,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = _ZERO,
        linear_damping: float = _ZERO,
        angular_damping: float = _ZERO,
        gravity_scale: float = _ONE,
        sleep_threshold: float = _SLEEP_SPEED,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = _SAFETY,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = _NO_NAME,
        data: Any = None,
    ) -> Body:
        """A body that moves by its velocity and that nothing pushes. Options and errors as of `create_static_body`.

        >>> World().create_kinematic_body(linear_velocity=(1, 0)).linear_velocity
        Vec2(1.0, 0.0)
        """
        return self._create_body(
            lib.B2D_KINEMATIC, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping,
            gravity_scale, sleep_threshold, can_sleep, awake, enabled, bullet, allow_fast_rotation, safety_factor,
            lock_x, lock_y, lock_rotation, name, data,
        )  # fmt: skip

    def create_dynamic_body(
        self,
        position: Vec2Like = ORIGIN,
        angle: float = _ZERO,
        *,
        linear_velocity: Vec2Like = ORIGIN,
        angular_velocity: float = _ZERO,
        linear_damping: float = _ZERO,
        angular_damping: float = _ZERO,
        gravity_scale: float = _ONE,
        sleep_threshold: float = _SLEEP_SPEED,
        can_sleep: bool = True,
        awake: bool = True,
        enabled: bool = True,
        bullet: bool = False,
        allow_fast_rotation: bool = False,
        safety_factor: float = _SAFETY,
        lock_x: bool = False,
        lock_y: bool = False,
        lock_rotation: bool = False,
        name: str = _NO_NAME,
        data: Any = None,
    ) -> Body:
        """A body that forces and contacts move. Options and errors as of `create_static_body`.

        >>> World().create_dynamic_body((0, 4), 0.5, bullet=True).bullet
        True
        """
        return self._create_body(
            lib.B2D_DYNAMIC, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping,
            gravity_scale, sleep_threshold, can_sleep, awake, enabled, bullet, allow_fast_rotation, safety_factor,
            lock_x, lock_y, lock_rotation, name, data,
        )  # fmt: skip

    def _create_body(
        self,
        kind: int,
        position: Any,
        angle: Any,
        linear_velocity: Any,
        angular_velocity: Any,
        linear_damping: Any,
        angular_damping: Any,
        gravity_scale: Any,
        sleep_threshold: Any,
        can_sleep: Any,
        awake: Any,
        enabled: Any,
        bullet: Any,
        allow_fast_rotation: Any,
        safety_factor: Any,
        lock_x: Any,
        lock_y: Any,
        lock_rotation: Any,
        name: Any,
        data: Any,
    ) -> Body:
        d = ffi.new(BODY_DEF, _DEFAULT_BODY[0])
        d.type = kind
        given: dict[str, Any] = {}
        if position is not ORIGIN:
            d.x, d.y = pair(position, "position")
        if linear_velocity is not ORIGIN:
            d.vx, d.vy = pair(linear_velocity, "linear_velocity")
            given["linear_velocity"] = linear_velocity
        if angle is not _ZERO:
            d.angle = number(angle, "angle")
        if angular_velocity is not _ZERO:
            d.angular_velocity = number(angular_velocity, "angular_velocity")
            given["angular_velocity"] = angular_velocity
        if linear_damping is not _ZERO:
            d.linear_damping = number(linear_damping, "linear_damping")
            given["linear_damping"] = linear_damping
        if angular_damping is not _ZERO:
            d.angular_damping = number(angular_damping, "angular_damping")
            given["angular_damping"] = angular_damping
        if gravity_scale is not _ONE:
            d.gravity_scale = number(gravity_scale, "gravity_scale")
            given["gravity_scale"] = gravity_scale
        if sleep_threshold is not _SLEEP_SPEED:
            d.sleep_threshold = number(sleep_threshold, "sleep_threshold")
            given["sleep_threshold"] = sleep_threshold
        if safety_factor is not _SAFETY:
            d.safety_factor = number(safety_factor, "safety_factor")
            given["safety_factor"] = safety_factor
        if can_sleep is not True:
            d.can_sleep = flag(can_sleep, "can_sleep")
        if awake is not True:
            d.awake = flag(awake, "awake")
        if enabled is not True:
            d.enabled = flag(enabled, "enabled")
        if bullet is not False:
            d.bullet = flag(bullet, "bullet")
        if allow_fast_rotation is not False:
            d.allow_fast_rotation = flag(allow_fast_rotation, "allow_fast_rotation")
        if lock_x is not False:
            d.lock_x = flag(lock_x, "lock_x")
        if lock_y is not False:
            d.lock_y = flag(lock_y, "lock_y")
        if lock_rotation is not False:
            d.lock_rotation = flag(lock_rotation, "lock_rotation")
        if name is not _NO_NAME:
            text(name, "name")
        out = ffi.new("b2d_handle *")
        pointer = self._ptr
        status = lib.b2d_body_create(pointer, d, out)
        if status:
            fail(status, self, position=position, angle=angle, **given)
        if lib.b2d_world_tables_version(pointer) != self._version:
            self._refresh()
        index, generation = out.index, out.generation
        body = Body(self, index, generation)
        self._handles[0][index] = weakref.ref(body)
        if name:
            self._names[index, generation] = name
        if data is not None:
            self._data[lib.B2D_KIND_BODY, index, generation] = data
        return body

    def create_bodies(
        self,
        positions: Any,
        *,
        geometry: Geometry,
        angles: Any = None,
        linear_velocities: Any = None,
        type: BodyType | str = "dynamic",
        density: float = 1.0,
        friction: float = 0.6,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        tangent_speed: float = 0.0,
        filter: Filter = DEFAULT_FILTER,
        sensor: bool = False,
        contact_events: bool = True,
        hit_events: bool = False,
        sensor_events: bool = False,
        material: int = 0,
        color: int = 0,
    ) -> BodyArray:
        """Many bodies with one shape each, in one call of C: all of them or, on an error, none.

        Args:
            positions: array or pairs, shape (n, 2), metres.
            geometry: the shape that each one gets.
            angles: shape (n,), radians; zero when absent.
            linear_velocities: shape (n, 2), m/s; zero when absent.
            type: of the bodies.

        The others are those of `Body.create_shape`.

        Raises:
            ValueError: not finite, out of range, or a wrong array shape.
            TypeError: a wrong type.

        >>> with World() as world:
        ...     grid = [(x, y) for x in range(10) for y in range(10)]
        ...     boxes = world.create_bodies(grid, geometry=Box(0.4, 0.4))
        ...     boxes, boxes.mass.shape
        (<BodyArray of 100 bodies>, (100,))
        """
        rows = points(positions, "positions")
        n = len(rows)
        finite(rows, positions, "positions")
        turns = speeds = None
        if angles is not None:
            turns = floats(angles, "angles")
            if turns.shape != (n,):
                raise ValueError(f"angles={shown(angles)} must have shape ({n},), not {turns.shape}")
            finite(turns, angles, "angles")
        if linear_velocities is not None:
            speeds = points(linear_velocities, "linear_velocities")
            if len(speeds) != n:
                raise ValueError(f"linear_velocities={shown(linear_velocities)} must have shape ({n}, 2), not {speeds.shape}")
            finite(speeds, linear_velocities, "linear_velocities")
        definition = ffi.new(BODY_DEF, _DEFAULT_BODY[0])
        definition.type = as_body_type(type)
        given = {
            "density": density,
            "friction": friction,
            "restitution": restitution,
            "rolling_resistance": rolling_resistance,
            "tangent_speed": tangent_speed,
            "sensor": sensor,
            "contact_events": contact_events,
            "hit_events": hit_events,
            "sensor_events": sensor_events,
            "material": material,
            "color": color,
        }
        c, shape = as_geometry(geometry), shape_def(given, filter)
        handles = np.zeros(n, HANDLE_DTYPE)
        pointer = self._ptr
        if n:
            status = lib.b2d_bodies_create(
                pointer,
                definition,
                c,
                shape,
                n,
                ffi.from_buffer("double[]", rows),
                ffi.NULL if turns is None else ffi.from_buffer("double[]", turns),
                ffi.NULL if speeds is None else ffi.from_buffer("double[]", speeds),
                ffi.from_buffer(HANDLES, handles, require_writable=True),
            )
            if status:
                fail(
                    status,
                    self,
                    positions=positions,
                    geometry=geometry,
                    angles=angles,
                    linear_velocities=linear_velocities,
                    type=type,
                    filter=filter,
                    **given,
                )
            self._refresh()
        return BodyArray(self, np.ascontiguousarray(handles["index"]), np.ascontiguousarray(handles["generation"]))

    # -- handles

    def _cached(self, kind: int, index: int, generation: int) -> Any:
        reference = self._handles[kind].get(index)
        handle = None if reference is None else reference()
        return handle if handle is not None and handle._generation == generation else None

    def _remember(self, handle: H) -> H:
        """Makes a new handle the one that is handed out again, or a dead one if its object is gone."""
        kind, index, generation = handle._KIND, handle._index, handle._generation
        if self._lives(kind, index, generation):
            self._handles[kind][index] = weakref.ref(handle)
        else:
            handle._die()
        return handle

    def _lives(self, kind: int, index: int, generation: int) -> bool:
        out = ffi.new(DOUBLES)
        if kind == lib.B2D_KIND_BODY:
            status = lib.b2d_body_get(self._ptr, index, generation, lib.B2D_BODY_TYPE, out)
        elif kind == lib.B2D_KIND_SHAPE:
            status = lib.b2d_shape_get(self._ptr, index, generation, lib.B2D_SHAPE_FRICTION, out)
        elif kind == lib.B2D_KIND_CHAIN:
            status = lib.b2d_chain_get(self._ptr, index, generation, lib.B2D_SHAPE_FRICTION, out)
        else:
            status = lib.b2d_joint_get(self._ptr, index, generation, lib.B2D_JOINT_CONSTRAINT_TORQUE, out)
        if status & 0xFF == lib.B2D_LOCKED:
            fail(status, self)
        return not status

    def _body(self, index: int, generation: int) -> Body:
        found = self._cached(lib.B2D_KIND_BODY, index, generation)
        return found if found is not None else self._remember(Body(self, index, generation))

    def _shape(self, index: int, generation: int) -> Shape:
        found = self._cached(lib.B2D_KIND_SHAPE, index, generation)
        return found if found is not None else self._remember(Shape(self, index, generation))

    def _new_shape(self, index: int, generation: int) -> Shape:
        shape = Shape(self, index, generation)
        self._handles[lib.B2D_KIND_SHAPE][index] = weakref.ref(shape)
        return shape

    def _joint(self, index: int, generation: int) -> Joint:
        found = self._cached(lib.B2D_KIND_JOINT, index, generation)
        if found is not None:
            return found  # type: ignore[no-any-return]
        joint = Joint(self, index, generation)
        if self._lives(joint._KIND, index, generation):
            joint = JOINT_CLASSES[joint._bodies()[2]](self, index, generation)
        return self._remember(joint)

    def _chain(self, index: int, generation: int) -> Chain:
        found = self._cached(lib.B2D_KIND_CHAIN, index, generation)
        return found if found is not None else self._remember(Chain(self, index, generation))

    def _contact(self, index: int, generation: int) -> Contact:
        return Contact(self, index, generation)

    def _island(self, index: int, generation: int) -> Island:
        return Island(self, index, generation)

    def _forget(self, handle: Handle) -> None:
        """After its death: the handle knows, and what the user attached is let go."""
        kind, index, generation = handle._KIND, handle._index, handle._generation
        handle._die()
        self._forget_rows(kind, [(index, generation)])

    def _forget_rows(self, kind: int, dead: list[tuple[int, int]]) -> None:
        for index, generation in dead:
            found = self._cached(kind, index, generation)
            if found is not None:
                found._die()
            self._data.pop((kind, index, generation), None)
            if kind == lib.B2D_KIND_BODY:
                self._names.pop((index, generation), None)
        if kind == lib.B2D_KIND_JOINT and self._gears:  # a gear dies with either of its joints
            gone = [gear for gear in self._gears if not self._lives(kind, *gear)]
            self._gears -= set(gone)
            if gone:
                self._forget_rows(kind, gone)

    def _live_generations(self, kind: int) -> NDArray[np.uint64]:
        """Generation by index, 0 where nothing lives."""
        count = ffi.new(INT_POINTER)
        room = 0
        while True:
            handles = np.zeros(room, HANDLE_DTYPE)
            out = ffi.from_buffer(HANDLES, handles, require_writable=True) if room else ffi.NULL
            status = lib.b2d_world_list(self._ptr, kind, out, room, count)
            if status:
                fail(status, self)
            if count[0] <= room:
                break
            room = count[0]
        handles = handles[: count[0]]
        result = np.zeros(int(handles["index"].max()) + 1 if len(handles) else 0, np.uint64)
        result[handles["index"]] = handles["generation"]
        return result

    # -- tables

    def _acquire(self, table: int) -> tuple[int, int, Any, int]:
        """Rows in use, capacity, the block (freed with the last reference to it), and where in it row 0 is."""
        pointer, out = self._ptr, ffi.new("b2d_table *")
        while True:
            version = lib.b2d_world_tables_version(pointer)
            status = lib.b2d_world_table(pointer, table, out)
            if status:
                fail(status, self)
            raw = lib.b2d_world_acquire_table(pointer, table)
            if raw == ffi.NULL:
                if out.capacity:
                    raise WorldLockedError("the world is being changed by another thread")
                return 0, 0, None, 0
            block = ffi.gc(raw, lib.b2d_shared_release)
            if lib.b2d_world_tables_version(pointer) == version:
                break
        if out.stride != TABLE_ROW:
            raise InvariantError(f"a table row has {out.stride} bytes instead of {TABLE_ROW}")
        return out.count, out.capacity, block, int(ffi.cast("intptr_t", out.data)) - int(ffi.cast("intptr_t", block))

    def _whole(self, table: int) -> memoryview:
        """For fast reads: a table to its capacity."""
        _, capacity, block, offset = self._acquire(table)
        return memoryview(ffi.buffer(block, offset + capacity * TABLE_ROW))[offset:] if capacity else memoryview(b"")

    def _refresh(self) -> None:
        """Fetches the tables for the fast reads when they have moved, and warns of stale views.

        When another thread keeps the world busy just now, the tables are dropped, and the next read fetches them.
        """
        with self._lock:
            version = lib.b2d_world_tables_version(self._ptr)
            if version == self._version:
                return
            before = len(self._tables[0])
            try:
                pose, state = self._whole(lib.B2D_TABLE_POSE), self._whole(lib.B2D_TABLE_STATE)
            except WorldLockedError:
                self._tables, self._version = _NO_TABLES, -1
                moved = False
            else:
                self._tables, self._version = (pose.cast("d"), pose.cast("f"), state.cast("f")), version
                moved = len(self._tables[0]) != before
            if not self._stepping:
                self._pose, self._pose32, self._state = self._tables
        if moved and self._windows and not self._warned:
            self._warned = True
            warnings.warn("the tables have grown: arrays taken before show old memory", StaleViewWarning, stacklevel=3)

    def _reload(self, index: int) -> None:
        """After a fast read found no row: raises why, or fetches the tables."""
        self._ptr  # noqa: B018  raises when closed
        with self._lock:
            if self._stepping:
                raise WorldLockedError("the world is being stepped by another thread")
            self._refresh()
            if self._version == -1:  # dropped: another thread creates or destroys something just now
                raise WorldLockedError("the world is being changed by another thread")
            if 4 * index >= len(self._pose):
                raise InvariantError(f"body {index} has no row in the tables")

    def __repr__(self) -> str:
        try:
            if not self.closed:
                return f"<World of {len(self.bodies)} bodies>"
        except Exception:
            return "<World, being stepped>"
        return "<World closed>"


def _gravity_component(value: float, given: object, name: str) -> float:
    _, _, lower, upper = _OPTIONS[name]
    if not -_INFINITY < value < _INFINITY:
        raise ValueError(f"gravity={shown(given)} must be finite")
    if not lower <= value <= upper:
        raise ValueError(f"gravity={shown(given)} is out of range: {lower:g} to {upper:g}")
    return value
