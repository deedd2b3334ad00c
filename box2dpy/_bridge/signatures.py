"""Signatures of functions that take their keywords as one bundle, a `TypedDict`, so that each bundle is written once.

Type checkers read the bundle from `**options: Unpack[Bundle]`. Without this module, `inspect.signature` and `help`
would show only `**options`, and the meaning of an option only at the property of its name.
"""

from __future__ import annotations

import functools
import inspect
import re
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


def describe_options(function: Callable[..., Any], *owners: type, texts: Mapping[str, str]) -> None:
    """Completes the section "Args" of the docstring with the options that it does not describe. Their texts are in
    `texts`, or else they are the docstrings of the properties of `owners`.
    """
    doc = inspect.cleandoc(function.__doc__ or "")
    described = {name for names in re.findall(r"^    ([\w, ]+):", doc, re.MULTILINE) for name in names.split(", ")}
    signature: inspect.Signature = getattr(function, "__signature__", None) or inspect.signature(function)
    lines = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and name not in described:
            text = texts.get(name) or next(filter(None, (_text(owner, name) for owner in owners)), "")
            lines.append(f"    {name}: {text}\n")
    before, args, rest = doc.partition("Args:\n")
    if not args:
        place = re.search(r"^(Raises:|Returns:|>>> )", doc, re.MULTILINE)
        at = place.start() if place else len(doc)
        before, rest = f"{doc[:at].rstrip()}\n\n", f"\n{doc[at:]}"
    of_args, gap, after = rest.partition("\n\n") if args else ("", "", rest)
    own = f"{of_args}\n" if of_args else ""
    function.__doc__ = f"{before}Args:\n{own}{''.join(lines)}{gap[1:]}{after}".rstrip()


@functools.cache
def _text(owner: type, name: str) -> str:
    """The first paragraph of the docstring of a property, without what assigning to it does."""
    doc: str = getattr(getattr(owner, name, None), "__doc__", None) or ""
    return " ".join(doc.partition("\n\n")[0].partition(" Assigning ")[0].split())
