"""The options of a world: their ranges and names, and the properties that read and write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast, overload

from .._bridge.arguments import bounded, choice, flag, integer, pair
from .._bridge.errors import raise_error, short_repr
from .._bridge.handles import DOUBLES
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.vectors import Vec2
from .._bridge.world_base import WorldBase
from .._objects.joint import JOINT_SOLVERS, JointSolver
from .scheduler import SIMD_NUMBERS, Scheduler, pool_of

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like

# The names of strategies, as csrc/include/lists has them (tests/api/test_strategies.py).
Broadphase: TypeAlias = Literal[
    "auto", "brute", "tree", "grid", "brute_wide", "box_pruning", "morton", "sap", "multi_sap", "refined_tree"
]
IslandStrategy: TypeAlias = Literal["persistent", "dfs", "union_find", "parallel_union_find", "incremental",
                                   "split_largest", "split_most_removed"]  # fmt: skip
WarmStart: TypeAlias = Literal["persistent", "tags", "off"]
Schedule: TypeAlias = Literal["colors", "batches", "serial", "islands", "slots"]
Narrowphase: TypeAlias = Literal["batched", "per_pair"]
Continuous: TypeAlias = bool | Literal["all"]
ContactEvents: TypeAlias = Literal["shapes", "bodies"]
Profiling: TypeAlias = Literal["full", "step", "off"]
Mixing: TypeAlias = Literal["geometric", "arithmetic", "min", "max", "multiply"]
Simd: TypeAlias = Literal["scalar", "sse2", "avx2", "avx512", "neon", "wasm"]
T = TypeVar("T")
Self = TypeVar("Self")

# Numbers of a world: name -> (index, default, lower, upper).
OPTIONS = {name: (k, float(d), float(lo), float(hi)) for k, (_, name, d, lo, hi) in enumerate(shared_list("options"))}
BROADPHASES = cast("list[Broadphase]", ["auto", *(name for _, name in shared_list("broadphases"))])
ISLANDS = cast("list[IslandStrategy]", [name for _, name in shared_list("islands")])
WARM_STARTS = cast("list[WarmStart]", [*(name for _, name in shared_list("warm_starts")), "off"])
SCHEDULES = cast("list[Schedule]", [name for _, name in shared_list("schedules")])
LAB: dict[str, dict[str, int]] = {}  # switch of World(lab=...) -> value -> number of its bit
for _k, (_, _, _switch, _value) in enumerate(shared_list("lab")):
    LAB.setdefault(_switch, {})[_value] = _k
MIXING = cast("list[Mixing]", [name for _, name in shared_list("mixing")])
NARROWPHASES: dict[Narrowphase, int] = {
    "batched": lib.B2D_NARROWPHASE_BATCHED,
    "per_pair": lib.B2D_NARROWPHASE_PER_PAIR,
}


CONTACT_EVENTS: list[ContactEvents] = ["shapes", "bodies"]
PROFILING: list[Profiling] = ["full", "step", "off"]


def gravity_component(value: float, given: object, name: str) -> float:
    _, _, lower, upper = OPTIONS[name]
    if not math.isfinite(value):
        raise ValueError(f"gravity={short_repr(given)} must be finite")
    if not lower <= value <= upper:
        raise ValueError(f"gravity={short_repr(given)} is out of range: {lower:g} to {upper:g}")
    return value


def strategies() -> dict[str, tuple[str, ...]]:
    """The options of `World` that choose a strategy, with the names that they take, the default first.

    >>> strategies()["narrowphase"]
    ('batched', 'per_pair')
    """
    return {
        "broadphase": tuple(BROADPHASES),
        "narrowphase": tuple(NARROWPHASES),
        "islands": tuple(ISLANDS),
        "schedule": tuple(SCHEDULES),
        "warm_start": tuple(WARM_STARTS),
    }


def warm_start_numbers(warm_start: object, warm_starting: object) -> tuple[int | None, bool | None]:
    """The strategy of warm starting in C and its switch, from the two options that say it; None: not said."""
    on = None if warm_starting is None else flag(warm_starting, "warm_starting")
    if warm_start is None:
        return None, on
    name = choice(warm_start, "warm_start", WARM_STARTS)
    if on is not None and on == (name == "off"):
        raise ValueError(f"warm_start={name!r} and warm_starting={on} contradict each other")
    return (0, False) if name == "off" else (WARM_STARTS.index(name), True)


def lab_switches() -> dict[str, tuple[str, ...]]:
    """The switches of `World(lab=...)`, with the names that they take, the default first.

    >>> lab_switches()["store"]
    ('handle', 'lookup')
    """
    return {switch: tuple(values) for switch, values in LAB.items()}


def lab_bits(given: object) -> int:
    """The number of `World(lab=...)` in C. The first value of each switch has no bit."""
    if not isinstance(given, Mapping):
        raise TypeError(f"lab={short_repr(given)} must be a dictionary of switches")
    bits = 0
    for switch, value in given.items():
        values = LAB[choice(switch, "the switch of lab", LAB)]
        number = values[choice(value, f"lab[{switch!r}]", values)]
        if number != next(iter(values.values())):
            bits |= 1 << number
    return bits


class _Option(Generic[T]):
    """A property of the world that is a number in C; its range is in csrc/include/lists/options.def."""

    def __init__(self, decode: Callable[[float], T], encode: Callable[[Any, str], float], doc: str) -> None:
        self.decode, self.encode, self.__doc__ = decode, encode, doc

    def __set_name__(self, owner: type[Options], name: str) -> None:
        self.name = name
        self.index = OPTIONS[name][0]

    @overload
    def __get__(self: Self, world: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, world: Options, owner: Any = None) -> T: ...
    def __get__(self, world: Options | None, owner: Any = None) -> Any:
        return self if world is None else self.decode(world._option(self.index))

    def __set__(self, world: Options, value: T) -> None:
        world._set_option(self.index, self.encode(value, self.name), value, self.name)


def _number(doc: str) -> _Option[float]:
    return _Option(float, lambda value, name: bounded(value, name, *OPTIONS[name][2:]), doc)


def _flag(doc: str) -> _Option[bool]:
    return _Option(bool, lambda value, name: float(flag(value, name)), doc)


def continuous_number(value: object, name: str) -> float:
    """The number of a value of `World.continuous` in C."""
    if isinstance(value, str):
        if value == "all":
            return 2.0
        raise ValueError(f'{name}={short_repr(value)} must be True, False or "all"')
    return float(flag(value, name))


def _mixing(doc: str) -> _Option[Mixing]:
    return _Option(lambda index: MIXING[int(index)], lambda value, name: MIXING.index(choice(value, name, MIXING)), doc)


class Options(WorldBase):
    """The part of `World` that holds its numbers and switches."""

    __slots__ = ()

    if TYPE_CHECKING:
        _narrowphase: Narrowphase

    sleeping = _flag("Whether islands at rest fall asleep; False wakes everything.")
    continuous: _Option[Continuous] = _Option(
        lambda number: "all" if number == 2 else number == 1,
        continuous_number,
        "Whether fast bodies are kept from passing through others. True sweeps fast dynamic bodies against static "
        "ones, bullets and bodies that move by more than twice their width against all, and fast kinematic bodies "
        'against all dynamic ones; "all" sweeps every fast dynamic body as if it were a bullet; False sweeps nothing.',
    )
    warm_starting = _flag("Whether the solver starts from the last step's impulses.")
    contact_recycle = _number("Metres that a pair may move before its points are computed afresh; times `length_unit`.")
    restitution_threshold = _number("Speed under which nothing bounces, m/s; times `length_unit`.")
    hit_threshold = _number("Speed above which hits are reported, m/s; times `length_unit`.")
    contact_hertz = _number("Stiffness of contacts, cycles a second; at most an eighth of the substep rate counts.")
    contact_damping_ratio = _number("Damping of contacts.")
    contact_push_speed = _number(
        "Greatest speed at which overlapping shapes are pushed apart and joints that are far apart are closed, m/s; "
        "times `length_unit`."
    )
    joint_hertz = _number(
        "Stiffness of the rigid part of joints that have no value of their own, cycles a second; at most a quarter of "
        "the substep rate counts."
    )
    joint_damping_ratio = _number("Damping ratio of the rigid part of joints that have no value of their own.")
    joint_solver: _Option[JointSolver] = _Option(
        lambda index: JOINT_SOLVERS[int(index)],
        lambda value, name: JOINT_SOLVERS.index(choice(value, name, JOINT_SOLVERS)),
        "How joints are solved. Joints that connect bodies make an assembly, which is solved as a whole: directly, by "
        "one sparse factorization, so that its rigid joints are rigid however long it is and whatever the masses are, "
        'or by iteration, at a tenth of the cost and with joints that give way under much load. "auto" solves '
        "assemblies directly that two joints or more hold to fixed bodies, as bridges, and those where a joint carries "
        "more than twice the mass of its lighter body (or, where it is a weld or has closed limits, the inertia); "
        "without a fixed body more than five times the mass, so that ragdolls stay cheap; and pendulums of up to 4. "
        '"direct" solves all directly, "iterative" none; '
        "`Joint.joint_solver` comes first. Assemblies of more than 2048 bodies or with too many loops (a wide net), "
        "and motor, mover, pogo, ratchet and rotary spring joints are always solved by iteration. "
        "`Counters.direct_joints` counts the joints that are solved directly.",
    )
    max_linear_speed = _number("Greatest speed of a body, m/s; times `length_unit`.")
    sleep_time = _number("Seconds of rest before sleep.")
    length_unit = _number(
        "Length of a metre in the units of the program, for example 32 if 32 pixels are a metre. It scales all "
        "tolerances and the options in metres and m/s: `contact_recycle`, the thresholds, the greatest speeds and "
        "`Body.sleep_threshold`. All else (positions, gravity, shapes, forces) is in the units of the program. It can "
        "be assigned while there are no shapes. Geometry values, which belong to no world, weld points within 0.0005 "
        "units."
    )
    friction_mixing = _mixing(
        "How the friction of two shapes becomes that of their contact: geometric, arithmetic, min, max or multiply. "
        "Contacts change at once, and bodies at contacts that have changed are woken."
    )
    restitution_mixing = _mixing("How the restitution of two shapes becomes that of their contact, by the same rules.")
    contact_events: _Option[ContactEvents] = _Option(
        lambda number: CONTACT_EVENTS[int(number)],
        lambda value, name: CONTACT_EVENTS.index(choice(value, name, CONTACT_EVENTS)),
        'What begins and ends in contact events: "shapes" reports each pair of shapes, "bodies" each pair of bodies, '
        "however many of their shapes touch. A change concerns contacts that begin and end from then on.",
    )

    profiling: _Option[Profiling] = _Option(
        lambda number: PROFILING[int(number)],
        lambda value, name: PROFILING.index(choice(value, name, PROFILING)),
        'What `World.profile` measures: "full" all stages, "step" the whole step only, "off" nothing. Each reading of '
        "the clock takes some 25 ns, which small worlds notice.",
    )

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
        No result ever
        depends on it.

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
    def broadphase(self) -> Broadphase:
        """The broad phase in use; never "auto"."""
        return BROADPHASES[int(lib.b2d_world_broadphase(self._ptr))]

    @property
    def island_strategy(self) -> IslandStrategy:
        """How islands are found: the argument `islands` of `World`."""
        return ISLANDS[int(lib.b2d_world_islands(self._ptr))]

    @property
    def schedule(self) -> Schedule:
        """The order in which constraints are solved."""
        return SCHEDULES[int(lib.b2d_world_schedule(self._ptr))]

    @property
    def warm_start(self) -> WarmStart:
        """Where the impulses are that the solver starts from; "off" while `warm_starting` is false."""
        return WARM_STARTS[int(lib.b2d_world_warm_start(self._ptr))] if self.warm_starting else "off"

    @property
    def lab(self) -> dict[str, str]:
        """The switches of experiments that are not at their defaults."""
        bits = lib.b2d_world_lab(self._ptr)
        return {
            switch: value for switch, values in LAB.items() for value, number in values.items() if bits >> number & 1
        }

    @property
    def narrowphase(self) -> Narrowphase:
        """The narrow phase in use."""
        self._ptr  # noqa: B018  raises when closed
        return self._narrowphase

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
