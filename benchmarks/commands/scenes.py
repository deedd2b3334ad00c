"""The main command runs scenes on several engines, prints tables, and writes JSON, charts and documents."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from ..engines import peers
from ..engines.results import Engine, Result, hash_mismatches
from ..engines.runner import run_scene
from ..output import charts, pages, report
from ..output.machine import machine, sentence
from ..output.progress import Progress
from . import memory, small
from .options import add_peers, add_scenes, box2d_path, chosen_peers, chosen_scenes, counts, listed, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scenes(parser)
    add_peers(parser, "; box2d=PATH runs Box2D's own benchmark program")
    parser.add_argument("--workers", type=counts, default=[1], help="worker counts, for example 1,2")
    parser.add_argument("--steps", type=lambda text: max(2, positive(text)), help="steps instead of the scene's own")
    parser.add_argument("--repeat", type=positive, default=1, help="passes, engines alternating")
    for option in ("simd", "broadphase", "narrowphase"):
        parser.add_argument(f"--{option}", type=listed, default=[], help=f"values of World({option}=...), with commas")
    parser.add_argument("--memory", action="store_true", help="measure the resident set too, a fresh process each")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    parser.add_argument(
        "--plot", type=Path, metavar="DIR", help="write charts: comparison, stages, memory, every scene's steps"
    )
    parser.add_argument(
        "--write-results", nargs="?", type=Path, const=Path(), metavar="CHECKOUT",
        help="write the tables of docs/results.md and README.md; alone: --workers 1,2 --repeat 3 --memory, all peers",
    )  # fmt: skip
    parser.add_argument(
        "--load", type=Path, metavar="FILE", help="measure nothing: take the results from a file of --json"
    )


def our_engines(arguments: argparse.Namespace) -> list[Engine]:
    choices: list[tuple[tuple[str, str], ...]] = [()]
    for option in ("simd", "broadphase", "narrowphase"):
        named = [() if value == "auto" else ((option, value),) for value in getattr(arguments, option)]
        choices = [(*choice, *pair) for choice in choices for pair in named or [()]]
    return [Engine("box2dpy", workers, choice) for choice in choices for workers in arguments.workers]


def measure(arguments: argparse.Namespace, names: Sequence[str]) -> list[Result]:
    scenes, path = chosen_scenes(arguments.scene), box2d_path(arguments.peer)
    engines = our_engines(arguments) + [Engine(name) for name in names]
    if path:
        engines += [Engine("box2d", workers, path=path) for workers in arguments.workers]
    weighed = ["box2dpy", *names] if arguments.memory else []
    results: list[Result] = []
    with Progress(len(scenes) * (len(engines) * arguments.repeat + len(weighed))) as progress:
        for scene in scenes:
            found = run_scene(
                scene,
                engines,
                steps=arguments.steps,
                repeat=arguments.repeat,
                scale=arguments.scale,
                before=lambda scene, engine, turn: progress.begin(f"{scene.name} {engine.label} #{turn + 1}"),
            )
            for name in weighed:
                progress.begin(f"{scene.name} {name}, memory")
                size = memory.growth(name, scene, arguments.scale)
                for result in found:
                    if result.engine.name == name and result.runs:
                        result.memory = size
            results += found
    return results


def run(arguments: argparse.Namespace, prog: str, words: Sequence[str]) -> int:
    """Measures the scenes and prints the tables; `prog` and `words` are the command line, which the documents quote."""
    if arguments.write_results is not None and len(words) <= 2:  # alone
        arguments.workers, arguments.repeat, arguments.memory, arguments.peer = [1, 2], 3, True, list(peers.PEERS)
    where, results = machine(), []
    if arguments.load is not None:
        loaded = json.loads(arguments.load.read_text(encoding="utf-8"))
        where, records = loaded["machine"], loaded["results"]
        names = list(dict.fromkeys(r["engine"] for r in records if r["engine"] in peers.PEERS))
    else:
        names = chosen_peers(arguments.peer)
        results = measure(arguments, names)
        records = report.records(results, names)
        print(sentence(where), end="\n\n")
        print(report.times(results, names), end="\n\n")
        print(report.counters(results), end="\n\n")
        print("mean ms of each stage; serial: what runs on the calling thread alone, at least")
        print(report.stages(results))
        if weights := report.memory(results):
            print(f"\n{weights}")
    if arguments.json is not None:
        report.write_json(arguments.json, where, records)
    if arguments.plot is not None:
        write_charts(arguments.plot, where, records, results)
    if arguments.write_results is not None:
        calls = small.measure(names, 0.3) if arguments.load is None else None
        pages.write(arguments.write_results, f"{prog} {shlex.join(words)}", where, records, calls)
    wrong = list(hash_mismatches(results))
    for line in wrong:
        print(f"NOT EQUAL: {line}", file=sys.stderr)
    return 1 if wrong else 0


def write_charts(
    folder: Path, where: charts.Record, records: Sequence[charts.Record], results: Sequence[Result]
) -> None:
    for name, draw in (("ratios", charts.ratios), ("stages", charts.stages), ("memory", charts.memory)):
        if draw(records, where, folder / f"{name}.png"):
            print(f"chart: {folder / f'{name}.png'}")
    for scene in dict.fromkeys(result.scene for result in results):
        times = {r.engine.label: r.step_ms for r in results if r.scene == scene and r.runs and r.step_ms}
        charts.steps(times, scene, where, folder / f"{scene}.png")
