"""The cost of a body in small and in large worlds, and the cost of a million idle bodies beside 2,000 active ones.

Three layouts with 1,000, 10,000 and 100,000 awake bodies: a field of pyramids of 55 boxes, one pyramid, and a heap that
tumbles in a bin. The time of an awake body is the median step divided by the number of awake bodies, the least over the
passes; it may grow by half (LIMIT). How much it grows depends on the cache: each pass of the solver streams the whole
of a pile that the last cache does not hold, so its size and that of each world are printed. With `--abuse` instead:
calls that careless programs make many times, and the exponents of their costs. Then a field that never sleeps is
stepped alone and beside sleeping pyramids or static boxes, in turns; these may add SHARE to its time. With one worker
all times but those of the stages are processor times of the calling thread.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import box2dpy as b2

from ..engines import abuse
from ..engines.idle import IDLE, WARM, beside, step
from ..engines.layouts import LAYOUTS
from ..engines.results import median
from ..engines.runner import DT, SUBSTEPS, names_of
from ..output import charts
from ..output.machine import machine, sentence
from ..output.progress import Progress
from ..output.report import table
from .options import counts, positive

LIMIT = 1.5
SHARE = 0.05
SLACK = 0.25  # of an exponent: caches make many things dearer than few


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bodies", type=counts, default=[1_000, 10_000, 100_000], help="awake bodies, with commas")
    parser.add_argument("--steps", type=positive, default=40, help="timed steps of each world")
    parser.add_argument("--repeat", type=positive, default=1, help="passes")
    parser.add_argument("--workers", type=positive, default=1)
    parser.add_argument("--idle", type=int, default=1_000_000, help="sleeping or static bodies; 0 leaves that part out")
    parser.add_argument("--awake", type=positive, default=2_000, help="awake bodies beside them")
    parser.add_argument("--turns", type=positive, default=8, help="turns of each world beside the other")
    parser.add_argument("--abuse", action="store_true", help="instead: calls made many times, by exponents")
    parser.add_argument("--things", type=counts, default=[2_000, 8_000, 32_000], help="of --abuse, with commas")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="write growth.png")
    parser.add_argument("--json", type=Path, metavar="FILE")


def cost(layout: str, count: int, steps: int, workers: int) -> dict[str, Any]:
    """One world: median step, first step, stages, all in ms; bodies awake."""
    with b2.World(sleeping=False, workers=workers) as world:
        LAYOUTS[layout](world, count)
        first = step(world)
        for _ in range(WARM):
            world.step(DT, SUBSTEPS)
        times, stages = [], dict.fromkeys(names_of(world.profile), 0.0)
        for _ in range(steps):
            times.append(step(world))
            for name in stages:
                stages[name] += getattr(world.profile, name) / steps
        counters = world.counters
        return {
            "layout": layout,
            "bodies": counters.awake_bodies,
            "touching": counters.touching,
            "first_ms": first,
            "step_ms": median(times),
            "megabytes": counters.bytes / 1e6,
            "stages_ms": stages,
            "allocations": counters.step_allocations,
        }


def run_abuse(arguments: argparse.Namespace) -> int:
    where, rows, records = machine(), [], []
    with Progress(len(abuse.CASES)) as progress:
        for case in abuse.CASES:
            progress.begin(case.name)
            found = [abuse.measure(case, n // case.share, arguments.repeat) for n in arguments.things]
            slope = abuse.exponent(found[0], found[-1])
            verdict = "ok" if slope <= case.power + SLACK else f"over {case.power}"
            last = found[-1]
            times = ", ".join(f"{each['ms']:.1f}" for each in found)
            rows.append([case.name, f"{last['things']}", times, f"{last['megabytes']:.1f}", f"{slope:.2f}", verdict])
            records += found
    print(sentence(where), end="\n\n")
    print(table(["calls", "things", "ms (fewest things first)", "MB", "exponent", ""], rows))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"machine": where, "abuse": records}, indent=1) + "\n", encoding="utf-8")
    return 0


def run(arguments: argparse.Namespace) -> int:
    if arguments.abuse:
        return run_abuse(arguments)
    cases = [(layout, count) for layout in LAYOUTS for count in arguments.bodies]
    best: dict[tuple[str, int], dict[str, Any]] = {}
    idle = []
    where = machine()
    with Progress(len(cases) * arguments.repeat + (len(IDLE) if arguments.idle > 0 else 0)) as progress:
        for turn in range(arguments.repeat):
            for case in cases:
                progress.begin(f"{case[0]} of {case[1]} #{turn + 1}")
                found = cost(*case, arguments.steps, arguments.workers)
                if case not in best or found["step_ms"] < best[case]["step_ms"]:
                    best[case] = found
        for kind in IDLE if arguments.idle > 0 else ():
            progress.begin(f"{arguments.idle} {kind}")
            idle.append(beside(kind, arguments.idle, arguments.awake, arguments.turns, arguments.workers))
    rows = []
    for (layout, _count), record in best.items():
        first = best[layout, arguments.bodies[0]]
        record["ns_a_body"] = 1e6 * record["step_ms"] / record["bodies"]
        record["growth"] = record["ns_a_body"] / (1e6 * first["step_ms"] / first["bodies"])
        verdict = "ok" if record["growth"] <= LIMIT else f"over {LIMIT:g}"
        times = [f"{record['first_ms']:.1f}", f"{record['step_ms']:.3f}", f"{record['ns_a_body']:.0f}"]
        counted = [f"{record['bodies']}", f"{record['touching']}", f"{record['megabytes']:.1f}"]
        rows.append([layout, *counted, *times, f"{record['growth']:.2f}", verdict, worst_stages(record, first)])
    print(sentence(where), end="\n\n")
    if where["last_cache_mb"] is not None:
        print(f"The last cache has {where['last_cache_mb']:.0f} MB.", end="\n\n")
    head = [
        "layout", "awake", "contacts", "MB", "step 0 ms", "step ms", "ns a body", "growth", "",
        "ns a body by stage (at first)",
    ]  # fmt: skip
    print(table(head, rows))
    if idle:
        lines = []
        for r in idle:
            times = [f"{r['alone_ms']:.4f}", f"{r['beside_ms']:.4f}", f"{100 * r['share']:+.1f} %"]
            verdict = "ok" if r["share"] < SHARE else f"over {100 * SHARE:g} %"
            lines.append([r["kind"], f"{r['idle']}", f"{r['awake']}", *times, verdict, f"{r['megabytes']:.0f}"])
        print("\n" + table(["beside", "idle", "awake", "alone, ms", "beside, ms", "adds", "", "MB"], lines))
    result = {"machine": where, "growth": list(best.values()), "idle": idle}
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if arguments.plot is not None:
        print(f"chart: {draw(result, arguments.plot / 'growth.png')}")
    return 0


def worst_stages(record: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    """The three dearest stages, ns a body, with those of the smallest world."""

    def each(r: Mapping[str, Any]) -> dict[str, float]:
        return {name: 1e6 * time / r["bodies"] for name, time in r["stages_ms"].items() if name != "step"}

    here, there = each(record), each(first)
    dearest = sorted(here, key=lambda name: -here[name])[:3]
    return ", ".join(f"{name.replace('_', ' ')} {here[name]:.0f} ({there[name]:.0f})" for name in dearest)


def draw(result: Mapping[str, Any], path: Path) -> Path:
    idle = result["idle"]

    def fill(figure: Any) -> None:
        panes = figure.subplots(1, 2 if idle else 1, squeeze=False, width_ratios=[2, 1] if idle else [1])[0]
        axes = panes[0]
        for k, layout in enumerate(LAYOUTS):
            rows = [r for r in result["growth"] if r["layout"] == layout]
            points = [r["bodies"] for r in rows], [r["ns_a_body"] for r in rows]
            axes.plot(*points, "o-", color=charts.COLORS[k], label=layout)
            axes.plot(points[0], [LIMIT * points[1][0]] * len(rows), "--", linewidth=0.8, color=charts.COLORS[k])
        axes.set(xscale="log", xlabel="awake bodies (logarithmic)", ylabel="ns a body and step")
        axes.set_title("Cost of a body; dashed: 1.5 times the least world")
        axes.set_ylim(bottom=0)
        axes.legend()
        if idle:
            names = ["alone", *(f"{r['idle']:,} {r['kind']}" for r in idle)]
            bars = panes[1].bar(names, [idle[0]["alone_ms"], *(r["beside_ms"] for r in idle)], color=charts.COLORS[:3])
            panes[1].bar_label(bars, ["", *(f"{100 * r['share']:+.1f} %" for r in idle)], fontsize=8)
            panes[1].tick_params(axis="x", labelrotation=20, labelsize=8)
            panes[1].set(ylabel="ms a step", title=f"{idle[0]['awake']:,} awake beside")

    return charts.save(fill, path, result["machine"], (11 if idle else 7, 4.5))
