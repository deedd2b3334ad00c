"""The command line: `box2dpy info | bench | samples | render`, also as `python -m box2dpy ...`."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def info(_: argparse.Namespace) -> int:
    """Prints versions and what the processor can do."""
    import numpy

    from . import World, __version__
    from ._bridge.library import lib
    from ._world.scheduler import best_simd, cpu_features

    with World() as world:
        broadphase, size = world.strategies.broadphase, world.counters.bytes
    for name, value in (
        ("box2dpy", __version__),
        ("python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("numpy", numpy.__version__),
        ("platform", platform.platform()),
        ("processors", f"{lib.b2d_cpu_count()} usable of {os.cpu_count()}"),
        ("instructions", f"{' '.join(cpu_features())} (auto: {best_simd()})"),
        ("broad phase", broadphase),
        ("empty world", f"{size / 1024:.1f} KB"),
    ):
        print(f"{name:13} {value}")
    return 0


def _version() -> str:
    from . import __version__

    return __version__


def bench(arguments: Sequence[str]) -> int:
    """Measures the benchmark scenes, beside other engines if wanted; --help lists the options."""
    module = _program("benchmarks")
    return (
        1
        if module is None
        else int(importlib.import_module(f"{module}.__main__").main(list(arguments), "box2dpy bench"))
    )


def samples(arguments: Sequence[str]) -> int:
    """Opens the sample browser, at NAME if given; --list lists the samples."""
    return _samples_main(list(arguments), "box2dpy samples")


def render(arguments: Sequence[str]) -> int:
    """Runs a sample without a screen and saves a picture or an animation."""
    return _samples_main(["render", *arguments], "box2dpy")


def _samples_main(arguments: list[str], prog: str) -> int:
    module = _program("samples")
    return 1 if module is None else int(importlib.import_module(f"{module}._cli").main(arguments, prog=prog))


def _program(folder: str) -> str | None:
    # Installed it is box2dpy.FOLDER; beside an uninstalled package, as in a checkout, FOLDER.
    beside = Path(__file__).resolve().parent.parent / folder / "__init__.py"
    for name in (f"box2dpy.{folder}", folder):
        spec = importlib.util.find_spec(name)
        if spec is not None and (name != folder or Path(spec.origin or "") == beside):
            return name
    print(f"box2dpy: the {folder} are not installed", file=sys.stderr)
    return None


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"info": info}
PASSED_ON: dict[str, Callable[[Sequence[str]], int]] = {"bench": bench, "samples": samples, "render": render}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # of `box2dpy samples --list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="box2dpy", description="A fast, deterministic 2D physics engine.")
    parser.add_argument("--version", action="version", version=f"box2dpy {_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.__doc__)
    for name, passed in PASSED_ON.items():
        commands.add_parser(name, help=passed.__doc__, add_help=False)
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] and given[0] in PASSED_ON:
        return PASSED_ON[given[0]](given[1:])
    chosen = parser.parse_args(given)
    return COMMANDS[chosen.command](chosen)


if __name__ == "__main__":
    sys.exit(main())
