"""The objects of a world: views of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

import numpy as np

from .._bridge.arguments import flag, integer
from .._bridge.errors import DestroyedError, raise_error, short_repr
from .._bridge.handles import DOUBLES, HANDLE_DTYPE, HANDLE_ROW, HANDLES, INT_POINTER, Handle, records
from .._bridge.library import ffi, lib
from .._bridge.made_by_world import MadeByWorld
from .._geometry.categories import Categories
from .arrays import Arrays
from .body import Body
from .body_array import BodyArray
from .chain import Chain
from .contact import Contact
from .events import Events
from .island import Island
from .joint import Joint
from .shape import Shape
from .world_handles import WorldHandles, new

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    One: TypeAlias = Body | Shape
    Many: TypeAlias = Sequence[One] | Sequence[int] | NDArray[np.integer[Any]]  # the integers are indices of bodies

H = TypeVar("H", bound=Handle)


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
        pointer = self._world._ptr
        return records(self._world, "b2d_contact_data", lambda *out: lib.b2d_world_contacts(pointer, touching, *out))


class WorldObjects(WorldHandles):
    """The part of `World` that lists what is in it."""

    __slots__ = ()

    def __init__(self, pointer: Any) -> None:
        super().__init__(pointer)
        self._categories: Categories | None = None  # made when they are first needed

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
            b: the same. One object is compared with each of many.

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
        """The contact of two shapes, touching or not; None when their fat boxes do not overlap or a filter forbids it.

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
