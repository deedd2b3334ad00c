"""`b2Body`: a body of the bindings over a body of box2dpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .. import Body, BodyType, WorldLockedError
from ..arguments import flag, integer, number, short_repr
from ..rows import body_position, body_velocity, change_count
from ._definition import Definition, Option, Vector
from ._fixtures import b2Fixture
from ._passed import Passed, T, Wrapper, after_step, before, one_by_one
from ._shapes import (
    as_filter,
    b2ChainShape,
    b2CircleShape,
    b2EdgeShape,
    b2Filter,
    b2FixtureDef,
    b2MassData,
    b2PolygonShape,
    b2Shape,
    refuse_keywords,
)
from ._vectors import LinkedVec2, b2Rot, b2Transform, b2Vec2, vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arguments import Vec2Like
    from ._contacts import b2ContactEdge
    from ._joint import b2JointEdge
    from ._world import b2World


b2_staticBody, b2_kinematicBody, b2_dynamicBody = (int(kind) for kind in BodyType)
_bare: Any = object.__new__


class b2BodyDef(Definition):
    """The properties of a body to be created; the keywords are the attributes."""

    type = Option(b2_staticBody)
    position = Vector()
    angle = Option(0.0)
    linearVelocity = Vector(ours="linear_velocity")
    angularVelocity = Option(0.0, "angular_velocity")
    linearDamping = Option(0.0, "linear_damping")
    angularDamping = Option(0.0, "angular_damping")
    allowSleep = Option(True, "can_sleep")
    awake = Option(True, "awake")
    fixedRotation = Option(False, "lock_rotation")
    bullet = Option(False, "bullet")
    active = Option(True)
    gravityScale = Option(1.0, "gravity_scale")
    userData: Any = Option(None)
    fixtures: Option[Any] = Option(None)
    shapes: Option[Any] = Option(None)
    shapeFixture: Option[b2FixtureDef | None] = Option(None)

    def __init__(self, *values: Any, **options: Any) -> None:
        super().__init__(**dict(zip(self._OPTIONS, values, strict=False)), **options)


_OURS = {name: option.ours for name, option in b2BodyDef._OPTIONS.items() if option.ours}


def body_type(value: Any) -> int:
    """0, 1 or 2."""
    return integer(value, "type", b2_staticBody, b2_dynamicBody)


def make_body(world: b2World, given: dict[str, Any]) -> b2Body:
    """A body with its fixtures, from the attributes of a definition; all of it or nothing."""
    if not given.keys() <= b2BodyDef._OPTIONS.keys():
        refuse_keywords("b2BodyDef", given, b2BodyDef._OPTIONS)
    world._refuse_when_locked()
    kind = body_type(given.get("type", b2_staticBody))
    position, angle, native = given.get("position", (0.0, 0.0)), given.get("angle", 0.0), world.box2dpy
    if kind == b2_staticBody:
        made = native.create_static_body(position, angle, enabled=given.get("active", True))
    else:
        options = {_OURS[name]: value for name, value in given.items() if name in _OURS}
        create = native.create_dynamic_body if kind == b2_dynamicBody else native.create_kinematic_body
        made = create(
            position, angle, enabled=given.get("active", True), sleep_threshold=world.sleepSpeed,
            allow_fast_rotation=True, **options,
        )  # fmt: skip
    body: b2Body = _bare(b2Body)
    body.box2dpy = made
    body.world = world
    body.userData = given.get("userData")
    body._fixtures = []
    body._joints = []
    try:
        if abs(made.angle - angle) > 1e-3:
            made.angle = angle  # counts the whole turns, which creating a body does not
        _add_contents(body, given)
        body._give_mass()
    except BaseException:
        world._forget_body(body)
        made.destroy()
        raise
    world._bodies[body] = None
    world._fresh.add(body)
    return body


def _add_contents(body: b2Body, given: dict[str, Any]) -> None:
    """Adds the fixtures of a definition."""
    fixtures, shapes = given.get("fixtures"), given.get("shapes")
    if fixtures is not None:
        for each in (fixtures,) if isinstance(fixtures, b2FixtureDef) else fixtures:
            if not isinstance(each, b2FixtureDef):
                raise TypeError(f"fixtures={short_repr(fixtures)} must be a b2FixtureDef or several")
            body._add(each.shape, each.__dict__)
    if shapes is not None:
        model = given.get("shapeFixture")
        values = model.__dict__ if isinstance(model, b2FixtureDef) else {}
        body._add_shapes(shapes, values)


class b2Body(Wrapper):
    """A rigid body, made by `b2World.CreateStaticBody`, `CreateKinematicBody` or `CreateDynamicBody`; it takes any
    further attributes."""

    _OF = Body
    box2dpy: Body
    """The body of box2dpy."""
    world: b2World
    """The world of the body."""
    _fixtures: list[b2Fixture]
    _joints: list[Any]
    # The angle as it was read last, and after how many changes of the world: the turns take longer to read.
    # Environments read it thrice a step
    _angle, _changes = 0.0, -2

    def __init__(self) -> None:
        raise TypeError("a b2Body is made by b2World.CreateStaticBody, CreateDynamicBody, CreateKinematicBody")

    # -- motion

    @property
    def position(self) -> b2Vec2:
        """The origin of the body, metres. Assigning it or a component teleports the body."""
        made = _bare(LinkedVec2)
        made._x, made._y = body_position(self.box2dpy)
        made._owner = self
        made._name = "position"
        return made  # type: ignore[no-any-return]

    @position.setter
    def position(self, value: Vec2Like | b2Vec2) -> None:
        self.world._refuse_when_locked()
        self.box2dpy.position = value  # type: ignore[assignment]
        self.world._fresh.add(self)

    @property
    def angle(self) -> float:
        """Rotation in radians, whole turns included."""
        body = self.box2dpy
        changes = change_count(body)
        if changes != self._changes:
            self._angle, self._changes = body.total_angle, changes if changes >= 0 else -2
        return self._angle

    @angle.setter
    def angle(self, value: float) -> None:
        self.world._refuse_when_locked()
        self.box2dpy.angle = value
        self.world._fresh.add(self)

    @property
    def transform(self) -> b2Transform:
        """Position and rotation; assign `(position, angle)`."""
        x, y = self.box2dpy.position
        made: b2Transform = _bare(b2Transform)
        made._position = vector(x, y)
        made.q = rotation = _bare(b2Rot)
        rotation.c, rotation.s = self.box2dpy.rotation
        return made

    @transform.setter
    def transform(self, value: Any) -> None:
        try:
            position, angle = value
        except (TypeError, ValueError):
            raise TypeError(f"transform={short_repr(value)} must be (position, angle)") from None
        angle = number(angle, "angle")
        self.position = position
        self.angle = angle

    @property
    def linearVelocity(self) -> b2Vec2:
        """Velocity of the centre of mass, m/s. A component may be assigned, too."""
        made = _bare(LinkedVec2)
        made._x, made._y = body_velocity(self.box2dpy)
        made._owner = self
        made._name = "linearVelocity"
        return made  # type: ignore[no-any-return]

    @linearVelocity.setter
    def linearVelocity(self, value: Vec2Like | b2Vec2) -> None:
        self._change(linear_velocity=value)

    angularVelocity = Passed[float]("angular_velocity")
    linearDamping = Passed[float]("linear_damping")
    angularDamping = Passed[float]("angular_damping")
    gravityScale = Passed[float]("gravity_scale")
    bullet = Passed[bool]("bullet")
    sleepingAllowed = Passed[bool]("can_sleep")
    fixedRotation = Passed[bool]("lock_rotation")

    @property
    def awake(self) -> bool:
        """Whether it is simulated."""
        body = self.box2dpy
        x, y = body_velocity(body)
        if x or y:
            return True  # a sleeping body has no velocity, which is read faster
        return body.awake

    @awake.setter
    def awake(self, value: bool) -> None:
        if flag(value, "awake") != self.box2dpy.awake:  # waking again would count the time of rest from 0
            self._change(awake=value)

    @property
    def active(self) -> bool:
        """Whether it moves and collides."""
        return self.box2dpy.enabled

    @active.setter
    def active(self, value: bool) -> None:
        self.world._refuse_when_locked()
        self.box2dpy.enabled = value
        self.world._fresh.add(self)

    @property
    def type(self) -> int:
        """`b2_staticBody`, `b2_kinematicBody` or `b2_dynamicBody`."""
        return int(self.box2dpy.type)

    @type.setter
    def type(self, value: int) -> None:
        self.world._refuse_when_locked()
        self.box2dpy.type = BodyType(body_type(value))
        self._give_mass()
        self.world._fresh.add(self)

    _extent: float | None = None

    def _reach(self) -> float:
        """How far its shapes are from its origin at most, metres."""
        if self._extent is None:
            (x, y), boxes = self.box2dpy.position, [shape.aabb for shape in self.box2dpy.shapes]
            ends = [(max(right - x, x - left), max(above - y, y - below)) for (left, below), (right, above) in boxes]
            self._extent = max((math.hypot(*end) for end in ends), default=0.0)
        return self._extent

    # -- mass

    def _give_mass(self) -> None:
        """The mass of the fixtures without their rounding; a dynamic body without mass weighs 1 kg, as in Box2D 2.3."""
        body = self.box2dpy
        body.update_mass()
        if body.type != BodyType.DYNAMIC:
            return
        parts = [fixture.massData for fixture in self._fixtures if fixture.density]
        mass = sum(part.mass for part in parts)
        body.mass = mass or 1.0
        if mass:
            x = sum(part.mass * part.center.x for part in parts) / mass
            y = sum(part.mass * part.center.y for part in parts) / mass
            body.local_center = x, y
            body.inertia = max(sum(part.I for part in parts) - mass * (x * x + y * y), 0.0)

    @property
    def mass(self) -> float:
        """Kilograms; 0 for a body that is not dynamic."""
        return self.box2dpy.mass

    @mass.setter
    @after_step
    def mass(self, value: float) -> None:
        data = self.massData
        data.mass = number(value, "mass")
        self.massData = data

    @property
    def inertia(self) -> float:
        """Rotational inertia about the origin of the body, kg m^2."""
        body = self.box2dpy
        x, y = body.local_center
        return body.inertia + body.mass * (x * x + y * y)

    @inertia.setter
    @after_step
    def inertia(self, value: float) -> None:
        data = self.massData
        data.I = number(value, "inertia")
        self.massData = data

    @property
    def massData(self) -> b2MassData:
        """Mass, centre of mass, and inertia about the origin; a copy, to be assigned after a change."""
        return b2MassData(self.mass, self.localCenter, self.inertia)

    @massData.setter
    @after_step
    def massData(self, value: b2MassData) -> None:
        (x, y), body = value.center, self.box2dpy
        central = value.I - value.mass * (x * x + y * y)
        if value.I and central <= 0.0:
            raise ValueError(f"I={value.I:g} must be that about the origin, more than mass times distance^2 of center")
        body.mass = value.mass or 1.0
        body.local_center = x, y
        body.inertia = max(central, 0.0)

    def GetMassData(self, data: b2MassData) -> None:
        """Writes the mass data into `data`."""
        own = self.massData
        data.mass, data.center, data.I = own.mass, own.center, own.I

    def ResetMassData(self) -> None:
        """Computes mass, centre and inertia from the fixtures again."""
        self.world._refuse_when_locked()
        self._give_mass()

    @property
    def localCenter(self) -> b2Vec2:
        """The centre of mass, body coordinates, metres."""
        return vector(*self.box2dpy.local_center)

    @property
    def worldCenter(self) -> b2Vec2:
        """The centre of mass, world coordinates, metres."""
        return vector(*self.box2dpy.world_center)

    # -- forces

    def _push(self, push: Callable[..., None], vector: Any, point: Any, wake: bool) -> None:
        """Applies a force or an impulse. As in Box2D 2.3 it does nothing to bodies that are not dynamic.

        A body that is awake is not woken again: box2dpy would count its time of rest from 0, and Box2D 2.3 does not.
        """
        body, wakes = self.box2dpy, wake is True or flag(wake, "wake")
        try:
            x, y = body_velocity(body)
            push(vector, point, wake=wakes and not (x or y or body.awake))
        except WorldLockedError:
            self.world._after_step(lambda: self._push(push, vector, point, wake))
        except ValueError:
            if body.type is BodyType.DYNAMIC:
                raise

    @after_step
    def _turn(self, turn: Callable[..., None], value: float, wake: bool) -> None:
        """Applies a torque or an angular impulse."""
        try:
            turn(value, wake=flag(wake, "wake") and not self.awake)
        except ValueError:
            if self.box2dpy.type is BodyType.DYNAMIC:
                raise

    def ApplyForce(self, force: Vec2Like | b2Vec2, point: Vec2Like | b2Vec2, wake: bool = True) -> None:
        """Adds a force in N at a world point for the next step."""
        self.world._forces = True
        self._push(self.box2dpy.apply_force, force, point, wake)

    def ApplyForceToCenter(self, force: Vec2Like | b2Vec2, wake: bool = True) -> None:
        """Adds a force in N at the centre of mass for the next step."""
        self.world._forces = True
        self._push(self.box2dpy.apply_force, force, None, wake)

    def ApplyLinearImpulse(self, impulse: Vec2Like | b2Vec2, point: Vec2Like | b2Vec2, wake: bool = True) -> None:
        """Changes the velocity at once by an impulse in N s at a world point."""
        self._push(self.box2dpy.apply_impulse, impulse, point, wake)

    def ApplyTorque(self, torque: float, wake: bool = True) -> None:
        """Adds a torque in N m for the next step."""
        self.world._forces = True
        self._turn(self.box2dpy.apply_torque, torque, wake)

    def ApplyAngularImpulse(self, impulse: float, wake: bool = True) -> None:
        """Changes the rate of rotation at once by an impulse in N m s."""
        self._turn(self.box2dpy.apply_angular_impulse, impulse, wake)

    # -- coordinates

    def GetWorldPoint(self, localPoint: Vec2Like | b2Vec2) -> b2Vec2:
        """Body coordinates to world coordinates."""
        return vector(*self.box2dpy.world_point(localPoint))  # type: ignore[arg-type]

    def GetWorldVector(self, localVector: Vec2Like | b2Vec2) -> b2Vec2:
        """A direction from body axes to world axes."""
        return vector(*self.box2dpy.world_vector(localVector))  # type: ignore[arg-type]

    def GetLocalPoint(self, worldPoint: Vec2Like | b2Vec2) -> b2Vec2:
        """World coordinates to body coordinates."""
        return vector(*self.box2dpy.local_point(worldPoint))  # type: ignore[arg-type]

    def GetLocalVector(self, worldVector: Vec2Like | b2Vec2) -> b2Vec2:
        """A direction from world axes to body axes."""
        return vector(*self.box2dpy.local_vector(worldVector))  # type: ignore[arg-type]

    def GetLinearVelocityFromWorldPoint(self, worldPoint: Vec2Like | b2Vec2) -> b2Vec2:
        """The velocity of the material point at a world point, m/s."""
        return vector(*self.box2dpy.velocity_at(worldPoint))  # type: ignore[arg-type]

    def GetLinearVelocityFromLocalPoint(self, localPoint: Vec2Like | b2Vec2) -> b2Vec2:
        """The velocity of a point given in body coordinates, m/s."""
        return self.GetLinearVelocityFromWorldPoint(self.GetWorldPoint(localPoint))

    # -- fixtures

    @property
    def fixtures(self) -> list[b2Fixture]:
        """Its fixtures in the order of their creation."""
        return list(self._fixtures)

    fixtures_gen = one_by_one(fixtures)

    def _add(self, shape: Any, values: dict[str, Any]) -> b2Fixture:
        """A fixture; `values` has the attributes of a definition."""
        if not isinstance(shape, b2Shape):
            raise ValueError(f"shape={short_repr(shape)} must be a shape: it is missing or of another type")
        world = self.world
        world._refuse_when_locked()
        bits, sensor = values.get("filter"), values.get("isSensor", False)
        own = b2Filter() if bits is None else as_filter(bits)
        fixture: b2Fixture = _bare(b2Fixture)
        fixture.body = self
        fixture.userData = values.get("userData")
        fixture._filter = own
        own._fixture = fixture
        options = {
            "density": values.get("density", 0.0),
            "friction": values.get("friction", 0.2),
            "restitution": values.get("restitution", 0.0),
            "filter": own._native(),
            "sensor_events": True,
        }
        if sensor:
            options["sensor"] = sensor
        if world._presolves:
            options["presolve"] = True
        if world._postsolves or self._joints:
            options["hit_events"] = True
        forms, body = shape._geometries(), self.box2dpy
        if len(forms) == 1:
            fixture._shapes = [body.create_shape(forms[0], **options)]
        else:
            fixture._shapes = body.create_shapes(forms, **options)
        fixture._shape = shape._copy()
        assert fixture._shape is not None
        fixture._shape._fixture = fixture
        self._fixtures.append(fixture)
        world._note_fixture(fixture)
        if sensor:
            world._note_sensor(fixture, True)
        return fixture

    def _add_shapes(self, shapes: Any, values: dict[str, Any]) -> list[b2Fixture]:
        if not isinstance(shapes, (list, tuple)):
            shapes = [shapes]
        made: list[b2Fixture] = []
        try:
            made.extend(self._add(shape, values) for shape in shapes)
        except BaseException:
            for fixture in made:
                self._remove(fixture)
            raise
        return made

    def _complete(self, made: T) -> T:
        """The mass and the events after fixtures were added later."""
        self._give_mass()
        self.world._fresh.add(self)
        return made

    def _fixture_of(self, shape: b2Shape, options: dict[str, Any]) -> b2Fixture:
        return self.CreateFixture(b2FixtureDef(shape, **options))

    def CreateFixture(self, defn: b2FixtureDef | None = None, **options: Any) -> b2Fixture:
        """Adds a fixture: from a definition, or from its keywords."""
        made = b2FixtureDef(**options) if defn is None else defn
        if not isinstance(made, b2FixtureDef) or (defn is not None and options):
            raise ValueError("give a b2FixtureDef, or its keywords with shape=")
        return self._complete(self._add(made.shape, made.__dict__))

    def CreateCircleFixture(self, pos: Any = (0.0, 0.0), radius: float = 0.0, **options: Any) -> b2Fixture:
        """Adds a circle; the other keywords are those of `b2FixtureDef`."""
        return self._fixture_of(b2CircleShape(pos, radius), options)

    def CreatePolygonFixture(self, vertices: Any = None, box: Any = None, **options: Any) -> b2Fixture:
        """Adds a polygon; the other keywords are those of `b2FixtureDef`."""
        return self._fixture_of(b2PolygonShape(vertices, box), options)

    def CreateEdgeFixture(self, vertices: Any = None, **options: Any) -> b2Fixture:
        """Adds an edge; the other keywords are those of `b2EdgeShape` and `b2FixtureDef`."""
        ends = {name: options.pop(name) for name in ("vertex0", "vertex1", "vertex2", "vertex3") if name in options}
        return self._fixture_of(b2EdgeShape(vertices, **ends), options)

    def CreateChainFixture(
        self, vertices: Any = None, vertices_chain: Any = None, vertices_loop: Any = None, **options: Any
    ) -> b2Fixture:
        """Adds a chain; the other keywords are those of `b2FixtureDef`."""
        return self._fixture_of(b2ChainShape(vertices, vertices_chain, vertices_loop), options)

    CreateLoopFixture = CreateChainFixture

    def CreateEdgeChain(self, edge_list: Sequence[Any]) -> None:
        """Adds an edge between each two neighbouring points."""
        points = list(edge_list)
        if len(points) < 2:
            raise ValueError(f"edge_list={short_repr(edge_list)} must be 2 points or more")
        edges = [b2EdgeShape(ends) for ends in pairwise(points)]
        self._complete(self._add_shapes(edges, {}))

    def CreateFixturesFromShapes(self, shapes: Any, shapeFixture: b2FixtureDef | None = None) -> Any:
        """Adds a fixture for one or several shapes, with the material of `shapeFixture`, and returns them."""
        values = {} if shapeFixture is None else shapeFixture.__dict__
        made = self._complete(self._add_shapes(shapes, values))
        return made if isinstance(shapes, (list, tuple)) else made[0]

    def DestroyFixture(self, fixture: b2Fixture) -> None:
        """Removes a fixture and ends its contacts."""
        self.world._refuse_when_locked()
        if fixture not in self._fixtures:
            raise ValueError(f"{fixture!r} is no fixture of this body")
        self.world._end_contacts_of([fixture])
        self._remove(fixture)
        self._give_mass()
        self.world._reports.raise_kept()

    def _remove(self, fixture: b2Fixture) -> None:
        self._fixtures.remove(fixture)
        for shape in fixture._shapes:
            shape.destroy()
        self.world._forget_fixture(fixture)

    # -- neighbours

    @property
    def joints(self) -> list[b2JointEdge]:
        """Its joints, each with the other body."""
        from ._joint import b2JointEdge

        return [b2JointEdge(joint, joint.bodyB if joint.bodyA is self else joint.bodyA) for joint in self._joints]

    joints_gen = one_by_one(joints)

    @property
    def contacts(self) -> list[b2ContactEdge]:
        """Its contacts, touching or not, each with the other body."""
        return self.world._contacts_of(self)

    contacts_gen = one_by_one(contacts)

    @property
    def next(self) -> b2Body | None:
        """The body that was created before it, or None."""
        return before(list(self.world._bodies), self)

    def __repr__(self) -> str:
        return f"b2Body({self.box2dpy!r})"
