"""The cost of managing islands: average and maximum milliseconds per step for each strategy.

It uses the two scenes of Erin Catto's "Simulation Islands" (2023) with sleeping off. `contact_transitions`
is the serial pass over contacts that began or ended: events, colours, union-find and collapse, so it is an upper bound
for the islands alone.
`split` is one search of an island that lost links. The engine postpones it until the island may sleep, so a second row
splits all islands after each step and measures that.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import box2dpy as b2
from box2dpy.scenes import Scene

from ..engines.runner import DT, SUBSTEPS
from ..output.machine import machine, sentence
from ..output.progress import Progress
from ..output.report import table
from .options import add_scenes, chosen_scenes, positive

SCENES = ("pyramids", "tumbler2000")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scenes(parser)
    parser.add_argument("--steps", type=positive, help="steps instead of the scene's own")
    parser.add_argument("--repeat", type=positive, default=1, help="passes; each step counts with its least time")
    parser.add_argument("--json", type=Path, metavar="FILE")


def measure(scene: Scene, strategy: str, split: bool, steps: int, scale: float) -> list[tuple[float, float]]:
    """Milliseconds of (managing, splitting) in every step, the first included: then everything is linked."""
    options: dict[str, Any] = {"sleeping": False, "islands": strategy}
    found = []
    with scene.world(**options) as world:
        state = scene.build(world, scale)
        for number in range(steps):
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            parts = world.profile.split
            if split:
                start = perf_counter()
                world.split_islands()
                parts += 1000 * (perf_counter() - start)
            found.append((world.profile.contact_transitions, parts))
    return found


def run(arguments: argparse.Namespace) -> int:
    scenes = chosen_scenes(arguments.scene, SCENES)
    cases = [(strategy, split) for strategy in b2.lab.NAMES["islands"] for split in (False, True)]
    rows, records = [], []
    where = machine()
    with Progress(len(scenes) * len(cases) * arguments.repeat) as progress:
        for scene in scenes:
            for strategy, split in cases:
                label = f"{strategy}, all split after each step" if split else strategy
                passes = []
                for turn in range(arguments.repeat):
                    progress.begin(f"{scene.name} {label} #{turn + 1}")
                    passes.append(measure(scene, strategy, split, arguments.steps or scene.steps, arguments.scale))
                least = [tuple(min(times) for times in zip(*step, strict=True)) for step in zip(*passes, strict=True)]
                transitions, parts = ([step[k] for step in least] for k in (0, 1))
                record = {"scene": scene.name, "strategy": strategy, "split_each_step": split, "steps": len(least)}
                record |= {"manage_ms": summary(transitions), "split_ms": summary(parts)}
                records.append(record)
                rows.append(
                    [
                        scene.name,
                        label,
                        *(f"{value:.4f}" for times in (transitions, parts) for value in summary(times).values()),
                    ]
                )
    print(sentence(where), end="\n\n")
    print(table(["scene", "strategy", "average ms", "most", "splitting", "most"], rows, left=2))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"machine": where, "results": records}, indent=1) + "\n", encoding="utf-8")
    return 0


def summary(times: Sequence[float]) -> dict[str, float]:
    return {"average": sum(times) / len(times), "most": max(times)}
