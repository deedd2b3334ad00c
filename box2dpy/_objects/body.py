"""`Body`: the handle of a rigid body, with its properties and the methods that create its shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal
from weakref import ref

from .._bridge.arguments import finite_pair, flag, number, pair, text
from .._bridge.arguments import points as array_of_points
from .._bridge.body_type import BodyType, BodyTypeName, as_body_type
from .._bridge.errors import raise_error, raise_if
from .._bridge.handles import (
    BOX,
    FLAG,
    HANDLE_POOL,
    INTEGER,
    NUMBER,
    PAIR,
    Codec,
    Handle,
    Property,
    ReadOnly,
    list_handles,
)
from .._bridge.library import ffi, lib
from .._bridge.other_names import add_other_names
from .._bridge.signatures import refuse, shows
from .._bridge.vectors import Vec2
from .._geometry.geometry import Geometry, as_geometry
from .shape import DEFAULT_SHAPE, SHAPE_BUFFERS, SHAPE_DEFAULTS, Shape, ShapeOptions, SurfaceOptions, shape_definition

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .chain import Chain
    from .contact import Contact
    from .island import Island
    from .joint import Joint
    from .world_handles import WorldHandles

_new, _bare, _create_shape = tuple.__new__, object.__new__, lib.b2d_shape_create
_pop_handle, _give_handle = HANDLE_POOL.pop, HANDLE_POOL.give_back
_set = lib.b2d_body_set
_POSITION, _ANGLE, _ROTATION = lib.B2D_BODY_POSITION, lib.B2D_BODY_ANGLE, lib.B2D_BODY_ROTATION
_LINEAR_VELOCITY, _ANGULAR_VELOCITY = lib.B2D_BODY_LINEAR_VELOCITY, lib.B2D_BODY_ANGULAR_VELOCITY


TYPE: Codec[BodyType, BodyType | BodyTypeName] = Codec(
    lambda out: BodyType(int(out[0])), lambda value, name: (float(as_body_type(value)),)
)


class Body(Handle):
    """A rigid body, made by `World.create_static_body`, `create_kinematic_body` or `create_dynamic_body`.

    Every attribute raises `DestroyedError` when the body or its world has been destroyed, and `WorldLockedError` while
    another thread steps the world. Assigning raises `ValueError` for values that are not finite or out of range, and
    `TypeError` for wrong types.

    >>> with World() as world:
    ...     ball = world.create_dynamic_body((0, 10), name="ball")
    ...     shape = ball.create_shape(Circle(0.5))
    ...     ball.linear_velocity = 3, 0
    ...     world.step(0.1)
    ...     ball.position.x > 0.29
    True
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_BODY
    _world: WorldHandles
    _C_PREFIX = "BODY"
    _C_GET = lib.b2d_body_get
    _C_SET = _set

    def _reload(self) -> None:
        """Called when a row was not found: raises the reason, or fetches the tables again after they have grown."""
        self._check_alive()
        self._world._reload(self._index)

    # -- motion: read from the tables of C, without a call

    @property
    def position(self) -> Vec2:
        """The origin of the body in world coordinates, metres (float64). Assigning teleports the body and wakes
        the bodies that it touches.

        >>> with World() as world:
        ...     body = world.create_static_body((1, 2))
        ...     body.position = body.position + (0, 1)
        ...     body.position
        Vec2(1.0, 3.0)
        """
        i = self._row
        pose = self._world._pose
        try:
            return _new(Vec2, (pose[i], pose[i + 1]))
        except IndexError:
            self._reload()
        return self.position

    @position.setter
    def position(self, value: Vec2Like) -> None:
        status = _set(self._world._ptr, self._index, self._generation, _POSITION, pair(value, "position"))
        if status:
            raise_error(status, self, position=value)

    @property
    def angle(self) -> float:
        """Rotation in radians, in (-pi, pi], counter-clockwise. Assigning turns the body about its origin.

        >>> with World() as world:
        ...     body = world.create_static_body(angle=0.5)
        ...     round(body.angle, 6)
        0.5
        """
        i = 2 * self._row
        pose = self._world._pose32
        try:
            angle = math.atan2(pose[i + 5], pose[i + 4])
            return angle if angle > -math.pi else math.pi
        except IndexError:
            self._reload()
        return self.angle

    @angle.setter
    def angle(self, value: float) -> None:
        status = _set(self._world._ptr, self._index, self._generation, _ANGLE, (number(value, "angle"),))
        if status:
            raise_error(status, self, angle=value)

    @property
    def total_angle(self) -> float:
        """Rotation in radians with the whole turns since the body was created: `angle + 2 * pi * turns`, continuous in
        time.

        >>> with World() as world:
        ...     wheel = world.create_dynamic_body(angular_velocity=7.0)
        ...     shape = wheel.create_shape(Circle(0.5))
        ...     for _ in range(60):
        ...         world.step()
        ...     round(wheel.angle, 2), round(wheel.total_angle, 2)
        (0.72, 7.0)
        """
        return self.angle + math.tau * self.turns

    @property
    def rotation(self) -> Vec2:
        """The same as `angle`, as `Vec2(cos, sin)`. Assigning normalises the direction, which must not be zero."""
        i = 2 * self._row
        pose = self._world._pose32
        try:
            return _new(Vec2, (pose[i + 4], pose[i + 5]))
        except IndexError:
            self._reload()
        return self.rotation

    @rotation.setter
    def rotation(self, value: Vec2Like) -> None:
        status = _set(self._world._ptr, self._index, self._generation, _ROTATION, pair(value, "rotation"))
        raise_if(status, self, rotation=value)

    @property
    def linear_velocity(self) -> Vec2:
        """Velocity of the centre of mass, m/s, world axes; zero while asleep. Assigning wakes the body.

        >>> with World() as world:
        ...     body = world.create_dynamic_body(linear_velocity=(1, 0))
        ...     body.linear_velocity *= 2
        ...     body.linear_velocity
        Vec2(2.0, 0.0)
        """
        i = 2 * self._row
        state = self._world._state
        try:
            return _new(Vec2, (state[i], state[i + 1]))
        except IndexError:
            self._reload()
        return self.linear_velocity

    @linear_velocity.setter
    def linear_velocity(self, value: Vec2Like) -> None:
        encoded = pair(value, "linear_velocity")
        status = _set(self._world._ptr, self._index, self._generation, _LINEAR_VELOCITY, encoded)
        if status:
            raise_error(status, self, linear_velocity=value)

    @property
    def angular_velocity(self) -> float:
        """Rate of rotation, rad/s, counter-clockwise; zero while asleep. Assigning wakes the body."""
        i = 2 * self._row
        state = self._world._state
        try:
            return state[i + 2]
        except IndexError:
            self._reload()
        return self.angular_velocity

    @angular_velocity.setter
    def angular_velocity(self, value: float) -> None:
        encoded = (number(value, "angular_velocity"),)
        status = _set(self._world._ptr, self._index, self._generation, _ANGULAR_VELOCITY, encoded)
        if status:
            raise_error(status, self, angular_velocity=value)

    # -- properties that the C core reads and writes by number

    # generated: properties of a body, see tools/lists.py
    gravity_scale = Property(NUMBER)
    linear_damping = Property(NUMBER)
    angular_damping = Property(NUMBER)
    sleep_threshold = Property(NUMBER)
    safety_factor = Property(NUMBER)
    awake = Property(FLAG)
    enabled = Property(FLAG)
    can_sleep = Property(FLAG)
    bullet = Property(FLAG)
    allow_fast_rotation = Property(FLAG)
    lock_x = Property(FLAG)
    lock_y = Property(FLAG)
    lock_rotation = Property(FLAG)
    mass = Property(NUMBER)
    inertia = Property(NUMBER)
    local_center = Property(PAIR)
    world_center = ReadOnly(PAIR)
    sleep_timer = ReadOnly(NUMBER)
    aabb = ReadOnly(BOX)
    contact_force = ReadOnly(PAIR)
    # end of generated
    force = ReadOnly(PAIR, "Sum of the forces applied since the last step, N.")
    torque = ReadOnly(NUMBER, "Sum of the torques applied since the last step, N m.")
    turns = ReadOnly(INTEGER, "Whole turns: `angle + 2 * pi * turns` is continuous in time.")

    type = Property(TYPE, "Static, kinematic or dynamic. The name may be assigned, too.")

    @property
    def name(self) -> str:
        """Any text, which `repr` shows; empty by default."""
        self._check_alive()
        return self._world._names.get((self._index, self._generation), "")

    @name.setter
    def name(self, value: str) -> None:
        self._check_alive()
        self._world._names[self._index, self._generation] = text(value, "name")

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy, J: that of the centre of mass and that of the rotation. 0 for bodies without mass.

        >>> with World() as world:
        ...     ball = world.create_dynamic_body(linear_velocity=(3, 4))
        ...     ball.mass = 2
        ...     ball.kinetic_energy
        25.0
        """
        (vx, vy), w = self.linear_velocity, self.angular_velocity
        return 0.5 * (self.mass * (vx * vx + vy * vy) + self.inertia * w * w)

    @property
    def potential_energy(self) -> float:
        """Potential energy in the gravity of the world, J: 0 where the centre of mass is at the origin.

        >>> with World(gravity=(0, -10)) as world:
        ...     ball = world.create_dynamic_body((0, 3))
        ...     ball.mass = 2
        ...     ball.potential_energy
        60.0
        """
        (x, y), (gx, gy) = self.world_center, self._world._gravity()
        return -self.mass * self.gravity_scale * (gx * x + gy * y)

    # -- its shapes, joints, contacts, neighbours and island

    def _list(self, kind: int) -> list[tuple[int, int]]:
        at = self._index, self._generation, kind
        return list_handles(lambda *room: lib.b2d_body_list(self._world._ptr, *at, *room), self)

    @property
    def shapes(self) -> list[Shape]:
        """Its shapes in the order of their indices."""
        return [self._world._shape(*row) for row in self._list(lib.B2D_KIND_SHAPE)]

    @property
    def chains(self) -> list[Chain]:
        """Its chains in the order of their indices."""
        return [self._world._chain(*row) for row in self._list(lib.B2D_KIND_CHAIN)]

    @property
    def joints(self) -> list[Joint]:
        """Its joints in the order of their indices."""
        return [self._world._joint(*row) for row in self._list(lib.B2D_KIND_JOINT)]

    @property
    def contacts(self) -> list[Contact]:
        """Its contacts in the order of their indices: all pairs whose fat boxes overlap, touching or not."""
        return [self._world._contact(*row) for row in self._list(lib.B2D_KIND_CONTACT)]

    @property
    def touching_bodies(self) -> list[Body]:
        """The bodies that touch it now, in the order of their indices."""
        return [self._world._body(*row) for row in self._list(lib.B2D_KIND_BODY)]

    @property
    def island(self) -> Island | None:
        """The group of bodies that it moves and sleeps with; None for static and disabled bodies."""
        rows = self._list(lib.B2D_KIND_ISLAND)
        return self._world._island(*rows[0]) if rows else None

    # -- actions

    @shows(ShapeOptions.__annotations__, SHAPE_DEFAULTS, Shape)
    def create_shape(self, geometry: Geometry, **options: Unpack[ShapeOptions]) -> Shape:
        """Adds a shape.

        Args:
            geometry: a `Circle`, `Capsule`, `Segment`, `Polygon` or `Box`, in body coordinates.

        Raises:
            ValueError: a value is not finite or out of range.
            TypeError: a wrong type, or an option that does not exist.
            DestroyedError: the body has been destroyed.

        >>> with World() as world:
        ...     body = world.create_dynamic_body()
        ...     shape = body.create_shape(Box(0.5, 0.5), density=2.0)
        ...     shape.body is body, round(body.mass, 5)
        (True, 2.0)

        A platform that bodies can jump through from below:

        >>> with World() as world:
        ...     platform = world.create_static_body().create_shape(Box(2, 0.1), one_way=(0, 1))
        ...     ball = world.create_dynamic_body((0, -1), linear_velocity=(0, 8)).create_shape(Circle(0.25))
        ...     for _ in range(120):
        ...         world.step()
        ...     round(ball.body.position.y, 1), platform.one_way
        (0.3, Vec2(0.0, 1.0))
        """
        if not isinstance(geometry, Geometry):
            as_geometry(geometry)  # raises
        definition, buffer, data = DEFAULT_SHAPE, None, None
        if options:
            buffer, others = shape_definition(options)
            definition = buffer[0]
            if others:
                data = others.pop("data", None)
                refuse("create_shape", others, also=ShapeOptions.__annotations__)
        world = self._world
        try:
            out = _pop_handle()
        except IndexError:
            out = HANDLE_POOL.take()
        status = _create_shape(world._ptr, self._index, self._generation, geometry._c, definition, out)
        if status:
            if status & 0xFF == lib.B2D_LOCKED and world._in_callback():
                return world._deferred_handle(Shape, lambda: self.create_shape(geometry, **options))
            raise_error(status, self, geometry=geometry, **options)
        if buffer is not None:
            SHAPE_BUFFERS.give_back(buffer)
        index, generation = out.index, out.generation
        _give_handle(out)
        shape = _bare(Shape)
        shape._world = world
        shape._index = index
        shape._generation = generation
        shape._row = 4 * index
        world._handles[generation] = ref(shape)
        if data is not None:
            shape.data = data
        return shape

    @shows(ShapeOptions.__annotations__, SHAPE_DEFAULTS, Shape)
    def create_shapes(self, geometries: Iterable[Geometry], **options: Unpack[ShapeOptions]) -> list[Shape]:
        """Adds a shape for each geometry, all with the same options of `create_shape`, and updates the mass once.

        Raises:
            ValueError, TypeError, DestroyedError: as `create_shape`; then none is added.

        >>> with World() as world:
        ...     dumbbell = world.create_dynamic_body()
        ...     shapes = dumbbell.create_shapes([Circle(1, center=(-2, 0)), Circle(1, center=(2, 0))], density=3)
        ...     len(shapes), round(dumbbell.mass, 2)
        (2, 18.85)
        """
        update = flag(options.pop("update_mass", True), "update_mass")
        waiting: ShapeOptions = {**options, "update_mass": False}
        last: ShapeOptions = {**options, "update_mass": update}
        forms, made = list(geometries), list[Shape]()
        try:
            for k, geometry in enumerate(forms, 1):
                made.append(self.create_shape(geometry, **(last if k == len(forms) else waiting)))
        except BaseException:
            for shape in made:
                shape.destroy(update_mass=False)
            raise
        return made

    @shows(SurfaceOptions.__annotations__, SHAPE_DEFAULTS, Shape)
    def create_chain(
        self,
        points: ArrayLike,
        *,
        loop: bool = False,
        front: Literal["outside", "inside"] | None = None,
        data: Any = None,
        **options: Unpack[SurfaceOptions],
    ) -> Chain:
        """Adds one-sided segments along a line of points. Shapes slide over the points without a bump.

        The segments connect all points, the first and the last included. The chain collides on the right of its
        direction: a ground goes from right to left, and a counter-clockwise loop is solid outside. A body that comes
        from behind passes while its centre is behind the chain; after that it is pushed out in front, as ground should
        do with a body that has sunk into it. A platform that bodies jump through is better made with `one_way`: a body
        from behind then passes until it is out, and falls back if it turns before.

        Args:
            points: body coordinates, metres, shape (n, 2): at least 2 points, of a loop 3. A point within 5 mm of the
                one before it is left out.
            loop: joins the last point to the first, which may be repeated as the last one.
            front: the side of a loop that collides, whatever the direction of its points: "outside" for an island,
                "inside" for a room.
            data: any Python object, see `Chain.data`.

        Raises:
            ValueError: too few points, or a value that is not finite or out of range.
            TypeError: a wrong type, or an option that does not exist.
            DestroyedError: the body has been destroyed.

        >>> with World() as world:
        ...     room = [(-5, -5), (5, -5), (5, 5), (-5, 5)]
        ...     walls = world.create_static_body().create_chain(room, loop=True, front="inside")
        ...     ball = world.create_dynamic_body((0, -4)).create_shape(Circle(0.5))
        ...     for _ in range(60):
        ...         world.step()
        ...     round(ball.body.position.y, 1)
        -4.5
        """
        from .chain import Chain, line_of

        world = self._world
        closed = flag(loop, "loop")
        rows = line_of(array_of_points(points, "points"), points, closed, front)
        refuse("create_chain", options, SurfaceOptions.__annotations__)
        (buffer, _), out = shape_definition(options), ffi.new("b2d_handle *")
        first = ffi.from_buffer("double[]", rows)
        status = lib.b2d_chain_create(
            world._ptr, self._index, self._generation, first, len(rows), closed, buffer.struct, out
        )
        if status:
            if status & 0xFF == lib.B2D_LOCKED and world._in_callback():
                return world._deferred_handle(Chain, lambda: self.create_chain(rows, loop=closed, data=data, **options))
            raise_error(status, self, points=points, **options)
        chain = Chain._made(world, out.index, out.generation)
        world._handles[out.generation] = ref(chain)
        if data is not None:
            chain.data = data
        return chain

    def destroy(self) -> None:
        """Removes the body with its shapes, joints and contacts. A second call does nothing.

        >>> with World() as world:
        ...     body = world.create_static_body()
        ...     body.destroy()
        ...     body.destroy()
        ...     body
        <Body 0 destroyed>
        """
        self._world._destroy(self, lib.b2d_body_destroy)

    def apply_force(self, force: Vec2Like, point: Vec2Like | None = None, *, wake: bool = True) -> None:
        """Adds a force in N for the next step, at a world point or, without one, at the centre of mass.

        A sleeping body is woken, or with `wake=False` ignores the call. With `wake=False` the force does not keep a
        body awake that is otherwise at rest.
        """
        (fx, fy), at, wake = pair(force, "force"), point is not None, flag(wake, "wake")
        px, py = pair(point, "point") if point is not None else (0.0, 0.0)
        status = lib.b2d_body_apply_force(self._world._ptr, self._index, self._generation, fx, fy, at, px, py, wake)
        if status:
            raise_error(status, self, force=force, point=point)

    def apply_torque(self, torque: float, *, wake: bool = True) -> None:
        """Adds a torque in N m for the next step, counter-clockwise."""
        value, wake = number(torque, "torque"), flag(wake, "wake")
        status = lib.b2d_body_apply_torque(self._world._ptr, self._index, self._generation, value, wake)
        if status:
            raise_error(status, self, torque=torque)

    def apply_impulse(self, impulse: Vec2Like, point: Vec2Like | None = None, *, wake: bool = True) -> None:
        """Changes the velocity at once by an impulse in N s, at a world point or at the centre of mass.

        >>> with World() as world:
        ...     body = world.create_dynamic_body()
        ...     shape = body.create_shape(Box(0.5, 0.5), density=2.0)
        ...     body.apply_impulse((4, 0))
        ...     round(body.linear_velocity.x, 5)
        2.0
        """
        (jx, jy), at, wake = pair(impulse, "impulse"), point is not None, flag(wake, "wake")
        px, py = pair(point, "point") if point is not None else (0.0, 0.0)
        status = lib.b2d_body_apply_impulse(self._world._ptr, self._index, self._generation, jx, jy, at, px, py, wake)
        if status:
            raise_error(status, self, impulse=impulse, point=point)

    def apply_angular_impulse(self, impulse: float, *, wake: bool = True) -> None:
        """Changes the rate of rotation at once by an angular impulse in N m s."""
        value, wake = number(impulse, "impulse"), flag(wake, "wake")
        status = lib.b2d_body_apply_angular_impulse(self._world._ptr, self._index, self._generation, value, wake)
        if status:
            raise_error(status, self, impulse=impulse)

    def clear_forces(self) -> None:
        """Removes the forces and torques that were applied since the last step. A sleeping body stays asleep.

        >>> with World() as world:
        ...     body = world.create_dynamic_body()
        ...     body.apply_force((3, 4))
        ...     body.clear_forces()
        ...     body.force, body.torque
        (Vec2(0.0, 0.0), 0.0)
        """
        for prop, zero in ((lib.B2D_BODY_FORCE, (0.0, 0.0)), (lib.B2D_BODY_TORQUE, (0.0,))):
            raise_if(_set(self._world._ptr, self._index, self._generation, prop, zero), self)

    def wake_touching(self) -> None:
        """Wakes the islands of all bodies that touch this body, after a change of it that should affect them."""
        for body in self.touching_bodies:
            body.awake = True

    def set_target(self, position: Vec2Like, angle: float, dt: float) -> None:
        """Sets the velocities that bring a kinematic body to this pose in `dt` seconds."""
        (x, y), turn, time = pair(position, "position"), number(angle, "angle"), number(dt, "dt")
        status = lib.b2d_body_set_target(self._world._ptr, self._index, self._generation, x, y, turn, time)
        raise_if(status, self, position=position, angle=angle, dt=dt)

    def update_mass(self) -> None:
        """Computes mass, inertia and centre of mass from the shapes again."""
        raise_if(lib.b2d_body_update_mass(self._world._ptr, self._index, self._generation), self)

    # -- coordinates

    def _frame_at(self, x: float, y: float, direction: float) -> tuple[float, float, float]:
        """A world point in body coordinates, and a direction relative to the angle of the body."""
        i = self._row
        pose, pose32 = self._world._pose, self._world._pose32
        try:
            dx, dy, c, s = x - pose[i], y - pose[i + 1], pose32[2 * i + 4], pose32[2 * i + 5]
        except IndexError:
            self._reload()
            return self._frame_at(x, y, direction)
        return c * dx + s * dy, c * dy - s * dx, math.remainder(direction - self.angle, math.tau)

    def world_point(self, local_point: Vec2Like) -> Vec2:
        """Body coordinates to world coordinates. Raises ValueError, as the next four methods do, unless finite.

        >>> with World() as world:
        ...     world.create_static_body((1, 2)).world_point((3, 0))
        Vec2(4.0, 2.0)
        """
        x, y = finite_pair(local_point, "local_point")
        (c, s), (px, py) = self.rotation, self.position
        return Vec2(px + c * x - s * y, py + s * x + c * y)

    def local_point(self, world_point: Vec2Like) -> Vec2:
        """World coordinates to body coordinates."""
        x, y = finite_pair(world_point, "world_point")
        (c, s), (px, py) = self.rotation, self.position
        return Vec2(c * (x - px) + s * (y - py), c * (y - py) - s * (x - px))

    def world_vector(self, local_vector: Vec2Like) -> Vec2:
        """A direction from body axes to world axes."""
        x, y = finite_pair(local_vector, "local_vector")
        c, s = self.rotation
        return Vec2(c * x - s * y, s * x + c * y)

    def local_vector(self, world_vector: Vec2Like) -> Vec2:
        """A direction from world axes to body axes."""
        x, y = finite_pair(world_vector, "world_vector")
        c, s = self.rotation
        return Vec2(c * x + s * y, c * y - s * x)

    def velocity_at(self, point: Vec2Like) -> Vec2:
        """Velocity of the material point that is at this world point, m/s."""
        x, y = finite_pair(point, "point")
        (cx, cy), (vx, vy), w = self.world_center, self.linear_velocity, self.angular_velocity
        return Vec2(vx - w * (y - cy), vy + w * (x - cx))

    def _describe(self) -> str:
        x, y = self.position
        name = self.name
        return f"{f' {name!r}' if name else ''} {self.type.name.lower()} at ({x:.6g}, {y:.6g})"


add_other_names(Body)
