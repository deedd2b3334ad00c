"""`Contact`: a pair of shapes that are near each other or touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .._bridge.arguments import bounded
from .._bridge.errors import raise_error
from .._bridge.handles import Handle, struct_dtype
from .._bridge.library import ffi, lib
from .._bridge.made_by_world import MadeByWorld
from .._bridge.other_names import add_other_names
from .._bridge.vectors import Vec2

if TYPE_CHECKING:
    from .body import Body
    from .shape import Shape
    from .world_handles import WorldHandles

CONTACT_DATA = ffi.typeof("b2d_contact_data *")
CONTACT_DTYPE = struct_dtype("b2d_contact_data")


class ContactPoint(NamedTuple):
    """One of the up to two points of a contact."""

    point: Vec2
    """World coordinates, metres: midway between the shapes where they are now."""
    separation: float
    """Gap in metres between the shapes where they are now; negative where they overlap."""
    normal_impulse: float
    """Impulse along the normal in the last of the substeps of a step, N s, without an impact that is over, because the
    next substep begins with it: force times the length of the substep. The force is the mean over a time as long as
    the longest substep of the last second. For the force over the whole step see `Contact.force`."""
    tangent_impulse: float
    """Impulse along the tangent in the last of the substeps of a step, N s: friction."""
    feature: int
    """Which corners or edges meet here; stays the same while the point lasts."""
    relative_velocity: Vec2
    """Velocity of shape B's material relative to shape A's here and now, world axes, m/s."""
    persisted: bool
    """Whether this point was there in the step before. It may be new in a contact that is not."""


class _ContactData:
    """The attributes that `Contact` and `Presolve` have in common."""

    __slots__ = ()

    if TYPE_CHECKING:
        _world: WorldHandles

        def _read(self) -> Any: ...

    @property
    def shape_a(self) -> Shape:
        """The first shape; the normal points away from it."""
        data = self._read()
        return self._world._shape(data.shape_a, data.generation_a)

    @property
    def shape_b(self) -> Shape:
        """The second shape."""
        data = self._read()
        return self._world._shape(data.shape_b, data.generation_b)

    @property
    def body_a(self) -> Body:
        """The body of the first shape."""
        return self.shape_a.body

    @property
    def body_b(self) -> Body:
        """The body of the second shape."""
        return self.shape_b.body

    @property
    def normal(self) -> Vec2:
        """Unit vector from shape A to shape B, world axes."""
        data = self._read()
        return Vec2(data.normal_x, data.normal_y)

    @property
    def points(self) -> tuple[ContactPoint, ...]:
        """Its points: none, one or two."""
        d = self._read()
        return tuple(
            ContactPoint(
                Vec2(d.px[k], d.py[k]), d.separation[k], d.normal_impulse[k], d.tangent_impulse[k], d.feature[k],
                Vec2(d.velocity_x[k], d.velocity_y[k]), bool(d.persisted_point[k]),
            )
            for k in range(d.point_count)
        )  # fmt: skip


class Contact(Handle, _ContactData):
    """A pair of shapes whose fat boxes overlap; the narrow phase computes its points. The engine creates and ends it.

    Each attribute reads the contact as it is now. It raises `DestroyedError` when the contact has ended, and
    `WorldLockedError` while another thread steps the world.

    >>> with World() as world:
    ...     ground = world.create_static_body().create_shape(Box(10, 1))
    ...     ball = world.create_dynamic_body((0, 1.5)).create_shape(Circle(0.5))
    ...     world.step()
    ...     [contact] = ball.contacts
    ...     contact.touching, contact.shape_b is ball or contact.shape_a is ball, len(contact.points)
    (True, True, 1)
    """

    __slots__ = ()
    _KIND = lib.B2D_KIND_CONTACT
    _world: WorldHandles

    def _read(self) -> Any:
        out = ffi.new(CONTACT_DATA)
        status = lib.b2d_contact_get(self._world._ptr, self._index, self._generation, out)
        if status:
            raise_error(status, self)
        return out

    @property
    def alive(self) -> bool:
        """Whether the fat boxes of the pair still overlap; never raises."""
        if self._world.closed:
            return False
        out = ffi.new(CONTACT_DATA)
        return not lib.b2d_contact_get(self._world._ptr, self._index, self._generation, out)

    @property
    def data(self) -> Any:
        """Always None: the engine creates and ends contacts, so that data of the user cannot be kept with them."""
        return None

    @data.setter
    def data(self, value: Any) -> None:
        raise AttributeError("contacts carry no data")

    @property
    def touching(self) -> bool:
        """Whether the two shapes touch: the contact has at least one point."""
        return bool(self._read().point_count)

    @property
    def friction(self) -> float:
        """The mixed friction coefficient."""
        return float(self._read().friction)

    @property
    def restitution(self) -> float:
        """The mixed restitution."""
        return float(self._read().restitution)

    @property
    def force(self) -> Vec2:
        """Force on shape B by shape A, N, world axes: the mean over the last step, friction included.

        Multiplied by `dt` it is the whole momentum that the contact transferred in the step, in all substeps and when
        it bounced. It is (0, 0) where the shapes did not touch, and keeps its last value during sleep.

        >>> with World(gravity=(0, -10)) as world:
        ...     ground = world.create_static_body((0, -1)).create_shape(Box(10, 1))
        ...     crate = world.create_dynamic_body((0, 0.5)).create_shape(Box(0.5, 0.5), density=5)
        ...     for _ in range(60):
        ...         world.step()
        ...     [contact] = crate.contacts
        ...     contact.shape_b is crate, round(contact.force.y, 1), round(crate.body.contact_force.y, 1)
        (True, 50.0, 50.0)
        """
        data = self._read()
        return Vec2(data.force_x, data.force_y)

    @property
    def persisted(self) -> bool:
        """Whether it touches now and touched in the step before."""
        return bool(self._read().persisted)

    @property
    def color(self) -> int:
        """Its colour in the solver: 0 or more, 32 in the overflow, -1 when it is not solved now."""
        return int(self._read().color)

    @property
    def awake(self) -> bool:
        """Whether one of its bodies is awake."""
        return bool(self._read().awake)

    def _describe(self) -> str:
        d = self._read()
        return f" of shapes {d.shape_a} and {d.shape_b}, {d.point_count} points"


class _Setting:
    """A number of a `Presolve` that may be assigned while the callback runs."""

    def __init__(self, name: str, lower: float, upper: float, doc: str) -> None:
        self.name, self.lower, self.upper, self.__doc__ = name, lower, upper, doc

    @overload
    def __get__(self, contact: None, owner: Any = None) -> _Setting: ...
    @overload
    def __get__(self, contact: Presolve, owner: Any = None) -> float: ...
    def __get__(self, contact: Presolve | None, owner: Any = None) -> Any:
        return self if contact is None else float(getattr(contact._data, self.name))

    def __set__(self, contact: Presolve, value: float) -> None:
        setattr(contact._data, self.name, bounded(value, self.name, self.lower, self.upper))


class Presolve(_ContactData, MadeByWorld):
    """Two shapes that are about to push each other: the argument of `World.on_presolve`.

    >>> with World() as world:
    ...     floor = world.create_static_body((0, -1)).create_shape(Box(50, 1))
    ...     puck = world.create_dynamic_body((0, 0.5), linear_velocity=(3, 0))
    ...     shape = puck.create_shape(Box(0.5, 0.5), presolve=True)
    ...     world.on_presolve = lambda contact: setattr(contact, "friction", 0.0)  # None allows
    ...     for _ in range(30):
    ...         world.step()
    ...     round(puck.linear_velocity.x, 2), puck.contacts[0].friction > 0.5
    (3.0, True)
    """

    __slots__ = ("_data", "_world")

    def _set(self, world: WorldHandles, data: Any) -> None:
        self._world = world
        self._data = ffi.new(CONTACT_DATA, ffi.cast(CONTACT_DATA, data)[0])

    def _read(self) -> Any:
        return self._data

    friction = _Setting(
        "friction", 0.0, 3e38, "Friction coefficient in this step, 0 or more; the mixed value by default."
    )
    restitution = _Setting("restitution", 0.0, 1e6, "Restitution in this step; the mixed value by default.")
    tangent_speed = _Setting(
        "tangent_speed",
        -1e9,
        1e9,
        "Speed of the surfaces in this step, m/s; the sum of those of the two shapes by default.",
    )

    def _give(self, rows: Any) -> None:
        """Hands the assigned values to the engine."""
        out, own = ffi.cast(CONTACT_DATA, rows), self._data
        out.friction, out.restitution, out.tangent_speed = own.friction, own.restitution, own.tangent_speed

    @property
    def contact(self) -> Contact | None:
        """Their contact; None for a collision that the continuous stage has found (`fast`)."""
        return None if self.fast else Contact._made(self._world, self._data.contact, self._data.generation)

    @property
    def fast(self) -> bool:
        """Whether continuous collision called it: `shape_b` belongs to the fast body, and the point is where they would
        meet."""
        return bool(self._data.contact < 0)

    @property
    def persisted(self) -> bool:
        """Whether they touched in the step before."""
        return bool(self._data.persisted)

    def __repr__(self) -> str:
        return f"<Presolve of shapes {self._data.shape_a} and {self._data.shape_b}, {self._data.point_count} points>"


add_other_names(Contact)
