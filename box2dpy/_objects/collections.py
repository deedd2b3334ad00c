"""The objects of a world: views of them, and the handles that were made for them.

A handle is remembered weakly under its generation, a number that no two objects of a world share, whatever their kinds.
Therefore the same object gives the same handle as long as the program holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload
from weakref import ref

import numpy as np

from .._bridge.arguments import flag, integer
from .._bridge.errors import DestroyedError, raise_error, short_repr
from .._bridge.handles import DOUBLES, HANDLE_DTYPE, HANDLE_ROW, HANDLES, INT_POINTER, Handle
from .._bridge.library import ffi, lib
from .._bridge.made_by_world import MadeByWorld
from .._bridge.struct_pool import StructPool
from .._bridge.world_base import WorldBase
from .._geometry.categories import Categories
from .arrays import Arrays
from .body import Body
from .body_array import BodyArray
from .chain import Chain
from .contact import Contact
from .events import Events
from .island import Island
from .joint import JOINT_CLASSES, Joint
from .shape import Shape

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    One: TypeAlias = Body | Shape
    Many: TypeAlias = Sequence[One] | Sequence[int] | NDArray[np.integer[Any]]  # the integers are indices of bodies

H = TypeVar("H", bound=Handle)
_HALF, _SHAPE = np.uint64(32), np.uint64(1 << 31)  # two ids in one key; the mark of a shape
new: Any = object.__new__
_ROOM = 64
_DESTROYED_POOL: StructPool[Any] = StructPool(
    lambda: (out := ffi.new(HANDLES, _ROOM), ffi.buffer(out), ffi.new(INT_POINTER))
)  # buffers for the handles of what dies with a body or a joint


class Objects(MadeByWorld, Set[H], Generic[H]):
    """The living objects of one kind in a world: a set-like view, which holds no list and follows the world.

    It has a length, membership (`in`), the operators of sets, and iteration in the order of the indices. An iteration
    does not visit objects that are created during it; an object that is destroyed during it may be visited as a dead
    handle.

    >>> with World() as world:
    ...     first, second = world.create_static_body(), world.create_static_body()
    ...     second in world.bodies, world.bodies - {first} == {second}, len(world.bodies)
    (True, True, 2)
    """

    __slots__ = ("_kind", "_make", "_world")

    def _set(self, world: WorldObjects, kind: int, make: Callable[[int, int], H]) -> None:
        self._world = world
        self._kind = kind
        self._make = make

    @classmethod
    def _from_iterable(cls, items: Iterable[Any]) -> set[Any]:
        return set(items)  # what the operators of sets give

    def __len__(self) -> int:
        count = ffi.new(INT_POINTER)
        status = lib.b2d_world_list(self._world._ptr, self._kind, ffi.NULL, 0, count)
        if status:
            raise_error(status, self._world)
        return int(count[0])

    def __iter__(self) -> Iterator[H]:
        newest, start, room = ffi.new("uint64_t *"), 0, 16
        while True:
            part = self._part(start, newest, room)
            for generation, index, _ in part:
                yield self._make(index, generation)
            if len(part) < room:
                return
            start, room = part[-1][1] + 1, 1024

    def _part(self, start: int, newest: Any, room: int) -> list[tuple[int, int, int]]:
        """Generation, index and kind of at most `room` objects from the index `start` on."""
        out, count = ffi.new(HANDLES, room), ffi.new(INT_POINTER)
        status = lib.b2d_world_list_from(self._world._ptr, self._kind, start, newest, out, room, count)
        if status:
            raise_error(status, self._world)
        return list(HANDLE_ROW.iter_unpack(ffi.buffer(out)[: count[0] * HANDLE_ROW.size]))

    def _at(self, index: int, noun: str) -> H:
        """The object with this index."""
        index = integer(index, "index")
        part = self._part(index, ffi.new("uint64_t *"), 1) if index >= 0 else []
        if part and part[0][1] == index:
            return self._make(index, part[0][0])
        used = ffi.new(INT_POINTER)
        lib.b2d_world_generations(self._world._ptr, self._kind, used)
        if 0 <= index < used[0]:
            raise DestroyedError(f"index={index}: the {noun} with this index has been destroyed")
        allowed = f"0 to {used[0] - 1}" if used[0] else f"the world has had no {noun}"
        raise IndexError(f"index={index} is out of range: {allowed}")

    def __contains__(self, item: object) -> bool:
        return isinstance(item, Handle) and self._kind == item._KIND and item._world is self._world and item.alive

    if not TYPE_CHECKING:  # type checkers say that it is wrong

        def __getitem__(self, index: object) -> NoReturn:
            kinds = ("body", "shape", "joint", "contact", "island", "chain")  # as B2D_KIND_*
            name = kinds[self._kind]
            plural = "bodies" if name == "body" else f"{name}s"
            found = hasattr(WorldObjects, name)
            one = f"world.{name}(index) gives the {name} of an index, and " if found else ""
            raise TypeError(f"world.{plural} is a set without places: {one}list(world.{plural}) gives a list")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} of {self._world!r}>"


class Shapes(Objects[Shape]):
    """All shapes of a world: what `Objects` does, and their vertices as one array."""

    __slots__ = ()

    @property
    def world_vertices(self) -> NDArray[np.float64]:
        """The vertices of all shapes in world coordinates, in the order of the indices: a copy of shape (n, 8, 2).

        A circle has its centre, a capsule and a segment two ends; `world.arrays.shapes` has `count` and `radius` of the
        same rows. Places after the last vertex repeat it, so that polygons may be drawn with all eight.

        >>> with World() as world:
        ...     boxes = world.create_bodies([(0, 0), (5, 1)], geometry=Box(1, 0.5))
        ...     corners = world.shapes.world_vertices
        ...     corners.shape, corners[1, :4].tolist()
        ((2, 8, 2), [[4.0, 0.5], [6.0, 0.5], [6.0, 1.5], [4.0, 1.5]])
        """
        count, room = ffi.new(INT_POINTER), len(self)
        while True:
            vertices = np.empty((room, 8, 2))
            out = ffi.from_buffer(DOUBLES, vertices, require_writable=True) if room else ffi.NULL
            status = lib.b2d_world_vertices(self._world._ptr, out, room, count)
            if status:
                raise_error(status, self._world)
            if count[0] <= room:  # another thread may change the world meanwhile
                return vertices[: count[0]]
            room = count[0]


class Contacts(Objects[Contact]):
    """All contacts of a world: what `Objects` does, and an array of all of them."""

    __slots__ = ()

    def as_array(self, *, touching_only: bool = False) -> NDArray[np.void]:
        """All contacts, or those that touch, by index: copy, a record array with the fields of `Arrays.contacts`.

        >>> with World() as world:
        ...     ground = world.create_static_body().create_shape(Box(10, 1))
        ...     balls = world.create_bodies([(0, 1.5), (5, 1.6), (9, 4)], geometry=Circle(0.5))
        ...     world.step()
        ...     rows = world.contacts.as_array()
        ...     rows["point_count"].tolist(), rows["body_b"].tolist(), len(world.contacts.as_array(touching_only=True))
        ([1, 0], [1, 2], 1)
        """
        touching = flag(touching_only, "touching_only")
        return self._world.arrays._records(
            "b2d_contact_data", lambda *out: lib.b2d_world_contacts(self._world._ptr, touching, *out)
        )


class WorldObjects(WorldBase):
    """The part of `World` that lists what is in it and hands out handles."""

    __slots__ = ()

    def __init__(self, pointer: Any) -> None:
        super().__init__(pointer)
        self._categories: Categories | None = None  # made when they are first needed

    def _gravity(self) -> tuple[float, float]:
        raise NotImplementedError

    @property
    def bodies(self) -> Objects[Body]:
        """All bodies: a set-like view in the order of their indices, see `World.body` for one of them.

        >>> with World() as world:
        ...     body = world.create_static_body()
        ...     len(world.bodies), body in world.bodies, list(world.bodies)
        (1, True, [<Body 0 static at (0, 0)>])
        """
        return Objects._made(self, lib.B2D_KIND_BODY, self._body)

    @property
    def shapes(self) -> Shapes:
        """All shapes: a set-like view in the order of their indices, see `World.shape` for one of them."""
        return Shapes._made(self, lib.B2D_KIND_SHAPE, self._shape)

    @property
    def joints(self) -> Objects[Joint]:
        """All joints: a set-like view in the order of their indices, see `World.joint` for one of them."""
        return Objects._made(self, lib.B2D_KIND_JOINT, self._joint)

    @property
    def chains(self) -> Objects[Chain]:
        """All chains: a set-like view in the order of their indices, see `World.chain` for one of them."""
        return Objects._made(self, lib.B2D_KIND_CHAIN, self._chain)

    @property
    def contacts(self) -> Contacts:
        """All contacts, which are the pairs of shapes whose fat boxes overlap, touching or not: a set-like view.

        `world.contacts.as_array()` gives all of them in one array.
        """
        return Contacts._made(self, lib.B2D_KIND_CONTACT, self._contact)

    def body(self, index: int) -> Body:
        """The body with this index, which is the number that `Body.index` gives and its row in `world.arrays`.

        Raises:
            IndexError: no body of this world has ever had this index.
            DestroyedError: the body with this index, or the world, has been destroyed.
            TypeError: not an integer.
            WorldLockedError: another thread is stepping the world.

        >>> with World() as world:
        ...     body = world.create_static_body()
        ...     world.body(body.index) is body
        True
        """
        return self.bodies._at(index, "body")

    def shape(self, index: int) -> Shape:
        """The shape with this index, which is the number that `Shape.index` gives.

        Raises:
            IndexError: no shape of this world has ever had this index.
            DestroyedError: the shape with this index, or the world, has been destroyed.
            TypeError: not an integer.
            WorldLockedError: another thread is stepping the world.
        """
        return self.shapes._at(index, "shape")

    def joint(self, index: int) -> Joint:
        """The joint with this index, which is the number that `Joint.index` gives.

        Raises:
            IndexError: no joint of this world has ever had this index.
            DestroyedError: the joint with this index, or the world, has been destroyed.
            TypeError: not an integer.
            WorldLockedError: another thread is stepping the world.
        """
        return self.joints._at(index, "joint")

    def chain(self, index: int) -> Chain:
        """The chain with this index, which is the number that `Chain.index` gives.

        Raises:
            IndexError: no chain of this world has ever had this index.
            DestroyedError: the chain with this index, or the world, has been destroyed.
            TypeError: not an integer.
            WorldLockedError: another thread is stepping the world.
        """
        return self.chains._at(index, "chain")

    @property
    def categories(self) -> Categories:
        """Names for the bits of filters, see `Categories`; assign one to share it between worlds.

        >>> with World() as world:
        ...     world.categories.add("ghost"), world.categories.filter(but="ghost").category
        (2, 1)
        """
        self._ptr  # noqa: B018  raises when closed
        if self._categories is None:
            self._categories = Categories()
        return self._categories

    @categories.setter
    def categories(self, value: Categories) -> None:
        self._ptr  # noqa: B018  raises when closed
        if not isinstance(value, Categories):
            raise TypeError(f"categories={short_repr(value)} must be Categories")
        self._categories = value

    @overload
    def are_touching(self, a: One, b: One) -> bool: ...
    @overload
    def are_touching(self, a: Many, b: One | Many) -> NDArray[np.bool_]: ...
    @overload
    def are_touching(self, a: One, b: Many) -> NDArray[np.bool_]: ...
    def are_touching(self, a: One | Many, b: One | Many) -> bool | NDArray[np.bool_]:
        """Whether `a` and `b` touch now, for single objects or for many.

        Args:
            a: a body or shape; or many: a `BodyArray`, a sequence of bodies and shapes, or an array of body indices.
            b: the same. One beside many is compared with each.

        Returns:
            True or False for one and one, else an array of bool.

        Raises:
            ValueError: different lengths, or an object of another world.
            TypeError: anything else.
            DestroyedError: one of them is gone.

        >>> with World() as world:
        ...     ground = world.create_static_body()
        ...     shape = ground.create_shape(Box(10, 1))
        ...     balls = world.create_bodies([(0, 1.5), (5, 1.6), (6, 1.6)], geometry=Circle(0.5))
        ...     world.step()
        ...     world.are_touching(ground, balls[0]), world.are_touching(shape, balls).tolist()
        ...     world.are_touching([1, 2], [2, 3]).tolist()
        (True, [True, False, False])
        [False, True]
        """
        rows_a, one_a = self._handles_of_touching(a, "a")
        rows_b, one_b = self._handles_of_touching(b, "b")
        if not one_a and not one_b and len(rows_a) != len(rows_b):
            raise ValueError(f"b={short_repr(b)} must be one or as many as a: {len(rows_a)}, not {len(rows_b)}")
        n = len(rows_b) if one_a else len(rows_a)
        rows_a, rows_b = (
            np.ascontiguousarray(np.broadcast_to(rows_a, n)),
            np.ascontiguousarray(np.broadcast_to(rows_b, n)),
        )
        out = np.zeros(n, np.bool_)
        if n:
            arrays = ffi.from_buffer(HANDLES, rows_a), ffi.from_buffer(HANDLES, rows_b)
            status = lib.b2d_world_touching(
                self._ptr, n, *arrays, ffi.from_buffer("bool[]", out, require_writable=True)
            )
            if status:
                raise_error(status, self, body=(a, b), shape=(a, b))
        return bool(out[0]) if one_a and one_b else out

    def contact_between(self, shape_a: Shape, shape_b: Shape) -> Contact | None:
        """The contact of two shapes, touching or not; None when their fat boxes do not overlap or a filter parts them.

        It takes the same time however many contacts the shapes have.

        Raises:
            ValueError: a shape of another world.
            TypeError: not a shape.
            DestroyedError: one of them is gone.

        >>> with World() as world:
        ...     ground = world.create_static_body().create_shape(Box(10, 1))
        ...     near = world.create_dynamic_body((0, 1.5)).create_shape(Circle(0.5))
        ...     far = world.create_dynamic_body((0, 5)).create_shape(Circle(0.5))
        ...     world.step()
        ...     world.contact_between(near, ground) == near.contacts[0], world.contact_between(near, far)
        (True, None)
        """
        handles = ffi.new(HANDLES, 3)
        for k, (name, value) in enumerate((("shape_a", shape_a), ("shape_b", shape_b))):
            if not isinstance(value, Shape):
                raise TypeError(f"{name}={short_repr(value)} must be a shape")
            value._check_alive()
            if value._world is not self:
                raise ValueError(f"{name}={short_repr(value)} belongs to another world")
            handles[k].index, handles[k].generation = value._index, value._generation
        status = lib.b2d_world_contact_between(self._ptr, handles, handles + 1, handles + 2)
        if status:
            raise_error(status, self, shape=(shape_a, shape_b))
        found = handles[2]
        return self._contact(found.index, found.generation) if found.generation else None

    def _handles_of_touching(self, value: Any, name: str) -> tuple[NDArray[np.void], bool]:
        """Handles for C, and whether one alone was given."""
        if isinstance(value, (Body, Shape)):
            return self._handles_of_touching([value], name)[0], True
        if isinstance(value, BodyArray):
            if value.world is not self:
                raise ValueError(f"{name}={short_repr(value)} belongs to another world")
            if not value._generations.all():
                value._fail(lib.B2D_STALE_HANDLE, 0)  # its bodies are created when the step is over
            rows = np.zeros(len(value), HANDLE_DTYPE)
            rows["generation"], rows["index"], rows["kind"] = value._generations, value._indices, lib.B2D_KIND_BODY
            return rows, False
        given = list(value) if isinstance(value, Sequence) else []
        if isinstance(value, np.ndarray) or (given and isinstance(given[0], (int, np.integer))):
            indices = np.array(given or value)  # other threads may change the caller's
            if indices.ndim != 1 or (indices.dtype.kind not in "iu" and len(indices)):
                raise TypeError(f"{name}={short_repr(value)} must be bodies, shapes or an array of body indices")
            if len(indices) and not (indices.min() >= 0 and indices.max() < 2**31):
                raise ValueError(f"{name}={short_repr(value)} is out of range")
            rows = np.zeros(len(indices), HANDLE_DTYPE)
            rows["index"], rows["kind"] = indices, lib.B2D_KIND_BODY
            return rows, False
        if not isinstance(value, Sequence) or not all(isinstance(each, (Body, Shape)) for each in given):
            raise TypeError(f"{name}={short_repr(value)} must be bodies, shapes or an array of body indices")
        for each in given:
            each._check_alive()
            if each._world is not self:
                raise ValueError(f"{name}={short_repr(each)} belongs to another world")
        rows = np.zeros(len(given), HANDLE_DTYPE)
        for k, each in enumerate(given):
            rows[k] = (each._generation, each._index, each._KIND)
        return rows, False

    @property
    def islands(self) -> Objects[Island]:
        """All islands, awake or asleep: a set-like view in the order of their indices."""
        return Objects._made(self, lib.B2D_KIND_ISLAND, self._island)

    @property
    def arrays(self) -> Arrays:
        """The state of all bodies as numpy arrays, see `Arrays`."""
        self._ptr  # noqa: B018  raises when closed
        made: Arrays = new(Arrays)  # `_made` would be two more calls, and this is read in every frame
        made._world = self
        return made

    @property
    def events(self) -> Events:
        """The events of the last step, see `Events`."""
        self._ptr  # noqa: B018  raises when closed
        made: Events = new(Events)  # `_made` would be two more calls, and this is read in every frame
        made._world = self
        return made

    # -- handles

    def _cached(self, cls: type[H], index: int, generation: int) -> H | None:
        """The handle that the program has of a living object. What is gone may have had the same generation."""
        reference = self._handles.get(generation)
        found = reference and reference()
        return found if isinstance(found, cls) and found._index == index else None

    def _new_handle(self, cls: type[H], index: int, generation: int, deaths: int) -> H:
        """A new handle, from now on the one that is handed out; of something dead: a dead one.

        If `_destroyed_count` is still `deaths`, nothing was destroyed since the object was found alive. -1: not known.
        """
        handle = new(cls)
        handle._world = self
        handle._index = index
        handle._generation = generation
        handle._row = 4 * index
        known = self._handles.get(generation)
        self._handles[generation] = ref(handle)
        if deaths != self._destroyed_count and not self._is_alive(cls._KIND, index, generation):
            if known is None:
                self._handles.pop(generation, None)
            else:  # of a living object of another kind
                self._handles[generation] = known
            handle._mark_dead()
        return handle  # type: ignore[no-any-return]

    def _deferred_handle(self, kind: type[H], make: Callable[[], Any]) -> H:
        """A handle of an object that is made when the step is over."""
        handle = kind._made(self, -1, 0)
        handle._mark_dead()
        handle._index = -1 - len(self._deferred)
        handle._hash = object.__hash__(handle) or 1
        return self._defer(handle, make)

    def _is_alive(self, kind: int, index: int, generation: int) -> bool:
        try:
            pointer = self._ptr
        except DestroyedError:  # the world is closed, and a hit is only now asked for its shape
            return False
        out = ffi.new(DOUBLES)
        if kind == lib.B2D_KIND_BODY:
            status = lib.b2d_body_get(pointer, index, generation, lib.B2D_BODY_TYPE, out)
        elif kind == lib.B2D_KIND_SHAPE:
            status = lib.b2d_shape_get(pointer, index, generation, lib.B2D_SHAPE_FRICTION, out)
        elif kind == lib.B2D_KIND_CHAIN:
            status = lib.b2d_chain_get(pointer, index, generation, lib.B2D_SHAPE_FRICTION, out)
        else:
            status = lib.b2d_joint_get(pointer, index, generation, lib.B2D_JOINT_CONSTRAINT_TORQUE, out)
        if status & 0xFF == lib.B2D_LOCKED:
            raise_error(status, self)
        return not status

    def _body(self, index: int, generation: int) -> Body:
        found = self._cached(Body, index, generation)
        return found if found is not None else self._new_handle(Body, index, generation, -1)

    def _shape(self, index: int, generation: int) -> Shape:
        found = self._cached(Shape, index, generation)
        return found if found is not None else self._new_handle(Shape, index, generation, -1)

    def _handles_of(self, cls: type[H], generations: Any, indices: Any, deaths: int = -1) -> list[H]:
        """The handles of many bodies or shapes; `generations` and `indices` are arrays or memoryviews."""
        numbers = generations.tolist()
        found = [reference and reference() for reference in map(self._handles.get, numbers)]
        if not all(found):
            living, fresh = b"", self._new_handle
            made: dict[int, H] = {}
            if deaths < 0:
                deaths, living = self._destroyed_count, self._living(cls._KIND, generations, indices)
            for k, index in enumerate(indices.tolist()):
                if found[k] is None:
                    generation = numbers[k]
                    handle = made.get(generation)
                    if handle is None:
                        lives = deaths if not living or living[k] else -1
                        handle = made[generation] = fresh(cls, index, generation, lives)
                    found[k] = handle
        return found  # type: ignore[return-value]

    def _living(self, kind: int, generations: memoryview[int], indices: memoryview[int]) -> bytes:
        """Whether each of these objects is alive, one byte for each."""
        n = len(generations)
        out = ffi.new("bool[]", n)
        columns = ffi.from_buffer("uint64_t[]", generations.tobytes()), ffi.from_buffer("int32_t[]", indices.tobytes())
        status = lib.b2d_world_living(self._ptr, kind, n, *columns, out)
        if status:
            raise_error(status, self)
        return ffi.buffer(out)[:]  # type: ignore[no-any-return]

    def _joint(self, index: int, generation: int) -> Joint:
        found = self._cached(Joint, index, generation)
        if found is not None:
            return found
        joint = self._new_handle(Joint, index, generation, -1)
        return self._new_handle(JOINT_CLASSES[joint._bodies()[2]], index, generation, -1) if joint.alive else joint

    def _chain(self, index: int, generation: int) -> Chain:
        found = self._cached(Chain, index, generation)
        return found if found is not None else self._new_handle(Chain, index, generation, -1)

    def _contact(self, index: int, generation: int) -> Contact:
        return Contact._made(self, index, generation)

    def _island(self, index: int, generation: int) -> Island:
        return Island._made(self, index, generation)

    def _counterpart(self, handle: H) -> H:
        return find_handle(self, type(handle), handle._index, handle._generation)

    def _reduced(self, handle: Handle) -> Any:
        return find_handle, (self, type(handle), handle._index, handle._generation)

    def _forget(self, *dead: tuple[int, int, int], body: Handle | None = None) -> None:
        """Called with (generation, index, kind) of destroyed objects: marks their handles, and drops data and names.
        `body` is that of the shapes; it is needed where the world has data."""
        self._destroyed_count += 1  # first: see _new_handle
        handles, data, names = self._handles, self._data, self._names
        if data:
            self._keep_late(list(dead), None if body is None else (body._index, body._generation))
        for generation, index, kind in dead:
            reference = handles.get(generation)
            if reference is not None:
                found = reference()
                if found is not None:
                    found._mark_dead()
                    self._bury(found, reference)
                handles.pop(generation, None)
            if data:
                data.pop((kind, index, generation), None)
            if names:
                names.pop((index, generation), None)

    def _destroy(self, handle: Body | Joint, destroy: Callable[..., int]) -> None:
        """Destroys a body or a joint, with what it takes along: `destroy` writes the handles of that."""
        if self._in_callback():
            self._defer(None, handle.destroy)
            return
        if not handle.alive:
            return
        out, data, count = spare = _DESTROYED_POOL.take()
        room = _ROOM
        while True:
            status = destroy(self._ptr, handle._index, handle._generation, out, room, count)
            if status and status & 0xFF != lib.B2D_STALE_HANDLE:
                raise_error(status, handle)
            if status or count[0] <= room:
                break
            room = count[0]
            out = ffi.new(HANDLES, room)
            data = ffi.buffer(out)
        parts = () if status else HANDLE_ROW.iter_unpack(data[: count[0] * HANDLE_ROW.size])
        self._forget(handle._key(), *parts, body=handle)
        handle._mark_dead()  # also when a garbage collection has already cleared the weak reference to it
        _DESTROYED_POOL.give_back(spare)

    def _live_generations(self, kind: int) -> NDArray[np.uint64]:
        """Generation by index, 0 where nothing lives."""
        count = ffi.new(INT_POINTER)
        room = 0
        while True:
            handles = np.zeros(room, HANDLE_DTYPE)
            out = ffi.from_buffer(HANDLES, handles, require_writable=True) if room else ffi.NULL
            status = lib.b2d_world_list(self._ptr, kind, out, room, count)
            if status:
                raise_error(status, self)
            if count[0] <= room:
                break
            room = count[0]
        handles = handles[: count[0]]
        result = np.zeros(int(handles["index"].max()) + 1 if len(handles) else 0, np.uint64)
        result[handles["index"]] = handles["generation"]
        return result


def find_handle(world: WorldObjects, cls: type[H], index: int, generation: int) -> H:
    """The handle of an object of any kind, which may not exist any more; handles are unpickled by this function."""
    if issubclass(cls, (Contact, Island)):
        return cls._made(world, index, generation)
    found = world._cached(cls, index, generation)
    return found if found is not None else world._new_handle(cls, index, generation, -1)
