"""The keywords that queries share, and what the lists of the core say of their arguments."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from .._bridge.arguments import flag, integer, number
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.signatures import describe, refuse, shows
from .._geometry.categories import Filter
from .._objects.shape import as_filter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ALL_BITS = 2**64 - 1
F = TypeVar("F", bound="Callable[..., Any]")


def filter_bits(filter: Filter | None) -> tuple[int, int]:
    if filter is None:
        return ALL_BITS, ALL_BITS
    category, mask, _ = as_filter(filter)
    return category, mask


# generated: keywords of queries, see tools/lists.py
class QueryOptions(TypedDict, total=False):
    """The keywords of all queries."""

    filter: Filter | None
    sensors: bool


# end of generated

_FILTER = ffi.typeof("b2d_query_filter *")
_ALL = lib.b2d_query_all
_EVERYTHING = ffi.new(_FILTER, _ALL)
_KINDS = {name: row[0] for row in shared_list("queries") for name in (*row[2].split(), row[3])}
_OPTIONS = {row[2]: row for row in shared_list("query_options")}
_BY_TYPE = {"bool": flag, "double": number, "int32_t": integer}
_ENCODERS = {name: _BY_TYPE[row[3]] for name, row in _OPTIONS.items()}
_DEFAULTS = {"filter": None, **{name: getattr(_ALL, name) for name in _OPTIONS}}
_RAISES = """Raises:
    ValueError: not finite, not two numbers, beyond 1e12 m, or an array of a wrong shape.
    TypeError: a wrong type.
    WorldLockedError: another thread is stepping the world.
    DestroyedError: the world is closed.
"""
_KEYWORDS: dict[str, Mapping[str, Any]] = {}  # by the name of the query


def query(options: type) -> Callable[[F], F]:
    """A decorator of a query with these keywords: completes its signature and its docstring from the lists."""

    def decorate(function: F) -> F:
        name, code = function.__name__, function.__code__
        keywords = _KEYWORDS[name] = options.__annotations__
        own, texts = {*code.co_varnames[: code.co_argcount], *keywords}, {}
        for kind, _, one, many, components, *_, default, _, _, unit, text in shared_list("query_arguments"):
            if kind in (_KINDS[name], "ALL") and one in own:
                texts[one] = text.format(unit=unit)
            elif kind == _KINDS[name]:
                shape = "(n, 2)" if components == "2" else f"(n,), or None for {float(default):g} in all"
                texts[many] = f"{unit}, shape {shape}."
        texts.update({each: row[-1].format(unit=row[-2]) for each, row in _OPTIONS.items() if each in own})
        describe(function, texts)
        before, example, after = (function.__doc__ or "").partition("\n>>> ")
        function.__doc__ = f"{before.rstrip()}\n\n{_RAISES}{example}{after}"
        return shows(keywords, _DEFAULTS)(function)

    return decorate


def _with_bits(filter: Filter | None) -> Any:
    wanted = ffi.new(_FILTER, _ALL)
    if filter is not None:
        wanted.category, wanted.mask = filter_bits(filter)
    return wanted


_of_filter = functools.lru_cache(64)(_with_bits)


def query_filter(function: str, options: Mapping[str, Any]) -> Any:
    """The argument of queries of the core that says which shapes they find."""
    if not options:
        return _EVERYTHING
    if len(options) == 1 and "filter" in options:
        found = options["filter"]
        if found is None:
            return _EVERYTHING
        if type(found) is Filter:
            return _of_filter(found)
    known, wanted = _KEYWORDS.get(function, options), _with_bits(options.get("filter"))
    for name, value in options.items():
        if name not in known:
            refuse(function, (name,), known)
        elif name != "filter":
            setattr(wanted, name, _ENCODERS[name](value, name))
    return wanted
