"""`b2Draw`: what draws a world for debugging, through methods of the user."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ._bodies import b2_dynamicBody, b2_kinematicBody
from ._shapes import b2ChainShape, b2CircleShape, b2EdgeShape
from ._vectors import b2AABB, b2Color, vector

if TYPE_CHECKING:
    from ._bodies import b2Body
    from ._world import b2World


class b2Draw:
    """Override the methods, assign an instance to `b2World.renderer`, and call `b2World.DrawDebugData`.

    `flags` says what is drawn: a dictionary of `drawShapes`, `drawJoints`, `drawAABBs`, `drawCOMs`, or the sum of the
    bits.
    """

    e_shapeBit, e_jointBit, e_aabbBit, e_pairBit, e_centerOfMassBit = 1, 2, 4, 8, 16
    _NAMES = ("drawShapes", "drawJoints", "drawAABBs", "drawPairs", "drawCOMs")

    def __init__(self, **flags: bool) -> None:
        self._bits = self.e_shapeBit
        if flags:
            self.flags = flags

    @property
    def flags(self) -> Any:
        """What is drawn, as a dictionary; a number of bits may be assigned, too."""
        return {name: bool(self._bits >> k & 1) for k, name in enumerate(self._NAMES)}

    @flags.setter
    def flags(self, value: Any) -> None:
        if isinstance(value, int):
            self._bits = value
            return
        unknown = set(value) - {*self._NAMES, "convertVertices"}
        if unknown:
            raise ValueError(f"flags {sorted(unknown)} are not known: {', '.join(self._NAMES)}")
        self._bits = sum(1 << k for k, name in enumerate(self._NAMES) if value.get(name))

    def AppendFlags(self, flags: int) -> None:
        """Adds bits."""
        self._bits |= flags

    def ClearFlags(self, flags: int) -> None:
        """Removes bits."""
        self._bits &= ~flags

    def DrawPolygon(self, vertices: Any, color: b2Color) -> None:
        """Draws an outline; vertices in metres, world coordinates."""

    def DrawSolidPolygon(self, vertices: Any, color: b2Color) -> None:
        """Draws a filled polygon."""

    def DrawCircle(self, center: Any, radius: float, color: b2Color) -> None:
        """Draws the outline of a circle."""

    def DrawSolidCircle(self, center: Any, radius: float, axis: Any, color: b2Color) -> None:
        """Draws a filled circle with a line along `axis`, which shows its rotation."""

    def DrawSegment(self, p1: Any, p2: Any, color: b2Color) -> None:
        """Draws a line."""

    def DrawTransform(self, xf: Any) -> None:
        """Draws the axes of a body at its centre of mass."""

    def _draw_world(self, world: b2World) -> None:
        bits = self._bits
        for body in world.bodies:
            if bits & self.e_shapeBit:
                self._draw_body(body, _color_of(body))
            if bits & self.e_aabbBit:
                for fixture in body.fixtures:
                    for child in range(len(fixture._shapes)):
                        box = fixture.GetAABB(child)
                        self.DrawPolygon(_corners(box), b2Color(0.9, 0.3, 0.9))
            if bits & self.e_centerOfMassBit:
                place = body.transform
                place.position = body.worldCenter
                self.DrawTransform(place)
        if bits & self.e_jointBit:
            for joint in world.joints:
                a, b, color = joint.anchorA, joint.anchorB, b2Color(0.5, 0.8, 0.8)
                self.DrawSegment(joint.bodyA.position, a, color)
                self.DrawSegment(a, b, color)
                self.DrawSegment(joint.bodyB.position, b, color)
        if bits & self.e_pairBit:
            for contact in world.contacts:
                a, b = (fixture.GetAABB(0).center for fixture in (contact.fixtureA, contact.fixtureB))
                self.DrawSegment(a, b, b2Color(0.3, 0.9, 0.9))

    def _draw_body(self, body: b2Body, color: b2Color) -> None:
        place = body.transform
        for fixture in body.fixtures:
            shape: Any = fixture.shape
            if isinstance(shape, b2CircleShape):
                self.DrawSolidCircle(place * shape.pos, shape.radius, place.q * (1.0, 0.0), color)
            elif isinstance(shape, (b2EdgeShape, b2ChainShape)):
                points = [place * point for point in shape.vertices]
                for a, b in pairwise(points):
                    self.DrawSegment(a, b, color)
            else:
                self.DrawSolidPolygon([place * point for point in shape.vertices], color)


def _color_of(body: b2Body) -> b2Color:
    if not body.active:
        return b2Color(0.5, 0.5, 0.3)
    if body.type != b2_dynamicBody:
        return b2Color(0.5, 0.5, 0.9) if body.type == b2_kinematicBody else b2Color(0.5, 0.9, 0.5)
    return b2Color(0.9, 0.7, 0.7) if body.awake else b2Color(0.6, 0.6, 0.6)


def _corners(box: b2AABB) -> list[Any]:
    (ax, ay), (bx, by) = box.lowerBound, box.upperBound
    return [vector(ax, ay), vector(bx, ay), vector(bx, by), vector(ax, by)]
