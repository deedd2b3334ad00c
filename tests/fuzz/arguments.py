"""Random arguments for the calls of `tests.fuzz.calls`, drawn by the names of the parameters."""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import box2dpy as b2

from ..seeds import draws

ODD = (
    None, math.nan, math.inf, -math.inf, -1, 0, -0.0, 1e300, -1e300, 1e-300, 5e-324, 10**400, "text", b"", True, (), [],
    {}, {1.0, 2.0}, {1.0: 0, 2.0: 0}, (1, 2, 3), (math.nan, 0), (1e300, 0), (10**400, 0), ("a", "b"), object(), 2**31,
    2**63, 2**64, -(2**31), [[1, 2], [3]], np.zeros((3, 0)), np.full((2, 2), np.nan), np.arange(6)[::2], 1j, range(2),
    np.array(["a", "b"]), np.float32(1), np.int8(-1), int, len,
)  # fmt: skip

CHOICES: dict[str, tuple[Any, ...]] = {
    "dt": (1 / 60, 1 / 60, 1 / 30, 0.0, 1e-9, 1.0),
    "type": ("static", "kinematic", "dynamic", b2.BodyType.DYNAMIC),
    "simd": ("auto", "scalar", *(*b2.cpu_features(), *["auto"] * 4)[:4]),  # as many on every processor
    "broadphase": ("auto", "grid", "tree", "brute"),
    "narrowphase": ("batched", "per_pair"),
    "joint_solver": ("auto", "direct", "iterative"),
    "friction_mixing": ("geometric", "min", "max"),
    "restitution_mixing": ("arithmetic", "multiply", "max"),
    "contact_events": ("shapes", "bodies", True, False),
    "continuous": (True, False, "all"),
    "color": (None, "red", 0xFF00FF00, (1, 2, 3)),
    "by": ("kind", "body", "material"),
    "region": ((-5, -1, 5, 2), b2.Box(3, 1), b2.AABB(b2.Vec2(-5, -1), b2.Vec2(5, 2))),
    "name": ("one", "two", "ground", ""),
    "names": ("one", "two"),
    "category": ("one", ["one", "two"]),
    "text": ("one", "<&>", ""),
    "flags": ("joints", "boxes", "fat_boxes", "nodes", "contacts", "normals", "forces", "islands", "ids", "mass"),
    "view": (None, (-9, -9, 9, 9)),
    "camera": (None, (-9, -9, 9, 9)),
    "bitmap": ([[0, 1, 1], [0, 1, 0], [0, 0, 0]], np.eye(5), np.zeros((2, 2))),
    "holes": ((), [[(-0.1, -0.1), (0.1, -0.1), (0, 0.1)]]),
    "workers": (1, 2, 3, 4),
    "length_unit": (1.0, 0.5, 10.0),
    "one_way": (None, None, (0, 1)),
    "size": (5.0, (64, 48)),
    "what": ("shapes", "fat", "nodes"),
}
MANY = ("points", "origins", "where", "vertices", "lowers", "uppers", "outline", "corners")
MANY_STEMS = ("positions", "translations", "centers", "linear_velocities")
FLAG_STEMS = ("wake", "can_", "awake", "enabled", "bullet", "lock", "sensor", "loop", "enable", "update", "callbacks")
FLAG_STEMS += ("collide_connected", "allow", "hit_events", "presolve", "closed", "persisted", "touching", "sleeping")
WHOLE = ("n", "substeps", "k", "index", "key", "group", "material", "max_vertices", "mask", "spans", "iterations")
WHOLE += ("count", "bodies", "shapes", "contacts", "max_steps")
SCALAR_STEMS = ("angle", "torque", "hertz", "ratio", "speed", "density", "length", "angular", "radius", "scale", "mass")
SCALAR_STEMS += (
    "friction", "restitution", "threshold", "damping", "distance", "margin", "fraction", "time", "rotation",
)  # fmt: skip
PAIR_STEMS = ("position", "point", "force", "velocity", "axis", "anchor", "translation", "center", "groove", "offset")
PAIRS = ("origin", "lower", "upper", "impulse", "wind", "target", "direction", "gravity", "vector", "flow", "other")
PAIRS += ("p1", "p2", "ghost1", "ghost2", "a", "b", "normal")


def parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Of a function without `self`; none of what C implements."""
    if inspect.ismethod(function):
        return of_signature(function.__func__)[1:]
    return of_signature(function) if inspect.isfunction(function) or inspect.isclass(function) else ()


@cache
def of_signature(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()


class Lively:
    """An argument that runs code of the program when it is read, and is something else each time."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments

    def read(self) -> random.Random:
        self.arguments.read_argument()
        return self.arguments.draw

    def __index__(self) -> int:
        return self.read().randrange(-1, 4)

    def __float__(self) -> float:
        return self.read().uniform(-2, 9)

    def __bool__(self) -> bool:
        return self.read().random() < 0.5

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        draw = self.read()
        return np.full([draw.randrange(4) for _ in range(draw.randrange(4))], draw.uniform(-2, 9))


class LivelySequence(Lively, Sequence[Any]):
    """Its length and its items, too."""

    def __len__(self) -> int:
        return self.read().randrange(5)

    def __getitem__(self, key: Any) -> Any:
        draw = self.read()
        if draw.random() < 0.3:
            raise IndexError
        return draw.choice((0, 1, 0.5, self.arguments.point(), *self.arguments.objects[-3:]))


class Arguments:
    """Draws the arguments of calls on the objects that a test holds: `worlds`, and in `objects` what they contain."""

    def __init__(self, seed: int) -> None:
        self.draw = draws(seed)
        self.worlds: list[b2.World] = []
        self.objects: list[Any] = []

    def point(self) -> tuple[float, float]:
        return self.draw.uniform(-9, 9), self.draw.uniform(-1, 9)

    def geometry(self) -> b2.Geometry:
        draw, size = self.draw, self.draw.uniform(0.1, 1)
        return draw.choice(
            (
                b2.Circle(size),
                b2.Box(size, 0.5),
                b2.Capsule((0, 0), (size, 0), 0.3),
                b2.Polygon([(size, 0), (0, size), (-size, 0), (0, -size), (0.6 * size, 0.6 * size)], radius=0.1),
                b2.Segment((0, 0), (size, 1)),
                b2.ChainSegment((0, 0), (size, 0), (-1, 0), (2, 1)),
            )
        )

    def level(self) -> Any:
        """A small level, or one of a world, often with a wrong value somewhere."""
        draw, box = self.draw, {"type": "box", "hx": 0.5, "hy": 0.5}
        crates = [{"type": "dynamic", "position": self.point(), "shapes": [dict(box)]} for _ in range(2)]
        hinge = {"type": "revolute", "body_a": 0, "body_b": 1, "anchor": self.point(), "upper_angle": 1}
        level: Any = {"bodies": crates, "joints": [hinge]}
        small = [world for world in self.worlds if not world.closed and len(world.bodies) < 40]
        if small and draw.random() < 0.3:
            level = draw.choice(small).to_dict(data=False)
        part = level
        for _ in range(draw.randrange(6) if draw.random() < 0.7 else 0):
            key = draw.choice([*part] if isinstance(part, dict) else range(len(part))) if part else None
            if key is None or not isinstance(part[key], (dict, list)) or draw.random() < 0.2:
                if key is not None:
                    part[key] = draw.choice((*ODD, 0, -1, "a", [1, 2], {}, {"x": 1}))
                break
            part = part[key]
        return level

    def read_argument(self) -> None:
        """Called while a call reads its arguments."""

    def one_of(self, kind: type) -> Any:
        some = [each for each in self.objects if isinstance(each, kind)]
        return self.draw.choice(some) if some else None

    def value(self, name: str) -> Any:
        """An argument for a parameter of this name: mostly a sensible one, often an odd one."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.01:
            return draw.choice((Lively, LivelySequence))(self)
        if kind < 0.1:
            return draw.choice(ODD)
        if kind < 0.13 and self.objects:
            return draw.choice(self.objects)
        if kind < 0.18:
            return self.extreme(self.sensible(name))
        return self.sensible(name)

    def extreme(self, value: Any) -> Any:
        """A number, or numbers, of another order of magnitude."""
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(self.extreme(each) for each in value)
        if type(value) is not float:
            return value
        return value * 10 ** self.draw.choice((self.draw.uniform(-45, 38), self.draw.uniform(-8, 8)))

    def sensible(self, name: str) -> Any:
        draw = self.draw
        if name.startswith("on_"):
            return draw.choice((None, self.callback))
        if name in CHOICES and not (name == "contact_events" and draw.random() < 0.5):
            return draw.choice(CHOICES[name])
        if name in ("geometry", "mover", "geometries"):
            return [self.geometry(), self.geometry()] if name == "geometries" else self.geometry()
        if name in ("a", "b"):
            return draw.choice((self.geometry(), self.geometry(), self.point(), self.one_of(b2.Body)))
        if name == "world":
            return draw.choice(self.worlds)
        if name == "state":
            world = draw.choice(self.worlds)
            batch = self.one_of(b2.WorldBatch)
            return draw.choice((self.one_of(b2.State), world.snapshot, world.save, batch.save if batch else None))
        if name == "level":
            return self.level()
        if name == "template" and draw.random() < 0.5:
            return draw.choice(self.worlds)
        if name == "template":
            alone = [body for world in self.worlds for body in world.bodies if not (body.joints or body.shapes)]
            return b2.Template([draw.choice(alone)]) if alone else None
        if name == "groups":
            return [draw.randrange(-3, 3) for _ in range(draw.randrange(6))]
        if name == "draw":
            return draw.choice((None, self.one_of(b2.DrawList)))
        if name == "planes":
            return [b2.MoverPlane(self.one_of(b2.Shape), (0, 1), (0, 0), draw.uniform(-1, 1), 1.0, True)] * 2
        if name.startswith("joint_") and name[6:] in ("a", "b"):
            return self.one_of(b2.Joint)
        if name.startswith("body"):
            return self.one_of(b2.Body)
        if name.startswith("shape_"):
            return self.one_of(b2.Shape)
        if name == "filter":
            return draw.choice((None, b2.Filter(), b2.Filter(1, 0xFFFF, -1)))
        if name == "ends":
            return [(*self.point(), *self.point())]
        if name == "frame_a" or name == "frame_b":
            return b2.Frame(b2.Vec2(*self.point()), 0.3)
        if name in MANY or any(name.startswith(stem) for stem in MANY_STEMS):
            return [self.point() for _ in range(draw.randrange(6))]
        if name in ("angles", "forces", "values", "ids", "angles_a", "angles_b", "rotations_a", "rotations_b"):
            return [draw.randrange(4) if name == "ids" else draw.uniform(-3, 3) for _ in range(draw.randrange(6))]
        if name.startswith(FLAG_STEMS):
            return draw.random() < 0.5
        if name in WHOLE:
            return draw.randrange(1, 5)
        if any(part in name for part in SCALAR_STEMS):
            return draw.uniform(0, 3)
        if name in PAIRS or any(part in name for part in PAIR_STEMS):
            return self.point()
        return draw.choice((draw.uniform(0, 2), self.point(), draw.randrange(4)))

    def callback(self, *_: Any) -> Any:
        """What a world calls in a step."""
        raise NotImplementedError

    def arguments(self, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
        """The needed parameters and some of the others."""
        draw = self.draw
        positional, named = [], {}
        for each in parameters(function):
            if each.kind is each.VAR_KEYWORD:
                if draw.random() < 0.3:
                    option = draw.choice(("workers", "gravity", "simd", "broadphase", "narrowphase", "sleeping"))
                    named[option] = self.value(option)
            elif each.kind is each.VAR_POSITIONAL:
                positional += [self.value(each.name) for _ in range(draw.randrange(3))]
            elif each.kind is each.KEYWORD_ONLY:
                if each.default is each.empty or draw.random() < 0.15:
                    named[each.name] = self.value(each.name)
            elif each.default is each.empty or (draw.random() < 0.5 and len(positional) < 9):
                positional.append(self.value(each.name))
            else:
                break
        return [each() if inspect.ismethod(each) and each.__name__ in ("save", "snapshot") else each
                for each in positional], named  # fmt: skip
