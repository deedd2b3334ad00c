"""The quality of the physics in figures, beside the other engines: stacks, energy, stiffness, tunnelling, noise."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from .. import quality
from ..engines.peer import CannotExpress
from ..engines.peers import PEERS
from ..output import charts, pages
from ..output.machine import machine, sentence
from ..output.progress import Progress
from ..output.report import number, table
from .options import chosen_peers, listed

Values = dict[str, dict[str, float | None]]  # by figure and engine; None: the engine cannot express the scene


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--peer", action="append", help="compare with these only; default: all that are installed")
    parser.add_argument("--only", help="figures, by name, with commas")
    parser.add_argument("--scale", type=float, default=1.0, help="shortens the simulated time; 1 is the whole")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--write-results", type=Path, metavar="ROOT", nargs="?", const=Path(), help="write the table")


def chosen(only: str | None) -> list[quality.Figure]:
    """Raises ValueError for a figure that does not exist."""
    named = {figure.name: figure for figure in quality.FIGURES}
    wanted = listed(only) if only else list(named)
    for name in wanted:
        if name not in named:
            raise ValueError(f"no figure {name!r}; there are {', '.join(named)}")
    return [named[name] for name in wanted]


def measure(figures: Sequence[quality.Figure], engines: Sequence[str], scale: float) -> Values:
    values: Values = {}
    with Progress(len(figures) * len(engines)) as progress:
        for figure in figures:
            row = values[figure.name] = {}
            for engine in engines:
                progress.begin(f"{figure.name}, {engine}")
                try:
                    row[engine] = quality.measure(figure, engine, scale)
                except CannotExpress:
                    row[engine] = None
    return values


def rows(figures: Sequence[quality.Figure], values: Values) -> list[list[str]]:
    return [
        [
            figure.name,
            *(number(value, ".4g") for value in values[figure.name].values()),
            figure.unit,
            "more" if figure.high else "less",
            figure.sentence,
        ]
        for figure in figures
    ]


def run(arguments: argparse.Namespace) -> int:
    figures, engines = chosen(arguments.only), ["box2dpy", *chosen_peers(arguments.peer or PEERS)]
    where = machine()
    values = measure(figures, engines, arguments.scale)
    head = ["figure", *engines, "unit", "better", "meaning"]
    print(table(head, rows(figures, values)))
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps({"machine": where, "quality": values}, indent=1) + "\n", encoding="utf-8")
    if arguments.plot:
        print(f"chart: {charts.quality(figures, values, where, arguments.plot)}")
    if arguments.write_results is not None:
        page = arguments.write_results / pages.RESULTS
        pages.replace_between(page, "quality", f"{sentence(where)}\n\n{pages.markdown(head, rows(figures, values))}")
        print(f"wrote {page}")
    return 0
