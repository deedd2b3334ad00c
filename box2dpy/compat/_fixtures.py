"""`b2Fixture`: a fixture of the bindings over one or several shapes of box2dpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import DestroyedError, Shape
from ..arguments import flag, integer
from ._passed import Passed, Wrapper, after_step, before
from ._shapes import as_filter
from ._vectors import b2AABB

if TYPE_CHECKING:
    from ..arguments import Vec2Like
    from ._bodies import b2Body
    from ._shapes import b2Filter, b2MassData, b2RayCastInput, b2RayCastOutput, b2Shape
    from ._vectors import b2Vec2
    from ._world import b2World


class b2Fixture(Wrapper):
    """A shape with a material on a body, made by `b2Body.CreateFixture`; it takes any further attributes."""

    _OF = Shape
    body: b2Body
    _shapes: list[Shape]
    _shape: b2Shape | None
    _filter: b2Filter

    def __init__(self) -> None:
        raise TypeError("a b2Fixture is made by b2Body.CreateFixture")

    @property
    def world(self) -> b2World:
        """The world of the fixture."""
        return self.body.world

    @property
    def box2dpy(self) -> Shape:
        """The shape of box2dpy; the first one where there are several: chains and polygons of more than 8 corners."""
        if not self._shapes:
            raise DestroyedError(f"{self!r} has been destroyed")
        return self._shapes[0]

    def _assign(self, values: dict[str, Any]) -> None:
        for each in self._shapes or [self.box2dpy]:
            for name, value in values.items():
                setattr(each, name, value)

    friction = Passed[float]("friction")
    restitution = Passed[float]("restitution")

    @property
    def density(self) -> float:
        """Mass per area, kg/m^2; assigning updates the mass of the body."""
        return self.box2dpy.density

    @density.setter
    @after_step
    def density(self, value: float) -> None:
        self._assign({"density": value})
        self.body._give_mass()

    @property
    def sensor(self) -> bool:
        """Whether it detects and does not collide."""
        return self.box2dpy.sensor

    @sensor.setter
    @after_step
    def sensor(self, value: bool) -> None:
        value = flag(value, "sensor")
        self._assign({"sensor": value})
        self.world._note_sensor(self, value)

    @property
    def filterData(self) -> b2Filter:
        """What it collides with. Assigning it, or one of its bits, takes effect in the next step."""
        return self._filter

    @filterData.setter
    @after_step
    def filterData(self, value: b2Filter) -> None:
        self._filter = as_filter(value)
        self._filter._fixture = self
        self._assign({"filter": self._filter._native()})
        self.world._fresh.add(self.body)

    @property
    def shape(self) -> b2Shape | None:
        """Its shape; None once the fixture is destroyed. Changing it changes the fixture."""
        return self._shape

    def _replace_geometry(self) -> None:
        assert self._shape is not None
        self.world._refuse_when_locked()
        forms = self._shape._geometries()
        if len(forms) != len(self._shapes):
            raise ValueError(f"{self._shape!r} needs another number of shapes: destroy the fixture and create another")
        for shape, form in zip(self._shapes, forms, strict=True):
            shape.set_geometry(form, update_mass=False)

    @property
    def type(self) -> int:
        """The type of its shape: `b2Shape.e_circle` and so on."""
        return self._shape.type if self._shape is not None else -1

    @property
    def massData(self) -> b2MassData:
        """Mass, centre of mass, and inertia about the origin of the body."""
        assert self._shape is not None
        return self._shape.getMass(self.density)

    @property
    def next(self) -> b2Fixture | None:
        """The fixture that was created before it, or None."""
        return before(self.body._fixtures, self)

    def TestPoint(self, p: Vec2Like | b2Vec2) -> bool:
        """Whether a point of the world lies in the fixture."""
        return self._shape is not None and self._shape.TestPoint(self.body.transform, p)

    def RayCast(self, output: b2RayCastOutput, input: b2RayCastInput, childIndex: int) -> bool:
        """Whether a ray enters the fixture; `output` receives the place."""
        assert self._shape is not None
        return self._shape.RayCast(output, input, self.body.transform, childIndex)

    def GetAABB(self, childIndex: int = 0) -> b2AABB:
        """The enlarged box of one part of the fixture that the broad phase works with."""
        integer(childIndex, "childIndex", 0, len(self._shapes) - 1)
        return b2AABB(*self._shapes[childIndex].fat_aabb)

    def Refilter(self) -> None:
        """Does nothing: a changed filter takes effect on its own."""

    def __repr__(self) -> str:
        return f"b2Fixture(shape={self._shape!r})"
