"""The strategies of a world: the lists of the core, the names of Python and the types of the arguments are one."""

from __future__ import annotations

import typing
from typing import Any

import pytest

import box2dpy as b2
from box2dpy._world import options

ALIASES = {"broadphase": options.Broadphase, "narrowphase": options.Narrowphase, "islands": options.IslandStrategy,
           "schedule": options.Schedule, "warm_start": options.WarmStart}  # fmt: skip
READ = {"islands": "island_strategy"}  # where the property has another name than the argument


@pytest.mark.parametrize("option", b2.strategies())
def test_types_of_arguments_name_the_strategies_of_the_lists(option: str) -> None:
    assert typing.get_args(ALIASES[option]) == b2.strategies()[option]


@pytest.mark.parametrize(("option", "name"), [(o, name) for o, names in b2.strategies().items() for name in names])
def test_every_strategy_makes_a_world_that_says_so_and_so_do_its_copies(option: str, name: str) -> None:
    arguments: dict[str, Any] = {option: name}
    with b2.World(**arguments) as world, world.clone() as clone:
        body = world.create_dynamic_body((0, 0))
        body.create_shape(b2.Circle(0.5))
        world.step()
        for each in (world, clone):
            used = getattr(each, READ.get(option, option))
            assert used == ("grid" if name == "auto" else name)


@pytest.mark.parametrize("option", b2.strategies())
def test_an_unknown_strategy_is_refused_with_the_known_ones(option: str) -> None:
    arguments: dict[str, Any] = {option: "best"}
    with pytest.raises(ValueError, match=f"{option}='best' is not known: .*{b2.strategies()[option][-1]}"):
        b2.World(**arguments)


def test_unknown_switches_of_the_lab_and_their_values_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="the switch of lab='ordre' is not known: order, store"):
        b2.World(lab={"ordre": "id"})
    with pytest.raises(ValueError, match=r"lab\['store'\]='none' is not known: handle, lookup"):
        b2.World(lab={"store": "none"})
    with pytest.raises(TypeError, match="lab='order' must be a dictionary"):
        b2.World(lab="order")  # type: ignore[arg-type]


def test_switches_of_the_lab_are_kept_by_copies_unless_they_are_at_their_default() -> None:
    with b2.World(lab={"order": "per_step", "store": "handle"}) as world:
        assert world.lab == {"order": "per_step"}
        with world.clone() as clone, world.clone(lab={"order": "tag"}) as other:
            assert clone.lab == {"order": "per_step"}
            assert other.lab == {"order": "tag"}
