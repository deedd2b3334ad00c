"""Live scenes of the site: each page that shows motion has one, its log gives the bits of the program, and it works
from a local folder, without a server."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import box2dpy as b2
from box2dpy._bridge.library import ffi, lib
from box2dpy._page import page as pages

from ..api import chromium
from ..golden import wasm
from ..loading import loaded
from .test_site import DOCS

PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "<!-- live " in path.read_text(encoding="utf-8")]
# Pages of the guide whose snippets step a world but have no scene, and why
WITHOUT = {
    "characters": "a mover is no body, so a page would not show it",
    "compat": "the interface of another engine",
    "drawing": "pictures and films are the subject",
    "environments": "batches",
    "faq": "answers, not scenes",
    "machines": "many processes",
    "migration": "the same calls as in other guides",
    "staged_step": "no log has a staged step",
    "tasks": "batches",
    "worlds": "batches",
}


@pytest.fixture(scope="module")
def live() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "core_bytes", wasm.module_bytes)
        pages.packed_core.cache_clear()
        yield loaded(DOCS / "site" / "live.py")
        pages.packed_core.cache_clear()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_each_page_of_the_guide_that_steps_a_world_has_a_scene() -> None:
    stepping = {
        path.stem
        for path in (DOCS / "guide").glob("*.md")
        if any(call in text_of(path) for call in (".step(", ".advance("))
    }
    living = {path.stem for path in PAGES if path.parent.name == "guide"}
    assert stepping - living == set(WITHOUT)
    assert living & set(WITHOUT) == set()


def test_scenes_have_names_of_their_own(live: ModuleType) -> None:
    names = [scene.name for path in PAGES for scene in live.scenes(text_of(path))]
    assert len(names) >= 28
    assert len(set(names)) == len(names)
    assert not any(name.startswith("sample") for name in names)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_log_of_a_scene_gives_the_bits_of_its_program(live: ModuleType, path: Path) -> None:
    for scene in live.scenes(text_of(path)):
        data = live.captured(scene.program)
        size = len(live.page(scene.name, data, scene.name, ""))
        assert size < (100_000 if scene.name in ("many_balls", "trebuchet") else 40_000), (scene.name, size)
        with b2.World.from_snapshot(zlib.decompress(base64.b64decode(data["snapshot"]))) as world:
            assert len(world.bodies) > 1, scene.name
            if "log" not in data:
                world.step(data["dt"], data["substeps"])
                continue
            log, replay = zlib.decompress(base64.b64decode(data["log"]["bytes"])), ffi.new("b2d_replay *")
            assert lib.b2d_world_replay(world._ptr, ffi.from_buffer("uint8_t[]", log), len(log), replay) == 0
            assert replay.equal, scene.name
            assert replay.steps == len(data["log"]["sizes"])


def test_a_program_without_a_world_is_an_error(live: ModuleType) -> None:
    with pytest.raises(ValueError, match="no world"):
        live.captured("x = 1")
    assert b2.World.step.__name__ == "step"
    assert "log" not in live.captured("import box2dpy as b2\nworld = b2.World()\nfor _ in range(9): world.step()")
    steps = "for _ in range(9):\n    world.create_dynamic_body()\n    world.step()"
    assert "log" in live.captured(f"import box2dpy as b2\nworld = b2.World()\n{steps}")


def test_a_scene_takes_the_place_of_the_picture_in_its_section(live: ModuleType) -> None:
    shown = live.with_scenes(
        "guide/x.md", "# A\n\n![Old](a.png)\n\n## B\n\n![A box](b.png)\n\nText.\n\n<!-- live box -->\n"
    )
    assert shown == (
        "# A\n\n![Old](a.png)\n\n## B\n\n"
        '<iframe class="live" src="../live/box.html" title="A box" loading="lazy"></iframe>\n\nText.\n\n\n'
    )
    assert live.with_scenes("index.md", "# A\n\n<!-- live box throws -->\n").endswith(
        '<iframe class="live" src="live/box.html" title="box" loading="lazy"></iframe>\n'
    )


def test_pictures_of_the_gallery_start_their_scenes(live: ModuleType) -> None:
    cells = "\n\n".join(f'<figure markdown="1">\n\n![{n}]({n}.png)\n\n**{n}**: One.\n\n</figure>' for n in "xyz")
    shown = live.with_samples(f"# Gallery\n\n{cells}\n", {"live/sample-x.html"})
    assert shown.count("<button") == 1
    assert shown.count("![") == 2
    assert 'data-live="../live/sample-x.html"' in shown


def test_samples_have_pages(live: ModuleType) -> None:
    gallery = text_of(DOCS / "gallery" / "README.md")
    made = dict(live.samples_of(gallery[: gallery.index("![Moon lander]")]))
    names = ("body-types", "damping", "motion-locks", "gravity-scale")
    assert {f"live/sample-{name}.html" for name in names} <= set(made)
    assert all('<script src="core.js">' in page for page in made.values())


# -- in a browser, from a folder


@pytest.fixture(scope="module")
def folder(live: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site") / "live"
    made.mkdir()
    for name, text in live.shared().items():
        (made / name).write_text(text, encoding="utf-8")
    for name, content in live.files_of("index.md", text_of(DOCS / "index.md")):
        assert isinstance(content, str)
        (made.parent / name).write_text(content, encoding="utf-8")
    return made


def test_the_start_page_lets_a_visitor_throw_boxes(folder: Path) -> None:
    page = chromium.opened(folder / "start.html")
    try:
        page.run("player.ready")
        assert page.run("player.state().playing")
        bodies = page.run("player.state().poses.length")
        page.run("window.scrollTo(0, 0)")
        page.mouse("mousePressed", 60, 60, button="left", clickCount=1)
        page.mouse("mouseMoved", 160, 60, button="left")
        page.mouse("mouseReleased", 160, 60, button="left", clickCount=1)
        page.wait(f"player.state().poses.length === {bodies + 1}")
        # From where the button was pressed: the box may have landed long before the page is asked again
        page.run("box = document.getElementById('scene').getBoundingClientRect()")
        x = page.run("(c => c.x + (60 - box.left - box.width / 2) / c.scale)(player.state().camera)")
        page.wait(f"player.state().poses[{bodies}].x > {x} + 0.5")
        assert page.run("player.state().free")
        assert page.errors == []
        assert {Path(url).name for url in page.requests} == {"start.html", "core.js", "view.js", "live.js"}
    finally:
        page.close()


def test_a_browser_without_simd_shows_the_film(folder: Path) -> None:
    (folder / "old.js").write_text(
        text_of(folder / "live.js").replace("WebAssembly.validate(SIMD)", "false"), encoding="utf-8"
    )
    (folder / "old.html").write_text(text_of(folder / "start.html").replace("live.js", "old.js"), encoding="utf-8")
    page = chromium.opened(folder / "old.html")
    try:
        page.run("player.ready.catch(() => 0)")
        assert page.run("document.querySelector('#problem img').getAttribute('src')") == "../pictures/first_game.gif"
        assert "no WebAssembly SIMD: this is a film" in page.run("document.getElementById('problem').textContent")
    finally:
        page.close()
