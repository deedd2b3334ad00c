"""Arguments in: numbers, pairs, flags, names and arrays, turned into what C takes or refused with their name and value.

C checks whether a number is finite and in range, so that every caller gets the same answer; `bounded` and `integer` are
for options, which are checked before they reach C, and for what C never sees.
"""

from __future__ import annotations

import math
import operator
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .errors import short_repr

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

Name = TypeVar("Name", bound=str)
T = TypeVar("T")
_TEXT = (str, bytes, bytearray, memoryview)
_NO_PAIRS = (*_TEXT, set, frozenset, dict)
NOT_PAIRS = frozenset(
    _NO_PAIRS
)  # types that two numbers may be unpacked from, but not in an order that means something


def number(value: Any, name: str) -> float:
    """A real number; int, float, numpy scalar or anything with `__float__`, but no text and no array."""
    kind = type(value)
    if kind is float:
        return value  # type: ignore[no-any-return]
    if kind is not int:
        sized = hasattr(value, "__len__") and getattr(value, "shape", None) != ()
        if sized or isinstance(value, (*_TEXT, complex)):
            raise TypeError(f"{name}={short_repr(value)} must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name}={short_repr(value)} is out of range") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name}={short_repr(value)} must be a number") from None


def bounded(value: Any, name: str, lower: float, upper: float) -> float:
    """A finite number in [lower, upper]."""
    result = number(value, name)
    if not math.isfinite(result):
        raise ValueError(f"{name}={short_repr(value)} must be finite")
    if not lower <= result <= upper:
        raise ValueError(f"{name}={short_repr(value)} is out of range: {lower:g} to {upper:g}")
    return result


def pair(value: Any, name: str) -> tuple[float, float]:
    """Two numbers: a tuple, list, `Vec2`, numpy row or any other sequence of two."""
    try:
        x, y = value
    except TypeError:
        raise TypeError(f"{name}={short_repr(value)} must be a pair of numbers") from None
    except ValueError:
        raise ValueError(f"{name}={short_repr(value)} must have exactly two elements") from None
    if type(x) is float and type(y) is float and type(value) not in NOT_PAIRS:
        return x, y
    return components(x, y, value, name)


def components(x: Any, y: Any, value: Any, name: str) -> tuple[float, float]:
    """The two elements of `value` as numbers."""
    if type(value) is not tuple and isinstance(value, _NO_PAIRS):
        raise TypeError(f"{name}={short_repr(value)} must be a pair of numbers")
    try:
        return number(x, name), number(y, name)
    except TypeError:
        raise TypeError(f"{name}={short_repr(value)} must be a pair of numbers") from None
    except ValueError:
        raise ValueError(f"{name}={short_repr(value)} is out of range") from None


def direction(value: Any, name: str) -> tuple[float, float]:
    """A pair that is not zero; None becomes (0, 0)."""
    if value is None:
        return 0.0, 0.0
    x, y = pair(value, name)
    if x == 0.0 and y == 0.0:
        raise ValueError(f"{name}={short_repr(value)} has no direction")
    return x, y


def finite_pair(value: Any, name: str) -> tuple[float, float]:
    """Two finite numbers, for what Python computes with before C sees it."""
    x, y = pair(value, name)
    if x - x == y - y == 0.0:  # neither NaN nor infinite
        return x, y
    raise ValueError(f"{name}={short_repr(value)} must be finite")


def integer(value: Any, name: str, lower: int = -(2**31), upper: int = 2**31 - 1) -> int:
    """A whole number in [lower, upper]; floats are refused even when whole."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={short_repr(value)} must be an integer")
    try:
        result = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={short_repr(value)} must be an integer") from None
    if not lower <= result <= upper:
        raise ValueError(f"{name}={short_repr(value)} is out of range: {lower} to {upper}")
    return result


def file_path(value: Any, name: str = "path") -> str:
    """The name of a file: text, or an `os.PathLike` of text."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise TypeError(f"{name}={short_repr(value)} must be a str or an os.PathLike of one")
    return path


def make_folder(path: Path) -> None:
    """Creates a folder with those that it is in; not by recursion, because a path may have thousands."""
    missing = []
    while not path.is_dir() and path != path.parent:
        missing.append(path)
        path = path.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)


def instance(value: Any, kind: type[T], name: str) -> T | None:
    """An object of a class, or None."""
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name}={short_repr(value)} must be a {kind.__name__} or None")
    return value


def flag(value: Any, name: str) -> bool:
    """True or False, numpy's too, or the integers 1 and 0."""
    if value is True or value is False:
        return value
    if isinstance(value, np.bool_) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name}={short_repr(value)} must be True or False")


def function_or_none(value: Any, name: str) -> Any:
    """Something that can be called, or None."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}={short_repr(value)} must be callable or None")
    return value


def choice(value: Any, name: str, choices: Iterable[Name]) -> Name:
    """One of the names."""
    names = list(choices)
    if not isinstance(value, str):
        raise TypeError(f"{name}={short_repr(value)} must be a string: {', '.join(names)}")
    for each in names:
        if each == value:
            return each
    raise ValueError(f"{name}={short_repr(value)} is not known: {', '.join(names)}")


def text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}={short_repr(value)} must be a string")
    return value


def points(value: Any, name: str) -> NDArray[np.float64]:
    """Rows of two float64, shape (n, 2), contiguous; n may be 0."""
    rows = floats(value, name)
    if rows.size == 0 and rows.ndim <= 2:
        return rows.reshape(0, 2)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"{name}={short_repr(value)} must have shape (n, 2), not {rows.shape}")
    return rows


def floats(value: Any, name: str) -> NDArray[np.float64]:
    """A contiguous float64 array of any shape: a copy, because C reads it without the GIL after it has been checked."""
    try:
        raw = np.asarray(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={short_repr(value)} must be an array of numbers; its rows differ in length") from None
    if raw.dtype.kind not in "fiu" and raw.size:
        raise TypeError(f"{name}={short_repr(value)} must be an array of real numbers, not of {raw.dtype}")
    if raw.dtype.itemsize > 8:  # numpy would warn of long doubles that become infinite
        with np.errstate(over="ignore"):
            return raw.astype(np.float64, order="C")
    return raw.astype(np.float64, order="C", copy=type(value) not in (list, tuple))  # numpy 1 has no copy=None


def flags(value: Any, name: str, *, as_read: bool = False) -> NDArray[np.float64]:
    """True and False, or the integers 1 and 0, in an array of any shape, as the numbers 1 and 0. `as_read`: also floats
    of these values, and NaN, as batches give them."""
    try:
        raw = np.asarray(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={short_repr(value)} must be an array of flags; its rows differ in length") from None
    numbers = raw.dtype.kind in ("iuf" if as_read else "iu") or raw.size == 0
    if raw.dtype.kind != "b" and (not numbers or np.any((raw != 0) & (raw != 1) & (raw == raw))):
        raise TypeError(f"{name}={short_repr(value)} must be an array of True and False")
    return raw.astype(np.float64, order="C")


def finite(rows: NDArray[np.float64], value: Any, name: str) -> None:
    """Refuses NaN and infinities, naming the first row that has one."""
    bad = ~np.isfinite(rows)
    if bad.any():
        if rows.ndim < 2 and rows.size <= 2:  # one value for all
            raise ValueError(f"{name}={short_repr(value)} must be finite")
        row = int(np.argwhere(bad)[0][0])
        raise ValueError(f"{name}={short_repr(value)} must be finite; row {row} is {short_repr(rows[row].tolist())}")


def spread(value: Any, name: str, wanted: tuple[int, ...], convert: Any) -> NDArray[np.float64]:
    """`value` as doubles of the wanted shape: it has this shape, or it is one value for all rows."""
    given: NDArray[np.float64] = convert(value, name)
    if given.shape == wanted:
        return given
    if 0 in wanted:  # no row takes the value, so it is checked here
        finite(given, value, name)
        if not given.size:
            return given.reshape(wanted)
    try:
        return np.ascontiguousarray(np.broadcast_to(given, wanted))
    except ValueError:
        raise ValueError(
            f"{name}={short_repr(value)} must have shape {wanted} or be one value, not {given.shape}"
        ) from None


def masked(mask: object, count: int) -> NDArray[np.bool_] | None:
    """A mask of worlds, or None for all."""
    if mask is None:
        return None
    try:
        given = np.array(mask)  # a copy: C reads it without the GIL
    except (TypeError, ValueError):
        raise TypeError(f"mask={short_repr(mask)} must be an array of bool") from None
    if given.dtype != np.bool_:
        raise TypeError(f"mask={short_repr(mask)} must be an array of bool, not of {given.dtype}")
    if given.shape != (count,):
        raise ValueError(f"mask={short_repr(mask)} must have shape ({count},), not {given.shape}")
    return given


def column(value: Any, name: str, count: int) -> NDArray[np.float64]:
    """A finite number for each of `count` rows, as a copy."""
    numbers = floats(value, name)
    if numbers.shape != (count,):
        raise ValueError(f"{name}={short_repr(value)} must have shape ({count},), not {numbers.shape}")
    finite(numbers, value, name)
    return numbers


def pinned(shape: int | tuple[int, ...], kind: Any) -> NDArray[Any]:
    """Zeros that C reads or writes later: `ndarray.resize` cannot free memory that numpy does not own."""
    dtype = np.dtype(kind)
    rows: NDArray[Any] = np.ndarray(shape, dtype, bytearray(math.prod(np.atleast_1d(shape).tolist()) * dtype.itemsize))
    return rows
