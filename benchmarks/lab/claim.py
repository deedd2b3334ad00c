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

    row: str  # of docs/seed_ledger.md, such as "I-19"
    sentence: str
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
        return [
            self.row,
            self.sentence,
            f"{self.measure:.4g}{unit}",
            f"{sign} {self.threshold:.4g}{unit}",
            self.verdict,
        ]


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
class Section:
    subject: str
    parts: list[Table | Plot | str] = field(default_factory=list)  # in order; text is a paragraph of the page
    claims: list[Claim] = field(default_factory=list)
    records: dict[str, Any] = field(default_factory=dict)  # for --json


@dataclass
class Run:
    """How to measure. `quick` means tiny sizes, of which only the counters mean anything."""

    quick: bool = False
    begin: Callable[[str], None] = lambda what: None  # tells what is measured next
    seed: int = 1


Part: TypeAlias = Callable[[Run, Section], None]  # measures something; PARTS of a subject name the rows that it shows


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


def picture(root: Path, plot: Plot) -> Path:
    return root / "docs" / "pictures" / f"lab-{plot.name}.png"
