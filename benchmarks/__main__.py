"""Command line of the benchmarks.

    python -m benchmarks                                     all our scenes, one worker
    python -m benchmarks --scene tumbler --workers 1,2 --peer pyb2d3 --peer pymunk --repeat 3
    python -m benchmarks small                               small calls from Python
    python -m benchmarks memory                              what a scene costs in memory
    python -m benchmarks --demo                              the demo of `make demo`

Exit status 1 when runs that must end in one state did not, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from box2dpy.scenes import SCENES, Scene, get

from . import demo, memory, peers, report, small
from .progress import Progress
from .runner import Engine, Result, hash_mismatches, run_scene

DEFAULT_SCENES = ("large_pyramid", "many_pyramids", "tumbler", "falling_hinges", "mixed_pile")


def listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def worker_counts(text: str) -> list[int]:
    counts = [int(part) for part in listed(text)]
    if not counts or min(counts) < 1:
        raise argparse.ArgumentTypeError(f"worker counts must be positive, not {text!r}")
    return counts


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be positive, not {value}")
    return value


def add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scene", action="append", help="a scene, or several with commas; again for more; 'all'")
    parser.add_argument("--peer", action="append", help=f"compare with an installed engine: {', '.join(peers.PEERS)}")


def parser(prog: str) -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog=prog, description="Runs scenes and prints what they cost.")
    commands = top.add_subparsers(dest="command", metavar="small | memory", help="instead of scenes; `--demo` runs the demo")
    add_common(top)
    top.add_argument("--workers", type=worker_counts, default=[1], help="worker counts, for example 1,2")
    top.add_argument("--steps", type=lambda text: max(2, positive(text)), help="steps instead of the scene's own")
    top.add_argument("--repeat", type=positive, default=1, help="passes, engines alternating")
    top.add_argument("--scale", type=float, default=1.0, help="shrinks the scenes; 1 is the whole")
    for option in ("simd", "broadphase", "narrowphase"):
        top.add_argument(f"--{option}", type=listed, default=[], help=f"values of World({option}=...), with commas")
    top.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    top.add_argument("--plot", type=Path, metavar="DIR", help="write a picture of each scene's step times")
    calls = commands.add_parser("small", help="small calls from Python beside the peers")
    calls.add_argument("--peer", action="append", help="compare with these only; default: all that are installed")
    calls.add_argument("--seconds", type=float, default=0.3, help="how long to measure each call")
    rss = commands.add_parser("memory", help="growth of the resident set, each engine in a fresh process")
    add_common(rss)
    rss.add_argument("--scale", type=float, default=1.0)
    rss.add_argument("--child", nargs=2, metavar=("ENGINE", "SCENE"), help=argparse.SUPPRESS)
    return top


def chosen_scenes(names: Sequence[str] | None) -> list[Scene]:
    wanted = [part for name in names or DEFAULT_SCENES for part in listed(name)]
    return [get(name) for name in (SCENES if "all" in wanted else dict.fromkeys(wanted))]


def chosen_peers(names: Sequence[str] | None) -> list[str]:
    """The peers that are installed; one line on stderr for each that is not."""
    found = []
    for name in dict.fromkeys(part for text in names or () for part in listed(text)):
        if peers.version(name) is None:
            print(f"{name} is not installed: skipped (pip install {name})", file=sys.stderr)
        else:
            found.append(name)
    return found


def our_engines(arguments: argparse.Namespace) -> list[Engine]:
    choices: list[tuple[tuple[str, str], ...]] = [()]
    for option in ("simd", "broadphase", "narrowphase"):
        named = [(option, value) for value in getattr(arguments, option)]
        choices = [(*choice, pair) for choice in choices for pair in named] if named else choices
    return [Engine("box2dpy", workers, choice) for choice in choices for workers in arguments.workers]


def run_scenes(arguments: argparse.Namespace) -> int:
    scenes, names = chosen_scenes(arguments.scene), chosen_peers(arguments.peer)
    engines = our_engines(arguments) + [Engine(name) for name in names]
    progress = Progress(len(scenes) * len(engines) * arguments.repeat)
    results: list[Result] = []
    for scene in scenes:
        results += run_scene(
            scene,
            engines,
            steps=arguments.steps,
            repeat=arguments.repeat,
            scale=arguments.scale,
            before=lambda scene, engine, turn: progress.begin(f"{scene.name} {engine.label} #{turn + 1}"),
        )
    progress.close()
    where = report.machine()
    print(f"box2dpy {where['box2dpy']} on {where['cpu']}, {where['cores']} cores, Python {where['python']}\n")
    print(report.times(results, names), end="\n\n")
    print(report.counters(results), end="\n\n")
    print("mean ms of each stage")
    print(report.stages(results))
    if arguments.json is not None:
        report.write_json(arguments.json, results, names)
    if arguments.plot is not None:
        report.write_plots(arguments.plot, results)
    wrong = list(hash_mismatches(results))
    for line in wrong:
        print(f"NOT EQUAL: {line}", file=sys.stderr)
    return 1 if wrong else 0


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
            scenes = chosen_scenes(arguments.scene or ["large_pyramid", "tumbler"])
            print(memory.compare(scenes, chosen_peers(arguments.peer), arguments.scale))
            return 0
        return run_scenes(arguments)
    except (ValueError, ModuleNotFoundError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
