"""Signatures of functions that take their keywords as one bundle, a `TypedDict`, so that each bundle is written once.

Type checkers read the bundle from `**options: Unpack[Bundle]`. Without this module, `inspect.signature` and `help`
would show only `**options`, and the meaning of an option only at the property of its name.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from .other_names import unexpected

F = TypeVar("F", bound=Callable[..., Any])
_TEXTS = {  # of options that are no properties, or say less
    "data": "any Python object.",
    "update_mass": "False leaves the mass as it is until `Body.update_mass()`; for adding many shapes.",
    "anchor": "where the joint is, in world coordinates, metres.",
    "axis": "direction of the motion in world coordinates; (1, 0) if it is not given.",
    "normal": "direction of the leg in world coordinates; (0, 1) if it is not given.",
}


class _LateSignature(inspect.Signature):
    """A signature that is completed when it is first looked at, because that takes long."""

    __slots__ = ("_complete",)

    def __init__(self, complete: Callable[[], inspect.Signature]) -> None:
        self._complete = complete

    def __getattr__(self, name: str) -> Any:  # called while the slots of the base class are empty
        if name not in inspect.Signature.__slots__:
            raise AttributeError(name)
        complete = self._complete()
        for slot in inspect.Signature.__slots__:
            setattr(self, slot, getattr(complete, slot))
        return getattr(self, name)

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        return self._complete().replace(**changes)


def shows(hints: Mapping[str, Any], defaults: Mapping[str, object], *owners: type) -> Callable[[F], F]:
    """A decorator that puts the names of `hints`, with their defaults, in the place of `**options` in the signature of
    a function. With `owners` it also describes its keywords, see `texts_of`."""

    def decorate(function: F) -> F:
        def complete() -> inspect.Signature:
            plain = inspect.signature(_without_signature(inspect.unwrap(function)))
            own = [each for each in plain.parameters.values() if each.kind is not each.VAR_KEYWORD]
            options = [
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=defaults[name],
                    annotation=getattr(hint, "__forward_arg__", hint),
                )
                for name, hint in hints.items()
            ]
            return plain.replace(parameters=[*own, *options])

        function.__signature__ = _LateSignature(complete)  # type: ignore[attr-defined]
        if owners:
            describe(function, texts_of((*keywords(function), *hints), *owners))
        return function

    return decorate


def _without_signature(function: types.FunctionType) -> types.FunctionType:
    """A copy that has the signature of the source text."""
    bare = types.FunctionType(function.__code__, function.__globals__, argdefs=function.__defaults__)
    bare.__kwdefaults__, bare.__annotations__ = function.__kwdefaults__, function.__annotations__
    return bare


def keywords(function: Callable[..., Any]) -> Collection[str]:
    """The names of the keyword-only parameters that are written in the signature of a function."""
    code: types.CodeType = inspect.unwrap(function).__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def refuse(function: str, names: Collection[str], known: Collection[str] = (), also: Collection[str] = ()) -> None:
    """Raises TypeError, as Python does, for the first of the names that is not known. The message may propose one of
    the known ones or of `also`."""
    for name in names:
        if name not in known:
            raise unexpected(function, name, [*known, *also])


def texts_of(names: Iterable[str], *owners: type) -> dict[str, str]:
    """What docstrings say of options: mostly the docstring of the property of an owner."""
    return {name: next(filter(None, (_text(owner, name) for owner in owners)), "") for name in names}


def describe(function: Any, texts: Mapping[str, str]) -> None:
    """Completes the section "Args" of the docstring of a function or class with the texts of arguments that it does
    not describe."""
    doc = inspect.cleandoc(function.__doc__ or "")
    described = {name for names in re.findall(r"^    ([\w, ]+):", doc, re.MULTILINE) for name in names.split(", ")}
    lines = [f"    {name}: {text}\n" for name, text in texts.items() if name not in described]
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
    if name in _TEXTS:
        return _TEXTS[name]
    doc: str = getattr(getattr(owner, name, None), "__doc__", None) or ""
    return " ".join(doc.partition("\n\n")[0].partition(" Assigning ")[0].split())
