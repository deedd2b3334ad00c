"""What of a program's own data can be JSON: `data` of objects in levels and snapshots."""

from __future__ import annotations

import math
from typing import Any

from .errors import short_repr


def json_copy(value: Any, what: str) -> Any:
    """A copy that JSON gives back equal: None, True, False, text, finite numbers, lists, and dictionaries with texts as
    keys. A tuple becomes a list.

    Raises:
        TypeError: it holds something else; the message says where. Or it contains itself.
    """
    try:
        return _copied(value, what)
    except RecursionError:
        raise TypeError(f"{what} is no JSON: it contains itself, or is nested too deeply") from None


def _copied(value: Any, what: str) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [_copied(each, f"{what}[{k}]") for k, each in enumerate(value)]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{what} is no JSON: the key {short_repr(key)} is no text")
        return {key: _copied(each, f"{what}[{key!r}]") for key, each in dict(value).items()}
    raise TypeError(f"{what}={short_repr(value)} is no JSON: None, bool, text, finite number, list or dict")
