"""`State`, and the copies of a world: save, restore, clone and clear.

The core copies its tables (csrc/state). This module does the same for what Python adds: data, names and categories of
the user, and the handles. A handle is valid exactly as long as its world has an object of its index and generation, so
after a world has been restored, handles of later objects are invalid, and those of objects that were destroyed are
valid again.
"""

from __future__ import annotations

import copy
import struct
import zlib
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias, TypeVar
from weakref import ref

from .._bridge.arguments import flag, integer
from .._bridge.errors import SnapshotError, raise_error, raise_if, short_repr
from .._bridge.library import ffi, lib
from .._bridge.owned import owned
from .._geometry.categories import Categories
from .._objects.joint import JOINT_CLASSES
from .callbacks import Callbacks
from .options import Options
from .world_options import MADE, check_names, fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self, Unpack

    from .world_options import WorldOptions

W = TypeVar("W", bound="States")
Data: TypeAlias = "dict[tuple[int, int, int], Any]"  # of the user, by kind, index and generation
_KINDS = (lib.B2D_KIND_BODY, lib.B2D_KIND_SHAPE, lib.B2D_KIND_JOINT, lib.B2D_KIND_CHAIN)
_STATE_OUT, _WORLD_OUT = ffi.typeof("b2d_state **"), ffi.typeof("b2d_world **")
_save, _restore = lib.b2d_world_save, lib.b2d_world_restore
_DEFINITION = ffi.typeof("b2d_world_def *")
_LIKE = ffi.new(_DEFINITION)  # all as in the world that is cloned
lib.b2d_world_def_init(_LIKE)
_LIKE.workers, _LIKE.simd, _LIKE.lab = 0, -2, 0xFFFFFFFF
_LIKE.broadphase = _LIKE.narrowphase = _LIKE.islands = _LIKE.schedule = _LIKE.warm_start = -1
_TAIL = struct.Struct("<II")  # length and checksum of the texts that follow the bytes of the core
_PACKED, _PACKED_HEAD = b"b2dpack1", struct.Struct("<8sQ")  # of compressed bytes: the mark, and the length before
_NOUNS = {getattr(lib, f"B2D_KIND_{noun.upper()}"): noun for noun in ("body", "shape", "joint", "chain")}
_MESSAGE = 512
_MOST_RANDOM = 2**64 - 1


class State:
    """The state of a world at one moment, made by `World.save`. It never changes and may outlive its world. A pickle of
    it has portable bytes and the `data` of its objects."""

    __slots__ = ("__weakref__", "_categories", "_data", "_keeper", "_names", "_ptr", "_random")
    _ptr: Any
    _keeper: Any
    _data: Data
    _names: dict[tuple[int, int], str]
    _categories: Categories
    _random: tuple[int, ...]  # only of states of a batch: the random stream of the world
    _WORLD: ClassVar[Any]  # `World`, which assigns it

    def __init__(self) -> None:
        raise TypeError("a State is made by World.save()")

    @property
    def nbytes(self) -> int:
        """Bytes of memory in the core that it occupies."""
        return int(lib.b2d_state_bytes(self._ptr))

    def __repr__(self) -> str:
        return f"<State of {self.nbytes} bytes>"

    def __reduce__(self) -> Any:
        """Its data may refer to this state again, so it is not an argument: a pickle has stored the state before it."""
        return _unpickle_state, (bytes_of(self), self._categories, getattr(self, "_random", ())), dict(self._data)

    def __setstate__(self, own: Data) -> None:
        _check_parts(own, self._categories)
        self._data = own


def bytes_of(state: State) -> bytes:
    """What `World.snapshot` writes, without data."""
    with State._WORLD() as world:
        world.restore(state)
        return world.snapshot()  # type: ignore[no-any-return]


def state_of(data: bytes | bytearray | memoryview) -> State:
    """The state of the bytes of `World.snapshot`."""
    with State._WORLD.from_snapshot(data) as world:
        return world.save()  # type: ignore[no-any-return]


def _unpickle_state(data: bytes, categories: Categories, random: tuple[int, ...]) -> State:
    _check_parts({}, categories)
    stream = tuple(integer(each, "random", 0, _MOST_RANDOM) for each in random)
    if len(stream) not in (0, 3):
        raise ValueError(f"random={short_repr(random)} must be three numbers or none")
    state = state_of(data)
    state._categories = categories
    if stream:
        state._random = stream
    return state


def _check_parts(own: object, categories: object) -> None:
    """The parts of a pickle that bytes of a snapshot do not have; `own` is the data of objects."""
    if not isinstance(own, dict) or not isinstance(categories, Categories):
        raise TypeError(f"{short_repr(own)} must be a dictionary, and {short_repr(categories)} Categories")


class States(Options, Callbacks):
    """The part of `World` that saves, restores and copies it."""

    __slots__ = ()

    if TYPE_CHECKING:

        def state_hash(self) -> int: ...
        def close(self) -> None: ...

    def _take(self, pointer: Any) -> None:
        """Becomes the owner of a world of the core."""
        super().__init__(pointer)

    def save(self) -> State:
        """The state at this moment, for `restore`: everything that determines how the simulation continues, and `data`,
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
        state._categories = self.categories
        self._states.add(ref(state, self._states.discard))
        return state

    def restore(self, state: State | bytes | bytearray | memoryview) -> None:
        """Returns to a state of `save`, or to bytes of `snapshot`. The steps that follow give the same bits as those
        that followed the saved moment.

        Options, contacts, sleep and events are those of the saved moment, too. The world keeps its workers, broad
        phase, instruction set and callbacks. Handles of objects that exist in the state are valid again, also if the
        objects had been destroyed since; handles of objects that were created since raise `DestroyedError`. The state
        may be restored any number of times, also into another world: there it replaces all objects, and the handles
        with the index and generation of an object of the state refer to that object. From bytes without `data`, objects
        that exist before and after keep theirs.

        Raises:
            SnapshotError: the bytes are no snapshot, are damaged, or come from a newer version.
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is closed.
            TypeError: neither a `State` nor bytes.
            MemoryError: no memory.
            OSError: the world is being recorded, and the file cannot be written. Only this error leaves the world in
                the restored state; the recording ends.

        After any other error the world is as it was.
        """
        if not isinstance(state, (State, bytes, bytearray, memoryview)):
            raise TypeError(f"state={short_repr(state)} must be a State or bytes")
        function: Any = self._restore_state if isinstance(state, State) else self._restore_bytes
        function(state)
        if self._recorder is not None:
            self._recorder._after_restore(self)

    def _restore_state(self, state: State) -> None:
        same = ffi.new("bool *")
        status = _restore(self._ptr, state._ptr, same)
        if status:
            raise_error(status, self)
        if lib.b2d_world_tables_version(self._ptr) != self._version:
            self._refresh()
        self._late.clear()
        self._data = dict(state._data)
        self._names = dict(state._names)
        self._categories = state._categories
        if not same[0]:
            self._settle_handles()

    def _lives(self) -> Callable[[int, int, int], bool]:
        """A function that says whether there is an object of this kind, index and generation."""
        rows = {kind: self._live_generations(kind).tolist() for kind in _KINDS}

        def lives(kind: int, index: int, generation: int) -> bool:
            return index < len(rows[kind]) and rows[kind][index] == generation

        return lives

    def _settle_handles(self) -> None:
        """Marks the handles of objects that do not exist any more, and revives those of objects that exist again. In a
        state of another world an object of another kind may have the generation of a handle, and a joint of another
        type its index too."""
        lives = self._lives()
        handles, dead = self._handles, self._dead_handles
        self._destroyed_count += 1

        def is_object(handle: Any) -> bool:
            if not lives(handle._KIND, handle._index, handle._generation):
                return False
            return handle._KIND != lib.B2D_KIND_JOINT or JOINT_CLASSES[handle._bodies()[2]] is type(handle)

        for generation, reference in dict(handles).items():
            handle = reference()
            if handle is None or not is_object(handle):
                if handle is not None:
                    handle._mark_dead()
                    dead[handle._identity()] = reference
                handles.pop(generation, None)
        for key, reference in dict(dead).items():
            handle = reference()
            if handle is None:
                dead.pop(key, None)
            elif is_object(handle):
                handle._revive()
                handles[handle._generation] = reference
                dead.pop(key, None)
        if not self._states and not self._has_snapshots:
            dead.clear()

    def clone(self, *, callbacks: bool = False, **options: Unpack[WorldOptions]) -> Self:
        """A new world in the same state, which continues with the same bits.

        `data`, names and categories are those of this world, by reference. `clone.body(body.index)` is the counterpart
        of a body; likewise for shapes, joints and chains. A clone uses the same shared `Scheduler`; workers of its own
        are created again. `copy.copy` clones; `copy.deepcopy` copies `data` and categories as well, and handles of this
        world in them become handles of the copy. It keeps callbacks, too: methods become those of the copies of their
        owners. In the first step a `UserWarning` names those whose owner has this world and was not copied.

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
        made = _clone_core(self, callbacks is not False and flag(callbacks, "callbacks"), options)
        if self._data:
            made._data = dict(self._data)
        made._categories = self.categories
        made._added().update(self._added())
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
        raise_if(lib.b2d_world_clear(self._ptr), self)
        self._data.clear()
        self._late.clear()
        self._names.clear()
        self._settle_handles()

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = _clone_core(self, False, {})
        memo[id(self)] = made
        made._data = {key: copy.deepcopy(value, memo) for key, value in dict(self._data).items()}
        made._categories = copy.deepcopy(self.categories, memo)
        made._added().update(copy.deepcopy(self._added(), memo))
        if self._functions:
            self._settle_functions()
            made._moving = self, memo
            made._set_functions(self._functions, -1)
        return made

    def snapshot(self, *, data: bool = False, compress: bool = True) -> bytes:
        """The state as bytes, for a file or another machine, which `World.from_snapshot` and `restore` read.

        The format has a version, checksums and no machine-dependent part. It contains what `save` keeps, except the
        functions of callbacks, and `data` on request. Reading is safe for bytes of any origin, unlike a pickle.

        Args:
            data: whether `data` of the objects is written; all of it must be JSON then. A pickle of the world has any
                `data`.
            compress: whether the bytes are compressed. Uncompressed they take a fraction of the time and are 5 to 20
                times as many.

        Raises:
            TypeError: `data` of an object is no JSON.
            WorldLockedError: another thread is using the world, or this is a callback.
            DestroyedError: the world is closed.
            MemoryError: no memory.

        >>> with World() as world:
        ...     world.create_dynamic_body((0, 4), name="ball")
        ...     snapshot = world.snapshot()
        <Body 0 'ball' dynamic at (0, 4)>
        >>> with World.from_snapshot(snapshot) as world:
        ...     world.body(0)
        <Body 0 'ball' dynamic at (0, 4)>
        """
        with_data, packed = flag(data, "data"), flag(compress, "compress")
        tail = self._texts()
        if with_data:
            tail["data"] = self._json_of_data()
        whole = self._bytes_with(tail, lambda out, room, size: lib.b2d_world_snapshot(self._ptr, out, room, size))
        self._has_snapshots = True
        return _PACKED_HEAD.pack(_PACKED, len(whole)) + zlib.compress(whole) if packed else whole

    def _start_log(self) -> tuple[bytes, int]:
        """The bytes of the state from which a log starts at the same moment, and its hash."""
        digest = ffi.new("uint64_t *")
        start = lib.b2d_world_log_from_snapshot
        return self._bytes_with(self._texts(), lambda *room: start(self._ptr, *room, digest)), int(digest[0])

    def _texts(self) -> dict[str, Any]:
        names = [[index, generation, name] for (index, generation), name in dict(self._names).items()]
        return {"names": names, "categories": list(self.categories)}

    def _bytes_with(self, tail: dict[str, Any], write: Callable[[Any, int, Any], int]) -> bytes:
        """What C writes into bytes that have room, with texts at the end."""
        import json  # only here: it is a tenth of the time of importing box2dpy

        texts = json.dumps(tail, ensure_ascii=False).encode(errors="backslashreplace")  # lone surrogates, as JSON does
        end = _TAIL.pack(len(texts), zlib.crc32(texts)) + texts
        size, room = ffi.new("int64_t *"), 0
        while True:
            # Nobody else has seen these bytes yet, so they may be filled in place: a copy takes as long as the snapshot
            whole = bytes(room + len(end))
            out = ffi.from_buffer("uint8_t[]", whole)
            raise_if(write(out, room, size), self)
            if size[0] == room:
                ffi.memmove(out + room, end, len(end))
                return whole
            room = size[0]

    def _json_of_data(self) -> list[list[Any]]:
        """[kind, index, generation, value] of each object with data."""
        from .._bridge.json_data import json_copy

        lives = self._lives()
        return [
            [*key, json_copy(value, f"data of {_NOUNS[key[0]]} {key[1]}")]
            for key, value in dict(self._data).items()
            if value is not None and lives(*key)
        ]

    @classmethod
    def from_snapshot(cls, data: bytes | bytearray | memoryview, **options: Unpack[WorldOptions]) -> Self:
        """A new world in the state that `snapshot` has written; it continues with the same bits.

        Args:
            data: the bytes. They may come from anywhere.
            options: options of `World`; workers, simd and strategies are those of `World()` by default, the others
                those of the snapshot.

        Raises:
            SnapshotError: the bytes are no snapshot, are damaged, or come from a newer version.
            ValueError: a wrong value of an option.
            TypeError: a wrong type, or an option that does not exist.
            MemoryError: no memory.
        """
        check_names(options, "from_snapshot")
        core, names, categories, values = _split(data)
        definition = ffi.new(_DEFINITION)
        lib.b2d_world_def_init(definition)
        fill(definition, None, options)
        out, message = ffi.new(_WORLD_OUT), ffi.new("char[]", _MESSAGE)
        status = lib.b2d_world_from_snapshot(core, len(core), definition, out, message, _MESSAGE)
        if status:
            _raise(status, message, cls, **options)
        made = object.__new__(cls)
        made._take(out[0])
        made._names, made._categories = names, categories
        made._data = values or {}
        _assign(made, options)
        return made

    def _restore_bytes(self, data: bytes | bytearray | memoryview) -> None:
        pointer = self._ptr  # raises when closed
        core, names, categories, values = _split(data)
        same, message = ffi.new("bool *"), ffi.new("char[]", _MESSAGE)
        status = lib.b2d_world_restore_snapshot(pointer, core, len(core), same, message, _MESSAGE)
        if status:
            _raise(status, message, self)
        self._refresh()
        self._late.clear()
        self._names, self._categories = names, categories
        if not same[0]:
            self._settle_handles()
            lives = self._lives()
            self._data = {key: value for key, value in dict(self._data).items() if lives(*key)}
        if values is not None:
            self._data = values

    def __reduce__(self) -> Any:
        """Pickled by value: the snapshot, `data`, categories and what a subclass has added."""
        made = {"workers": self.workers, "strategies": self.strategies}
        return (
            _unpickle,
            (type(self), self.snapshot(compress=False), made),
            (dict(self._data), self.categories, self._added()),
        )

    def __setstate__(self, state: tuple[Data, Categories, dict[str, Any]]) -> None:
        own, categories, added = state
        _check_parts(own, categories)
        self._data, self._categories = own, categories
        self._added().update(added)


def _clone_core(world: W, callbacks: bool, options: Any) -> W:
    """A world with the same state, without the data of the user."""
    pointer, definition = world._ptr, ffi.NULL
    if options:
        check_names(options, "clone")
        definition = ffi.new(_DEFINITION, _LIKE[0])
        fill(definition, world, options)
    out = ffi.new(_WORLD_OUT)
    raise_if(lib.b2d_world_clone(pointer, definition, out), world, **options)
    made = object.__new__(type(world))
    made._take(out[0])
    if world._names:
        made._names = dict(world._names)
    if options:
        _assign(made, options)
    if callbacks and world._functions:
        world._settle_functions()
        made._set_functions(dict(world._functions), -1)
    return made


def _assign(made: States, options: Any) -> None:
    """Assigns the other options to a new world."""
    try:
        for name, value in options.items():
            if name not in MADE:
                setattr(made, name, value)
    except BaseException:
        made.close()
        raise


def _unpickle(cls: type[W], data: bytes, options: Any) -> W:
    return cls.from_snapshot(data, **options)


def _raise(status: int, message: Any, subject: object, /, **values: object) -> NoReturn:
    if status & 0xFF == lib.B2D_SNAPSHOT:
        raise SnapshotError(ffi.string(message).decode(errors="replace"))
    raise_error(status, subject, **values)


def _unpacked(data: bytes) -> bytes:
    """The bytes without compression."""
    if not data.startswith(_PACKED):
        return data
    try:
        _, size = _PACKED_HEAD.unpack_from(data)
        reader = zlib.decompressobj()
        whole = reader.decompress(data[_PACKED_HEAD.size :], size + 1)  # no more, whatever the bytes say
        if len(whole) != size or not reader.eof or reader.unused_data:
            raise ValueError("they are cut off, or too long")
    except (struct.error, zlib.error, ValueError, OverflowError) as error:
        raise SnapshotError(f"section head: the compressed bytes are damaged: {error}") from None
    return whole


def _split(data: object) -> tuple[bytes, dict[tuple[int, int], str], Categories, Data | None]:
    """The bytes of the core, and what follows them: names, categories and, where they are there, data of objects."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data={short_repr(data)} must be bytes")
    whole = _unpacked(bytes(data))
    if not whole.startswith(b"b2dstate") or len(whole) < 24:
        raise SnapshotError("section head: these bytes are no snapshot of box2dpy")
    end = int.from_bytes(whole[16:24], "little")
    if len(whole) < end + _TAIL.size:
        raise SnapshotError("section names: the data is cut off, or the head is damaged")
    texts = whole[end + _TAIL.size :]
    import json

    try:
        length, checksum = _TAIL.unpack_from(whole, end)
        if length != len(texts) or checksum != zlib.crc32(texts):
            raise ValueError("it is cut off or damaged")
        found = json.loads(texts)
        names = {(int(index), int(generation)): str(name) for index, generation, name in found["names"]}
        categories = Categories(*found["categories"])
        values = None
        if "data" in found:
            values = {(int(kind), int(index), int(key)): value for kind, index, key, value in found["data"]}
    except (struct.error, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        # The head may be the cause: it says where this section begins
        raise SnapshotError(f"section names: {error}") from None
    return whole[:end], names, categories, values
