"""Scaling: every scene with one worker, with two, and so on up to the number of processors.

It prints the total time, the speed-up over one worker, the serial part of a step by the profile of one worker (a lower
bound), and the serial part that follows from the speed-up by Karp and Flatt, (1/s - 1/p) / (1 - 1/p), which includes
barriers and waiting. The last column names the most expensive stages that gain little from workers.

`--predict` runs each scene on one core and says how long a step would take with 1 to 64 workers, and what bounds it
with 8 and 16 (`benchmarks/engines/prediction.py`); it compares that with the time of two workers here.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines import prediction
from ..engines.results import Engine, Result, hash_mismatches
from ..engines.runner import run_scene
from ..output import charts
from ..output.machine import machine, processors, sentence
from ..output.progress import Progress
from ..output.report import number, table
from .options import add_scenes, chosen_scenes, counts, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scenes(parser)
    parser.add_argument(
        "--workers", type=counts, help="worker counts; default: 1, 2, ... as many as there are processors"
    )
    parser.add_argument("--steps", type=positive, help="steps instead of the scene's own")
    parser.add_argument("--repeat", type=positive, default=1, help="passes, worker counts alternating")
    parser.add_argument("--predict", action="store_true", help="predict 1 to 64 workers from a trace of one")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="write scaling.png")
    parser.add_argument("--json", type=Path, metavar="FILE")


def default_workers(processors: int) -> list[int]:
    """All counts up to 8, then every fourth, and the number of processors; at most 64."""
    most = min(64, processors)
    return sorted({*range(1, min(most, 8) + 1), *range(8, most + 1, 4), most})


def karp_flatt(speedup: float, workers: int) -> float | None:
    """The serial part that a speed-up shows."""
    return None if workers == 1 else (1 / speedup - 1 / workers) / (1 - 1 / workers)


def predict(arguments: argparse.Namespace) -> int:
    rows, records = [], []
    scenes = chosen_scenes(arguments.scene)
    with Progress(len(scenes) * arguments.repeat) as progress:
        for scene in scenes:
            steps = max(2, arguments.steps or scene.steps)
            traces: dict[int, list[list[prediction.Step]]] = {2: [], 8: []}
            times: dict[int, list[NDArray[np.float64]]] = {1: [], 2: []}
            for turn in range(arguments.repeat):
                progress.begin(f"{scene.name} #{turn + 1}")
                for count in times:
                    times[count].append(prediction.measure(scene, count, steps, arguments.scale))
                for count in traces:
                    traces[count].append(prediction.trace(scene, count, steps, arguments.scale))
            plans = {count: prediction.least(found) for count, found in traces.items()}
            measured = {count: prediction.mean_of_least(found) for count, found in times.items()}
            found = {p: prediction.predict(plans[2 if p <= 2 else 8], p) for p in prediction.WORKERS}
            one = found[1].total
            error = found[2].total / measured[2] - 1
            rows.append(
                [
                    scene.name, f"{one:.0f}", *(f"{one / found[p].total:.2f}" for p in prediction.WORKERS[1:]),
                    f"{measured[1] / measured[2]:.2f}", f"{100 * error:+.0f} %", f"{100 * found[8].serial / one:.1f} %",
                    found[8].bounds(), found[16].bounds(),
                ]
            )  # fmt: skip
            records.append(
                {
                    "scene": scene.name,
                    "measured_us": measured,
                    "predicted_us": {p: dict(each.parts) for p, each in found.items()},
                }
            )
    where = machine()
    print(sentence(where), end="\n\n")
    gains = [f"gain {p}" for p in prediction.WORKERS[1:]]
    head = ["scene", "us, one", *gains, "2 measured", "error", "serial"]
    print(table([*head, "percent of a step with 8", "with 16"], rows))
    for p in (2, 8):
        each = [sum(r["predicted_us"][1].values()) / sum(r["predicted_us"][p].values()) for r in records]
        mean = math.exp(sum(map(math.log, each)) / len(each))
        print(f"gain by {p} workers: {mean:.2f} in the mean, {min(each):.2f} least")
    if arguments.json is not None:
        arguments.json.write_text(
            json.dumps({"machine": where, "predicted": records}, indent=1) + "\n", encoding="utf-8"
        )
    return 0


def run(arguments: argparse.Namespace) -> int:
    if arguments.predict:
        return predict(arguments)
    workers = arguments.workers or default_workers(processors())
    engines = [Engine(workers=count) for count in workers]
    scenes = chosen_scenes(arguments.scene)
    where, records = machine(), []
    rows: list[list[str]] = []
    results: list[Result] = []
    steps = None if arguments.steps is None else max(2, arguments.steps)
    with Progress(len(scenes) * len(engines) * arguments.repeat) as progress:
        for scene in scenes:
            found = run_scene(
                scene,
                engines,
                steps=steps,
                repeat=arguments.repeat,
                scale=arguments.scale,
                before=lambda scene, engine, turn: progress.begin(f"{scene.name} {engine.label} #{turn + 1}"),
            )
            results += found
            for result in found:
                record = compare(result, found[0])
                records.append(record)
                shares = (record["serial_share"], record["karp_flatt"])
                percents = [number(None if share is None else 100 * share, ".1f", " %") for share in shares]
                numbers = [f"{record['workers']}", f"{record['total_ms']:.1f}", f"{record['speedup']:.2f}x"]
                rows.append([scene.name, *numbers, *percents, slow_stages(result, found[0])])
    print(sentence(where), end="\n\n")
    print(
        table(
            ["scene", "workers", "total ms", "speed-up", "serial", "as measured", "dearest that gained under 1.2x"],
            rows,
        )
    )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"machine": where, "scaling": records}, indent=1) + "\n", encoding="utf-8")
    if arguments.plot is not None:
        print(f"chart: {draw(records, where, arguments.plot / 'scaling.png')}")
    for line in (wrong := list(hash_mismatches(results))):
        print(f"NOT EQUAL: {line}")
    return 1 if wrong else 0


def compare(result: Result, one: Result) -> dict[str, Any]:
    workers = result.engine.workers
    speedup = one.total_min / result.total_min
    return {
        "scene": result.scene,
        "workers": workers,
        "total_ms": result.total_min,
        "speedup": speedup,
        "serial_share": one.best.serial_share,
        "karp_flatt": karp_flatt(speedup, workers) if one.engine.workers == 1 else None,
        "profile_ms": result.best.profile_ms,
    }


def slow_stages(result: Result, one: Result) -> str:
    """Of the stages that gained little, the three that take most, ms."""
    if result is one:
        return ""
    before, after = one.best.profile_ms, result.best.profile_ms
    slow = [name for name in after if name != "step" and after[name] > 0.001 and before[name] < 1.2 * after[name]]
    return ", ".join(
        f"{name.replace('_', ' ')} {after[name]:.3f}" for name in sorted(slow, key=lambda name: -after[name])[:3]
    )


def draw(records: Sequence[Mapping[str, Any]], where: Mapping[str, Any], path: Path) -> Path:
    workers = sorted({r["workers"] for r in records})

    def fill(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(workers, workers, ":", color="#999999", label="ideal")
        colors = charts.load_pyplot().get_cmap("tab20").colors
        for k, scene in enumerate(dict.fromkeys(r["scene"] for r in records)):
            rows = [r for r in records if r["scene"] == scene]
            axes.plot(
                [r["workers"] for r in rows], [r["speedup"] for r in rows], "o-", markersize=3, color=colors[k % 20],
                label=scene,
            )  # fmt: skip
        axes.set(title="Speed-up over one worker, whole scenes", xlabel="workers", ylabel="times", xticks=workers)
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.legend(fontsize=8, ncols=2)

    return charts.save(fill, path, where, (7.5, 5))
