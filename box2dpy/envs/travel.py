"""`Travelling`: environments that can be pickled and copied, in the middle of an episode.

An environment has views of the memory of its worlds, which have no meaning in another process. So a pickle has the
arguments with which it was created, its worlds, as portable bytes, and all attributes that show nothing of its worlds.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import weakref
from enum import Enum
from types import FunctionType
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from .. import DestroyedError, WorldBatch

_PLAIN = (bool, int, float, str, type(None), Enum, np.generic, np.random.Generator, spaces.Space)


class Travelling:
    """Is made again by its arguments, and takes over its attributes."""

    HOLDS: ClassVar[str]
    """The attribute that has the worlds, a batch or another environment; it travels first."""
    MADE_AGAIN: ClassVar[frozenset[str]] = frozenset({"_made_with", "_inside"})
    _made_with: tuple[tuple[Any, ...], dict[str, Any]]
    _inside: tuple[weakref.ref[Any], str] | None = None
    """The environment that has made this one, and its attribute."""

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        made: Any = super().__new__(cls)
        made._made_with = arguments, options
        return made

    def __reduce__(self) -> Any:
        if self._inside is not None:  # its attributes may refer to it
            outer, name = self._inside[0](), self._inside[1]
            if outer is not None:
                return getattr, (outer, name)
        arguments, options = self._made_with
        return _make, (type(self), arguments, options), self._contents()

    def __setstate__(self, contents: Any) -> None:
        self._take_contents(contents)

    def _contents(self) -> Any:
        """The worlds, and the attributes but those that show something of them: the constructor makes these again."""
        batches, contents = self._batches(), {}
        for name, value in vars(self).items():
            if name in self.MADE_AGAIN or name == self.HOLDS:
                continue
            if isinstance(value, EnvSpec):  # has the arguments, too
                value = copy.copy(value)
                value.kwargs = {key: self._made_with[1].get(key, each) for key, each in value.kwargs.items()}
            elif not isinstance(value, _PLAIN):
                try:
                    _Trial(value, batches).dump(value)
                except (_ShowsWorlds, DestroyedError):  # templates have been closed
                    continue
                except Exception as error:
                    if self._is_argument(value):
                        continue
                    value = _Unpicklable(f"{type(self).__name__}.{name}", value, str(error))
            contents[name] = value
        return getattr(self, self.HOLDS)._contents(), contents

    def _take_contents(self, contents: Any) -> None:
        own = vars(self)
        worlds, attributes = contents
        getattr(self, self.HOLDS)._take_contents(worlds)
        for name, value in attributes.items():
            mine: Any = own.get(name)
            if isinstance(value, _Unpicklable):
                value = value.value
            if isinstance(value, np.ndarray) and _alike(mine, value):
                mine[...] = value  # others may be views of it
            elif isinstance(value, (WorldBatch, Travelling)) and type(mine) is type(value):
                if mine is not value:
                    mine.__setstate__(value._contents())  # here as well
            elif name not in own or not _refers_to_environment(value):
                own[name] = value

    def _batches(self) -> list[WorldBatch]:
        """The batches of this environment and of those in it."""
        holders = [self, *(each for each in vars(self).values() if isinstance(each, Travelling))]
        return [value for each in holders for value in vars(each).values() if isinstance(value, WorldBatch)]

    def _keep(self, kept: dict[int, Any]) -> None:
        """Keeps arguments as they are now, for copies: `kept` has what replaces them, and what is in them, by id."""
        self._made_with = _replaced(self._made_with, kept)

    def _is_argument(self, value: Any) -> bool:
        arguments, options = self._made_with
        return any(value is each for each in (*arguments, *options.values()))


class _ShowsWorlds(Exception):
    pass


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, data: Any) -> int:
        return len(data)


class _Trial(pickle.Pickler):
    """Raises what pickling a value raises, or `_ShowsWorlds`."""

    def __init__(self, value: Any, batches: list[WorldBatch]) -> None:
        super().__init__(_Nowhere(), 5, buffer_callback=lambda _: None)
        self._value, self._batches = value, batches

    def persistent_id(self, value: Any) -> Any:
        """What is not to be looked into."""
        if isinstance(value, np.ndarray) and any(batch.shows(value) for batch in self._batches):
            raise _ShowsWorlds
        if value is not self._value and any(value is batch for batch in self._batches):
            raise _ShowsWorlds
        return "environment" if isinstance(value, Travelling) else None


class _Unpicklable:
    """A value that pickle refuses. It may still be copied, so the error comes when it is pickled."""

    def __init__(self, name: str, value: Any, error: str) -> None:
        self.name, self.value, self.error = name, value, error

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self.name} cannot be pickled: {self.error}. If the constructor makes it, name it in MADE_AGAIN"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        try:
            return copy.deepcopy(self.value, memo)
        except Exception as error:
            raise TypeError(f"{self.name} cannot be copied: {error}") from error


def _alike(mine: Any, value: np.ndarray[Any, Any]) -> bool:
    """Whether an array can be written into another one."""
    return (
        isinstance(mine, np.ndarray)
        and mine.flags.writeable
        and mine.shape == value.shape
        and mine.dtype == value.dtype
    )


def _refers_to_environment(value: Any) -> bool:
    """Whether it is a local function with an environment among its variables: not the copy, but the original."""
    if not isinstance(value, FunctionType):
        return False
    return any(isinstance(each, Travelling) for each in inspect.getclosurevars(value).nonlocals.values())


def _replaced(value: Any, kept: dict[int, Any]) -> Any:
    if id(value) in kept:
        return kept[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_replaced(each, kept) for each in value)
    return {key: _replaced(each, kept) for key, each in value.items()} if type(value) is dict else value


def _make(cls: type[Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return cls(*arguments, **options)
