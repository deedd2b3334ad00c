"""The command line: `box2dpy info`, also as `python -m box2dpy info`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence


def info(_: argparse.Namespace) -> int:
    """Prints versions and what the processor can do."""
    import numpy

    from . import World, __version__
    from ._core import lib
    from ._scheduler import best_simd, cpu_features

    with World() as world:
        broadphase, size = world.broadphase, world.counters.bytes
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


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"info": info}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="box2dpy", description="A fast, deterministic 2D physics engine.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.__doc__)
    chosen = parser.parse_args(arguments)
    return COMMANDS[chosen.command](chosen)


if __name__ == "__main__":
    sys.exit(main())
