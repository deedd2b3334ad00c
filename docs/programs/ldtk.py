"""A level of LDtk: the grid named "Collision" becomes boxes, and entities become bodies. LDtk files are plain JSON."""

import json
from itertools import groupby
from pathlib import Path

import box2dpy as b2


def load(world, path, level=0, pixels=16):
    """Adds a level to a world, `pixels` to a metre; returns the bodies of its entities by their names."""
    ground, found = world.create_static_body(name="ground"), {}
    for layer in json.loads(Path(path).read_text(encoding="utf-8"))["levels"][level]["layerInstances"]:
        columns, size = layer["__cWid"], layer["__gridSize"] / pixels
        rows = [layer["intGridCsv"][k : k + columns] for k in range(0, len(layer["intGridCsv"]), columns)]
        for y, row in enumerate(rows):
            for solid, run in groupby(range(columns), lambda x, row=row: row[x] == 1):
                xs = [*run]  # a run of cells is one box; flush boxes are as smooth as one
                if solid:
                    center = (xs[0] + len(xs) / 2) * size, -(y + 0.5) * size
                    ground.create_shape(b2.Box(len(xs) * size / 2, size / 2, center))
        for entity in layer["entityInstances"]:
            (x, y), (px, py) = entity["px"], entity["__pivot"]
            w, h = entity["width"] / pixels, entity["height"] / pixels
            body = world.create_dynamic_body((x / pixels, -y / pixels), name=entity["__identifier"])
            fields = {field["__identifier"]: field["__value"] for field in entity["fieldInstances"]}
            body.create_shape(
                b2.Box(w / 2, h / 2, ((0.5 - px) * w, (py - 0.5) * h)), density=fields.get("density", 1.0), data=fields
            )
            found[body.name] = body
    return found


if __name__ == "__main__":
    with b2.World() as world:
        load(world, Path(__file__).parent / "levels" / "ldtk.ldtk")
        for _ in range(120):
            world.step()
        print(*world.bodies, sep="\n")
