"""`world.events`: what happened in the last step, as sequences of light records and as arrays.

A list is copied from C in one piece when it is asked for, so it stays valid after further steps. Its records make the
handles of bodies and shapes when those are read; the handle of an object that has died since is still a usable identity:
it compares and hashes as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

import numpy as np

from ._core import ffi, lib
from ._errors import WorldLockedError, fail
from ._handle import struct_dtype
from ._vec2 import Vec2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._body import Body
    from ._contact import Contact
    from ._joint import Joint
    from ._shape import Shape
    from ._world import World

CONTACT_EVENT = struct_dtype("b2d_contact_event")
BODY_EVENT = struct_dtype("b2d_body_event")
SENSOR_EVENT = struct_dtype("b2d_sensor_event")
JOINT_EVENT = struct_dtype("b2d_joint_event")
HIT_EVENT = struct_dtype("b2d_hit_event")


class Event:
    """Base of the records: compares, unpacks and shows itself by its fields."""

    __slots__ = ("_row", "_world")
    _FIELDS: ClassVar[tuple[str, ...]] = ()
    _DTYPE: ClassVar[np.dtype[np.void]]

    def __init__(self, world: World, row: tuple[Any, ...]) -> None:
        self._world = world
        self._row = row

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._FIELDS)

    def __len__(self) -> int:
        return len(self._FIELDS)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._world is other._world and bool(self._row == other._row)

    def __hash__(self) -> int:
        return hash(self._row)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._FIELDS)})"


class _ContactEvent(Event):
    """Two shapes and their contact; unpacks as `(shape_a, shape_b, contact)`."""

    __slots__ = ()
    _FIELDS = ("shape_a", "shape_b", "contact")
    _DTYPE = CONTACT_EVENT  # generation_a, generation_b, generation_contact, shape_a, shape_b, contact

    @property
    def shape_a(self) -> Shape:
        """The first shape."""
        return self._world._shape(self._row[3], self._row[0])

    @property
    def shape_b(self) -> Shape:
        """The second shape."""
        return self._world._shape(self._row[4], self._row[1])

    @property
    def contact(self) -> Contact:
        """The contact; after an end it may be gone."""
        return self._world._contact(self._row[5], self._row[2])


class ContactBegin(_ContactEvent):
    """Two shapes began to touch; unpacks as `(shape_a, shape_b, contact)`."""

    __slots__ = ()


class ContactEnd(_ContactEvent):
    """Two shapes touch no more, or one of them died; unpacks as `(shape_a, shape_b, contact)`."""

    __slots__ = ()


class ContactHit(Event):
    """Two shapes met faster than `World.hit_threshold`, one of them with `hit_events`.

    Unpacks as `(shape_a, shape_b, contact, point, normal, approach_speed, impulse)`.
    """

    __slots__ = ()
    _FIELDS = ("shape_a", "shape_b", "contact", "point", "normal", "approach_speed", "impulse")
    _DTYPE = HIT_EVENT

    @property
    def shape_a(self) -> Shape:
        """The first shape."""
        return self._world._shape(self._row[9], self._row[0])

    @property
    def shape_b(self) -> Shape:
        """The second shape."""
        return self._world._shape(self._row[10], self._row[1])

    @property
    def contact(self) -> Contact:
        """Their contact."""
        return self._world._contact(self._row[11], self._row[2])

    @property
    def point(self) -> Vec2:
        """Where they met, midway between the surfaces when the step began: world coordinates."""
        return Vec2(self._row[3], self._row[4])

    @property
    def normal(self) -> Vec2:
        """Unit vector from shape A to shape B, world axes."""
        return Vec2(self._row[5], self._row[6])

    @property
    def approach_speed(self) -> float:
        """How fast they neared along the normal when the step began, m/s, positive."""
        return float(self._row[7])

    @property
    def impulse(self) -> float:
        """The greatest normal impulse of a substep at this point, N s."""
        return float(self._row[8])


class JointThreshold(Event):
    """A joint carried more than its `force_threshold` or `torque_threshold`; unpacks as `(joint, force, torque)`."""

    __slots__ = ()
    _FIELDS = ("joint", "force", "torque")
    _DTYPE = JOINT_EVENT  # generation, joint, force, torque

    @property
    def joint(self) -> Joint:
        """Which joint."""
        return self._world._joint(self._row[1], self._row[0])

    @property
    def force(self) -> float:
        """Length of its `constraint_force` in the last substep, N."""
        return float(self._row[2])

    @property
    def torque(self) -> float:
        """Its `constraint_torque` in the last substep, N m."""
        return float(self._row[3])


class _SensorEvent(Event):
    """A sensor and who visits it; unpacks as `(sensor, visitor)`."""

    __slots__ = ()
    _FIELDS = ("sensor", "visitor")
    _DTYPE = SENSOR_EVENT  # generation_sensor, generation_visitor, sensor, visitor

    @property
    def sensor(self) -> Shape:
        """The sensor shape; after an end it may be gone."""
        return self._world._shape(self._row[2], self._row[0])

    @property
    def visitor(self) -> Shape:
        """The shape in it; after an end it may be gone."""
        return self._world._shape(self._row[3], self._row[1])


class SensorBegin(_SensorEvent):
    """A shape came into a sensor; unpacks as `(sensor, visitor)`."""

    __slots__ = ()


class SensorEnd(_SensorEvent):
    """A shape left a sensor, or one of them died, was disabled or filtered out; unpacks as `(sensor, visitor)`."""

    __slots__ = ()


class BodyMove(Event):
    """A body was moved by the step; unpacks as `(body, fell_asleep)`."""

    __slots__ = ()
    _FIELDS = ("body", "fell_asleep")
    _DTYPE = BODY_EVENT  # generation, body, fell_asleep

    @property
    def body(self) -> Body:
        """Who moved; its position is in the body."""
        return self._world._body(self._row[1], self._row[0])

    @property
    def fell_asleep(self) -> bool:
        """Whether this was its last motion before sleep."""
        return bool(self._row[2])


class BodyInvalid(Event):
    """The state of a body became NaN or infinite; it keeps its last finite pose and was disabled. Unpacks as `(body,)`."""

    __slots__ = ()
    _FIELDS = ("body",)
    _DTYPE = BODY_EVENT

    @property
    def body(self) -> Body:
        """Which body."""
        return self._world._body(self._row[1], self._row[0])


Record = TypeVar("Record", bound=Event)


class EventList(Sequence[Record], Generic[Record]):
    """Events of one kind in the order of the step: a sequence of records, or the same as an array."""

    __slots__ = ("_array", "_record", "_rows", "_world")

    def __init__(self, world: World, record: type[Record], array: NDArray[np.void]) -> None:
        self._world = world
        self._record = record
        self._array = array
        self._rows: list[tuple[Any, ...]] | None = None

    def as_array(self) -> NDArray[np.void]:
        """A structured array of your own, one row an event.

        Contacts have the fields `shape_a`, `shape_b`, `contact` (indices) and `generation_a`, `generation_b`,
        `generation_contact`; hits also `point_x`, `point_y`, `normal_x`, `normal_y`, `approach_speed` and `impulse`. Sensors
        have `sensor`, `visitor`, `generation_sensor`, `generation_visitor`; bodies `body`, `generation` and `fell_asleep`.
        """
        array: NDArray[np.void] = self._array.copy()
        return array

    def __len__(self) -> int:
        return len(self._array)

    def _tuples(self) -> list[tuple[Any, ...]]:
        if self._rows is None:
            self._rows = self._array.tolist()
        return self._rows

    @overload
    def __getitem__(self, key: int) -> Record: ...
    @overload
    def __getitem__(self, key: slice) -> list[Record]: ...
    def __getitem__(self, key: int | slice) -> Record | list[Record]:
        if isinstance(key, slice):
            return [self._record(self._world, row) for row in self._tuples()[key]]
        return self._record(self._world, self._tuples()[key])

    def __iter__(self) -> Iterator[Record]:
        for row in self._tuples():
            yield self._record(self._world, row)

    def __repr__(self) -> str:
        return repr(list(self))


class Events:
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
    """

    __slots__ = ("_world",)

    def __init__(self, world: World) -> None:
        self._world = world

    def _fetch(self, kind: int, record: type[Record]) -> EventList[Record]:
        world = self._world
        data, count = ffi.new("const void **"), ffi.new("int32_t *")
        with world._lock:  # no step may start before the copy is made
            if world._stepping:
                raise WorldLockedError("the world is being stepped by another thread")
            status = lib.b2d_world_events(world._ptr, kind, data, count)
            if status:
                fail(status, world)
            n, dtype = count[0], record._DTYPE
            if n:
                array = np.frombuffer(ffi.buffer(data[0], n * dtype.itemsize), dtype, n).copy()
            else:
                array = np.empty(0, dtype)
        return EventList(world, record, array)

    @property
    def contact_begin(self) -> EventList[ContactBegin]:
        """Shapes that began to touch."""
        return self._fetch(lib.B2D_EVENT_CONTACT_BEGIN, ContactBegin)

    @property
    def contact_end(self) -> EventList[ContactEnd]:
        """Shapes that ended to touch, also by being destroyed or disabled since the step before."""
        return self._fetch(lib.B2D_EVENT_CONTACT_END, ContactEnd)

    @property
    def contact_hit(self) -> EventList[ContactHit]:
        """Contacts of shapes with `hit_events` that met faster than `World.hit_threshold` and pushed, by contact.

        >>> with World() as world:
        ...     floor = world.create_static_body((0, -1)).create_shape(Box(10, 1))
        ...     ball = world.create_dynamic_body((0, 0.6), linear_velocity=(0, -8)).create_shape(Circle(0.5), hit_events=True)
        ...     for _ in range(3):
        ...         world.step()
        ...         for hit in world.events.contact_hit:
        ...             print(round(hit.approach_speed), hit.shape_a is ball, round(abs(hit.normal.y)))
        8 False 1
        """
        return self._fetch(lib.B2D_EVENT_CONTACT_HIT, ContactHit)

    @property
    def joint_threshold(self) -> EventList[JointThreshold]:
        """Joints that carry more than a threshold of theirs, in every step in which they do, by index.

        >>> with World(sleeping=False) as world:
        ...     hook, lamp = world.create_static_body(), world.create_dynamic_body((0, -1))
        ...     shape = lamp.create_shape(Circle(0.5), density=4)
        ...     cable = world.create_rope_joint(hook, lamp, force_threshold=20)
        ...     for _ in range(60):
        ...         world.step()
        ...     [(joint, force, torque)] = world.events.joint_threshold
        ...     joint is cable, round(force, 1), torque
        (True, 31.4, 0.0)
        """
        return self._fetch(lib.B2D_EVENT_JOINT_THRESHOLD, JointThreshold)

    @property
    def sensor_begin(self) -> EventList[SensorBegin]:
        """Shapes with `sensor_events` that came into sensors, by sensor and visitor.

        >>> with World() as world:
        ...     zone = world.create_static_body().create_shape(Box(1, 1), sensor=True)
        ...     ball = world.create_dynamic_body((0, 1.2)).create_shape(Circle(0.5), sensor_events=True)
        ...     world.step()
        ...     world.events.sensor_begin, zone.overlaps == [ball]
        ([SensorBegin(sensor=<Shape 0 polygon on body 0>, visitor=<Shape 1 circle on body 1>)], True)
        """
        return self._fetch(lib.B2D_EVENT_SENSOR_BEGIN, SensorBegin)

    @property
    def sensor_end(self) -> EventList[SensorEnd]:
        """Shapes that left sensors, also by being destroyed, disabled or filtered out since the step before."""
        return self._fetch(lib.B2D_EVENT_SENSOR_END, SensorEnd)

    @property
    def body_move(self) -> EventList[BodyMove]:
        """Bodies that the step moved, by index."""
        return self._fetch(lib.B2D_EVENT_BODY_MOVE, BodyMove)

    @property
    def body_invalid(self) -> EventList[BodyInvalid]:
        """Bodies whose state was no longer finite."""
        return self._fetch(lib.B2D_EVENT_BODY_INVALID, BodyInvalid)

    def __repr__(self) -> str:
        return f"<Events of {self._world!r}>"
