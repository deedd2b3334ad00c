"""Signatures of functions that take their keywords as one bundle, a `TypedDict`, so that each bundle is written once.

Type checkers read the bundle from `**options: Unpack[Bundle]`. Without this module, `inspect.signature` and `help`
would show only `**options`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from .other_names import unexpected

F = TypeVar("F", bound=Callable[..., Any])


def shows(bundle: type, defaults: Mapping[str, object]) -> Callable[[F], F]:
    """A decorator that puts the keys of `bundle`, with their defaults, in the place of `**options` in a signature."""
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name],
            annotation=getattr(hint, "__forward_arg__", hint),
        )
        for name, hint in bundle.__annotations__.items()
    ]

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        return function

    return decorate


def refuse(function: str, names: Collection[str], known: Collection[str] = (), also: Collection[str] = ()) -> None:
    """Raises TypeError, as Python does, for the first of the names that is not known. The message may propose one of
    the known ones or of `also`.
    """
    for name in names:
        if name not in known:
            raise unexpected(function, name, [*known, *also])
