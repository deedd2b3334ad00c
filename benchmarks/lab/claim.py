"""What a document claims, what was measured, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, TypeAlias

NOISE = 0.1  # a time this near to its threshold, as a fraction, may be on the other side in the next run


@dataclass(frozen=True)
class Claim:
    """A sentence of a document as a comparison: `measure` >= `threshold`, or <= with `most`.

    `exact` marks counters and other numbers that are equal in every run; they gate tests. All others are times, which
    only ever decide the verdict of a full run.
    """

    sentence: str  # by which docs/seed_ledger.md names it
    measure: float
    threshold: float
    most: bool = False
    exact: bool = False
    unit: str = ""

    @property
    def holds(self) -> bool:
        return self.measure <= self.threshold if self.most else self.measure >= self.threshold

    @property
    def verdict(self) -> str:
        """ "works" or "refuted", with "within noise" for a time near its threshold."""
        word = "works" if self.holds else "refuted"
        near = abs(self.measure - self.threshold) <= NOISE * abs(self.threshold)
        return f"{word}, within noise" if near and not self.exact and self.measure != self.threshold else word

    def cells(self) -> list[str]:
        sign = "<=" if self.most else ">="
        unit = f" {self.unit}" if self.unit else ""
        return [self.sentence, f"{self.measure:.4g}{unit}", f"{sign} {self.threshold:.4g}{unit}", self.verdict]


@dataclass
class Table:
    title: str
    head: list[str]
    rows: list[list[str]]
    left: int = 1  # columns of words


@dataclass
class Plot:
    """A picture: `draw(figure)` gets a figure of matplotlib."""

    name: str  # of the file, without suffix
    sentence: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (8.0, 4.0)


@dataclass
class Film:
    """A moving picture: `draw(image, k)` draws frame k with an ImageDraw of pillow, 480 by 270 points."""

    name: str  # of the file, without suffix
    sentence: str
    draw: Callable[[Any, int], None]
    frames: int
    milliseconds: int = 80  # of a frame
    size: tuple[int, int] = (480, 270)


@dataclass
class Section:
    subject: str
    parts: list[Table | Plot | Film | str] = field(default_factory=list)  # in order; text is a paragraph of the page
    claims: list[Claim] = field(default_factory=list)
    records: dict[str, Any] = field(default_factory=dict)  # for --json


@dataclass
class Run:
    """How to measure. `quick` means tiny sizes: compare only the counters, since the times are too short."""

    quick: bool = False
    begin: Callable[[str], None] = lambda what: None  # tells what is measured next
    seed: int = 1


Part: TypeAlias = Callable[[Run, Section], None]  # measures something; PARTS of a subject lists all


def least(passes: int, actions: Sequence[Callable[[], Any]], clock: Callable[[], float] = thread_time) -> list[float]:
    """Seconds of each action, the least of some passes that take them in turn, so that all meet the same machine.

    `thread_time` is for work of the calling thread; use `perf_counter` where several workers share it.
    """
    best = [float("inf")] * len(actions)
    for _ in range(passes):
        for k, action in enumerate(actions):
            start = clock()
            action()
            best[k] = min(best[k], clock() - start)
    return best


WALL, CPU = perf_counter, thread_time


def picture(root: Path, plot: Plot | Film) -> Path:
    return root / "docs" / "pictures" / f"lab-{plot.name}.{'png' if isinstance(plot, Plot) else 'gif'}"


def save_film(film: Film, path: Path) -> None:
    """As an animated GIF, which is drawn at twice the size and made smaller, so that lines are smooth."""
    from PIL import Image, ImageDraw, ImageFont  # only where a film is drawn

    class Twice:  # ImageDraw at twice the scale
        def __init__(self, image: Any) -> None:
            self.draw, self.font = ImageDraw.Draw(image), ImageFont.load_default(28)

        def __getattr__(self, name: str) -> Any:
            def action(points: Any, *rest: Any, **style: Any) -> None:
                flat = [tuple(2 * x for x in p) if isinstance(p, tuple) else 2 * p for p in points]
                if name == "text":
                    style["font"] = self.font
                elif name in ("line", "rectangle"):
                    style["width"] = 2 * style.get("width", 1)
                getattr(self.draw, name)(flat if name != "text" else tuple(flat), *rest, **style)

            return action

    images = []
    for k in range(film.frames):
        large = Image.new("RGB", (2 * film.size[0], 2 * film.size[1]), "white")
        film.draw(Twice(large), k)
        images.append(large.resize(film.size, Image.Resampling.BOX))
    palette = images[-1].quantize(32, dither=Image.Dither.NONE)  # one for all frames, so that what stays is equal
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    path.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=film.milliseconds, loop=0, optimize=True)
