"""What properties of bodies, fixtures and joints pass on to the objects of box2dpy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from .. import WorldLockedError

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., None])


def before(items: Sequence[T], item: T) -> T | None:
    """The item in front of this one, or None."""
    place = items.index(item)
    return items[place - 1] if place else None


def one_by_one(items: Any) -> property:
    """The property `bodies_gen` of `bodies`, and so on."""
    return property(lambda self: iter(items.__get__(self)), doc="The same, one by one.")


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


class Wrapper(WithUserData):
    """Base of what stands for an object of box2dpy."""

    _OF: ClassVar[Any]  # the class of that object

    def _change(self: Any, **values: Any) -> None:
        """Assigns attributes of the object of box2dpy; during a step, when the step is over."""
        try:
            self._assign(values)
        except WorldLockedError:
            self.world._after_step(lambda: self._assign(values))

    def _assign(self: Any, values: dict[str, Any]) -> None:
        for name, value in values.items():
            setattr(self.box2dpy, name, value)


class Passed(Generic[T]):
    """A property that is that of the object of box2dpy, under another name and with its text."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __set_name__(self, owner: Any, name: str) -> None:
        self.__doc__ = getattr(owner._OF, self.name).__doc__

    @overload
    def __get__(self, item: None, owner: Any = None) -> Passed[T]: ...
    @overload
    def __get__(self, item: Any, owner: Any = None) -> T: ...
    def __get__(self, item: Any, owner: Any = None) -> Any:
        return self if item is None else getattr(item.box2dpy, self.name)

    def __set__(self, item: Any, value: T) -> None:
        item._change(**{self.name: value})
