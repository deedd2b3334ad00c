"""A map of Tiled: rows of tiles become boxes, and objects become bodies (pip install 'box2dpy[levels]')."""

import math
from itertools import groupby
from pathlib import Path

import pytiled_parser

import box2dpy as b2


def load(world, path, pixels=32):
    """Adds a map to a world, `pixels` to a metre; returns the points with names, such as "spawn"."""
    tiled, points = pytiled_parser.parse_map(Path(path)), {}
    ground = world.create_static_body(name="ground")
    for layer in tiled.layers:
        for row, tiles in enumerate(layer.data if isinstance(layer, pytiled_parser.TileLayer) else ()):
            for solid, run in groupby(range(len(tiles)), lambda column, tiles=tiles: tiles[column] != 0):
                columns = [*run]  # a run of tiles is one box; flush boxes are as smooth as one
                width, height = len(columns) * tiled.tile_size.width, tiled.tile_size.height
                center = columns[0] * tiled.tile_size.width + width / 2, -(row + 0.5) * height
                if solid:
                    ground.create_shape(
                        b2.Box(width / 2 / pixels, height / 2 / pixels, (center[0] / pixels, center[1] / pixels))
                    )
        for thing in getattr(layer, "tiled_objects", ()):
            kind, (x, y) = type(thing).__name__, (thing.coordinates.x / pixels, -thing.coordinates.y / pixels)
            w, h = thing.size.width / pixels, thing.size.height / pixels
            if kind == "Point":
                points[thing.name] = b2.Vec2(x, y)
                continue
            body = world.create_dynamic_body((x, y), -math.radians(thing.rotation), name=thing.name)
            if kind == "Polygon":
                outline = [(p.x / pixels, -p.y / pixels) for p in thing.points]
                body.create_shapes(b2.convex_pieces(outline))
            else:
                body.create_shape(
                    b2.Circle(w / 2, (w / 2, -h / 2)) if kind == "Ellipse" else b2.Box(w / 2, h / 2, (w / 2, -h / 2))
                )
    return points


if __name__ == "__main__":
    with b2.World() as world:
        spawn = load(world, Path(__file__).parent / "levels" / "tiled.tmj")["spawn"]
        for _ in range(120):
            world.step()
        print(spawn, *world.bodies, sep="\n")
