"""Live scenes of the site: a line `<!-- live NAME -->` after a program shows its world in the page, simulated there.

The program is run up to that line. The scene is its variable `world`, or else the first world that it steps, as it was
before its first step, with the log of what the program did between the steps. The scene takes the place of a picture
that stands before the line in the same section. Options: `program=NAME` runs docs/programs/NAME.py,
`camera=left,bottom,right,top`, `throws` lets the visitor throw boxes.

All scenes share the core and the viewer, which are scripts, so that the pages work from a local folder without a
server. A browser without WebAssembly SIMD shows a film: the picture that was replaced, or one that is made here.
"""

from __future__ import annotations

import base64
import contextlib
import html
import io
import json
import os
import re
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import box2dpy as b2
from box2dpy._bridge.library import ffi, lib
from box2dpy._page.page import LIVE, packed_core, page_of, text_of
from box2dpy._world.pages import StepLog, live_data

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MARK = re.compile(r"^<!-- live (\w+)((?: [\w=.,-]+)*) -->$", flags=re.MULTILINE)
SNIPPET = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"^!\[([^\]]*)\]\(([^)\s]+)\)$", flags=re.MULTILINE)
MOST_STEPS = 900  # of a program that are shown before its world goes on by itself
SAMPLE_SECONDS, LEAST_SECONDS = 10, 2  # of the logic of a sample; then its world goes on without
WITHOUT_BODY = ("Shape cast character",)  # its character is a geometry
MOST_BYTES = 200_000  # of the log of a sample
FILM_SECONDS, FILM_FPS, FILM_SIZE = 4, 15, (360, 240)


class Scene(NamedTuple):
    """A mark in a page."""

    name: str
    options: str
    program: str
    mark: tuple[int, int]  # where it is in the text
    picture: re.Match[str] | None  # that it replaces

    @property
    def camera(self) -> list[float] | None:
        """The part of the world that is shown."""
        found = re.search(r"\bcamera=([\d.,-]+)", self.options)
        return None if found is None else [float(side) for side in found[1].split(",")]


def scenes(markdown: str) -> Iterator[Scene]:
    """The scenes of a page. A snippet that does not import box2dpy continues the one before it."""
    for mark in MARK.finditer(markdown):
        before = markdown[: mark.start()]
        section = max((found.end() for found in re.finditer(r"^#.*$", before, flags=re.MULTILINE)), default=0)
        pictures = list(PICTURE.finditer(markdown, section, mark.start()))
        named = re.search(r"\bprogram=(\w+)", mark[2])
        parts: list[str] = []
        for text in SNIPPET.findall(before) if named is None else ():
            if "import box2dpy as b2" in text:
                parts = []
            parts.append(text)
        if named is not None:
            parts = [(DOCS / "programs" / f"{named[1]}.py").read_text(encoding="utf-8")]
        yield Scene(mark[1], mark[2], "\n".join(parts), mark.span(), pictures[-1] if pictures else None)


class _Enough(BaseException):
    """The program has made the steps that the page shows."""


def captured(program: str) -> dict[str, Any]:
    """The data of the page of a program, without the core.

    Raises:
        ValueError: the program has no world.
    """
    stepped: dict[b2.World, tuple[dict[str, Any], StepLog]] = {}
    real, record = b2.World.step, b2.World.record

    def step(world: b2.World, dt: float = 1 / 60, substeps: int = 4) -> None:
        if world not in stepped:
            stepped[world] = live_data(world, dt, substeps, None), StepLog(world)
        data, log = stepped[world]
        if (dt, substeps) != (data["dt"], data["substeps"]) or len(log.parts) >= MOST_STEPS:
            raise _Enough
        real(world, dt, substeps)
        try:
            log.take()
        except b2.Box2DError:  # such as a restore
            raise _Enough from None

    names: dict[str, Any] = {"__name__": "__main__"}
    before = os.getcwd()
    try:
        b2.World.step = step  # type: ignore[method-assign]
        b2.World.record = lambda *_, **__: contextlib.nullcontext()  # type: ignore[assignment, method-assign]
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)
            try:
                with warnings.catch_warnings(), contextlib.suppress(_Enough, FileNotFoundError):
                    warnings.simplefilter("ignore")
                    exec(compile(program, "<live>", "exec"), names)
            finally:
                os.chdir(before)
    finally:
        b2.World.step, b2.World.record = real, record  # type: ignore[method-assign]
    world = names.get("world")
    if world not in stepped and isinstance(world, b2.World) and not world.closed:
        return live_data(world, 1 / 60, 4, None)
    if not stepped:
        raise ValueError(f"this program has no world:\n{program}")
    data, log = stepped[world if world in stepped else next(iter(stepped))]
    if log.acts():
        data["log"] = log.data()
    return data


def page(name: str, data: dict[str, Any], title: str, film: str, **more: Any) -> str:
    """The page of a scene, beside the shared files."""
    data = {**data, "name": name, "plays": True, "film": film, **more}
    return page_of(LIVE, data, title, ["core.js", "view.js", "live.js"])


def shared() -> dict[str, str]:
    """The files that all scenes use, by name.

    Raises:
        Box2DError: the core has not been built.
    """
    core = f"window.box2dpyCore = {json.dumps(packed_core(), separators=(',', ':'))};\n"
    return {"core.js": core, "view.js": text_of("view.js"), "live.js": text_of("live.js")}


def film_of(data: dict[str, Any]) -> bytes:
    """The first seconds of a scene as a GIF."""
    parts, at, done = [], 0, 0
    log = zlib.decompress(base64.b64decode(data["log"]["bytes"])) if "log" in data else b""
    for size in data["log"]["sizes"] if log else ():
        parts.append(log[at : at + size])
        at += size
    replay, snapshot = ffi.new("b2d_replay *"), zlib.decompress(base64.b64decode(data["snapshot"]))
    with tempfile.TemporaryDirectory() as folder, b2.World.from_snapshot(snapshot) as world:
        path = Path(folder) / "film.gif"
        with b2.MovieWriter(path, size=FILM_SIZE, fps=FILM_FPS, camera=data["view"]) as movie:
            for frame in range(FILM_SECONDS * FILM_FPS):
                while done * data["dt"] * FILM_FPS <= frame:
                    if done < len(parts):
                        part = ffi.from_buffer("uint8_t[]", parts[done])
                        lib.b2d_world_replay(world._ptr, part, len(part), replay)
                        world._refresh()
                    else:
                        world.step(data["dt"], data["substeps"])
                    done += 1
                movie.add(world)
        return path.read_bytes()


def frame(address: str, title: str) -> str:
    """A scene inside a page of the site."""
    return f'<iframe class="live" src="{address}" title="{html.escape(title)}" loading="lazy"></iframe>'


def files_of(where: str, markdown: str, films: bool = True) -> Iterator[tuple[str, str | bytes]]:
    """The files of the scenes of a page, by their paths in the site."""
    for scene in scenes(markdown):
        data = {**captured(scene.program), "view": scene.camera}
        if scene.picture is not None:
            title = scene.picture[1]
            film = os.path.normpath(
                os.path.join("live", os.path.relpath(os.path.dirname(where) or ".", "live"), scene.picture[2])
            )
            film = os.path.relpath(film, "live")
        else:
            title, film = scene.name.replace("_", " "), f"{scene.name}.gif"
            if films:
                yield f"live/{film}", film_of(data)
        text = page(scene.name, data, title, film.replace(os.sep, "/"), throws="throws" in scene.options.split())
        yield f"live/{scene.name}.html", text


def with_scenes(where: str, markdown: str) -> str:
    """A page with its scenes in place of the marks and pictures."""
    up = "../" * where.count("/")
    for scene in reversed(list(scenes(markdown))):
        title = scene.name.replace("_", " ") if scene.picture is None else scene.picture[1]
        shown = frame(f"{up}live/{scene.name}.html", title)
        start, end = scene.mark
        markdown = markdown[:start] + ("" if scene.picture else shown) + markdown[end:]
        if scene.picture is not None:
            start, end = scene.picture.span()
            markdown = markdown[:start] + shown + markdown[end:]
    return markdown


# ---- the gallery: pictures in a grid, each of which becomes a live scene when it is pressed

SAMPLE = re.compile(r"^!\[([^\]]+)\]\(([\w-]+)\.(png|gif)\)\n\n(.+)$", flags=re.MULTILINE)


def sample_data(kind: Any) -> dict[str, Any] | None:
    """The data of the page of a sample, with the calls of its logic for some seconds. None: nothing moves in it, a page
    would not show what matters, such as a mover, or it would be large, as with forces on hundreds of bodies in each
    step."""
    from samples import Run

    large = kind.category == "Benchmark"
    with Run(kind, scale=0.1 if large else 1.0, demo=True) as run:
        try:
            data = live_data(run.world, 1.0 / run.hertz, run.substeps, run.bounds() if large else run.camera())
        except ValueError:  # a strategy of the lab
            return None
        log = StepLog(run.world)
        with contextlib.suppress(b2.Box2DError):  # such as a restore; what the sample did before is shown
            while log.steps < SAMPLE_SECONDS * run.hertz and log.steps == len(log.parts):
                run.step()
                log.take()
        log.stop()
        moving = (run.world.arrays.bodies["type"] > b2.BodyType.STATIC).any()
        movers = [value for value in vars(run.sample).values() if isinstance(value, b2.Mover)]
        if log.acts():
            data["log"] = log.data()
            while len(data["log"]["bytes"]) > MOST_BYTES:
                del log.parts[len(log.parts) * 3 // 4 :]
                data["log"] = log.data()
        enough = "log" not in data or len(log.parts) >= LEAST_SECONDS * run.hertz
        return data if moving and enough and not movers and kind.name not in WITHOUT_BODY else None


def samples_of(markdown: str) -> Iterator[tuple[str, str]]:
    """The pages of the samples that can be live."""
    sys.path.insert(0, str(ROOT))
    import samples

    kinds = samples.load()
    for found in SAMPLE.finditer(markdown):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = sample_data(kinds[found[1]])
        if data is not None:
            text = page(found[2], data, found[1], f"../gallery/{found[2]}.{found[3]}")
            yield f"live/sample-{found[2]}.html", text


def with_samples(markdown: str, living: set[str]) -> str:
    """The gallery, whose pictures start the scene in their place."""

    def cell(found: re.Match[str]) -> str:
        name, slug, kind, text = found.groups()
        if f"live/sample-{slug}.html" not in living:
            return found[0]
        address = f"../live/sample-{slug}.html"
        picture = f'<img src="{slug}.{kind}" alt="{html.escape(name)}" loading="lazy">'
        button = f'<button data-live="{address}" aria-label="simulate {html.escape(name)}">{picture}</button>'
        return f"{button}\n\n{text} [Open it alone]({address}){{: target=_blank }}"

    return SAMPLE.sub(cell, markdown)
