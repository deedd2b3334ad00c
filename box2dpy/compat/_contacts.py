"""Contacts of the bindings: `b2Contact`, the listeners, and `ContactReports`, which calls them as Box2D 2.3 does.

Box2D 2.3 reports contacts at the beginning of a step: a begin before the solver, an end also when a fixture is
destroyed, sensors like all others. `ContactReports` makes this of the events of box2dpy. Three differences are removed:

* A sensor of box2dpy finds its visitors when all has moved. Box2D 2.3 finds them at the beginning of the next step, so
  these events wait for it, unless one of the two bodies is new or was moved by hand.
* Where edges continue each other, box2dpy ends the contact with an edge that its neighbour hides. Box2D 2.3 does not
  know of hidden edges, so that end is reported when the shapes have parted.
* A contact that `PreSolve` disables still counts as touching.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import BodyType, DestroyedError, distance
from ..arguments import flag, short_repr
from ..rows import shape_generation
from ._vectors import b2Vec2, vector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .. import Contact, ContactBegin, ContactEnd, ContactPoint, Presolve, SensorBegin, SensorEnd, Shape
    from ._bodies import b2Body
    from ._fixtures import b2Fixture
    from ._world import b2World

    Key = tuple[b2Fixture, int, b2Fixture, int]

SEEN = 0.02  # distance at which a contact of box2dpy begins, metres
b2_nullState, b2_addState, b2_persistState, b2_removeState = range(4)


class b2ContactListener:
    """Override what you need; assign an instance to `b2World.contactListener`."""

    def __init__(self) -> None:
        pass

    def BeginContact(self, contact: b2Contact) -> None:
        """Two fixtures begin to touch."""

    def EndContact(self, contact: b2Contact) -> None:
        """Two fixtures touch no longer, or one of them is destroyed."""

    def PreSolve(self, contact: b2Contact, oldManifold: b2Manifold) -> None:
        """Two fixtures are about to push each other; `contact.enabled = False` lets them pass in this step."""

    def PostSolve(self, contact: b2Contact, impulse: b2ContactImpulse) -> None:
        """Two fixtures have pushed each other in the step."""


class b2ContactFilter:
    """Override `ShouldCollide` and assign an instance to `b2World.contactFilter`.

    It is called for fixtures whose `filterData` accept each other; it cannot make others collide.
    """

    def __init__(self) -> None:
        pass

    def ShouldCollide(self, fixtureA: b2Fixture, fixtureB: b2Fixture) -> bool:
        """Whether two fixtures may collide."""
        a, b = fixtureA.filterData, fixtureB.filterData
        if a.groupIndex == b.groupIndex != 0:
            return bool(a.groupIndex > 0)
        return bool(a.maskBits & b.categoryBits and b.maskBits & a.categoryBits)


class b2DestructionListener:
    """Override `SayGoodbye`, which is called for joints and fixtures that are destroyed together with a body."""

    def __init__(self) -> None:
        pass

    def SayGoodbye(self, object: Any) -> None:
        """A joint or fixture is being destroyed."""


class b2ContactID:
    """Identifies a point of a manifold from step to step."""

    __slots__ = ("key",)

    def __init__(self, key: int = 0) -> None:
        self.key = key

    def __repr__(self) -> str:
        return f"b2ContactID(key={self.key})"


class b2ManifoldPoint:
    """A point of a manifold: its identity and the impulses of the last substep, N s."""

    __slots__ = ("id", "normalImpulse", "tangentImpulse")

    def __init__(self, key: int, normalImpulse: float, tangentImpulse: float) -> None:
        self.id = b2ContactID(key)
        self.normalImpulse, self.tangentImpulse = normalImpulse, tangentImpulse

    def __repr__(self) -> str:
        return f"b2ManifoldPoint(id={self.id!r}, normalImpulse={self.normalImpulse:g})"


class b2Manifold:
    """The points at which two fixtures touch. Their places are in `b2Contact.worldManifold`."""

    def __init__(self, points: Iterable[b2ManifoldPoint] = ()) -> None:
        self.points = list(points)

    @property
    def pointCount(self) -> int:
        """How many points there are: 0 to 2."""
        return len(self.points)

    def __repr__(self) -> str:
        return f"b2Manifold(points={self.points})"


class b2WorldManifold:
    """The points at which two fixtures touch, metres, and the normal from A to B: world coordinates."""

    def __init__(self, normal: b2Vec2, points: tuple[tuple[float, float], ...]) -> None:
        self.normal, self.points = normal, points

    def __repr__(self) -> str:
        return f"b2WorldManifold(normal={self.normal!r}, points={self.points})"


class b2ContactImpulse:
    """The impulses of a step at the points of a contact, N s."""

    def __init__(self, normal: tuple[float, ...], tangent: tuple[float, ...]) -> None:
        self.normalImpulses, self.tangentImpulses = normal, tangent

    @property
    def count(self) -> int:
        """How many points there are."""
        return len(self.normalImpulses)

    def __repr__(self) -> str:
        return f"b2ContactImpulse(normalImpulses={self.normalImpulses}, tangentImpulses={self.tangentImpulses})"


def b2GetPointStates(manifold1: b2Manifold, manifold2: b2Manifold) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What became of each point of the first manifold in the second, and where each point of the second comes from."""
    old, new = ([point.id.key for point in each.points] for each in (manifold1, manifold2))
    first = [b2_persistState if key in new else b2_removeState for key in old]
    second = [b2_persistState if key in old else b2_addState for key in new]
    blank = [b2_nullState] * 2
    return tuple((first + blank)[:2]), tuple((second + blank)[:2])


class b2Contact:
    """Two fixtures that are near each other or touch. Contacts of the same fixtures are equal."""

    __slots__ = ("_enabled", "_source", "childIndexA", "childIndexB", "fixtureA", "fixtureB")

    def __init__(self, key: Key, source: Contact | Presolve | None) -> None:
        self.fixtureA, self.childIndexA, self.fixtureB, self.childIndexB = key
        self._source = source
        self._enabled = True

    def _points(self) -> tuple[ContactPoint, ...]:
        try:
            return self._source.points if self._source is not None else ()
        except DestroyedError:
            return ()

    @property
    def touching(self) -> bool:
        """Whether the fixtures touch."""
        reports = self.fixtureA.world._reports
        return self._key() in reports.reported or bool(self._points())

    def _key(self) -> Key:
        return self.fixtureA, self.childIndexA, self.fixtureB, self.childIndexB

    @property
    def enabled(self) -> bool:
        """Whether the contact pushes in this step; to be assigned in `PreSolve`."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._enabled = flag(value, "enabled")

    @property
    def manifold(self) -> b2Manifold:
        """The points, with their impulses."""
        return b2Manifold(b2ManifoldPoint(p.feature, p.normal_impulse, p.tangent_impulse) for p in self._points())

    @property
    def worldManifold(self) -> b2WorldManifold:
        """The points and the normal in world coordinates."""
        points = self._points()
        x, y = self._source.normal if points and self._source is not None else (0.0, 0.0)
        return b2WorldManifold(vector(x, y), tuple((p.point.x, p.point.y) for p in points))

    def _read(self, name: str, mixed: Callable[[float, float], float]) -> float:
        if self._source is not None:
            return float(getattr(self._source, name))
        return mixed(getattr(self.fixtureA, name), getattr(self.fixtureB, name))

    def _write(self, name: str, value: float) -> None:
        if not hasattr(self._source, "tangent_speed"):
            raise AttributeError(f"{name} of a b2Contact can be assigned in PreSolve, for the step")
        setattr(self._source, name, value)

    @property
    def friction(self) -> float:
        """The coefficient of friction; in `PreSolve` it may be assigned for this step."""
        return self._read("friction", b2MixFriction)

    @friction.setter
    def friction(self, value: float) -> None:
        self._write("friction", value)

    @property
    def restitution(self) -> float:
        """The coefficient of restitution; in `PreSolve` it may be assigned for this step."""
        return self._read("restitution", b2MixRestitution)

    @restitution.setter
    def restitution(self, value: float) -> None:
        self._write("restitution", value)

    @property
    def tangentSpeed(self) -> float:
        """The speed of a conveyor belt, m/s; in `PreSolve` it may be assigned for this step."""
        return float(getattr(self._source, "tangent_speed", 0.0))

    @tangentSpeed.setter
    def tangentSpeed(self, value: float) -> None:
        self._write("tangent_speed", value)

    def ResetFriction(self) -> None:
        """Takes the friction of the fixtures again, in `PreSolve`."""
        self.friction = b2MixFriction(self.fixtureA.friction, self.fixtureB.friction)

    def ResetRestitution(self) -> None:
        """Takes the restitution of the fixtures again, in `PreSolve`."""
        self.restitution = b2MixRestitution(self.fixtureA.restitution, self.fixtureB.restitution)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, b2Contact) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"b2Contact(fixtureA={self.fixtureA!r}, fixtureB={self.fixtureB!r})"


class b2ContactEdge:
    """A contact of a body, and the other body."""

    __slots__ = ("contact", "other")

    def __init__(self, contact: b2Contact, other: b2Body) -> None:
        self.contact, self.other = contact, other

    def __repr__(self) -> str:
        return f"b2ContactEdge(contact={self.contact!r})"


def b2MixFriction(friction1: float, friction2: float) -> float:
    """The friction of a contact: the geometric mean."""
    return math.sqrt(friction1 * friction2)


def b2MixRestitution(restitution1: float, restitution2: float) -> float:
    """The restitution of a contact: the larger one."""
    return max(restitution1, restitution2)


def _overrides(listener: Any, name: str) -> bool:
    own = getattr(type(listener), name, None)
    return own is not None and own is not getattr(b2ContactListener, name)


class ContactReports:
    """What has been reported to a listener about the contacts of a world."""

    def __init__(self, world: b2World) -> None:
        self.world = world
        self.listener: Any = None
        self.reported: dict[Key, int] = {}  # touching, and of how many pairs of shapes
        self.hidden: dict[tuple[Shape, Shape], Contact | None] = {}  # touch for the listener, but not for box2dpy
        self.waiting: list[tuple[bool, Key]] = []  # begins and ends of sensors
        self.manifolds: dict[Key, b2Manifold] = {}
        self.older: dict[Key, b2Manifold] = {}
        self.wants_presolve = self.wants_postsolve = False
        self.raised: BaseException | None = None  # by a function of the program in this step, the first one

    def ask(self, function: Callable[..., Any], *arguments: Any, failed: Any = None) -> Any:
        """Calls a function of the program. Its exception is raised when all that belongs to the step is done; returns
        `failed` then."""
        try:
            return function(*arguments)
        except BaseException as error:
            self.keep(error)
            return failed

    def keep(self, error: BaseException) -> None:
        if self.raised is None:
            self.raised = error

    def raise_kept(self) -> None:
        error, self.raised = self.raised, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # otherwise its traceback would refer to itself

    def set_listener(self, listener: Any) -> None:
        """Listens, or with None no longer."""
        if listener is not None and not any(hasattr(listener, name) for name in ("BeginContact", "EndContact")):
            raise TypeError(f"contactListener={short_repr(listener)} must be a b2ContactListener or None")
        native, listens = self.world.box2dpy, listener is not None
        self.listener = listener
        self.reported.clear()
        self.hidden.clear()
        self.waiting.clear()
        self.wants_presolve = listens and _overrides(listener, "PreSolve")
        self.wants_postsolve = listens and _overrides(listener, "PostSolve")
        if listens or native.on_contact_begin is not None:
            native.on_contact_begin = self.begin if listens else None
            native.on_contact_end = self.end if listens else None
        self.watch_sensors()
        if self.wants_presolve or native.on_presolve is not None:
            native.on_presolve = self.presolve if self.wants_presolve else None

    def watch_sensors(self) -> None:
        """Follows the events of sensors, if there are sensors and a listener."""
        native, watches = self.world.box2dpy, self.listener is not None and bool(self.world._sensors)
        if watches != (native.on_sensor_begin is not None):
            native.on_sensor_begin = self.sensor_begin if watches else None
            native.on_sensor_end = self.sensor_end if watches else None

    # -- begin and end

    def key_of(self, a: Shape, b: Shape) -> Key | None:
        fixtures = self.world._fixtures
        first, second = fixtures.get(shape_generation(a)), fixtures.get(shape_generation(b))
        return None if first is None or second is None else (*first, *second)

    def tell_begin(self, key: Key, source: Contact | None) -> None:
        count = self.reported.get(key, 0)
        self.reported[key] = count + 1
        if not count:
            self.ask(self.listener.BeginContact, b2Contact(key, source))

    def tell_end(self, key: Key) -> None:
        count = self.reported.get(key, 1) - 1
        if count:
            self.reported[key] = count
            return
        self.reported.pop(key, None)
        if self.listener is not None:
            self.ask(self.listener.EndContact, b2Contact(key, None))

    def begin(self, event: ContactBegin) -> None:
        if self.hidden.pop((event.shape_a, event.shape_b), self) is not self:
            return  # it was reported in the step in which it was hidden or disabled
        key = self.key_of(event.shape_a, event.shape_b)
        if key is not None:
            self.tell_begin(key, event.contact)

    def end(self, event: ContactEnd) -> None:
        pair = a, b = event.shape_a, event.shape_b
        key = self.key_of(a, b)
        if key is None or pair in self.hidden:
            return
        if self.near(a, b, event.contact):
            self.hidden[pair] = event.contact
        else:
            self.tell_end(key)

    def near(self, a: Shape, b: Shape, contact: Contact | None) -> bool:
        """Whether two shapes are as near as those whose contact begins."""
        if contact is None or not contact.alive or not a.alive or not b.alive:
            return False
        first, second = a.body, b.body
        gap = distance(
            a.geometry, b.geometry, position_a=first.position, angle_a=first.angle, position_b=second.position,
            angle_b=second.angle,
        ).distance  # fmt: skip
        return gap <= SEEN

    def settle(self) -> None:
        """Before a step: the ends that have waited."""
        waiting, self.waiting = self.waiting, []
        for begins, key in waiting:
            self.tell_sensor(begins, key)
        for (a, b), contact in dict(self.hidden).items():
            if not self.near(a, b, contact):
                del self.hidden[a, b]
                ended = self.key_of(a, b)
                if ended is not None:
                    self.tell_end(ended)

    # -- sensors

    def tell_sensor(self, begins: bool, key: Key) -> None:
        if self.listener is None or not (key[0]._shapes and key[2]._shapes):
            return
        if begins:
            self.tell_begin(key, None)
        elif key in self.reported:
            self.tell_end(key)

    def sensor_event(self, begins: bool, sensor: Shape, visitor: Shape) -> None:
        key = self.key_of(sensor, visitor)
        if key is None:
            return
        first, second = key[0].body, key[2].body
        if BodyType.DYNAMIC not in (first.box2dpy.type, second.box2dpy.type):
            return
        fresh = self.world._fresh
        if first in fresh or second in fresh:
            self.world._after_step(lambda: self.tell_sensor(begins, key))
        else:
            self.waiting.append((begins, key))

    def sensor_begin(self, event: SensorBegin) -> None:
        self.sensor_event(True, event.sensor, event.visitor)

    def sensor_end(self, event: SensorEnd) -> None:
        self.sensor_event(False, event.sensor, event.visitor)

    # -- solving

    def presolve(self, native: Presolve) -> bool:
        pair = native.shape_a, native.shape_b
        key = self.key_of(*pair)
        if key is None:
            return True
        if key not in self.reported:
            self.hidden[pair] = native.contact  # the begin of this step has been reported
            self.tell_begin(key, native.contact)
        contact = b2Contact(key, native)
        self.manifolds[key] = contact.manifold
        self.ask(self.listener.PreSolve, contact, self.older.get(key) or b2Manifold())
        if not contact.enabled:
            self.hidden[pair] = native.contact
        return contact.enabled

    def before_step(self) -> None:
        if self.waiting or self.hidden:
            self.settle()
        if self.wants_presolve:
            self.older, self.manifolds = self.manifolds, {}

    def after_step(self, substeps: int) -> None:
        """Calls PostSolve. box2dpy keeps the greatest impulse of an impact and that of the last substep, so that the
        impulse of a step is the first or the latter times the number of substeps."""
        native = self.world.box2dpy
        impacts = {hit.contact: hit.impulse for hit in native.events.contact_hit}
        for contact in native.contacts:
            points = contact.points
            if not points or not contact.awake:
                continue
            key = self.key_of(contact.shape_a, contact.shape_b)
            if key is None:
                continue
            impact = impacts.get(contact, 0.0)
            normal = tuple(max(p.normal_impulse * substeps, impact) for p in points)
            tangent = tuple(p.tangent_impulse * substeps for p in points)
            self.ask(self.listener.PostSolve, b2Contact(key, contact), b2ContactImpulse(normal, tangent))

    # -- destruction

    def end_all_of(self, fixtures: set[b2Fixture]) -> None:
        """Ends the contacts of fixtures that are about to be destroyed."""
        for key in [key for key in self.reported if key[0] in fixtures or key[2] in fixtures]:
            self.reported.pop(key, None)
            self.ask(self.listener.EndContact, b2Contact(key, None))
