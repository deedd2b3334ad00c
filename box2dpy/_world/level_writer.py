"""Writes a world as a level: what `World.to_dict` does.

No list of options is written here. The options of bodies, shapes and chains are those of their bundles, and those of a
joint are the keywords of the method that creates its type, with the defaults of its signature. Their values are read
through the properties of the same names or from the definitions of C. What the method takes in another form (the pose,
the place of a joint, filter, colour, direction) has a function below.
"""

from __future__ import annotations

import inspect
import math
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from .._bridge.arguments import flag
from .._bridge.body_type import BodyType
from .._bridge.decimals import direction_angle, float32, short
from .._bridge.errors import raise_if
from .._bridge.handles import WORLD_PAIR, Property
from .._bridge.json_data import json_copy
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._geometry.geometry import Geometry
from .._geometry.shapes import Box, Polygon
from .._joints.creation import SPRINGS, SWITCHED_ON
from .._joints.makers import JointMakers
from .._joints.placement import PLACES
from .._objects.shape import SHAPE_DEFAULTS, Shape, ShapeOptions, SurfaceOptions
from .make_body import BODY_DEFAULTS, BodyOptions
from .options import OPTIONS

if TYPE_CHECKING:
    from .._geometry.categories import Categories, Filter
    from .._objects.body import Body
    from .._objects.chain import Chain
    from .._objects.joint import Joint

FORMAT, VERSION = "box2dpy level", 1
WORLD_OPTIONS = [name for name in OPTIONS if name not in ("gravity_x", "gravity_y", "profiling")]


def _plain(value: Any, exact: bool = False) -> Any:
    """A value of a property as JSON."""
    if isinstance(value, tuple):
        return [_plain(each, exact) for each in value]
    return short(value) if isinstance(value, float) and not exact else value


class _Writer:
    def __init__(self, world: Any, data: bool) -> None:
        self.world, self.data = world, data
        self.bodies = list(world.bodies)
        self.joints = sorted(world.joints, key=_generation)  # a gear comes after its joints
        self.places = {body: place for place, body in enumerate(self.bodies)}
        names: dict[str, int] = {}
        for body in self.bodies:
            names[body.name] = names.get(body.name, 0) + 1
        self.unique = {name for name, count in names.items() if name and count == 1}
        self.orders, self.befores = self._orders(), self._befores()

    def _orders(self) -> dict[Any, int]:
        """The place in the order of creation of each shape and chain, if that is not the order of the level."""
        listed = [part for body in self.bodies for part in (*_own_shapes(body), *body.chains)]
        by_age = sorted(listed, key=_generation)
        return {} if by_age == listed else {part: place for place, part in enumerate(by_age)}

    def _befores(self) -> dict[Joint, int]:
        """The next body that was created after a joint, where that decides the order of the islands. What is said of a
        joint holds for those before it. None where the place of a destroyed body was used again: the level creates
        bodies in the order of their places, which is not that of their creation then."""
        found: dict[Joint, int] = {}
        moving = [(body._generation, place) for place, body in enumerate(self.bodies) if body.type != BodyType.STATIC]
        if moving != sorted(moving):
            return found
        said = len(self.bodies)
        for joint in reversed(self.joints):
            k = bisect_right(moving, (joint._generation, -1))
            if k == len(moving) or moving[k][1] >= said:
                continue
            if all(end.type == BodyType.DYNAMIC for end in (joint.body_a, joint.body_b)):
                found[joint] = said = moving[k][1]
        return found

    def level(self) -> dict[str, Any]:
        level: dict[str, Any] = {"format": FORMAT, "version": VERSION, "world": self._options()}
        names = [*self.world.categories]
        if len(names) > 1:
            level["categories"] = names[1:]
        pairs = self.world.material_pairs.items()
        if pairs:
            level["material_pairs"] = [
                {"a": a, "b": b, **{key: value for key, value in pair._asdict().items() if value is not None}}
                for (a, b), pair in pairs
            ]
        level["bodies"] = [self._body(body) for body in self.bodies]
        level["joints"] = [self._joint(joint) for joint in self.joints]
        return level

    def _options(self) -> dict[str, Any]:
        world = self.world
        options: dict[str, Any] = {"gravity": list(world.gravity)}
        for name in WORLD_OPTIONS:
            index, default, *_ = OPTIONS[name]
            if name == "restitution_threshold" and not any(world.gravity):
                default = 0.0  # see World
            if world._option(index) != default:
                options[name] = getattr(world, name)
        strategies = world.strategies.changes_of_results()
        if strategies:
            options["strategies"] = strategies
        return options

    def _finish(self, entry: dict[str, Any], item: Body | Shape | Chain | Joint) -> dict[str, Any]:
        if item in self.orders:
            entry["order"] = self.orders[item]
        value = item.data
        if self.data and value is not None:
            entry["data"] = json_copy(value, f"data of {item!r}")
        return entry

    # -- bodies

    def _body(self, body: Body) -> dict[str, Any]:
        definition, mass = ffi.new("b2d_body_def *"), ffi.new("double[4]")
        raise_if(lib.b2d_body_definition(self.world._ptr, body._index, body._generation, definition, mass), body)
        entry: dict[str, Any] = {"type": body.type.name.lower()}
        if body.name:
            entry["name"] = body.name
        entry["position"] = list(body.position)
        c, s = body.rotation
        if (c, s) != (1.0, 0.0):
            angle = direction_angle(c, s)
            entry.update({"rotation": [c, s]} if angle is None else {"angle": angle})
        if body.turns:
            entry["turns"] = body.turns
        read = {
            "linear_velocity": tuple(body.linear_velocity),
            "awake": body.awake or body.type == BodyType.STATIC or not body.enabled,
        }
        for name in BodyOptions.__annotations__:
            if name in BODY_DEFAULTS and name not in ("name", "data"):
                value = _plain(read[name] if name in read else getattr(definition, name))
                if value != _plain(BODY_DEFAULTS[name]):
                    entry[name] = value
        if body.type == BodyType.DYNAMIC and not math.isnan(mass[0]):  # the user has set them
            entry.update({"mass": short(mass[0])} if mass[0] > 0 else {})
            entry["inertia"] = short(mass[1])
            entry["local_center"] = [short(mass[2]), short(mass[3])]
        for name in ("force", "torque"):
            value = getattr(body, name)
            if value not in (0.0, (0.0, 0.0)):
                entry[name] = _plain(value)
        shapes, chains = _own_shapes(body), body.chains
        if shapes:
            entry["shapes"] = [self._shape(shape) for shape in shapes]
        if chains:
            entry["chains"] = [self._chain(chain) for chain in chains]
        return self._finish(entry, body)

    def _shape(self, shape: Shape) -> dict[str, Any]:
        return self._finish(
            {**written_geometry(shape.geometry), **self._surface(shape, ShapeOptions.__annotations__)}, shape
        )

    def _surface(self, item: Shape | Chain, names: Any) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        for name in names:
            if name in ("update_mass", "data"):
                continue
            value = getattr(item, name)
            if name == "one_way":
                plain: Any = None if value is None else _direction(value)
            elif name == "filter":
                plain = written_filter(value, self.world.categories)
            elif name == "color":
                plain = f"#{value:06x}" if 0 < value <= 0xFFFFFF else value
            else:
                plain = _plain(value)
            if plain != (SHAPE_DEFAULTS[name] if name != "filter" else {}):
                entry[name] = plain
        return entry

    def _chain(self, chain: Chain) -> dict[str, Any]:
        entry: dict[str, Any] = {"points": [_plain(point) for point in chain.points]}
        if chain.loop:
            entry["loop"] = True
        names = SurfaceOptions.__annotations__
        of_all = self._surface(chain, names)
        entry.update(of_all)
        segments = []
        for k, shape in enumerate(chain.shapes):
            own = self._surface(shape, names)
            different = {
                name: own.get(name, SHAPE_DEFAULTS[name]) for name in names if own.get(name) != of_all.get(name)
            }
            if "filter" in different:
                different["filter"] = own.get("filter", {})
            if different:
                segments.append({"segment": k, **different})
        if segments:
            entry["segments"] = segments
        return self._finish(entry, chain)

    # -- joints

    def _reference(self, body: Body) -> int | str:
        return body.name if body.name in self.unique else self.places[body]

    def _joint(self, joint: Joint) -> dict[str, Any]:
        definition = ffi.new("b2d_joint_def *")
        raise_if(lib.b2d_joint_definition(self.world._ptr, joint._index, joint._generation, definition), joint)
        kind = joint_kind(definition.type)
        entry: dict[str, Any] = {"type": kind}
        coupled = [(each.index, each.generation) for each in definition.joint]
        if coupled[0][1]:
            places = {(each._index, each._generation): place for place, each in enumerate(self.joints)}
            entry["joint_a"], entry["joint_b"] = (places[key] for key in coupled)
        else:
            entry["body_a"], entry["body_b"] = self._reference(joint.body_a), self._reference(joint.body_b)
        entry.update(joint._written_place(definition, joint_keywords(kind)))
        usual, written = _usual_values(type(joint), kind), dict[str, Any]()
        for name, default in usual.items():
            property_ = getattr(type(joint), name)
            raw = definition.value[property_.number]
            if default is None or (*raw,)[: len(default)] != default:
                written[name] = _plain(property_.codec.decode(raw), property_.codec is WORLD_PAIR)
        for option, others in SPRINGS.items():  # a spring is in one of two forms
            for other in others if option in written else ():
                written.pop(other, None)
        _write_switches(written, usual, definition, type(joint))
        entry.update(written)
        if joint in self.befores:
            entry["before"] = self.befores[joint]
        return self._finish(entry, joint)


def _generation(item: Any) -> int:
    return int(item._generation)


def _own_shapes(body: Body) -> list[Shape]:
    """Its shapes without the segments of chains."""
    return [shape for shape in body.shapes if shape.chain is None]


@cache
def joint_kind(number: int) -> str:
    return shared_list("joint_types")[number][1]


@cache
def joint_keywords(kind: str) -> dict[str, Any]:
    """The keywords of `World.create_<kind>_joint` with their defaults; `Parameter.empty` where there is none."""
    parameters = inspect.signature(getattr(JointMakers, f"create_{kind}_joint")).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}


@cache
def _usual_values(joint_class: Any, kind: str) -> dict[str, tuple[float, ...] | None]:
    """The properties that are keywords, and their defaults as C keeps them; None: there is none."""
    found: dict[str, tuple[float, ...] | None] = {}
    for name, default in joint_keywords(kind).items():
        property_ = getattr(joint_class, name, None)
        if isinstance(property_, Property) and name not in PLACES:
            given = default is not inspect.Parameter.empty
            found[name] = tuple(map(float, property_.codec.encode(default, name))) if given else None
    return found


def _write_switches(written: dict[str, Any], usual: Any, definition: Any, joint_class: Any) -> None:
    """Writes each switch that is on, or that the options would switch on although it is off."""
    switches = [flag for flag in SWITCHED_ON if flag in usual]
    implied = {flag for flag in switches if any(name in written for name in SWITCHED_ON[flag])}
    if "length" in usual and implied | (written.keys() & {"enable_limit", "enable_motor"}):
        implied.add("enable_spring")
    for switch in switches:
        on = definition.value[getattr(joint_class, switch).number][0] != 0.0
        if on or switch in implied:
            written[switch] = on


def _direction(value: Any) -> list[float]:
    """A direction in the form in which the same bits come back."""
    x, y = short(value[0]), short(value[1])
    length = math.hypot(x, y)
    if (float32(x / length), float32(y / length)) == tuple(value):
        return [x, y]
    angle = direction_angle(*value)
    return list(value) if angle is None else [math.cos(angle), math.sin(angle)]


def written_filter(filter_: Filter, categories: Categories) -> dict[str, Any]:
    """A filter without what is default; bits with names by their names."""
    entry: dict[str, Any] = {}
    category, mask, group = filter_
    if category != 1:
        entry["category"] = _bits(category, categories)
    if mask != 2**64 - 1:
        but = 2**64 - 1 - mask
        named = categories.names(but)
        if len(named) == but.bit_count():
            entry["but"] = named
        else:
            entry["mask"] = _bits(mask, categories)
    if group:
        entry["group"] = group
    return entry


def _bits(mask: int, categories: Categories) -> Any:
    names = categories.names(mask)
    if len(names) == mask.bit_count():
        return names
    return mask if mask < 2**53 else hex(mask)  # readers in other languages have no larger whole numbers


def form_name(form: type) -> str:
    """`ChainSegment` -> "chain_segment"."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in form.__name__)[1:]


@cache
def arguments_of(form: Any) -> dict[str, Any]:
    """The arguments of a geometry and their defaults."""
    arguments = inspect.signature(form).parameters.values()
    return {each.name: each.default for each in arguments}


def written_geometry(geometry: Geometry) -> dict[str, Any]:
    """A geometry as the arguments of its class."""
    if isinstance(geometry, Polygon):
        geometry = _as_box(geometry) or geometry
    entry: dict[str, Any] = {"type": form_name(type(geometry))}
    for argument, default in arguments_of(cast("Any", type(geometry))).items():
        value = getattr(geometry, argument)
        if value != default:
            entry[argument] = _plain(tuple(value) if isinstance(value, tuple) else value)
    return entry


def _as_box(polygon: Polygon) -> Box | None:
    """The upright box that has the same bits, if there is one."""
    corners = polygon.vertices
    if len(corners) != 4 or len({x for x, _ in corners}) != 2 or len({y for _, y in corners}) != 2:
        return None
    (left, right), (low, high) = (sorted({corner[k] for corner in corners}) for k in (0, 1))
    center = short(float32(0.5 * (left + right))), short(float32(0.5 * (low + high)))
    try:
        box = Box(short(float32(0.5 * (right - left))), short(float32(0.5 * (high - low))), center, 0.0, polygon.radius)
    except ValueError:
        return None
    return box if box == polygon else None


def written(world: Any, data: bool) -> dict[str, Any]:
    """What `World.to_dict` does."""
    return _Writer(world, flag(data, "data")).level()
