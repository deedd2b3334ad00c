"""Charts of results, drawn from the records of the JSON file. They need matplotlib.

Every chart names the machine and shows values beside its bars. Axes start at zero unless they are marked as
logarithmic.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]
COLORS = ("#2f6f9f", "#d98032", "#5b9a4e", "#8a63a8", "#b0413e", "#7f7f7f")


def load_pyplot() -> Any:
    """matplotlib.pyplot, drawing into files.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    try:
        importlib.import_module("matplotlib").use("Agg")
        return importlib.import_module("matplotlib.pyplot")
    except ModuleNotFoundError:
        raise ModuleNotFoundError("plots need matplotlib: pip install matplotlib", name="matplotlib") from None


def footer(where: Record) -> str:
    version, load = where["commit"] or where["box2dpy"], f"load {where['load']} at the start"
    return f"{where['date'][:10]}, {version}, {where['cores']} cores {where['cpu']}, {where['compiler']}, {load}"


def save(draw: Callable[[Any], None], path: Path, where: Record, size: tuple[float, float]) -> Path:
    """One picture: `draw` fills a figure, the machine is named under it."""
    pyplot = load_pyplot()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure = pyplot.figure(figsize=size, layout="constrained")
    draw(figure)
    figure.supxlabel(footer(where), fontsize=7, color="#666666")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path


def ours(record: Record) -> bool:
    return record["engine"] == "box2dpy" and "skipped" not in record


def plain(record: Record) -> bool:
    """Ours with default options."""
    return ours(record) and not any(key in record for key in ("simd", "broadphase", "narrowphase"))


def grouped(axes: Any, groups: Sequence[str], series: Mapping[str, Sequence[float | None]], form: str) -> None:
    """Horizontal bars, the first group on top, a value at the end of each bar."""
    height = 0.8 / max(1, len(series))
    for k, (name, values) in enumerate(series.items()):
        places = [g + (k - (len(series) - 1) / 2) * height for g, value in enumerate(values) if value is not None]
        found = [value for value in values if value is not None]
        bars = axes.barh(places, found, height * 0.95, label=name, color=COLORS[k % len(COLORS)])
        axes.bar_label(bars, labels=[format(value, form) for value in found], padding=2, fontsize=7)
    axes.set_yticks(range(len(groups)), groups)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)


def ratios(records: Sequence[Record], where: Record, path: Path) -> Path | None:
    """How many times faster we are than each peer with one worker; None when no peer ran."""
    found = [
        r
        for r in records
        if ours(r) and r["workers"] == 1 and not any(k in r for k in ("simd", "broadphase", "narrowphase"))
    ]
    series: dict[str, list[float | None]] = {}
    for peer in dict.fromkeys(peer for r in found for peer in r.get("ratio", ())):
        series[f"{peer} / box2dpy"] = [r["ratio"].get(peer) for r in found]
    if any(r.get("box2d_ratio") for r in found):
        series["Box2D's own program / box2dpy"] = [r.get("box2d_ratio") for r in found]
    if not any(value for values in series.values() for value in values):
        return None

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        grouped(axes, [r["scene"] for r in found], series, ".2f")
        axes.axvline(1, color="#333333", linewidth=1)
        axes.set(
            title="Time of the peer over ours, whole scenes, one worker (above 1: box2dpy is faster)", xlabel="times"
        )
        axes.legend(fontsize=8)

    return save(draw, path, where, (9, 1.5 + 0.26 * len(found) * max(2, len(series))))


def stages(records: Sequence[Record], where: Record, path: Path) -> Path | None:
    """Where a step's time goes, scene by scene."""
    found = [r for r in records if ours(r) and r["profile_ms"]]
    if not found:
        return None
    names = [name for name in found[0]["profile_ms"] if name != "step"]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        colors = load_pyplot().get_cmap("tab20").colors
        left = [0.0] * len(found)
        for k, name in enumerate(names):
            widths = [r["profile_ms"].get(name, 0.0) for r in found]
            axes.barh(
                range(len(found)), widths, 0.7, left=left, label=name.replace("_", " "), color=colors[k % len(colors)]
            )
            left = [a + b for a, b in zip(left, widths, strict=True)]
        for k, (whole, r) in enumerate(zip(left, found, strict=True)):
            axes.text(
                max(whole, r["profile_ms"]["step"]), k, f" {r['profile_ms']['step']:.2f}", va="center", fontsize=8
            )
        axes.set_yticks(range(len(found)), [f"{r['scene']} x{r['workers']}" for r in found])
        axes.invert_yaxis()
        axes.margins(x=0.1)
        axes.set(title="Mean step of box2dpy by stage", xlabel="ms")
        axes.legend(fontsize=7, ncols=2)

    return save(draw, path, where, (9, 2 + 0.35 * len(found)))


def memory(records: Sequence[Record], where: Record, path: Path) -> Path | None:
    found = [r for r in records if r.get("memory_bytes") is not None]
    scenes = list(dict.fromkeys(r["scene"] for r in found))
    if not found:
        return None
    series: dict[str, list[float | None]] = {}
    for engine in dict.fromkeys(r["engine"] for r in found):
        size = {r["scene"]: r["memory_bytes"] / 1e6 for r in found if r["engine"] == engine}
        series[engine] = [size.get(scene) for scene in scenes]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        grouped(axes, scenes, series, ".1f")
        axes.set(title="Growth of the resident set over building the scene and 100 steps, fresh process", xlabel="MB")
        axes.legend(fontsize=8)

    return save(draw, path, where, (9, 1.5 + 0.26 * len(scenes) * max(2, len(series))))


def steps(step_ms: Mapping[str, Sequence[float]], scene: str, where: Record, path: Path) -> Path:
    """The time of every step on every engine: each step's minimum over the passes."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for k, (name, times) in enumerate(step_ms.items()):
            axes.plot(range(1, len(times) + 1), times, linewidth=0.9, label=name, color=COLORS[k % len(COLORS)])
        axes.set(title=f"{scene}: every step but the first", xlabel="step", ylabel="ms (least of the passes)")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8)

    return save(draw, path, where, (9, 4.5))


def quality(
    figures: Sequence[Any], values: Mapping[str, Mapping[str, float | None]], where: Record, path: Path
) -> Path:
    """One small chart for each figure, because their units differ; the title says which direction is better."""
    columns = min(4, len(figures))
    lines = -(-len(figures) // columns)

    def draw(figure: Any) -> None:
        charts = figure.subplots(lines, columns, squeeze=False).flat
        for axes in charts[len(figures) :]:
            axes.set_visible(False)
        for axes, item in zip(charts, figures, strict=False):
            row = values[item.name]
            places = range(len(row))
            found = [0.0 if value is None else value for value in row.values()]
            bars = axes.barh(places, found, 0.7, color=COLORS[: len(row)])
            labels = ["cannot be built" if value is None else f"{value:.4g}" for value in row.values()]
            axes.bar_label(bars, labels=labels, padding=2, fontsize=7)
            axes.set_yticks(places, list(row), fontsize=7)
            axes.tick_params(axis="x", labelsize=7)
            axes.locator_params(axis="x", nbins=4)
            axes.xaxis.get_offset_text().set_fontsize(7)
            axes.invert_yaxis()
            axes.set_xlim(left=0)
            axes.margins(x=0.3)
            axes.spines[["top", "right"]].set_visible(False)
            unit, better = f", {item.unit}" if item.unit else "", "more" if item.high else "less"
            axes.set_title(f"{item.name}{unit} ({better} is better)", fontsize=8, fontweight="bold")

    return save(draw, path, where, (3.2 * columns, 0.6 + 1.4 * lines))


def world_rates(records: Sequence[Record], where: Record, path: Path) -> Path:
    """World steps a second over the number of worlds, a line for each template and number of workers."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        templates = list(dict.fromkeys(r["template"] for r in records))
        for template in templates:
            for k, workers in enumerate(dict.fromkeys(r["workers"] for r in records)):
                found = [r for r in records if (r["template"], r["workers"]) == (template, workers)]
                axes.plot(
                    [r["worlds"] for r in found], [r["steps_per_second"] / 1e6 for r in found],
                    color=COLORS[templates.index(template) % len(COLORS)], marker="o", markersize=3,
                    linestyle=("--", "-", ":", "-.")[k % 4], label=f"{template}, {workers} workers",
                )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        axes.set(title="WorldBatch: world steps a second", xlabel="worlds (logarithmic)", ylabel="millions")

    return save(draw, path, where, (8, 5))
