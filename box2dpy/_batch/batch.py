"""`WorldBatch`: many worlds that are stepped together, as arrays.

The worlds are the cells of one packed world of the core (csrc/graph/cell.h), so one call steps all of them, and the
wide kernels work on different worlds at once. Nothing passes from one world to another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from .._bridge.arguments import choice, flag, floats, integer, masked, number, pinned, spread
from .._bridge.errors import raise_error, short_repr
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.owned import owned
from .._world.options import Options
from .._world.state import State, bytes_of, state_of
from .._world.world import World
from .._world.world_options import fill
from .batch_world import BatchWorld
from .cells import KINDS, MESSAGE, Cells
from .entities import Entities, entities_of
from .random import MOST_SEED, seeds_of, uniform
from .senses import BatchSenses

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .._bridge.choices import Profiling
    from .._world.counters import Profile
    from .._world.options import Simd
    from .._world.scheduler import Scheduler

_BYTES = (bytes, bytearray, memoryview)
_NO_GENERATIONS = np.zeros(0, np.uint64)


class WorldBatch(BatchSenses):
    """Many independent worlds with the same kinds of bodies, stepped together by one call.

    Every world begins as a copy of a template, and `restore(replace=True)` makes it a copy of any other world. Its
    steps give the same bits as those of that world alone, for every number of worlds and workers and every instruction
    set, with sleeping. Bodies, shapes and joints cannot be created or destroyed one by one: disable a body instead
    (`set(body, enabled=False)`). Callbacks are not supported; results are in arrays.

    Worlds may differ in their objects. Arrays have rows for all objects that a world has room for; `body_mask`,
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
        "__weakref__", "_dt", "_lock", "_random", "_states", "_substeps", "_templates", "_was_invalid", "_which",
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
        dt, substeps, seed = number(dt, "dt"), integer(substeps, "substeps"), integer(seed, "seed", 0, MOST_SEED)
        definition = ffi.new("b2d_world_def *")
        lib.b2d_world_def_init(definition)
        definition.options[lib.B2D_OPTION_PROFILING] = Options.profiling.encode(profiling)
        fill(definition, None, {"workers": workers, "simd": simd})
        least = ffi.new("b2d_cells_size *", _room(room))
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
        self._pushed = False
        pose, state = lib.B2D_TABLE_POSE, lib.B2D_TABLE_STATE
        self._position = self._cells.view(pose, np.float64, 0, 2)
        self._rotation = self._cells.view(pose, np.float32, 16, 2)
        self._linear_velocity = self._cells.view(state, np.float32, 0, 2)
        self._angular_velocity = self._cells.view(state, np.float32, 8, 1)
        self._watches = []
        self._was_invalid = np.zeros(count, bool)  # when it was pickled
        self._random = np.zeros((count, 3), np.uint64)  # seed, episode, numbers drawn
        self._random[:, 0] = seeds_of(seed, count)

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
        """What changes after a batch has been made."""
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

    def shows(self, array: NDArray[Any]) -> bool:
        """Whether an array is a view of the memory of the batch, or of a part of it, as `position`, `force` and watches
        are: steps change it.

        Raises:
            TypeError: not a numpy array.
        """
        if not isinstance(array, np.ndarray):
            raise TypeError(f"array={short_repr(array)} must be a numpy array")
        watches = [reference() for reference, *_ in self._watches]
        own = self._position, self._rotation, self._linear_velocity, self._angular_velocity, self._force, self._torque
        return any(each is not None and np.may_share_memory(array, each) for each in (*own, *watches))

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

    def __exit__(self, *_: object) -> None:
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
    def gravity(self) -> NDArray[np.float64]:
        """Gravity of each world, m/s^2, kept as float32: copy, shape (n, 2). Assigned, it is one value for all or one
        for each world, and wakes the worlds that it changes."""
        return self._cells.read(lib.b2d_cells_get_gravity, np.float64, 2)

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        given, cell = spread(value, "gravity", (len(self), 2), floats), ffi.new("int32_t *")
        status = lib.b2d_cells_set_gravity(self._cells.pointer, ffi.from_buffer("double[]", given), cell)
        if status:
            try:
                raise_error(status, self._cells.world, gravity=given[cell[0]].tolist())
            except ValueError as error:
                raise ValueError(f"{error} (world {cell[0]})") from None

    @property
    def invalid(self) -> NDArray[np.bool_]:
        """Which worlds had a body that was no longer finite since they were made or restored: copy, shape (n,)."""
        return self._cells.read(lib.b2d_cells_invalid, bool) | self._was_invalid

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

    # ---- states

    def save(self, mask: ArrayLike | None = None) -> list[State]:
        """The states of the worlds of a mask (bool, shape (n,); None: all), in their order. They are like those of
        `World.save`: `restore` accepts them here, in other batches of the template and in a `World`.
        """
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
            random: what happens to the streams of random numbers. False: each world begins the next episode of its
                stream, so the numbers that it draws are new ones. True: the stream returns as well, which a state of
                `WorldBatch.save` has. None: the stream continues where it is.
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
        """A `World` of its own, with one worker, in the state of world `index`. Stepped by `dt` and `substeps` of the
        batch it gives the same bits. `data`, names and handles by index are those of the template."""
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
        return self._cells.read(lib.b2d_cells_hash, np.uint64)

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
        self._random[rows] = np.stack([seeds_of(seed, len(self)), *np.zeros((2, len(self)), np.uint64)], axis=1)[rows]


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
    """Generations of the objects of each kind, by index; 0: it does not exist."""
    count, world, found = ffi.new("int32_t *"), ffi.cast("b2d_world *", state._ptr), {}
    for kind, number_of in KINDS.items():
        data = lib.b2d_world_generations(world, number_of, count)
        found[kind] = np.frombuffer(ffi.buffer(data, 8 * count[0]), np.uint64).copy() if count[0] else _NO_GENERATIONS
    return found


def _room(room: Mapping[str, int] | None) -> dict[str, int]:
    """The numbers of `room` by the names of the C struct."""
    if room is not None and not isinstance(room, Mapping):
        raise TypeError(f"room={short_repr(room)} must be a mapping, such as {{'bodies': 40}}")
    names = ("bodies", "shapes", "joints", "chains")
    for name in room or ():
        choice(name, "room", names)
    return {name: integer(value, f"room[{name!r}]", 0, 2**26) for name, value in (room or {}).items()}
