"""Reads levels: what `World.from_dict` and `World.add_dict` do.

Every entry becomes one call of a method that creates an object, and its keys are the options of that method. So the
texts of errors are those of the methods, with the place in the level before them. Objects are created in the order of
the level, because ids and the order of islands follow from it: each body with its shapes and chains, then the joints.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from .._bridge.arguments import choice, integer, number, pair
from .._bridge.body_type import BodyType
from .._bridge.decimals import float32
from .._bridge.errors import LevelError, raise_if, short_repr
from .._bridge.library import lib
from .._bridge.lists import shared_list
from .._bridge.other_names import unexpected
from .._geometry.categories import EVERYTHING, Categories, Filter
from .._geometry.geometry import CLASSES, Frame
from .._geometry.shapes import Box
from .._objects.shape import ShapeOptions, SurfaceOptions
from .level_writer import FORMAT, VERSION, WORLD_OPTIONS, arguments_of, form_name, joint_keywords
from .make_body import BodyOptions
from .materials import MaterialPair

if TYPE_CHECKING:
    from .._objects.body import Body
    from .._objects.joint import Joint

W = TypeVar("W")

FORMS = {form_name(form): form for form in (*CLASSES.values(), Box)}
JOINTS = [*(name for _, name in shared_list("joint_types")), "rope"]
_TOP = ("format", "version", "world", "categories", "material_pairs", "bodies", "joints")
_OF_BODY = [
    "type", "position", "angle", "rotation", "turns", "mass", "inertia", "local_center", "force", "torque", "shapes",
    "chains",
]  # fmt: skip
SHAPE_KEYS = [name for name in ShapeOptions.__annotations__ if name != "update_mass"]
CHAIN_KEYS = [*SurfaceOptions.__annotations__, "points", "loop", "data"]
COMMENT = "comment"  # a key that every entry may have


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Puts the place before the message of an error."""
    try:
        yield
    except LevelError as error:
        raise LevelError(f"{place}{'' if str(error).startswith(('.', '[', ':')) else ': '}{error}") from None
    except (ValueError, TypeError) as error:
        raise LevelError(f"{place}: {error}") from None


def _entry(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{short_repr(value)} must be a dictionary")
    return {key: each for key, each in value.items() if key != COMMENT}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError(f"{short_repr(value)} must be a list")
    return list(value)


def _known(names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            message = str(unexpected("", str(name), list(known)))
            raise LevelError(f"there is no key {name!r}" + message.partition(repr(name))[2])


def _either(entry: dict[str, Any], name: str, other: str) -> None:
    if name in entry and other in entry:
        raise LevelError(f"{other}={short_repr(entry[other])} stands in place of {name}: give one of them")


def _complete(entry: dict[str, Any], required: Iterable[str]) -> None:
    for name in required:
        if name not in entry:
            raise LevelError(f"it has no {name!r}")


def _type(entry: dict[str, Any], types: Collection[str]) -> str:
    """Takes the type out of an entry."""
    _complete(entry, ["type"])
    return choice(entry.pop("type"), "type", types)


def _number(value: Any, depth: int = 3) -> Any:
    """The number of a text for what JSON has no number for, also in lists."""
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    return [_number(each, depth - 1) for each in value] if isinstance(value, list) and depth else value


class _Part(NamedTuple):
    """A shape or chain that is to be created."""

    body: int
    place: str
    order: float | None
    make: Callable[[], None]


class _Reader:
    def __init__(self, world: Any, level: Mapping[str, Any]) -> None:
        self.world = world
        self.level = level
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.angles: list[tuple[Joint, float]] = []  # of frame B, where creation measures the turns of the bodies
        self.names: dict[str, list[int]] = {}  # places of the bodies with a name

    def read(self) -> None:
        with _at("material_pairs"):
            self._material_pairs()
        bodies, joints = self._entries("bodies"), self._entries("joints")
        for k, entry in enumerate(bodies):
            if isinstance(entry.get("name"), str):
                self.names.setdefault(entry["name"], []).append(k)
        later = [part for k, entry in enumerate(bodies) for part in self._parts(k, entry)]
        ordered = any(part.order is not None for part in later)
        firsts = self._firsts(joints)
        for k, entry in enumerate(bodies):
            while len(self.joints) < len(joints) and firsts[len(self.joints)] <= k:
                self._joint(joints)
            with _at(f"bodies[{k}]"):
                self._body(entry)
            while not ordered and later and later[0].body == k:
                self._create(later.pop(0))
            if not ordered:
                self._weigh(k, entry)
        for part in sorted(later, key=lambda part: inf if part.order is None else part.order):
            self._create(part)
        for k, entry in enumerate(bodies):
            if ordered:
                self._weigh(k, entry)
        while len(self.joints) < len(joints):
            self._joint(joints)
        for k, entry in enumerate(bodies):
            self._settle(k, entry)
        for k, entry in enumerate(bodies):  # last, because all of the above wakes whole islands
            if entry.get("awake") is False and self.bodies[k].awake:
                self.bodies[k].awake = False
        if any(entry.get("turns") for entry in bodies):
            for joint, angle in self.angles:
                joint.local_angle_b = angle

    def _entries(self, name: str) -> list[dict[str, Any]]:
        with _at(name):
            listed = _list(self.level.get(name, []))
        found = []
        for k, each in enumerate(listed):
            with _at(f"{name}[{k}]"):
                found.append(_entry(each))
        return found

    def _parts(self, k: int, body: dict[str, Any]) -> Iterator[_Part]:
        """The shapes and chains of a body."""
        for name, make in (("shapes", self._shape), ("chains", self._chain)):
            with _at(f"bodies[{k}].{name}"):
                listed = _list(body.get(name, []))
            for i, each in enumerate(listed):
                place = f"bodies[{k}].{name}[{i}]"
                with _at(place):
                    entry = _entry(each)
                    order = None if "order" not in entry else number(entry.pop("order"), "order")
                yield _Part(k, place, order, partial(make, k, entry))

    def _create(self, part: _Part) -> None:
        with _at(part.place):
            part.make()

    def _material_pairs(self) -> None:
        for k, each in enumerate(_list(self.level.get("material_pairs", []))):
            with _at(f"[{k}]"):
                pair_ = _entry(each)
                _known(pair_, ["a", "b", *MaterialPair._fields])
                _complete(pair_, ["a", "b"])
                self.world.set_material_pair(**pair_)

    # -- bodies

    def _body(self, entry: dict[str, Any]) -> None:
        options = {name: value for name, value in entry.items() if name in BodyOptions.__annotations__}
        _known(entry, [*_OF_BODY, *BodyOptions.__annotations__])
        _complete(entry, ["type"])
        _either(entry, "angle", "rotation")
        place = entry.get("position", (0.0, 0.0)), entry.get("angle", 0.0)
        body = self.world.create_body(entry["type"], *place, **options)
        self.bodies.append(body)
        if "rotation" in entry:
            body.rotation = entry["rotation"]

    def _set(self, body: Body, property_: int, *values: float) -> None:
        raise_if(lib.b2d_body_set(self.world._ptr, body._index, body._generation, property_, values), body)

    def _weigh(self, k: int, entry: dict[str, Any]) -> None:
        """Sets the mass, once all shapes are there."""
        body = self.bodies[k]
        if entry.get("shapes"):
            body.update_mass()
        for name in ("mass", "inertia", "local_center"):
            if name in entry:
                with _at(f"bodies[{k}]"):
                    setattr(body, name, entry[name])

    def _settle(self, k: int, entry: dict[str, Any]) -> None:
        """Restores what the creation of shapes and joints has changed, and applies forces."""
        body = self.bodies[k]
        with _at(f"bodies[{k}]"):
            if entry.get("turns"):
                self._set(body, lib.B2D_BODY_TURNS, integer(entry["turns"], "turns"))
            if body.type == BodyType.STATIC:
                return
            asleep = entry.get("awake") is False
            velocity, rate = entry.get("linear_velocity", (0.0, 0.0)), entry.get("angular_velocity", 0.0)
            if not asleep and body.angular_velocity != float32(rate):
                body.angular_velocity = rate
            if not asleep and body.linear_velocity != tuple(map(float32, velocity)):
                body.linear_velocity = velocity
            if "force" in entry:
                self._set(body, lib.B2D_BODY_FORCE, *pair(entry["force"], "force"))
            if "torque" in entry:
                self._set(body, lib.B2D_BODY_TORQUE, number(entry["torque"], "torque"))

    # -- shapes

    def _shape(self, k: int, entry: dict[str, Any]) -> None:
        form = FORMS[_type(entry, FORMS)]
        usual = arguments_of(form)
        _known(entry, [*usual, *SHAPE_KEYS])
        _complete(entry, (name for name, default in usual.items() if default is inspect.Parameter.empty))
        arguments = {name: entry.pop(name) for name in usual if name in entry}
        self.bodies[k].create_shape(form(**arguments), **self._options(entry), update_mass=False)

    def _options(self, entry: dict[str, Any]) -> dict[str, Any]:
        options = {name: value if name == "data" else _number(value) for name, value in entry.items()}
        if "filter" in options:
            options["filter"] = self._filter(options["filter"])
        return options

    def _filter(self, value: Any) -> Filter:
        entry = _entry(value)
        _known(entry, ("category", "mask", "but", "group"))
        _either(entry, "mask", "but")
        categories = self.world.categories
        mask = _bits(entry.get("mask", EVERYTHING), categories) & ~_bits(entry.get("but", 0), categories)
        return Filter(_bits(entry.get("category", 1), categories), mask, entry.get("group", 0))

    def _chain(self, k: int, entry: dict[str, Any]) -> None:
        segments = _list(entry.pop("segments", []))
        points = entry.pop("points", [])
        _known(entry, CHAIN_KEYS)
        chain = self.bodies[k].create_chain(points, **self._options(entry))
        shapes = chain.shapes if segments else []
        for i, each in enumerate(segments):
            with _at(f".segments[{i}]"):
                own = self._options(_entry(each))
                _known(own, ["segment", *SurfaceOptions.__annotations__])
                place = integer(own.pop("segment", None), "segment", 0, len(shapes) - 1)
                for name, value in own.items():
                    setattr(shapes[place], name, value)

    # -- joints

    def _reference(self, entry: dict[str, Any], key: str, items: Sequence[Any]) -> Any:
        value = entry.pop(key, None)
        if isinstance(value, str) and items is self.bodies:
            places = self.names.get(value, [])
            if len(places) != 1:
                many = f"{len(places)} bodies have this name" if places else "no body has this name"
                raise LevelError(f"{key}={value!r}: {many}")
            value = places[0]
        noun = "joint" if items is self.joints else "body"
        if value is None:
            raise LevelError(f'it has no "{key}": the place of a {noun} in its list{" or its name" * (noun == "body")}')
        place = integer(value, key)
        if not 0 <= place < len(items):
            raise LevelError(f"{key}={place}: there is no such {noun} before it; they are counted from 0")
        return items[place]

    def _firsts(self, joints: list[dict[str, Any]]) -> list[float]:
        """The body before which each joint is created: what it says itself, or a joint behind it in the list."""
        firsts, least = [inf] * len(joints), inf
        for k in range(len(joints) - 1, -1, -1):
            with _at(f"joints[{k}]"):
                least = min(least, integer(joints[k].pop("before"), "before", 0) if "before" in joints[k] else inf)
            firsts[k] = least
        return firsts

    def _joint(self, joints: list[dict[str, Any]]) -> None:
        """Creates the next joint."""
        with _at(f"joints[{len(self.joints)}]"):
            entry = joints[len(self.joints)]
            kind = _type(entry, JOINTS)
            items: Any = (self.joints, "joint_a", "joint_b") if kind == "gear" else (self.bodies, "body_a", "body_b")
            ends = [self._reference(entry, key, items[0]) for key in items[1:]]
            _known(entry, [*items[1:], *joint_keywords(kind)])
            options = {name: value if name == "data" else _number(value) for name, value in entry.items()}
            for name in ("frame_a", "frame_b"):
                if options.get(name) is not None:
                    options[name] = _frame(options[name], name)
            joint = getattr(self.world, f"create_{kind}_joint")(*ends, **options)
            self.joints.append(joint)
            if options.get("frame_b") is not None:
                self.angles.append((joint, options["frame_b"].angle))
            elif "local_anchor_b" in options and _takes_plain_anchors(kind):
                self.angles.append((joint, 0.0))


def _takes_plain_anchors(kind: str) -> bool:
    """Whether local anchors mean frames with the angle 0."""
    return joint_keywords(kind).keys() & {"frame_b", "axis", "normal"} == {"frame_b"}


def _frame(value: Any, name: str) -> Frame:
    parts = _list(value)
    if len(parts) not in (2, 3):
        raise LevelError(f"{name}={short_repr(value)} must be x, y and the angle")
    return Frame(parts[:2], *parts[2:])


def _bits(value: Any, categories: Categories) -> int:
    """The bits of a filter: a number, its hexadecimal digits as a text "0x...", or names of categories."""
    if isinstance(value, str) and value.startswith("0x"):
        return int(value, 16)
    if isinstance(value, str):
        return categories[value]
    if isinstance(value, list):
        return categories.mask(*value)
    return integer(value, "bits", 0, EVERYTHING)


def _checked(level: Any) -> dict[str, Any]:
    """The level, if this version can read it."""
    with _at("the level"):
        entry = _entry(level)
    if entry.get("format", FORMAT) != FORMAT:
        raise LevelError(f'its "format" is {short_repr(entry["format"])} and not {FORMAT!r}')
    version = entry.get("version", VERSION)
    if version != VERSION:
        raise LevelError(f'its "version" is {short_repr(version)}; this box2dpy reads version {VERSION}')
    _known(entry, _TOP)
    return entry


def world_of(cls: type[W], level: Any, options: Mapping[str, Any]) -> W:
    """What `World.from_dict` does."""
    entry = _checked(level)
    with _at("world"):
        of_level = dict(_entry(entry.get("world", {})))
        _known(of_level, ["gravity", *WORLD_OPTIONS, "strategies"])
        if "strategies" in of_level:
            from .strategies import NAMES, Strategies

            strategies = _entry(of_level["strategies"])
            _known(strategies, NAMES)
            of_level["strategies"] = Strategies(**strategies)
        if not options:
            world: Any = cls(**of_level)
    if options:
        world = cls(**{**of_level, **options})
    try:
        with _at("categories"):
            world.categories = Categories(*_list(entry.get("categories", [])))
        _Reader(world, entry).read()
    except BaseException:
        world.close()
        raise
    return cast("W", world)


def added(world: Any, level: Any) -> dict[str, Any]:
    """What `World.add_dict` does."""
    entry, pairs = _checked(level), world.material_pairs
    reader = _Reader(world, entry)
    try:
        reader.read()
    except BaseException:
        for body in reader.bodies:
            body.destroy()
        now = world.material_pairs
        for key in now.keys() - pairs.keys():
            world.remove_material_pair(*key)
        for key, numbers in pairs.items():
            if now.get(key) != numbers:
                world.set_material_pair(*key, **numbers._asdict())
        raise
    return {"bodies": reader.bodies, "joints": reader.joints}
