"""Command line of the benchmarks.

    python -m benchmarks                                     the ten scenes, one worker
    python -m benchmarks --scene tumbler --workers 1,2 --peer pyb2d3 --peer pymunk --repeat 3
    python -m benchmarks --peer box2d=PATH                   beside Box2D's own benchmark program
    python -m benchmarks --write-results                     everything, into docs/results.md and README.md
    python -m benchmarks small                               small calls from Python
    python -m benchmarks memory                              what a scene costs in memory
    python -m benchmarks islands                             what managing islands costs, by strategy
    python -m benchmarks growth                              cost of a body in small and large worlds
    python -m benchmarks scaling                             one worker, two, ... as many as there are processors
    python -m benchmarks lifecycle                           making, sleeping, waking, destroying
    python -m benchmarks --demo                              the demo of `make demo`

Exit status 1 when runs that must end in one state did not, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from . import charts, demo, growth, islands, lifecycle, memory, pages, peers, report, scaling, small
from .machine import machine, sentence
from .options import add_peers, add_scenes, box2d_path, chosen_peers, chosen_scenes, counts, listed, positive
from .progress import Progress
from .runner import Engine, Result, hash_mismatches, run_scene

COMMANDS = {"islands": islands, "growth": growth, "scaling": scaling, "lifecycle": lifecycle}


def parser(prog: str) -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog=prog, description=__doc__, formatter_class=raw)
    commands = top.add_subparsers(dest="command", help="instead of scenes; `--demo` runs the demo")
    add_scenes(top)
    add_peers(top, "; box2d=PATH runs Box2D's own benchmark program")
    top.add_argument("--workers", type=counts, default=[1], help="worker counts, for example 1,2")
    top.add_argument("--steps", type=lambda text: max(2, positive(text)), help="steps instead of the scene's own")
    top.add_argument("--repeat", type=positive, default=1, help="passes, engines alternating")
    for option in ("simd", "broadphase", "narrowphase"):
        top.add_argument(f"--{option}", type=listed, default=[], help=f"values of World({option}=...), with commas")
    top.add_argument("--memory", action="store_true", help="measure the resident set too, a fresh process each")
    top.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    top.add_argument(
        "--plot", type=Path, metavar="DIR", help="write charts: comparison, stages, memory, every scene's steps"
    )
    top.add_argument(
        "--write-results",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="CHECKOUT",
        help="write the tables of docs/results.md and README.md; alone: --workers 1,2 --repeat 3 --memory, all peers",
    )
    top.add_argument(
        "--load", type=Path, metavar="FILE", help="measure nothing: take the results from a file of --json"
    )
    calls = commands.add_parser("small", help="small calls from Python beside the peers")
    calls.add_argument("--peer", action="append", help="compare with these only; default: all that are installed")
    calls.add_argument("--seconds", type=float, default=0.3, help="how long to measure each call")
    rss = commands.add_parser("memory", help="growth of the resident set, each engine in a fresh process")
    add_scenes(rss)
    add_peers(rss, "")
    rss.add_argument("--child", nargs=2, metavar=("ENGINE", "SCENE"), help=argparse.SUPPRESS)
    for name, command in COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=(command.__doc__ or "").splitlines()[0]))
    return top


def our_engines(arguments: argparse.Namespace) -> list[Engine]:
    choices: list[tuple[tuple[str, str], ...]] = [()]
    for option in ("simd", "broadphase", "narrowphase"):
        named = [(option, value) for value in getattr(arguments, option)]
        choices = [(*choice, pair) for choice in choices for pair in named] if named else choices
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


def run_scenes(arguments: argparse.Namespace, prog: str, words: Sequence[str]) -> int:
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


def main(argv: Sequence[str] | None = None) -> int:
    prog = f"python -m {__package__}"
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--demo"]:
        return demo.main(words[1:])
    arguments = parser(prog).parse_args(words)
    try:
        if arguments.command == "small":
            names = chosen_peers(arguments.peer or peers.PEERS)
            print(small.measure_all(names, arguments.seconds))
            return 0
        if arguments.command == "memory":
            if arguments.child:
                engine, scene_name = arguments.child
                print(memory.growth_here(engine, scene_name, arguments.scale))
                return 0
            scenes = chosen_scenes(arguments.scene, ["large_pyramid", "tumbler"])
            print(memory.compare(scenes, chosen_peers(arguments.peer), arguments.scale))
            return 0
        if arguments.command in COMMANDS:
            return int(COMMANDS[arguments.command].run(arguments))
        return run_scenes(arguments, prog, words)
    except (ValueError, ModuleNotFoundError, OSError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
