"""The recipes of docs/guide/levels.md for Tiled, LDtk and SVG, on the small files of docs/programs/levels, and the
tables of that page."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

import box2dpy as b2

from ..loading import loaded

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROGRAMS, LEVELS = DOCS / "programs", DOCS / "programs" / "levels"


def recipe(name: str, *needs: str) -> Any:
    for each in needs:
        pytest.importorskip(each, reason="not installed: pip install 'box2dpy[levels]'")
    return loaded(PROGRAMS / f"{name}.py")


def settle(world: b2.World) -> dict[str, b2.Body]:
    for _ in range(300):
        world.step()
    world.validate()
    with b2.World.from_dict(world.to_dict()) as again:
        again.step()
    return {body.name: body for body in world.bodies}


def test_a_map_of_tiled_becomes_ground_and_bodies() -> None:
    with b2.World() as world:
        points = recipe("tiled", "pytiled_parser", "mapbox_earcut").load(world, LEVELS / "tiled.tmj")
        assert points == {"spawn": (10, -5)}
        assert len(world.body(0).shapes) == 9
        bodies = settle(world)
        assert set(bodies) == {"ground", "crate", "ball", "rock"}
        assert bodies["crate"].aabb.lower.y == pytest.approx(-6, abs=0.01)
        assert bodies["ball"].aabb.lower.y == pytest.approx(-6, abs=0.01)
        assert bodies["rock"].aabb.lower.y == pytest.approx(-4, abs=0.01)  # on the tiles in the middle
        assert bodies["rock"].mass == pytest.approx((48 * 48 - 0.5 * 48 * 24) / 32**2, rel=1e-3)


def test_a_level_of_ldtk_becomes_ground_and_bodies() -> None:
    with b2.World() as world:
        found = recipe("ldtk").load(world, LEVELS / "ldtk.ldtk")
        assert set(found) == {"Crate", "Player"}
        assert (found["Crate"].mass, found["Player"].mass) == (2.0, 1.0)
        assert found["Crate"].shapes[0].data == {"density": 2}
        assert len(world.body(0).shapes) == 8
        bodies = settle(world)
        assert bodies["Crate"].aabb.lower.y == pytest.approx(-4, abs=0.01)
        assert bodies["Player"].aabb.lower.y == pytest.approx(-4, abs=0.01)


def test_a_drawing_in_svg_becomes_terrain_and_bodies() -> None:
    with b2.World() as world:
        recipe("svg", "svgpathtools", "shapely", "mapbox_earcut").load(world, LEVELS / "drawing.svg")
        (terrain,) = world.chains  # the two outlines overlap
        assert terrain.loop
        assert len(world.bodies) == 3
        stone, ball = world.body(1), world.body(2)
        assert stone.mass == pytest.approx((60 * 20 + 20 * 30) / 40**2, rel=1e-3)
        assert ball.mass == pytest.approx(3.1416 * 0.3**2, rel=0.03)
        settle(world)
        for body in (stone, ball):
            assert -4 < body.position.y < -2.5  # on the hill, and not through it
            assert body.linear_velocity.length < 3


def test_transforms_and_holes_of_a_drawing_count(tmp_path: Path) -> None:
    (tmp_path / "drawing.svg").write_text(
        """<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">
        <g transform="translate(0, 50)"><rect class="ground" x="0" y="200" width="400" height="40"/></g>
        <g transform="rotate(30 200 100)"><rect x="180" y="80" width="40" height="40"/></g>
        <path d="M100 20 h40 v40 h-40 z M110 30 h20 v20 h-20 z"/>
        <path transform="scale(2)" d="M20 50 h40 v10 h-30 v30 h-10 z"/></svg>""",
        encoding="utf-8",
    )
    with b2.World() as world:
        recipe("svg", "svgpathtools", "shapely", "mapbox_earcut").load(world, tmp_path / "drawing.svg")
        _, ring, corner, box = world.bodies  # groups come last
        assert box.position == pytest.approx((5, -2.5))
        assert box.aabb.upper.x == pytest.approx(5 + 0.5 * (math.cos(math.pi / 6) + 0.5), abs=1e-3)
        assert (box.mass, ring.mass) == (pytest.approx(1, rel=1e-3), pytest.approx(0.75, rel=1e-3))
        assert not world.point_query(ring.position)  # the hole is free
        assert corner.mass == pytest.approx((40 * 10 + 10 * 30) * 4 / 40**2, rel=1e-3)
        settle(world)
        assert box.aabb.lower.y == pytest.approx(-250 / 40, abs=0.01)


def test_objects_of_tiled_turn_about_their_corner(tmp_path: Path) -> None:
    text = (LEVELS / "tiled.tmj").read_text(encoding="utf-8")
    level = json.loads(text)
    (layer,) = (layer for layer in level["layers"] if layer["type"] == "objectgroup")
    layer["objects"] = [{**each, "rotation": 30} for each in layer["objects"] if each["name"] == "crate"]
    (tmp_path / "map.tmj").write_text(json.dumps(level), encoding="utf-8")
    with b2.World() as world:
        recipe("tiled", "pytiled_parser", "mapbox_earcut").load(world, tmp_path / "map.tmj")
        _, crate = world.bodies
        assert crate.position == (2, -1)
        assert crate.angle == pytest.approx(-math.pi / 6)  # clockwise
        c, s = math.cos(math.pi / 6), 0.5
        assert crate.world_center == pytest.approx((2 + 0.5 * c - 0.5 * s, -1 - 0.5 * s - 0.5 * c), abs=1e-5)


@pytest.mark.parametrize("name", ["tiled", "ldtk", "svg"])
def test_a_recipe_has_about_twenty_lines(name: str) -> None:
    lines = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8").split("def load", 1)[1].split("if __name__")[0]
    assert len([line for line in lines.splitlines() if line.strip()]) <= 30


def test_the_tables_of_levels_are_current() -> None:
    sys.path.insert(0, str(DOCS / "site"))
    try:
        levels = loaded(DOCS / "site" / "levels.py")
    finally:
        sys.path.remove(str(DOCS / "site"))
    text = levels.PAGE.read_text(encoding="utf-8")
    assert text == levels.completed(text), "run python docs/site/levels.py"


def test_every_key_of_a_level_is_in_the_documents() -> None:
    from box2dpy._world import level_reader, level_writer

    text = (DOCS / "guide" / "levels.md").read_text(encoding="utf-8")
    wanted = {*level_reader._TOP, *level_reader._OF_BODY, *level_reader.SHAPE_KEYS, *level_reader.CHAIN_KEYS}
    wanted |= {"gravity", *level_writer.WORLD_OPTIONS, "strategies", *level_reader.JOINTS}
    wanted |= {"segments", "order", "before", "comment", "body_a", "joint_a", "but", "category", "mask", "group"}
    for form in level_reader.FORMS.values():
        wanted |= level_writer.arguments_of(form).keys()
    for kind in level_reader.JOINTS:
        wanted |= level_writer.joint_keywords(kind).keys()
    assert sorted(name for name in wanted if f"`{name}`" not in text) == []
