"""`Sample`: one scene that teaches one thing, its controls, and the registry, which every subclass joins automatically.

A sample does not depend on a window. It builds bodies in a world, may act before each step, may draw lines and texts,
and names the values that the user can change. The browser, `box2dpy render`, the gallery and the tests all run it
through `samples.Run`.
"""

from __future__ import annotations

import inspect
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar

import box2dpy as b2

T = TypeVar("T")
Camera = tuple[float, float, float, float]

CATEGORIES = (
    "Welcome",
    "Bodies",
    "Shapes",
    "Stacking",
    "Joints",
    "Joints under load",
    "Events",
    "Continuous",
    "Character",
    "Materials",
    "Geometry",
    "Collision",
    "Queries",
    "Islands",
    "Robustness",
    "Worlds",
    "Lab",
    "Benchmark",
)
"""The categories in the order of the browser. Every sample names one of them."""

SAMPLES: dict[str, type[Sample]] = {}
"""All samples by name. `samples.load()` fills it."""


class Control(Generic[T]):
    """A value of a sample that the user can change. Declare it in the class; read and assign it like an attribute.

    Args:
        default: the initial value.
        label: the text in the panel; default: the attribute's name with spaces.
        restart: build the scene again when the value changes; otherwise `Sample.changed` is called.
    """

    def __init__(self, default: T, *, label: str = "", restart: bool = False) -> None:
        self.default = default
        self.label = label
        self.restart = restart

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.label = self.label or name.replace("_", " ")

    def __get__(self, sample: Sample | None, owner: Any = None) -> Any:
        return self if sample is None else sample.values.get(self.name, self.default)

    def __set__(self, sample: Sample, value: T) -> None:
        sample.values[self.name] = self.checked(value)

    def checked(self, value: T) -> T:
        """The value, limited to the range of the control."""
        return value


class Slider(Control[float]):
    """A number in a range; an integer if default and limits are all `int`. `log` gives small values more room.

    speed = Slider(2.0, 0, 10, unit="m/s")
    """

    def __init__(
        self,
        default: float,
        low: float,
        high: float,
        *,
        unit: str = "",
        log: bool = False,
        label: str = "",
        restart: bool = False,
    ) -> None:
        super().__init__(default, label=label, restart=restart)
        self.low, self.high, self.unit, self.log = low, high, unit, log
        self.whole = all(isinstance(number, int) for number in (default, low, high))

    def checked(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        return round(value) if self.whole else float(value)


class Toggle(Control[bool]):
    """On or off.

    motor = Toggle(True)
    """


class Choice(Control[str]):
    """One of several words.

    shape = Choice("box", ("box", "circle"), restart=True)
    """

    def __init__(self, default: str, words: Sequence[str], *, label: str = "", restart: bool = False) -> None:
        super().__init__(default, label=label, restart=restart)
        self.words = tuple(words)

    def checked(self, value: str) -> str:
        return value if value in self.words else self.default


class Button:
    """A method that the panel offers as a button.

    @Button
    def drop(self): ...
    """

    def __init__(self, method: Callable[[Any], None]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.label = name.replace("_", " ")

    def __get__(self, sample: Sample | None, owner: Any = None) -> Any:
        return self if sample is None else self.method.__get__(sample)


class Sample:
    """One scene. A subclass with a `name` is in the registry; its docstring is the description that the browser shows.

    Class attributes:
        name: the unique name in the tree of the browser.
        category: one of `CATEGORIES`.
        options: keywords for `World`, for example `{"gravity": (0, 0)}`.
        camera: the part shown at first: left, bottom, right, top in metres; None shows everything.
        hertz, substeps: the initial rate of steps and number of substeps.
        frames: steps before the picture for the gallery is taken.
        color_by: initial colouring of moving bodies: by "kind" of shape, "island" or "body".
        keys: explanations of keys, for example `{"left, right": "steer"}`; shown in the panel.
        demo: keys that are held until somebody takes over: pairs of seconds and names, for example
            `((2.0, "right"), (1.0, ""))`, which are repeated. "click" stands for the left button of the mouse. The
            browser and the gallery play them.
        demo_path: points that the mouse visits meanwhile, two seconds from one to the next, until somebody moves it.
        hide_joints: whether joints are drawn only when the user asks for them.

    Attributes of a running sample:
        world: the world that `build` was given.
        time: seconds simulated so far.
        pointer: the position of the mouse in metres.
        scale: 1, or less in tests: the fraction of its bodies that a large sample builds.
        taken_over: whether the user has pressed one of its keys, or moved the mouse where the mouse drives it.
    """

    name: ClassVar[str] = ""
    category: ClassVar[str] = ""
    options: ClassVar[dict[str, Any]] = {}
    camera: ClassVar[Camera | None] = None
    hertz: ClassVar[float] = 60.0
    substeps: ClassVar[int] = 4
    frames: ClassVar[int] = 120
    color_by: ClassVar[str] = "kind"
    keys: ClassVar[dict[str, str]] = {}
    demo: ClassVar[Sequence[tuple[float, str]]] = ()
    demo_path: ClassVar[Sequence[tuple[float, float]]] = ()
    hide_joints: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if not cls.__dict__.get("name"):
            return
        if cls.category not in CATEGORIES:
            raise ValueError(f"{cls.__name__}: {cls.category!r} is not a category: {', '.join(CATEGORIES)}")
        if SAMPLES.get(cls.name, cls).__qualname__ != cls.__qualname__:
            raise ValueError(f"there are two samples {cls.name!r}")
        SAMPLES[cls.name] = cls

    def __init__(self, scale: float = 1.0) -> None:
        self.values: dict[str, Any] = {}
        self.scale = scale
        self.world: b2.World = None  # type: ignore[assignment]  # set before build
        self.others: list[tuple[b2.World, tuple[float, float]]] = []
        self.time = 0.0
        self.pointer = b2.Vec2(0, 0)
        self.held: set[str] = set()
        self.taken_over = False

    # -- methods that a sample may define

    def build(self, world: b2.World) -> None:
        """Fills the empty world."""

    def step(self, world: b2.World) -> None:
        """Runs before each step; `world.events` still has those of the step before."""

    def advance(self, world: b2.World, dt: float, substeps: int) -> None:
        """Steps a world; a sample may do it in parts (`World.staged_step`)."""
        world.step(dt, substeps)

    def draw(self, draw: b2.DrawList) -> None:
        """Adds lines, points and texts to every picture."""

    def status(self) -> str:
        """One or more lines of figures that are shown over the scene. Write the expected value next to the measured
        one."""
        return ""

    def changed(self, control: str) -> None:
        """Runs after a control without `restart` received a new value."""

    def key(self, key: str) -> None:
        """Runs when a key of `keys` is pressed. Key names are for example "space", "left" and "a"."""

    def click(self, point: b2.Vec2) -> bool:
        """Runs when the left button is pressed on the scene. If it returns true, the browser does not drag a body."""
        return False

    def look_at(self) -> b2.Vec2 | None:
        """A point that the camera follows, or None."""
        return None

    def demonstrate(self) -> str:
        """The keys that are held at the moment, until somebody takes over: those of `demo`. A sample that must react to
        what happens has its own method."""
        ends = list(accumulate(seconds for seconds, _ in self.demo))
        return self.demo[bisect_right(ends, self.time % ends[-1])][1] if ends else ""

    # -- methods that a sample may use

    def pressed(self, key: str) -> bool:
        """Whether a key is pressed at the moment, for example "left", "space" or "a"."""
        return key in self.held

    def other_world(self, offset: tuple[float, float], **options: Any) -> b2.World:
        """A further world for comparisons. It is stepped together with the first world, drawn `offset` metres away from
        it, and closed with it."""
        world = b2.World(**{**self.options, **options})
        self.others.append((world, offset))
        return world

    def ground(self, world: b2.World, half_width: float = 40.0, **material: Any) -> b2.Body:
        """A floor whose top is at y = 0."""
        body = world.create_static_body((0, -1), name="ground")
        body.create_shape(b2.Box(half_width, 1), **material)
        return body

    # -- description of the class

    @classmethod
    def has_demo(cls) -> bool:
        """Whether it is driven by recorded input until somebody takes over."""
        return bool(cls.demo or cls.demo_path) or cls.demonstrate is not Sample.demonstrate

    @classmethod
    def description(cls) -> str:
        """The docstring in one line."""
        return " ".join(inspect.cleandoc(cls.__doc__ or "").split())

    @classmethod
    @cache
    def source(cls) -> str:
        """The Python code of the class."""
        try:
            return inspect.getsource(cls)
        except (OSError, TypeError):
            return ""

    @classmethod
    def controls(cls) -> list[Control[Any] | Button]:
        """The controls and buttons of the sample, in the order of the class."""
        found: dict[str, Control[Any] | Button] = {}
        for base in reversed(cls.__mro__):
            found.update({name: value for name, value in vars(base).items() if isinstance(value, Control | Button)})
        return list(found.values())


def slug(name: str) -> str:
    """The name of a sample for files and for the command line: `tilted-dominoes` for `Tilted dominoes`."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def search(query: str, samples: Mapping[str, type[Sample]]) -> list[tuple[str, str]]:
    """The samples that match, best first: name, and where it was found: "" for the name itself, "category",
    "description" or "code"."""
    words = query.lower().split()
    ranked = []
    for name, kind in samples.items():
        cost, near = fuzzy(query, name), fuzzy(query, kind.category)
        if cost is not None:
            ranked.append((0, cost - (query.lower() == name.lower()), name, ""))
        elif near is not None and near < 8:
            ranked.append((1, near, name, "category"))
        elif all(word in kind.description().lower() for word in words):
            ranked.append((2, 0, name, "description"))
        elif all(word in kind.source().lower() for word in words):
            ranked.append((3, 0, name, "code"))
    return [(name, where) for _, _, name, where in sorted(ranked, key=lambda row: row[:2])]


def tidy(text: str) -> str:
    """A status without figures such as -0 and -0.00."""
    return re.sub(r"(?<![\w.])-(0(?:\.0+)?)(?![\d.])", r"\1", text)


def fuzzy(query: str, text: str) -> int | None:
    """How well `query` matches `text`; 0 is the best, None means no match. The letters of the query must occur in
    order. Gaps and a late start increase the cost."""
    query, text = re.sub(r"[^a-z0-9]", "", query.lower()), text.lower()
    place, cost = -1, 0
    for letter in query:
        found = text.find(letter, place + 1)
        if found < 0:
            return None
        starts_word = found == 0 or not text[found - 1].isalnum()
        cost += 0 if found == place + 1 and place >= 0 else (1 if starts_word else 3 + found - place)
        place = found
    return cost
