"""`box2dpy.lab.Strategies`: the lists of the core, the names of Python and the types of the fields are one."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from typing import Any, get_type_hints

import pytest

import box2dpy as b2
from box2dpy._world import strategies, world_options

FIELDS = [each.name for each in dataclasses.fields(b2.lab.Strategies)]
VALUES = [(field, name) for field, names in b2.lab.NAMES.items() for name in names]


def test_names_and_types_of_the_fields_are_those_of_the_lists() -> None:
    hints = get_type_hints(b2.lab.Strategies, vars(strategies))
    assert list(b2.lab.NAMES) == FIELDS
    for field in dataclasses.fields(b2.lab.Strategies):
        assert typing.get_args(hints[field.name]) == b2.lab.NAMES[field.name]
        assert field.default == b2.lab.NAMES[field.name][0]


@pytest.mark.parametrize(("field", "name"), VALUES)
def test_every_strategy_makes_a_world_that_says_so_and_so_do_its_copies(field: str, name: str) -> None:
    chosen = b2.lab.Strategies(**{field: name})  # type: ignore[arg-type]
    wanted = dataclasses.replace(chosen, broadphase="grid") if chosen.broadphase == "auto" else chosen
    with b2.World(strategies=chosen) as world, world.clone() as clone, b2.World().clone(strategies=chosen) as other:
        world.create_dynamic_body((0, 0)).create_shape(b2.Circle(0.5))
        world.step()
        pickled = pickle.loads(pickle.dumps(world))
        read = b2.World.from_snapshot(world.snapshot(), strategies=chosen)
        assert [each.strategies for each in (world, clone, other, pickled, copy.copy(world), read)] == [wanted] * 6


@pytest.mark.parametrize("field", FIELDS)
def test_an_unknown_strategy_is_refused_with_the_known_ones(field: str) -> None:
    wrong: dict[str, Any] = {field: "best"}
    with pytest.raises(ValueError, match=f"{field}='best' is not known: .*{b2.lab.NAMES[field][-1]}"):
        b2.lab.Strategies(**wrong)
    with pytest.raises(TypeError, match="colour"):
        b2.lab.Strategies(colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="strategies='dfs' must be box2dpy.lab.Strategies"):
        b2.World(strategies="dfs")  # type: ignore[arg-type]


@pytest.mark.parametrize("field", world_options.STRATEGY_OPTIONS)
def test_some_strategies_are_options_of_their_own_which_change_one_field(field: str) -> None:
    name, base = b2.lab.NAMES[field][-1], b2.lab.Strategies(broadphase="tree", order="tag")
    option: dict[str, Any] = {field: name}
    wanted = dataclasses.replace(base, **option)
    with b2.World(strategies=base) as world, b2.World(strategies=base, **option) as made:
        assert made.strategies == wanted
        with world.clone(**option) as clone, world.clone(strategies=b2.lab.Strategies()) as plain:
            assert clone.strategies == wanted
            assert plain.strategies == b2.lab.Strategies(broadphase="grid")
    assert b2.World(**option).strategies == dataclasses.replace(b2.World().strategies, **option)
    with pytest.raises(ValueError, match=f"{field}='best' is not known"):
        b2.World(**{field: "best"})  # type: ignore[arg-type]


def test_the_options_of_clone_are_those_of_the_constructor() -> None:
    makes, clones = world_options.MakerOptions.__annotations__, world_options.WorldOptions.__annotations__
    assert clones == {**makes, "gravity": clones["gravity"]}
    assert {*world_options.MADE, *world_options._ASSIGNED} == clones.keys()
    assert (*world_options.StrategyOptions.__annotations__,) == world_options.STRATEGY_OPTIONS
    shown = list(inspect.signature(b2.World).parameters)
    assert shown == ["gravity", *(name for name in makes if name not in world_options.STRATEGY_OPTIONS)]
    assert b2.World.__init__.__annotations__["options"] == "Unpack[MakerOptions]"
    for method in (b2.World.clone, b2.World.from_snapshot, b2.World.from_dict, b2.World.load_level):
        assert method.__annotations__["options"] == "Unpack[WorldOptions]"


def test_every_option_of_a_world_is_a_property_of_its_name() -> None:
    for name in inspect.signature(b2.World).parameters:
        assert hasattr(b2.World, name), name


def test_a_short_text_shows_the_fields_that_are_not_at_their_defaults() -> None:
    assert repr(b2.lab.Strategies(store="lookup", order="id")) == "Strategies(store='lookup')"
