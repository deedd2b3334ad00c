"""Plain text tables and JSON of results."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..engines.comparison import TEN_SCENES, geometric_mean, ratio
from ..engines.results import Result, median, percentile

COUNTERS = ("bodies", "shapes", "contacts", "touching", "joints", "islands", "colors", "overflow_contacts")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns under a rule, the first `left` of them aligned to the left."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if k < left else c.rjust(w) for k, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "  ".join(padded).rstrip()

    return "\n".join((line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)))


def number(value: float | None, form: str = ".2f", unit: str = "") -> str:
    return "-" if value is None or math.isnan(value) else f"{value:{form}}{unit}"


def compares_box2d(results: Sequence[Result]) -> bool:
    """Whether Box2D's own program ran."""
    return any(result.engine.path and result.runs for result in results)


def _some(steps: Sequence[int], most: int = 8) -> str:
    """The first of many steps; `--json` has all."""
    listed = ", ".join(map(str, steps[:most]))
    return listed if len(steps) <= most else f"{listed} and {len(steps) - most} more"


def times(results: Sequence[Result], peers: Sequence[str]) -> str:
    """The main table, and the means of the ratios to Box2D."""
    head = ["scene", "engine", "total ms", "median total", "step 0", "step median", "p99", "max", "spikes"]
    peers = [*peers, "box2d"] if compares_box2d(results) else peers
    head += [f"{peer} / it" for peer in peers]
    rows = []
    for result in results:
        if result.skipped:
            rows.append([result.scene, f"{result.engine.label}: skipped, {result.skipped}", *[""] * (len(head) - 2)])
            continue
        steps = result.step_ms
        row = [
            result.scene, result.engine.label, number(result.total_min, ".1f"), number(result.total_median, ".1f"),
            number(result.step0), number(median(steps) if steps else None, ".3f"),
            number(percentile(steps, 0.99) if steps else None, ".3f"), number(max(steps, default=None), ".3f"),
            str(len(result.spikes())) if steps else "-",
        ]  # fmt: skip
        row += [number(ratio(result, peer, results), ".2f", "x") for peer in peers]
        rows.append(row)
    lines = [table(head, rows, left=2), *means(results)]
    spiky = [f"{r.scene} {r.engine.label}: {_some(r.spikes())}" for r in results if r.engine.ours and r.spikes()]
    return "\n".join([*lines, *(f"spikes at steps: {line}" for line in spiky)])


def means(results: Sequence[Result]) -> list[str]:
    """One line for each of our engines: geometric mean and least of its ratios to Box2D over the ten scenes."""
    lines = []
    for engine in dict.fromkeys(result.engine for result in results if result.engine.ours):
        found = [
            (ratio(r, "box2d", results), r.scene)
            for r in results
            if r.engine == engine and r.runs and r.scene in TEN_SCENES
        ]
        ratios = [(value, scene) for value, scene in found if value is not None]
        if ratios:
            mean, (least, where) = geometric_mean([value for value, _ in ratios]), min(ratios)
            lines.append(
                f"{engine.label}: {mean:.2f}x Box2D in the mean of {len(ratios)} scenes, least {least:.2f}x in {where}"
            )
    return lines


def counters(results: Sequence[Result]) -> str:
    head = ["scene", "engine", *(name.replace("_contacts", "") for name in COUNTERS), "allocations", "peak MB", "hash"]
    rows = []
    for result in results:
        if result.skipped:
            continue
        run = result.best
        row = [result.scene, result.engine.label]
        row += [number(run.counters.get(name), "d") for name in COUNTERS]
        peak = run.counters.get("peak_bytes")
        row.append(number(max(r.allocations for r in result.runs), "d") if result.engine.ours else "-")
        row.append(number(None if peak is None else peak / 1e6))
        row.append("-" if run.state_hash is None else f"{run.state_hash:016x}")
        rows.append(row)
    return table(head, rows, left=2)


def stages(results: Sequence[Result]) -> str:
    """Mean milliseconds of each stage, and the part of the step that is serial whatever the number of workers, at
    least."""
    ours = [result for result in results if result.engine.ours and result.runs]
    names = list(dict.fromkeys(name for result in ours for name in result.best.profile_ms))
    head = ["scene", "engine", *(name.replace("_", " ") for name in names), "serial"]
    rows = []
    for result in ours:
        profile = result.best.profile_ms
        rows.append([result.scene, result.engine.label, *(number(profile.get(name), ".3f") for name in names)])
        share = result.best.serial_share
        rows[-1].append(number(None if share is None else 100 * share, ".1f", " %"))
    return table(head, rows, left=2)


def memory(results: Sequence[Result]) -> str:
    """Growth of the resident set of each engine in a fresh process, MB; empty when it was not measured."""
    measured = [result for result in results if result.memory is not None]
    if not measured:
        return ""
    names = list(dict.fromkeys(result.engine.name for result in measured))
    rows = []
    for scene in dict.fromkeys(result.scene for result in measured):
        grown = {result.engine.name: result.memory for result in measured if result.scene == scene}
        rows.append(
            [scene, *(number(None if (size := grown.get(name)) is None else size / 1e6, ".1f") for name in names)]
        )
    return table(["MB after 100 steps", *names], rows)


def records(results: Sequence[Result], peers: Sequence[str]) -> list[dict[str, Any]]:
    """All results as plain data: what the JSON file holds and the pages and charts are made of."""
    found = []
    for result in results:
        record = result.record()
        if result.runs:
            record["ratio"] = {peer: ratio(result, peer, results) for peer in peers}
            if result.engine.ours:
                record["box2d_ratio"] = ratio(result, "box2d", results)
        found.append(record)
    return found


def write_json(path: Path, where: dict[str, Any], found: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": where, "results": found}, indent=1) + "\n", encoding="utf-8")
