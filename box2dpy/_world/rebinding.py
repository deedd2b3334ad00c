"""Callbacks of a world that `copy.deepcopy` copies: each function for the copy, or None where there is none.

A function that has nothing to do with the world stays as it is. A method becomes that of the copy of its owner, a
closure and a `functools.partial` get the copies of what they refer to, where these are copied too, and handles of the
world become those of the copy. What refers to the world and belongs to something that is not copied has no counterpart.
"""

from __future__ import annotations

import copy
import functools
import types
from typing import TYPE_CHECKING, Any

from .._bridge.made_by_world import MadeByWorld

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._bridge.world_base import WorldBase


class Unbound(Exception):
    """A function refers to the world, and its owner is not copied."""


def rebound(function: Callable[..., Any], world: WorldBase, memo: dict[int, Any]) -> Callable[..., Any] | None:
    """The function for the copy of `world`, which `memo` has already."""
    try:
        return _function(function, world, memo)  # type: ignore[no-any-return]
    except Unbound:
        return None


def _function(function: Any, world: WorldBase, memo: dict[int, Any]) -> Any:
    if id(function) in memo:
        return memo[id(function)]
    if isinstance(function, types.MethodType):
        owner = _value(function.__self__, world, memo)
        return (
            function
            if owner is function.__self__
            else types.MethodType(_function(function.__func__, world, memo), owner)
        )
    if isinstance(function, types.BuiltinMethodType):  # of a list, for example; a plain function of C has its module
        owner = _value(function.__self__, world, memo)
        return function if owner is function.__self__ else getattr(owner, function.__name__)
    if isinstance(function, functools.partial):
        given = [_value(each, world, memo) for each in function.args]
        named = {name: _value(each, world, memo) for name, each in function.keywords.items()}
        return functools.partial(_function(function.func, world, memo), *given, **named)
    if isinstance(function, types.FunctionType):
        return _closure(function, world, memo)
    return _value(function, world, memo)


def _closure(function: types.FunctionType, world: WorldBase, memo: dict[int, Any]) -> types.FunctionType:
    cells = tuple(_cell(cell, world, memo) for cell in function.__closure__ or ())
    defaults = tuple(_value(each, world, memo) for each in function.__defaults__ or ())
    named = {name: _value(each, world, memo) for name, each in (function.__kwdefaults__ or {}).items()}
    old = [*(function.__closure__ or ()), *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if all(new is each for new, each in zip([*cells, *defaults, *named.values()], old, strict=True)):
        return function
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, defaults or None, cells)
    made.__kwdefaults__ = named or None
    return functools.update_wrapper(made, function)  # type: ignore[return-value]


def _cell(cell: types.CellType, world: WorldBase, memo: dict[int, Any]) -> types.CellType:
    try:
        content = cell.cell_contents
    except ValueError:  # it is empty
        return cell
    function = callable(content) and isinstance(content, (types.MethodType, types.FunctionType))
    moved = _function(content, world, memo) if function and id(content) not in memo else _value(content, world, memo)
    return cell if moved is content else types.CellType(moved)


def _value(value: Any, world: WorldBase, memo: dict[int, Any]) -> Any:
    """What stands for it in the copy."""
    if id(value) in memo:
        return memo[id(value)]
    if _belongs(value, world):
        try:
            return copy.deepcopy(value, memo)
        except TypeError:  # it cannot be copied
            raise Unbound from None
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and any(each is world or _belongs(each, world) for each in attributes.values()):
        raise Unbound
    return value


def _belongs(value: Any, world: WorldBase) -> bool:
    """Whether the world has made it."""
    return isinstance(value, MadeByWorld) and getattr(value, "_world", None) is world
