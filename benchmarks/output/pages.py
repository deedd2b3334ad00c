"""Tables in the documents: `python -m benchmarks --write-results` measures and writes them between their markers.

`docs/results.md` gets all tables, `README.md` the times beside Box2D's own program. Text outside of the markers is not
changed, and a table that the run did not measure stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..engines.comparison import BOX2D_AIMS, geometric_mean
from .machine import sentence
from .report import number

Record = Mapping[str, Any]
Calls = tuple[list[str], list[list[str]]]  # head and rows of the table of small calls
RESULTS = Path("docs/results.md")
README = Path("README.md")


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def replace_between(path: Path, name: str, text: str) -> None:
    """Puts `text` between `<!-- name -->` and `<!-- end of name -->`.

    Raises:
        ValueError: the file lacks the markers.
    """
    first, last = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    whole = path.read_text(encoding="utf-8")
    start, end = whole.find(first), whole.find(last)
    if start < 0 or end < start:
        raise ValueError(f"{path} has no {first.strip()} ... {last}")
    path.write_text(whole[: start + len(first)] + text.strip() + "\n" + whole[end:], encoding="utf-8")


def times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}x"


class Scenes:
    """The records of one run, by scene."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = [r for r in records if "skipped" not in r]
        plain = [r for r in self.records if not any(key in r for key in ("simd", "broadphase", "narrowphase"))]
        self.ours = {(r["scene"], r["workers"]): r for r in plain if r["engine"] == "box2dpy"}
        self.names = list(dict.fromkeys(scene for scene, _ in self.ours))
        self.workers = sorted({workers for _, workers in self.ours})
        self.peers = list(dict.fromkeys(r["engine"] for r in self.records if r["engine"] not in ("box2dpy", "box2d")))
        self.peer = {(r["scene"], r["engine"], r["workers"]): r for r in self.records if r["engine"] != "box2dpy"}
        self.avx2 = {
            (r["scene"], r["workers"]): r
            for r in self.records
            if r.get("simd") == "avx2" and "broadphase" not in r and "narrowphase" not in r
        }

    def box2d(self) -> str:
        """Times of Box2D's program over ours, with AVX2 and with the best instructions of the machine; means below.
        Empty when one of them did not run."""
        kinds = {"AVX2": self.avx2, "best": self.ours}
        workers = [w for w in self.workers if all(any(k[1] == w for k in kind) for kind in kinds.values())]
        head, columns = ["scene"], []
        for w in workers:
            count = f"{w} worker{'s' * (w > 1)}"
            head += [f"Box2D, {count}, ms", *(f"ours, {name}" for name in kinds), *(f"ratio, {name}" for name in kinds)]
            columns += [
                [kind.get((scene, w), {}).get("box2d_ratio") for scene in self.names] for kind in kinds.values()
            ]
        if not any(value for column in columns for value in column):
            return ""
        rows = []
        for scene in self.names:
            row = [scene]
            for w in workers:
                found = [self.peer.get((scene, "box2d", w)), *(kind.get((scene, w)) for kind in kinds.values())]
                row += ["" if r is None else f"{r['total_ms']['minimum']:.0f}" for r in found]
                row += ["" if r is None else times(r.get("box2d_ratio")) for r in found[1:]]
            rows.append(row)
        lines = []
        for w in workers:
            for name, kind in kinds.items():
                ratios = {scene: r for scene in self.names if (r := kind.get((scene, w), {}).get("box2d_ratio"))}
                least = min(ratios, key=lambda scene: ratios[scene])
                mean, low = BOX2D_AIMS.get(w, (None, None))
                aim = f" (aim: {mean} and {low})" if mean and name == "AVX2" else ""
                middle = geometric_mean(list(ratios.values()))
                lines.append(
                    f"* {name}, {w} worker{'s' * (w > 1)}: {middle:.2f} in the geometric mean of {len(ratios)} scenes, "
                    f"least {ratios[least]:.2f} in {least}{aim}."
                )
        return markdown(head, rows) + "\n\n" + "\n".join(lines)

    def box2d_times(self) -> str:
        """Times of one worker with AVX2 and of Box2D's program."""
        pairs = {scene: (self.avx2.get((scene, 1)), self.peer.get((scene, "box2d", 1))) for scene in self.names}
        rows = [
            [scene, *(f"{r['total_ms']['minimum']:.0f}" for r in pair if r is not None)]
            for scene, pair in pairs.items()
            if None not in pair
        ]
        return markdown(["scene", "box2dpy, ms", "Box2D, ms"], rows)

    def totals(self) -> str:
        """Milliseconds of whole scenes, and the ratios of the peers to one worker."""
        head = ["scene", "steps", *(f"{w} worker{'s' * (w > 1)}" for w in self.workers), *self.peers]
        head += [f"{peer} / 1 worker" for peer in self.peers]
        rows = []
        for scene in self.names:
            found = [self.ours.get((scene, w)) for w in self.workers]
            steps = next(r["steps"] for r in found if r is not None)
            row = [scene, str(steps), *("" if r is None else f"{r['total_ms']['minimum']:.0f}" for r in found)]
            peers = [self.peer.get((scene, peer, 1)) for peer in self.peers]
            row += ["" if r is None else f"{r['total_ms']['minimum']:.0f}" for r in peers]
            one = self.ours.get((scene, 1), {})
            row += [times(one.get("ratio", {}).get(peer)) for peer in self.peers]
            rows.append(row)
        return markdown(head, rows)

    def details(self) -> str:
        """Single steps, allocations, spikes, serial share, hash."""
        head = [
            "scene", "workers", "step 0, ms", "median", "p99", "most", "spikes at", "allocations", "overflow", "serial",
            "state",
        ]  # fmt: skip
        rows = []
        for (scene, workers), r in sorted(
            self.ours.items(), key=lambda item: (self.names.index(item[0][0]), item[0][1])
        ):
            step = r["step_ms"]
            share = r["serial_share"]
            rows.append(
                [
                    scene, str(workers), number(r["step0_ms"]),
                    *(f"{step[key]:.3f}" for key in ("median", "p99", "max")),
                    ", ".join(map(str, r["spikes"])) or "none", str(r["allocations"]),
                    str(r["counters"].get("overflow_contacts", 0) + r["counters"].get("overflow_joints", 0)),
                    "" if share is None else f"{100 * share:.1f} %", f"`{r['state_hash']}`",
                ]
            )  # fmt: skip
        return markdown(head, rows)

    def stages(self) -> str:
        found = [r for r in self.ours.values() if r["workers"] == self.workers[0]]
        names = [name for name in found[0]["profile_ms"] if any(r["profile_ms"][name] >= 0.0005 for r in found)]
        head = ["scene", *(name.replace("_", " ") for name in names)]
        return markdown(head, [[r["scene"], *(f"{r['profile_ms'][name]:.3f}" for name in names)] for r in found])

    def memory(self) -> str:
        found = [r for r in self.records if r.get("memory_bytes") is not None]
        if not found:
            return ""
        engines = list(dict.fromkeys(r["engine"] for r in found))
        size = {(r["scene"], r["engine"]): f"{r['memory_bytes'] / 1e6:.1f}" for r in found}
        rows = [[scene, *(size.get((scene, engine), "") for engine in engines)] for scene in self.names]
        return markdown(["scene", *engines], rows)


def write(
    root: Path, command: str, where: Record, records: Sequence[Record], calls: tuple[list[str], list[list[str]]] | None
) -> None:
    """Writes the documents of the checkout at `root`; README only with times of Box2D's program.

    Raises:
        ValueError: a document lacks its markers, or nothing of ours was measured.
        OSError: a document is not there.
    """
    scenes = Scenes(records)
    if not scenes.names:
        raise ValueError("nothing to write: no scene ran")
    repeats = max(r["repeats"] for r in scenes.ours.values())
    parts = [
        f"Command: `{command}`.",
        sentence(dict(where)) + ".",
        f"Milliseconds of whole scenes after step 0, least of {repeats} passes, engines alternating; "
        "peers on one thread.",
        scenes.totals(),
        "Steps of box2dpy, each with its least time over the passes; "
        "spikes: over three times the median of the 31 around.",
        scenes.details(),
        f"Mean milliseconds of each stage, {scenes.workers[0]} worker{'s' * (scenes.workers[0] > 1)}:",
        scenes.stages(),
    ]
    if memory := scenes.memory():
        parts += [
            "Growth of the resident set over building the scene and 100 steps, each engine in a fresh process, MB:",
            memory,
        ]
    if calls is not None:
        parts += ["Single calls from Python, us:", markdown(*calls)]
    replace_between(root / RESULTS, "benchmark results", "\n\n".join(part for part in parts if part))
    if box2d := scenes.box2d():
        how = f"Milliseconds of whole scenes after step 0, least of {repeats} passes, alternating."
        run = f"{sentence(dict(where))}. {how}"
        replace_between(root / RESULTS, "box2d table", f"Command: `{command}`.\n\n{run}\n\n{box2d}")
        replace_between(root / README, "box2d table", f"{run}\n\n{scenes.box2d_times()}")
