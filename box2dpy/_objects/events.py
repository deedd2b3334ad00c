"""`world.events`: the events of the last step, as sequences of light records and as arrays.

A list of events is copied from C in one piece when it is read from `world.events`, so that it stays valid after further
steps. Its records are made, with the handles of their shapes and bodies, when it is first read as a sequence. The
handle of an object that has been destroyed since is still a usable identity: it compares and hashes as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

import numpy as np

from .._bridge.errors import raise_error
from .._bridge.handles import INT_POINTER, Handle, struct_dtype
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.made_by_world import ListMadeByWorld, MadeByWorld
from .._bridge.struct_pool import StructPool
from .._bridge.vectors import Vec2
from .body import Body
from .shape import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .contact import Contact
    from .joint import Joint
    from .world_handles import WorldHandles

CONTACT_EVENT = struct_dtype("b2d_contact_event")
BODY_EVENT = struct_dtype("b2d_body_event")
SENSOR_EVENT = struct_dtype("b2d_sensor_event")
JOINT_EVENT = struct_dtype("b2d_joint_event")
HIT_EVENT = struct_dtype("b2d_hit_event")
_bare: Any = object.__new__

H = TypeVar("H", bound=Handle)
Self = TypeVar("Self")


class _Rows:
    """The rows that C reported: one copy, which a list and its records share."""

    __slots__ = ("count", "data", "dtype", "view", "world")

    def __init__(self, world: WorldHandles, data: bytes, count: int, dtype: np.dtype[np.void]) -> None:
        self.world = world
        self.data = data
        self.count = count
        self.dtype = dtype
        self.view: NDArray[np.void] | None = None

    def row(self, k: int) -> Any:
        if self.view is None:
            self.view = np.frombuffer(self.data, self.dtype, self.count)
        return self.view[k]

    def column(self, name: str, form: str) -> memoryview[Any]:
        kind, offset, *_ = self.dtype.fields[name]  # type: ignore[index]
        size = kind.itemsize
        values: memoryview[Any] = memoryview(self.data).cast(form)  # type: ignore[call-overload]
        return values[offset // size :: self.dtype.itemsize // size]

    def handles(self, cls: type[H], index: str, generation: str) -> list[H]:
        return self.world._handles_of(cls, self.column(generation, "Q"), self.column(index, "i"))


class Event(MadeByWorld):
    """Base of the records, which are compared, unpacked and shown by their fields."""

    __slots__ = ("_k", "_rows")
    _FIELDS: ClassVar[tuple[str, ...]] = ()
    _DTYPE: ClassVar[np.dtype[np.void]]
    _rows: _Rows
    _k: int

    @classmethod
    def _all(cls, rows: _Rows) -> list[Any]:
        """The records of a list."""
        return [cls._at(rows, k) for k in range(rows.count)]

    @classmethod
    def _at(cls, rows: _Rows, k: int) -> Any:
        event = _bare(cls)
        event._rows, event._k = rows, k
        return event

    @property
    def _row(self) -> Any:
        """The row of the array."""
        return self._rows.row(self._k)

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._FIELDS)

    def __len__(self) -> int:
        return len(self._FIELDS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event) or type(other) is not type(self):
            return NotImplemented
        return self._rows.world is other._rows.world and bool(self._row == other._row)

    def __hash__(self) -> int:
        return hash(self._row.tolist())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._FIELDS)})"


class _ContactEvent(Event):
    """Two shapes and their contact; unpacks as `(shape_a, shape_b, contact)`."""

    __slots__ = {"shape_a": "The first shape.", "shape_b": "The second shape."}
    _FIELDS: ClassVar[tuple[str, ...]] = ("shape_a", "shape_b", "contact")
    _DTYPE = CONTACT_EVENT
    shape_a: Shape
    shape_b: Shape

    @classmethod
    def _all(cls, rows: _Rows) -> list[Any]:
        made, k = [], 0
        first, second = rows.handles(Shape, "shape_a", "generation_a"), rows.handles(Shape, "shape_b", "generation_b")
        for a, b in zip(first, second, strict=True):
            event = _bare(cls)
            event.shape_a, event.shape_b, event._rows, event._k = a, b, rows, k
            made.append(event)
            k += 1  # noqa: SIM113  enumerate would make a tuple more
        return made

    @property
    def contact(self) -> Contact:
        """Their contact; it may have ended since."""
        row = self._row
        return self._rows.world._contact(int(row["contact"]), int(row["generation_contact"]))


class _HitEvent(_ContactEvent):
    """The impact of two shapes."""

    __slots__ = ()
    _FIELDS = ("shape_a", "shape_b", "contact", "point", "normal", "approach_speed", "impulse")
    _DTYPE = HIT_EVENT

    @property
    def point(self) -> Vec2:
        """Where they met, midway between the surfaces when the step began: world coordinates."""
        return Vec2(self._row["point_x"], self._row["point_y"])

    @property
    def normal(self) -> Vec2:
        """Unit vector from shape A to shape B, world axes."""
        return Vec2(self._row["normal_x"], self._row["normal_y"])

    @property
    def approach_speed(self) -> float:
        """Speed of approach along the normal when the step began, m/s, positive."""
        return float(self._row["approach_speed"])

    @property
    def impulse(self) -> float:
        """The greatest normal impulse of a substep at this point, N s."""
        return float(self._row["impulse"])


class _JointEvent(Event):
    """The load of a joint; unpacks as `(joint, force, torque)`."""

    __slots__ = ()
    _FIELDS = ("joint", "force", "torque")
    _DTYPE = JOINT_EVENT

    @property
    def joint(self) -> Joint:
        """The joint."""
        return self._rows.world._joint(int(self._row["joint"]), int(self._row["generation"]))

    @property
    def force(self) -> float:
        """Length of its `constraint_force`, the mean over the step, N."""
        return float(self._row["force"])

    @property
    def torque(self) -> float:
        """Its `constraint_torque`, the mean over the step, N m."""
        return float(self._row["torque"])


class _SensorEvent(Event):
    """A sensor and a shape in it; unpacks as `(sensor, visitor)`."""

    __slots__ = {"sensor": "The sensor shape.", "visitor": "The shape in it."}
    _FIELDS = ("sensor", "visitor")
    _DTYPE = SENSOR_EVENT
    sensor: Shape
    visitor: Shape

    @classmethod
    def _all(cls, rows: _Rows) -> list[Any]:
        made, k = [], 0
        sensors = rows.handles(Shape, "sensor", "generation_sensor")
        visitors = rows.handles(Shape, "visitor", "generation_visitor")
        for sensor, visitor in zip(sensors, visitors, strict=True):
            event = _bare(cls)
            event.sensor, event.visitor, event._rows, event._k = sensor, visitor, rows, k
            made.append(event)
            k += 1  # noqa: SIM113
        return made


class _BodyEvent(Event):
    """An event of one body."""

    __slots__ = {"body": "The body."}
    _FIELDS: ClassVar[tuple[str, ...]] = ("body",)
    _DTYPE = BODY_EVENT
    body: Body

    @classmethod
    def _all(cls, rows: _Rows) -> list[Any]:
        made, k = [], 0
        for body in rows.handles(Body, "body", "generation"):
            event = _bare(cls)
            event.body, event._rows, event._k = body, rows, k
            made.append(event)
            k += 1  # noqa: SIM113
        return made


class _MoveEvent(_BodyEvent):
    """The motion of a body; unpacks as `(body, fell_asleep)`."""

    __slots__ = ()
    _FIELDS = ("body", "fell_asleep")

    @property
    def fell_asleep(self) -> bool:
        """Whether the body fell asleep in this step."""
        return bool(self._row["fell_asleep"])


# generated: records of events, see tools/lists.py
class ContactEnd(_ContactEvent):
    __slots__ = ()


class ContactBegin(_ContactEvent):
    __slots__ = ()


class ContactHit(_HitEvent):
    __slots__ = ()


class SensorEnd(_SensorEvent):
    __slots__ = ()


class SensorBegin(_SensorEvent):
    __slots__ = ()


class JointThreshold(_JointEvent):
    __slots__ = ()


class BodyMove(_MoveEvent):
    __slots__ = ()


class BodyInvalid(_BodyEvent):
    __slots__ = ()


# end of generated

EVENT_TEXTS = {row[1]: row[6:] for row in shared_list("events")}  # about, text, call
for _name, (_about, *_) in EVENT_TEXTS.items():
    globals()[_name.title().replace("_", "")].__doc__ = _about

Record = TypeVar("Record", bound=Event)

_ROOM = 1 << 15
_EVENT_POOL: StructPool[Any] = StructPool(
    lambda: (ffi.new("char[]", _ROOM), ffi.new(INT_POINTER))
)  # where C copies events to, and how many
_buffer, _copy_events = ffi.buffer, lib.b2d_world_copy_events


class EventList(ListMadeByWorld[Record]):
    """Events of one kind in the order of the step: a sequence of records, or the same as an array."""

    __slots__ = ("_list", "_record", "_rows")

    def _set(self, record: type[Record], rows: _Rows) -> None:
        self._record = record
        self._rows = rows
        self._list: list[Record] | None = None

    def as_array(self) -> NDArray[np.void]:
        """A copy as a structured array, one row for each event.

        Contacts have the fields `shape_a`, `shape_b`, `contact` (indices) and `generation_a`, `generation_b`,
        `generation_contact`; hits also have `point_x`, `point_y`, `normal_x`, `normal_y`, `approach_speed` and
        `impulse`. Sensors have `sensor`, `visitor`, `generation_sensor`, `generation_visitor`; bodies have `body`,
        `generation` and `fell_asleep`.
        """
        rows = self._rows
        return np.frombuffer(bytearray(rows.data), rows.dtype, rows.count)

    def _records(self) -> list[Record]:
        if self._list is None:
            self._list = self._record._all(self._rows) if self._rows.count else []
        return self._list

    def __len__(self) -> int:
        return self._rows.count

    @overload
    def __getitem__(self, key: int) -> Record: ...
    @overload
    def __getitem__(self, key: slice) -> list[Record]: ...
    def __getitem__(self, key: int | slice) -> Record | list[Record]:
        return self._records()[key]

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records())

    def __repr__(self) -> str:
        return repr(self._records())


class EventKind(Generic[Record]):
    """The attribute of `Events` that is the list of one kind."""

    def __init__(self, record: type[Record]) -> None:
        self.record = record

    def __set_name__(self, owner: type[Events], name: str) -> None:
        self.number = getattr(lib, f"B2D_EVENT_{name.upper()}")
        self.__doc__ = EVENT_TEXTS[name][1]

    @overload
    def __get__(self: Self, events: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, events: Events, owner: Any = None) -> EventList[Record]: ...
    def __get__(self, events: Events | None, owner: Any = None) -> Any:
        return self if events is None else events._fetch(self.number, self.record)


class Events(MadeByWorld):
    """The events of the last step of a world: each attribute is a fresh `EventList`.

    Raises:
        DestroyedError: the world is closed.
        WorldLockedError: another thread is stepping the world.

    >>> with World() as world:
    ...     ground = world.create_static_body().create_shape(Box(10, 1))
    ...     ball = world.create_dynamic_body((0, 1.4)).create_shape(Circle(0.5))
    ...     world.step()
    ...     [(a, b, contact)] = world.events.contact_begin
    ...     {a, b} == {ground, ball}, world.events.contact_begin.as_array().shape
    (True, (1,))
    >>> with World() as world:
    ...     floor = world.create_static_body((0, -1)).create_shape(Box(10, 1))
    ...     body = world.create_dynamic_body((0, 0.6), linear_velocity=(0, -8))
    ...     ball = body.create_shape(Circle(0.5), hit_events=True)
    ...     for _ in range(3):
    ...         world.step()
    ...         for hit in world.events.contact_hit:
    ...             print(round(hit.approach_speed), hit.shape_a is ball, round(abs(hit.normal.y)))
    8 False 1
    >>> with World(sleeping=False) as world:
    ...     hook, lamp = world.create_static_body(), world.create_dynamic_body((0, -1))
    ...     shape = lamp.create_shape(Circle(0.5), density=4)
    ...     cable = world.create_rope_joint(hook, lamp, force_threshold=20)
    ...     for _ in range(60):
    ...         world.step()
    ...     [(joint, force, torque)] = world.events.joint_threshold
    ...     joint is cable, round(force, 1), torque
    (True, 31.4, 0.0)
    >>> with World() as world:
    ...     zone = world.create_static_body().create_shape(Box(1, 1), sensor=True)
    ...     ball = world.create_dynamic_body((0, 1.2)).create_shape(Circle(0.5), sensor_events=True)
    ...     world.step()
    ...     world.events.sensor_begin, zone.overlaps == [ball]
    ([SensorBegin(sensor=<Shape 0 polygon on body 0>, visitor=<Shape 1 circle on body 1>)], True)
    """

    __slots__ = ("_world",)

    def _set(self, world: WorldHandles) -> None:
        self._world = world

    def _fetch(self, kind: int, record: type[Record]) -> EventList[Record]:
        world, size = self._world, record._DTYPE.itemsize
        out, count = spare = _EVENT_POOL.take()
        room = _ROOM
        while True:
            status = _copy_events(world._ptr, kind, out, room, count)
            if status:
                raise_error(status, world)
            n = count[0]
            if n * size <= room:
                break
            room = (n + n // 8) * size
            out = ffi.new("char[]", room)
        data = _buffer(out, n * size)[:]
        _EVENT_POOL.give_back(spare)
        return EventList._made(record, _Rows(world, data, n, record._DTYPE))

    # generated: lists of events, see tools/lists.py
    contact_end = EventKind(ContactEnd)
    contact_begin = EventKind(ContactBegin)
    contact_hit = EventKind(ContactHit)
    sensor_end = EventKind(SensorEnd)
    sensor_begin = EventKind(SensorBegin)
    joint_threshold = EventKind(JointThreshold)
    body_move = EventKind(BodyMove)
    body_invalid = EventKind(BodyInvalid)
    # end of generated

    def __repr__(self) -> str:
        return f"<Events of {self._world!r}>"
