"""The options of `World`, `World.clone` and `World.from_snapshot`: their types and defaults, and how those that a world
has from its creation reach the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .._bridge.arguments import choice, integer
from .options import OPTIONS, Options
from .scheduler import SIMD_NAMES, Scheduler, pool_of

if TYPE_CHECKING:
    from .._bridge.choices import ContactEvents, Continuous, JointSolver, Mixing, Profiling
    from .._bridge.vectors import Vec2Like
    from .options import Simd
    from .strategies import Broadphase, IslandStrategy, Narrowphase, Schedule, Strategies

STRATEGY_OPTIONS = ("broadphase", "narrowphase", "islands", "schedule")  # fields of `Strategies` that are also options
_STRATEGIES = frozenset(("strategies", *STRATEGY_OPTIONS))
MADE = ("workers", "simd", "strategies", *STRATEGY_OPTIONS)  # options that a world has from its creation
_ASSIGNED = ("gravity", *(name for name in OPTIONS if name not in ("gravity_x", "gravity_y")))


class StrategyOptions(TypedDict, total=False):
    """Fields of `Strategies` that are also options of `World`."""

    broadphase: Broadphase
    narrowphase: Narrowphase
    islands: IslandStrategy
    schedule: Schedule


class CreationOptions(TypedDict, total=False):
    """The keywords of `World`, except for the gravity, that its signature shows."""

    workers: int | Scheduler
    simd: Simd | Literal["auto"]
    # generated: types of options, see tools/lists.py
    sleeping: bool
    continuous: Continuous
    warm_starting: bool
    contact_recycle: float
    restitution_threshold: float | None
    hit_threshold: float
    contact_hertz: float
    contact_damping_ratio: float
    contact_push_speed: float
    joint_hertz: float
    joint_damping_ratio: float
    max_linear_speed: float
    sleep_time: float
    length_unit: float
    friction_mixing: Mixing
    restitution_mixing: Mixing
    contact_events: ContactEvents
    joint_solver: JointSolver
    profiling: Profiling
    # end of generated
    strategies: Strategies | None


class MakerOptions(CreationOptions, StrategyOptions, total=False):
    """All keywords of `World`, except for the gravity."""


class WorldOptions(MakerOptions, total=False):
    """The options of `World.clone`, which are those of `World`."""

    gravity: Vec2Like


CREATION_DEFAULTS: dict[str, object] = {
    "workers": 1,
    "simd": "auto",
    **{
        name: row.choices[int(row.default)] if row.choices else row.default for name, row in OPTIONS.items() if row.text
    },
    "restitution_threshold": None,
    "strategies": None,
}


def check_names(options: Any, method: str) -> None:
    for name in options:
        if name not in MADE and name not in _ASSIGNED:
            raise TypeError(f"{method}() has no option {name!r}; it has {', '.join((*MADE, *_ASSIGNED))}")


def fill(definition: Any, world: Options | None, options: Any) -> None:
    """Writes the options that a world has from its creation. `world` is the one that is cloned."""
    workers, simd = options.get("workers"), options.get("simd")
    if isinstance(workers, Scheduler):
        definition.scheduler = pool_of(workers)
    elif "workers" in options:
        definition.workers = integer(workers, "workers", 1, 64)
    if "simd" in options:
        definition.simd = -1 if simd == "auto" else SIMD_NAMES[choice(simd, "simd", ("auto", *SIMD_NAMES))]
    if not _STRATEGIES.isdisjoint(options):
        from .strategies import Strategies, chosen, fill

        fill(definition, chosen(Strategies() if world is None else world.strategies, options))
