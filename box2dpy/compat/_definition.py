"""`Definition`: the base of `b2BodyDef` and `b2JointDef`, whose attributes are declared as options.

A declaration has the default of the attribute and, if box2dpy has the same option, its name there. The keywords of the
definition, the check of values and the call of box2dpy follow from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, overload

from ..arguments import finite_pair, flag, number, pair
from ._passed import T, WithUserData
from ._shapes import refuse_keywords
from ._vectors import b2Vec2

if TYPE_CHECKING:
    from ..arguments import Vec2Like


class Option(Generic[T]):
    """An attribute of a definition: its default, and the option of box2dpy that it becomes, if there is one."""

    def __init__(self, default: T, ours: str = "") -> None:
        self.default, self.ours = default, ours

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, item: Any, owner: Any = None) -> T:  # of the class only: definitions have values of their own
        return self.default

    def checked(self, item: Any) -> Any:
        """The value for box2dpy. A wrong one is reported under the name of the attribute."""
        return (flag if isinstance(self.default, bool) else number)(getattr(item, self.name), self.name)


class Vector(Option[Any]):
    """A vector attribute of a definition, kept as a `b2Vec2`."""

    def __init__(self, x: float = 0.0, y: float = 0.0, ours: str = "") -> None:
        super().__init__((x, y), ours)

    @overload
    def __get__(self, item: None, owner: Any = None) -> Vector: ...
    @overload
    def __get__(self, item: Any, owner: Any = None) -> b2Vec2: ...
    def __get__(self, item: Any, owner: Any = None) -> Any:
        return self if item is None else item.__dict__[self.name]

    def __set__(self, item: Any, value: Vec2Like | b2Vec2) -> None:
        item.__dict__[self.name] = b2Vec2(*pair(value, self.name))

    def checked(self, item: Any) -> Any:
        return finite_pair(self.__get__(item), self.name)


class Definition(WithUserData):
    """The keywords are the attributes."""

    _OPTIONS: ClassVar[dict[str, Option[Any]]]
    _PLACES: ClassVar[tuple[str, ...]] = ()  # attributes that need others, so that they are assigned last

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declared = [value for base in reversed(cls.__mro__) for value in vars(base).values()]
        cls._OPTIONS = {option.name: option for option in declared if isinstance(option, Option)}

    def __init__(self, **options: Any) -> None:
        refuse_keywords(type(self).__name__, options, (*self._OPTIONS, *self._PLACES))
        for name, option in self._OPTIONS.items():
            setattr(self, name, options.get(name, option.default))
        for name in self._PLACES:
            if name in options:
                setattr(self, name, options[name])

    def to_kwargs(self) -> dict[str, Any]:
        """The attributes as keywords."""
        return {name: getattr(self, name) for name in self._OPTIONS}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.to_kwargs().items())
        return f"{type(self).__name__}({given})"
