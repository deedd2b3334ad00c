"""The registry of scenes: entries are well-formed, counts are those of the reference, every scene runs and stays
valid."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES, Scene, get

# bodies, shapes, joints at the end of the scene; those of the first ten are Box2D's own counts
COUNTS = {
    "compounds": (3001, 6282, 0),
    "joint_grid": (10000, 10000, 19800),
    "junkyard": (8002, 8262, 0),
    "large_pyramid": (5051, 5051, 0),
    "many_pyramids": (22001, 22020, 0),
    "rain": (11001, 15505, 10000),
    "smash": (9601, 9601, 0),
    "spinner": (6078, 6437, 1),
    "tumbler": (2027, 2029, 1),
    "washer": (8102, 8140, 0),
    "falling_hinges": (81, 81, 40),
    "menagerie": (209, 269, 94),
    "cranes": (185, 169, 140),
    "mixed_pile": (601, 603, 0),
    "pyramids": (10011, 10023, 0),
    "tumbler2000": (2002, 2004, 1),
}
SMALL = 0.12
scenes = pytest.mark.parametrize("scene", SCENES.values(), ids=list(SCENES))


def counts(world: b2.World) -> tuple[int, int, int]:
    counters = world.counters
    return counters.bodies, counters.shapes, counters.joints


@scenes
def test_every_scene_entry_is_well_formed(scene: Scene) -> None:
    assert get(scene.name) is scene
    assert scene.sentence.endswith(".")
    assert scene.steps > 1
    left, bottom, right, top = scene.camera
    assert left < right
    assert bottom < top
    with scene.world(workers=1) as world:
        assert len(world.bodies) == 0


def test_every_scene_has_reference_counts() -> None:
    assert set(SCENES) == set(COUNTS)
    assert {name: (s.bodies, s.shapes, s.joints) for name, s in SCENES.items()} == COUNTS


def test_the_error_for_an_unknown_scene_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no scene 'tumbel'.*tumbler"):
        get("tumbel")


@scenes
def test_every_scene_has_its_reference_counts_at_full_scale(scene: Scene) -> None:
    if scene.name == "rain":
        pytest.skip("grows while it runs: see test_rain_fills_all_columns_and_then_keeps_its_counts")
    with scene.world() as world:
        scene.build(world, 1.0)
        assert counts(world) == COUNTS[scene.name]


@pytest.mark.slow
def test_rain_fills_all_columns_and_then_keeps_its_counts() -> None:
    """All 40 columns are there after 40 x 8 steps, and renewing one keeps the counts; no step is needed for that."""
    scene = get("rain")
    with scene.world() as world:
        state = scene.build(world, 1.0)
        for number in range(scene.steps):
            changed = scene.advance(world, state, number)
            assert changed == (number % 8 == 0)
            if number >= 312:
                assert counts(world) == COUNTS["rain"], f"step {number}"


@scenes
def test_every_scene_runs_at_small_scale_and_stays_valid(scene: Scene) -> None:
    with scene.world() as world:
        state = scene.build(world, SMALL)
        for number in range(60):
            scene.advance(world, state, number)
            world.step(1 / 60, 4)
            if number % 10 == 9:
                world.validate()
        assert all(math.isfinite(x) and math.isfinite(y) for x, y in (body.position for body in world.bodies))


@scenes
def test_every_scene_is_built_identically_each_time(scene: Scene) -> None:
    def run() -> int:
        with scene.world() as world:
            state = scene.build(world, SMALL)
            for number in range(10):
                scene.advance(world, state, number)
                world.step(1 / 60, 4)
            return world.state_hash()

    assert run() == run()


def test_the_large_pyramid_stands() -> None:
    """After a second the top of a pyramid of 12 rows has moved by less than 10 cm and nothing slid."""
    scene = get("large_pyramid")
    with scene.world() as world:
        scene.build(world, SMALL)
        top = max(world.bodies, key=lambda body: body.position.y)
        x, y = top.position
        for _ in range(60):
            world.step(1 / 60, 4)
        assert abs(top.position.x - x) < 0.01, f"x moved from {x} to {top.position.x}"
        assert abs(top.position.y - y) < 0.10, f"y moved from {y} to {top.position.y}"


@pytest.mark.parametrize(("name", "keeps_in"), [("mixed_pile", (-10, -1, 10, 200)), ("tumbler", (-16, -6, 16, 26))])
def test_no_body_leaves_a_closed_scene(name: str, keeps_in: tuple[float, float, float, float]) -> None:
    scene = get(name)
    left, bottom, right, top = keeps_in
    with scene.world() as world:
        state = scene.build(world, 0.3)
        for number in range(200):
            scene.advance(world, state, number)
            world.step(1 / 60, 4)
        out = [
            body for body in world.bodies if not (left <= body.position.x <= right and bottom <= body.position.y <= top)
        ]
        assert not out


def test_the_tumbler_turns_at_its_motor_speed() -> None:
    scene = get("tumbler")
    with scene.world() as world:
        motor = scene.build(world, 0.1)
        for _ in range(60):
            world.step(1 / 60, 4)
        assert motor.angle == pytest.approx(math.radians(25), abs=0.02)


def test_the_pusher_of_the_junkyard_follows_its_path() -> None:
    scene = get("junkyard")
    with scene.world() as world:
        pusher = scene.build(world, 0.05)
        for number in range(60):
            scene.advance(world, pusher, number)
            world.step(1 / 60, 4)
        assert pusher.position.x == pytest.approx(60 * math.sin(0.2 * 59 / 60), abs=1e-3)
        assert pusher.position.y == pytest.approx(0.0, abs=1e-3)
