"""The command line of the samples: opens the window, saves a picture, renders the gallery, lists the samples."""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import box2dpy as b2

from . import Run, find, load, slug
from ._sample import Camera

NEEDED = ("pyglet", "imgui_bundle", "OpenGL", "PIL")  # by the browser
GALLERY_SIZE = (480, 300)
LARGE = 1000  # bodies above which a scene of the registry is drawn in a smaller size
FILM_SIZE, FILM_MS = (320, 200), 80
FILMS = {  # steps of the samples that move in the gallery
    **dict.fromkeys(("Car", "Platformer", "Pinball", "Claw", "Crank and piston", "Gear train", "Walker"), 240),
    **dict.fromkeys(("Newton's cradle", "Double pendulum", "Ragdolls", "Dominoes", "Wrecking ball"), 240),
    **dict.fromkeys(("Galton board", "Boats in waves", "Asteroids"), 240),
    "Trebuchet": 130,
}


def fail(message: str) -> int:
    print(f"box2dpy: {message}", file=sys.stderr)
    return 1


def list_samples() -> int:
    category = ""
    for name, kind in load().items():
        if kind.category != category:
            category = kind.category
            print(f"\n{category}")
        print(f"  {slug(name):32} {kind.description()}")
    return 0


def browse(arguments: argparse.Namespace) -> int:
    """Opens the window. A missing library or screen is reported in one line."""
    if arguments.list:
        return list_samples()
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if absent:
        return fail(f"the sample browser needs {', '.join(absent)}: pip install 'box2dpy[samples]'")
    from .browser import main

    try:
        name = None if arguments.name is None else find(arguments.name).name
    except ValueError as error:
        return fail(str(error))
    return main(name, settings=arguments.settings, state=arguments.state)


def render(arguments: argparse.Namespace) -> int:
    """Runs a sample without a screen and saves a picture or an animation."""
    from ._picture import save

    out = Path(arguments.out)
    try:
        kind = find(arguments.name)
        steps = kind.frames if arguments.steps is None else arguments.steps
        if steps < 1:
            return fail(f"--steps {steps} must be 1 or more")
        if not 0 < arguments.scale <= 10:
            return fail(f"--scale {arguments.scale:g} must be more than 0 and at most 10")
        for name, pixels in (("--width", arguments.width), ("--height", arguments.height)):
            if not 1 <= pixels <= 16384:
                return fail(f"{name} {pixels} must be 1 to 16384")
        if out.suffix.lower() not in (".png", ".gif", ".mp4", ".jpg", ".webp"):
            return fail(f"--out {out} must end in .png, .gif or .mp4")
        with Run(kind, scale=arguments.scale, demo=True) as run:
            save(run, out, steps, size=(arguments.width, arguments.height), progress=bar(kind.name))
    except ModuleNotFoundError as error:
        if error.name not in ("PIL", "imageio_ffmpeg"):
            raise
        return fail(str(error))
    except ValueError as error:
        return fail(str(error))
    except OSError as error:
        return fail(f"--out {out}: {error}")
    print(out)
    return 0


def bar(name: str):  # type: ignore[no-untyped-def]
    """A progress bar if the output is a terminal, otherwise nothing."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        full = 30 * done // total
        sys.stderr.write(f"\r{name} [{'#' * full}{'.' * (30 - full)}] {done}/{total}{chr(10) if done == total else ''}")

    return show


def moving(run: Run) -> Camera:
    """A rectangle around the bodies that move, with a margin: the ground of a scene may be much longer."""
    boxes = [body.aabb for body in run.world.bodies if body.type == b2.BodyType.DYNAMIC]
    left, right = min(box.lower.x for box in boxes), max(box.upper.x for box in boxes)
    bottom, top = min(box.lower.y for box in boxes), max(box.upper.y for box in boxes)
    margin = 0.08 * max(right - left, top - bottom)
    return left - margin, bottom - margin, right + margin, top + margin


def gallery(folder: Path) -> int:
    """Renders every sample into a folder, with an index page."""
    from ._picture import picture, save

    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# Gallery", "", "Every sample, rendered by `make gallery`. `box2dpy samples NAME` opens one of them.", ""]
    category, wanted = "", set[str]()

    def end() -> None:
        if category:
            lines.extend(["</div>", ""])

    for name, kind in load().items():
        if kind.category != category:
            end()
            category = kind.category
            lines += [f"## {category}", "", '<div class="gallery" markdown>', ""]
        scene = getattr(kind, "scene", None)
        big = scene is not None and scene.bodies > LARGE
        file = f"{slug(name)}.{'gif' if name in FILMS else 'png'}"
        with Run(kind, scale=0.3 if big else 1.0, demo=True) as run:
            if name in FILMS:
                save(run, folder / file, FILMS[name], size=FILM_SIZE, frame_ms=FILM_MS)
            else:
                run.step(kind.frames)
                image = picture(run, size=GALLERY_SIZE, camera=moving(run) if scene is not None else None)
                image.quantize(48).save(folder / file, optimize=True)
        wanted.add(file)
        source: Any = scene.build if scene is not None else kind
        code = Path(inspect.getsourcefile(source) or "").relative_to(Path(__file__).resolve().parents[1]).as_posix()
        lines += ['<figure markdown="1">', "", f"![{name}]({file})", "", f"**{name}**: {kind.description()}", ""]
        lines += [f"[Code](../../{code}#{source.__name__}), `box2dpy samples {slug(name)}`", "", "</figure>", ""]
        print(f"{category}: {name}", flush=True)
    end()
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    for path in [*folder.glob("*.png"), *folder.glob("*.gif")]:
        if path.name not in wanted:
            path.unlink()
    return 0


def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> int:
    """`samples [NAME]`, `samples render NAME`, `samples gallery [FOLDER]`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    prog = prog or "python -m samples"
    if given[:1] == ["render"]:
        parser = argparse.ArgumentParser(prog=f"{prog} render", description=render.__doc__)
        parser.add_argument("name", help="a sample; part of its name is enough")
        parser.add_argument("--steps", type=int, help="steps to run first; the default: the sample's own number")
        parser.add_argument("--out", default="sample.png", help="picture (.png), animation (.gif) or film (.mp4)")
        parser.add_argument("--width", type=int, default=960)
        parser.add_argument("--height", type=int, default=600)
        parser.add_argument("--scale", type=float, default=1.0, help="fraction of a large scene to build")
        return render(parser.parse_args(given[1:]))
    if given[:1] == ["gallery"]:
        return gallery(Path(given[1] if len(given) > 1 else "docs/gallery"))
    parser = argparse.ArgumentParser(prog=prog, description="The sample browser of box2dpy.")
    parser.add_argument("name", nargs="?", help="a sample; part of its name is enough")
    parser.add_argument("--list", action="store_true", help="list all samples and exit")
    parser.add_argument("--settings", type=Path, help="file in which the settings are kept")
    parser.add_argument("--state", type=Path, help="JSON file that describes the window, for tests and scripts")
    return browse(parser.parse_args(given))
