"""The pages of `World.save_html`: in a headless browser where there is one, and their Python side everywhere."""

from __future__ import annotations

import base64
import builtins
import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

import box2dpy as b2
from box2dpy._page import page as pages

from ..golden import wasm
from . import chromium

ROOT = Path(__file__).resolve().parents[2]
STEPS = 60
CORE_BYTES = pages.core_bytes
HOSTILE = "</script><img src=x onerror=alert(1)>__DATA__"


@pytest.fixture(scope="module", autouse=True)
def _core() -> Iterator[None]:
    """The core of the present sources, whatever the package has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "core_bytes", wasm.module_bytes)
        pages.packed_core.cache_clear()
        yield
        pages.packed_core.cache_clear()


def make_world(count: int = 12) -> b2.World:
    """Boxes, balls, capsules and rounded boxes over a floor, and a pendulum."""
    world = b2.World()
    floor = world.create_static_body((0, -1), name=HOSTILE)
    floor.create_shape(b2.Box(15, 1))
    geometries = (b2.Box(0.4, 0.4), b2.Circle(0.4), b2.Capsule((-0.3, 0), (0.3, 0), 0.2), b2.Box(0.3, 0.2, radius=0.1))
    for k in range(count):
        body = world.create_dynamic_body((0.4 * (k % 4) - 3, 1 + 0.9 * k), angle=0.3 * k, name=f"{HOSTILE} {k}")
        body.create_shape(geometries[k % 4])
    bob = world.create_dynamic_body((6, 4))
    bob.create_shape(b2.Segment((-0.3, 0), (0.3, 0)), color=0xFF0000)
    bob.create_shape(b2.Circle(0.2))
    world.create_distance_joint(floor, bob, local_anchor_a=(4, 5), local_anchor_b=(0, 0))
    return world


class Logic:
    """What the program of the page does; the world notices each part of it."""

    def __init__(self, world: b2.World) -> None:
        self.world = world
        world.on_filter = lambda a, b: (a.index + b.index) % 3 > 0

    def __call__(self, step: int) -> None:
        if step % 10 == 0:
            self.world.create_dynamic_body((step / 10, 8)).create_shape(b2.Circle(0.3))
        if step == 35:
            self.world.body(4).destroy()
        self.world.body(2).apply_force((20, 5))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A page, and the native hashes: at first, after each step of the log, and after each of as many steps more."""
    path = tmp_path_factory.mktemp("live") / "world.html"
    with make_world() as world:
        hashes = [world.state_hash()]
        logic = Logic(world)

        def before(step: int) -> None:
            if step:
                hashes.append(world.state_hash())
            logic(step)

        world.save_html(path, steps=STEPS, before_step=before, title=HOSTILE)
        with world.clone() as rest:
            for _ in range(STEPS):
                hashes.append(rest.state_hash())
                rest.step()
            hashes.append(rest.state_hash())
    return path, [f"{digest:#018x}" for digest in hashes]


def data_of(page: str) -> Any:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


# -- without a browser


def test_the_page_is_one_file_that_asks_for_nothing(saved: tuple[Path, list[str]]) -> None:
    page = saved[0].read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)|https?://|@import|url\(", page)
    assert page.count("</script>") == 3
    assert "<title>&lt;/script&gt;&lt;img" in page
    assert len(page) < 500_000
    assert len(data_of(page)["log"]["sizes"]) == STEPS


def test_packages_have_all_files_of_the_page() -> None:
    listed = re.search(r'^"box2dpy\._page" = \[(.*)\]$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert listed is not None
    patterns = re.findall(r'"([^"]+)"', listed[1])
    assert "box2dpy.wasm" in patterns
    files = [path.name for path in (ROOT / "box2dpy" / "_page").iterdir() if path.suffix not in (".py", "")]
    assert {"page.html", "view.js", "recorded.js", "live.js"} <= set(files)
    assert [name for name in files if not any(fnmatch(name, pattern) for pattern in patterns)] == []
    manifest = re.findall(r"^recursive-include box2dpy (.*)$", (ROOT / "MANIFEST.in").read_text("utf-8"), re.MULTILINE)
    assert [name for name in files if not any(fnmatch(name, pattern) for pattern in manifest[0].split())] == []


def test_the_world_goes_on_after_the_page_has_been_written(tmp_path: Path) -> None:
    with make_world() as world, make_world() as other:
        page = world.save_html(tmp_path / "a.html", steps=10, dt=1 / 120, substeps=2)
        assert isinstance(page, b2.HtmlPage)
        assert page.path == str(tmp_path / "a.html")
        assert "a.html" in repr(page)
        shown = page._repr_html_()
        assert shown.startswith("<iframe")
        assert "<script" not in shown
        for _ in range(10):
            other.step(1 / 120, 2)
        assert world.state_hash() == other.state_hash()
        with world.record(tmp_path / "a.b2d"):  # no log is left behind
            world.step()


def test_a_page_that_only_plays_is_small(tmp_path: Path) -> None:
    with make_world() as world:
        logic = Logic(world)
        world.save_html(tmp_path / "a.html", False, steps=30, before_step=logic)
        data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
        assert data["frames"] == 31
        assert (tmp_path / "a.html").stat().st_size < 60_000


def test_wrong_arguments_write_nothing_and_step_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a.html"
    with make_world() as world:
        before = world.state_hash()
        for name, value, error in (
            ("steps", -1, ValueError), ("steps", 1.5, TypeError), ("dt", float("nan"), ValueError),
            ("substeps", 0, ValueError), ("camera", (1, 0, 0, 1), ValueError), ("camera", 3, TypeError),
            ("title", 3, TypeError), ("live", "yes", TypeError), ("before_step", 3, TypeError),
        ):  # fmt: skip
            with pytest.raises(error, match=name):
                world.save_html(target, **{name: value})
        with pytest.raises(ValueError, match="title"):
            world.save_html(target, title="\ud800")
        with pytest.raises(TypeError, match="path"):
            world.save_html(3)  # type: ignore[arg-type]
        with world.record(tmp_path / "a.b2d"), pytest.raises(b2.Box2DError, match="is being recorded"):
            world.save_html(target, steps=1)
        assert world.state_hash() == before
        assert not target.exists()
    with b2.World(schedule="serial") as world, pytest.raises(ValueError, match="lab"):
        world.save_html(target)
    with pytest.raises(b2.DestroyedError):
        world.save_html(target)
    assert not target.exists()


def test_a_change_that_no_log_can_hold_is_an_error(tmp_path: Path) -> None:
    with make_world() as world:
        state = world.save()
        with pytest.raises(b2.Box2DError, match="step 0"):
            world.save_html(tmp_path / "a.html", steps=3, before_step=lambda step: world.restore(state))
        with pytest.raises(ZeroDivisionError):
            world.save_html(tmp_path / "a.html", steps=3, before_step=lambda step: 1 / 0)
        with world.record(tmp_path / "a.b2d"):
            world.step()
    assert not (tmp_path / "a.html").exists()


def test_a_checkout_without_the_core_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def joinpath(self, _: str) -> Path:
            return tmp_path / "missing"

    monkeypatch.setattr(pages.resources, "files", lambda _: Nothing())
    with pytest.raises(b2.Box2DError, match="make wasm"):
        CORE_BYTES()


# -- in a browser


@pytest.fixture(scope="module")
def browser_page(saved: tuple[Path, list[str]]) -> Iterator[chromium.Page]:
    yield from chromium.ready(saved[0])


@pytest.fixture
def page(browser_page: chromium.Page) -> chromium.Page:
    browser_page.errors.clear()
    browser_page.run("(player.release(), player.pause(), player.reset())")
    browser_page.key("0")
    return browser_page


def text(page: chromium.Page, name: str) -> str:
    return str(page.run(f"document.getElementById('{name}').textContent"))


def place_of(page: chromium.Page, x: float, y: float) -> tuple[float, float]:
    """A point of the world in pixels of the page."""
    camera = page.run("player.state().camera")
    box = page.run("(b => [b.width, b.height])(document.getElementById('scene').getBoundingClientRect())")
    return box[0] / 2 + (x - camera["x"]) * camera["scale"], box[1] / 2 - (y - camera["y"]) * camera["scale"]


def test_the_log_and_the_steps_after_it_give_the_native_hashes(
    page: chromium.Page, saved: tuple[Path, list[str]]
) -> None:
    for step in range(2 * STEPS + 1):
        assert page.run("player.hash()") == saved[1][step], step
        assert page.run("player.state().free") is (step > STEPS)
        page.run("player.step(1)")
    assert page.errors == []


def test_reset_returns_to_the_first_hash(page: chromium.Page, saved: tuple[Path, list[str]]) -> None:
    page.run("player.step(30)")
    page.run("(player.grab(-3, 0.5), player.drag(0, 5), player.step(30))")
    assert page.run("player.hash()") not in saved[1]
    page.key("Home")
    assert page.run("player.hash()") == saved[1][0]
    assert saved[1][0] in text(page, "label")
    page.run("player.step(60)")
    assert page.run("player.hash()") == saved[1][60]


def test_what_a_mouse_does_is_replayed_here(page: chromium.Page, tmp_path: Path) -> None:
    page.run("player.step(25)")
    pose = page.run("player.state().poses[1]")
    x, y = place_of(page, pose["x"], pose["y"])
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    assert page.run("player.state().holding")
    for k in range(1, 20):
        page.mouse("mouseMoved", x + 8 * k, y - 8 * k, button="left")
        page.run("player.step(2)")
    page.mouse("mouseReleased", x + 160, y - 160, button="left", clickCount=1)
    assert not page.run("player.state().holding")
    page.run("player.step(60)")
    file = tmp_path / "deeds.b2d"
    file.write_bytes(base64.b64decode(page.run("player.save()")))
    with b2.Recording(file) as recording:
        assert recording.verify() == b2.Verification(1, 0, None)
        with recording.world_at(-1) as world:
            assert f"{world.state_hash():#018x}" == page.run("player.hash()")
            assert world.body(1).position.x == page.run("player.state().poses[1].x")
            world.validate()
    assert len(file.read_bytes()) < 20_000
    assert page.errors == []


def test_nothing_is_asked_of_another_host(page: chromium.Page) -> None:
    page.run("player.step(5)")
    assert page.requests
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.errors == []


def test_hostile_names_and_titles_stay_text(page: chromium.Page) -> None:
    assert page.run("document.title") == HOSTILE
    page.run("player.follow(2)")
    assert f"{HOSTILE} 1" in text(page, "following")
    assert page.run("document.getElementsByTagName('img').length") == 0
    page.key("Escape")


def test_the_keyboard_is_enough(page: chromium.Page) -> None:
    page.key(" ")
    page.wait("player.state().steps > 3")
    assert page.run("player.state().playing")
    page.key(" ")
    assert not page.run("player.state().playing")
    page.key("Home")
    page.key("ArrowRight")
    assert page.run("player.state().steps") == 1
    before = page.pixels()
    page.key("t")
    assert page.pixels() != before
    page.key("t")
    assert page.pixels() == before
    page.key("f")
    first = page.run("player.state().followed")
    page.key("f")
    assert page.run("player.state().followed") == first + 1
    page.key("Escape")
    scale = page.run("player.state().camera.scale")
    page.key("+")
    assert page.run("player.state().camera.scale") > scale
    page.run("document.getElementById('forward').focus()")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    page.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)
    assert page.run("player.state().steps") == 2
    page.run("document.activeElement.blur()")
    names = page.run("[...document.querySelectorAll('#bar button, #bar select')].filter(b => !b.hidden).length")
    assert names >= 7
    assert page.errors == []


def test_fingers_drag_bodies_and_zoom(page: chromium.Page) -> None:
    page.run("player.step(40)")
    pose = page.run("player.state().poses[1]")
    x, y = place_of(page, pose["x"], pose["y"])
    page.touch("touchStart", (x, y))
    page.touch("touchMove", (x + 60, y - 90))
    assert page.run("player.state().holding")
    page.touch("touchEnd")
    assert not page.run("player.state().holding")
    before = page.run("player.state().camera.scale")
    page.touch("touchStart", (300, 60), (400, 60))
    page.touch("touchMove", (250, 60), (450, 60))
    page.touch("touchEnd")
    assert page.run("player.state().camera.scale") > 1.5 * before
    assert page.errors == []


def test_a_narrow_screen_shows_everything(page: chromium.Page) -> None:
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=700, deviceScaleFactor=1, mobile=True)
    try:
        page.wait("innerWidth === 390")
        assert page.run("document.documentElement.scrollWidth") <= 390
        inside = "(b => b.left >= 0 && b.right <= 390 && b.bottom <= 700)(e.getBoundingClientRect())"
        assert page.run(f"[...document.querySelectorAll('#bar > *:not([hidden])')].every(e => {inside})")
        assert page.run("document.getElementById('scene').clientHeight") > 300
    finally:
        page.call("Emulation.clearDeviceMetricsOverride")
    page.wait("innerWidth !== 390")
    assert page.errors == []


def test_a_damaged_file_says_so(saved: tuple[Path, list[str]], tmp_path: Path) -> None:
    whole = saved[0].read_text(encoding="utf-8")
    data = data_of(whole)
    for kind in ("snapshot", "core", "log"):
        damaged = json.loads(json.dumps(data))
        part = damaged if kind == "snapshot" else damaged[kind]
        key = "snapshot" if kind == "snapshot" else "bytes"
        at = len(part[key]) // 2
        part[key] = part[key][:at] + "AAAA" + part[key][at + 4 :]
        target = tmp_path / f"{kind}.html"
        new = json.dumps(damaged).replace("<", "\\u003c")
        target.write_text(
            whole[: whole.index('json">') + 6] + new + whole[whole.index("</script>") :], encoding="utf-8"
        )
        page = chromium.opened(target)
        try:
            page.run("player.ready.then(() => player.step(60)).catch(() => 0)")
            assert not page.run("document.getElementById('problem').hidden"), kind
            assert len(text(page, "problem")) > 20
        finally:
            page.close()


def test_a_browser_without_simd_says_so(saved: tuple[Path, list[str]], tmp_path: Path) -> None:
    target = tmp_path / "old.html"
    whole = saved[0].read_text(encoding="utf-8")
    assert "WebAssembly.validate(SIMD)" in whole
    target.write_text(whole.replace("WebAssembly.validate(SIMD)", "false"), encoding="utf-8")
    page = chromium.opened(target)
    try:
        page.run("player.ready.catch(() => 0)")
        assert "no WebAssembly SIMD" in text(page, "problem")
    finally:
        page.close()


def test_a_python_without_lzma_writes_a_page_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name == "lzma":
            raise ImportError(name)
        return real(name, *arguments, **more)

    pages.packed_core.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with make_world() as world:
        world.save_html(tmp_path / "a.html")
        monkeypatch.undo()
        pages.packed_core.cache_clear()
        assert data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["core"]["form"] == "deflate"
        page = chromium.opened(tmp_path / "a.html")
        try:
            page.run("player.ready")
            assert page.run("player.hash()") == f"{world.state_hash():#018x}"
        finally:
            page.close()


def test_many_bodies_are_drawn_with_webgl(tmp_path: Path) -> None:
    with b2.World(gravity=(0, 0)) as world:
        positions = [(1.5 * (k % 50), 1.5 * (k // 50)) for k in range(2500)]
        world.create_bodies(positions[:1250], geometry=b2.Box(0.5, 0.5))
        world.create_bodies(positions[1250:], geometry=b2.Circle(0.5))
        world.save_html(tmp_path / "a.html", camera=(-1, -1, 75, 75))
    page = chromium.opened(tmp_path / "a.html")
    try:
        page.run("player.ready")
        if page.run("document.createElement('canvas').getContext('webgl2') === null"):
            pytest.skip("this Chromium has no WebGL")
        assert not page.run("document.getElementById('shapes').hidden")
        page.run("setTheme('dark')")
        page.run("redraw()")
        # The middle of a box, of a ball, and of the background
        colors = page.run("""(() => {
            const target = document.getElementById("shapes"), g = target.getContext("webgl2"), out = [];
            for (const [x, y] of [[0, 0], [1.5, 40 * 1.5 + 0.2], [0.75, 0.75]]) {
                const pixel = new Uint8Array(4);
                const [left, up] = [x - camera.x, y - camera.y].map((side) => side * camera.scale);
                g.readPixels(target.width / 2 + left, target.height / 2 + up, 1, 1, g.RGBA, g.UNSIGNED_BYTE, pixel);
                out.push([...pixel.subarray(0, 3)]);
            }
            return out;
        })()""")
        assert colors[2] == [0x16, 0x19, 0x1F]
        for color, kind in zip(colors[:2], (0xE2B35B, 0x56B5AC)):
            assert color == pytest.approx([0.66 * (kind >> shift & 255) for shift in (16, 8, 0)], abs=2)
        assert [error for error in page.errors if "GPU stall due to ReadPixels" not in error] == []
    finally:
        page.close()
