"""Command line arguments that several commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from box2dpy.scenes import SCENES, Scene, get

from ..engines import peers
from ..engines.comparison import TEN_SCENES


def listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be positive, not {value}")
    return value


def counts(text: str) -> list[int]:
    """Positive numbers with commas, for example `1,2`."""
    numbers = [positive(part) for part in listed(text)]
    if not numbers:
        raise argparse.ArgumentTypeError("must not be empty")
    return numbers


def add_scenes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scene", action="append", help="a scene, or several with commas; again for more; 'all'")
    parser.add_argument("--scale", type=float, default=1.0, help="shrinks the scenes; 1 is the whole")


def add_peers(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--peer", action="append", help=f"compare with an installed engine: {', '.join(peers.PEERS)}{default}"
    )


def chosen_scenes(names: Sequence[str] | None, default: Sequence[str] = TEN_SCENES) -> list[Scene]:
    wanted = [part for name in names or default for part in listed(name)]
    return [get(name) for name in (SCENES if "all" in wanted else dict.fromkeys(wanted))]


def chosen_peers(names: Sequence[str] | None) -> list[str]:
    """The peers that are installed; one line on stderr for each that is not. `box2d=PATH` is left to the caller."""
    found = []
    for name in dict.fromkeys(part for text in names or () for part in listed(text)):
        if name.startswith("box2d="):
            continue
        if peers.version(name) is None:
            print(f"{name} is not installed: skipped (pip install {name})", file=sys.stderr)
        else:
            found.append(name)
    return found


def box2d_path(names: Sequence[str] | None) -> str:
    """PATH of `--peer box2d=PATH`, or empty."""
    given = [name.removeprefix("box2d=") for name in names or () if name.startswith("box2d=")]
    return given[-1] if given else ""
