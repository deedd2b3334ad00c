"""`b2World` over a `World` of box2dpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .. import World, WorldLockedError
from ..arguments import flag, integer, number, pair, short_repr
from ..rows import (
    first_ray_row,
    ray_rows,
    shape_generation,
    substep_count,
)
from ._bodies import b2_dynamicBody, b2_kinematicBody, b2_staticBody, b2Body, b2BodyDef, make_body
from ._contacts import (
    ContactReports,
    b2Contact,
    b2ContactEdge,
    b2ContactFilter,
    b2ContactListener,
    b2DestructionListener,
)
from ._fixtures import b2Fixture
from ._joint import DEFINITIONS, b2Joint, b2JointDef
from ._joints import b2MotorJoint
from ._limbs import Limbs
from ._passed import Passed, one_by_one
from ._separation import separate
from ._shapes import refuse_keywords
from ._vectors import b2AABB, b2Vec2, vector

if TYPE_CHECKING:
    from .. import Contact, Shape
    from ..arguments import Vec2Like

b2_velocityThreshold = 1.0
b2_linearSleepTolerance = 0.01
b2_maxTranslation = 2.0
_HIT_SPEED = 1.0  # of impacts that are reported, m/s
# Chosen by the returns of BipedalWalker's heuristic: 18.6 with the defaults, 57.2 with these, 50.0 with the bindings
_CONTACT_HERTZ, _CONTACT_DAMPING = 60.0, 16.0
J = TypeVar("J", bound=b2Joint)


class b2RayCastCallback:
    """Override `ReportFixture` and pass an instance to `b2World.RayCast`."""

    def __init__(self) -> None:
        pass

    def ReportFixture(self, fixture: b2Fixture, point: b2Vec2, normal: b2Vec2, fraction: float) -> float:
        """Called for fixtures that the ray enters, in the order of the ray.

        Returns:
            -1 to ignore the fixture, 0 to end the cast, `fraction` to shorten the ray to this point, 1 to continue.
        """
        raise NotImplementedError("override ReportFixture")


class b2QueryCallback:
    """Override `ReportFixture` and pass an instance to `b2World.QueryAABB`."""

    def __init__(self) -> None:
        pass

    def ReportFixture(self, fixture: b2Fixture) -> bool:
        """Called for each fixture in the box; False ends the query."""
        raise NotImplementedError("override ReportFixture")


def _unsupported(name: str, ours: str) -> Callable[..., Any]:
    def refuse(self: Any, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError(f"b2World.{name} is not supported by box2dpy.compat: use {ours}")

    return refuse


class b2World:
    """A simulation with the interface of the bindings of Box2D 2.3.

    `Step` makes `substeps` substeps of box2dpy; the numbers of iterations are ignored. `box2dpy` is the world itself.

    Args:
        gravity: m/s^2.
        doSleep: whether bodies at rest fall asleep.
        contactListener: a `b2ContactListener`, or None.

    The other keywords are the properties.
    """

    substeps = 8
    """Substeps of each step; may be assigned to the class or to a world."""
    yieldSpeed: float | None = 5.0
    """Speed of an impact on a body with joints, m/s, after which they yield for `yieldSteps` steps; None: never."""
    pressSpeed = 2.0
    """The same, at most, where a joint has a body of 30 times the mass of the other: box2dpy solves such bodies and
    their contacts together, without bounce."""
    yieldSteps = 15
    parts = 4
    """The most steps of box2dpy that a step is divided into where motors swing limbs fast near other bodies."""
    sleepSpeed = 0.05
    """Speed under which the bodies of a world may fall asleep, m/s; counts for bodies created after an assignment."""
    _OF = World
    box2dpy: World
    """The world of box2dpy."""

    def __init__(
        self,
        gravity: Vec2Like | b2Vec2 = (0.0, -10.0),
        doSleep: bool = True,
        contactListener: Any = None,
        **options: Any,
    ) -> None:
        refuse_keywords("b2World", options, _OPTIONS)
        self.box2dpy = World(
            pair(gravity, "gravity"), sleeping=flag(doSleep, "doSleep"), restitution_threshold=b2_velocityThreshold,
            profiling="off", joint_solver="direct", hit_threshold=_HIT_SPEED, contact_hertz=_CONTACT_HERTZ,
            contact_damping_ratio=_CONTACT_DAMPING,
        )  # fmt: skip
        self._bodies: dict[b2Body, None] = {}
        self._joints: dict[b2Joint, None] = {}
        self._offsets: dict[b2MotorJoint, None] = {}
        self._fixtures: dict[int, tuple[b2Fixture, int]] = {}  # by the generation of the shape
        self._sensors: dict[b2Fixture, None] = {}
        self._divided: dict[b2Fixture, None] = {}  # polygons of several shapes
        self._fresh: set[b2Body] = set()  # created or moved by hand since the last step
        self._later: list[Callable[[], Any]] = []
        self._reports = ContactReports(self)
        self._forces = self._locked = self._presolves = self._postsolves = False
        self._filter: Any = None
        self._dt = 0.0
        self._limbs = Limbs(self)
        self.destructionListener: b2DestructionListener | None = None
        if contactListener is not None:
            self.contactListener = contactListener
        for name, value in options.items():
            setattr(self, name, value)

    # -- the step

    def Step(self, timeStep: float, velocityIterations: int, positionIterations: int) -> None:
        """Advances the simulation by `timeStep` seconds in `substeps` equal parts; the iterations are ignored.

        The first exception of a listener or filter, or of a change that was put off, is raised when the step is over.
        """
        if type(velocityIterations) is not int or type(positionIterations) is not int:
            integer(velocityIterations, "velocityIterations")
            integer(positionIterations, "positionIterations")
        if self._locked:
            self._refuse_when_locked()
        native, reports = self.box2dpy, self._reports
        if timeStep != self._dt:
            dt = number(timeStep, "timeStep")
            if dt > 0.0:
                native.max_linear_speed = min(b2_maxTranslation / dt, 1e6)
            self._dt = dt
        self._locked = True
        try:
            if reports.waiting or reports.hidden or reports.wants_presolve:
                reports.before_step()
            if self._joints:
                self._limbs.choose_solver()
                for joint in self._offsets if self._dt > 0.0 else ():
                    joint._drive(self._dt)
            cold = bool(self._fresh) and separate(native, self._fresh, self._forces) and native.warm_starting
            parts = self._limbs.parts() if self._joints else 1
            try:
                if cold:  # the impulses that moved the bodies must not act again
                    native.warm_starting = False
                for _ in range(parts):
                    self._step_part(timeStep / parts, -(-self.substeps // parts))
            finally:
                if cold:
                    native.warm_starting = True
            self._forces = False
            self._fresh.clear()
            if reports.wants_postsolve:
                reports.after_step(substep_count(timeStep, self.substeps))
        finally:
            self._locked = False
            later, self._later = self._later, []
            for change in later:
                reports.ask(change)
            if reports.raised is not None:
                reports.raise_kept()

    def _step_part(self, dt: float, substeps: int) -> None:
        try:
            self.box2dpy.step(dt, substeps)
        except Exception:  # nothing was done
            raise
        except BaseException as error:  # of a signal handler: the part is done, and the others follow
            self._reports.keep(error)

    def _after_step(self, change: Callable[[], Any]) -> None:
        if not self._locked:
            raise WorldLockedError("the world is being stepped by another thread")
        self._later.append(change)

    def _refuse_when_locked(self) -> None:
        if self._locked:
            raise WorldLockedError("the world is locked during Step: note what to change, and change it after the step")

    @property
    def locked(self) -> bool:
        """Whether `Step` is running."""
        return self._locked

    def ClearForces(self) -> None:
        """Removes the forces that were applied since the last step; a step removes them on its own."""
        if self._forces:
            for body in self._bodies:
                body.box2dpy.clear_forces()
            self._forces = False

    @property
    def autoClearForces(self) -> bool:
        """True: forces last for one step."""
        return True

    @autoClearForces.setter
    def autoClearForces(self, value: bool) -> None:
        if not flag(value, "autoClearForces"):
            raise NotImplementedError("autoClearForces=False is not supported: apply forces again before each step")

    # -- options

    def _change(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self.box2dpy, name, value)

    @property
    def gravity(self) -> b2Vec2:
        """m/s^2; assign a pair."""
        return vector(*self.box2dpy.gravity)

    @gravity.setter
    def gravity(self, value: Vec2Like | b2Vec2) -> None:
        self.box2dpy.gravity = pair(value, "gravity")

    warmStarting = Passed[bool]("warm_starting")
    allowSleeping = Passed[bool]("sleeping")

    @property
    def continuousPhysics(self) -> bool:
        """Whether fast bodies are kept from passing through others."""
        return bool(self.box2dpy.continuous)

    @continuousPhysics.setter
    def continuousPhysics(self, value: bool) -> None:
        self.box2dpy.continuous = flag(value, "continuousPhysics")

    @property
    def subStepping(self) -> bool:
        """False: assign `substeps` for smaller parts of a step."""
        return False

    @subStepping.setter
    def subStepping(self, value: bool) -> None:
        if flag(value, "subStepping"):
            raise NotImplementedError("subStepping=True is not supported: assign b2World.substeps")

    def GetAllowSleeping(self) -> bool:
        """Whether bodies at rest fall asleep."""
        return self.allowSleeping

    def SetAllowSleeping(self, flag: bool) -> None:
        """Assigns whether bodies at rest fall asleep."""
        self.allowSleeping = flag

    # -- listeners

    @property
    def contactListener(self) -> b2ContactListener | None:
        """What contacts are reported to; None: nothing."""
        return self._reports.listener  # type: ignore[no-any-return]

    @contactListener.setter
    def contactListener(self, value: b2ContactListener | None) -> None:
        self._refuse_when_locked()
        reports = self._reports
        reports.set_listener(value)
        if (reports.wants_presolve, reports.wants_postsolve) != (self._presolves, self._postsolves):
            self._presolves, self._postsolves = reports.wants_presolve, reports.wants_postsolve
            self.box2dpy.hit_threshold = 0.0 if self._postsolves else _HIT_SPEED
            for body in self._bodies:
                for fixture in body._fixtures:
                    fixture._change(presolve=self._presolves, hit_events=self._postsolves or bool(body._joints))

    @property
    def contactFilter(self) -> b2ContactFilter | None:
        """What decides which fixtures collide, beside their filters; None: nothing."""
        return self._filter  # type: ignore[no-any-return]

    @contactFilter.setter
    def contactFilter(self, value: b2ContactFilter | None) -> None:
        if value is not None and not hasattr(value, "ShouldCollide"):
            raise TypeError(f"contactFilter={short_repr(value)} must be a b2ContactFilter or None")
        self._filter = value
        self.box2dpy.on_filter = None if value is None else self._should_collide

    def _should_collide(self, a: Shape, b: Shape) -> bool:
        key = self._reports.key_of(a, b)
        return key is None or bool(self._reports.ask(self._filter.ShouldCollide, key[0], key[2], failed=True))

    # -- bodies

    def CreateBody(self, defn: b2BodyDef | None = None, **options: Any) -> b2Body:
        """Creates a body from a definition or from its keywords; without a type it is static."""
        if defn is not None and (options or not isinstance(defn, b2BodyDef)):
            raise ValueError("give a b2BodyDef, or its keywords")
        return make_body(self, options if defn is None else defn.__dict__)

    def CreateStaticBody(self, **options: Any) -> b2Body:
        """Creates a body that never moves; the keywords are those of `b2BodyDef`."""
        options["type"] = b2_staticBody
        return make_body(self, options)

    def CreateKinematicBody(self, **options: Any) -> b2Body:
        """Creates a body that moves by its velocity; the keywords are those of `b2BodyDef`."""
        options["type"] = b2_kinematicBody
        return make_body(self, options)

    def CreateDynamicBody(self, **options: Any) -> b2Body:
        """Creates a body that forces and contacts move; the keywords are those of `b2BodyDef`."""
        options["type"] = b2_dynamicBody
        return make_body(self, options)

    def DestroyBody(self, body: b2Body) -> None:
        """Removes a body with its fixtures and joints; a second call does nothing."""
        self._refuse_when_locked()
        if not isinstance(body, b2Body) or body.world is not self:
            raise ValueError(f"{short_repr(body)} is no body of this world")
        if body not in self._bodies:
            return
        joints, fixtures = list(body._joints), list(body._fixtures)
        for joint in joints:
            self._say_goodbye(joint)
        if fixtures:
            self._end_contacts_of(fixtures)
        for fixture in fixtures:
            self._say_goodbye(fixture)
        self._forget_body(body)
        for joint in joints:
            self._forget_joint(joint)
        body.box2dpy.destroy()
        if self._reports.raised is not None:
            self._reports.raise_kept()

    def _say_goodbye(self, item: Any) -> None:
        if self.destructionListener is not None:
            self._reports.ask(self.destructionListener.SayGoodbye, item)

    def _forget_body(self, body: b2Body) -> None:
        for fixture in body._fixtures:
            self._forget_fixture(fixture)
        body._fixtures.clear()
        self._bodies.pop(body, None)
        self._fresh.discard(body)

    # -- fixtures

    def _note_fixture(self, fixture: b2Fixture) -> None:
        fixture.body._extent = None
        self._limbs.forget()
        several = len(fixture._shapes) > 1 and fixture.type == 3
        if len(fixture._shapes) > 1 and not several:
            self._divided[fixture] = None
        for child, shape in enumerate(fixture._shapes):
            self._fixtures[shape_generation(shape)] = fixture, child if several else 0

    def _note_sensor(self, fixture: b2Fixture, sensor: bool) -> None:
        if sensor:
            self._sensors[fixture] = None
            self._reports.watch_sensors()
        else:
            self._sensors.pop(fixture, None)
        self._fresh.add(fixture.body)

    def _forget_fixture(self, fixture: b2Fixture) -> None:
        fixture.body._extent = None
        self._limbs.forget()
        for shape in fixture._shapes:
            self._fixtures.pop(shape_generation(shape), None)
        fixture._shapes = []
        fixture._shape = None
        self._sensors.pop(fixture, None)
        self._divided.pop(fixture, None)

    def _end_contacts_of(self, fixtures: list[b2Fixture]) -> None:
        if self._reports.reported:
            self._locked = True
            try:
                self._reports.end_all_of(set(fixtures))
            finally:
                self._locked = False

    # -- joints

    def CreateJoint(self, defn: b2JointDef | None = None, **options: Any) -> Any:
        """Creates a joint from a definition, or from `type`, a class of joints or definitions, and its keywords."""
        if defn is None:
            kind = options.pop("type", None)
            kind = DEFINITIONS.get(kind, kind)
            if not (isinstance(kind, type) and issubclass(kind, b2JointDef)):
                raise ValueError(f"type={short_repr(kind)} must be a class of joints or of their definitions")
            defn = kind(**options)
        elif options or not isinstance(defn, b2JointDef):
            raise ValueError("give the definition of a joint, or type= and its keywords")
        self._refuse_when_locked()
        return defn._create(self)

    def _new_joint(self, kind: type[J], native: Any, definition: b2JointDef) -> J:
        self._limbs.forget()
        joint = object.__new__(kind)
        joint.box2dpy = native
        joint.world = self
        joint.userData = definition.userData
        assert definition.bodyA is not None
        assert definition.bodyB is not None
        joint.bodyA, joint.bodyB = definition.bodyA, definition.bodyB
        for body in (joint.bodyA, joint.bodyB):
            if not body._joints:
                for fixture in body._fixtures:
                    fixture._change(hit_events=True)
        if not self._joints and self.yieldSpeed is not None:
            self.box2dpy.on_contact_hit = self._limbs.hit
        self._joints[joint] = None
        joint.bodyA._joints.append(joint)
        joint.bodyB._joints.append(joint)
        return joint

    def DestroyJoint(self, joint: b2Joint) -> None:
        """Removes a joint; a second call does nothing."""
        self._refuse_when_locked()
        if not isinstance(joint, b2Joint) or joint.world is not self:
            raise ValueError(f"{short_repr(joint)} is no joint of this world")
        joint.box2dpy.destroy()
        self._forget_joint(joint)

    def _forget_joint(self, joint: b2Joint) -> None:
        self._limbs.forget()
        self._joints.pop(joint, None)
        self._offsets.pop(joint, None)  # type: ignore[call-overload]
        for body in (joint.bodyA, joint.bodyB):
            if joint in body._joints:
                body._joints.remove(joint)
        for other in list(self._joints):  # a gear goes with the joints that it couples
            if joint in getattr(other, "_coupled", ()):
                self._forget_joint(other)

    # -- lists

    @property
    def bodies(self) -> list[b2Body]:
        """All bodies in the order of their creation."""
        return list(self._bodies)

    @property
    def joints(self) -> list[b2Joint]:
        """All joints in the order of their creation."""
        return list(self._joints)

    @property
    def contacts(self) -> list[b2Contact]:
        """All contacts, touching or not, without those of sensors."""
        made = (self._contact(contact) for contact in self.box2dpy.contacts)
        return [contact for contact in made if contact is not None]

    def _contact(self, native: Contact) -> b2Contact | None:
        key = self._reports.key_of(native.shape_a, native.shape_b)
        return None if key is None else b2Contact(key, native)

    def _contacts_of(self, body: b2Body) -> list[b2ContactEdge]:
        edges = []
        for native in body.box2dpy.contacts:
            contact = self._contact(native)
            if contact is not None:
                a, b = contact.fixtureA.body, contact.fixtureB.body
                edges.append(b2ContactEdge(contact, b if a is body else a))
        return edges

    bodies_gen = one_by_one(bodies)
    joints_gen = one_by_one(joints)
    contacts_gen = one_by_one(contacts)
    bodyCount = property(lambda self: len(self._bodies), doc="How many bodies there are.")
    jointCount = property(lambda self: len(self._joints), doc="How many joints there are.")
    contactCount = property(
        lambda self: len(self.box2dpy.contacts), doc="How many contacts there are, touching or not."
    )
    proxyCount = property(lambda self: len(self._fixtures), doc="How many shapes there are in the broad phase.")
    # -- queries

    def RayCast(self, callback: b2RayCastCallback, point1: Vec2Like | b2Vec2, point2: Vec2Like | b2Vec2) -> None:
        """Calls `callback.ReportFixture(fixture, point, normal, fraction)` for the fixtures that a ray enters, in the
        order of the ray, sensors included, whatever their filters say. Its result says how to continue, see
        `b2RayCastCallback`."""
        try:
            report = callback.ReportFixture
        except AttributeError:
            raise TypeError(f"callback={short_repr(callback)} must be a b2RayCastCallback") from None
        try:
            x, y = point1
            ex, ey = point2
            ray = x, y, ex - x, ey - y
        except TypeError:
            (x, y), (ex, ey) = pair(point1, "point1"), pair(point2, "point2")
            ray = x, y, ex - x, ey - y
        # Most callbacks end at the first fixture, which is found faster alone.
        row = first_ray_row(self.box2dpy, *ray)
        if row is None:
            return
        passed = [fixture for fixture in self._divided if fixture.TestPoint((x, y))] if self._divided else []
        fraction, limit = row[3], self._report(report, row, 1.0, passed)
        if limit <= fraction:
            return
        for other in ray_rows(self.box2dpy, *ray):
            if other[0] != row[0] and other[3] <= limit:
                limit = self._report(report, other, limit, passed)
                if limit <= other[3]:
                    return

    def _report(self, report: Callable[..., Any], row: tuple[Any, ...], limit: float, passed: list[b2Fixture]) -> float:
        """The fraction at which the ray ends after a report. `passed`: polygons of several pieces that the ray has
        entered: the next piece is no entry."""
        generation, x, y, fraction, nx, ny, _, _ = row
        entry = self._fixtures.get(generation)
        if entry is None or entry[0] in passed:  # without an entry it was made through the interface of box2dpy
            return limit
        if entry[0] in self._divided:
            passed.append(entry[0])
        answer = report(entry[0], vector(x, y), vector(nx, ny), fraction)
        if type(answer) is not float:
            answer = number(answer, "result of ReportFixture")
        return limit if answer < 0.0 else min(answer, limit)

    def QueryAABB(self, callback: b2QueryCallback, aabb: b2AABB) -> None:
        """Calls `callback.ReportFixture(fixture)` for each fixture that touches a box, until it returns False."""
        report = getattr(callback, "ReportFixture", None)
        if report is None:
            raise TypeError(f"callback={short_repr(callback)} must be a b2QueryCallback")
        box = aabb.lowerBound.tuple, aabb.upperBound.tuple
        found: dict[b2Fixture, None] = {}
        for shape in self.box2dpy.overlap_aabb(*box):
            entry = self._fixtures.get(shape_generation(shape))
            if entry is not None:
                found[entry[0]] = None
        for fixture in self._sensors:
            if any(b2AABB(*shape.aabb).overlaps(aabb) for shape in fixture._shapes):
                found[fixture] = None
        for fixture in found:
            if not report(fixture):
                return

    # -- drawing and what there is not

    renderer: Any = None
    """A `b2Draw`, or None."""

    def DrawDebugData(self) -> None:
        """Calls the methods of `renderer` for all that its flags name."""
        if self.renderer is not None:
            self.renderer._draw_world(self)

    Dump = _unsupported("Dump", "World.snapshot() of b2World.box2dpy")
    ShiftOrigin = _unsupported("ShiftOrigin", "nothing: positions are float64, so that large worlds need no shift")
    GetProfile = _unsupported("GetProfile", "World(profiling=...) and World.profile")
    GetTreeHeight = _unsupported("GetTreeHeight", "World.counters of b2World.box2dpy")
    GetTreeBalance = GetTreeQuality = GetTreeHeight

    def __repr__(self) -> str:
        return f"b2World({self.box2dpy!r})"


def _add_maker(name: str, definition: type[b2JointDef]) -> None:
    def create(self: b2World, **options: Any) -> Any:
        return self.CreateJoint(definition(**options))

    create.__doc__ = f"Creates a joint; the keywords are those of `{definition.__name__}`."
    setattr(b2World, name, create)


for _kind, _definition in DEFINITIONS.items():
    _add_maker(f"Create{_kind.__name__[2:]}", _definition)

_OPTIONS = (
    "autoClearForces", "warmStarting", "continuousPhysics", "subStepping", "destructionListener", "contactFilter",
    "renderer",
)  # fmt: skip
