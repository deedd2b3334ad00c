"""`Travelling`: environments that can be pickled and copied, in the middle of an episode.

An environment has views of the memory of its worlds, which have no meaning in another process. So a pickle has the
arguments with which it was created, and what has changed since: its worlds, as portable bytes, and its own numbers.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

_PLAIN = (bool, int, float, str, type(None), Enum, np.generic, np.random.Generator, spaces.Space, EnvSpec)


class Travelling:
    """Is made again by its arguments, and takes over what changed."""

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        made: Any = super().__new__(cls)
        made._made_with = arguments, options
        return made

    def __reduce__(self) -> Any:
        arguments, options = self._made_with  # type: ignore[attr-defined]
        return _make, (type(self), arguments, options), self._contents()

    def __setstate__(self, contents: dict[str, Any]) -> None:
        self._take_contents(contents)

    def _contents(self) -> dict[str, Any]:
        """What changes in the life of the environment: its plain attributes, and its own arrays."""
        own = vars(self)
        arrays = {name: np.array(each) for name, each in own.items() if _is_own(each)}
        plain = {name: each for name, each in own.items() if isinstance(each, _PLAIN)}
        return {"arrays": arrays, "plain": plain}

    def _take_contents(self, contents: dict[str, Any]) -> None:
        own = vars(self)
        own.update(contents["plain"])
        for name, each in contents["arrays"].items():
            if name in own and own[name].shape == each.shape:
                own[name][...] = each  # others may be views of it
            else:
                own[name] = each


def _is_own(value: Any) -> bool:
    """Not a view of the memory of a batch, which is read-only."""
    return isinstance(value, np.ndarray) and value.flags.writeable


def _make(cls: type[Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return cls(*arguments, **options)
