"""How joints are created: what the `create_..._joint` methods of all types have in common.

A method looks only at the options that it was given, because a call with twenty arguments takes longer than creating
the joint. So the function that a type declares with `@joint_maker` has a signature and a docstring, and `JointCreator`
does the work. Options that many types share are in `JointOptions` and `PlacedJointOptions`; `inspect.signature` and
`help` list them all.
"""

from __future__ import annotations

import functools
import inspect
import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast

from .._bridge.definitions import NUMBERS, Field, OptionWriter, struct_buffers
from .._bridge.errors import DestroyedError, raise_error, short_repr
from .._bridge.handles import DEAD, FLAG, HANDLE_POOL, INHERITED, NUMBER, Property
from .._bridge.library import ffi, lib
from .._bridge.signatures import keywords, refuse, shows
from .._geometry.geometry import Frame
from .._objects.body import Body
from .._objects.joint import Joint
from .placement import PLACES, frames_of

if TYPE_CHECKING:
    from .._bridge.choices import JointSolver
    from .._bridge.vectors import Vec2Like
    from .._objects.collections import WorldObjects

INFINITY = float("inf")
REQUIRED = inspect.Parameter.empty
JOINT_BUFFERS = struct_buffers("b2d_joint_def")
_PLAIN_TYPES = {NUMBER: float, INHERITED: float, FLAG: bool}  # values of these types are what C takes
_VALUES_AT = ffi.offsetof("b2d_joint_def", "value") // 8  # in doubles
_pack_frames, _FRAMES_AT = struct.Struct("6d").pack_into, ffi.offsetof("b2d_joint_def", "ax")
_create, _give_back = lib.b2d_joint_create, JOINT_BUFFERS.give_back

# The two forms of a spring, of which a call gives one: by the names of its options.
SPRINGS = {
    f"{prefix}{newton}": (f"{prefix}hertz", f"{prefix}damping_ratio")
    for prefix in ("", "linear_", "angular_")
    for newton in ("stiffness", "damping")
}

J = TypeVar("J", bound=Joint)
F = TypeVar("F", bound=Callable[..., Joint])


# Options that mean nothing while a flag is off, and so switch it on unless the flag is given, too.
SWITCHED_ON = {
    "enable_spring": ("hertz", "stiffness", "damping"),
    "enable_limit": (
        *("lower_angle", "upper_angle", "lower_translation", "upper_translation", "min_length", "max_length"),
    ),
    "enable_motor": ("motor_speed", "max_motor_torque", "max_motor_force"),
}


class NoSharedOptions(TypedDict, total=False):
    """For a joint that constrains nothing."""


class JointOptions(TypedDict, total=False):
    """Options of every joint that constrains something; for their meaning see the properties of `Joint`."""

    # generated: types of joint options, see tools/lists.py
    collide_connected: bool
    joint_hertz: float | None
    joint_damping_ratio: float | None
    joint_solver: JointSolver
    force_threshold: float
    torque_threshold: float
    # end of generated
    data: Any


class PlacedJointOptions(JointOptions, total=False):
    """The same and where the joint is: exactly one of `anchor`, local anchors and frames."""

    anchor: Vec2Like | None
    local_anchor_a: Vec2Like | None
    local_anchor_b: Vec2Like | None
    frame_a: Frame | None
    frame_b: Frame | None


JOINT_DEFAULTS: dict[str, Any] = {
    # generated: defaults of joint options, see tools/lists.py
    "collide_connected": False,
    "joint_hertz": None,
    "joint_damping_ratio": None,
    "joint_solver": "auto",
    "force_threshold": INFINITY,
    "torque_threshold": INFINITY,
    # end of generated
    "data": None,
}
_DEFAULTS = {**JOINT_DEFAULTS, **dict.fromkeys(PLACES)}

_PLACE_TEXT = """

    Say where the joint is in exactly one of three ways: `anchor`, a point in the world (the joint's angle is 0 now);
    `local_anchor_a` and `local_anchor_b` in body coordinates (its angle is the difference of the bodies' angles);
    `frame_a` and `frame_b`, points with directions in body coordinates."""
_RAISES_TEXT = """

    Raises:
        ValueError: not finite; out of range; the same body twice; a body of another world{place}.
        TypeError: a wrong type.
        DestroyedError: a body is gone.
    """


def with_options(joint_class: type[Joint], bundle: type[Any]) -> Callable[[F], F]:
    """Shows the options of the bundle, which the function takes as `**options`, in its signature, and completes its
    text."""

    def decorate(function: F) -> F:
        placed = bundle is PlacedJointOptions
        place = "; not exactly one of anchor, local anchors and frames" if placed else ""
        text = (function.__doc__ or "").rstrip() + (_PLACE_TEXT if placed else "")
        function.__doc__ = text if "Raises:" in text else text + _RAISES_TEXT.format(place=place)
        return shows(_in_order(bundle), _DEFAULTS, joint_class)(function)

    return decorate


def _in_order(bundle: type[Any]) -> dict[str, Any]:
    """The options of a bundle and their types, first those that say where a joint is."""
    return dict(sorted(bundle.__annotations__.items(), key=lambda item: item[0] not in PLACES))


def options_of(declared: Callable[..., Any], bundle: type[Any]) -> dict[str, Any]:
    """The options of a method and of its bundle with their defaults; `REQUIRED` for those without."""
    defaults = (declared.__kwdefaults__ or {}) | _DEFAULTS
    return {name: defaults.get(name, REQUIRED) for name in (*keywords(declared), *_in_order(bundle))}


def joint_maker(
    joint_class: type[Joint], bundle: type[Any] = PlacedJointOptions, *, axis: str = "", axis_angle: float = 0.0
) -> Callable[[F], F]:
    """Turns a declaration into the method that creates joints of this class.

    `axis` is the option with a direction in world coordinates, if there is one, and `axis_angle` is its default in
    radians.
    """

    def decorate(declared: F) -> F:
        with_options(joint_class, bundle)(declared)
        options = options_of(declared, bundle)
        creator = JointCreator(
            joint_class, declared.__name__, options, {*PLACES, axis} & options.keys(), axis, axis_angle
        )

        @functools.wraps(declared)
        def create(world: WorldObjects, body_a: Body, body_b: Body, **options: Any) -> Joint:
            return creator.create(world, body_a, body_b, options)

        return cast("F", create)

    return decorate


class JointCreator(Generic[J]):
    """Creates joints of one type from two bodies and options.

    Args:
        joint_class: of the joints.
        name: of the method, for messages.
        options: their defaults by name; `REQUIRED` for those without.
        places: the options that say where a joint is; a joint without any has no frames.
        axis: the one of them with a direction in world coordinates, if there is one.
        axis_angle: its default, radians.
    """

    def __init__(
        self,
        joint_class: type[J],
        name: str,
        options: Mapping[str, Any],
        places: set[str],
        axis: str = "",
        axis_angle: float = 0.0,
    ) -> None:
        self.joint_class = joint_class
        self.name = name
        self.defaults = {key: value for key, value in options.items() if value is not REQUIRED}
        self.required = options.keys() - self.defaults.keys()
        self.places = places
        self.axis = axis
        self.axis_angle = axis_angle
        self._names = options.keys() - places
        self._switches = {
            option: flag
            for flag, switched_on in SWITCHED_ON.items()
            for option in switched_on
            if option in options and flag in options
        }
        self._switched_on = {*self._switches, *self._switches.values()} if "length" in options else {*self._switches}
        self._switched_on |= SPRINGS.keys() & options.keys()
        self._writer: OptionWriter | None = None

    def writer(self) -> OptionWriter:
        """Writes the options into the C struct, each at the place of its property; built for the first joint."""
        if self._writer is None:
            fields = {}
            for name in self._names:
                attribute = getattr(self.joint_class, name, None)
                if isinstance(attribute, Property):
                    codec = attribute.codec
                    place = _VALUES_AT + 2 * attribute.number
                    fields[name] = Field(_PLAIN_TYPES.get(codec), NUMBERS, place, codec.encode)
            template = ffi.new("b2d_joint_def *")
            lib.b2d_joint_def_init(template, self.joint_class._TYPE)
            self._writer = OptionWriter(JOINT_BUFFERS, template, fields)
        return self._writer

    def create(self, world: WorldObjects, body_a: Body, body_b: Body, options: dict[str, Any]) -> J:
        if not (type(body_a) is type(body_b) is Body and body_a._world is body_b._world is world) or (
            body_a._row == DEAD or body_b._row == DEAD
        ):
            check_bodies(world, body_a, body_b)
        if not (body_a._generation and body_b._generation):  # created in this callback, as the joint will be
            return self._create_later(world, body_a, body_b, options)
        if not self._switched_on.isdisjoint(options):
            options = self._switch_on(options)
        buffer, others = (self._writer or self.writer()).write(options)
        definition, memory, _ = buffer
        data = others.pop("data", None)
        self.check_names(others, options)
        place = frames_of(body_a, body_b, others, self.axis, self.axis_angle) if self.places else (0.0,) * 6
        _pack_frames(memory, _FRAMES_AT, *place)
        out = HANDLE_POOL.take()
        status = _create(
            world._ptr, body_a._index, body_a._generation, body_b._index, body_b._generation, definition, out
        )
        if status:
            check_bodies(world, body_a, body_b)
            if status & 0xFF == lib.B2D_LOCKED and world._in_callback():
                return self._create_later(world, body_a, body_b, options)
            given = {**self.defaults, **options}
            if self.places:
                given |= {"frame_a": Frame(place[:2], place[2]), "frame_b": Frame(place[3:5], place[5])}
            raise_error(status, world, body_a=body_a, body_b=body_b, **given)
        _give_back(buffer)
        joint = world._new_handle(self.joint_class, out.index, out.generation, world._destroyed_count)
        HANDLE_POOL.give_back(out)
        if data is not None:
            joint.data = data
        return joint

    def _switch_on(self, options: dict[str, Any]) -> dict[str, Any]:
        """With the flags of the options that mean nothing without them. A distance joint has limits and a motor only
        where its length is soft."""
        for option, others in SPRINGS.items() if not SPRINGS.keys().isdisjoint(options) else ():
            both = [other for other in others if options.get(option) is not None and options.get(other) is not None]
            if both:
                raise ValueError(
                    f"{option}={short_repr(options[option])} and {both[0]}={short_repr(options[both[0]])}: "
                    "give the spring in one of the two forms"
                )
        implied = {flag: True for option, flag in self._switches.items() if options.get(option) is not None}
        if isinstance(options.get("hertz"), (int, float)) and not options["hertz"]:
            implied.pop("enable_spring", None)
        given = {**implied, **options}
        if "length" in self.defaults and (given.get("enable_limit") or given.get("enable_motor")):
            given.setdefault("enable_spring", True)
        return given

    def check_names(self, others: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Raises TypeError for unknown options and for missing ones without a default, as for any function."""
        refuse(self.name, others, self.places, [*self.defaults, *self.required])
        if self.required and not self.required <= options.keys():
            missing = ", ".join(sorted(self.required - options.keys()))
            raise TypeError(f"{self.name}() is missing required keyword arguments: {missing}")

    def _create_later(self, world: WorldObjects, body_a: Body, body_b: Body, options: dict[str, Any]) -> J:
        return world._deferred_handle(self.joint_class, lambda: self.create(world, body_a, body_b, options))


def check_belongs(world: WorldObjects, item: Body | Joint, name: str) -> None:
    """Refuses what belongs to another world or is gone; what was created in the same callback is accepted."""
    if item._world is not world:
        raise ValueError(f"{name}={short_repr(item)} belongs to another world")
    if not item.alive and not (item._generation == 0 and item._world._in_callback()):
        item._world._ptr  # noqa: B018  raises when closed
        raise DestroyedError(f"{name}={item!r} has been destroyed")


def check_bodies(world: WorldObjects, body_a: Body, body_b: Body) -> None:
    """Refuses what cannot be the two bodies of a joint."""
    for name, body in (("body_a", body_a), ("body_b", body_b)):
        if not isinstance(body, Body):
            raise TypeError(f"{name}={short_repr(body)} must be a Body")
        check_belongs(world, body, name)
    if body_a == body_b:
        raise ValueError(f"body_b={short_repr(body_b)} is body_a too: a joint needs two bodies")
