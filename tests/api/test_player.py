"""The page of `Recording.save_html`: in a headless browser where there is one, and its data everywhere."""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import scenes
from box2dpy._world.record_format import Poses

from . import chromium

STEPS = 150


def record(path: Path, steps: int = STEPS) -> None:
    """Boxes and balls that fall on a floor, one of which comes late and one of which goes, and a pendulum."""
    with b2.World() as world:
        floor = world.create_static_body((0, -1))
        floor.create_shape(b2.Box(12, 1))
        bodies = [world.create_dynamic_body((0.4 * (k % 4) - 3, 1 + k), angle=0.3 * k) for k in range(8)]
        for k, body in enumerate(bodies):
            body.create_shape(b2.Box(0.4, 0.4) if k % 2 else b2.Circle(0.4))
        bob = world.create_dynamic_body((6, 4))
        bob.create_shape(b2.Capsule((-0.3, 0), (0.3, 0), 0.2), color=0xFF0000)
        world.create_distance_joint(floor, bob, local_anchor_a=(4, 5), local_anchor_b=(0, 0))
        with world.record(path):
            for step in range(steps):
                if step == 40:
                    world.create_kinematic_body((-6, 2), angular_velocity=3).create_shape(b2.Segment((-1, 0), (1, 0)))
                if step == 90:
                    bodies[2].destroy()
                world.step()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A recording and its page."""
    folder = tmp_path_factory.mktemp("player")
    path, page = folder / "world.b2d", folder / "world.html"
    record(path)
    with b2.Recording(path) as recording:
        recording.save_html(page, title="Boxes & balls </script>")
    return path, page


def data_of(page: str) -> Any:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


# -- the data


def test_the_page_has_the_poses_and_shapes_of_the_recording(files: tuple[Path, Path]) -> None:
    data = data_of(files[1].read_text(encoding="utf-8"))
    objects = json.loads(zlib.decompress(base64.b64decode(data["objects"])))
    assert data["frames"] == STEPS + 1 == len(objects["times"])
    shapes = objects["shapes"]
    with b2.Recording(files[0]) as recording:
        for number, group in enumerate(data["groups"]):
            raw, last = zlib.decompress(base64.b64decode(group)), Poses()
            for k in range(data["group_size"]):
                if not raw:
                    break
                size = 8 + int.from_bytes(raw[:4], "little") * sum(head & ~16 for head in raw[4:8])
                last = last.decoded(raw[:size], 1000)
                if k == 0:
                    last = last.resting()
                raw = raw[size:]
                index = number * data["group_size"] + k
                frame = recording[index]
                np.testing.assert_allclose(last.x * data["precision"], frame.position[:, 0], atol=0.51e-3)
                np.testing.assert_allclose(last.y * data["precision"], frame.position[:, 1], atol=0.51e-3)
                turn = (last.angle - frame.angle * 65536 / math.tau + 32768) % 65536 - 32768
                assert np.abs(turn).max() <= 4.001
                shown = [k for k in range(len(shapes["body"])) if shapes["since"][k] <= index < shapes["until"][k]]
                assert sorted(shapes["body"][k] for k in shown) == sorted(frame.shapes["body"].tolist())


def test_the_page_is_one_file_and_escapes_its_title(files: tuple[Path, Path]) -> None:
    page = files[1].read_text(encoding="utf-8")
    assert "<title>Boxes &amp; balls &lt;/script&gt;</title>" in page
    assert not re.search(r"(src|href)\s*=|https?://|@import|url\(", page)
    assert page.count("</script>") == 3
    assert "__DATA__" not in page


def test_fewer_frames_make_a_smaller_page(files: tuple[Path, Path]) -> None:
    with b2.Recording(files[0]) as recording:
        whole, half = recording._page(), recording._page(fps=30)
        rough = recording._page(precision=0.05)
        assert data_of(half)["frames"] == STEPS // 2 + 1
        assert len(half) < len(whole)
        assert len(rough) < len(whole)
        notebook = recording._repr_html_()
    assert notebook.startswith('<iframe srcdoc="')
    assert "<script" not in notebook


@pytest.mark.slow
def test_the_large_pyramid_of_ten_seconds_takes_less_than_3_mb(tmp_path: Path) -> None:
    with b2.World() as world:
        scenes.get("large_pyramid").build(world, 1.0)
        with world.record(tmp_path / "p.b2d"):
            for _ in range(600):
                world.step()
    with b2.Recording(tmp_path / "p.b2d") as recording:
        recording.save_html(tmp_path / "p.html")
    assert (tmp_path / "p.html").stat().st_size < 3e6


def test_wrong_arguments_write_nothing(files: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    with b2.Recording(files[0]) as recording:
        for name in ("fps", "precision"):
            for value in (0, -1, float("nan"), float("inf")):
                with pytest.raises(ValueError, match=name):
                    recording.save_html(target, **{name: value})
            with pytest.raises(TypeError, match=name):
                recording.save_html(target, **{name: "x"})  # type: ignore[arg-type]
        for camera in ((1, 0, 0, 1), (0, 0, float("inf"), 1)):
            with pytest.raises(ValueError, match="camera"):
                recording.save_html(target, camera=camera)
        kept = tmp_path / "kept.html"
        kept.write_text("before")
        with pytest.raises(ValueError, match="title"):
            recording.save_html(kept, title="\ud800")
        assert kept.read_text() == "before"
        with pytest.raises(TypeError, match="camera"):
            recording.save_html(target, camera=3)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="title"):
            recording.save_html(target, title=3)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="path"):
            recording.save_html(3)  # type: ignore[arg-type]
        with pytest.raises(OSError):
            recording.save_html(tmp_path / "missing" / "x.html")
    assert not target.exists()
    with pytest.raises(b2.DestroyedError):
        recording.save_html(target)
    assert not target.exists()


# -- the player


@pytest.fixture(scope="module")
def browser_page(files: tuple[Path, Path]) -> Iterator[Any]:
    yield from chromium.ready(files[1])


@pytest.fixture
def page(browser_page: Any) -> Any:
    browser_page.errors.clear()
    browser_page.key("Escape")
    browser_page.key("0")
    browser_page.run("player.show(0)")
    return browser_page


def test_scrubbing_shows_the_right_frame(page: Any, files: tuple[Path, Path]) -> None:
    pictures = {}
    with b2.Recording(files[0]) as recording:
        for k in (0, 150, 63, 64, 20, 100, 1):
            page.run(
                f"(e => {{ e.value = {k}; e.dispatchEvent(new Event('input')); }})(document.getElementById('time'))"
            )
            page.wait(f"player.state().frame === {k}")
            poses = page.run("player.state().poses")
            frame = recording[k]
            assert [pose is not None for pose in poses] == frame.living.tolist()
            for pose, position, angle in zip(poses, frame.position.tolist(), frame.angle.tolist()):
                if pose is not None:
                    assert math.dist((pose["x"], pose["y"]), position) < 1.1e-3
                    assert math.dist((pose["cos"], pose["sin"]), (math.cos(angle), math.sin(angle))) < 1e-3
            assert f"frame {k} of 150" in page.run("document.getElementById('label').textContent")
            pictures[k] = page.pixels()
    assert len(set(pictures.values())) == len(pictures)
    page.run("player.show(100)")
    assert page.pixels() == pictures[100]
    assert page.errors == []


@pytest.fixture
def time_of_page(page: Any) -> Iterator[None]:
    """The page has no time of its own any more: `tick(ms)` says how late it is."""
    page.run("window.kept = requestAnimationFrame; window.requestAnimationFrame = (tick) => { window.tick = tick; }")
    yield
    page.run("window.requestAnimationFrame = kept")


@pytest.mark.usefixtures("time_of_page")
def test_playing_moves_the_picture_and_ends(page: Any) -> None:
    first = page.pixels()
    page.key(" ")
    for ms in (1000, 1100, 1310):
        page.run(f"tick({ms})")
    page.wait("(tick(1310), player.state().frame === 18)")
    assert page.run("player.state().playing")
    assert page.pixels() != first
    page.key(" ")
    assert not page.run("player.state().playing")
    page.run("player.show(145)")
    page.run("player.play()")
    for ms, playing in ((5000, True), (5050, True), (5100, False)):
        page.run(f"tick({ms})")
        assert page.run("player.state().playing") is playing
    page.wait("player.state().frame === 150")
    assert page.errors == []


def test_keys_step_and_jump(page: Any) -> None:
    for key, frame in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 150), ("Home", 0)):
        page.key(key)
        page.wait(f"player.state().frame === {frame}")
    speed = page.run("document.getElementById('speed').value")
    page.key("ArrowUp")
    assert page.run("document.getElementById('speed').value") != speed
    page.key("ArrowDown")
    assert page.run("document.getElementById('speed').value") == speed
    assert page.errors == []


def test_the_mouse_pans_zooms_and_follows(page: Any) -> None:
    before = page.run("player.state().camera")
    first = page.pixels()
    page.mouse("mouseWheel", 400, 200, deltaX=0, deltaY=-300)
    page.wait(f"player.state().camera.scale > {before['scale'] * 1.1}")
    zoomed = page.run("player.state().camera")
    page.mouse("mousePressed", 300, 300, button="left", clickCount=1)
    page.mouse("mouseMoved", 350, 300, button="left")
    page.mouse("mouseReleased", 350, 300, button="left", clickCount=1)
    moved = page.run("player.state().camera")
    assert moved["x"] == pytest.approx(zoomed["x"] - 50 / zoomed["scale"])
    assert page.pixels() != first
    page.run("player.follow(3)")
    for k in (10, 60):
        page.run(f"player.show({k})")
        state = page.run("player.state()")
        assert state["camera"]["x"] == pytest.approx(state["poses"][3]["x"])
    page.key("0")
    assert page.run("player.state().followed") == -1
    # A double click on a body follows it
    place = page.run("(p => [p.x, p.y])(player.state().poses[9])")
    camera = page.run("player.state().camera")
    box = page.run("(b => [b.width, b.height])(document.getElementById('scene').getBoundingClientRect())")
    x = box[0] / 2 + (place[0] - camera["x"]) * camera["scale"]
    y = box[1] / 2 - (place[1] - camera["y"]) * camera["scale"]
    for count in (1, 2):
        page.mouse("mousePressed", x, y, button="left", clickCount=count)
        page.mouse("mouseReleased", x, y, button="left", clickCount=count)
    page.wait("player.state().followed === 9")
    assert page.errors == []


def test_fingers_pan_and_zoom(page: Any) -> None:
    before = page.run("player.state().camera")
    page.touch("touchStart", (300, 300))
    page.touch("touchMove", (340, 300))
    page.touch("touchEnd")
    panned = page.run("player.state().camera")
    assert panned["x"] < before["x"]
    page.touch("touchStart", (300, 300), (400, 300))
    page.touch("touchMove", (250, 300), (450, 300))
    page.touch("touchEnd")
    assert page.run("player.state().camera.scale") > 1.5 * panned["scale"]
    assert page.errors == []
