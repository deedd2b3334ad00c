"""The options of a world: their ranges and names, and the properties that read and write them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast, overload

from .._bridge.arguments import bounded, choice, flag, integer, pair
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import DOUBLES
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.vectors import Vec2
from .._bridge.world_base import WorldBase
from .scheduler import SIMD_NUMBERS, Scheduler, pool_of

if TYPE_CHECKING:
    from .._bridge.choices import ContactEvents, Continuous, JointSolver, Mixing, Profiling
    from .._bridge.vectors import Vec2Like
    from .strategies import Strategies

Simd: TypeAlias = Literal["scalar", "sse2", "avx2", "avx512", "neon", "wasm"]
T = TypeVar("T")
Self = TypeVar("Self")


class OptionRow(NamedTuple):
    """An entry of csrc/include/lists/options.def."""

    number: int
    default: float
    lower: float
    upper: float
    choices: tuple[Any, ...]  # what whole numbers stand for; empty for a number
    shown: tuple[float, ...]  # the range of a slider
    text: str


def _rows() -> dict[str, OptionRow]:
    rows = {}
    for index, (_, name, _, choices, default, lower, upper, unit, shown, text) in enumerate(shared_list("options")):
        names = [each for _, each in shared_list("mixing")] if choices == "mixing" else choices.split()
        values = tuple(_FLAGS.get(each, each) for each in names)
        scaled = f"{unit} times `length_unit`" if unit[:1] == "m" else unit
        numbers = (float(default), float(lower), float(upper))
        rows[name] = OptionRow(
            index, *numbers, values, tuple(map(float, shown.split())), text.replace("{unit}", scaled)
        )
    return rows


_FLAGS = {"False": False, "True": True}
OPTIONS = _rows()


def gravity_component(value: float, given: object, name: str) -> float:
    _, _, lower, upper, *_ = OPTIONS[name]
    if not math.isfinite(value):
        raise ValueError(f"gravity={short_repr(given)} must be finite")
    if not lower <= value <= upper:
        raise ValueError(f"gravity={short_repr(given)} is out of range: {lower:g} to {upper:g}")
    return value


class Option(Generic[T]):
    """A property of the world that is a number in C; its entry in `OPTIONS` says which values it takes."""

    def __set_name__(self, owner: type[Options], name: str) -> None:
        self.name = name
        self.index, _, self.lower, self.upper, self.choices, self.shown, self.__doc__ = OPTIONS[name]

    def decode(self, number: float) -> Any:
        """The value of a number in C."""
        return self.choices[int(number)] if self.choices else number

    def encode(self, value: Any) -> float:
        """The number in C."""
        choices, name = self.choices, self.name
        if not choices:
            return bounded(value, name, self.lower, self.upper)
        if choices[0] is not False:
            return choices.index(choice(value, name, choices))
        if len(choices) > 2 and isinstance(value, str):
            if value in choices:
                return choices.index(value)
            raise ValueError(f'{name}={short_repr(value)} must be True, False or "{choices[2]}"')
        return float(flag(value, name))

    @overload
    def __get__(self: Self, world: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, world: Options, owner: Any = None) -> T: ...
    def __get__(self, world: Options | None, owner: Any = None) -> Any:
        if world is None:
            return self
        return self.decode(world._option(self.index))

    def __set__(self, world: Options, value: T) -> None:
        world._set_option(self.index, self.encode(value), value, self.name)


class Options(WorldBase):
    """The part of `World` that holds its numbers and switches."""

    __slots__ = ()

    # generated: options, see tools/lists.py
    sleeping: Option[bool] = Option()
    continuous: Option[Continuous] = Option()
    warm_starting: Option[bool] = Option()
    contact_recycle: Option[float] = Option()
    restitution_threshold: Option[float] = Option()
    hit_threshold: Option[float] = Option()
    contact_hertz: Option[float] = Option()
    contact_damping_ratio: Option[float] = Option()
    contact_push_speed: Option[float] = Option()
    joint_hertz: Option[float] = Option()
    joint_damping_ratio: Option[float] = Option()
    max_linear_speed: Option[float] = Option()
    sleep_time: Option[float] = Option()
    length_unit: Option[float] = Option()
    friction_mixing: Option[Mixing] = Option()
    restitution_mixing: Option[Mixing] = Option()
    contact_events: Option[ContactEvents] = Option()
    joint_solver: Option[JointSolver] = Option()
    profiling: Option[Profiling] = Option()
    # end of generated

    @property
    def gravity(self) -> Vec2:
        """Acceleration of every dynamic body, m/s^2. Another value wakes everything.

        >>> with World() as world:
        ...     world.gravity = 0, -9.81
        ...     world.gravity
        Vec2(0.0, -9.81)
        """
        return Vec2(self._option(lib.B2D_OPTION_GRAVITY_X), self._option(lib.B2D_OPTION_GRAVITY_Y))

    @gravity.setter
    def gravity(self, value: Vec2Like) -> None:
        x, y = pair(value, "gravity")
        x, y = gravity_component(x, value, "gravity_x"), gravity_component(y, value, "gravity_y")
        self._set_option(lib.B2D_OPTION_GRAVITY_X, x, value, "gravity")
        self._set_option(lib.B2D_OPTION_GRAVITY_Y, y, value, "gravity")

    def _gravity(self) -> tuple[float, float]:
        return self.gravity

    @property
    def workers(self) -> int:
        """How many threads step the world, the calling one included.

        Assigning a number gives the world a pool of its own, and a `Scheduler` a shared one, at any time between steps.
        No result ever depends on it.

        Raises:
            ValueError: not 1 to 64.
            TypeError: neither an integer nor a `Scheduler`.
            WorldLockedError: the world is being stepped or read.
            DestroyedError: the world is closed.
            MemoryError: no memory, or the threads could not be started; the world keeps what it had.

        >>> pool = Scheduler(2)
        >>> with World() as world:
        ...     world.step()
        ...     world.workers = pool
        ...     world.step()
        ...     world.workers
        2
        """
        return int(lib.b2d_world_workers(self._ptr))

    @workers.setter
    def workers(self, value: int | Scheduler) -> None:
        if isinstance(value, Scheduler):
            status = lib.b2d_world_set_scheduler(self._ptr, pool_of(value))
        else:
            status = lib.b2d_world_set_workers(self._ptr, integer(value, "workers", 1, 64))
        if status:
            raise_error(status, self, workers=value)

    @property
    def simd(self) -> Simd:
        """The instruction set of its kernels."""
        return cast("Simd", SIMD_NUMBERS[lib.b2d_world_simd(self._ptr)])

    @property
    def strategies(self) -> Strategies:
        """The algorithms that the world was created with, as `box2dpy.lab.Strategies`; `broadphase` is never "auto"."""
        from .strategies import strategies_of

        return strategies_of(self._ptr)

    def _option(self, index: int) -> float:
        out = ffi.new(DOUBLES)
        status = lib.b2d_world_get_option(self._ptr, index, out)
        if status:
            raise_error(status, self)
        return out[0]  # type: ignore[no-any-return]

    def _set_option(self, index: int, number: float, value: object, name: str) -> None:
        status = lib.b2d_world_set_option(self._ptr, index, number)
        if status:
            raise_error(status, self, **{name: value})
