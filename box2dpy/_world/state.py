"""`State`, and the copies of a world: save, restore, clone and clear.

The core copies its tables (csrc/state). This module does the same for what Python adds: data, names and categories of
the user, and the handles. A handle lives exactly as long as its world has an object of its index and generation, so
after a world has been restored, handles of later objects are dead, and those of objects that were destroyed live again.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar
from weakref import ref

from .._bridge.arguments import choice, flag, integer
from .._bridge.errors import raise_error, short_repr
from .._bridge.library import ffi, lib
from .._bridge.owned import owned
from .callbacks import Callbacks
from .options import BROADPHASES, NARROWPHASES, OPTIONS, Options
from .scheduler import SIMD_NAMES, Scheduler, pool_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .._bridge.vectors import Vec2Like
    from .._geometry.categories import Categories
    from .options import Broadphase, Continuous, Mixing, Narrowphase, Simd

W = TypeVar("W", bound="States")
_KINDS = (lib.B2D_KIND_BODY, lib.B2D_KIND_SHAPE, lib.B2D_KIND_JOINT, lib.B2D_KIND_CHAIN)
_STATE_OUT, _WORLD_OUT = ffi.typeof("b2d_state **"), ffi.typeof("b2d_world **")
_save, _restore = lib.b2d_world_save, lib.b2d_world_restore
_MADE = ("workers", "simd", "broadphase", "narrowphase")  # options that a world has from its creation
_DEFINITION = ffi.typeof("b2d_world_def *")
_LIKE = ffi.new(_DEFINITION)  # all as in the world that is cloned
lib.b2d_world_def_init(_LIKE)
_LIKE.workers, _LIKE.simd, _LIKE.broadphase = 0, -2, -1
_ASSIGNED = ("gravity", *(name for name in OPTIONS if name not in ("gravity_x", "gravity_y")))


class WorldOptions(TypedDict, total=False):
    """The options of `World.clone`, which are those of `World`."""

    gravity: Vec2Like
    workers: int | Scheduler
    simd: Simd | Literal["auto"]
    broadphase: Broadphase
    narrowphase: Narrowphase
    sleeping: bool
    continuous: Continuous
    warm_starting: bool
    contact_recycle: float
    restitution_threshold: float
    hit_threshold: float
    contact_hertz: float
    contact_damping_ratio: float
    contact_push_speed: float
    joint_hertz: float
    joint_damping_ratio: float
    max_linear_speed: float
    sleep_time: float
    length_unit: float
    friction_mixing: Mixing
    restitution_mixing: Mixing


class State:
    """The state of a world at one moment, made by `World.save`. It never changes and may outlive its world."""

    __slots__ = ("__weakref__", "_categories", "_data", "_gears", "_keeper", "_names", "_ptr")
    _ptr: Any
    _keeper: Any
    _data: dict[tuple[int, int, int], Any]
    _names: dict[tuple[int, int], str]
    _gears: set[tuple[int, int]]
    _categories: Categories

    def __init__(self) -> None:
        raise TypeError("a State is made by World.save()")

    @property
    def nbytes(self) -> int:
        """Bytes of memory in the core that it occupies."""
        return int(lib.b2d_state_bytes(self._ptr))

    def __repr__(self) -> str:
        return f"<State of {self.nbytes} bytes>"

    def __reduce__(self) -> Any:
        raise TypeError("a State belongs to this process: World.snapshot() gives bytes, and a World can be pickled")


class States(Options, Callbacks):
    """The part of `World` that saves, restores and copies it."""

    if TYPE_CHECKING:

        def close(self) -> None: ...

    def _take(self, pointer: Any, narrowphase: Narrowphase) -> None:
        """Becomes the owner of a world of the core."""
        super().__init__(pointer)
        self._narrowphase = narrowphase

    def save(self) -> State:
        """The state at this moment, for `restore`: everything that decides how the simulation goes on, and `data`,
        names and categories (by reference). It is kept in memory; the world remains as it is.

        Raises:
            WorldLockedError: another thread is stepping the world, or this is a callback.
            DestroyedError: the world is closed.
            MemoryError: no memory.

        >>> with World() as world:
        ...     ball = world.create_dynamic_body((0, 4))
        ...     state = world.save()
        ...     world.step()
        ...     world.restore(state)
        ...     ball.position
        Vec2(0.0, 4.0)
        """
        out = ffi.new(_STATE_OUT)
        status = _save(self._ptr, out)
        if status:
            raise_error(status, self)
        state = object.__new__(State)
        state._ptr, state._keeper = owned(out[0], lib.b2d_state_free)
        state._data = self._data and dict(self._data)
        state._names = self._names and dict(self._names)
        state._gears = self._gears and set(self._gears)
        state._categories = self._categories
        self._states.add(ref(state, self._states.discard))
        return state

    def restore(self, state: State) -> None:
        """Returns to a saved state. The steps that follow give the same bits as those that followed the saved moment.

        Options, contacts, sleep and events are those of the saved moment, too. The world keeps its workers, broad
        phase, instruction set and callbacks. Handles of objects that exist in the state are valid again, also if the
        objects had been destroyed since; handles of objects that were created since raise `DestroyedError`. The state
        may be restored any number of times, also into another world: there it replaces all objects, and the handles
        with the index and generation of an object of the state refer to that object.

        Raises:
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is closed.
            TypeError: not a `State`.
            MemoryError: no memory; the world is as it was.
        """
        if not isinstance(state, State):
            raise TypeError(f"state={short_repr(state)} must be a State")
        same = ffi.new("bool *")
        status = _restore(self._ptr, state._ptr, same)
        if status:
            raise_error(status, self)
        if lib.b2d_world_tables_version(self._ptr) != self._version:
            self._refresh()
        self._data = dict(state._data)
        self._names = dict(state._names)
        self._gears = set(state._gears)
        self._categories = state._categories
        if not same[0]:
            self._settle_handles()

    def _settle_handles(self) -> None:
        """Marks the handles of objects that do not exist any more, and revives those of objects that exist again."""
        living: set[int] = set()
        for kind in _KINDS:
            living.update(self._live_generations(kind).tolist())
        handles, dead = self._handles, self._dead_handles
        self._destroyed_count += 1
        for generation, reference in list(handles.items()):
            if generation not in living:
                del handles[generation]
                handle = reference()
                if handle is not None:
                    handle._mark_dead()
                    dead[generation] = reference
        for generation, reference in list(dead.items()):
            handle = reference()
            if handle is None:
                del dead[generation]
            elif generation in living:
                del dead[generation]
                handle._revive()
                handles[generation] = reference
        if not self._states:
            dead.clear()

    def clone(self, *, callbacks: bool = False, **options: Unpack[WorldOptions]) -> Self:
        """A new world in the same state, which goes on with the same bits.

        `data`, names and categories are those of this world, by reference. `clone.body(body.index)` is the counterpart
        of a body; likewise for shapes, joints and chains. A shared `Scheduler` is shared; own workers are made anew.
        `copy.copy` is a clone; `copy.deepcopy` copies `data` and categories as well, and handles of this world that
        it finds there become handles of the copy.

        Args:
            callbacks: whether the clone calls the functions that are assigned to this world.
            options: options of `World` with other values for the clone; they are assigned when it has been made.

        Raises:
            ValueError: a wrong value of an option.
            TypeError: a wrong type, or an option that does not exist.
            WorldLockedError: another thread is stepping the world, or this is a callback.
            DestroyedError: the world is closed.
            MemoryError: no memory.

        >>> with World() as world:
        ...     ball = world.create_dynamic_body((0, 4))
        ...     with world.clone(gravity=(0, 0)) as other:
        ...         other.step()
        ...         other.body(ball.index).position
        Vec2(0.0, 4.0)
        """
        made = _clone_core(self, flag(callbacks, "callbacks"), options)
        added = _added_attributes(self, made)
        if self._data:
            made._data = dict(self._data)
        made._categories = self._categories
        if added:
            made.__dict__.update(added)
        return made

    def clear(self) -> None:
        """Destroys all objects and events at once, and keeps options, material pairs, categories, callbacks and memory.

        Raises:
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is closed.

        >>> with World(gravity=(0, -3)) as world:
        ...     body = world.create_dynamic_body()
        ...     world.clear()
        ...     len(world.bodies), body.alive, world.gravity, world.create_dynamic_body().index
        (0, False, Vec2(0.0, -3.0), 0)
        """
        status = lib.b2d_world_clear(self._ptr)
        if status:
            raise_error(status, self)
        self._data.clear()
        self._names.clear()
        self._gears.clear()
        self._settle_handles()

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = _clone_core(self, False, {})
        memo[id(self)] = made
        added = _added_attributes(self, made)
        made._data = {key: copy.deepcopy(value, memo) for key, value in self._data.items()}
        made._categories = copy.deepcopy(self._categories, memo)
        for name, value in added.items():
            made.__dict__[name] = copy.deepcopy(value, memo)
        return made

    def __reduce__(self) -> Any:
        raise TypeError("a world cannot be pickled: its state is in the memory of the C core")


def _added_attributes(world: States, made: States) -> dict[str, Any]:
    """What the user or a subclass has added to the attributes of a world."""
    if len(world.__dict__) == len(made.__dict__):
        return {}
    return {name: value for name, value in world.__dict__.items() if name not in made.__dict__}


def _clone_core(world: W, callbacks: bool, options: Any) -> W:
    """A world with the same state, without the data of the user."""
    definition = ffi.new(_DEFINITION, _LIKE[0])
    pointer, narrowphase = world._ptr, world._narrowphase
    if options:
        for name in options:
            if name not in _MADE and name not in _ASSIGNED:
                raise TypeError(f"clone() has no option {name!r}; it has {', '.join((*_MADE, *_ASSIGNED))}")
        workers, simd = options.get("workers"), options.get("simd")
        if isinstance(workers, Scheduler):
            definition.scheduler = pool_of(workers)
        elif "workers" in options:
            definition.workers = integer(workers, "workers", 1, 64)
        if "simd" in options:
            definition.simd = -1 if simd == "auto" else SIMD_NAMES[choice(simd, "simd", ("auto", *SIMD_NAMES))]
        if "broadphase" in options:
            definition.broadphase = BROADPHASES[choice(options["broadphase"], "broadphase", BROADPHASES)]
        narrowphase = choice(options.get("narrowphase", narrowphase), "narrowphase", NARROWPHASES)
    definition.narrowphase = NARROWPHASES[narrowphase]
    out = ffi.new(_WORLD_OUT)
    status = lib.b2d_world_clone(pointer, definition, out)
    if status:
        raise_error(status, world, **options)
    made = object.__new__(type(world))
    made._take(out[0], narrowphase)
    if world._names:
        made._names = dict(world._names)
    if world._gears:
        made._gears = set(world._gears)
    try:
        for name, value in options.items():
            if name not in _MADE:
                setattr(made, name, value)
        if callbacks and world._functions:
            made._set_functions(dict(world._functions), -1)
    except BaseException:
        made.close()
        raise
    return made
