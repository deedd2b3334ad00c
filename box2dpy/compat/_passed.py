"""What properties of bodies, fixtures and joints pass on to the objects of box2dpy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from .. import WorldLockedError

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., None])


def before(items: Sequence[T], item: T) -> T | None:
    """The item in front of this one, or None."""
    place = items.index(item)
    return items[place - 1] if place else None


def after_step(method: F) -> F:
    """A change that a listener makes during a step takes effect when the step is over."""

    @functools.wraps(method)
    def change(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            method(self, *arguments, **options)
        except WorldLockedError:
            self.world._after_step(lambda: method(self, *arguments, **options))

    return change  # type: ignore[return-value]


class WithUserData:
    userData: Any

    def ClearUserData(self) -> None:
        """Assigns None to `userData`."""
        self.userData = None


class Passed(Generic[T]):
    """A property that is that of the object of box2dpy, under another name."""

    def __init__(self, name: str, doc: str) -> None:
        self.name, self.__doc__ = name, doc

    @overload
    def __get__(self, item: None, owner: Any = None) -> Passed[T]: ...
    @overload
    def __get__(self, item: Any, owner: Any = None) -> T: ...
    def __get__(self, item: Any, owner: Any = None) -> Any:
        return self if item is None else getattr(item.box2dpy, self.name)

    def __set__(self, item: Any, value: T) -> None:
        try:
            setattr(item.box2dpy, self.name, value)
        except WorldLockedError:
            item.world._after_step(lambda: setattr(item.box2dpy, self.name, value))
