"""`Handle`: the base of bodies, shapes, joints, contacts and islands, an `(index, generation)` in the tables of a
world.

A handle holds no state of the engine. It is created when it is first needed and kept as a weak reference, so that
`shape.body is body`; `data` and `name` live with the world and outlast it. `Property` and `ReadOnly` describe the
attributes that C knows by number: `tools/lists.py` writes them from csrc/include/lists, where their texts are.
"""

from __future__ import annotations

import copy
import struct
import weakref
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar, cast, overload

import numpy as np

from .arguments import bounded, direction, flag, integer, number, pair
from .colors import shape_color
from .errors import DestroyedError, WorldLockedError, raise_error, short_repr
from .library import ffi, lib
from .lists import JOINT_NAMES, shared_list
from .made_by_world import MadeByWorld
from .other_names import Tidy
from .struct_pool import StructPool
from .vectors import AABB, Vec2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .colors import Color
    from .vectors import Vec2Like
    from .world_base import WorldBase
    from .world_type import World

DOUBLES = ffi.typeof("double[4]")
NUMBERS: StructPool[Any] = StructPool(lambda: ffi.new(DOUBLES))  # that C fills
_pop, _give = NUMBERS.pop, NUMBERS.give_back
HANDLES = ffi.typeof("b2d_handle[]")
INT_POINTER = ffi.typeof("int32_t *")
DEAD = 1 << 60  # as a row: beyond every table
HANDLE = ffi.typeof("b2d_handle *")
ABSENT = lib.B2D_NOT_ALLOWED | lib.B2D_ARG_OPTION << 8  # this object has no such property

Out = TypeVar("Out")
In = TypeVar("In")
Self = TypeVar("Self")


HANDLE_ROW = struct.Struct("Q2i")  # b2d_handle: generation, index, kind
HANDLE_POOL: StructPool[Any] = StructPool(lambda: ffi.new(HANDLE))


def list_handles(fetch: Callable[[Any, int, Any], int], subject: object) -> list[tuple[int, int]]:
    """(index, generation) of what `fetch(out, room, count)` lists."""
    count = ffi.new(INT_POINTER)
    room = 16
    while True:
        out = ffi.new(HANDLES, room)
        status = fetch(out, room, count)
        if status:
            raise_error(status, subject)
        n = count[0]
        if n <= room:
            break
        room = n + n // 8
    if n < 8:
        return [(out[i].index, out[i].generation) for i in range(n)]
    rows = np.frombuffer(ffi.buffer(out), HANDLE_DTYPE, n)
    return list(zip(rows["index"].tolist(), rows["generation"].tolist(), strict=True))


@cache
def struct_dtype(name: str) -> np.dtype[np.void]:
    """The numpy record type of a struct of the header, padding left out of its names."""
    numbers = {
        "int32_t": "i4",
        "uint32_t": "u4",
        "uint64_t": "u8",
        "int64_t": "i8",
        "float": "f4",
        "double": "f8",
        "_Bool": "?",
    }
    names, formats, offsets = [], [], []
    struct = ffi.typeof(name)
    for field, info in struct.fields:
        if field != "unused":
            kind = info.type
            names.append(field)
            formats.append((numbers[kind.item.cname], (kind.length,)) if kind.kind == "array" else numbers[kind.cname])
            offsets.append(info.offset)
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(struct)}
    return cast("np.dtype[np.void]", np.dtype(layout))  # type: ignore[call-overload]


def records(world: object, struct: str, fetch: Callable[..., int]) -> NDArray[np.void]:
    """The rows that `fetch(out, room, count)` writes, as records of this struct."""
    dtype = struct_dtype(struct)
    count = ffi.new(INT_POINTER)
    room = 0
    while True:
        rows = np.empty(room, dtype)  # `fetch` fills all that it counts
        out = ffi.from_buffer(f"{struct}[]", rows, require_writable=True) if room else ffi.NULL
        status = fetch(out, room, count)
        if status:
            raise_error(status, world)
        if count[0] <= room:  # another thread may change the world meanwhile
            return rows[: count[0]]
        room = count[0]


def record_dtype(name: str, **fields: tuple[str, Any]) -> np.dtype[np.void]:
    """The same under other names: for each name the C field where it begins, and its format."""
    struct = ffi.typeof(name)
    starts = {field: info.offset for field, info in struct.fields}
    layout = {
        "names": list(fields),
        "formats": [form for _, form in fields.values()],
        "offsets": [starts[first] for first, _ in fields.values()],
        "itemsize": ffi.sizeof(struct),
    }
    return cast("np.dtype[np.void]", np.dtype(layout))  # type: ignore[call-overload]


HANDLE_DTYPE = struct_dtype("b2d_handle")


class Handle(MadeByWorld, metaclass=Tidy):
    """An object of a world, existing or destroyed. Handles of the same object of the same world are equal; hashable."""

    # _row is where a body is in the table of poses, counted in doubles; DEAD once the object is destroyed.
    __slots__ = ("__weakref__", "_generation", "_hash", "_index", "_row", "_world")
    _world: WorldBase
    _hash: int  # only of those that were made in a callback
    _KIND: ClassVar[int]
    _C_PREFIX: ClassVar[str] = ""
    _C_GET: ClassVar[Any] = None
    _C_SET: ClassVar[Any] = None

    def _set(self, world: WorldBase, index: int, generation: int) -> None:
        self._world = world
        self._index = index
        self._generation = generation
        self._row = 4 * index

    @property
    def index(self) -> int:
        """Its row in the tables of `world.arrays`. A new object gets the lowest free index; indices are reused."""
        return self._index

    @property
    def world(self) -> World:
        """The world of the object, also after its destruction."""
        return cast("World", self._world)

    @property
    def alive(self) -> bool:
        """Whether the object still exists; never raises."""
        return self._row != DEAD and not self._world.closed

    @property
    def data(self) -> Any:
        """Any Python object of the user; None at first. It is kept as long as the object exists, and then as long as
        there are its end events: until the end of the second step.

        Raises:
            DestroyedError: the object or its world is gone.
        """
        world, key = self._world, (self._KIND, self._index, self._generation)
        late = world._late_of(key) if self._row == DEAD and not world.closed else None
        if late is not None:
            return late[1]
        self._check_alive()
        return world._data.get(key)

    @data.setter
    def data(self, value: Any) -> None:
        self._check_alive()
        self._world._data[self._KIND, self._index, self._generation] = value

    def _check_alive(self) -> None:
        self._world._ptr  # noqa: B018  raises when the world is closed
        if self._row == DEAD:
            if not self._generation:
                raise WorldLockedError(f"{self!r} is created when the step is over")
            raise DestroyedError(f"{self!r} has been destroyed")

    def _key(self) -> tuple[int, int, int]:
        return self._generation, self._index, self._KIND

    def _identity(self) -> tuple[type[Handle], int, int]:
        return type(self), self._index, self._generation

    def _mark_dead(self) -> None:
        self._row = DEAD

    def _revive(self) -> None:
        self._row = 4 * self._index

    def _take_identity_of(self, made: Handle) -> None:
        """Becomes the handle of an object that was requested in a callback and has been created now."""
        self._set(self._world, made._index, made._generation)
        self._world._handles[made._generation] = weakref.ref(self)
        if made._row == DEAD:
            self._mark_dead()

    def __dir__(self) -> list[str]:
        return dir(type(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Handle):
            return NotImplemented
        return (
            self._generation == other._generation
            and self._index == other._index
            and self._KIND == other._KIND
            and self._world is other._world
        )

    def __hash__(self) -> int:
        # A handle from a callback got its index later; it is the only handle of its object.
        return getattr(self, "_hash", None) or hash((self._KIND, self._index, self._generation))

    def __repr__(self) -> str:
        name = type(self).__name__
        try:
            if self.alive:
                return f"<{name} {self._index}{self._describe()}>"
        except Exception:
            pass
        return f"<{name} {self._index} destroyed>" if self._generation else f"<{name} to come>"

    def _describe(self) -> str:
        return ""

    def __copy__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} handle cannot be copied: there is one for each object of a world")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Its counterpart in the copy of its world, which is copied as well if it has not been yet."""
        return copy.deepcopy(self._world, memo)._counterpart(self)

    def __reduce__(self) -> Any:
        """A handle is pickled together with its world, once for all handles of a pickle."""
        if not self._generation:
            raise TypeError(f"{self!r} cannot be pickled before it is created")
        return self._world._reduced(self)


class Codec(Generic[Out, In]):
    """How a property travels as up to four doubles."""

    __slots__ = ("decode", "encode")

    def __init__(self, decode: Callable[[Any], Out], encode: Callable[[Any, str], Any]) -> None:
        self.decode = decode
        self.encode = encode


def _decode_pair(out: Any) -> Vec2:
    return tuple.__new__(Vec2, (out[0], out[1]))


def _decode_box(out: Any) -> AABB:
    return AABB(Vec2(out[0], out[1]), Vec2(out[2], out[3]))


NUMBER: Codec[float, float] = Codec(lambda out: out[0], lambda value, name: (number(value, name),))
FLAG: Codec[bool, bool] = Codec(lambda out: out[0] != 0.0, lambda value, name: (flag(value, name),))
INTEGER: Codec[int, int] = Codec(lambda out: int(out[0]), lambda value, name: (float(integer(value, name)),))
COLOR: Codec[int, Color] = Codec(lambda out: int(out[0]), lambda value, name: (float(shape_color(value, name)),))
PAIR: Codec[Vec2, Vec2Like] = Codec(_decode_pair, pair)
WORLD_PAIR: Codec[Vec2, Vec2Like] = Codec(_decode_pair, pair)  # kept as float64, all other numbers as float32
DIRECTION: Codec[Vec2 | None, Vec2Like | None] = Codec(
    lambda out: _decode_pair(out) if out[0] != 0.0 or out[1] != 0.0 else None, direction
)
BOX: Codec[AABB, AABB] = Codec(_decode_box, lambda value, name: value)
# None stands for the world's value, which C takes as a negative number; reading gives the value in effect.
INHERITED: Codec[float, float | None] = Codec(
    lambda out: out[0], lambda value, name: (-1.0 if value is None else number(value, name),)
)


def _encode_constant(value: Any, name: str) -> tuple[float]:
    constant = -1.0 if value is None else number(value, name)
    if value is not None and constant < 0.0:
        raise ValueError(f"{name}={short_repr(value)} is out of range: 0 to 1e+30")
    return (constant,)


# The sum that a gear or pulley keeps. None stands for the present one, which C takes as a number beyond the range.
TOTAL: Codec[float, float | None] = Codec(
    lambda out: out[0], lambda value, name: (2.0e9 if value is None else bounded(value, name, -1.0e9, 1.0e9),)
)

# Stiffness or damping of a spring. None, in C -1, stands for a spring that is given by its hertz and damping ratio.
CONSTANT: Codec[float, float | None] = Codec(lambda out: out[0], _encode_constant)


def _property_texts() -> dict[tuple[str, str], str]:
    """What the lists of the core say of the properties of handles, by the type of the handle and the name."""
    texts = {}
    for owner, kind in (("Body", "body"), ("Shape", "shape"), ("Chain", "shape")):
        texts.update({(owner, row[1]): row[-1] for row in shared_list(f"{kind}_properties")})
    names = {row[0]: row[1] for row in shared_list("joint_properties")}
    for owner, part in (("Joint", "load"), ("Joint", "row"), ("Joint", "frame"), *JOINT_NAMES.items()):
        texts.update({(owner, names[row[0]]): row[6] for row in shared_list(f"joints/{part}")})
    return texts


PROPERTY_TEXTS = _property_texts()


class ReadOnly(Generic[Out]):
    """An attribute of a handle that only the engine changes."""

    def __init__(self, codec: Codec[Out, Any], doc: str = "", c_name: str = "") -> None:
        self.codec = codec
        self.c_name = c_name  # where it is not the name in upper case
        self.__doc__ = doc  # empty: that of the list in C

    def __set_name__(self, owner: type[Handle], name: str) -> None:
        self.name = name
        self.__doc__ = self.__doc__ or PROPERTY_TEXTS[owner.__name__, name]
        self.number = getattr(lib, f"B2D_{owner._C_PREFIX}_{self.c_name or name.upper()}")

    @overload
    def __get__(self: Self, handle: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, handle: Handle, owner: Any = None) -> Out: ...
    def __get__(self, handle: Handle | None, owner: Any = None) -> Any:
        if handle is None:
            return self
        try:
            out = _pop()
        except IndexError:
            out = NUMBERS.take()
        status = handle._C_GET(handle._world._ptr, handle._index, handle._generation, self.number, out)
        if status:
            self._fail(status, handle)
        value = self.codec.decode(out)
        _give(out)
        return value

    def _fail(self, status: int, handle: Handle, /, **values: object) -> NoReturn:
        if status == ABSENT:
            raise AttributeError(f"a {type(handle).__name__} has no {self.name}{' to set' if values else ''}")
        raise_error(status, handle, **values)


class Property(ReadOnly[Out], Generic[Out, In]):
    """An attribute of a handle that the user may change."""

    def __init__(self, codec: Codec[Out, In], doc: str = "", c_name: str = "") -> None:
        super().__init__(codec, doc, c_name)

    def __set__(self, handle: Handle, value: In) -> None:
        encoded = self.codec.encode(value, self.name)
        status = handle._C_SET(handle._world._ptr, handle._index, handle._generation, self.number, encoded)
        if status:
            self._fail(status, handle, **{self.name: value})
