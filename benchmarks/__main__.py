"""Command line of the benchmarks.

    python -m benchmarks                                     the ten scenes, one worker
    python -m benchmarks --scene tumbler --workers 1,2 --peer pyb2d3 --peer pymunk --repeat 3
    python -m benchmarks --peer box2d=PATH                   beside Box2D's own benchmark program
    python -m benchmarks --write-results                     everything, into docs/results.md and README.md
    python -m benchmarks small                               small calls from Python
    python -m benchmarks quality                             stacks, energy, stiffness, tunnelling, noise, in figures
    python -m benchmarks memory                              what a scene costs in memory
    python -m benchmarks islands                             what managing islands costs, by strategy
    python -m benchmarks growth                              cost of a body in small and large worlds
    python -m benchmarks growth --abuse                      calls made many times, and the exponents of their costs
    python -m benchmarks scaling                             one worker, two, ... as many as there are processors
    python -m benchmarks lifecycle                           making, sleeping, waking, destroying
    python -m benchmarks lab islands --quick                 the claims of the source documents (docs/lab.md)
    python -m benchmarks recording                           size and cost of recordings, cost of a rollback
    python -m benchmarks worlds                              many worlds in one call: steps a second, restores, memory
    python -m benchmarks compat                              Gymnasium's environments beside the old bindings
    python -m benchmarks envs                                environments beside Gymnasium's own: episodes
    python -m benchmarks throughput                          environments beside Gymnasium and EnvPool: speed
    python -m benchmarks entities                            cost of a body in a world, beside Jax2D
    python -m benchmarks train                               PPO of Stable-Baselines3 on both: the same return?
    python -m benchmarks --demo                              the demo of `make demo`

Exit status 1 when runs that must end in one state did not, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .commands import (
    compat,
    demo,
    entities,
    envs,
    growth,
    islands,
    lab,
    lifecycle,
    memory,
    quality,
    recording,
    scaling,
    scenes,
    small,
    throughput,
    train,
    worlds,
)

COMMANDS = {
    "small": small,
    "quality": quality,
    "memory": memory,
    "islands": islands,
    "growth": growth,
    "scaling": scaling,
    "lifecycle": lifecycle,
    "recording": recording,
    "worlds": worlds,
    "compat": compat,
    "envs": envs,
    "throughput": throughput,
    "entities": entities,
    "train": train,
    "lab": lab,
}


def parser(prog: str) -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        prog=prog, description=(__doc__ or "").replace("python -m benchmarks", prog), formatter_class=raw
    )
    commands = top.add_subparsers(dest="command", help="instead of scenes; `--demo` runs the demo")
    scenes.add_arguments(top)
    for name, command in COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=(command.__doc__ or "").splitlines()[0]))
    return top


def main(argv: Sequence[str] | None = None, prog: str = f"python -m {__package__}") -> int:
    """Runs a command of `prog`, which is what the user has typed; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--demo"]:
        return demo.main(words[1:])
    arguments = parser(prog).parse_args(words)
    try:
        if arguments.command is not None:
            return int(COMMANDS[arguments.command].run(arguments))
        return scenes.run(arguments, prog, words)
    except (ValueError, ModuleNotFoundError, OSError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
