"""Plain text tables, JSON and plots of results."""

from __future__ import annotations

import datetime
import importlib
import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import box2dpy as b2

from .runner import BOX2D_RELATION, Result, box2d_ratio, median, percentile, ratio

COUNTERS = ("bodies", "shapes", "contacts", "touching", "joints", "islands", "colors", "overflow_contacts")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns under a rule, the first `left` of them aligned to the left."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if k < left else c.rjust(w) for k, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "  ".join(padded).rstrip()

    return "\n".join((line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)))


def number(value: float | None, form: str = ".2f", unit: str = "") -> str:
    return "-" if value is None else f"{value:{form}}{unit}"


def machine() -> dict[str, Any]:
    """Where a measurement was made."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), cpu)
    except OSError:
        pass
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "box2dpy": b2.__version__,
    }


def times(results: Sequence[Result], peers: Sequence[str]) -> str:
    """The main table."""
    head = ["scene", "engine", "total ms", "median total", "step 0", "step median", "p99", "max", "spikes"]
    head += [f"{peer} / it" for peer in peers]
    derived = "pyb2d3" in peers
    if derived:
        head.append("Box2D 3.2 / it")
    rows = []
    for result in results:
        if result.skipped:
            rows.append([result.scene, f"{result.engine.label}: skipped, {result.skipped}", *[""] * (len(head) - 2)])
            continue
        steps = result.step_ms
        row = [
            result.scene,
            result.engine.label,
            number(result.total_min, ".1f"),
            number(result.total_median, ".1f"),
            number(result.step0),
            number(median(steps), ".3f"),
            number(percentile(steps, 0.99), ".3f"),
            number(max(steps), ".3f"),
            str(len(result.spikes())),
        ]
        row += [number(ratio(result, peer, results), ".2f", "x") for peer in peers]
        if derived:
            row.append(number(box2d_ratio(result, results), ".2f", "x") if result.engine.ours else "-")
        rows.append(row)
    text = table(head, rows, left=2)
    if derived and any(result.scene in BOX2D_RELATION for result in results):
        text += "\nBox2D 3.2 / it: derived, our ratio to pyb2d3 over pyb2d3's measured ratio to Box2D 3.2 (good to 10 %)"
    return text


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
    """Mean milliseconds of each stage."""
    ours = [result for result in results if result.engine.ours and result.runs]
    names = list(dict.fromkeys(name for result in ours for name in result.best.profile_ms))
    head = ["scene", "engine", *(name.replace("_", " ") for name in names)]
    rows = []
    for result in ours:
        profile = result.best.profile_ms
        rows.append([result.scene, result.engine.label, *(number(profile.get(name), ".3f") for name in names)])
    return table(head, rows, left=2)


def write_json(path: Path, results: Sequence[Result], peers: Sequence[str]) -> None:
    records = []
    for result in results:
        record = result.record()
        if result.runs:
            record["ratio"] = {peer: ratio(result, peer, results) for peer in peers}
            if result.engine.ours:
                record["ratio"]["box2d 3.2 (derived)"] = box2d_ratio(result, results)
        records.append(record)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine(), "results": records}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def write_plots(folder: Path, results: Sequence[Result]) -> list[Path]:
    """One picture a scene: the time of every step on every engine.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    try:
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg")
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ModuleNotFoundError:
        raise ModuleNotFoundError("plots need matplotlib: pip install matplotlib", name="matplotlib") from None
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for scene in dict.fromkeys(result.scene for result in results):
        figure, axes = pyplot.subplots(figsize=(9, 4.5))
        for result in results:
            if result.scene == scene and result.runs:
                steps = result.step_ms
                axes.plot(range(1, len(steps) + 1), steps, linewidth=1, label=result.engine.label)
        axes.set(title=scene, xlabel="step", ylabel="ms (best of the passes)")
        axes.set_ylim(bottom=0)
        axes.legend()
        path = folder / f"{scene}.png"
        figure.savefig(path, dpi=120, bbox_inches="tight")
        pyplot.close(figure)
        written.append(path)
    return written
