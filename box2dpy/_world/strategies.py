"""`Strategies`: which algorithms a world uses where the engine has several, as one value.

A program loads this module when it first names a strategy; the other worlds have the defaults of C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .._bridge.arguments import choice
from .._bridge.errors import short_repr
from .._bridge.library import lib
from .._bridge.lists import shared_list

if TYPE_CHECKING:
    from collections.abc import Mapping

# The names of strategies, as csrc/include/lists has them (tests/api/test_strategies.py).
Broadphase: TypeAlias = Literal[
    "auto", "brute", "tree", "grid", "brute_wide", "box_pruning", "morton", "sap", "multi_sap", "refined_tree"
]
Narrowphase: TypeAlias = Literal["batched", "per_pair"]
IslandStrategy: TypeAlias = Literal["persistent", "dfs", "union_find", "parallel_union_find", "incremental",
                                   "split_largest", "split_most_removed"]  # fmt: skip
Schedule: TypeAlias = Literal["colors", "batches", "serial", "islands", "slots"]
WarmStart: TypeAlias = Literal["persistent", "tags"]
Order: TypeAlias = Literal["id", "fixed", "per_step", "bottom_up", "tag", "static_first", "static_last", "arrival",
                          "color", "no_band"]  # fmt: skip
Store: TypeAlias = Literal["handle", "lookup"]


@dataclass(frozen=True, repr=False)
class Strategies:
    """The algorithms of a world. Each world has them from its creation; `World.strategies` returns them.

    `NAMES` lists the values of each field, the default first. `docs/lab.md` describes and compares them.

    Args:
        broadphase: how pairs of shapes that are near each other are found. "auto" is "grid". It decides speed only.
        narrowphase: "batched" tests pairs of equal forms together, "per_pair" one after the other, with the same bits.
        islands: how the bodies are found that must sleep together. It decides when they fall asleep.
        schedule: the order in which contacts and joints are solved. "batches" has the bits of "colors", the others
            have bits of their own.
        warm_start: where the impulses are kept that the solver starts from. It decides speed only;
            `World.warm_starting` says whether the solver starts from them.
        order: the order of contacts in the schedules "serial" and "islands".
        store: how the schedules "serial", "islands" and "slots" find the contact of an impulse.

    Raises:
        ValueError: an unknown name.
        TypeError: no string, or an unknown field.

    >>> with World(strategies=lab.Strategies(broadphase="tree", islands="dfs")) as world:
    ...     world.strategies.islands
    'dfs'
    """

    broadphase: Broadphase = "auto"
    narrowphase: Narrowphase = "batched"
    islands: IslandStrategy = "persistent"
    schedule: Schedule = "colors"
    warm_start: WarmStart = "persistent"
    order: Order = "id"
    store: Store = "handle"

    def __post_init__(self) -> None:
        for name, known in NAMES.items():
            choice(getattr(self, name), name, known)

    def __repr__(self) -> str:
        named = {name: value for name, value in vars(self).items() if value != NAMES[name][0]}
        return f"Strategies({', '.join(f'{name}={value!r}' for name, value in named.items())})"

    def changes_of_results(self) -> dict[str, str]:
        """The fields that may change results and are not at their defaults.

        >>> lab.Strategies(broadphase="tree", schedule="serial").changes_of_results()
        {'schedule': 'serial'}
        """
        return {name: value for name, value in vars(self).items() if name not in _SPEED and value != NAMES[name][0]}


_SPEED = {"broadphase", "narrowphase", "warm_start"}  # fields that decide speed only
NAMES: dict[str, tuple[str, ...]] = {  # of each field of `Strategies`, the default first
    "broadphase": ("auto", *(name for _, name in shared_list("broadphases"))),
    "narrowphase": ("batched", "per_pair"),
    **{field: tuple(name for _, name in shared_list(field.rstrip("s") + "s"))
       for field in ("islands", "schedule", "warm_start")},
}  # fmt: skip
_BITS: dict[str, dict[str, int]] = {}  # of the fields that C has as bits: value -> number of its bit
for _bit, (_, _, _field, _value) in enumerate(shared_list("lab")):
    _BITS.setdefault(_field, {})[_value] = _bit
NAMES.update((field, tuple(values)) for field, values in _BITS.items())
_NUMBERED = [name for name in NAMES if name not in _BITS]
_READ = {name: getattr(lib, f"b2d_world_{name}") for name in _NUMBERED}


def chosen(base: Strategies, options: Mapping[str, Any]) -> Strategies:
    """The strategies that the options of a world name: `strategies`, else `base`, with the fields that are options
    themselves."""
    given = options.get("strategies")
    if given is None:
        given = base
    elif not isinstance(given, Strategies):
        raise TypeError(f"strategies={short_repr(given)} must be box2dpy.lab.Strategies")
    named = {name: value for name, value in options.items() if name in NAMES}
    return replace(given, **named) if named else given


def fill(definition: Any, strategies: Strategies) -> None:
    """Writes them to the definition of a world."""
    for name in _NUMBERED:
        setattr(definition, name, NAMES[name].index(getattr(strategies, name)))
    bits = 0
    for name, values in _BITS.items():
        place = NAMES[name].index(value := getattr(strategies, name))
        bits |= (place > 0) << values[value]  # the default has no bit
    definition.lab = bits


def strategies_of(pointer: Any) -> Strategies:
    """The strategies of a world of the core."""
    found: dict[str, Any] = {name: NAMES[name][read(pointer)] for name, read in _READ.items()}
    bits = lib.b2d_world_lab(pointer)
    for name, values in _BITS.items():
        found.update((name, value) for value, bit in values.items() if bits >> bit & 1)
    return Strategies(**found)
