"""A drawing in SVG: what has the class "ground" becomes terrain, all else bodies (pip install 'box2dpy[levels]')."""

from pathlib import Path

import shapely
import shapely.affinity
import svgpathtools

import box2dpy as b2


def load(world, path, pixels=40):
    """Adds a drawing to a world, `pixels` to a metre."""
    ground, solid = world.create_static_body(name="ground"), []
    for drawn in svgpathtools.Document(str(path)).paths():  # with the transforms of its groups
        area = shapely.Polygon()
        for curve in drawn.continuous_subpaths():
            steps = [(piece, 1 if isinstance(piece, svgpathtools.Line) else 16) for piece in curve]
            points = [piece.point(k / n) / pixels for piece, n in steps for k in range(n)]
            area ^= shapely.Polygon([(point.real, -point.imag) for point in points]).simplify(0.01)  # holes stay free
        if drawn.element.get("class") == "ground":
            solid.append(area)
            continue
        x, y = area.centroid.coords[0]
        body = world.create_dynamic_body((x, y))
        for part in shapely.get_parts(shapely.affinity.translate(area, -x, -y)):
            body.create_shapes(b2.convex_pieces(part.exterior.coords, [hole.coords for hole in part.interiors]))
    union = shapely.union_all(solid)  # outlines that overlap become one
    for outline in getattr(union, "geoms", [union]):
        outside = shapely.geometry.polygon.orient(outline)  # so that chains are solid from outside, and holes inside
        for ring in (outside.exterior, *outside.interiors):
            ground.create_chain(ring.coords[:-1], loop=True)


if __name__ == "__main__":
    with b2.World() as world:
        load(world, Path(__file__).parent / "levels" / "drawing.svg")
        for _ in range(240):
            world.step()
        print(*world.bodies, *world.chains, sep="\n")
